"""`python -m vlac` is the command `vlac`."""

from __future__ import annotations

import sys

from vlac.cli import main

if __name__ == "__main__":
    sys.exit(main())
