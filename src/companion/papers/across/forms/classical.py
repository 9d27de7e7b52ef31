r"""Widths that none of the five papers states: the classical ones, and a sharper self-normalised one.

All multiply the posterior standard deviation of a model whose noise variance is that of the noise, :math:`\sigma^2`, unless the
title says otherwise. The sharper one follows from the Gaussian mixture behind the self-normalised bound. For any g the product of
:math:`\exp\{(g-f)(x_s)z_s/\sigma^2-(g-f)(x_s)^2/2\sigma^2\}` over the rounds is a supermartingale for noise that is
sigma-sub-Gaussian given the past. So is its mean over draws g of the prior, and Ville's inequality bounds it by 1/delta. Written
out, with :math:`\|f\|_k\le\Psi`,

.. math:: \|f-\mu_t\|_k^2+\sigma^{-2}\sum_{s\le t}(f-\mu_t)(x_s)^2=\|f\|_k^2+2I_t+2\log M_t\le\Psi^2+2I_t+2\log\tfrac1\delta ,

and the left side is at least :math:`(f-\mu_t)(x)^2/\sigma_t^2(x)`. The usual form takes the root of each part by itself:
:math:`\Psi+\sqrt{2(I_t+\log(1/\delta))}`, never smaller. Since the first equality holds for every f, the bound on the left side
fails for a function of norm Psi exactly when the supermartingale M exceeds 1/delta.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from companion.papers.across.forms.form import Case, Form, gaussian_noise, several, subgaussian_noise, trusted
from companion.papers.tsrsr.method.rules import FiniteSetWidth


def srinivas_finite(case: Case) -> float:
    r""":math:`\sqrt{2\log(N\pi^2t^2/6\delta)}` in round t (Srinivas et al., 2010, Theorem 1)."""
    return FiniteSetWidth(case.delta)(case.horizon - 1, case.candidates)


def srinivas_norm(case: Case) -> float:
    r""":math:`\sqrt{2\Psi^2+300\,\gamma_t\log^3(t/\delta)}` in round t (Srinivas et al., 2010, Theorem 3)."""
    t = case.horizon
    return math.sqrt(2.0 * case.known_norm() ** 2 + 300.0 * case.gain(t) * math.log(t / case.delta) ** 3)


def chowdhury_gopalan(case: Case) -> float:
    r""":math:`\Psi+\sqrt{2(\gamma_{t-1}+1+\log(1/\delta))}` in round t (Chowdhury and Gopalan, 2017, Theorem 2).

    Theirs is a model with regulariser :math:`1+2/T` and noise that is R-sub-Gaussian. With f, observations and the root of the
    kernel divided by R, which leaves the norm as it is, it is a model with :math:`R^2(1+2/T)` in the units used here.
    """
    t = case.horizon
    gain = case.gain(t - 1) if t > 1 else 0.0
    return case.known_norm() + math.sqrt(2.0 * (gain + 1.0 - math.log(case.delta)))


def inflation(horizon: int) -> float:
    """1 + 2/T: over the noise variance, the regulariser of :func:`chowdhury_gopalan`."""
    return 1.0 + 2.0 / horizon


def mixture_width(gain: Any, norm: float, delta: float) -> Any:
    r""":math:`\sqrt{\Psi^2+2(I_t+\log(1/\delta))}` after observing points of realised gain I.

    Parameters
    ----------
    gain : nats, a number or an array
    norm : Psi
    delta : failure probability, over all rounds and candidates
    """
    return np.sqrt(norm**2 + 2.0 * (np.asarray(gain, dtype=np.float64) - math.log(delta)))


def mixture(case: Case) -> float:
    """:func:`mixture_width` at the gain of the points chosen where it is known, else at the largest gain of T points."""
    gain = case.gain(case.horizon) if case.realised is None else case.realised
    return float(mixture_width(gain, case.known_norm(), case.delta))


_ALWAYS: Any = {"paper": "", "ledger": "", "rule": "any", "quantity": "width", "reading": "printed", "misses": 1}

FORMS = (
    Form(
        "classical/srinivas-finite",
        place="Srinivas et al. (2010), Theorem 1",
        title="all rounds and candidates",
        model="prior",
        value=srinivas_finite,
        assumes=(several, gaussian_noise),
        **_ALWAYS,
    ),
    Form(
        "classical/srinivas-norm",
        place="Srinivas et al. (2010), Theorem 3",
        title="all rounds and points",
        model="norm",
        value=srinivas_norm,
        assumes=(trusted("the noise is bounded by its standard deviation"),),
        **_ALWAYS,
    ),
    Form(
        "classical/chowdhury-gopalan",
        place="Chowdhury and Gopalan (2017), Theorem 2",
        title="all rounds and points; the model's noise variance is 1 + 2/T times the noise's",
        model="norm",
        value=chowdhury_gopalan,
        assumes=(subgaussian_noise,),
        **_ALWAYS,
    ),
    Form(
        "sharper/mixture",
        place="one root, after Flynn et al. (2023)",
        title="all rounds and points, whatever chose them: one root for norm and gain (also Flynn and Reeb, 2024)",
        model="norm",
        value=mixture,
        assumes=(subgaussian_noise,),
        **{**_ALWAYS, "reading": "sharper"},
    ),
)
