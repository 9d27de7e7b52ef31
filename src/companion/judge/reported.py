"""Printed tables and claims of the papers in ``data/reported/<paper>``, and the frozen margins.

A table file has one row per printed number, with the columns :data:`COLUMNS`; the metric may carry the place where it
was taken, as in ``cumulative_regret_at_t=200``. ``claims.csv`` has one row per conclusion in words. Everything is
checked when it is read: a number with a typing error must not become a verdict.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from scipy import stats

from companion.core.errors import DataError, nearest
from companion.core.files import read_rows, read_toml, reported_folder, repository_root
from companion.judge.equivalence import Summary
from companion.judge.ownership import PAPER, WHOSE

COLUMNS = ("problem", "method", "metric", "unit", "mean", "spread", "spread_kind", "n_runs", "rank", "note")
CLAIMS = "claims.csv"
CLAIM_COLUMNS = ("id", "source", "claim", "how_to_test")
#: May stand in a further column of ``claims.csv``; without it, every claim is the paper's.
WHOSE_COLUMN = "whose"
UNSTATED = "unstated"
#: Kinds of spread and what turns one into a standard deviation, given the number of runs.
SPREAD_KINDS = ("sd", "se", "ci95", UNSTATED)
#: Rules that ``margins.toml`` may define: a share of the spread or of the mean, or no margin at all.
RULE_KINDS = ("spread", "exact")


@dataclass(frozen=True)
class ReportedCell:
    """One printed number.

    Attributes
    ----------
    source : the table, e.g. ``Table 1``
    problem, method, metric, unit : as in the file; ``metric`` without its place
    at : round or setting at which it was taken, ``None`` when the metric has none
    mean : the number
    spread, spread_kind : as printed; ``None`` and ``unstated`` where nothing is
    n : number of runs behind the mean, ``None`` where it is not stated or makes no sense
    note : remark of whoever copied the table
    where : file and line, for messages
    """

    source: str
    problem: str
    method: str
    metric: str
    unit: str
    at: int | None
    mean: float
    spread: float | None
    spread_kind: str
    n: int | None
    note: str
    where: str

    @property
    def sd(self) -> float | None:
        """Standard deviation of one run: sd as printed, se·√n, or half the 95 % interval · √n / t_{n-1, 0.975}."""
        if self.spread is None or (self.spread_kind != "sd" and self.n is None):
            return None
        if self.spread_kind == "sd":
            return self.spread
        assert self.n is not None
        per_run = self.spread * math.sqrt(self.n)
        return per_run if self.spread_kind == "se" else per_run / float(stats.t.ppf(0.975, self.n - 1))

    @property
    def summary(self) -> Summary | None:
        """Mean, standard deviation and runs, or ``None`` when one of them is not printed."""
        sd, n = self.sd, self.n
        return None if sd is None or n is None or n < 2 else Summary(self.mean, sd, n)

    @property
    def lacking(self) -> str:
        """Data that a test needs and the paper does not print; empty if complete."""
        missing = [name for name, value in (("spread", self.spread), ("number of runs", self.n)) if value is None]
        return f"the paper prints no {' and no '.join(missing)}" if missing else ""

    def as_printed(self) -> dict[str, Any]:
        """The ``reported`` part of a verdict's JSON object."""
        return {"mean": self.mean, "spread": self.spread, "spread_kind": self.spread_kind, "n": self.n}


@dataclass(frozen=True)
class ReportedClaim:
    """A conclusion in words: id within the paper, where it stands, what it says, how it is tested, and whose it is."""

    id: str
    source: str
    claim: str
    how_to_test: str
    whose: str = PAPER


@dataclass(frozen=True)
class Margins:
    """One paper's part of ``margins.toml``.

    Attributes
    ----------
    significance : level of each of the two one-sided tests
    confidence : level of intervals
    rules : rule of every metric of the paper
    claims : bounds used by claims, by name
    """

    significance: float
    confidence: float
    rules: Mapping[str, Mapping[str, Any]]
    claims: Mapping[str, float]

    def margin(self, cell: ReportedCell) -> float:
        """In the cell's unit: ``spreads`` standard deviations, or ``share`` of |mean| without a spread; 0 if exact."""
        rule = self._rule(cell.metric)
        if rule["kind"] == "exact":
            return 0.0
        sd = cell.sd
        return float(rule["share"]) * abs(cell.mean) if sd is None else float(rule["spreads"]) * sd

    def _rule(self, metric: str) -> Mapping[str, Any]:
        if metric not in self.rules:
            raise DataError(
                f"margins.toml has no rule for the metric {metric!r}. {nearest(metric, self.rules)}".strip()
            )
        return self.rules[metric]


def load_table(path: Path, source: str) -> tuple[ReportedCell, ...]:
    """Read and check one table.

    Parameters
    ----------
    path : CSV file with :data:`COLUMNS`
    source : what the paper calls the table

    Raises
    ------
    DataError
        naming file, line and column: missing or unknown columns, something that is no number, a spread without its
        kind or the reverse, a number of runs below 1, or two rows for the same number
    """
    cells = tuple(read_cell(row, source, f"{path.name}, line {line}") for line, row in _rows(path, COLUMNS))
    seen: dict[tuple[Any, ...], str] = {}
    for cell in cells:
        key = (cell.problem, cell.method, cell.metric, cell.at)
        if key in seen:
            raise DataError(f"{cell.where} repeats {seen[key].split(', ')[1]}: {cell.method}, {cell.metric}")
        seen[key] = cell.where
    return cells


def load_tables(paper: str, root: Path | None = None) -> tuple[ReportedCell, ...]:
    """All ``table<number>.csv`` of a paper, in the order of their numbers; none where it prints curves and claims alone.

    Raises
    ------
    DataError
        if one is faulty, or there is no claim either

    Examples
    --------
    >>> from companion.judge.reported import load_tables
    >>> cells = load_tables("batched")
    >>> cell = cells[0]
    >>> cell.where, cell.method, cell.mean
    ('table1.csv, line 2', 'BPE, batch sizes eq.(5) [Orig]', 4.0)
    """
    folder = reported_folder(paper, root)
    paths = sorted(folder.glob("table*.csv"), key=lambda path: (len(path.stem), path.stem))
    if not paths and not (folder / CLAIMS).is_file():
        raise DataError(f"{folder} holds no table*.csv and no {CLAIMS}, so nothing is known of what {paper} reports")
    return tuple(cell for path in paths for cell in load_table(path, f"Table {path.stem.removeprefix('table')}"))


def load_claims(paper: str, root: Path | None = None) -> tuple[ReportedClaim, ...]:
    """``claims.csv`` of a paper, in the file's order.

    Raises
    ------
    DataError
        for a missing file, wrong columns, an empty field, an id that occurs twice, or a claim of nobody known

    Examples
    --------
    >>> from companion.judge.reported import load_claims
    >>> [claim.id for claim in load_claims("batched")][:2]
    ['se-0.52-comparable', 'se-larger-a-smaller']
    """
    path = reported_folder(paper, root) / CLAIMS
    found: list[ReportedClaim] = []
    for line, row in _rows(path, CLAIM_COLUMNS, (*CLAIM_COLUMNS, WHOSE_COLUMN)):
        empty = [name for name, value in row.items() if not value.strip()]
        if empty:
            raise DataError(f"{path.name}, line {line}: {', '.join(empty)} is empty")
        if row["id"] in [claim.id for claim in found]:
            raise DataError(f"{path.name}, line {line}: the id {row['id']!r} occurs twice")
        if row.get(WHOSE_COLUMN, PAPER) not in WHOSE:
            raise DataError(f"{path.name}, line {line}: whose is {row[WHOSE_COLUMN]!r}, not one of {', '.join(WHOSE)}")
        found.append(ReportedClaim(**row))
    return tuple(found)


def load_differences(paper: str, columns: Sequence[str], name: str = "text_and_code") -> pd.DataFrame:
    """Differences between a paper's text and its authors' code, item by item: ``text_and_code.csv`` or a file like it.

    Parameters
    ----------
    paper : slug
    columns : what is set side by side, such as ``("text", "code")``; before them stand ``problem``, which is ``all`` for what
        concerns every problem, and ``item``
    name : of the file

    Raises
    ------
    DataError
        for a missing file, wrong columns, or an item that a problem has twice
    """
    path, names = reported_folder(paper) / f"{name}.csv", ("problem", "item", *columns)
    rows = pd.DataFrame([row for _, row in _rows(path, names, names)], columns=list(names))
    twice = rows[rows.duplicated(["problem", "item"])]
    if len(twice):
        raise DataError(f"{path.name}: {twice.iloc[0].problem} has the item {twice.iloc[0]['item']!r} twice")
    return rows


def own_margins(paper: str, root: Path | None = None) -> Path:
    """File of a paper's own margins, as every new paper has it."""
    return reported_folder(paper, root) / "margins.toml"


def load_margins(paper: str, root: Path | None = None) -> Margins:
    """The paper's margins: ``data/reported/<paper>/margins.toml``, or its part of the file of all papers, which has the rules.

    Raises
    ------
    DataError
        if the file or the paper's part is missing, or names a rule that does not exist or is incomplete

    Examples
    --------
    >>> from companion.judge.reported import load_margins, load_tables
    >>> margins, cell = load_margins("tsrsr"), load_tables("tsrsr")[0]
    >>> cell.sd, margins.margin(cell), margins.significance
    (11.4, 11.4, 0.05)
    """
    path = (repository_root() if root is None else root) / "data" / "reported" / "margins.toml"
    try:
        content = read_toml(path)
    except FileNotFoundError:
        raise DataError(f"{path} is missing, so no two numbers can be called equivalent") from None
    if (own := own_margins(paper, root)).is_file():
        path, content[paper] = own, read_toml(own)
    if not all(isinstance(content.get(part, {}), dict) for part in ("rules", paper)):
        raise DataError(f"{path}: rules and {paper} have to be tables")
    if paper not in content:
        raise DataError(f"{path} has no part [{paper}], and there is no {own}")
    rules = content.get("rules", {})
    parts = {**rules, **{f"{paper}.{name}": content[paper].get(name, {}) for name in ("metrics", "claims")}}
    if wrong := [name for name, part in parts.items() if not isinstance(part, dict)]:
        raise DataError(f"{path}: {wrong[0]} has to be a table")
    for name, rule in rules.items():
        needed = {"spread": ("spreads", "share"), "exact": ()}.get(rule.get("kind"))
        if needed is None:
            raise DataError(f"{path}, rule {name!r}: kind is {rule.get('kind')!r}, not one of {', '.join(RULE_KINDS)}")
        wrong = [key for key in needed if not _positive(rule.get(key))]
        if wrong:
            raise DataError(f"{path}, rule {name!r}: {', '.join(wrong)} must be positive")
    metrics = content[paper].get("metrics", {})
    for metric, name in metrics.items():
        if name not in rules:
            raise DataError(f"{path}, metric {metric!r}: there is no rule {name!r}. {nearest(name, rules)}".strip())
    claims = content[paper].get("claims", {})
    levels = {key: content.get(key) for key in ("significance", "confidence")}
    faulty = [key for key, value in {**levels, **claims}.items() if not _positive(value)]
    if faulty:
        raise DataError(f"{path}: {', '.join(faulty)} must be positive")
    return Margins(
        content["significance"],
        content["confidence"],
        {metric: rules[name] for metric, name in metrics.items()},
        claims,
    )


def _rows(path: Path, columns: Sequence[str], longer: Sequence[str] | None = None) -> list[tuple[int, dict[str, str]]]:
    """Rows with their line numbers; the file must have exactly these columns, or the longer list, and full rows."""
    header, rows = read_rows(path)
    if header not in (list(columns), list(longer or columns)):
        raise DataError(f"{path.name} has the columns {', '.join(header)}; expected {', '.join(columns)}")
    for line, row in rows:
        if None in row or None in row.values():
            raise DataError(f"{path.name}, line {line}: has not the {len(header)} fields of the header")
    if not rows:
        raise DataError(f"{path.name} has a header and no rows")
    return rows


def read_cell(row: Mapping[str, str], source: str, where: str) -> ReportedCell:
    """The number in a row with the columns :data:`COLUMNS`; errors as of :func:`load_table`, beginning with ``where``."""
    metric, _, place = row["metric"].partition("_at_")
    empty = [name for name in ("problem", "method", "metric", "unit", "mean") if not row[name].strip()]
    if empty:
        raise DataError(f"{where}: {', '.join(empty)} is empty")
    kind = row["spread_kind"]
    if kind not in SPREAD_KINDS:
        raise DataError(
            f"{where}: spread_kind is {kind!r}, not one of {', '.join(SPREAD_KINDS)}. {nearest(kind, SPREAD_KINDS)}".strip()
        )
    spread = _number(row["spread"], "spread", where) if row["spread"] else None
    if (spread is None) != (kind == UNSTATED):
        raise DataError(f"{where}: spread is {row['spread']!r} but spread_kind is {kind!r}")
    if spread is not None and spread < 0:
        raise DataError(f"{where}: spread is {spread:g}, which is negative")
    runs = _whole(row["n_runs"], "n_runs", where) if row["n_runs"] else None
    if runs is not None and runs < 1:
        raise DataError(f"{where}: n_runs is {runs}, which is below 1")
    return ReportedCell(
        source=source,
        problem=row["problem"],
        method=row["method"],
        metric=metric,
        unit=row["unit"],
        at=_whole(place.partition("=")[2], "metric", where) if place else None,
        mean=_number(row["mean"], "mean", where),
        spread=spread,
        spread_kind=kind,
        n=runs,
        note=row["note"],
        where=where,
    )


def _number(text: str, column: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise DataError(f"{where}: {column} is {text!r}, which is no finite number")
    return value


def _whole(text: str, column: str, where: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise DataError(f"{where}: {column} has {text!r} where a whole number belongs") from None


def _positive(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value > 0
