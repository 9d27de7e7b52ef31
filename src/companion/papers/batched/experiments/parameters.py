"""Parameters of chapter 3's experiments and notebook: default, range, meaning and source of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from companion.core.parameters import ParameterSet, choice, count, number, positive, setting, whole
from companion.papers.batched.problems.catalogue import CONSTRUCTIONS, ROBUST_PROBLEMS

OURS = "companion"
KERNELS = ("se", "matern32", "matern52")
#: Rounds; beyond it the engine's rows no longer fit an ordinary machine.
LONGEST = 100_000


def _number(default: Any, text: str, source: str, low: float = 0.0, high: float = 100.0, **limits: Any) -> Any:
    return number(default, text, source, low, high, **limits)


def _horizon(default: int, source: str) -> Any:
    return whole(default, "number of evaluations T, rounds", source, 2, LONGEST)


def _noise(default: float, source: str) -> Any:
    return _number(default, "noise standard deviation, units of f; the model uses its square", source, 1e-6)


_SCHEDULE = choice(
    "power",
    ("original", "power", "constant"),
    "batch sizes: original is eq. (5), power is eq. (6), constant fixes B by end points",
    "Sec. 3, App. D.1.2",
)
_A = _number(
    0.4, "a of N_i = min{ceil(T^(1-a^i)), rest}; schedule=power only", "Sec. 3.2, App. E", high=1.0, high_open=True
)
_BATCHES = whole(4, "number of batches B; schedule=constant only", "App. D.1.2", 2, 50)
_WIDTH = choice(
    "theory",
    ("theory", "fixed"),
    "theory is the width the theorems assume, fixed is multiplier",
    "App. A; fixed: companion",
)
_MULTIPLIER = _number(2.0, "number of posterior standard deviations; width=fixed only", OURS)
_DELTA = _number(0.1, "failure probability of the theory width", OURS, high=1.0, high_open=True)


@dataclass(frozen=True)
class AppendixE:
    """Appendix E."""

    kernel: str = choice("matern32", KERNELS, "kernel of the draw and of the model", "App. E")
    schedule: str = _SCHEDULE
    a: float = _A
    batches: int = _BATCHES
    horizon: int = _horizon(1000, "App. E")
    noise: float = _noise(0.02, "App. E")
    points_per_axis: int = whole(50, "grid points per axis of [-5, 5]^2", "App. E; end points: companion", 2, 70)
    draw_lengthscale: float = _number(2.0, "length-scale of the drawn function, units of the domain", "App. E")
    model_lengthscale: float = _number(0.5, "length-scale of the model, units of the domain", "App. E")
    beta: float = _number(2.0, "the experiments' fixed beta, no unit", "App. E")
    ties: str = choice(
        "lowest",
        ("lowest", "random"),
        "which of several candidates of equal variance is evaluated: lowest index, or lowest after a random relabelling",
        "App. E leaves it open; companion",
    )
    function_seed: int | None = whole(
        None,
        "seed of the drawn function; the trial's own seed when unset. Set it to repeat trials on one function",
        "App. E leaves open whether its ten trials share a function; companion",
        0,
        2**31,
    )
    reading: str = choice(
        "text",
        ("text", "multiplier"),
        "text: bounds reach sqrt(beta) standard deviations, as in eqs. (17)-(18); multiplier: beta of them",
        "App. A, App. E",
    )


@dataclass(frozen=True)
class KnownNorm:
    """BPE on functions of exactly known norm."""

    kernel: str = choice("matern52", ("se", "matern12", *KERNELS[1:]), "kernel of the function and of the model", OURS)
    lengthscale: float = _number(0.2, "length-scale, units of the domain [0, 1]^dim", OURS)
    dim: int = whole(1, "dimension of the domain", OURS, 1, 3)
    points_per_axis: int = whole(60, "grid points per axis", OURS, 2, 5000)
    construction: str = choice("expansion", CONSTRUCTIONS, "how the random function is made", OURS)
    norm: float = _number(1.0, "RKHS norm Psi of the function, units of f", "Sec. 2.1; value: companion")
    schedule: str = _SCHEDULE
    a: float = _A
    batches: int = _BATCHES
    horizon: int = _horizon(1000, OURS)
    noise: float = _noise(0.1, OURS)
    width: str = _WIDTH
    multiplier: float = _MULTIPLIER
    delta: float = _DELTA


@dataclass(frozen=True)
class Robust:
    """Robust regret; ``xi`` unset is the problem's own."""

    problem: str = choice("toy-1d", ROBUST_PROBLEMS, "which fixed function", OURS)
    xi: float | None = setting(
        None,
        "largest displacement, units of the domain; the problem's own when unset (0.06 and 0.15)",
        "Sec. 2.2; value: companion",
        low=0.0,
        high=1.0,
    )
    horizon: int = _horizon(1000, OURS)
    a: float = _number(
        0.6, "a of N_i = min{ceil(T^(1-a^i)), rest}", "Theorem 3; value: companion", high=1.0, high_open=True
    )
    noise: float = _noise(0.1, OURS)
    width: str = _WIDTH
    multiplier: float = _MULTIPLIER
    delta: float = _DELTA
    base_point: str = choice(
        "best",
        ("best", "lowest"),
        "which active point is charged for a displaced one: best guarantee so far, or lowest index",
        "Sec. 2.2 leaves it open; companion",
    )


@dataclass(frozen=True)
class HardClass:
    """The functions behind Theorem 2."""

    kernel: str = choice("matern32", ("se", "matern12", *KERNELS[1:]), "kernel of the class and of the model", OURS)
    lengthscale: float = _number(0.2, "length-scale, units of the domain [0, 1]^dim", OURS)
    dim: int = whole(1, "dimension of the domain", OURS, 1, 2)
    norm: float = _number(1.0, "largest RKHS norm Psi, units of f", "Sec. 4; value: companion")
    batches: int = whole(3, "number of batches B", "Theorem 2; value: companion", 2, 50)
    class_number: int = whole(1, "i of the class F_i, from 1 to batches", "App. B.2.2", 1, 50)
    member: int = whole(0, "m of the function f_m, from 0; -1 is the zero function", "App. B.2.1", -1, 5000)
    points_per_cell: int = whole(3, "grid points per cell and axis, odd", OURS, 1, 99)
    horizon: int = _horizon(2000, OURS)
    noise: float = _noise(1.0, OURS)
    width: str = _WIDTH
    multiplier: float = _MULTIPLIER
    delta: float = _DELTA


#: Mirrors the notebook's parameters cell, where meanings and units stand; a test compares names and defaults.
CHAPTER = ParameterSet(
    (
        count("seed", 0, 0, 2**31),
        count("horizon", 1000, 30, 20_000),
        positive("delta", 0.1, 1.0, high_open=True),
        positive("norm", 1.0, 100.0),
        positive("noise", 0.1, 10.0),
        count("coverage_runs", 200, 2, 100_000),
        count("rate_horizon", 8000, 1000, 100_000),
        count("rate_repeats", 8, 2, 1000),
        count("class_horizon", 2000, 200, 20_000),
        count("class_seeds", 2, 1, 1000),
        count("class_functions", 8, 1, 1000),
        count("robust_horizon", 1000, 60, 20_000),
        count("robust_seeds", 5, 2, 1000),
        count("example_seeds", 8, 1, 1000),
        count("live_functions", 2, 1, 200),
    )
)
