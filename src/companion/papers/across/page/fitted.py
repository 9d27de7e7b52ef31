"""Table and numbers of the small study with a fitted model and a library's own rules."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pandas as pd

from companion.pages import Numbers, Table
from companion.pages.provenance import Provenance, stored
from companion.papers.across.experiments import fitted_model
from companion.papers.across.experiments.fitted_model import (
    KNOWN,
    LIBRARY,
    PLAYS,
    SEEDS,
    Shipped,
    library_entries,
    papers_entries,
)
from companion.papers.across.method.rules import Entry
from companion.papers.across.page.which_method import setting_title, title


@lru_cache(maxsize=1)
def study() -> Shipped:
    """The stored runs; errors as of :meth:`companion.papers.across.experiments.fitted_model.Shipped.read`."""
    return Shipped.read()


def provenance() -> Provenance:
    """Source of the numbers."""
    return stored(fitted_model.load().record.to_dict(), fitted_model.STORED)


def _named(entry: Entry) -> str:
    if entry.rule in LIBRARY:
        return f"{LIBRARY[entry.rule]}, as shipped"
    return ", ".join(filter(None, (title(entry.rule, entry.batch), setting_title(entry.rule, entry.setting))))


def fitted_table() -> Table:
    """Every rule with the fitted model and, of the papers' rules, with the known one."""
    found, rows = study(), []
    for batch in sorted(SEEDS):
        for entry in (*library_entries(batch), *papers_entries(batch)):
            row: dict[str, Any] = {"rule": _named(entry), "points a round": batch}
            for words, measure in (("every play", "cumulative"), (f"point after {PLAYS}", "half")):
                row[f"{words}, fitted"] = float(found.values(measure, entry).mean())
                known = entry.rule not in LIBRARY
                row[f"{words}, known"] = float(found.values(measure, entry, KNOWN).mean()) if known else None
            rows.append(row)
    return Table(pd.DataFrame(rows), where=provenance(), digits=2)


def numbers() -> Numbers:
    """Results shown: of fitting, of the order of rules, and of the library's rules against the papers'."""
    found = study()
    level = found.margins.significance
    told: dict[str, Any] = {"functions": found.table.problem.nunique(), "plays": PLAYS, "noise": fitted_model.SHARE}
    told |= {"seeds_one": SEEDS[1], "seeds_five": SEEDS[5]}
    for name, measure in (("plays", "cumulative"), ("point", "half")):
        fits, orders, library = found.fitting(measure), found.order(measure), found.library(measure)
        told[f"{name}_fit_shown"] = sum(bool(test.shown(level)) for test in fits.values())
        told[f"{name}_fit_most"] = max(test.difference.estimate for test in fits.values())
        told[f"{name}_order_shown"] = sum(bool(test.shown(level)) for test in orders.values())
        told[f"{name}_pairs"] = len(orders)
        for rule in ("qlognei", "qucb"):
            tests = [test for (mine, _), test in library.items() if mine.rule == rule]
            told[f"{name}_{rule}_behind"] = sum(test.shown(level) > 0 for test in tests)
            told[f"{name}_{rule}_ahead"] = sum(test.shown(level) < 0 for test in tests)
            told[f"{name}_{rule}_all"] = len(tests)
    return Numbers(provenance(), **told)
