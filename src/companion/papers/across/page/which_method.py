"""Tables and numbers of the section that asks which method: from :mod:`companion.papers.across.contest`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from companion.gp import SquaredExponential
from companion.gp.kernels import Kernel
from companion.pages import Numbers, Table
from companion.pages.where import Where, stored
from companion.papers.across import contest as analysis
from companion.papers.across.contest import METRICS, REFERENCE, SETTINGS, Contest, Priced, Ranking
from companion.papers.across.experiments import store
from companion.papers.across.experiments.parameters import COMMON_WIDTH, HORIZON, INITIAL
from companion.papers.across.experiments.problems import KINDS, NOISE_SD, SIZE
from companion.papers.across.experiments.runs import COMPACT, ENTRIES, NOISY, ONE_WIDTH, PAPER, TEN
from companion.papers.batched.problems.catalogue import KERNEL_TITLES
from companion.reproduce.compare import Contrast
from companion.reproduce.intervals import Interval

CLASSICAL = ("gp-ucb", "ts", "ei", "ei-mean", "ei-mean-5", "random")
BATCH = 5
"""Points a round of the ranked entries with batches."""
MEASURES = ("cumulative", "recommended", "simple")
"""What is counted after all evaluations: every play, the point that a method names, or the best point that it evaluated."""
TWINS = tuple(name for name in COMPACT if name != REFERENCE)
"""Entries that are GP-UCB in effect."""
REAR = ("ei", "ei-5", "bpe")
SOLVERS = {"ucb": REFERENCE, "ei": "ei", "compressed": "compressed"}
"""Entries of which sentences say how often they find an optimum, by the names used there."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """Everything that the section shows, computed once."""

    contest: Contest

    @property
    def where(self) -> Where:
        """Sources of everything made from the stored runs."""
        return stored(self.contest.stored.record.to_dict(), store.RUNS)

    @cached_property
    def rankings(self) -> dict[str, Ranking]:
        """By metric."""
        return {metric: analysis.ranking(self.contest, metric) for metric in METRICS}

    @cached_property
    def tens(self) -> dict[str, Ranking]:
        """The rules in batches of ten among themselves, by measure."""
        return {metric: analysis.ranking(self.contest, metric, tuple(TEN)) for metric in MEASURES}

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

    def evaluations(self, entry: str) -> float:
        """Mean number of evaluations made in a run; compressed UCB makes those that it keeps, and no others."""
        return self.mean(entry, "kept") if entry == "compressed" else float(HORIZON)

    def seconds(self, entry: str, horizon: int = HORIZON) -> float:
        """Median CPU seconds of a run inside the policy, mean over the problems."""
        return float(np.mean(list(self.contest.seconds(entry, horizon).values())))


@lru_cache(maxsize=1)
def evidence() -> Evidence:
    """The stored runs; errors as of :meth:`companion.papers.across.contest.Contest.read`."""
    return Evidence(Contest.read())


SOURCES = {
    "ackley-2d": "chapter 1",
    "rosenbrock-2d": "chapter 1",
    "bird-2d": "chapter 1",
    "example": "chapter 2",
    "appendix-e": "chapter 3",
}


def _kernel(kernel: Kernel) -> str:
    """``Matérn 5/2, 0.2``."""
    family = "se" if isinstance(kernel, SquaredExponential) else f"matern{round(2 * kernel.nu)}2"
    return f"{KERNEL_TITLES[family]}, {kernel.lengthscale:g}"


# -- tables ------------------------------------------------------------------------------------------------------------


def problem_table() -> Table:
    """The common problems."""
    found = evidence()
    lines = [
        {
            "problem": KINDS[name].title,
            "from": SOURCES.get(name, "companion"),
            "model, length-scale": _kernel(KINDS[name].kernel),
            "function": "a new one every seed" if KINDS[name].fresh else "always the same",
            "GP-UCB loses": float(found.contest.values(name, REFERENCE).mean()),
            "random loses": float(found.contest.values(name, "random").mean()),
        }
        for name in found.contest.problems
    ]
    return Table(pd.DataFrame(lines), where=found.where, digits=3)


def method_table() -> Table:
    """Every ranked entry by what is counted, and what it used."""
    found = evidence()
    lines = [
        {
            "method": ENTRIES[name].title,
            "average rank": found.rankings["cumulative"].ranks[name].estimate,
            "regret over GP-UCB's": found.level(name),
            "rank by point named": found.rankings["recommended"].ranks[name].estimate,
            "optimum named": f"{found.contest.solved(name, 'recommended'):.0%}",
            "optimum evaluated": f"{found.contest.solved(name, 'simple'):.0%}",
            "evaluations": found.evaluations(name),
        }
        for name in found.rankings["cumulative"].entries
    ]
    return Table(pd.DataFrame(lines), where=found.where, digits=3)


def batch_table() -> Table:
    """Rules in batches of ten, after as many rounds."""
    found = evidence()
    lines = [
        {
            "ten a round": ENTRIES[name].title.removesuffix(", batches of 10"),
            "average rank": found.tens["cumulative"].ranks[name].estimate,
            "regret over GP-UCB's": found.level(name),
            "over its own, one at a time": 1.0 + found.price("batches", "evaluations", name, False).share,
            "rank by point named": found.tens["recommended"].ranks[name].estimate,
            "optimum named": f"{found.contest.solved(name, 'recommended'):.0%}",
            "optimum evaluated": f"{found.contest.solved(name, 'simple'):.0%}",
        }
        for name in found.tens["cumulative"].entries
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


# -- numbers -----------------------------------------------------------------------------------------------------------


def numbers() -> Numbers:
    """Numbers and facts of the section's sentences on ranking, widths and speed."""
    found = evidence()
    sizes = {
        "problems": len(found.contest.problems),
        "entries": len(ONE_WIDTH),
        "seeds": PAPER.seeds,
        "at": HORIZON,
        "initial": INITIAL,
        "batch": BATCH,
        "rounds": store.ROUNDS,
        "alone_at": INITIAL + store.ROUNDS - 1,
        "batched_at": INITIAL + BATCH * (store.ROUNDS - 1),
        "size": SIZE,
        "noise": NOISE_SD,
        "width": COMMON_WIDTH,
    }
    return Numbers(found.where, **sizes, **_order(found), **_costs(found))


def _order(found: Evidence) -> dict[str, Any]:
    """Who is ahead, by what is counted; EI over the largest observation is in no count.

    ``unmoved``: whether the order of the others is the same without the entries that are GP-UCB in effect.
    """
    regret, contest = found.rankings["cumulative"], found.contest
    level = contest.margins.significance
    behind = [name for name in regret.entries if name not in (*COMPACT, *NOISY)]
    over = {name: found.level(name) - 1.0 for name in behind}
    nearest, second, *_ = sorted(over, key=lambda name: over[name])
    shown = {key: test.shown(level) for key, test in found.differences.items()}
    named = found.rankings["recommended"]
    one = analysis.ranking(contest, "cumulative", [name for name in ONE_WIDTH if name not in TWINS])
    return {
        "pairs": len(regret.pairs),
        "comparisons": len(shown),
        "critical": regret.critical,
        "lead": set(regret.entries[: len(COMPACT)]) == set(COMPACT),
        "apart": all(regret.against(name, each, level) == 1 for name in behind for each in COMPACT),
        "nearest": ENTRIES[nearest].title,
        "nearest_over": over[nearest],
        "second": ENTRIES[second].title,
        "bucb_over": over["bucb-5"],
        "all_behind": len(behind),
        "ahead_anywhere": [name for name in behind if any(shown[name, each] == -1 for each in contest.problems)],
        "like_theorem": sum(over[name] < found.widths["gp-ucb/own"].difference.estimate for name in behind),
        "rank_of_lead": max(regret.ranks[name].estimate for name in COMPACT),
        "rank_of_rear": _range([regret.ranks[name].estimate for name in REAR]),
        "named_ranks": _range([named.ranks[n].estimate for n in ONE_WIDTH if n not in ("bpe", "random")]),
        "beyond": _beyond(regret),
        "named_beyond": _beyond(named),
        "last": regret.entries[-1],
        "bird": contest.solved(REFERENCE, "simple", ["bird-2d"]),
        "bird_ei": contest.solved("ei", "simple", ["bird-2d"]),
        "without_twins": one.ranks[REFERENCE].estimate,
        "among": len(one.entries),
        "unmoved": one.entries == tuple(name for name in regret.entries if name not in TWINS),
        "ackley": sum(contest.solved(name, "by_rounds", ["ackley-2d"]) == 1.0 for name in ONE_WIDTH),
        "ei_over": found.level("ei-mean") - 1.0,
        "ei_noisy_over": found.level("ei") - 1.0,
        **{f"{metric}_{key}": value for metric in MEASURES for key, value in _answer(found, metric).items()},
        **_tens(found),
    }


def _range(values: Sequence[float]) -> tuple[float, float]:
    return min(values), max(values)


def _beyond(ranked: Ranking) -> int:
    """Pairs whose average ranks differ by more than Nemenyi's critical difference."""
    ranks = [ranked.ranks[name].estimate for name in ranked.entries]
    return sum(abs(one - two) > ranked.critical for one, two in combinations(ranks, 2))


def _tens(found: Evidence) -> dict[str, Any]:
    """``ten_lead``, ``ten_first``: who leads by every play and by the best point evaluated, if told apart from all that follow;
    ``ten_named``: how many are not told apart by the point named."""
    level, (regret, named, best) = found.contest.margins.significance, (found.tens[metric] for metric in MEASURES)
    lead, rest = regret.entries[:2], regret.entries[2:]
    apart = all(regret.against(name, each, level) == 1 for name in rest for each in lead)
    first = all(best.against(name, best.entries[0], level) == 1 for name in best.entries[1:])
    return {
        "ten_lead": list(lead) if apart else [],
        "ten_first": best.entries[0] if first else "",
        "ten_named": max(map(len, named.groups), default=0),
    }


def _answer(found: Evidence, metric: str) -> dict[str, Any]:
    """The answer of one measure: whom the tests tell apart from GP-UCB, and where a point counts, how often it is an optimum."""
    ranked, level = found.rankings[metric], found.contest.margins.significance
    against = {name: ranked.against(name, REFERENCE, level) for name in ranked.entries if name != REFERENCE}
    told = {"ahead": -1, "behind": 1}
    answer: dict[str, Any] = {
        word: titles([n for n, sign in against.items() if sign == way]) for word, way in told.items()
    }
    if metric != "cumulative":
        answer |= {f"solved_{name}": found.contest.solved(entry, metric) for name, entry in SOLVERS.items()}
    return answer


def _costs(found: Evidence) -> dict[str, Any]:
    """Regret, points kept and seconds over GP-UCB's; regret with a width of its own over that with the common one."""
    own = {name: 1.0 + test.difference.estimate for name, test in found.widths.items()}
    kept = [float(found.contest.values(name, "compressed", "kept").mean()) for name in found.contest.problems]
    return {
        "kept": found.mean("compressed", "kept"),
        "kept_share": found.mean("compressed", "kept") / HORIZON,
        "kept_least": min(kept),
        "kept_most": max(kept),
        "faster": found.seconds(REFERENCE) / found.seconds("compressed"),
        "slower": found.seconds("bkb") / found.seconds(REFERENCE),
        "changed": max(abs(found.level(name) - 1.0) for name in ("compressed", "bkb")),
        "bpe_rounds": found.mean("bpe", "rounds"),
        "bpe_over": found.level("bpe"),
        "srinivas": own["gp-ucb/own"],
        "lemma": own["compressed/own"],
        "bkb_own": own["bkb/own"],
        "bpe_own": own["bpe/own"],
    }
