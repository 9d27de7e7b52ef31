"""What may be set in chapter 6's experiments and in its notebook: default, range, meaning and source of each."""

from __future__ import annotations

from dataclasses import dataclass

from companion.core.profiles import Parameter, ParameterSet, choice, count, number, positive, whole
from companion.gp.kernels import KERNEL_NAMES
from companion.papers.across.experiments.problems import PROBLEMS, SIZE
from companion.papers.batched.problems.catalogue import ROBUST_PROBLEMS

OURS = "companion"
HORIZON, INITIAL = 125, 5
COMMON_WIDTH = 2.0
"""Multiplier of the posterior standard deviation where all methods have one."""
WIDTHS = ("common", "own")


@dataclass(frozen=True)
class Methods:
    """All rules on common problems."""

    problem: str = choice(PROBLEMS[0], PROBLEMS, "function and model, on 400 candidates", "all five papers")
    horizon: int = whole(HORIZON, "evaluations T, initial points included", OURS, 2, 100_000)
    initial: int = whole(INITIAL, "random points, which bpe does without", OURS, 1, SIZE)
    batch_size: int = whole(1, "points a round after the initial ones", OURS, 1, 1000)
    width: str = choice(WIDTHS[0], WIDTHS, "common: multiplier, for all; own: that of the method's experiments", OURS)
    multiplier: float = number(COMMON_WIDTH, "width with width=common, standard deviations", OURS)
    budget: float | None = number(
        None,
        "budget of compressed-ucb, nats, 0 to keep everything; that of the horizon by default",
        "Theorem 3.1",
        high=10.0,
        low_open=False,
    )


@dataclass(frozen=True)
class Displacement:
    """Robust rules and plain ones."""

    problem: str = choice(ROBUST_PROBLEMS[0], ROBUST_PROBLEMS, "function whose robust optimum is another one", OURS)
    horizon: int = whole(HORIZON, "evaluations T", OURS, 2, 100_000)
    multiplier: float = number(COMMON_WIDTH, "width of all methods, standard deviations", OURS)


@dataclass(frozen=True)
class Contexts:
    """A ball of laws around the told one."""

    shift: str = choice("none", ("none", "worst"), "true law: the one told, or the worst of the ball", "Sec. 3")
    radius: float = number(0.2, "radius of the ball, contexts in [0, 1]", OURS)
    horizon: int = whole(60, "rounds T", OURS, 2, 10_000)
    decisions: int = whole(20, "decisions in [0, 1]", OURS, 2, 200)
    contexts: int = whole(12, "contexts in [0, 1]", OURS, 2, 200)


@dataclass(frozen=True)
class Agents:
    """Laws for a population against joint actions."""

    agents: int = whole(50, "M", "Sec. 5", 1, 10_000)
    horizon: int = whole(60, "rounds T", OURS, 11, 10_000)


#: Mirrors the notebook's parameters cell, where meanings and units stand; a test compares names and defaults.
CHAPTER = ParameterSet(
    (
        count("seed", 0, 0, 2**31 - 1),
        Parameter("kernel", "str", "matern52", "", "companion", choices=KERNEL_NAMES),
        positive("lengthscale", 0.3, 10.0),
        count("dim", 1, 1, 3),
        count("points", 40, 2, 100),
        Parameter("noise", "float", 0.1, "", "companion", low=1e-3, high=10.0),
        positive("norm", 1.0, 100.0),
        Parameter("delta", "float", 0.1, "", "companion", low=1e-6, high=0.5),
        count("horizon", 100, 2, 500),
        positive("width", 2.0, 1e3),
        count("runs", 200, 5, 1000),
    )
)
