"""One module a command: `add_parser` describes it, `run` does it and returns the exit code."""
