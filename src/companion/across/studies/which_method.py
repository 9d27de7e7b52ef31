"""Tables and numbers of the section that asks which method: from :mod:`companion.across.contest`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import pandas as pd

from companion.across import contest as analysis
from companion.across.contest import METRICS, REFERENCE, SETTINGS, Contest, Priced, Ranking
from companion.across.plan import store
from companion.across.plan.experiments import HORIZON
from companion.across.plan.problems import KINDS
from companion.across.plan.runs import COMPRESSED, ONE_WIDTH, OWN_WIDTH, TEN, Entry
from companion.report import Table
from companion.report.where import Where, stored
from companion.reproduce.compare import Contrast
from companion.reproduce.intervals import Interval

FROM = {
    "": "classical",
    "tsrsr": "chapter 1",
    "compressed": "chapter 2",
    "batched": "chapter 3",
    "meanfield": "chapter 4",
    "wdrbo": "chapter 5",
}
ENTRIES: dict[str, Entry] = ONE_WIDTH | OWN_WIDTH | TEN | COMPRESSED
CLASSICAL = ("gp-ucb", "ts", "ei", "random")
ALONE = ("gp-ucb", "ts", "ei", "ts-rsr", "compressed", "bkb")
"""Entries that choose one point at a time and look at what they saw."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """Everything that the section shows, computed once."""

    contest: Contest

    @property
    def where(self) -> Where:
        """Sources of everything made from the stored runs."""
        return stored(self.contest.stored.record.to_dict(), store.store)

    @cached_property
    def rankings(self) -> dict[str, Ranking]:
        """By metric."""
        return {metric: analysis.ranking(self.contest, metric) for metric in METRICS}

    @cached_property
    def differences(self) -> dict[tuple[str, str], Contrast]:
        """From GP-UCB, by entry and problem."""
        return analysis.from_reference(self.contest)

    @cached_property
    def prices(self) -> dict[str, list[Priced]]:
        """By setting."""
        return {name: of(self.contest) for name, of in SETTINGS.items()}

    @cached_property
    def widths(self) -> dict[str, Contrast]:
        """Own width against the common one."""
        return analysis.own_widths(self.contest)

    def price(self, setting: str, problem: str, method: str, needed: bool) -> Priced:
        """One cell of the table of settings."""
        return next(
            each
            for each in self.prices[setting]
            if (each.problem, each.method, each.needed) == (problem, method, needed)
        )

    def mean(self, entry: str, column: str) -> float:
        """Mean of a number over problems and seeds."""
        return float(np.mean([self.contest.values(name, entry, column).mean() for name in self.contest.problems]))

    def level(self, entry: str, metric: str = "cumulative") -> float:
        """Mean over the problems of an entry's mean in units of GP-UCB's."""
        return float(self.contest.of_level(entry, REFERENCE, metric).mean())

    def seconds(self, entry: str, horizon: int = HORIZON) -> float:
        """Median CPU seconds of a run inside the policy, mean over the problems."""
        return float(np.mean(list(self.contest.seconds(entry, horizon).values())))


@lru_cache(maxsize=1)
def evidence() -> Evidence:
    """The stored runs; errors as of :meth:`companion.across.contest.Contest.read`."""
    return Evidence(Contest.read())


# -- tables ------------------------------------------------------------------------------------------------------------


def problem_table() -> Table:
    """The common problems."""
    found = evidence()
    lines = [
        {
            "problem": KINDS[name].title,
            "from": KINDS[name].source,
            "model": str(KINDS[name].kernel),
            "function": "a new one every seed" if KINDS[name].fresh else "always the same",
            "GP-UCB loses": float(found.contest.values(name, REFERENCE).mean()),
            "random loses": float(found.contest.values(name, "random").mean()),
        }
        for name in found.contest.problems
    ]
    return Table(pd.DataFrame(lines), where=found.where, digits=3)


def method_table() -> Table:
    """Every ranked entry: where it is from, its rank, its regret over GP-UCB's, rounds, points kept and seconds."""
    found, ranked = evidence(), evidence().rankings["cumulative"]
    lines = [
        {
            "method": ENTRIES[name].title,
            "from": FROM[ENTRIES[name].paper],
            "points a round": dict(ENTRIES[name].values).get("batch_size", 1) if name != "bpe" else "grows",
            "average rank": ranked.ranks[name].estimate,
            "regret over GP-UCB's": found.level(name),
            "rounds": found.mean(name, "rounds"),
            "points kept": found.mean(name, "kept"),
            "milliseconds": 1e3 * found.seconds(name),
        }
        for name in ranked.entries
    ]
    return Table(pd.DataFrame(lines), where=found.where, digits=3)


def difference_table() -> Table:
    """Regret of every entry minus GP-UCB's as a share of it, problem by problem; in bold what Holm's correction leaves."""
    found = evidence()
    order = [name for name in found.rankings["cumulative"].entries if name != REFERENCE]
    tests = found.differences
    values = {(e, p): test.difference.estimate / test.means[1] for (e, p), test in tests.items()}
    level = found.contest.margins.significance
    titles = {name: KINDS[name].title for name in found.contest.problems}
    rows = [
        {"method": ENTRIES[e].title} | {titles[p]: percent(values[e, p]) for p in found.contest.problems} for e in order
    ]
    marks = [{titles[p]: bool(tests[e, p].shown(level)) for p in found.contest.problems} for e in order]
    return Table(pd.DataFrame(rows), where=found.where, best=pd.DataFrame(marks))


def width_table() -> Table:
    """What a method's own width does to its regret."""
    found = evidence()
    rows = [
        {
            "method, with the width of": ENTRIES[name].title,
            "regret over that with width 2": 1.0 + test.difference.estimate,
            "95 % interval": _ends(test.difference, 1.0),
            "differs": "yes" if test.shown(found.contest.margins.significance) else "not shown",
        }
        for name, test in found.widths.items()
    ]
    return Table(pd.DataFrame(rows), where=found.where, digits=3)


WORDS = {
    "evaluations": "as many evaluations",
    "rounds": "as many rounds",
    "ts-rsr": "TS-RSR",
    "bucb": "B-UCB",
    "ts": "Thompson sampling",
    "ei": "EI",
    "compressed": "compressed UCB, budget of Theorem 3.1",
    "compressed-large": "compressed UCB, budget 0.5",
    "stableopt": "StableOpt against GP-UCB",
    "robust-bpe": "robust-BPE against BPE",
    "wdrbo": "WDRBO against no ball",
    "worst-case": "exact worst case against no ball",
    "mf-gp-ucb": "MF-GP-UCB against joint actions",
}


def setting_table() -> Table:
    """A row for every setting: what it costs without a need, and gains with one, against the method without it."""
    found, rows = evidence(), []
    for setting, prices in found.prices.items():
        keys = dict.fromkeys((_place(each), each.method) for each in prices)
        for k, (place, method) in enumerate(keys):
            pair = {each.needed: each for each in prices if (_place(each), each.method) == (place, method)}
            rows.append(
                {
                    "setting": setting if k == 0 else "",
                    "method": ", ".join(filter(None, (_method(method), place))),
                    "not needed": _change(pair[False]),
                    "verdict": pair[False].verdict,
                    "needed": _change(pair[True]),
                    "verdict there": pair[True].verdict,
                }
            )
    return Table(pd.DataFrame(rows), where=found.where)


def _place(each: Priced) -> str:
    """The problem, where a problem has the need and is without it; elsewhere the need is the problem."""
    return each.problem if each.setting in ("displacement", "contexts") else ""


def _method(name: str) -> str:
    rule, _, size = name.rpartition("-")
    return f"{WORDS[rule]}, {size} a round" if size.isdigit() else WORDS[name]


def _change(each: Priced) -> str:
    gap = each.test.difference
    if np.isfinite(each.level):
        low, high = gap.low / each.level, gap.high / each.level
        return f"{percent(each.share)} ({percent(low)} to {percent(high)})"
    return f"{signed(gap.estimate)} ({signed(gap.low)} to {signed(gap.high)})"


def percent(share: float) -> str:
    """``+12 %`` or ``−3 %``."""
    return f"{100 * share:+.0f} %".replace("-", "\N{MINUS SIGN}")


def signed(value: float) -> str:
    """``+1.2`` or ``−0.31``."""
    return f"{value:+.2g}".replace("-", "\N{MINUS SIGN}")


def _ends(interval: Interval, shift: float = 0.0) -> str:
    return f"{interval.low + shift:.2f} to {interval.high + shift:.2f}"


def titles(names: Sequence[str]) -> list[str]:
    """Entries as pages call them."""
    return [ENTRIES[name].title for name in names]
