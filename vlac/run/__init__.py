"""Running a bundle: what must be there before, the processes of a run, what it prints, and the checks at its end."""
