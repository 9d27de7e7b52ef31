"""``python -m companion.papers.across.widths [--add]``: compute and store the tables, or what they lack."""

from __future__ import annotations

import sys

from companion.papers.across.widths.stored import add, store

if __name__ == "__main__":
    add() if sys.argv[1:] == ["--add"] else store()
