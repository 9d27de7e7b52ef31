"""The widths and bounds of the paper as objects: on the expected regret, for draws of a game's prior."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from companion.bounds.assumption import Premise
from companion.bounds.bound import GAUSSIAN_NOISE, Bound, BoundSetting
from companion.papers.meanfield.method.widths import JointActionWidth, PracticeWidth
from companion.papers.meanfield.theory import bounds


def _pieces(s: BoundSetting) -> bounds.Pieces:
    found: bounds.Pieces = s.known("game").pieces
    return found


def _gain(s: BoundSetting) -> float:
    return float(s.known("game").gain(s.horizon))


def _printed_regret(s: BoundSetting) -> float:
    return bounds.printed_bound(_pieces(s), s.horizon, s.noise**2, _gain(s)).total


def _repaired_regret(s: BoundSetting, multiplier: str = "root") -> float:
    """Theorem 4.1 repaired; the rounding's cost comes with the game, since summing it anew for every T takes long."""
    cost = s.known("game").rounding(s.horizon)
    return bounds.corrected_bound(_pieces(s), s.horizon, s.noise**2, _gain(s), multiplier, cost).total


def _width(reading: str, s: BoundSetting) -> float:
    """Width of round T."""
    return _pieces(s).width(reading)(s.horizon)


def _joint_width(s: BoundSetting) -> float:
    return JointActionWidth(_pieces(s).actions, s.known("game").agents)(s.horizon)


def _symbols(reading: str, s: BoundSetting) -> Mapping[str, float]:
    pieces = _pieces(s)
    return {
        "beta_T": pieces.beta(s.horizon, reading),
        "tau_T": pieces.cuts(s.horizon, reading),
        "a": pieces.a,
        "b": pieces.b,
        "gamma_T": _gain(s),
    }


_BY_OPTIMISM = Premise("laws maximise the optimistic payoff averaged under the law")
_PARTS = Premise(
    "every coordinate is cut into at least two parts in every round",
    lambda s: _pieces(s).cuts(1) >= 2.0,
    seen=lambda s: f"{_pieces(s).cuts(1):.4g} in round 1",
)
_UNIT = Premise(
    "the prior variance of the payoff is at most 1",
    lambda s: _pieces(s).variance <= 1.0,
    seen=lambda s: f"{_pieces(s).variance:.4g}",
)
_AGENTS = Premise(
    "a known number of agents",
    lambda s: s.game.agents is not None,
    seen=lambda s: "none is given: agents" if s.game.agents is None else f"{s.game.agents:,}",
)


_bound = partial(Bound, paper="meanfield", rule="MF-GP-UCB", model="game", assumes=(GAUSSIAN_NOISE,))
_printed = partial(_bound, symbols=partial(_symbols, "printed"))
_repaired = partial(_bound, reading="repaired", symbols=partial(_symbols, "corrected"), entry="thm-4.1-corrected")
_regret = partial(_repaired, assumes=(GAUSSIAN_NOISE, _BY_OPTIMISM))

#: The paper's widths and bounds, in its order.
BOUNDS = (
    _printed(
        *("thm-4.1/width-printed", "Theorem 4.1, beta", "beta_T itself, as printed", partial(_width, "printed")),
        quantity="width",
        assumes=(GAUSSIAN_NOISE, _PARTS),
        entry="A2-law",
    ),
    _repaired(
        *("thm-4.1/width-repaired", "Theorem 4.1, root of beta", "the root of beta_T, which its proof needs"),
        partial(_width, "corrected"),
        quantity="width",
    ),
    _bound(
        *("joint-actions", "joint actions", "on all joint actions of the agents", _joint_width),
        quantity="width",
        rule="naive GP-UCB",
        reading="repaired",
        assumes=(GAUSSIAN_NOISE, _AGENTS),
    ),
    _bound(
        *("experiments", "experiments"),
        "3 of our experiments, which no theorem covers; the paper does not print its own",
        lambda s: PracticeWidth()(s.horizon),
        quantity="width",
        reading="experiment",
        assumes=(),
    ),
    _printed(
        *("thm-4.1/printed", "Theorem 4.1", "with its constants", _printed_regret),
        assumes=(GAUSSIAN_NOISE, _BY_OPTIMISM, _UNIT, _PARTS),
        entry="thm-4.1-explicit-printed",
        order=True,
    ),
    _regret("thm-4.1/repaired", "Theorem 4.1, root of beta", "with the root of beta as the width", _repaired_regret),
    _regret(
        *("thm-4.1/repaired-beta", "Theorem 4.1, beta"),
        "with beta itself as the width, as the algorithm is printed",
        partial(_repaired_regret, multiplier="beta"),
    ),
)
