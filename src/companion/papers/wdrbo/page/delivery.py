"""The lesson's one instance: a delivery round on a grid of slacks and traffics, with a forecast that is wrong.

The reward is Figure 1's, with the slack x = |y| for the decision; forecast and truth have its parameters, on the grid.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import wasserstein_distance

from companion.core.arrays import Floats, Indices
from companion.core.randomness import stream
from companion.gp import FinitePosterior
from companion.judge.intervals import mean_interval
from companion.pages import Canvas, Numbers, Palette, charts, figure, recorded
from companion.papers.wdrbo.checks.regret_runs import DataGame
from companion.papers.wdrbo.method.inner import lipschitz_constant, wasserstein
from companion.papers.wdrbo.page.picture import RADII, Picture
from companion.papers.wdrbo.theory.bounds import covering_points
from companion.papers.wdrbo.theory.bounds import radius as radius_of
from companion.papers.wdrbo.theory.games import Game, bell, contexts_of, covariance_of, functions_of, laws_of
from companion.papers.wdrbo.theory.radii import PRACTICE, empirical_constant
from companion.papers.wdrbo.theory.runs import Round

#: B is the norm of the reward on the grid, rounded up; lambda is the variance of the noise.
_SHARED: dict[str, Any] = {
    "kernel": "matern52",
    "lengthscale": 0.3,
    "decisions": 21,
    "contexts": 21,
    "norm": 12.0,
    "function": "figure 1",
    "truth": "figure 1",
}
#: Of the experiments' confidence band.
WIDTH = 1.5
#: The seed and the number of rounds of the page's run, and the evaluations before the round that its pictures show.
SEED, ROUNDS, PAIRS = 4, 60, 12
#: A plan with no more slack is called tight.
TIGHT = 0.1
#: Of the runs in which a radius has to be enough.
SHARE = 0.9
#: As many days the forecast counts where it is updated with the traffic seen.
DAYS = 10
#: Truths of the study of insurances: how far along the way from the forecast (0) to the page's truth (1) and beyond it.
ALONG = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0)


def games(seed: int, runs: int, rounds: int, radius: float, noise: float) -> tuple[Game, Game]:
    """The instance with the forecast for reference, and with the contexts seen."""
    common = {**_SHARED, "lam": noise**2, "noise": noise, "horizon": rounds, "runs": runs, "seed": seed}
    return Game(radius=radius, **common), DataGame(**common)


@dataclass(frozen=True, eq=False)
class Delivery:
    """The instance itself.

    Parameters
    ----------
    grid : (21,) slacks, and traffics
    reward : (21, 21), the slack first
    told, true : (21,) forecast and truth
    norm : of the reward in the kernel's space, on the grid
    steep : (21,) steepest slope of each slack's reward
    game : the same for the simulator
    """

    grid: Floats
    reward: Floats
    told: Floats
    true: Floats
    norm: float
    steep: Floats
    game: Game

    @property
    def worth(self) -> Floats:
        """(21,) expected rewards under the truth."""
        return np.asarray(self.reward @ self.true)


@recorded(random=False)
def delivery(radius: float, noise: float) -> Delivery:
    """Reward and laws on the grid, from the simulator's configuration."""
    game = games(0, 1, ROUNDS, radius, noise)[0]
    values, (told, true) = functions_of(game)[0], laws_of(game)
    assert true is not None
    norm = float(np.sqrt(values @ np.linalg.solve(covariance_of(game), values)))
    grid, reward = contexts_of(game)[:, 0], values.reshape(game.decisions, game.contexts)
    return Delivery(grid, reward, told[0], true, norm, lipschitz_constant(reward, grid[:, None]), game)


def _apart(grid: Floats, one: Floats, two: Floats) -> float:
    return float(wasserstein_distance(grid, grid, one, two))


def delivery_numbers(shown: Delivery) -> Numbers:
    """Best slacks, what the forecast's best loses, what a round costs, and how far the truth is from the forecast."""
    game, grid, worth = shown.game, shown.grid, shown.worth
    best = int(worth.argmax())
    promised = int((shown.reward @ shown.told).argmax())
    return Numbers(
        shown,
        points=game.size,
        side=len(grid),
        lengthscale=game.lengthscale,
        noise=game.noise,
        norm=shown.norm,
        B=game.norm,
        radius=game.radius,
        told=float(grid[promised]),
        true=float(grid[best]),
        loss=float(worth[best] - worth[promised]),
        chance=float(worth[best] - worth.mean()),
        worst=float(worth[best] - worth.min()),
        distance=_apart(grid, shown.told, shown.true),
        steep=shown.steep,
    )


@figure(size=(7.6, 3.0))
def plans(canvas: Canvas, palette: Palette, shown: Delivery) -> None:
    """Rewards of two plans above both distributions, and the expected reward of every plan under either."""
    grid = canvas.add_gridspec(2, 2, height_ratios=(1.6, 1), width_ratios=(1.2, 1))
    top, right = canvas.add_subplot(grid[0, 0]), canvas.add_subplot(grid[:, 1])
    heaps = canvas.add_subplot(grid[1, 0], sharex=top)
    at, best = shown.grid, int(shown.worth.argmax())
    for k, (row, name) in enumerate(((0, "no slack"), (best, f"slack {at[best]:g}"))):
        top.plot(at, shown.reward[row], label=name, **charts.look(palette, k))
    width = 0.42 * (at[1] - at[0])
    laws = (("forecast", shown.told, palette.muted), ("truth", shown.true, palette.accent))
    for k, (name, law, color) in enumerate(laws):
        heaps.bar(at + (k - 0.5) * width, law, width, color=color, label=name)
        means = shown.reward @ law
        right.plot(at, means, color=color, ls=("--", "-")[k], label=f"under the {name}")
        right.plot(at[means.argmax()], means.max(), "so"[k], color=color, ms=7, clip_on=False, zorder=4)
    top.tick_params(labelbottom=False)
    top.set_ylabel("reward")
    charts.name_axes(heaps, "traffic c", "probability")
    charts.name_axes(right, "slack x", "expected reward")
    for axes in (top, heaps, right):
        axes.legend(fontsize=8)


def played(
    shown: Delivery, radius: float, seen: Indices, noise: Floats, until: int | None = None, learns: bool = False
) -> tuple[Any, Floats]:
    """The page's listing, many runs at once: the decisions (T, runs), and the upper confidence bound (runs, 21, 21) after them.

    Parameters
    ----------
    radius : zero is ERBO
    seen, noise : (runs, T) of every round
    until : rounds played, by default all
    learns : whether the traffic seen is added to the forecast, which counts :data:`DAYS`
    """
    size, runs = len(shown.grid), len(seen)
    told = np.tile(shown.told, (runs, 1))
    model = FinitePosterior(covariance_of(shown.game), shown.game.lam, replicates=runs, capacity=seen.shape[1])
    chosen: list[Indices] = []
    rounds = seen.shape[1] if until is None else until
    for t in range(rounds + 1):
        mean, sd = (table.reshape(runs, size, size) for table in (model.mean, model.sd))
        state = Round(t, mean, sd, np.full(runs, WIDTH), told / told.sum(axis=1, keepdims=True), radius)
        if t == rounds:
            break
        state.decide("lipschitz", shown.grid[:, None], np.random.default_rng(0))
        # Rounding must not decide between decisions that are worth the same, as all are before the first evaluation.
        chosen.append(state.acquisition.round(9).argmax(axis=1))
        model.observe(size * chosen[-1] + seen[:, t], shown.reward[chosen[-1], seen[:, t]] + noise[:, t])
        told[np.arange(runs), seen[:, t]] += learns / DAYS
    return np.array(chosen), state.upper


def of_the_page(shown: Delivery) -> tuple[Indices, Floats]:
    """Contexts and noise (1, 50) of the run that the page makes."""
    rng = np.random.default_rng(SEED)
    seen = rng.choice(len(shown.grid), ROUNDS, p=shown.true)
    return seen[None], rng.normal(0, shown.game.noise, ROUNDS)[None]


@dataclass(frozen=True, eq=False)
class Repeats:
    """(runs,) cumulative regret and share of tight plans of the three rules, on common contexts and noise."""

    regret: dict[str, Floats]
    tight: dict[str, Floats]


@recorded(first="seed", count="runs", fixed=(0,))
def repeats(seed: int, runs: int, radius: float, noise: float, rounds: int = ROUNDS, right: bool = False) -> Repeats:
    """The page's listing on other contexts and noise; ``right``: with the forecast for the truth."""
    shown = delivery(radius, noise)
    shown = replace(shown, true=shown.told) if right else shown
    rules = {"erbo": (0.0, False), "wdrbo": (radius, False), "updated": (0.0, True)}
    return _repeated(shown, seed, runs, noise, rounds, rules)


def _repeated(
    shown: Delivery, seed: int, runs: int, noise: float, rounds: int, rules: Mapping[str, tuple[float, bool]]
) -> Repeats:
    """Runs of rules, each a radius and whether its reference learns."""
    streams = [stream(seed + run, "wdrbo", "listing") for run in range(runs)]
    seen = np.array([each.choice(len(shown.grid), rounds, p=shown.true) for each in streams])
    errors = np.array([each.normal(0, noise, rounds) for each in streams])
    regret, tight = {}, {}
    for rule, (radius, learns) in rules.items():
        chosen, _ = played(shown, radius, seen, errors, learns=learns)
        regret[rule] = (shown.worth.max() - shown.worth[chosen]).sum(axis=0)
        tight[rule] = (shown.grid[chosen] <= TIGHT).mean(axis=0)
    return Repeats(regret, tight)


def repeat_numbers(study: Repeats) -> Numbers:
    """Mean regrets with standard errors, and shares of tight plans; in how many runs WDRBO has less regret than ERBO."""
    better = int((study.regret["wdrbo"] < study.regret["erbo"]).sum())
    means = {rule: float(values.mean()) for rule, values in study.regret.items()}
    errors = {f"{rule}_se": float(values.std(ddof=1) / len(values) ** 0.5) for rule, values in study.regret.items()}
    tight = {f"{rule}_tight": float(values.mean()) for rule, values in study.tight.items()}
    largest = max(errors.values())
    return Numbers(study, runs=len(study.regret["erbo"]), better=better, largest_se=largest, **means, **errors, **tight)


def break_even(costs: Floats, gains: Floats) -> tuple[float, float]:
    r"""The chance :math:`p` of a wrong forecast from which a rule beats another, and its standard error.

    With mean cost :math:`a` if the forecast is right and mean gain :math:`b` if it is wrong, :math:`p=a/(a+b)` solves
    :math:`pb=(1-p)a`. The error is that of the mean of its linearisation, as both worlds share the streams of the runs.

    Parameters
    ----------
    costs, gains : (runs,) regret of the rule minus the other's where the forecast is right, and the reverse where it is wrong
    """
    a, b = costs.mean(), gains.mean()
    influence = (b * costs - a * gains) / (a + b) ** 2
    return float(a / (a + b)), float(influence.std(ddof=1) / len(costs) ** 0.5)


def break_evens(seed: int, runs: int, radius: float, noise: float) -> Numbers:
    """From which chance of the page's truth, against the forecast, each rule beats another one; with standard errors."""
    regret, sources = [], []
    for right in (True, False):
        full, half = (repeats(seed, runs, size, noise, right=right) for size in (radius, radius / 2))
        regret.append(full.regret | {"half": half.regret["wdrbo"]})
        sources += [full, half]
    told, true = regret
    values = {}
    for rule, than in (("updated", "erbo"), ("wdrbo", "erbo"), ("wdrbo", "updated"), ("half", "updated")):
        found = break_even(told[rule] - told[than], true[than] - true[rule])
        values[f"{rule}_{than}"], values[f"{rule}_{than}_se"] = found
    return Numbers(*sources, **values)


#: Rules of the study of insurances, as the page's figure calls them; (radius over the page's, learns).
INSURANCES = {
    "ERBO": (0.0, False),
    "WDRBO": (1.0, False),
    "half the radius": (0.5, False),
    "forecast updated": (0.0, True),
}


@dataclass(frozen=True, eq=False)
class Insurances:
    """Mean regrets (with intervals) of four rules under truths from the forecast to beyond the page's.

    Parameters
    ----------
    rows : widens (whether the truth's spread grows too), along, distance, rule, regret, low, high
    """

    rows: pd.DataFrame
    runs: int
    radius: float

    def meets(self, rule: str, other: str) -> tuple[float, ...]:
        """Distance and mean regret where, on the way to the page's truth and beyond, the second rule last becomes the worse."""
        rows = self.rows[self.rows.widens]
        one, two = (rows[rows.rule == name] for name in (rule, other))
        at, first, second = one.distance.to_numpy(), one.regret.to_numpy(), two.regret.to_numpy()
        lead = first - second
        k = int(np.flatnonzero((lead[:-1] > 0) & (lead[1:] <= 0))[-1])
        share = lead[k] / (lead[k] - lead[k + 1])
        return tuple(float(each[k] + share * (each[k + 1] - each[k])) for each in (at, first))

    def of(self, rule: str, along: float, widens: bool = True) -> float:
        """Mean regret."""
        part = self.rows[(self.rows.rule == rule) & (self.rows.along == along) & (self.rows.widens == widens)]
        return float(part.regret.iloc[0])


@recorded(first="seed", count="runs", fixed=(0,))
def insurances(seed: int, runs: int, radius: float, noise: float, rounds: int = ROUNDS) -> Insurances:
    """The listing where the truth's mean and spread move along the way from the forecast, or its mean only."""
    shown, rows = delivery(radius, noise), []
    rules = {rule: (share * radius, learns) for rule, (share, learns) in INSURANCES.items()}
    for widens in (True, False):
        for along in ALONG if widens else ALONG[4:]:
            true = bell(shown.grid, 0.5 + 0.1 * along, 0.1 + 0.1 * along * widens)
            found = _repeated(replace(shown, true=true), seed, runs, noise, rounds, rules)
            place = {"widens": widens, "along": along, "distance": _apart(shown.grid, shown.told, true)}
            rows += [
                {**place, "rule": rule, **mean_interval(values).columns("regret")}
                for rule, values in found.regret.items()
            ]
    return Insurances(pd.DataFrame(rows), runs, radius)


def insurance_numbers(study: Insurances) -> Numbers:
    """Of each insurance: what it costs if the forecast is right, and what it gains under the page's truth, over ERBO."""
    values: dict[str, object] = {}
    for name, rule in (("full", "WDRBO"), ("half", "half the radius"), ("updated", "forecast updated")):
        values[f"{name}_costs"] = study.of(rule, 0.0) - study.of("ERBO", 0.0)
        values[f"{name}_gains"] = study.of("ERBO", 1.0) - study.of(rule, 1.0)
        values[f"{name}_most"] = max(study.of(rule, at) - study.of("ERBO", at) for at in ALONG)
        values |= {f"{name}_moved_{at:g}".replace(".", "_"): study.of(rule, at, False) for at in ALONG[4:]}
        values[f"{name}_far"] = study.of(rule, ALONG[-1])
    moved = {f"erbo_moved_{at:g}".replace(".", "_"): study.of("ERBO", at, False) for at in ALONG[4:]}
    return Numbers(
        study,
        runs=study.runs,
        radius=study.radius,
        erbo_far=study.of("ERBO", ALONG[-1]),
        widest=float((study.rows.high - study.rows.low).max() / 2),
        **moved,
        **values,
    )


@dataclass(frozen=True, eq=False)
class OneRound:
    """A round of the page's run of WDRBO.

    Parameters
    ----------
    upper : (21, 21) upper confidence bound, and ``lipschitz`` (21,), its steepest slopes in the context
    choice : index of ERBO's choice, WDRBO's, and the exact worst case's
    picture : the first two as steep and gentle decision of a ball
    """

    shown: Delivery
    upper: Floats
    lipschitz: Floats
    choice: dict[str, int]
    picture: Picture


@recorded(first=4, fixed=(0,))
def one_round(radius: float, noise: float) -> OneRound:
    """The state of the page's run after a dozen rounds, and what three rules choose there."""
    shown = delivery(radius, noise)
    _, (upper,) = played(shown, radius, *of_the_page(shown), until=PAIRS)
    at, steep, means = shown.grid[:, None], lipschitz_constant(upper, shown.grid[:, None]), upper @ shown.told
    exact = wasserstein(upper, at, shown.told, radius).value
    values = {"erbo": means, "wdrbo": means - radius * steep, "exact": exact}
    choice = {name: int(each.argmax()) for name, each in values.items()}
    two = [choice["erbo"], choice["wdrbo"]]
    worst = wasserstein(upper[two[:1]], at, shown.told, radius).weights[0]
    exacts = np.stack([wasserstein(upper[two], at, shown.told, float(r)).value for r in RADII], axis=1)
    penalised = means[two, None] - RADII * steep[two, None]
    picture = Picture(
        shown.grid, upper[two], shown.told, worst, means[two], steep[two], exacts, penalised, radius,
        tuple(f"slack {shown.grid[x]:.2g}" for x in two),
    )  # fmt: skip
    return OneRound(shown, upper, steep, choice, picture)


def round_numbers(found: OneRound) -> Numbers:
    """Choices, their steepest slopes and their regrets."""
    shown = found.shown
    lost = shown.worth.max() - shown.worth
    values: dict[str, object] = {}
    for name, x in found.choice.items():
        values |= {
            name: float(shown.grid[x]),
            f"{name}_steep": float(found.lipschitz[x]),
            f"{name}_regret": float(lost[x]),
        }
    return Numbers(found, pairs=PAIRS, flattest=float(shown.grid[found.lipschitz.argmin()]), **values)


@recorded(first="seed")
def radii(seed: int, runs: int, rounds: int, noise: float) -> Numbers:
    """Radii after as many contexts as there are rounds: (16) with a covering number of one, needed in the runs, and used."""
    game = games(seed, runs, rounds, 0.0, noise)[1]
    actions = covering_points(1.0, 1.0 / rounds, game.decision_dim)
    return Numbers(
        n=rounds,
        share=SHARE,
        single=radius_of(rounds, game.context_diameter, game.delta, actions),
        needed=empirical_constant(game, SHARE, truths=1) / rounds**0.5,
        used=PRACTICE / rounds**0.5,
    )
