"""One run of four rules side by side: where each plays, what its plays cost so far, and what the named point loses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from matplotlib.figure import Figure as Canvas

from companion.core.arrays import Floats, Indices
from companion.core.randomness import stream
from companion.gp import PriorDraws
from companion.pages import Numbers, Provenance, charts, figure, recorded
from companion.pages.figures import Palette
from companion.papers.across.experiments.study_play import design_of, noise_of
from companion.papers.across.method.rules import PLAIN, Entry, rule_of
from companion.papers.across.problems.functions import FUNCTIONS, HORIZON, INITIAL, SIZE, candidates
from companion.papers.tsrsr.method.policy import FinitePolicy

#: Rules as published; the width is that of scikit-optimize.
RULES = {
    "EI": Entry("ei", 1, PLAIN),
    "GP-UCB": Entry("ucb", 1, "2"),
    "Thompson sampling": Entry("ts", 1, "1"),
    "TS-RSR": Entry("ts-rsr", 1, "1"),
}
#: A classical test function, noise as a share of its range, and the first seed of the study.
PLACE, NOISE, SEED = "forrester-1d", 0.1, 0


@dataclass(frozen=True, eq=False)
class SameRun:
    """By rule of :data:`RULES`: candidates played, (T,), and named after each play, (T,); regret of every candidate, (N,)."""

    played: Mapping[str, Indices]
    named: Mapping[str, Indices]
    regret: Floats
    where: Provenance = field(default_factory=Provenance, compare=False)


@recorded(first=SEED)
def same_run() -> SameRun:
    """The study's run of :data:`PLACE` by all rules; named is the largest posterior mean, and a random play loses one."""
    problem, played, named = FUNCTIONS[PLACE], dict[str, Indices](), dict[str, Indices]()
    points, variance = candidates(problem.dim), (NOISE * problem.spread) ** 2
    model = np.asarray(problem.kernel(points)), PriorDraws.on_points(problem.kernel, points), variance, 1
    design, noise = design_of(problem, 1)[0], noise_of(problem, NOISE, 1)[0]
    for title, entry in RULES.items():
        draws = stream(SEED, "study", problem.name, "rule", entry.rule, entry.batch)
        policy = FinitePolicy(rule_of(entry, SIZE), *model, draws, design, capacity=HORIZON)
        at, best = np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
        while len(at) < HORIZON:
            asked = policy.ask(HORIZON - len(at)).query
            policy.tell(problem.values[asked] + noise[len(at) : len(at) + len(asked)])
            at = np.append(at, asked)
            # The first points are evaluated together: nothing is named before the last of them.
            best = np.append(best, np.full(len(asked), np.argmax(policy.posterior.mean[0])))
        played[title], named[title] = at, best
    return SameRun(played, named, (problem.values.max() - problem.values) / problem.gap)


def numbers(run: SameRun) -> Numbers:
    """By rule the regret of a play on average and of the point named in the end, and the rules in order of both."""
    plays = {rule: float(run.regret[at].mean()) for rule, at in run.played.items()}
    point = {rule: float(run.regret[at[-1]]) for rule, at in run.named.items()}
    told: dict[str, Any] = {"order_plays": sorted(plays, key=plays.__getitem__)}
    told |= {"order_point": sorted(point, key=point.__getitem__), "width": float(RULES["GP-UCB"].setting)}
    for words, found in (("plays", plays), ("point", point)):
        told |= {f"{rule.lower().replace('-', '_').replace(' ', '_')}_{words}": found[rule] for rule in RULES}
    return Numbers(run, plays=HORIZON, first=INITIAL, noise=NOISE, **told)


@figure(size=(7.0, 6.8))
def side_by_side(canvas: Canvas, palette: Palette, run: SameRun) -> None:
    """A strip a rule with its plays over time on the function, then the regret so far and that of the point named."""
    *strips, cost, point = canvas.subplots(
        len(RULES) + 2, 1, sharex=True, height_ratios=(*[1.0] * len(RULES), 1.7, 1.7)
    )
    times, places = np.arange(1, HORIZON + 1), candidates(FUNCTIONS[PLACE].dim)[:, 0]
    ground: charts.Style = {"cmap": palette.map, "alpha": 0.5, "aspect": "auto", "origin": "lower"}
    for k, (axes, rule) in enumerate(zip(strips, RULES, strict=True)):
        axes.imshow(-run.regret[:, None], extent=(0.5, HORIZON + 0.5, 0, 1), **ground)
        axes.plot(times, places[run.played[rule]], "o", ms=3.2, color=palette.ink, mfc=palette.paper, mew=0.8)
        axes.plot(HORIZON + 2.5, places[run.named[rule][-1]], "*", ms=9, color=palette.series[k], clip_on=False)
        axes.set_title(rule, loc="left", color=palette.series[k], fontsize=9, pad=2)
        axes.set_yticks([0.0, 1.0])
        axes.grid(visible=False)
        look = charts.look(palette, k, label=rule, where="post")
        cost.step(times[INITIAL - 1 :], np.cumsum(run.regret[run.played[rule]])[INITIAL - 1 :], **look)
        point.step(times[INITIAL - 1 :], run.regret[run.named[rule]][INITIAL - 1 :], **look)
    for axes, words in ((cost, "all plays so far"), (point, "the point named")):
        axes.axvspan(0.5, INITIAL + 0.5, color=palette.faint, alpha=0.5, lw=0)
        axes.set_title(words, loc="left", fontsize=9, pad=2)
        charts.name_axes(axes, y="regret")
    cost.set_ylim(bottom=0.0)
    cost.legend(loc="upper left", bbox_to_anchor=(0.1, 1.0), ncols=2)
    point.set(xlim=(0, HORIZON + 5), ylim=(0.0, 0.2), xlabel="evaluations")
    strips[0].set_ylabel("x")
