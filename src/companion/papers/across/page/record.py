"""Sources of the page: its sets of stored tables, and the cost of each of them."""

from __future__ import annotations

import pandas as pd

from companion import registry
from companion.pages import Table
from companion.pages.chapter import cost
from companion.papers.across.experiments.store import SETS
from companion.papers.across.page import which_width
from companion.papers.across.page.which_method import evidence
from companion.papers.across.page.which_setting import their_runs
from companion.stored.record import Record


def records() -> dict[str, Record]:
    """The records of all sets, in the order in which they can be made; the last is chapter 4's."""
    found = {runs.name: runs.load().record for runs in registry.compared_sets("across")}
    return {
        name: found[name]
        for name in (
            *(runs.name for runs in SETS if runs.stored.whole),
            "study",
            "shipped",
            "fitted_stopping",
            "misspecified",
            "stopping",
            "stopping_models",
            "settings",
        )
    } | {"chapter 4's runs": their_runs().record}


def sets_table() -> Table:
    """Command and date of every set, and processor time as far as its record knows it."""
    rows = [
        {
            "set": name,
            "made by": record.command,
            "date": record.date[:10],
            "cost": cost(record.to_dict()),
        }
        for name, record in records().items()
    ]
    return Table(pd.DataFrame(rows), where=evidence().where + which_width.provenance())
