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

from functools import partial

from companion.bounds.assumption import Premise
from companion.bounds.bound import GAUSSIAN_NOISE, SEVERAL, SUBGAUSSIAN_NOISE, Bound, BoundSetting
from companion.bounds.confidence import ChowdhuryGopalanWidth, OneRootWidth, SrinivasDrawsWidth, SrinivasNormWidth


def srinivas_finite(setting: BoundSetting) -> float:
    r""":math:`\sqrt{2\log(N\pi^2t^2/6\delta)}` in round t (Srinivas et al., 2010, Theorem 1)."""
    return SrinivasDrawsWidth(setting.size, setting.delta).width(setting.horizon)


def srinivas_norm(setting: BoundSetting) -> float:
    r""":math:`\sqrt{2\Psi^2+300\,\gamma_t\log^3(t/\delta)}` in round t (Srinivas et al., 2010, Theorem 3)."""
    t = setting.horizon
    return SrinivasNormWidth(setting.known("norm"), setting.delta, setting.gain(t)).width(t)


def chowdhury_gopalan(setting: BoundSetting) -> float:
    r""":math:`\Psi+\sqrt{2(\gamma_{t-1}+1+\log(1/\delta))}` in round t (Chowdhury and Gopalan, 2017, Theorem 2).

    Theirs is a model with regulariser :math:`1+2/T` and noise that is R-sub-Gaussian. With f, observations and the root of the
    kernel divided by R, which leaves the norm as it is, it is a model with :math:`R^2(1+2/T)` in the units used here.
    """
    t = setting.horizon
    gain = setting.gain(t - 1) if t > 1 else 0.0
    return float(ChowdhuryGopalanWidth(setting.known("norm"), setting.delta).width(gain=gain))


def inflation(horizon: int) -> float:
    """1 + 2/T: over the noise variance, the regulariser of :func:`chowdhury_gopalan`."""
    return 1.0 + 2.0 / horizon


def mixture(setting: BoundSetting) -> float:
    """One root, at the gain of the points chosen where it is known, else at the largest gain of T points."""
    return float(OneRootWidth(setting.known("norm"), setting.delta).width(gain=setting.realised_gain))


_width = partial(Bound, paper="", rule="any", model="norm", quantity="width", misses=1, assumes=(SUBGAUSSIAN_NOISE,))

#: In the order of their years.
WIDTHS = (
    _width(
        *("classical/srinivas-finite", "Srinivas et al. (2010), Theorem 1", "all rounds and candidates"),
        srinivas_finite,
        symbols=lambda setting: {"beta_T": srinivas_finite(setting) ** 2},
        model="prior",
        assumes=(SEVERAL, GAUSSIAN_NOISE),
    ),
    _width(
        *("classical/srinivas-norm", "Srinivas et al. (2010), Theorem 3", "all rounds and points", srinivas_norm),
        assumes=(Premise("the noise is bounded by its standard deviation"),),
    ),
    _width(
        *("classical/chowdhury-gopalan", "Chowdhury and Gopalan (2017), Theorem 2"),
        "all rounds and points; the model's noise variance is 1 + 2/T times the noise's",
        chowdhury_gopalan,
    ),
    _width(
        *("sharper/mixture", "one root, after Flynn et al. (2023)"),
        "all rounds and points, whatever chose them: one root for norm and gain (also Flynn and Reeb, 2024)",
        mixture,
        reading="sharper",
    ),
)
