"""``python -m nocopy`` is the ``nocopy`` command."""

from __future__ import annotations

import sys

from nocopy.cli import main

if __name__ == "__main__":
    sys.exit(main())
