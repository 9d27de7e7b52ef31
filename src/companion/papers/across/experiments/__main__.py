"""``python -m companion.papers.across.experiments [NAME...]``: make stored sets of tables, by default those that are missing."""

from __future__ import annotations

import sys

from companion.core import instruction_set
from companion.core.errors import CompanionError
from companion.papers.across.experiments.store import store

if __name__ == "__main__":
    instruction_set.restart()
    try:
        store(names=sys.argv[1:])
    except CompanionError as error:
        sys.exit(str(error))
