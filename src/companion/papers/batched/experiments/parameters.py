"""What may be set in chapter 3's experiments and in its notebook: default, range, meaning and source of each."""

from __future__ import annotations

from companion.core.profiles import Parameter, ParameterSet, choice, count, positive, whole
from companion.papers.batched.problems.catalogue import CONSTRUCTIONS, ROBUST_PROBLEMS

OURS = "companion"
KERNELS = ("se", "matern32", "matern52")
LONGEST = 100_000  # rounds; beyond it the engine's rows no longer fit an ordinary machine


def _number(
    name: str, default: float, text: str, source: str, low: float = 0.0, high: float = 100.0, high_open: bool = False
) -> Parameter:
    """A number above zero, or of at least ``low`` when that is positive."""
    return Parameter(name, "float", default, text, source, low=low, high=high, low_open=low == 0.0, high_open=high_open)


A = _number(
    "a", 0.4, "a of N_i = min{ceil(T^(1-a^i)), rest}; schedule=power only", "Sec. 3.2, App. E", high=1.0, high_open=True
)
BATCHES = whole("batches", 4, "number of batches B; schedule=constant only", "App. D.1.2", 2, 50)
SCHEDULE = choice(
    "schedule",
    "power",
    ("original", "power", "constant"),
    "batch sizes: original is eq. (5), power is eq. (6), constant fixes B by end points",
    "Sec. 3, App. D.1.2",
)


def _horizon(default: int, source: str) -> Parameter:
    return whole("horizon", default, "number of evaluations T, rounds", source, 2, LONGEST)


def _noise(default: float, source: str) -> Parameter:
    return _number("noise", default, "noise standard deviation, units of f; the model uses its square", source, 1e-6)


def _widths(multiplier: float) -> tuple[Parameter, ...]:
    """What decides by how many posterior standard deviations the bounds reach."""
    return (
        choice(
            "width",
            "theory",
            ("theory", "fixed"),
            "theory is the width the theorems assume, fixed is multiplier",
            "App. A; fixed: companion",
        ),
        _number("multiplier", multiplier, "number of posterior standard deviations; width=fixed only", OURS),
        _number("delta", 0.1, "failure probability of the theory width", OURS, high=1.0, high_open=True),
    )


APPENDIX_E = ParameterSet(
    (
        choice("kernel", "matern32", KERNELS, "kernel of the draw and of the model", "App. E"),
        SCHEDULE,
        A,
        BATCHES,
        _horizon(1000, "App. E"),
        _noise(0.02, "App. E"),
        whole("points_per_axis", 50, "grid points per axis of [-5, 5]^2", "App. E; end points: companion", 2, 70),
        _number("draw_lengthscale", 2.0, "length-scale of the drawn function, units of the domain", "App. E"),
        _number("model_lengthscale", 0.5, "length-scale of the model, units of the domain", "App. E"),
        _number("beta", 2.0, "the experiments' fixed beta, no unit", "App. E"),
        choice(
            "ties",
            "lowest",
            ("lowest", "random"),
            "which of several candidates of equal variance is evaluated: lowest index, or lowest after a random relabelling",
            "App. E leaves it open; companion",
        ),
        Parameter(
            "function_seed",
            "int",
            None,
            "seed of the drawn function; the trial's own seed when unset. Set it to repeat trials on one function",
            "App. E leaves open whether its ten trials share a function; companion",
            low=0,
            high=2**31,
        ),
        choice(
            "reading",
            "text",
            ("text", "multiplier"),
            "text: bounds reach sqrt(beta) standard deviations, as in eqs. (17)-(18); multiplier: beta of them",
            "App. A, App. E",
        ),
    )
)

KNOWN_NORM = ParameterSet(
    (
        choice("kernel", "matern52", ("se", "matern12", *KERNELS[1:]), "kernel of the function and of the model", OURS),
        _number("lengthscale", 0.2, "length-scale, units of the domain [0, 1]^dim", OURS),
        whole("dim", 1, "dimension of the domain", OURS, 1, 3),
        whole("points_per_axis", 60, "grid points per axis", OURS, 2, 5000),
        choice("construction", "expansion", CONSTRUCTIONS, "how the random function is made", OURS),
        _number("norm", 1.0, "RKHS norm Psi of the function, units of f", "Sec. 2.1; value: companion"),
        SCHEDULE,
        A,
        BATCHES,
        _horizon(1000, OURS),
        _noise(0.1, OURS),
        *_widths(2.0),
    )
)

ROBUST = ParameterSet(
    (
        choice("problem", "toy-1d", ROBUST_PROBLEMS, "which fixed function", OURS),
        Parameter(
            "xi",
            "float",
            None,
            "largest displacement, units of the domain; the problem's own when unset (0.06 and 0.15)",
            "Sec. 2.2; value: companion",
            low=0.0,
            high=1.0,
        ),
        _horizon(1000, OURS),
        _number(
            "a", 0.6, "a of N_i = min{ceil(T^(1-a^i)), rest}", "Theorem 3; value: companion", high=1.0, high_open=True
        ),
        _noise(0.1, OURS),
        *_widths(2.0),
        choice(
            "base_point",
            "best",
            ("best", "lowest"),
            "which active point is charged for a displaced one: best guarantee so far, or lowest index",
            "Sec. 2.2 leaves it open; companion",
        ),
    )
)

HARD_CLASS = ParameterSet(
    (
        choice("kernel", "matern32", ("se", "matern12", *KERNELS[1:]), "kernel of the class and of the model", OURS),
        _number("lengthscale", 0.2, "length-scale, units of the domain [0, 1]^dim", OURS),
        whole("dim", 1, "dimension of the domain", OURS, 1, 2),
        _number("norm", 1.0, "largest RKHS norm Psi, units of f", "Sec. 4; value: companion"),
        whole("batches", 3, "number of batches B", "Theorem 2; value: companion", 2, 50),
        whole("class_number", 1, "i of the class F_i, from 1 to batches", "App. B.2.2", 1, 50),
        whole("member", 0, "m of the function f_m, from 0; -1 is the zero function", "App. B.2.1", -1, 5000),
        whole("points_per_cell", 3, "grid points per cell and axis, odd", OURS, 1, 99),
        _horizon(2000, OURS),
        _noise(1.0, OURS),
        *_widths(2.0),
    )
)

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
        count("rate_functions", 8, 2, 1000),
        count("class_horizon", 2000, 200, 20_000),
        count("class_seeds", 2, 1, 1000),
        count("class_functions", 8, 1, 1000),
        count("robust_horizon", 1000, 60, 20_000),
        count("robust_seeds", 5, 2, 1000),
        count("example_seeds", 8, 1, 1000),
        count("live_functions", 2, 1, 200),
    )
)
