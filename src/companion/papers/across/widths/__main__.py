"""``python -m companion.papers.across.widths [--add]``: compute and store the tables, or what they lack."""

from __future__ import annotations

import sys

from companion.core import arithmetic

if __name__ == "__main__":
    arithmetic.pin()
    from companion.papers.across.widths.stored import add, store  # NumPy is imported after the choice

    if sys.argv[1:] not in ([], ["--add"]):
        sys.exit(__doc__)
    if sys.argv[1:]:
        add()
    else:
        store()
