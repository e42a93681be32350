"""Bash that makes CANN visible before anything else runs."""

SHELL_SETUP = ""
