"""The three files of an audit, read and checked: reported numbers, reproduced numbers, margins. See :mod:`.audit`.

Everything is refused by line and column: a number with a typing error must not become a verdict.
"""

from __future__ import annotations

import math
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from companion.core.errors import DataError, ParameterError, nearest
from companion.core.tables import rows_of
from companion.judge.equivalence import Summary
from companion.judge.reported import UNSTATED, ReportedCell, read_cell

#: Columns that say which number a row is about; the same in both tables.
NAME = ("problem", "method", "metric")
#: Columns that a reported table has to have.
NEEDED = (*NAME, "mean")
#: Columns that it may have besides.
OPTIONAL = ("unit", "spread", "spread_kind", "n_runs", "rank", "note")
#: Columns of a reproduced table with one row a run.
RUN = (*NAME, "seed", "value")
#: Columns of a reproduced table with one row a number: mean, standard deviation of one run, number of runs.
SUMMARY = (*NAME, "mean", "sd", "n")
#: Largest number that is taken, and its inverse the smallest spread and margin: their squares have to be numbers, too.
LARGEST = 1e100
#: Most reported numbers, and most methods of one problem and metric; every pair of these is compared.
MOST_CELLS, MOST_METHODS = 20_000, 200

Key = tuple[str, str, str]


# -- margins -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rule:
    """Largest allowed distance of two numbers of a metric; in the file ``exact``, ``margin``, or ``spreads`` and ``share``.

    Attributes
    ----------
    exact : no run-to-run variation: any difference is one
    margin : in the metric's unit
    spreads : times the reported standard deviation of one run
    share : times the reported |mean|; beside ``spreads``, for numbers that are reported without a spread
    """

    exact: bool = False
    margin: float | None = None
    spreads: float | None = None
    share: float | None = None

    def width(self, cell: ReportedCell) -> float:
        """The margin of a reported number, in its unit; 0 where it is exact, or where nothing it rests on is reported."""
        if self.margin is not None:
            return self.margin
        if self.spreads is not None and cell.sd is not None:
            return self.spreads * cell.sd
        return 0.0 if self.share is None else self.share * abs(cell.mean)


@dataclass(frozen=True)
class Rules:
    """A file of margins: levels of the tests and of the intervals, and a rule for every metric."""

    significance: float
    confidence: float
    metrics: Mapping[str, Rule]

    def of(self, metric: str) -> Rule:
        """The rule of a metric, which may stand for all places where it is taken: ``regret`` for ``regret_at_t=200``."""
        name = metric if metric in self.metrics else metric.partition("_at_")[0]
        if name not in self.metrics:
            raise DataError(f"there is no [metrics.{name}]. {nearest(name, self.metrics)}".strip())
        return self.metrics[name]

    def change(self, older: Rules, metrics: Sequence[str]) -> str:
        """Differences to an older version, in the levels and these metrics; empty if there are none."""
        for name in ("significance", "confidence"):
            if getattr(self, name) != getattr(older, name):
                return f"{name} was {getattr(older, name):g} and is {getattr(self, name):g}"
        for metric in metrics:
            try:
                if self.of(metric) != older.of(metric):
                    return f"the rule of {metric} was another one"
            except DataError:
                return f"there was no rule for {metric}"
        return ""


def read_rules(content: bytes, name: str) -> Rules:
    """Margins from the bytes of their file.

    Raises
    ------
    DataError
        naming the entry that is missing, unknown or out of range
    """
    try:
        table = tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise DataError(f"{name} is no UTF-8 text: byte {error.start} is {content[error.start]:#04x}") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise DataError(f"{name} is no valid TOML: {error}") from None
    known = ("significance", "confidence", "metrics")
    for key in table:
        if key not in known:
            raise DataError(f"{name} has {key!r}; expected {', '.join(known)}. {nearest(key, known)}".strip())
    level = {
        key: _number(table.get(key), f"{name}: {key}", high)
        for key, high in (("significance", 0.5), ("confidence", 1.0))
    }
    metrics = table.get("metrics")
    if not isinstance(metrics, dict) or not metrics:
        raise DataError(f"{name} has no metrics; expected a table [metrics.NAME] for each metric")
    return Rules(
        **level, metrics={metric: _rule(entry, f"{name}, [metrics.{metric}]") for metric, entry in metrics.items()}
    )


def _rule(entry: Any, where: str) -> Rule:
    known = ("exact", "margin", "spreads", "share")
    given = set(entry) if isinstance(entry, dict) else {"?"}
    if not given <= set(known) or given not in ({"exact"}, {"margin"}, {"spreads"}, {"share"}, {"spreads", "share"}):
        told = ", ".join(sorted(given)) if isinstance(entry, dict) and entry else "nothing"
        raise DataError(f"{where} has {told}; expected exact = true, or margin, or spreads, share or both of these")
    if "exact" in given:
        if entry["exact"] is not True:
            raise DataError(f"{where}: exact is {short(entry['exact'])}; expected true")
        return Rule(exact=True)
    sizes: dict[str, Any] = {key: _number(value, f"{where}: {key}") for key, value in entry.items()}
    return Rule(**sizes)


def _number(value: Any, where: str, high: float = math.inf) -> float:
    sound = (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and 1 / LARGEST <= value <= LARGEST
        and value < high
    )
    if not sound:
        told = "is missing" if value is None else f"is {short(value)}"
        raise DataError(
            f"{where} {told}; expected a positive number "
            + (f"below {high:g}" if high < math.inf else f"of at most {LARGEST:g}")
        )
    return float(value)


def short(value: Any) -> str:
    """A quotation cut to forty characters."""
    shown = repr(value)
    return shown if len(shown) <= 40 else f"{shown[:37]}..."


# -- tables ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reproduced:
    """Numbers of a rerun: a summary, and the runs by seed where they are given."""

    summary: Summary | None
    mean: float
    sd: float | None
    n: int | None
    runs: Mapping[str, float] = field(default_factory=dict)


def read_reported(content: bytes, name: str) -> dict[Key, ReportedCell]:
    """The reported table from the bytes of its file, by problem, method and metric with its place.

    Raises
    ------
    DataError
        naming line and column
    """
    header, rows = _table(content, name)
    _check_columns(name, header, NEEDED, OPTIONAL)
    if len(rows) > MOST_CELLS:
        raise DataError(f"{name} has {len(rows):,} rows; expected at most {MOST_CELLS:,}")
    cells: dict[Key, ReportedCell] = {}
    columns: Counter[tuple[str, str]] = Counter()
    for line, row in rows:
        where = f"{name}, line {line}"
        full = {column: row.get(column, "").strip() for column in (*NEEDED, *OPTIONAL)}
        full["unit"] = full["unit"] or "-"
        if not full["spread"]:
            full["spread_kind"] = full["spread_kind"] or UNSTATED
        cell, key = read_cell(full, name, where), _key(row)
        if key in cells:
            raise DataError(f"{where} repeats line {cells[key].where.rpartition(' ')[2]}: {', '.join(key)}")
        _in_range(cell.mean, f"{where}: mean")
        _in_range(cell.spread or 0.0, f"{where}: spread", spread=True)
        cells[key] = cell
        columns[key[0], key[2]] += 1
    (problem, metric), most = columns.most_common(1)[0]
    if most > MOST_METHODS:
        raise DataError(f"{name} has {most} methods of {problem}, {metric}; expected at most {MOST_METHODS}")
    return cells


def read_reproduced(content: bytes, name: str) -> dict[Key, Reproduced]:
    """The rerun's table, of either form; errors as of :func:`read_reported`."""
    header, rows = _table(content, name)
    form = RUN if "value" in header or "seed" in header else SUMMARY
    _check_columns(name, header, form)
    for line, row in rows:
        if empty := [column for column in (*NAME, *form[3:4]) if not row[column].strip()]:
            raise DataError(f"{name}, line {line}: {', '.join(empty)} is empty")
    return _of_runs(rows, name) if form is RUN else _of_summaries(rows, name)


def _of_runs(rows: Sequence[tuple[int, Mapping[str, str]]], name: str) -> dict[Key, Reproduced]:
    runs: dict[Key, dict[str, float]] = {}
    for line, row in rows:
        found, seed = runs.setdefault(_key(row), {}), row["seed"].strip()
        if seed in found:
            raise DataError(f"{name}, line {line}: {', '.join(_key(row))} has the seed {short(seed)} twice")
        where = f"{name}, line {line}: value"
        found[seed] = _in_range(_finite(row["value"], where), where)
    made = {}
    for key, found in runs.items():
        values = np.array(list(found.values()))
        mean = float(values.mean())
        sd = float(values.std(ddof=1)) if len(values) > 1 else None
        _in_range(sd or 0.0, f"{name}: standard deviation of {', '.join(key)}", spread=True)
        made[key] = Reproduced(None if sd is None else Summary(mean, sd, len(values)), mean, sd, len(values), found)
    return made


def _of_summaries(rows: Sequence[tuple[int, Mapping[str, str]]], name: str) -> dict[Key, Reproduced]:
    made: dict[Key, Reproduced] = {}
    for line, row in rows:
        where, key = f"{name}, line {line}", _key(row)
        if key in made:
            raise DataError(f"{where} repeats {', '.join(key)}")
        mean = _in_range(_finite(row["mean"], f"{where}: mean"), f"{where}: mean")
        sd = _in_range(_finite(row["sd"], f"{where}: sd"), f"{where}: sd", spread=True) if row["sd"].strip() else None
        n = _count(row["n"], f"{where}: n") if row["n"].strip() else None
        if sd is not None and sd < 0:
            raise DataError(f"{where}: sd is {sd:g}, which is negative")
        whole = sd is not None and n is not None and n > 1
        made[key] = Reproduced(Summary(mean, sd or 0.0, n or 0) if whole else None, mean, sd, n)
    return made


def _table(content: bytes, name: str) -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    """Header and full rows with their line numbers."""
    try:
        lines = rows_of(content, name, "it")
    except ParameterError as error:
        raise DataError(str(error)) from None
    if len(lines) < 2:
        raise DataError(f"{name} has no rows; expected a header and a row for each number")
    header = lines[0][1]
    if twice := sorted({column for column in header if header.count(column) > 1}):
        raise DataError(f"{name} has the column {short(twice[0])} twice")
    for line, row in lines[1:]:
        if len(row) != len(header):
            raise DataError(f"{name}, line {line} has {len(row)} fields and the header {len(header)}")
    return header, [(line, dict(zip(header, row, strict=True))) for line, row in lines[1:]]


def _check_columns(name: str, header: Sequence[str], needed: Sequence[str], optional: Sequence[str] = ()) -> None:
    known = (*needed, *optional)
    lacking = [column for column in needed if column not in header]
    unknown = [column for column in header if column not in known]
    if lacking or unknown:
        parts = [f"lacks the column {lacking[0]!r}"] if lacking else []
        parts += [f"has the column {short(unknown[0])}"] if unknown else []
        may = f", and perhaps {', '.join(optional)}" if optional else ""
        hint = nearest(unknown[0][:60], known) if unknown else ""
        raise DataError(f"{name} {' and '.join(parts)}; expected {', '.join(needed)}{may}. {hint}".strip())


def _key(row: Mapping[str, str]) -> Key:
    problem, method, metric = (row[column].strip() for column in NAME)
    return problem, method, metric


def _finite(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise DataError(f"{where} is {short(text)}, which is no finite number")
    return value


def _in_range(value: float, where: str, *, spread: bool = False) -> float:
    if abs(value) > LARGEST or (spread and 0 < value < 1 / LARGEST):
        least = f", and 0 or at least {1 / LARGEST:g}" if spread else ""
        raise DataError(f"{where} is {value:g}; expected a size of at most {LARGEST:g}{least}")
    return value


def _count(text: str, where: str) -> int:
    if not (text.strip().isdecimal() and 0 < len(text.strip()) < 10 and int(text) > 0):
        raise DataError(f"{where} is {short(text)}; expected a number of runs")
    return int(text)
