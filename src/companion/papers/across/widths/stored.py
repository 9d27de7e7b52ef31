"""The tables of widths, defaults, coverage and regret, computed once and stored.

``python -m companion.papers.across.widths`` makes them, in a few minutes on one core. It calls the libraries of the extra
``widths``; where one is not installed, its stored rows are kept. Everything else can be computed again from the stored defaults.
With ``--add`` it makes the rows of widths and defaults that are not stored yet, and keeps all others as they are.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from companion.core.errors import ResultError
from companion.core.files import results_folder
from companion.pages.where import Where, stored
from companion.papers.across.common import DELTA
from companion.papers.across.widths import coverage, defaults, schedules
from companion.reproduce.record import Record
from companion.reproduce.stored import TableSet, store_tables

#: Coverage and regret add up blocks, and defaults need the libraries: tests hold them to these.
SET = TableSet(
    "across",
    "widths",
    "python -m companion.papers.across.widths",
    {
        "widths": ("kernel", "dim", "noise", "id"),
        "width_defaults": (),
        "width_coverage": (),
        "width_regret": (),
        "width_blocks": ("instance", "id", "points", "seed"),
    },
)


def make() -> dict[str, Iterable[Any]]:
    """Rows of all tables."""
    libraries = pd.DataFrame(list(defaults.rows(_kept())))
    ratios, regrets = coverage.grid_blocks(libraries)
    ratios = {**ratios, **coverage.arm_blocks(libraries)}
    return {
        "widths": schedules.rows(),
        "width_defaults": libraries.to_dict("records"),
        "width_coverage": coverage.coverage_rows(ratios, libraries),
        "width_regret": coverage.regret_rows(regrets),
        "width_blocks": coverage.block_rows(ratios, regrets),
    }


def _kept(table: str = "width_defaults") -> pd.DataFrame | None:
    """A table stored so far, with the digits that were written."""
    path = results_folder("across") / f"{table}.csv"
    return pd.read_csv(path, float_precision="round_trip") if path.exists() else None


def added() -> dict[str, Any]:
    """All tables, of which only the rows of widths without stored runs are computed."""
    kept: dict[str, Any] = {table: _kept(table) for table in SET.keys}
    libraries = pd.DataFrame(list(defaults.rows(kept["width_defaults"])))
    new = {rule.id for rule in coverage.rules(libraries, coverage.grid_runs.HORIZON)} - set(kept["width_blocks"].id)
    ratios, regrets = coverage.grid_blocks(libraries, only=new)
    ratios = {**ratios, **coverage.arm_blocks(libraries, only=new)}
    made = {
        "width_coverage": coverage.coverage_rows(ratios, libraries),
        "width_regret": coverage.regret_rows(regrets),
        "width_blocks": coverage.block_rows(ratios, regrets),
    }
    for table, rows in made.items():
        joined = pd.concat([kept[table], pd.DataFrame([row for row in rows if row["id"] in new])])
        order = {place: k for k, place in enumerate(joined.instance.unique())}
        kept[table] = joined.sort_values("instance", key=lambda column, order=order: column.map(order), kind="stable")
    return kept | {"width_defaults": libraries}


def add() -> Path:
    """Store :func:`added`; the record has the processor time of both, and when the rows kept were made."""
    before, began = load().record, time.process_time()
    tables = added()
    settings, spent = (
        {"kept": {"date": before.date}},
        before.seconds + time.process_time() - began,
    )
    record = Record.now(f"{SET.command} --add", profile="book", seeds=coverage.SEEDS, seconds=spent, settings=settings)
    return store_tables(results_folder("across"), SET.name, tables, record)


def store(root: Path | None = None) -> Path:
    """Compute all and write the tables with their record."""
    return SET.store(make, root, coverage.SEEDS)


load = SET.load


def where() -> Where:
    """Where the numbers come from."""
    return stored(load().record.to_dict(), store, whole=True)


def broken_promises(covered: pd.DataFrame) -> list[str]:
    """Widths that promise to cover and do not: at full length, the upper end of the coverage is below 1 - delta."""
    own = covered[covered.promised & (covered.factor == 1.0)]
    return [f"{row.id} on {row.instance}" for row in own.itertuples() if row.high < 1.0 - DELTA]


def caught(covered: pd.DataFrame) -> dict[tuple[str, str, float], bool]:
    """For everything of :data:`~.coverage.MUST_FAIL`: whether the coverage is below 1 - delta with its whole interval."""
    found = covered.set_index(["instance", "id", "factor"])
    missing = [each for each in coverage.MUST_FAIL if each not in found.index]
    if missing:
        raise ResultError(f"no runs of {missing}; make them with: {SET.command}")
    return {each: bool((found.loc[[each]].high < 1.0 - DELTA).all()) for each in coverage.MUST_FAIL}


def in_units_of(theorem: str, kernel: str, dim: int, noise: float) -> pd.DataFrame:
    """The libraries' defaults over the width of a theorem in one of the settings, by library and T."""
    tables = load().tables
    of = tables["widths"]
    (row,) = of[(of.id == theorem) & (of.kernel == kernel) & (of.dim == dim) & (of.noise == noise)].to_dict("records")
    found = tables["width_defaults"]
    found = found[(found.dim == dim) & found.t.isin(defaults.SHOWN)]
    shares = found.width / found.t.map(lambda t: row[f"T={t}"])
    table = found.assign(share=shares).pivot(index="library", columns="t", values="share")
    return table.loc[found.library.unique()]
