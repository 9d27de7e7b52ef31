"""Figures 2 to 5 and Table 2 from the stored runs: beside the printed numbers, against the optimum, and in variants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from companion.arrays import Floats
from companion.papers.meanfield.claims.printed import (
    METHOD_OF,
    NAME_OF,
    OURS,
    PLAIN,
    RIVALS,
    TITLE_OF,
    Results,
    ratio,
)
from companion.papers.meanfield.method.simplex import LOCAL_SEARCH, PAPER_SEARCH
from companion.papers.meanfield.plan import store
from companion.papers.meanfield.plan.runs import CONTROLS
from companion.papers.meanfield.problems.catalogue import HORIZON, SETTINGS
from companion.report import Where, key_numbers, say, stored, where_of
from companion.report.text import Sentence
from companion.reproduce.intervals import Interval, paired_interval
from companion.reproduce.stored import unjoined

#: The paper's five methods, ours first.
METHODS = (OURS, *RIVALS)
#: What the stored labels of data stand for.
LABELS = {
    "closed form": "formula",
    "real-sample": "real data, a sample",
    "full": "real data",
    "semi-synthetic": "real places, synthetic demand",
    "synthetic": "synthetic stand-in",
}


class Evidence(Results):
    """The stored runs beside what is printed, with what several studies compute from them."""

    @property
    def where(self) -> Where:
        """Sources of everything made from the stored results; none for results made up on the spot."""
        return stored(self.record, store.store) if self.record else Where()

    @cached_property
    def problems(self) -> tuple[str, ...]:
        """Problems of Section 5 with stored runs of MF-GP-UCB and of random search."""
        return tuple(name for name in SETTINGS if self.has(name, OURS, "random"))

    def methods(self, problem: str, part: str = "figures", variant: str = PLAIN) -> tuple[str, ...]:
        """Those of the paper's methods that have stored runs."""
        return tuple(name for name in METHODS if self.has(problem, name, block=part, variant=variant))

    def reference(self, problem: str) -> pd.Series | None:
        """A row of MF-GP-UCB, for sizes, bounds and the label; ``None`` without stored runs."""
        if not self.has(problem, OURS):
            return None
        return self.of(problem, OURS).iloc[0]

    def label(self, problem: str) -> str:
        """Which kind of data the stored runs of a problem used."""
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


def load_paper_results(root: Path | None = None) -> Evidence:
    """Read the stored runs and the printed table.

    Raises
    ------
    ResultError
        when the stored results are missing or damaged, naming the command that makes them
    """
    return Evidence.read(root)


# -- Figures 2 and 5 ---------------------------------------------------------------------------------------------------


def final_rows(evidence: Evidence, problems: tuple[str, ...]) -> pd.DataFrame:
    """One row a problem and method: best reward, that of its law, and both gaps in shares of the uniform law's gap.

    ``mean regret`` is cumulative regret over the evaluations, in the same unit.
    """
    rows = []
    for problem in problems:
        if problem not in evidence.problems:
            continue
        unit = evidence.uniform_gap(problem)
        for method in evidence.methods(problem):
            rows.append(
                {
                    "problem": TITLE_OF[problem],
                    "method": NAME_OF[method],
                    "best reward": float(evidence.values(problem, method).mean()),
                    "± sd": float(evidence.values(problem, method).std(ddof=1)),
                    "reward of its law": float(evidence.values(problem, method, "law_reward").mean()),
                    "its gap": float(evidence.gap(problem, method).mean()) / unit,
                    "law's gap": float(evidence.gap(problem, method, "law_reward").mean()) / unit,
                    "mean regret": float(evidence.mean_regret(problem, method).mean()) / unit,
                }
            )
    return pd.DataFrame(rows)


def show_finals(evidence: Evidence) -> None:
    """Key numbers: mean best rewards."""
    numbers: dict[str, object] = {
        f"{problem}, {method}": float(evidence.values(problem, method).mean())
        for problem in evidence.problems
        for method in evidence.methods(problem)
    }
    key_numbers(numbers, where_of(evidence))


def leads(evidence: Evidence, problem: str, column: str = "best") -> tuple[str, Interval]:
    """The strongest of the paper's other methods, and the paired difference of MF-GP-UCB to it."""
    rivals = [name for name in evidence.methods(problem) if name != OURS]
    other = max(rivals, key=lambda name: evidence.values(problem, name, column).mean())
    return other, evidence.against(problem, OURS, other, column)


def outcome(interval: Interval) -> str:
    """``above``, ``below`` or ``not told apart``, from the interval of a difference."""
    return "above" if interval.low > 0 else "below" if interval.high < 0 else "not told apart"


def say_finals(evidence: Evidence, problems: tuple[str, ...]) -> Sentence:
    """On which problems MF-GP-UCB is ahead: by its best reward, and by the mean-field reward of its law."""
    shown = [name for name in problems if name in evidence.problems]
    lines = []
    for column, words in (("best", "best reward"), ("law_reward", "mean-field reward of the best law")):
        groups: dict[str, list[str]] = {}
        for name in shown:
            other, interval = leads(evidence, name, column)
            groups.setdefault(outcome(interval), []).append(f"{TITLE_OF[name]} (against {NAME_OF[other]})")
        said = "; ".join(f"{verdict} on {', '.join(names)}" for verdict, names in groups.items())
        lines.append(f"by its {words}, {said}")
    return say(
        "Paired by seed, MF-GP-UCB stands to the strongest other method as follows: {lines}. Nothing in the second "
        "comparison owes to a lucky draw of actions.",
        lines=". Then, ".join(lines),
        where=where_of(evidence),
    )


# -- Table 2 -----------------------------------------------------------------------------------------------------------


def time_rows(evidence: Evidence) -> pd.DataFrame:
    """One row a problem and method: printed minutes, printed ratio, our CPU seconds and ratio, and their quotient."""
    rows = []
    for problem in SETTINGS:
        for method in METHOD_OF.values():
            printed, below = evidence.printed(problem, method), evidence.denominator(problem, method)
            row: dict[str, Any] = {
                "problem": TITLE_OF[problem],
                "method": NAME_OF[method],
                "printed, minutes": f"{printed.mean:g} ± {printed.sd:g}",
                "printed ratio": "1",
                "our seconds": float("nan"),
                "our ratio": "–",
                "printed ratio / ours": float("nan"),
            }
            ran = evidence.has(problem, method)
            if ran:
                row["our seconds"] = evidence.time(problem, method).mean
            if below is None:
                row["our ratio"] = "1" if ran else "–"
            else:
                theirs = ratio(printed, evidence.printed(*below))
                row["printed ratio"] = _ratio(theirs.mean, theirs.sd)
                if ran and evidence.has(*below):
                    ours = ratio(evidence.time(problem, method), evidence.time(*below))
                    row["our ratio"] = _ratio(ours.mean, ours.sd)
                    row["printed ratio / ours"] = theirs.mean / ours.mean
            rows.append(row)
    return pd.DataFrame(rows)


def _ratio(mean: float, sd: float) -> str:
    return f"{mean:.3g} ± {sd:.2g}"


def show_times(evidence: Evidence) -> None:
    """Key numbers: printed ratios; our times differ from machine to machine and stay in the table."""
    numbers = {}
    for problem in SETTINGS:
        for method in METHOD_OF.values():
            below = evidence.denominator(problem, method)
            if below is not None:
                theirs = ratio(evidence.printed(problem, method), evidence.printed(*below))
                numbers[f"{problem}, {NAME_OF[method]}: printed ratio"] = theirs.mean
    key_numbers(numbers, where_of(evidence))


def say_times(evidence: Evidence) -> Sentence:
    """What becomes of the largest printed ratio, and of the order of the methods."""
    ran = [(p, m) for p in SETTINGS for m in METHOD_OF.values() if evidence.has(p, m, OURS)]
    printed = {(p, m): evidence.printed(p, m).mean / evidence.printed(p, OURS).mean for p, m in ran if m != OURS}
    if not printed:
        return say("No times are stored.", where=where_of(evidence))
    ours = {(p, m): evidence.time(p, m).mean / evidence.time(p, OURS).mean for p, m in printed}
    problem, method = max(printed, key=lambda key: printed[key])
    slower = sum(printed[key] > 1 for key in printed)
    same = sum((printed[key] > 1) == (ours[key] > 1) for key in printed)
    return say(
        "The paper's largest ratio is that of {method} on {problem}, {theirs:.0f} times the time of MF-GP-UCB; ours "
        "is {ours:.2g}. Whether a method is slower than MF-GP-UCB comes out as printed in {same} of {pairs} "
        "comparisons (in print, {slower} are slower).{why}",
        method=NAME_OF[method],
        problem=TITLE_OF[problem],
        theirs=printed[problem, method],
        ours=ours[problem, method],
        same=same,
        pairs=len(printed),
        slower=slower,
        why=_why_faster(evidence, problem, method) if ours[problem, method] < 0.1 * printed[problem, method] else "",
        where=where_of(evidence),
    )


def _why_faster(results: Results, problem: str, method: str) -> str:
    days = results.printed(problem, method).mean / (60.0 * 24.0)
    return (
        f" That cell is {days:.1f} days. Our TuRBO, with one decay rate for all agents and distances updated by the agents "
        f"that changed, takes {results.time(problem, method).mean:.0f} seconds; which rules the paper's followed is not known, "
        "so that neither time speaks against the other."
    )


# -- play and variants -------------------------------------------------------------------------------------------------


def _variants(evidence: Evidence, parts: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
    final = evidence.tables["final"]
    for part in parts:
        rows = final[(final.part == part) & (final.method == OURS)]
        for variant, problem in dict.fromkeys(zip(rows.variant, rows.problem, strict=True)):
            if problem in evidence.problems:
                yield part, str(variant), str(problem)


def variant_rows(evidence: Evidence, parts: tuple[str, ...] = ("quota", "searches", "variants")) -> pd.DataFrame:
    """MF-GP-UCB with one setting changed beside the default on the same seeds: best reward, its law's, and the difference."""
    rows = []
    for part, variant, problem in _variants(evidence, parts):
        changed = evidence.of(problem, OURS, block=part, variant=variant)
        plain = evidence.of(problem, OURS)
        seeds = changed.index.intersection(plain.index)
        if len(seeds) < 2:
            continue
        gap = paired_interval(
            changed.law_reward.loc[seeds].to_numpy(dtype=float), plain.law_reward.loc[seeds].to_numpy(dtype=float)
        )
        rows.append(
            {
                "problem": TITLE_OF[problem],
                "setting": variant,
                "best reward": float(changed.best.loc[seeds].mean()),
                "law's reward": float(changed.law_reward.loc[seeds].mean()),
                "default's law": float(plain.law_reward.loc[seeds].mean()),
                "difference": gap.estimate,
                "95 % from": gap.low,
                "to": gap.high,
                "mean regret": float(evidence.mean_regret(problem, OURS, part, variant).mean())
                / evidence.uniform_gap(problem, part, variant),
                "default's regret": float(evidence.mean_regret(problem, OURS).mean()) / evidence.uniform_gap(problem),
            }
        )
    return pd.DataFrame(rows)


def show_variants(evidence: Evidence) -> None:
    """Key numbers: mean-field rewards of the best laws."""
    rows = variant_rows(evidence)
    if rows.empty:
        key_numbers({"variants stored": 0}, where_of(evidence))
        return
    key_numbers(
        {f"{r['problem']}, {r['setting']}": float(r["law's reward"]) for r in rows.to_dict("records")},
        where_of(evidence),
    )


def say_play(evidence: Evidence) -> Sentence:
    """What whole numbers instead of independent draws do to the laws that are found."""
    rows = variant_rows(evidence, ("quota",))
    if rows.empty:
        return say("No runs with whole numbers are stored.", where=where_of(evidence))
    return say(
        "Played as whole numbers instead of independent draws, MF-GP-UCB finds {counts}.{why}",
        counts=_better_and_worse(rows),
        why=" The draws of the agents are the only noise that it has to see through."
        if (rows["95 % from"] > 0).sum() > (rows["to"] < 0).sum()
        else "",
        where=where_of(evidence),
    )


def _better_and_worse(rows: pd.DataFrame) -> str:
    """``a better law on 2 of 7 problems (...) and a worse one on 1 (...)``."""
    better, worse = rows[rows["95 % from"] > 0], rows[rows["to"] < 0]
    which = [f" ({'; '.join(part.problem)})" if len(part) else "" for part in (better, worse)]
    return f"a better law on {len(better)} of {len(rows)} problems{which[0]}, and a worse one on {len(worse)}{which[1]}"


def say_searches(evidence: Evidence) -> Sentence:
    """What the maximisation of the acquisition decides: Adam at the paper's rate, and at a larger one."""
    rows = variant_rows(evidence, ("searches", "variants"))
    lines, worse = [], []
    larger = f"at {LOCAL_SEARCH.rate / PAPER_SEARCH.rate:.0f} times that rate"
    for setting, words in (("search=paper", "at the paper's rate"), ("search=local", larger)):
        found = rows[rows.setting == setting] if len(rows) else rows
        if len(found):
            worse.append(int((found["to"] < 0).sum()))
            lines.append(f"With Adam {words} from laws already played, MF-GP-UCB finds {_better_and_worse(found)}.")
    if len(worse) == 2 and worse[1] < worse[0]:
        lines.append(
            "So what is lost at the paper's rate may be due to our number of steps, which the paper does not print: "
            f"{PAPER_SEARCH.steps} may be too few at {PAPER_SEARCH.rate:g}."
        )
    return say("{text}", text=" ".join(lines) or "No runs with another search are stored.", where=where_of(evidence))


def control_rows(evidence: Evidence) -> pd.DataFrame:
    """The best of the companion's controls on each problem, beside MF-GP-UCB, with the paired difference."""
    rows = []
    for problem in evidence.problems:
        found = [name for name in CONTROLS if evidence.has(problem, name, block="controls")]
        if not found:
            continue
        best = max(found, key=lambda name: evidence.values(problem, name, block="controls").mean())
        theirs, ours = evidence.values(problem, best, block="controls"), evidence.values(problem, OURS)
        count = min(len(theirs), len(ours))
        gap = paired_interval(ours[:count], theirs[:count])
        rows.append(
            {
                "problem": TITLE_OF[problem],
                "strongest control": NAME_OF[best],
                "its best reward": float(theirs.mean()),
                "MF-GP-UCB": float(ours.mean()),
                "difference": gap.estimate,
                "95 % from": gap.low,
                "to": gap.high,
            }
        )
    return pd.DataFrame(rows)


def printed_rows(evidence: Evidence) -> pd.DataFrame:
    """Swarm and Arena with the penalty as printed: best reward of each method, and the certified optimum."""
    rows = []
    for problem in evidence.problems:
        for method in evidence.methods(problem, "printed", "penalty=printed"):
            runs = evidence.of(problem, method, block="printed", variant="penalty=printed")
            rows.append(
                {
                    "problem": TITLE_OF[problem],
                    "method": NAME_OF[method],
                    "best reward": float(runs.best.mean()),
                    "± sd": float(runs.best.std(ddof=1)),
                    "reward of its law": float(runs.law_reward.mean()),
                    "optimum, at most": float(runs.upper_bound.iloc[0]),
                }
            )
    return pd.DataFrame(rows)
