"""``python -m companion.papers.across.experiments.widths [--add]``: compute and store the tables, or what they lack."""

from __future__ import annotations

import sys

from companion.core import arithmetic

if __name__ == "__main__":
    arithmetic.pin()
    from companion.papers.across.experiments.widths import add, store  # NumPy is imported after the choice

    if sys.argv[1:] not in ([], ["--add"]):
        sys.exit(__doc__)
    add() if sys.argv[1:] else store()
