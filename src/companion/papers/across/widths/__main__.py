"""``python -m companion.papers.across.widths``: compute and store the tables."""

from __future__ import annotations

from companion.papers.across.widths.stored import store

if __name__ == "__main__":
    store()
