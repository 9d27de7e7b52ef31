"""What each stored verdict rests on: rows of the printed tables, and which stored runs, in a form that needs no package.

The tests of the claims are functions. Of the runs that a test asks for, those are taken as a part's whose interval has the
stored mean and half width, to :data:`EXACT`; a printed number's runs are those with its mean and standard deviation. What is
not found so is not guessed: then the verdict is recomputed from the stored interval, the stored count, or the stored words of
its parts, and ``rests_on`` says from which.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from companion.core.arrays import Floats
from companion.core.errors import ResultError
from companion.reproduce.claims import Test, Verdicts
from companion.reproduce.crate.identity import identifier
from companion.reproduce.equivalence import Summary, welch
from companion.reproduce.intervals import Interval
from companion.reproduce.reported import ReportedCell
from companion.reproduce.results import Runs
from companion.reproduce.verdict import CONTRADICTED, HOLDS, NOT_TESTABLE, paired_claim

Json = dict[str, Any]
EXACT = 1e-9
"""Relative agreement at which numbers count as computed from the same runs."""
RUNS, PRINTED, PARTS, WORDS = "stored runs", "printed tables alone", "stored intervals and counts", "words of its parts"
#: From the weakest; a claim rests on the weakest that one of its parts rests on.
RESTS_ON = (WORDS, PARTS, PRINTED, RUNS)
_COUNTED = re.compile(r": (\d+) of (\d+)$")


@dataclass(frozen=True, eq=False)
class Kind:
    """A column of one kind of run: how it is selected, and its values, one a seed."""

    what: Json
    seeds: tuple[int, ...]
    values: Floats
    usual: bool


def basis(
    judged: Verdicts[Any], results: Runs, entries: Sequence[Mapping[str, Any]], rules: Mapping[str, str]
) -> list[Json]:
    """One object a verdict, in their order: ``id``, ``rests_on``, and what ``recompute.py`` reads.

    Parameters
    ----------
    judged : how the paper is judged; the tests of its claims are called, to see which runs each asks for
    results : printed numbers and stored runs of the paper
    entries : its stored verdicts, the cells in the order of the printed tables
    rules : name of the rule for the margin of each metric, as in ``margins.toml``

    Raises
    ------
    ResultError
        if the entries are not those of the tables, or a printed number was tested on runs that are not there
    """
    cells = [entry for entry in entries if entry["kind"] == "cell"]
    if len(cells) != len(results.cells):
        raise ResultError(f"there are {len(cells)} verdicts on {len(results.cells)} printed numbers; make them again")
    kinds, units = list(_kinds(results)), {_unit(cell) for cell in results.cells}
    numbers = iter(Cells(Search(results, kinds, units), cells, rules).all())
    tests = {**judged.tests, **{claim.id: test for claim, test in judged.asked}}
    found = []
    for entry in entries:
        if entry["kind"] == "cell":
            rests = next(numbers)
        else:
            name = str(entry["cell"])
            asked = set() if name in judged.computed else _asked_for(tests[name], results)
            mine = [kind for kind in kinds if _key(kind.what["table"], kind.what["where"]) in asked]
            rests = _claim(Search(results, mine, units), entry)
        found.append({"id": identifier("verdicts", entry)} | rests)
    return found


def _asked_for(test: Test[Any], results: Runs) -> set[tuple[Any, ...]]:
    """The kinds of run that the test of a claim asks for."""
    asked: set[tuple[Any, ...]] = set()

    class Watched(type(results)):  # type: ignore[misc]  # a paper's own class of results
        """Notes what is asked for."""

        def of(self, problem: str, method: str, table: str = "", **where: str) -> pd.DataFrame:
            """As for any results."""
            frame = super().of(problem, method, table, **where)
            name = table or self.MAIN
            columns = [self.COLUMNS.get(key, key) for key in self._names(name)]
            asked.add(_key(f"results/{name}.csv", {column: str(frame[column].iloc[0]) for column in columns}))
            return frame

    test(results.seen_as(Watched))
    return asked


def _key(table: str, where: Mapping[str, str]) -> tuple[Any, ...]:
    return (table, *sorted(where.items()))


class Search:
    """Kinds of run of a paper, by what could be compared: the same column over the same seeds."""

    def __init__(self, results: Runs, kinds: list[Kind], units: set[float]) -> None:
        self.results, self.units, self.kinds = results, sorted({1.0, *units}, reverse=True), kinds
        found: dict[tuple[Any, ...], list[Kind]] = {}
        for kind in self.kinds:
            for variant in (kind, *_logarithm(kind)):
                key = (variant.what["table"], variant.what["column"], variant.what.get("log"), variant.seeds)
                found.setdefault((*key, variant.what.get("per")), []).append(variant)
        self.bundles = [_Bundle(kinds) for kinds in found.values()]

    def one(self, entry: Mapping[str, Any], unit: float, ours: Mapping[str, Any]) -> Json | None:
        """The usual runs of a cell's problem and method with this mean and standard deviation, in a unit."""
        for kind in self.kinds:
            if kind.usual and "per" not in kind.what and self.is_of(kind, entry) and len(kind.values) == ours["n"]:
                for origin in ({}, self._above(kind)):
                    values = (kind.values - origin.get("value", 0.0)) / unit
                    if _same(values.mean(), ours["mean"]) and _same(values.std(ddof=1), ours["sd"]):
                        above = {"above": origin["above"]} if origin else {}
                        return kind.what | above | ({} if unit == 1.0 else {"unit": unit})
        return None

    def has_functions(self, runs: Json | None) -> bool:
        """Whether several runs share a function, so that its mean is what is compared."""
        keys = ("table", "where", "column")
        return any("per" in kind.what and all(kind.what[k] == (runs or {}).get(k) for k in keys) for kind in self.kinds)

    def is_of(self, kind: Kind, entry: Mapping[str, Any]) -> bool:
        """Whether the runs are of what the entry names as problem and method, or have its own name as their method."""
        names = {self.results.COLUMNS.get(name, name): name for name in ("problem", "method")}
        words = {column: entry.get(name) for column, name in names.items()}
        if "problem" not in entry:  # then the method alone is named, as the cell
            words = {self.results.COLUMNS.get("method", "method"): entry["cell"]}
        return all(kind.what["where"].get(column) == word for column, word in words.items())

    def _above(self, kind: Kind) -> Json:
        """What the values of one problem are taken above: the lowest of all methods."""
        method = self.results.COLUMNS.get("method", "method")
        where = {key: word for key, word in kind.what["where"].items() if key != method}
        rows = [
            other.values
            for other in self.kinds
            if other.what["table"] == kind.what["table"]
            and other.what["column"] == kind.what["column"]
            and "per" not in other.what
            and where.items() <= other.what["where"].items()
        ]
        above = {"table": kind.what["table"], "where": where}
        return {"above": above, "value": float(min(values.min() for values in rows))}

    def interval(self, mean: float, ends: Sequence[float], known: Sequence[float]) -> Json | None:
        """The runs, or the pair of them, whose interval this is; ``None`` where none fit, or several with the same numbers."""
        half = (ends[1] - ends[0]) / 2.0
        found: list[Json] = []
        for bundle in self.bundles if half > 0 else ():
            for unit in self.units:
                fitting = bundle.pairs(mean * unit, half * unit)
                fitting += bundle.singles(mean * unit, half * unit, [value * unit for value in known])
                found += [_in_unit(one, unit) for one in fitting]
        return found[0] if len(found) == 1 else None


class _Bundle:
    """Kinds of run over the same seeds, with all means and covariances."""

    def __init__(self, kinds: list[Kind]) -> None:
        self.kinds, values = kinds, np.stack([kind.values for kind in kinds])
        count = values.shape[1]
        self.mean, self.covariance = values.mean(axis=1), np.atleast_2d(np.cov(values))
        self.quantile = float(stats.t.ppf(0.975, count - 1)) / math.sqrt(count)

    def pairs(self, mean: float, half: float) -> list[Json]:
        """First minus ``factor`` times second, with this mean and half width; the factor is a number of few digits."""
        variance = self.covariance.diagonal()
        with np.errstate(all="ignore"):
            factor = (self.mean[:, None] - mean) / self.mean[None, :]
            spread = variance[:, None] + factor**2 * variance[None, :] - 2.0 * factor * self.covariance
            right = np.isclose(self.quantile**2 * spread, half**2, rtol=EXACT, atol=0.0) & (factor > 1e-3)
            right &= np.isclose(factor, np.round(factor, 6), rtol=EXACT, atol=0.0)
        np.fill_diagonal(right, False)
        return [
            {"first": self.kinds[i].what, "second": self.kinds[j].what, "sign": 1, "minus": 0.0}
            | {"factor": round(float(factor[i, j]), 6)}
            for i, j in np.argwhere(right)
        ]

    def singles(self, mean: float, half: float, known: Sequence[float]) -> list[Json]:
        """One kind less a number that is known, such as a printed one or a frozen bound."""
        right = np.isclose(self.quantile**2 * self.covariance.diagonal(), half**2, rtol=EXACT, atol=0.0)
        return [
            {"first": self.kinds[i].what, "factor": 1.0, "sign": sign, "minus": value}
            for i in np.flatnonzero(right)
            for sign in (1, -1)
            for value in dict.fromkeys(known)
            if _same(sign * self.mean[i] - mean, value)
        ]


def _kinds(results: Runs) -> Iterator[Kind]:
    for table, frame in results.tables.items():
        names = [name for name in results.KEY if results.COLUMNS.get(name, name) in frame]
        if not names or "seed" not in frame:
            continue
        columns = [results.COLUMNS.get(name, name) for name in names]
        for key, rows in frame.fillna(dict.fromkeys(columns, "")).groupby(columns):
            rows = rows.sort_values("seed")
            where = dict(zip(columns, map(str, key), strict=True))
            usual = all(results.USUAL.get(name, word) == word for name, word in zip(names, where.values(), strict=True))
            seeds = tuple(int(seed) for seed in rows["seed"])
            for column in rows.columns.difference([*columns, "seed", "function"]):
                if rows[column].dtype.kind not in "if" or not np.isfinite(rows[column]).all() or len(set(seeds)) < 2:
                    continue
                what = {"table": f"results/{table}.csv", "where": where, "column": column}
                values = rows[column].to_numpy(dtype=float)
                yield Kind(what, seeds, values, usual)
                if "function" in rows and 1 < rows["function"].nunique() < len(rows):
                    means = rows.groupby("function", sort=False)[column].mean()
                    yield Kind(what | {"per": "function"}, tuple(means.index), means.to_numpy(dtype=float), usual)


def _logarithm(kind: Kind) -> list[Kind]:
    return (
        [Kind(kind.what | {"log": True}, kind.seeds, np.log(kind.values), kind.usual)] if min(kind.values) > 0 else []
    )


def _in_unit(found: Json, unit: float) -> Json:
    sides = {
        side: found[side] | ({} if unit == 1.0 else {"unit": unit}) for side in ("first", "second") if side in found
    }
    return found | sides | {"minus": found["minus"] / unit}


# -- printed numbers ---------------------------------------------------------------------------------------------------


class Cells:
    """The verdicts on printed numbers: for each its row, its runs, and the other methods of its column."""

    def __init__(self, search: Search, entries: Sequence[Mapping[str, Any]], rules: Mapping[str, str]) -> None:
        self.search, self.entries, self.rules = search, entries, rules
        self.printed = [self._printed(cell) for cell in search.results.cells]
        found = [self._runs(number) for number in range(len(entries))]
        like = next((runs for runs in found if runs is not None), None)
        self.runs = [runs or self._without_numbers(number, like) for number, runs in enumerate(found)]

    def all(self) -> list[Json]:
        """One object a printed number, in their order."""
        return [self._cell(number) for number in range(len(self.entries))]

    def _printed(self, cell: ReportedCell) -> Json:
        name, line = cell.where.split(", line ")
        return {"table": f"reported/{name}", "row": int(line) - 2, "rule": self.rules[cell.metric]}

    def _runs(self, number: int) -> Json | None:
        entry, cell = self.entries[number], self.search.results.cells[number]
        ours = entry.get("seconds") or entry["reproduced"]
        return None if ours["sd"] is None else self.search.one(entry, _unit(cell), ours)

    def _without_numbers(self, number: int, like: Json | None) -> Json | None:
        """Runs of an entry that shows no number of ours, such as the unit of all ratios: as those of the other entries."""
        keys = ("table", "column")
        for kind in self.search.kinds if like is not None and "problem" in self.entries[number] else ():
            alike = like is not None and all(kind.what[key] == like[key] for key in keys) and "per" not in kind.what
            if alike and kind.usual and self.search.is_of(kind, self.entries[number]):
                return kind.what
        return None

    def _cell(self, number: int) -> Json:
        entry, cell = self.entries[number], self.search.results.cells[number]
        found: Json = {"rule": "welch", "printed": self.printed[number], "rests_on": PRINTED}
        if self.search.results.margins.rules[cell.metric]["kind"] == "exact":
            return found | {"rule": "exact", "runs": self._count(entry), "rests_on": RUNS}
        if entry["verdict"] == NOT_TESTABLE:
            # What could be tested and is not is no comparison: the unit of all ratios, or a problem that was not run.
            return found if cell.summary is None else found | {"rule": "unit"}
        if self.runs[number] is None:
            raise ResultError(f"the runs behind {entry['source']}, {entry['cell']} are not among the stored ones")
        found |= {"runs": self.runs[number], "rests_on": RUNS}
        below = self._below(number) if "denominator" in entry else None
        if below is not None:
            found["over"] = {"printed": self.printed[below], "runs": self.runs[below]}
        else:
            found["printed"] = self._spread(number)
        return found | {"others": [self._pair(number, other) for other in self._others(number, below)]}

    def _spread(self, number: int) -> Json:
        """How the printed spread was turned into a standard deviation, as the stored interval tells."""
        entry, cell = self.entries[number], self.search.results.cells[number]
        rounded = {"zero": entry["margin"]} if cell.spread == 0.0 else {}
        assert cell.n is not None  # it was tested
        assert cell.sd is not None
        for more in ({}, {"population": True}):
            sd = float(rounded.get("zero", cell.sd)) * (math.sqrt(cell.n / (cell.n - 1)) if more else 1.0)
            ours = entry["reproduced"]
            interval = welch(Summary(cell.mean, sd, cell.n), Summary(ours["mean"], ours["sd"], ours["n"]))
            if np.allclose(interval.ends, entry["difference"]["ci95"], rtol=EXACT):
                return self.printed[number] | rounded | more
        raise ResultError(f"the interval of {entry['source']}, {entry['cell']} is not Welch's of its numbers")

    def _below(self, number: int) -> int:
        """The cell by which a ratio is divided: the one that gives both ratios."""
        entry, cells = self.entries[number], self.search.results.cells
        for other, cell in enumerate(cells):
            seconds = self.entries[other].get("seconds") or {"mean": _mean(self.search, self.runs[other])}
            if (
                other != number
                and seconds["mean"]
                and _same(cells[number].mean / cell.mean, entry["reported"]["mean"])
                and _same(entry["seconds"]["mean"] / seconds["mean"], entry["reproduced"]["mean"])
            ):
                return other
        raise ResultError(f"{entry['source']}, {entry['cell']}: there is no printed number that it is a ratio to")

    def _others(self, number: int, below: int | None) -> list[int]:
        """The column of a cell: what is printed of its problem, or of its method where ratios are taken across problems."""
        cells = self.search.results.cells
        across = below is not None and cells[below].problem != cells[number].problem
        key = "method" if across else "problem"
        return [
            other
            for other, cell in enumerate(cells)
            if other != number
            and getattr(cell, key) == getattr(cells[number], key)
            and (cell.source, cell.metric, cell.at) == (cells[number].source, cells[number].metric, cells[number].at)
        ]

    def _pair(self, number: int, other: int) -> Json:
        sides = [self.runs[place] for place in (number, other)]
        per = {"per": "function"} if self.search.has_functions(sides[0]) else {}
        bare = [{key: value for key, value in (side or {}).items() if key != "above"} | per for side in sides]
        pair = {"first": bare[0], "second": bare[1], "factor": 1.0, "sign": 1, "minus": 0.0}
        return {"printed": self.printed[other], "pair": pair}

    def _count(self, entry: Mapping[str, Any]) -> Json:
        """A number that does not vary: a column of the cell's runs that is this number for every seed."""
        beside = (
            runs
            for runs, other in zip(self.runs, self.entries, strict=True)
            if runs is not None and (other["source"], other["cell"]) == (entry["source"], entry["cell"])
        )
        where = next(beside)["where"]
        for kind in self.search.kinds:
            if kind.what["where"] == where and np.all(kind.values == entry["reproduced"]["mean"]):
                return kind.what
        raise ResultError(f"the number of {entry['source']}, {entry['cell']} is in no column of the stored runs")


# -- claims ------------------------------------------------------------------------------------------------------------


def _claim(search: Search, entry: Mapping[str, Any]) -> Json:
    parts = [_part(search, part) for part in entry["parts"]]
    levels = [WORDS if p["rule"] == "stored" else RUNS if "runs" in p else PARTS for p in parts]
    return {"parts": parts, "rests_on": min(levels, key=RESTS_ON.index)}


def _part(search: Search, part: Mapping[str, Any]) -> Json:
    """How a part's verdict follows from an interval or a count; ``stored`` where it has a rule of its own."""
    if part["difference"] is None:
        counted = _COUNTED.search(part["reason"])
        holds, of = map(int, counted.groups()) if counted else (0, 0)
        word = HOLDS if holds == of else CONTRADICTED
        return (
            {"rule": "count", "holds": holds, "of": of} if counted and word == part["verdict"] else {"rule": "stored"}
        )
    rule = _rule(part)
    if rule is None:
        return {"rule": "stored"}
    frozen = search.results.margins.claims.values()
    printed = [part["reported"], (part["opponent"] or {}).get("mean"), *frozen]
    known = [0.0, *(float(value) for value in printed if value is not None)]
    runs = search.interval(part["difference"]["mean"], part["difference"]["ci95"], known)
    return rule | ({} if runs is None else {"runs": runs})


def _rule(part: Mapping[str, Any]) -> Json | None:
    """The rule that gives the verdict. The side that is claimed follows from it; around zero it is ``either``."""
    low, high = part["difference"]["ci95"]
    interval = Interval(part["difference"]["mean"], low, high, 2)
    if part["margin"] is not None:
        within = part["margin"] > 0 and paired_claim(interval, "comparable", part["margin"]).verdict == part["verdict"]
        return {"rule": "within", "margin": part["margin"]} if within else None
    fitting = [says for says in ("smaller", "larger") if paired_claim(interval, says).verdict == part["verdict"]]
    return {"rule": fitting[0] if len(fitting) == 1 else "either"} if fitting else None


def _mean(search: Search, runs: Json | None) -> float | None:
    return next((float(kind.values.mean()) for kind in search.kinds if kind.what == runs), None)


def _unit(cell: ReportedCell) -> float:
    """The unit of a printed number where it is a number, such as 0.01."""
    try:
        return float(cell.unit)
    except ValueError:
        return 1.0


def _same(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=EXACT, abs_tol=1e-12)
