"""Misprints that a computation can tell from the intended formula (lead E19)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from companion.checks.suspected_error import Finding, suspected_error
from companion.gp import grid
from companion.gp.kernels import Matern
from companion.gp.posterior import FinitePosterior
from companion.information.gain import information_gain
from companion.papers.batched.problems.catalogue import three_arms
from companion.papers.batched.problems.hard_class import leakage_constant


@suspected_error(
    "E19",
    teeth={
        "K in place of J": {"bessel": special.kv},
        "the largest absolute value": {"largest": lambda values: np.abs(values).max()},
    },
)
def misprints(*, bessel: Callable[..., Any] = special.jv, largest: Callable[..., Any] = np.max) -> Finding:
    r"""a Bessel function $J_\nu$, a second rate for $R_T$, maxima without absolute value, a constant without its root, an
    equality, a displacement, a variance

    Each misprint as a yes or no, with the number that shows it.
    """
    with_j, with_i, with_k, distance = _bessel(bessel)
    per_round, robust = _second_display()
    missed = _cell_without_absolute_value(largest)
    lost_atom = _equality()
    gap = _displacement()
    variance, sd, bound = _variance_or_sd()
    root = math.sqrt(leakage_constant(1))
    shown = {
        "Matérn formula": max(with_j, with_i) < 0.5 and abs(with_k - 1.0) < 1e-3 and distance < 1e-12,
        "Theorem 3": per_round > 0 and robust == 0,
        "eq. (71)": missed > 0,
        "eq. (118)": lost_atom > 0,
        "eq. (139)": gap > 0,
        "Lemma 9": variance < bound**2 * (1 + 1e-9) and variance < sd <= bound,
    }
    return Finding(
        all(shown.values()),
        {**shown, "J": with_j, "I": with_i, "K": with_k, "missed": missed, "atom": lost_atom, "gap": gap, "root": root},
        robust=robust,
        per_round=per_round,
        sd=sd,
        bound=bound,
        variance=variance,
    )


def _bessel(first: Callable[..., Any]) -> tuple[float, float, float, float]:
    """The formula of Sec. 2.1 at distance 1e-3 l with ``first``, I and K, and the distance of K's from the kernel in use."""
    nu, r = 1.5, np.array([1e-3, 0.3, 1.0, 2.5])
    scaled = math.sqrt(2 * nu) * r
    factor = 2 ** (1 - nu) / special.gamma(nu) * scaled**nu
    ours = Matern(nu, 1.0)(np.zeros((1, 1)), r[:, None])[0]
    with_k = factor * special.kv(nu, scaled)
    with_j, with_i = factor[0] * first(nu, scaled[0]), factor[0] * special.iv(nu, scaled[0])
    return float(with_j), float(with_i), float(with_k[0]), float(np.abs(with_k - ours).max())


def _second_display() -> tuple[float, float]:
    """Ordinary and robust regret of the robust optimum of three arms."""
    problem = three_arms().problem
    chosen = problem.robust_optimum_index
    return float(problem.regret[chosen]), float(problem.robust_regret[chosen])


def _cell_without_absolute_value(largest: Callable[..., Any]) -> float:
    """max KL minus (largest f)²/(2σ²) over a cell with values from -ε to 0, in units of ε²/σ²."""
    values = np.linspace(-1.0, 0.0, 11)
    return float((values**2).max() / 2 - largest(values) ** 2 / 2)


def _equality() -> float:
    """P(X ≤ a) - (1 - P(X ≥ a)) for X = 4 - R, a = 4 - c and R on {c, 4} with mean 1."""
    c = 0.5
    weight = (1 - c) / (4 - c)
    values, weights = 4 - np.array([c, 4.0]), np.array([1 - weight, weight])
    return float(weights[values <= 4 - c].sum() - (1 - weights[values >= 4 - c].sum()))


def _displacement() -> float:
    """f(x'+δ'_L) - min f for two displacements with valid intervals, of which the better known one has the lower "
    "LCB."""
    f, mean, radius = np.array([0.0, 1.0]), np.array([0.2, 1.5]), np.array([0.3, 2.5])
    lower = mean - radius
    assert np.all(np.abs(f - mean) <= radius)  # valid confidence intervals
    return float(f[np.argmin(lower)] - f.min())


def _variance_or_sd() -> tuple[float, float, float]:
    """Largest posterior variance and sd after 40 rounds of maximum variance, and √(C I/N)."""
    noise_sd, rounds = 0.3, 40
    covariance = Matern(1.5, 0.2)(grid(60, 1))
    posterior = FinitePosterior(covariance, noise_sd**2, capacity=rounds)
    picks = posterior.select_max_variance(rounds)[0]
    gain = information_gain(covariance, picks, noise_sd**2)
    bound = math.sqrt(2 / math.log(1 + noise_sd**-2) * gain / rounds)
    variance = float(posterior.variance[0].max())
    return variance, math.sqrt(variance), bound
