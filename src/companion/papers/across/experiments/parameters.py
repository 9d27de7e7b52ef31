"""Parameters of chapter 6's experiments and of its notebook: default, range, meaning and source of each."""

from __future__ import annotations

from dataclasses import dataclass

from companion.core.parameters import Parameter, ParameterSet, choice, count, number, positive, whole
from companion.gp.kernels import KERNEL_NAMES
from companion.papers.across.problems.functions import FUNCTIONS, HORIZON, INITIAL, SIZE
from companion.papers.batched.problems.catalogue import ROBUST_PROBLEMS

OURS = "companion"
#: Multiplier of the posterior standard deviation where points may be displaced.
COMMON_WIDTH = 2.0


@dataclass(frozen=True)
class Methods:
    """All rules on the functions of the study."""

    problem: str = choice("norm-matern25-2d", tuple(FUNCTIONS), "function and model, on 400 candidates", OURS)
    horizon: int = whole(HORIZON, "plays T, initial points included", OURS, 2, 100_000)
    initial: int = whole(INITIAL, "random points, which bpe does without", OURS, 1, SIZE)
    noise: float = number(0.1, "standard deviation over the range of f, known to the model", OURS, 1e-3, 10.0)
    batch_size: int = whole(1, "points a round after the initial ones", OURS, 1, 1000)
    multiplier: float | None = number(
        None, "width, standard deviations, or scale of draws; 2 and 1 by default", OURS, high=1e3
    )
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
    horizon: int = whole(125, "evaluations T", OURS, 2, 100_000)
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
        Parameter("kernel", "str", "se", "", "companion", choices=KERNEL_NAMES),
        positive("lengthscale", 0.12, 10.0),
        count("dim", 1, 1, 3),
        count("points", 101, 2, 200),
        Parameter("noise", "float", 0.1, "", "companion", low=1e-3, high=10.0),
        positive("norm", 2.0, 100.0),
        Parameter("delta", "float", 0.1, "", "companion", low=1e-6, high=0.5),
        count("horizon", 40, 2, 500),
        positive("width", 2.0, 1e3),
        count("runs", 200, 5, 1000),
        Parameter("batch", "int", 10, "", "companion", choices=(1, 5, 10), low=1, high=10),
    )
)
