"""One round over (decision, context): the upper confidence surface, and three rules on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import Colormap

from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.pages import Canvas, Numbers, Palette, charts, figure, recorded
from companion.pages.figures import DASHES, MARKERS
from companion.papers.wdrbo.experiments.printed import label
from companion.papers.wdrbo.method.loop import conditions
from companion.papers.wdrbo.method.methods import Settings, method_by_name
from companion.papers.wdrbo.method.policy import AcquisitionPolicy
from companion.papers.wdrbo.problems.catalogue import general

RULES = ("erbo", "wdrbo", "wdrbo-exact")
#: Pairs seen before the round, and how many of their decisions are the design's; the others are drawn uniformly.
PAIRS, DESIGN = 12, 5
#: Quantiles that stand for the reference, as in the experiments.
TOLD = 50
DECISIONS = np.linspace(0.0, 1.0, 401)
CONTEXTS = np.linspace(0.0, 1.0, 101)


@dataclass(frozen=True, eq=False)
class Round:
    """A round of Figure 1's example.

    Parameters
    ----------
    upper : (401, 101) upper confidence bound, units of the reward
    seen : (12, 2) decisions and contexts seen
    told : (50,) contexts of the reference
    lipschitz : (401,) L(x), units of the reward per unit of context
    acquisition : (401,) by rule, units of the reward
    choice : by rule, the decision with the largest value
    regret : by rule, expected regret of that choice under the true law
    radius : of the ball
    """

    upper: Floats
    seen: Floats
    told: Floats
    lipschitz: Floats
    acquisition: dict[str, Floats]
    choice: dict[str, float]
    regret: dict[str, float]
    radius: float


@recorded(first="seed")
def one_round(seed: int, radius: float) -> Round:
    """Twelve pairs of Figure 1's example, the regression of the experiments, and all three rules on a grid of decisions."""
    problem, settings = general(), Settings(radius=radius, fixed_radius=True)
    shared = conditions(problem, seed, PAIRS - DESIGN)
    drawn = problem.uniform(stream(seed, "wdrbo", "one round"), PAIRS - DESIGN)
    decisions = np.concatenate([shared.design, drawn])
    told = problem.reference.quantile_nodes(TOLD) if problem.reference else shared.contexts
    box = problem.low, problem.high, problem.context_low, problem.context_high
    policy = AcquisitionPolicy("wdrbo", *box, lambda name, t: stream(seed, name, t), settings, centre=told)
    values = problem.evaluate(decisions, shared.contexts)
    for x, c, value in zip(decisions, shared.contexts, values, strict=True):
        policy.tell(x, c, float(value))
    view = policy.situation()
    shift, scale = view.surrogate.shift, view.surrogate.scale
    rules = {name: method_by_name(name).build(view) for name in RULES}
    on_grid = {name: shift + scale * rule(DECISIONS[:, None]) for name, rule in rules.items()}
    choice = {name: float(DECISIONS[found.argmax()]) for name, found in on_grid.items()}
    return Round(
        shift + scale * view.surrogate.table(DECISIONS[:, None], CONTEXTS[:, None], settings.width),
        np.stack([decisions[:, 0], shared.contexts[:, 0]], axis=1),
        told[:, 0],
        # The penalised form is the mean minus radius times this constant.
        (on_grid["erbo"] - on_grid["wdrbo"]) / radius,
        on_grid,
        choice,
        {name: float(problem.regret(np.array([[x]]))[0]) for name, x in choice.items()},
        radius,
    )


def round_numbers(shown: Round) -> Numbers:
    """Choices, their constants and regrets, by rule."""
    steep = {name: float(np.interp(x, DECISIONS, shown.lipschitz)) for name, x in shown.choice.items()}
    values: dict[str, object] = {}
    for name in RULES:
        short = {"erbo": "erbo", "wdrbo": "penalised", "wdrbo-exact": "exact"}[name]
        values |= {short: shown.choice[name], f"{short}_steep": steep[name], f"{short}_regret": shown.regret[name]}
    between = (shown.acquisition["wdrbo"] <= shown.acquisition["wdrbo-exact"] + 1e-6).all()
    below = (shown.acquisition["wdrbo-exact"] <= shown.acquisition["erbo"] + 1e-6).all()
    return Numbers(
        shown,
        radius=shown.radius,
        pairs=PAIRS,
        ordered=bool(between and below),
        apart=len({round(x, 6) for x in shown.choice.values()}) == len(RULES),
        names=[label(name) for name in RULES],
        **values,
    )


#: Colours of a map; more of them make large files, and show no more.
SHADES = 20
#: Names of rules where there is little room.
SHORT = {"wdrbo-exact": "exact"}


@figure(size=(8.0, 5.0))
def draw_one_round(canvas: Canvas, palette: Palette, shown: Round) -> None:
    """Upper confidence surface, objectives of three rules, and the Lipschitz constant, over the decision."""
    panels = list(canvas.subplots(3, 1, sharex=True, height_ratios=(1.5, 1.3, 0.8)))
    surface, rules, steep = panels
    image = surface.pcolormesh(DECISIONS, CONTEXTS, shown.upper.T, cmap=shades(palette), rasterized=True)
    surface.plot(*shown.seen.T, "o", color="white", mec="black", ms=5)
    surface.plot(np.full(len(shown.told), 1.012), shown.told, "_", color=palette.ink, ms=7, clip_on=False)
    canvas.colorbar(image, ax=surface, label="UCB", pad=0.03)
    surface.set(ylabel="context c", title="UCB")
    for k, name in enumerate(RULES):
        words = SHORT.get(name, label(name))
        rules.plot(DECISIONS, shown.acquisition[name], label=words, **charts.look(palette, k))
        top = float(shown.acquisition[name].max())
        rules.plot(shown.choice[name], top, MARKERS[k], color=palette.series[k], ms=8, mec=palette.paper, zorder=4)
        for axes in panels:
            axes.axvline(shown.choice[name], color=_seen(axes, surface, palette, k), ls=DASHES[k], lw=1.2)
    rules.set(ylabel="acquisition")
    rules.legend(loc="upper right", ncols=3)
    low, high = rules.get_ylim()
    rules.set_ylim(low, high + 0.25 * (high - low))
    steep.plot(DECISIONS, shown.lipschitz, color=palette.ink, ls="-")
    steep.set(ylabel="L(x)", xlabel="decision x", xlim=(0, 1), ylim=(0, None))


def _seen(axes: Axes, surface: Axes, palette: Palette, k: int) -> str:
    """The colour of a rule, or white on the surface, where its own would not be seen."""
    return "white" if axes is surface else palette.series[k]


def shades(palette: Palette) -> Colormap:
    """Colours of a map of two coordinates; more of them make large files, and show no more."""
    return colormaps[palette.map].resampled(SHADES)
