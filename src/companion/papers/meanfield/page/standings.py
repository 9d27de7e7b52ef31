"""Methods ahead, by best reward and by the regret that the theorem bounds, and the settings of MF-GP-UCB for which it is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from companion.judge.intervals import mean_interval
from companion.pages import Canvas, Numbers, Palette, Rows, charts, figure, frame, table
from companion.papers.meanfield.experiments.parameters import Crowd
from companion.papers.meanfield.experiments.printed import NAME_OF, OURS, TITLE_OF, MeanFieldResults
from companion.papers.meanfield.experiments.ranking_claims import (
    AHEAD,
    BEHIND,
    BEST,
    MEASURES,
    OPEN,
    SEARCH,
    against,
    block_of,
    groups,
    level,
    share_of_uniform,
    standing,
)
from companion.papers.meanfield.experiments.runs import CONTROLS
from companion.papers.meanfield.page.stored_runs import METHODS, leads

AGENT = "observation=agent"
THEORY = ("width=printed", "width=corrected")
#: Random laws with which every run begins, and the constants of Assumption 3.1 in the theorem's width, by default.
INITIAL, SIZE_A, SIZE_B = Crowd.initial, Crowd.a, Crowd.b
#: How MF-GP-UCB is compared, by the words of a column: with our search, with another, with other opponents.
COMPARED: Mapping[str, Mapping[str, Any]] = {
    "our search": {},
    "Adam": {"variant": SEARCH},
    "fairer opponents": {"others": CONTROLS, "theirs": "controls"},
}


def titles(problems: Sequence[str]) -> list[str]:
    """Titles of problems."""
    return [TITLE_OF[name] for name in problems]


@frame
def lead_rows(evidence: MeanFieldResults) -> Rows:
    """One row a problem, comparison and measure: MF-GP-UCB minus the strongest other method, in uniform gaps.

    ``verdict`` is about all other methods, ``rival`` the strongest one; the interval is paired by seed.
    """
    for name in evidence.problems:
        for words, more in COMPARED.items():
            for measure in MEASURES:
                found = standing(evidence, name, measure, **more)
                if found is not None:
                    unit = evidence.uniform_gap(name) if measure == BEST else 1.0
                    ends = (found.difference.estimate, found.difference.low, found.difference.high)
                    shares = dict(zip(("lead", "low", "high"), (end / unit for end in ends), strict=True))
                    where = {"problem": TITLE_OF[name], "compared": words, "measure": measure}
                    yield where | {"verdict": found.verdict, "rival": NAME_OF[found.other]} | shares


def standing_numbers(evidence: MeanFieldResults) -> Numbers:
    """Problems on which MF-GP-UCB is ahead and behind, by each measure and comparison, and where its share is above one."""
    (best, regret), (adam_best, adam_regret), (fair_best, fair_regret) = (
        [groups(evidence, measure, **more) for measure in MEASURES] for more in COMPARED.values()
    )
    laws = {name: leads(evidence, name, "law_reward")[1] for name in evidence.problems}
    shares = {name: mean_interval(share_of_uniform(evidence, name, OURS)) for name in evidence.problems}
    idle = [name for name, share in shares.items() if share.estimate > 1]
    return Numbers(
        evidence,
        problems=len(evidence.problems),
        fewest_runs=min(shares[name].count for name in evidence.problems),
        best=titles(best[AHEAD]),
        best_open=titles(best[OPEN]),
        best_behind=titles(best[BEHIND]),
        law=titles([name for name, interval in laws.items() if interval.low > 0]),
        regret_behind=titles(regret[BEHIND]),
        adam_best_open=titles(adam_best[OPEN]),
        adam_best_behind=titles(adam_best[BEHIND]),
        adam_regret_behind=titles(adam_regret[BEHIND]),
        fair_best_behind=titles(fair_best[BEHIND]),
        fair_regret_behind=titles(fair_regret[BEHIND]),
        best_count=len(best[AHEAD]),
        regret_count=len(regret[AHEAD]),
        adam_best_count=len(adam_best[AHEAD]),
        adam_regret_count=len(adam_regret[AHEAD]),
        fair_best_count=len(fair_best[AHEAD]),
        fair_regret_count=len(fair_regret[AHEAD]),
        width=Crowd.beta,
        idle=titles(idle),
        idle_low=max((shares[name].low for name in idle), default=float("nan")),
    )


@figure(size=(4.3, 4.4))
def draw_leads(canvas: Canvas, palette: Palette, evidence: MeanFieldResults) -> None:
    """MF-GP-UCB with our search against the strongest other method on every problem, by best reward and by regret."""
    rows = lead_rows(evidence)
    rows = rows[rows.compared == next(iter(COMPARED))]
    problems = list(dict.fromkeys(rows.problem))
    axes = canvas.subplots()
    axes.axvline(0.0, color=palette.ink, lw=1)
    for k, measure in enumerate(MEASURES):
        part = rows[rows.measure == measure]
        at = [problems.index(name) + 0.3 * (k - 0.5) for name in part.problem]
        axes.hlines(at, part.low, part.high, color=palette.series[k], lw=3)
        axes.plot(part.lead, at, "os"[k], color=palette.series[k], mec=palette.ink, ms=7, label=f"by {measure}")
    axes.set(xlim=(-1.2, 1.2), yticks=range(len(problems)), yticklabels=problems)
    axes.set_xticks([-1, 0, 1], ["other\nbetter", "equal", "MF-GP-UCB\nbetter"])
    axes.grid(visible=False, axis="y")
    axes.invert_yaxis()
    charts.legend_above(canvas, axes, 2)


lead_table = table(lead_rows, digits=2)


# -- what depends on a setting -----------------------------------------------------------------------------------------


def below_random(evidence: MeanFieldResults, variants: Sequence[str]) -> tuple[list[str], list[str]]:
    """Problems on which the best reward with each of the settings is below random search's, and the others that ran."""
    ran = [
        name for name in evidence.problems if all(block_of(evidence, name, variant) is not None for variant in variants)
    ]
    lost = [name for name in ran if all(against(evidence, name, BEST, "random", v).high < 0 for v in variants)]
    return lost, [name for name in ran if name not in lost]


def _is_ahead(evidence: MeanFieldResults, problem: str, variant: str) -> bool:
    found = standing(evidence, problem, BEST, variant)
    return found is not None and found.verdict == AHEAD


def _shares(evidence: MeanFieldResults, problem: str, variants: Sequence[str]) -> list[float]:
    return [float(share_of_uniform(evidence, problem, OURS, "variants", v).mean()) for v in variants]


def width_numbers(evidence: MeanFieldResults) -> Numbers:
    """The theorem's widths and constant ones on NYC (a) and Swarm: best reward against random search and TuRBO, and regret."""
    name = "taxi-a"
    row, (lost, rest) = evidence.of(name, OURS).iloc[0], below_random(evidence, THEORY)
    size = int(row.actions) * int(row.contexts)
    constant = _constant(evidence, name)
    turbo, random = (float(evidence.values(name, other).mean()) for other in ("turbo", "random"))
    return Numbers(
        evidence,
        runs=len(evidence.of(name, OURS)),
        lost=titles(lost),
        still=titles([name for name in rest if all(_is_ahead(evidence, name, variant) for variant in THEORY)]),
        last_rise=max(int(evidence.of(name, OURS, block="variants", variant=v).last_rise.max()) for v in THEORY),
        initial=INITIAL,
        regret=min(_shares(evidence, name, THEORY)),
        a=SIZE_A,
        b=SIZE_B,
        least=math.sqrt(2.0 * size * math.log(2.0)),
        size=size,
        default=Crowd.beta,
        times=math.sqrt(2.0 * size * math.log(2.0)) / Crowd.beta,
        best_width=max(constant, key=constant.__getitem__),
        above_turbo=[width for width, value in constant.items() if value > turbo],
        below_random=[width for width, value in constant.items() if value < random],
    )


def _constant(evidence: MeanFieldResults, name: str) -> dict[float, float]:
    """Mean best rewards by constant width, of those with stored runs."""
    variants = [str(variant) for variant in evidence.tables["final"].variant.unique()]
    found = {
        float(variant.removeprefix("beta=")): float(level(evidence, name, OURS, BEST, "variants", variant).mean())
        for variant in variants
        if variant.startswith("beta=") and block_of(evidence, name, variant) is not None
    }
    return dict(sorted({**found, Crowd.beta: float(evidence.values(name, OURS).mean())}.items()))


def observation_numbers(evidence: MeanFieldResults) -> Numbers:
    """The payoff of one agent, as in Algorithm 1, instead of the system's reward: who is ahead, and regret."""
    lost, rest = below_random(evidence, (AGENT,))
    ran = [name for name in evidence.problems if name in lost + rest]
    smaller = [
        name for name in ran if _shares(evidence, name, [AGENT])[0] < share_of_uniform(evidence, name, OURS).mean()
    ]
    return Numbers(
        evidence,
        ran=titles(ran),
        ahead=titles([name for name in ran if _is_ahead(evidence, name, AGENT)]),
        lost=titles(lost),
        smaller=titles(smaller),
        least=min((_shares(evidence, name, [AGENT])[0] for name in ran if name not in smaller), default=float("nan")),
    )


def station_numbers(evidence: MeanFieldResults) -> Numbers:
    """LouVelo with the number of stations in the caption of Figure 2 instead of that in the text, and its best rival there."""
    key = ("best", "variants", "actions=36")
    rivals = [name for name in METHODS if name != OURS]
    other = max(rivals, key=lambda name: evidence.values("bikes", name, *key).mean())
    ours, theirs = (float(evidence.values("bikes", name, *key).mean()) for name in (OURS, other))
    high = evidence.against("bikes", OURS, other, *key).high
    return Numbers(evidence, other=NAME_OF[other], ours=ours, theirs=theirs, high=high)
