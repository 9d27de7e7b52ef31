"""``python -m companion.across.widths``: compute and store the tables."""

from __future__ import annotations

from companion.across.widths.stored import store

if __name__ == "__main__":
    store()
