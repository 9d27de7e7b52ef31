"""One run of four rules side by side: where each plays, what its plays cost so far, and what the named point loses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

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

    @property
    def cost(self) -> dict[str, Floats]:
        """(T,) regret of all plays so far."""
        return {rule: np.cumsum(self.regret[chosen]) for rule, chosen in self.played.items()}

    @property
    def point(self) -> dict[str, Floats]:
        """(T,) regret of the point named after each play."""
        return {rule: self.regret[chosen] for rule, chosen in self.named.items()}


@recorded(first=SEED)
def same_run() -> SameRun:
    """Play the study's run of :data:`PLACE`: the same function, model, noise and first points for all rules.

    The point named is the candidate of the largest posterior mean. Regret is in units of what random plays lose.
    """
    problem, played, named = FUNCTIONS[PLACE], dict[str, Indices](), dict[str, Indices]()
    prior = PriorDraws.on_points(problem.kernel, candidates(problem.dim))
    covariance, variance = np.asarray(problem.kernel(candidates(problem.dim))), (NOISE * problem.spread) ** 2
    seen = problem.values + noise_of(problem, NOISE, 1).T  # (T, N)
    for title, entry in RULES.items():
        draws = stream(SEED, "study", problem.name, "rule", entry.rule, entry.batch)
        design = design_of(problem, 1)[0]
        policy = FinitePolicy(rule_of(entry, SIZE), covariance, prior, variance, 1, draws, design, capacity=HORIZON)
        at, best = np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
        while len(at) < HORIZON:
            asked = policy.ask(HORIZON - len(at)).query
            policy.tell(seen[np.arange(len(at), len(at) + len(asked)), asked])
            at = np.append(at, asked)
            # The first points are evaluated together: nothing is named before the last of them.
            best = np.append(best, np.full(len(asked), np.argmax(policy.posterior.mean[0])))
        played[title], named[title] = at, best
    return SameRun(played, named, (problem.values.max() - problem.values) / problem.gap)


def numbers(run: SameRun) -> Numbers:
    """Regret of a play on average and of the point named in the end by rule, in units of random plays; and who leads."""
    told: dict[str, object] = {}
    for rule in RULES:
        key = rule.lower().replace("-", "_").replace(" ", "_")
        told |= {f"{key}_plays": run.cost[rule][-1] / HORIZON, f"{key}_point": run.point[rule][-1]}
    return Numbers(
        run,
        plays=HORIZON,
        first=INITIAL,
        noise=NOISE,
        seed=SEED,
        width=float(RULES["GP-UCB"].setting),
        candidates=SIZE,
        order_plays=sorted(RULES, key=lambda rule: run.cost[rule][-1]),
        order_point=sorted(RULES, key=lambda rule: run.point[rule][-1]),
        **told,
    )


@figure(size=(7.0, 6.8))
def side_by_side(canvas: Canvas, palette: Palette, run: SameRun) -> None:
    """A strip a rule with its plays over time on the function, then the cost so far and the loss of the point named."""
    panels = canvas.subplots(len(RULES) + 2, 1, sharex=True, height_ratios=(*[1.0] * len(RULES), 1.7, 1.7))
    times, places = np.arange(1, HORIZON + 1), candidates(FUNCTIONS[PLACE].dim)[:, 0]
    for k, (axes, rule) in enumerate(zip(panels, RULES, strict=False)):
        axes.imshow(
            -run.regret[:, None],
            cmap=palette.map,
            alpha=0.5,
            aspect="auto",
            origin="lower",
            extent=(0.5, HORIZON + 0.5, 0, 1),
        )
        axes.plot(times, places[run.played[rule]], "o", ms=3.2, color=palette.ink, mfc=palette.paper, mew=0.8)
        axes.plot(HORIZON + 2.5, places[run.named[rule][-1]], "*", ms=9, color=palette.series[k], clip_on=False)
        axes.set_title(rule, loc="left", color=palette.series[k], fontsize=9, pad=2)
        axes.set_yticks([0.0, 1.0])
        axes.grid(visible=False)
    for axes, curves, words in zip(
        panels[-2:], (run.cost, run.point), ("all plays so far", "the point named"), strict=True
    ):
        for k, (rule, values) in enumerate(curves.items()):
            axes.step(times[INITIAL - 1 :], values[INITIAL - 1 :], **charts.look(palette, k, label=rule, where="post"))
        axes.axvspan(0.5, INITIAL + 0.5, color=palette.faint, alpha=0.5, lw=0)
        axes.set_title(words, loc="left", fontsize=9, pad=2)
        axes.set_ylim(bottom=0.0)
        charts.name_axes(axes, y="regret")
    panels[-1].set_ylim(top=0.2)
    panels[-2].legend(loc="upper left", bbox_to_anchor=(0.1, 1.0))
    panels[-1].set_xlim(0, HORIZON + 5)
    charts.name_axes(panels[-1], "plays")
    panels[0].set_ylabel("x")
