"""Source patches: reading a unified diff, and what it sets, by meaning and without a tree."""
