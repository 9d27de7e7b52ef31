"""What may be set in chapter 2's experiments and in its notebook: default, range, meaning and source of each."""

from __future__ import annotations

from companion.core.profiles import Parameter, ParameterSet, choice, count, number, positive, whole
from companion.papers.compressed.method.bkb import WIDTHS
from companion.papers.compressed.method.policy import POSTERIORS
from companion.papers.compressed.problems.catalogue import LENGTHSCALE, NOISE_VARIANCE, TABLES

OURS = "companion"
READINGS = ("info-printed", "info-horizon", "unit", "raw")
"""What the compressed methods keep: (2.12) at a fixed budget or at the horizon's; (2.12) without the noise factor, as in
(3.1); and the wording "conditional entropy exceeds the budget"."""
BUDGET, ALPHA = 1e-4, 0.5


def _common(horizon: int, *, lengthscale: str, noise: str) -> tuple[Parameter, ...]:
    return (
        choice(
            "reading",
            READINGS[0],
            READINGS,
            "rule of the cgp methods: variance above noise_variance (e^(2 epsilon) - 1) at epsilon, or at the budget "
            "log(1 + T^-alpha)/2 of the horizon; above e^(2 epsilon) - 1; or entropy of an observation above epsilon",
            "Eqs. (2.11), (2.12), (3.1), abstract",
        ),
        Parameter("epsilon", "float", BUDGET, "budget of the rule, nats", "Sec. 4", low=0.0, high=10.0),
        Parameter("alpha", "float", ALPHA, "exponent of reading=info-horizon", "Theorem 3.1", low=0.0, high=10.0),
        whole("horizon", horizon, "rounds T after the initial points", OURS, 1, 100_000),
        number("noise_variance", NOISE_VARIANCE, noise, "Sec. 4", 1e-12),
        number("lengthscale", LENGTHSCALE, lengthscale, "Sec. 4", 1e-3),
        Parameter(
            "delta",
            "float",
            0.1,
            "failure level of beta_t = 2 log(X t^2 pi^2 / (6 delta)), X candidates",
            "Sec. 4 has 0.9 as a confidence level",
            low=1e-300,
            high=1.0,
            high_open=True,
        ),
        choice(
            "posterior",
            POSTERIORS[0],
            POSTERIORS,
            "of the gp and cgp methods: updates with the engine's short cuts, updates over all points, or computed anew every "
            "round (same choices, other times)",
            OURS,
        ),
        number(
            "oversampling", 5.0, "q-bar of the bkb methods; 1 in the authors' code", "recommendation there, 2 to 10"
        ),
        choice(
            "bkb_width",
            WIDTHS[0],
            WIDTHS,
            "width of bkb-ucb: shared is sqrt(beta_t), own is the one of its authors' code",
            OURS,
        ),
    )


_MODEL_NOISE = "noise variance of evaluations and model, "

EXAMPLE = ParameterSet(
    (
        *_common(300, lengthscale="length-scale, units of x", noise=_MODEL_NOISE + "squared units of f"),
        whole("points", 1000, "grid points", OURS, 4, 10_000),
        Parameter("low", "float", -10.0, "left end of the domain", OURS, low=-1e3, high=1e3),
        Parameter("high", "float", 10.0, "right end of the domain", OURS, low=-1e3, high=1e3),
    )
)
ROSENBROCK = ParameterSet(
    (
        *_common(150, lengthscale="length-scale, units of x and y", noise=_MODEL_NOISE + "standardised units"),
        whole("points_per_axis", 40, "grid points per axis", OURS, 3, 100),
        Parameter("low", "float", -2.0, "least x and y", OURS, low=-1e2, high=1e2),
        Parameter("high", "float", 2.0, "largest x and y", OURS, low=-1e2, high=1e2),
    )
)
LOGISTIC = ParameterSet(
    (
        *_common(
            100,
            lengthscale="length-scale, units of the unit cube of hyper-parameters",
            noise="noise variance of the model, standardised units; an observation is one of the stored trainings",
        ),
        choice("data", "auto", TABLES, "table of trainings; auto takes mnist where it is stored", "Sec. 4.3: MNIST"),
        whole("configurations", 512, "configurations, the first of a Sobol sequence", OURS, 17, 512),
    )
)

#: Mirrors the notebook's parameters cell, where meanings and units stand; a test compares names and defaults.
CHAPTER = ParameterSet(
    (
        count("seed", 0, 0, 2**31),
        count("horizon", 200, 8, 4000),
        positive("noise_variance", 0.1, 10.0),
        positive("alpha", 0.5, 4.0),
        count("functions", 100, 10, 10_000),
        count("halvings", 6, 3, 8),
        count("ends", 3, 1, 100),
        count("improvement_runs", 40, 2, 10_000),
        count("live_runs", 2, 1, 20),
    )
)
