"""Leads decided from the printed tables: ranks, percentages, and differences that the printed spreads can resolve."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any

from scipy import stats

from companion.checks.suspected_error import Finding, suspected_error
from companion.core.files import reported_folder
from companion.judge.equivalence import Summary, welch_p_value

OURS = "TS-RSR"
SIGNIFICANCE = 0.05


@dataclass(frozen=True)
class Row:
    """A printed cell: mean and spread in ``unit``, runs, printed rank, T and m.

    ``half`` is half a unit of the mean's last digit.
    """

    table: int
    problem: str
    method: str
    unit: float
    mean: float
    half: float
    spread: float
    runs: int
    rank: int
    rounds: int
    batch: int
    note: str

    @property
    def summary(self) -> Summary:
        """Mean, sd with divisor n - 1 (the published code divides by n), and runs."""
        return Summary(self.mean, self.spread * math.sqrt(self.runs / (self.runs - 1)), self.runs)


@lru_cache(maxsize=1)
def printed_rows() -> tuple[Row, ...]:
    """The 84 cells of Tables 1 to 4, with their ranks."""
    found = []
    for table in (1, 2, 3, 4):
        path = reported_folder("tsrsr") / f"table{table}.csv"
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                decimals = len(row["mean"].partition(".")[2])
                found.append(
                    Row(
                        table,
                        row["problem"],
                        row["method"],
                        float(row["unit"]),
                        float(row["mean"]),
                        0.5 * 10.0**-decimals,
                        float(row["spread"]),
                        int(row["n_runs"]),
                        int(row["rank"]),
                        int(row["metric"].partition("_at_t=")[2]),
                        int(row["note"].partition("m=")[2].partition(";")[0]),
                        row["note"],
                    )
                )
    return tuple(found)


def column(problem: str) -> dict[str, Row]:
    """The cells of one problem by method."""
    return {row.method: row for row in printed_rows() if row.problem == problem}


def problems() -> list[str]:
    """The twelve problems in the tables' order."""
    return list(dict.fromkeys(row.problem for row in printed_rows()))


@suspected_error("X1", teeth={"one rank to spare": {"spare": 1}})
def ranks(*, spare: int = 0) -> Finding:
    """UCBPE has rank 6 and TS rank 5

    Printed ranks against the order of the printed means; any rank among ties is accepted.
    """
    wrong = []
    for problem in problems():
        cells = column(problem).values()
        for cell in cells:
            lower = sum(other.mean < cell.mean for other in cells)
            level = sum(other.mean == cell.mean for other in cells)
            if not lower - spare < cell.rank <= lower + level + spare:
                wrong.append(f"{cell.method} on {problem} (mean {cell.mean:g}, rank {cell.rank})")
    total = len(printed_rows())
    return Finding(bool(wrong), {"wrong": wrong, "cells": total}, wrong_count=len(wrong), right=total - len(wrong))


@suspected_error("X2", teeth={"Boston with the percentage of Robot-3D": {"boston": 35.7}})
def improvements(*, boston: float = 25.7) -> Finding:
    """25.7 % over BUCB on Boston, 35.7 % on Robot-3D, 25.7 % on Robot-4D

    Percentages recomputed from the printed means, over all values that round to them.
    """
    printed = {"Boston-NN-4D": boston, "Robot-3D": 35.7, "Robot-4D": 25.7}
    parts, outside, values = [], 0, {}
    for problem, percent in printed.items():
        ours, theirs = column(problem)[OURS], column(problem)["BUCB"]
        point = 100.0 * (1.0 - ours.mean / theirs.mean)
        low = 100.0 * (1.0 - (ours.mean + ours.half) / (theirs.mean - theirs.half))
        high = 100.0 * (1.0 - (ours.mean - ours.half) / (theirs.mean + theirs.half))
        outside += int(not low <= percent <= high)
        parts.append(f"{problem} {point:.1f} % (from {low:.1f} to {high:.1f}), printed {percent}")
        values[problem] = {"printed": percent, "from table": point, "low": low, "high": high}
    return Finding(outside > 0, values, parts="; ".join(parts), outside=outside, printed=len(printed))


@suspected_error("X4", teeth={"Table 3": {"table": 3}})
def repeats(*, table: int = 1) -> Finding:
    """the caption has 10 runs a curve, the text 100 and 50 trials; Tables 2 to 4 print ± without its kind

    Runs behind Figure 1, and which spreads are of a stated kind.
    """
    caption = 10
    runs = {row.problem: row.runs for row in printed_rows() if row.table == table}
    unstated = sum("kind of spread not stated" in row.note for row in printed_rows())
    ours = column("GP-RBF-prior-2D")[OURS]
    bars = {count: ours.spread / math.sqrt(count) for count in (caption, ours.runs)}
    return Finding(
        any(count != caption for count in runs.values()),
        {"caption": caption, "runs": runs, "unstated": unstated, "bars": {str(k): v for k, v in bars.items()}},
        in_text=" and ".join(map(str, runs.values())),
        ours=ours,
        bar_caption=bars[caption],
        bar_text=bars[ours.runs],
        cells=len(printed_rows()),
    )


@suspected_error("X5", teeth={"a factor of ten": {"slight": 10.0}})
def bird(*, slight: float = 1.25) -> Finding:
    """TS-RSR performs only slightly worse than TS and DPPTS

    Ratios of the printed means on Bird; confirmed when rounding leaves more than 1.25 for both.
    """
    cells = column("Bird-2D")
    ours, parts, least, values = cells[OURS], [], math.inf, {}
    for name in ("TS", "DPPTS"):
        other = cells[name]
        low = (ours.mean - ours.half) / (other.mean + other.half)
        high = (ours.mean + ours.half) / (other.mean - other.half)
        p = welch_p_value(ours.summary, other.summary)
        least = min(least, low)
        parts.append(
            f"{ours.mean / other.mean:.2f} times that of {name} (rounding allows {low:.1f} to {high:.1f}; p = {p:.2f})"
        )
        values[name] = {"ratio": ours.mean / other.mean, "low": low, "high": high, "p": p}
    return Finding(
        least > slight, values, parts=" and ".join(parts), difference=(ours.mean - cells["TS"].mean) * ours.unit
    )


@suspected_error("X6", teeth={"at any level": {"level": 1.0}})
def consistently(*, level: float = SIGNIFICANCE) -> Finding:
    """TS-RSR outperforms all other methods on all problems but Bird, consistently so in high dimension, and
    significantly with the robot

    Welch's test of TS-RSR against the best other method of each column, from printed summaries.
    """
    values: dict[str, dict[str, Any]] = {}
    clear, first = list[str](), 0
    for problem in problems():
        cells = column(problem)
        ours = cells[OURS]
        rival = min((cell for name, cell in cells.items() if name != OURS), key=lambda cell: cell.mean)
        p, better = welch_p_value(ours.summary, rival.summary), ours.mean < rival.mean
        first += int(better)
        values[problem] = {"rival": rival.method, "p": p, "better": better}
        if better and p < level:
            clear.append(f"{problem} against {rival.method}, p = {p:.3f}")
    corrected = sum(entry["better"] and entry["p"] * len(values) < SIGNIFICANCE for entry in values.values())
    chance = float(stats.binom.sf(first - 1, len(values), 1.0 / 7.0))
    robots = " and ".join(f"{values[name]['p']:.2g} on {name}" for name in ("Robot-3D", "Robot-4D"))
    return Finding(
        len(clear) < first,
        {"tests": values, "chance": chance},
        first=first,
        values=len(values),
        clear=len(clear),
        clear_shown="; ".join(clear),
        corrected=corrected,
        robots=robots,
    )


@suspected_error("X12", teeth={"equal means with other spreads": {"spreads": False}})
def equal_means(*, spreads: bool = True) -> Finding:
    """29.8 in both columns

    How often one method has the same printed mean in two columns of a table.
    """
    pairs, same, copied = 0, [], 0
    for first, second in combinations(printed_rows(), 2):
        if first.table == second.table and first.method == second.method:
            pairs += 1
            if first.mean == second.mean:
                copied += first.spread == second.spread or not spreads
                same.append(
                    f"{first.method} {first.mean:g} in Table {first.table} (spreads {first.spread:g}, {second.spread:g})"
                )
    return Finding(copied > 0, {"pairs": pairs, "same": same}, equal=len(same))
