"""One acquisition over the simplex of three actions: what is known, what optimism adds, and where Algorithm 1 goes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from matplotlib.tri import Triangulation

from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.pages import Canvas, Numbers, Palette, charts, figure, recorded
from companion.papers.meanfield.method.agents import draw_contexts, play_law, representative
from companion.papers.meanfield.method.policy import MeanFieldGPUCB
from companion.papers.meanfield.method.widths import PracticeWidth
from companion.papers.meanfield.problems.divergence import demand_problem
from companion.papers.meanfield.problems.mean_field import MeanFieldProblem
from companion.papers.meanfield.theory.runs import lattice

#: Three stations with a known demand: the reward is minus the divergence of the bicycles' places from it.
DEMAND = (0.62, 0.28, 0.10)
AGENTS, ROUNDS, DESIGN, WIDTH = 300, 8, 5, 3.0
#: The triangle is drawn, and searched by brute force, on laws whose probabilities are multiples of one part.
PARTS = 120


@dataclass(frozen=True, eq=False)
class Picture:
    """One round of MF-GP-UCB on three stations, in units of the reward.

    Parameters
    ----------
    laws : (L, 3) all laws of the lattice
    truth, mean, bonus : (L,) average payoff, its posterior mean, and what the width adds
    played : (t, 3) laws played before
    chosen, brute, optimal : (3,) the law asked for, the best of the lattice, and the best there is
    shortfall : how far the acquisition at the chosen law stays below that of the best of the lattice; negative above it
    values : true average payoff at the chosen law and at the best law played before
    """

    laws: Floats
    truth: Floats
    mean: Floats
    bonus: Floats
    played: Floats
    chosen: Floats
    brute: Floats
    optimal: Floats
    shortfall: float
    values: tuple[float, float]


def three_stations() -> MeanFieldProblem:
    """Three stations in a row, 300 bicycles, reward minus the Jensen-Shannon divergence from the demand."""
    meta = {"data": "none", "label": "closed form", "stand_in": False, "remark": ""}
    places = np.array([[0.0], [0.5], [1.0]])
    return demand_problem("stations", AGENTS, np.array(DEMAND), places, "companion", 0.0, meta, {})


@recorded(first="seed")
def one_acquisition(seed: int) -> Picture:
    """Play some rounds, fit, and look at the acquisition of the next one on the whole simplex."""
    problem = three_stations()
    policy = MeanFieldGPUCB(
        problem.action_features,
        problem.context_features,
        problem.context_weights,
        stream(seed, "meanfield", "picture", "policy"),
        width=PracticeWidth(WIDTH),
        initial=DESIGN,
    )
    rewards = []
    for t in range(ROUNDS):
        law = policy.ask()
        draws = stream(seed, "meanfield", "picture", "agents", t)
        contexts = draw_contexts(problem.context_weights, AGENTS, draws)
        actions = play_law(law, contexts, draws)
        rewards.append(problem.agent_reward(actions, contexts))
        policy.tell(*representative(actions, contexts, draws), rewards[-1])
    chosen = policy.ask()
    laws = lattice(3, 1, PARTS)
    optimistic, plain = policy.acquisition(WIDTH), policy.acquisition(0.0)
    scale, shift = optimistic.scale, optimistic.shift
    upper = shift + scale * optimistic.value(laws)
    mean = shift + scale * plain.value(laws)
    played = policy.model.laws.copy()
    best = played[int(np.argmax(rewards))]
    truth = problem.reward(np.stack([chosen, best]))
    return Picture(
        laws[:, 0],
        problem.reward(laws),
        mean,
        upper - mean,
        played[:, 0],
        chosen[0],
        laws[int(np.argmax(upper)), 0],
        problem.optimal[0],
        float(upper.max() - (shift + scale * optimistic.value(chosen[None])[0])),
        (float(truth[0]), float(truth[1])),
    )


def picture_numbers(picture: Picture) -> Numbers:
    """Comparison of the requested law with those played, with enumeration and with the best law."""
    return Numbers(
        picture,
        design=DESIGN,
        stations=len(DEMAND),
        agents=AGENTS,
        width=WIDTH,
        played=len(picture.played),
        chosen=picture.chosen,
        optimal=picture.optimal,
        near=float(0.5 * np.abs(picture.played - picture.chosen).sum(axis=1).min()),
        laws=len(picture.laws),
        shortfall=picture.shortfall,
        loss=picture.values[1] - picture.values[0],
        brute=picture.brute,
        regrets=-np.array(picture.values),
    )


CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
NAMES = ("station 1", "station 2", "station 3")


def plane(laws: Floats) -> Floats:
    """Places (n, 2) of laws (n, 3) in an equilateral triangle."""
    return laws @ CORNERS


@figure(size=(9.2, 3.1))
def draw_one_acquisition(canvas: Canvas, palette: Palette, picture: Picture) -> None:
    """True payoff, posterior mean, and acquisition on the triangle, with the laws played, chosen and best."""
    panels = charts.row_of(canvas, 3, sharey=False)
    places = plane(picture.laws)
    triangles = Triangulation(places[:, 0], places[:, 1])
    shown = {
        "True average payoff": picture.truth,
        "Posterior mean": picture.mean,
        f"Acquisition: mean + {WIDTH:g} sd": picture.mean + picture.bonus,
    }
    for axes, (title, values) in zip(panels, shown.items(), strict=True):
        filled = axes.tricontourf(triangles, values, levels=14, cmap=palette.map)
        bar = canvas.colorbar(filled, ax=axes, orientation="horizontal", shrink=0.85, pad=0.04)
        bar.set_label("reward")
        bar.locator = MaxNLocator(4)
        bar.update_ticks()
        _marks(axes, picture, palette)
        axes.set_title(title, pad=14)
    charts.legend_above(canvas, panels[0], 3)


def _marks(axes: Axes, picture: Picture, palette: Palette) -> None:
    edge = np.vstack([CORNERS, CORNERS[:1]])
    axes.plot(edge[:, 0], edge[:, 1], color=palette.muted, lw=1, ls="-")
    for points, marker, size, name in (
        (picture.played, "o", 5.5, "played"),
        (picture.optimal[None], "*", 15, "best law"),
        (picture.chosen[None], "X", 10, "announced next"),
    ):
        style: charts.Style = {"ls": "", "ms": size, "mfc": "#ffffff", "mec": "#14181e", "mew": 1.2, "clip_on": False}
        axes.plot(*plane(points).T, marker, label=name, **style)
    for corner, name, shift in zip(CORNERS, NAMES, ((0.0, -0.1), (0.0, -0.1), (0.0, 0.04)), strict=True):
        axes.text(corner[0] + shift[0], corner[1] + shift[1], name, ha="center", fontsize=8, color=palette.muted)
    axes.set(aspect="equal", xlim=(-0.12, 1.12), ylim=(-0.14, 0.98))
    axes.axis("off")
