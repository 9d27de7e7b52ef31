"""Common parts of the statements about regret: configurations of the simulator, and both sides of the bounds in every round."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

import numpy as np

from companion.checks.cases import Case, at_most, probability
from companion.checks.statement import need
from companion.core.arrays import Floats
from companion.papers.wdrbo.checks.regret_arms import ArmRuns, TwoArms, play_arms
from companion.papers.wdrbo.theory import bounds
from companion.papers.wdrbo.theory.runs import Game, Runs, play

#: Number of runs and rounds of a configuration, enough to notice a failure rate of twice 0.1.
RUNS, HORIZON = 220, 40

#: Regularisers at which the printed cumulative bound is too small.
TINY, SMALL = 1e-3, 1e-2

ROUNDING = 1e-9


@dataclass(frozen=True)
class DataGame(Game):
    r"""A data-driven game with the radius (16), the covering number replaced by 1, which it is never below.

    Parameters
    ----------
    scale : multiplies the radius
    """

    setting: str = "data"
    decay: float = 0.5
    scale: float = 1.0

    @property
    def where(self) -> str:
        """The configuration in words."""
        share = "" if self.scale == 1.0 else f" times {self.scale:g}"
        contexts = ", one context" if self.contexts == 1 else ""
        printed = f"radius {self.radius:g} t^-{self.decay:g}"
        return super().where.replace(printed, f"radius (16){share}") + contexts

    def radius_at(self, t: int) -> float:
        """epsilon_t from t - 1 contexts; the diameter in the first round."""
        if t == 1 or self.context_diameter == 0.0:
            return self.context_diameter
        spread = self.decision_dim**0.5 if self.decisions > 1 else 0.0
        actions = bounds.covering_points(spread, 1.0 / (t - 1), self.decision_dim)
        return self.scale * bounds.radius(t - 1, self.context_diameter, self.delta, actions)


def games(rule: str = "lipschitz") -> tuple[Game, ...]:
    """Configurations of the general setting: four kernels, three pairs of dimensions, four regularisers."""
    standard = Game(runs=RUNS, horizon=HORIZON, rule=rule)
    return (
        standard,
        replace(standard, lam=SMALL, noise=0.5, seed=1),
        replace(standard, kernel="matern32", lam=0.1, radius=0.3, decay=0.5, seed=2),
        replace(standard, kernel="matern52", decisions=8, contexts=4, context_dim=2, norm=2.0, seed=3),
        replace(standard, decisions=4, decision_dim=2, contexts=8, lam=4.0, law="sign", seed=4),
    )


def data_games() -> tuple[DataGame, ...]:
    """The same in the data-driven setting."""
    standard = DataGame(runs=RUNS, horizon=HORIZON)
    return (
        standard,
        replace(standard, kernel="matern32", lam=0.1, noise=0.5, seed=1),
        replace(standard, kernel="matern52", decisions=8, contexts=4, context_dim=2, lengthscale=0.6, seed=2),
        replace(standard, decisions=4, decision_dim=2, contexts=8, lam=4.0, law="sign", seed=3),
    )


def new_arms(lam: float, horizon: int = 50) -> Game:
    """One context, more orthonormal arms than rounds, no noise, all of f on the last arm: the others come first."""
    return Game(
        "independent",
        decisions=horizon + 1,
        contexts=1,
        lam=lam,
        noise=0.0,
        delta=0.05,
        horizon=horizon,
        runs=1,
        radius=0.0,
        truth="centre",
        function="last",
    )


def found(instance: Game | TwoArms) -> Runs | ArmRuns:
    """The runs of an instance; where there is one, it has no chance in it."""
    return play_arms(instance) if isinstance(instance, TwoArms) else play(instance)


#: The Lipschitz constants (runs, T) of a bound.
Steep = Callable[[Runs | ArmRuns], Floats]

AT_OPTIMUM: Steep = attrgetter("at_optimum")


def one_round_sides(
    instance: Game | TwoArms, factor: float, width: float, steep: Steep = AT_OPTIMUM, slack: Floats | float = 0.0
) -> tuple[Floats, Floats]:
    """Regret and right side ``width`` beta E sigma + ``factor`` (epsilon L + rho) of every round, both (runs, T)."""
    runs = found(instance)
    half = bounds.one_round(runs.beta, width / 2.0 * runs.mean_width, factor / 2.0 * runs.radius, steep(runs))
    return runs.regret, np.asarray(half + factor * np.asarray(slack))


def cumulative_sides(
    instance: Game | TwoArms,
    reading: str,
    *,
    factor: float = 1.0,
    penalty: float = 1.0,
    small_width: bool = True,
    slack: Floats | float = 0.0,
) -> tuple[Floats, Floats]:
    r"""R_T and the right side for every T up to the horizon, both (runs, T).

    Realised log determinants stand for the maximal ones, which makes the right sides smaller.

    Parameters
    ----------
    reading : of :func:`~companion.papers.wdrbo.theory.bounds.cumulative`
    factor, penalty : multiply the first term, and the sum of :math:`2\varepsilon_tL_t(x_t^*)`
    small_width : with ``ours``, keep :math:`C_\lambda` (otherwise it is replaced by 1)
    slack : rho_t
    """
    runs, lam = found(instance), instance.lam
    paid = np.cumsum(penalty * 2.0 * runs.radius * runs.at_optimum + 2.0 * np.asarray(slack), axis=1)
    after = np.concatenate([runs.log_det[:, 1:], runs.final_log_det[:, None]], axis=1)
    gain = runs.log_det
    if reading == "ours":
        gain = after if small_width else after / bounds.small_width_factor(lam)
    right = [
        bounds.cumulative(
            factor * runs.beta[:, t - 1],
            t,
            gain[:, t - 1],
            lam,
            instance.delta,
            paid[:, t - 1],
            reading,
            unchecked=True,
        )
        for t in range(1, gain.shape[1] + 1)
    ]
    return np.cumsum(runs.regret, axis=1), np.stack(right, axis=1)


def compared(instance: Any, left: Floats, right: Floats, share: float) -> Case:
    """One case: the worst round where there is no chance, otherwise the runs in which some round fails.

    Parameters
    ----------
    instance : a game
    left, right : (runs, T)
    share : allowed failure probability
    """
    if instance.runs == 1:
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(left[0] > 0, left[0] / right[0], 0.0)
        worst = int(ratio.argmax())
        return at_most(left[0, worst], right[0, worst], f"{instance.where}, at {worst + 1} rounds")
    failed = (left > right + ROUNDING * np.abs(right)).any(axis=1)
    return probability(int(failed.sum()), instance.runs, share, instance.where)


IN_BALL = need(
    r"the law of the context lies in the ball that the learner is told (stated in Algorithm 1, not in the theorem)",
    lambda g: isinstance(g, TwoArms) or g.setting == "general",
    DataGame(),
)
NORM = need(
    r"$f$ is a function of norm at most $B$, $k(z,z')\le1$ and $\lambda>0$",
    lambda g: g.lam > 0 and g.norm > 0,
    Game(lam=-1.0),
)
MAXIMISES = need(r"$x_t$ maximises (13)", lambda g: g.rule == "lipschitz", Game(rule="nominal"))
EXACT = need(r"$x_t$ maximises (8)", lambda g: g.rule == "exact", Game(rule="lipschitz"))
DATA = need(
    r"the contexts are independent draws from one law, and the centre is what was seen of them before the round",
    lambda g: g.setting == "data",
    Game(setting="general"),
)


def with_arms(*instances: TwoArms) -> Iterator[Game | TwoArms]:
    """The configurations of the general setting, then these."""
    yield from games()
    yield from instances
