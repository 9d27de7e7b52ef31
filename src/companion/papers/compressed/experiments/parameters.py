"""Parameters of chapter 2's experiments and of its notebook: default, range, meaning and source of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from companion.core.parameters import ParameterSet, choice, count, number, positive, setting, whole
from companion.papers.compressed.method.bkb import WIDTHS
from companion.papers.compressed.method.policy import POSTERIORS
from companion.papers.compressed.problems.catalogue import LENGTHSCALE, NOISE_VARIANCE, TABLES

OURS = "companion"
#: What the compressed methods keep: (2.12) at a fixed budget or at the horizon's; (2.12) without the noise factor, as in
#: (3.1); and the wording "conditional entropy exceeds the budget".
READINGS = ("info-printed", "info-horizon", "unit", "raw")
BUDGET, ALPHA = 1e-4, 0.5


def _horizon(default: int) -> Any:
    return whole(default, "rounds T after the initial points", OURS, 1, 100_000)


def _noise(where: str) -> Any:
    return number(NOISE_VARIANCE, f"noise variance of {where}", "Sec. 4", 1e-12)


def _lengthscale(units: str) -> Any:
    return number(LENGTHSCALE, f"length-scale, units of {units}", "Sec. 4", 1e-3)


def _end(default: float, text: str, most: float) -> Any:
    return setting(default, text, OURS, low=-most, high=most)


@dataclass(frozen=True)
class Common:
    """Parameters common to all experiments."""

    reading: str = choice(
        READINGS[0],
        READINGS,
        "rule of the cgp methods: variance above noise_variance (e^(2 epsilon) - 1) at epsilon, or at the budget "
        "log(1 + T^-alpha)/2 of the horizon; above e^(2 epsilon) - 1; or entropy of an observation above epsilon",
        "Eqs. (2.11), (2.12), (3.1), abstract",
    )
    epsilon: float = number(BUDGET, "budget of the rule, nats", "Sec. 4", high=10.0, low_open=False)
    alpha: float = number(ALPHA, "exponent of reading=info-horizon", "Theorem 3.1", high=10.0, low_open=False)
    horizon: int = _horizon(300)
    noise_variance: float = _noise("evaluations and model, squared units of f")
    lengthscale: float = _lengthscale("x")
    delta: float = number(
        0.1,
        "failure level of beta_t = 2 log(X t^2 pi^2 / (6 delta)), X candidates",
        "Sec. 4 has 0.9 as a confidence level",
        1e-300,
        1.0,
        high_open=True,
    )
    posterior: str = choice(
        POSTERIORS[0],
        POSTERIORS,
        "of the gp and cgp methods: updates with the engine's short cuts, updates over all points, or computed anew every "
        "round (same choices, other times)",
        OURS,
    )
    oversampling: float = number(
        5.0, "q-bar of the bkb methods; 1 in the authors' code", "recommendation there, 2 to 10"
    )
    bkb_width: str = choice(
        WIDTHS[0], WIDTHS, "width of bkb-ucb: shared is sqrt(beta_t), own is the one of its authors' code", OURS
    )


@dataclass(frozen=True)
class Example(Common):
    """Section 4.1."""

    points: int = whole(1000, "grid points", OURS, 4, 10_000)
    low: float = _end(-10.0, "left end of the domain", 1e3)
    high: float = _end(10.0, "right end of the domain", 1e3)


@dataclass(frozen=True)
class Rosenbrock(Common):
    """Section 4.2."""

    horizon: int = _horizon(150)
    noise_variance: float = _noise("evaluations and model, standardised units")
    lengthscale: float = _lengthscale("x and y")
    points_per_axis: int = whole(40, "grid points per axis", OURS, 3, 100)
    low: float = _end(-2.0, "least x and y", 1e2)
    high: float = _end(2.0, "largest x and y", 1e2)


@dataclass(frozen=True)
class Logistic(Common):
    """Section 4.3."""

    horizon: int = _horizon(100)
    noise_variance: float = _noise("the model, standardised units; an observation is one of the stored trainings")
    lengthscale: float = _lengthscale("the unit cube of hyper-parameters")
    data: str = choice("auto", TABLES, "table of trainings; auto takes mnist where it is stored", "Sec. 4.3: MNIST")
    configurations: int = whole(512, "configurations, the first of a Sobol sequence", OURS, 17, 512)


#: Mirrors the notebook's parameters cell, where meanings and units stand; a test compares names and defaults.
CHAPTER = ParameterSet(
    (
        count("seed", 0, 0, 2**31),
        count("horizon", 300, 8, 4000),
        positive("noise_variance", 0.1, 10.0),
        positive("alpha", 0.5, 4.0),
        count("functions", 100, 10, 10_000),
        count("halvings", 6, 3, 7),
        count("ends", 3, 1, 100),
        count("improvement_runs", 40, 2, 10_000),
        count("live_runs", 2, 1, 20),
    )
)
