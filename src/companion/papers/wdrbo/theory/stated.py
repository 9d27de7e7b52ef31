"""The widths and bounds of the paper as objects: with probability, for functions of known norm."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

import numpy as np

from companion.bounds.assumption import Premise
from companion.bounds.bound import SUBGAUSSIAN_NOISE, Bound, BoundSetting, never
from companion.papers.wdrbo.theory import bounds

#: Multiplier of the posterior standard deviation in the paper's experiments.
EXPERIMENTS = 1.5


def _log_det(s: BoundSetting, realised: bool = False) -> float:
    """The paper's gain: without the factor one half, at the regulariser; a realised gain is one at the noise variance."""
    usable = realised and s.realised is not None and math.isclose(s.regulariser, s.noise**2, rel_tol=1e-12)
    return 2.0 * (s.realised_gain if usable else s.regularised(s.horizon))


def _beta(s: BoundSetting, realised: bool = False) -> float:
    """beta_T of (7)."""
    return float(bounds.width(_log_det(s, realised), s.noise, s.known("norm"), s.regulariser, s.delta))


def _width(s: BoundSetting) -> float:
    """Multiplier of the posterior standard deviation, of which the paper's sigma_t is the regulariser's root less."""
    return _beta(s, realised=True) / math.sqrt(s.regulariser)


def _cumulative(form: str, s: BoundSetting) -> float:
    """Theorem 5 in one of its forms."""
    paid = 2.0 * s.radius * (s.lipschitz or 0.0) * s.horizon
    return float(bounds.cumulative(_beta(s), s.horizon, _log_det(s), s.regulariser, s.delta, paid, form))


def _corollary_6(s: BoundSetting) -> float:
    """Corollary 6, which bounds the Lipschitz constant by that of the kernel's features."""
    # The gain of T points for every round: an upper end, as gains do not fall.
    gains, radii = np.full(s.horizon, _log_det(s)), np.full(s.horizon, s.radius)
    return sum(bounds.corollary_6(gains, radii, s.noise, s.known("norm"), s.regulariser, s.delta, _features(s)))


def _features(s: BoundSetting) -> float:
    """Lipschitz constant of the kernel's features."""
    if s.radius == 0.0:
        return 0.0
    nu, scale = s.known("kernel").smoothness, s.known("kernel").lengthscale
    return float(1.0 / scale if math.isinf(nu) else math.sqrt(nu / (nu - 1.0)) / scale)


def _symbols(s: BoundSetting) -> Mapping[str, float]:
    return {
        "beta_T": _beta(s),
        "lambda": s.regulariser,
        "R": s.noise,
        "gamma (log det)": _log_det(s),
        "epsilon": s.radius,
    }


def _features_seen(s: BoundSetting) -> str:
    if s.radius == 0.0:
        return "radius 0"
    return "only a covariance matrix is known" if s.kernel is None else f"kernel {s.kernel.name}"


_PROVED = Premise(
    "the regulariser is at least 0.3980",
    lambda s: bounds.small_width_factor(s.regulariser) <= 2.0,
    seen=lambda s: f"{s.regulariser:g}",
)
_PAID = Premise(
    "where the ball has a radius, UCB's Lipschitz constant in the context is known",
    lambda s: s.radius == 0.0 or s.lipschitz is not None,
    seen=lambda s: f"radius {s.radius:g}: lipschitz",
)
_SMOOTH = Premise(
    "where the ball has a radius, the kernel's features are Lipschitz",
    lambda s: s.radius == 0.0 or (s.kernel is not None and s.kernel.smoothness > 1),
    seen=_features_seen,
)
_RUN = (
    SUBGAUSSIAN_NOISE,
    Premise("the law of the context lies in the ball that the learner is told"),
    Premise("decisions maximise the robust upper confidence bound (13)"),
)

_bound = partial(Bound, paper="wdrbo", rule="WDRBO", model="norm", symbols=_symbols)
_regret = partial(_bound, misses=2, regret="expected over the context's law", assumes=(*_RUN, _PAID))
_repaired = partial(_regret, reading="repaired")

#: The paper's widths and bounds, in its order.
BOUNDS = (
    _bound(
        *("lemma-1/printed", "Lemma 1, (7)", "all rounds and points, whatever chose them", _width),
        quantity="width",
        rule="any",
        misses=1,
        assumes=(SUBGAUSSIAN_NOISE,),
    ),
    _bound(
        *("experiments", "Section 5, experiments", "1.5 of the experiments, which no theorem covers"),
        lambda s: EXPERIMENTS,
        quantity="width",
        reading="experiment",
        symbols=lambda s: {"beta_t": EXPERIMENTS},
    ),
    _regret(
        *("thm-16/printed", "Theorem 5, (57)", "the appendix's form", partial(_cumulative, "appendix")),
        assumes=(*_RUN, _PAID, _PROVED),
    ),
    _regret("thm-5/printed", "Theorem 5, (15)", "the main text's form", partial(_cumulative, "main")),
    _repaired(
        *("ours-thm5/repaired", "Theorem 5, every lambda", "for every regulariser", partial(_cumulative, "ours"))
    ),
    _repaired(
        *("cor-6/repaired", "Corollary 6", "with the constants of its proof", _corollary_6),
        assumes=(*_RUN, _SMOOTH, _PROVED),
    ),
    _regret(
        *("thm-9/printed", "Theorem 9", "the ball is made from the contexts seen"),
        never("it needs the diameter of the contexts and a covering number, which no covariance gives"),
        assumes=_RUN,
    ),
)
