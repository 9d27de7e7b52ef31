"""Figures 2 to 5 and Table 2 from the stored runs: beside the printed numbers, against the optimum, and in variants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pandas as pd

from companion.judge.claim_tests import log_slope
from companion.judge.intervals import Interval, paired_interval
from companion.pages import Numbers
from companion.papers.meanfield.experiments.methods_claims import over_agents
from companion.papers.meanfield.experiments.printed import (
    METHOD_OF,
    NAME_OF,
    OURS,
    RIVALS,
    TITLE_OF,
    MeanFieldResults,
    ratio,
)
from companion.papers.meanfield.experiments.runs import CONTROLS
from companion.papers.meanfield.method.simplex import LOCAL_SEARCH, PAPER_SEARCH
from companion.papers.meanfield.problems.catalogue import SETTINGS

#: The paper's five methods, ours first.
METHODS = (OURS, *RIVALS)


load_paper_results = MeanFieldResults.read


# -- Figures 2 and 5 ---------------------------------------------------------------------------------------------------


def final_rows(evidence: MeanFieldResults, problems: tuple[str, ...]) -> pd.DataFrame:
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


def data_numbers(evidence: MeanFieldResults, problems: Iterable[str]) -> Numbers:
    """Data of the stored runs, for a caption."""
    return Numbers(evidence, data=evidence.labels(problems))


def leads(evidence: MeanFieldResults, problem: str, column: str = "best") -> tuple[str, Interval]:
    """The strongest of the paper's other methods, and the paired difference of MF-GP-UCB to it."""
    rivals = [name for name in evidence.methods(problem) if name != OURS]
    other = max(rivals, key=lambda name: evidence.values(problem, name, column).mean())
    return other, evidence.against(problem, OURS, other, column)


# -- Table 2 -----------------------------------------------------------------------------------------------------------


def time_rows(evidence: MeanFieldResults) -> pd.DataFrame:
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


def time_numbers(evidence: MeanFieldResults) -> Numbers:
    """The largest printed ratio and ours, in how many comparisons the order is as printed, and how our times grow with M."""
    pairs = [(problem, method) for problem in SETTINGS for method in METHOD_OF.values() if method != OURS]
    ran = [(problem, method) for problem, method in pairs if evidence.has(problem, method, OURS)]
    printed = {(p, m): evidence.printed(p, m).mean / evidence.printed(p, OURS).mean for p, m in ran}
    ours = {(p, m): evidence.time(p, m).mean / evidence.time(p, OURS).mean for p, m in ran}
    largest = max(ran, key=lambda key: printed[key])
    grown = [
        log_slope(evidence, *over_agents(evidence, "swarm", method, block)).estimate
        for method, block in ((OURS, "agents"), ("turbo", "rivals"))
    ]
    return Numbers(
        evidence,
        method=NAME_OF[largest[1]],
        problem=TITLE_OF[largest[0]],
        printed=printed[largest],
        ours=ours[largest],
        days=evidence.printed(*largest).mean / (60.0 * 24.0),
        same=sum((printed[key] > 1) == (ours[key] > 1) for key in ran),
        pairs=len(ran),
        power=grown[0],
        turbo_power=grown[1],
    )


# -- play and variants -------------------------------------------------------------------------------------------------


def _variants(evidence: MeanFieldResults, parts: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
    final = evidence.tables["final"]
    for part in parts:
        rows = final[(final.part == part) & (final.method == OURS)]
        for variant, problem in dict.fromkeys(zip(rows.variant, rows.problem, strict=True)):
            if problem in evidence.problems:
                yield part, str(variant), str(problem)


def variant_rows(
    evidence: MeanFieldResults, parts: tuple[str, ...] = ("quota", "searches", "variants")
) -> pd.DataFrame:
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


def changed_numbers(evidence: MeanFieldResults, setting: str) -> Numbers:
    """Problems on which MF-GP-UCB with one setting changed finds a better law, and a worse one, by paired intervals."""
    rows = variant_rows(evidence)
    rows = rows[rows.setting == setting]
    return Numbers(
        evidence,
        ran=list(rows.problem),
        better=list(rows.problem[rows["95 % from"] > 0]),
        worse=list(rows.problem[rows["to"] < 0]),
    )


def search_numbers(evidence: MeanFieldResults) -> Numbers:
    """Effect of Adam on the laws found, at the paper's rate and at a larger one."""
    larger = changed_numbers(evidence, "search=local")
    return changed_numbers(evidence, "search=paper") | Numbers(
        larger_worse=larger.worse,
        rate=PAPER_SEARCH.rate,
        times=LOCAL_SEARCH.rate / PAPER_SEARCH.rate,
        steps=PAPER_SEARCH.steps,
    )


def control_rows(evidence: MeanFieldResults) -> pd.DataFrame:
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


def printed_rows(evidence: MeanFieldResults) -> pd.DataFrame:
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
