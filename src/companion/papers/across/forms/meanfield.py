"""Chapter 4, mean-field Bayesian optimisation: bounds on the expected regret for draws of a game's prior."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from companion.core.arrays import Floats
from companion.papers.across.forms.form import Case, Checked, Form, fact, gaussian_noise, trusted
from companion.papers.meanfield.method.widths import JointActionWidth, PracticeWidth
from companion.papers.meanfield.theory import bounds

by_optimism = trusted("laws maximise the optimistic payoff averaged under the law")


def roundings(pieces: bounds.Pieces, farthest: int) -> Floats:
    """(farthest,) ``corrected_discretisation`` of the paper's bounds at every T, as one cumulative sum."""
    t = np.arange(1.0, farthest + 1.0)
    cuts = np.maximum(2.0, np.ceil(pieces.size * t**2 * pieces.slope))
    spread = np.sqrt(2.0 * (math.log(2.0 * pieces.size) + pieces.size * np.log(cuts)))
    second = math.sqrt(pieces.variance) * pieces.actions * np.cumsum(spread / (2.0 * cuts))
    return np.asarray(math.pi**2 / 12.0 + second)


def printed(case: Case) -> float:
    """Theorem 4.1 with its constants."""
    game = case.known_game()
    return bounds.printed_bound(game.pieces, case.horizon, case.noise**2, game.gain(case.horizon)).total


def repaired(case: Case, multiplier: str = "root") -> float:
    """Theorem 4.1 repaired; the rounding's cost comes with the game, since summing it anew for every T takes long."""
    game, pieces = case.known_game(), case.known_game().pieces
    beta = pieces.beta(case.horizon, "corrected")
    width = math.sqrt(beta) if multiplier == "root" else beta
    factor = bounds.gain_factor(pieces.variance, case.noise**2)
    explored = width * math.sqrt(case.horizon * factor * game.gain(case.horizon))
    optimism = math.sqrt(pieces.variance) * math.pi**2 / 6.0
    return bounds.Bound(game.rounding(case.horizon), optimism, explored).total


def width(reading: str, case: Case) -> float:
    """Width of round T."""
    return case.known_game().pieces.width(reading)(case.horizon)


def joint_width(case: Case) -> float:
    """Width of GP-UCB on joint actions."""
    game = case.known_game()
    assert game.agents is not None
    return JointActionWidth(game.pieces.actions, game.agents)(case.horizon)


def _parts(case: Case) -> Checked:
    text = "every coordinate is cut into at least two parts in every round"
    cuts = case.known_game().pieces.cuts(1)
    return fact(text, cuts >= 2.0, f"{cuts:.4g} in round 1")


def _unit(case: Case) -> Checked:
    text = "the prior variance of the payoff is at most 1"
    largest = case.known_game().pieces.variance
    return fact(text, largest <= 1.0, f"{largest:.4g}")


def _agents(case: Case) -> Checked:
    text = "a known number of agents"
    agents = case.known_game().agents
    if agents is None:
        return fact(text, False, "none is given: agents")
    return fact(text, True, f"{agents:,}")


def _symbols(reading: str, case: Case) -> dict[str, float]:
    game = case.known_game()
    return {
        "beta_T": game.pieces.beta(case.horizon, reading),
        "tau_T": game.pieces.cuts(case.horizon, reading),
        "a": game.pieces.a,
        "b": game.pieces.b,
        "gamma_T": game.gain(case.horizon),
    }


_ALWAYS: Any = {"paper": "meanfield", "rule": "MF-GP-UCB", "model": "game"}
_REGRET: Any = {**_ALWAYS, "quantity": "regret"}
_WIDTH: Any = {**_ALWAYS, "quantity": "width"}

FORMS = (
    Form(
        "meanfield/thm-4.1/width-printed",
        ledger="A2-law",
        place="Theorem 4.1, beta",
        title="beta_T itself, as printed",
        reading="printed",
        value=partial(width, "printed"),
        assumes=(gaussian_noise, _parts),
        symbols=partial(_symbols, "printed"),
        **_WIDTH,
    ),
    Form(
        "meanfield/thm-4.1/width-repaired",
        ledger="thm-4.1-corrected",
        place="Theorem 4.1, root of beta",
        title="the root of beta_T, which its proof needs",
        reading="repaired",
        value=partial(width, "corrected"),
        assumes=(gaussian_noise,),
        symbols=partial(_symbols, "corrected"),
        **_WIDTH,
    ),
    Form(
        "meanfield/joint-actions",
        ledger="",
        place="joint actions",
        title="on all joint actions of the agents",
        reading="repaired",
        value=joint_width,
        assumes=(gaussian_noise, _agents),
        **{**_WIDTH, "rule": "naive GP-UCB"},
    ),
    Form(
        "meanfield/experiments",
        ledger="",
        place="experiments",
        title="3 of our experiments, which no theorem covers; the paper does not print its own",
        reading="experiment",
        value=lambda case: PracticeWidth()(case.horizon),
        **_WIDTH,
    ),
    Form(
        "meanfield/thm-4.1/printed",
        ledger="thm-4.1-explicit-printed",
        place="Theorem 4.1",
        title="with its constants",
        reading="printed",
        value=printed,
        assumes=(gaussian_noise, by_optimism, _unit, _parts),
        symbols=partial(_symbols, "printed"),
        **_REGRET,
    ),
    Form(
        "meanfield/thm-4.1/repaired",
        ledger="thm-4.1-corrected",
        place="Theorem 4.1, root of beta",
        title="with the root of beta as the width",
        reading="repaired",
        value=repaired,
        assumes=(gaussian_noise, by_optimism),
        symbols=partial(_symbols, "corrected"),
        **_REGRET,
    ),
    Form(
        "meanfield/thm-4.1/repaired-beta",
        ledger="thm-4.1-corrected",
        place="Theorem 4.1, beta",
        title="with beta itself as the width, as the algorithm is printed",
        reading="repaired",
        value=partial(repaired, multiplier="beta"),
        assumes=(gaussian_noise, by_optimism),
        symbols=partial(_symbols, "corrected"),
        **_REGRET,
    ),
)
