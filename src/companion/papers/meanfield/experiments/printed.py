"""Table 2 as printed, our stored runs, and what is needed to set both side by side.

Minutes on unnamed processors cannot be compared with ours; ratios of two cells can. A method's ratio is that of its time to
MF-GP-UCB's on the same problem; MF-GP-UCB's own is that to its time on Swarm. For a ratio r = a / b of independent times,
sd(r) = r sqrt((sd(a) / a)^2 + (sd(b) / b)^2) to first order.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pandas as pd

from companion.core.arrays import Floats
from companion.core.errors import DataError
from companion.judge.equivalence import Summary
from companion.judge.intervals import Interval
from companion.judge.reported import ReportedCell
from companion.judge.stored_runs import StoredRuns, summary
from companion.papers.meanfield.experiments import store
from companion.papers.meanfield.problems.catalogue import HORIZON, SETTINGS
from companion.stored.results import unjoined

PAPER, OURS, REFERENCE = "meanfield", "mf-gp-ucb", "swarm"
METRIC, RATIO = "runtime", "runtime_ratio"
PROBLEM_OF = {
    "Swarm": "swarm",
    "Arena": "arena",
    "LouVelo": "bikes",
    "Maritime": "ports",
    "NYC (a)": "taxi-a",
    "NYC (b)": "taxi-b",
    "NYC (c)": "taxi-c",
}
METHOD_OF = {"Genetic Algorithm": "ga", "Simulated Annealing": "sa", "TuRBO": "turbo", "MF-GP-UCB": OURS}
TITLE_OF = {name: title for title, name in PROBLEM_OF.items()}
NAME_OF = {method: name for name, method in METHOD_OF.items()} | {
    "random": "random search",
    "gp-ucb": "naive GP-UCB",
    "es": "the evolution strategy",
    "random-dirichlet": "random search over all laws",
    "sa-scaled": "scaled simulated annealing",
    "ga-scaled": "the scaled genetic algorithm",
}
RIVALS = ("turbo", "sa", "ga", "random")
FIGURE_2 = ("swarm", "arena", "bikes", "ports")
FIGURE_5 = ("taxi-a", "taxi-b", "taxi-c")
#: Name of the variant that has the paper's setting.
PLAIN = "paper"


def ratio(above: Summary, below: Summary) -> Summary:
    """Ratio of two independent means, with the standard deviation of one ratio to first order; ``over``: the rows below."""
    value = above.mean / below.mean
    spread = value * math.hypot(above.sd / above.mean, below.sd / below.mean)
    of = None if above.of is None else {**above.of, "over": below.of}
    return Summary(value, spread, min(above.n, below.n), of)


#: What the stored labels of data stand for.
LABELS = {
    "closed form": "formula",
    "real-sample": "real data, a sample",
    "full": "real data",
    "semi-synthetic": "real places, synthetic demand",
    "synthetic": "synthetic stand-in",
}


class MeanFieldResults(StoredRuns):
    """The stored runs beside the printed table."""

    STORED, MAIN = store.STORED, "final"
    COLUMNS: ClassVar = {"block": "part"}
    USUAL: ClassVar = {"block": "figures", "variant": PLAIN}
    PROBLEM_OF, METHOD_OF, METRIC, SPREAD = PROBLEM_OF, METHOD_OF, METRIC, True
    PROBLEMS, NEEDED = SETTINGS, (OURS, "random")

    @classmethod
    def check(cls, cells: tuple[ReportedCell, ...]) -> None:
        """There is a time with spread and runs for every problem and method."""
        super().check(cells)
        wanted = {(problem, method) for problem in SETTINGS for method in METHOD_OF.values()}
        if {cls.named(cell) for cell in cells} != wanted:
            raise DataError(f"table2.csv: expected a {METRIC} for every problem and method")

    # -- what is printed --

    def denominator(self, problem: str, method: str) -> tuple[str, str] | None:
        """The cell that a cell is divided by; ``None`` for the reference itself."""
        if method != OURS:
            return problem, OURS
        return None if problem == REFERENCE else (REFERENCE, OURS)

    def printed(self, problem: str, method: str) -> Summary:
        """A printed time in minutes."""
        found = self.cell(problem, method).summary
        assert found is not None  # checked when the table was read
        return found

    def printed_ratio(self, problem: str, method: str) -> ReportedCell | None:
        """A printed number as a ratio, with its spread; ``None`` for the reference."""
        below = self.denominator(problem, method)
        if below is None:
            return None
        found = ratio(self.printed(problem, method), self.printed(*below))
        cell = self.cell(problem, method)
        return replace(cell, metric=RATIO, unit="1", mean=found.mean, spread=found.sd, spread_kind="sd", n=found.n)

    # -- what was run --

    def values(
        self, problem: str, method: str, column: str = "best", block: str = "figures", variant: str = PLAIN
    ) -> Floats:
        """A column of ``final`` (seeds,)."""
        return self.column(column, problem, method, block=block, variant=variant)

    def gap(
        self, problem: str, method: str, column: str = "best", block: str = "figures", variant: str = PLAIN
    ) -> Floats:
        """Gap of a reward to the certified optimum, or to a bound on it (seeds,)."""
        rows = self.of(problem, method, block=block, variant=variant)
        return (rows.upper_bound - rows[column]).to_numpy(dtype=float)

    def mean_regret(self, problem: str, method: str, block: str = "figures", variant: str = PLAIN) -> Floats:
        """Cumulative regret over the number of evaluations (seeds,), the quantity that Theorem 4.1 bounds."""
        return (
            np.array([unjoined(t)[-1] for t in self.of(problem, method, block=block, variant=variant).cumulative])
            / HORIZON
        )

    def uniform_gap(self, problem: str, block: str = "figures", variant: str = PLAIN) -> float:
        """The same for the mean-field reward of the uniform law, which is what knowing nothing costs."""
        row = self.of(problem, OURS, block=block, variant=variant).iloc[0]
        return float(row.upper_bound - row.uniform)

    def at(
        self, problem: str, method: str, time: int, column: str = "best", block: str = "figures", variant: str = PLAIN
    ) -> Floats:
        """``best``, ``law_reward`` or ``apart`` of the best law after ``time`` evaluations (seeds,)."""
        found = []
        for row in self.of(problem, method, "curves", block=block, variant=variant).itertuples():
            step = int(np.searchsorted(unjoined(row.steps), time, side="right")) - 1
            found.append(unjoined(getattr(row, column))[step])
        return np.array(found)

    def first_passage(self, problem: str, method: str, level: float, horizon: int) -> Floats:
        """The first evaluation whose reward exceeds ``level`` (seeds,); ``horizon`` where none does."""
        found = []
        for row in self.of(problem, method, "curves").itertuples():
            steps, best = unjoined(row.steps), unjoined(row.best)
            above = np.flatnonzero(best > level)
            found.append(float(steps[above[0]]) if above.size else float(horizon))
        return np.array(found)

    def laws(self, problem: str, method: str) -> Floats:
        """Laws with the best reward (seeds, C, A), normalised after their rounding."""
        rows = self.of(problem, method, "laws")
        laws = np.stack([unjoined(row.law).reshape(int(row.contexts), -1) for row in rows.itertuples()])
        return np.asarray(laws / laws.sum(axis=2, keepdims=True))

    def places(self, problem: str) -> pd.DataFrame:
        """Actions of a problem."""
        table = self.tables["places"]
        return table[table.problem == problem].sort_values("action")

    def optimal(self, problem: str) -> Floats:
        """The best law known (C, A)."""
        return np.stack([unjoined(text) for text in self.places(problem).optimal], axis=1)

    def kind(self, problem: str) -> str:
        """Kind of data behind the runs of a problem."""
        return str(self.of(problem, OURS).label.iloc[0])

    def seconds(self, problem: str, method: str, block: str = "figures", variant: str = PLAIN) -> Floats:
        """CPU seconds of our runs (seeds,)."""
        return self.column("seconds", problem, method, "times", block=block, variant=variant)

    def time(self, problem: str, method: str) -> Summary:
        """CPU seconds of our runs of the paper's setting."""
        return summary(self.seconds(problem, method))

    def against(
        self, problem: str, method: str, other: str, column: str = "best", block: str = "figures", variant: str = PLAIN
    ) -> Interval:
        """Paired interval of the reward of ``method`` minus that of ``other``."""
        first, second = (self.values(problem, name, column, block, variant) for name in (method, other))
        return self.paired(first, second)

    def methods(self, problem: str, part: str = "figures", variant: str = PLAIN) -> tuple[str, ...]:
        """Those of the paper's methods that have stored runs."""
        return tuple(name for name in (OURS, *RIVALS) if self.has(problem, name, block=part, variant=variant))

    def reference(self, problem: str) -> pd.Series | None:
        """A row of MF-GP-UCB, for sizes, bounds and the label; ``None`` without stored runs."""
        if not self.has(problem, OURS):
            return None
        return self.of(problem, OURS).iloc[0]

    def label(self, problem: str) -> str:
        """Kind of data of a problem's stored runs."""
        kind = self.kind(problem)
        return LABELS.get(kind, kind)

    def labels(self, problems: Iterable[str]) -> str:
        """Title and label of every problem that has stored runs, for a caption."""
        return "; ".join(f"{TITLE_OF[name]}: {self.label(name)}" for name in problems if name in self.problems)

    def data_in_words(self, problem: str) -> str:
        """Kind and selection of the data that the stored runs used."""
        used = self.record.get("settings", {}).get("data", {}) if self.record else {}
        chosen = used.get(problem)
        words = self.label(problem)
        return words if chosen in (None, "synthetic") else f"{words} ({chosen})"

    def best_so_far(self, problem: str, method: str, column: str = "best") -> Floats:
        """``best`` or ``law_reward`` of the best law after every evaluation (seeds, T)."""
        rows = []
        for row in self.of(problem, method, "curves").itertuples():
            steps, values = unjoined(row.steps).astype(int), unjoined(getattr(row, column))
            after = np.searchsorted(steps, np.arange(1, HORIZON + 1), side="right") - 1
            rows.append(values[after])
        return np.array(rows)
