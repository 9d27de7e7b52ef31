"""Chapter 5, Wasserstein-robust optimisation: bounds with probability, for functions of known norm."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from companion.papers.across.forms.form import Case, Checked, Form, fact, never, subgaussian_noise, trusted
from companion.papers.wdrbo.theory import bounds

told = trusted("the law of the context lies in the ball that the learner is told")
by_robust_ucb = trusted("decisions maximise the robust upper confidence bound (13)")
EXPERIMENTS = 1.5
"""What multiplies the posterior standard deviation in the paper's experiments."""


def log_det(case: Case, realised: bool = False) -> float:
    """The paper's gain: without the factor one half, at the regulariser; a realised gain is one at the noise variance."""
    usable = realised and math.isclose(case.regulariser, case.noise**2, rel_tol=1e-12)
    gain = case.realised if usable and case.realised is not None else case.regularised(case.horizon)
    return 2.0 * gain


def beta_of(case: Case, realised: bool = False) -> float:
    """beta_T of (7)."""
    gain = log_det(case, realised)
    return float(bounds.width(gain, case.noise, case.known_norm(), case.regulariser, case.delta))


def width(case: Case) -> float:
    """Multiplier of the posterior standard deviation, of which the paper's sigma_t is the regulariser's root less."""
    return beta_of(case, realised=True) / math.sqrt(case.regulariser)


def cumulative(reading: str, case: Case) -> float:
    """Theorem 5 in one of its forms."""
    paid = 2.0 * case.radius * (case.lipschitz or 0.0) * case.horizon
    given = (beta_of(case), case.horizon, log_det(case), case.regulariser, case.delta, paid, reading)
    return float(bounds.cumulative(*given))


def corollary_6(case: Case) -> float:
    """Corollary 6, which bounds the Lipschitz constant by that of the kernel's features."""
    steps = case.horizon
    # The gain of T points for every round: an upper end, as gains do not fall.
    gains, radii = np.full(steps, log_det(case)), np.full(steps, case.radius)
    given = (gains, radii, case.noise, case.known_norm(), case.regulariser, case.delta, features(case))
    return sum(bounds.corollary_6(*given))


def features(case: Case) -> float:
    """Lipschitz constant of the kernel's features."""
    if case.radius == 0.0:
        return 0.0
    assert case.kernel is not None
    nu, scale = case.kernel.smoothness, case.kernel.lengthscale
    return 1.0 / scale if math.isinf(nu) else math.sqrt(nu / (nu - 1.0)) / scale


def _proved(case: Case) -> Checked:
    factor = bounds.small_width_factor(case.regulariser)
    return fact("the regulariser is at least 0.3980", factor <= 2.0, f"{case.regulariser:g}")


def _paid(case: Case) -> Checked:
    text = "where the ball has a radius, UCB's Lipschitz constant in the context is known"
    return fact(text, case.radius == 0.0 or case.lipschitz is not None, f"radius {case.radius:g}: lipschitz")


def _features(case: Case) -> Checked:
    text = "where the ball has a radius, the kernel's features are Lipschitz"
    if case.radius == 0.0:
        return fact(text, True, "radius 0")
    if case.kernel is None:
        return fact(text, False, "only a covariance matrix is known")
    return fact(text, case.kernel.smoothness > 1, f"kernel {case.kernel.name}")


def _symbols(case: Case) -> dict[str, float]:
    return {
        "beta_T": beta_of(case),
        "lambda": case.regulariser,
        "R": case.noise,
        "gamma (log det)": log_det(case),
        "epsilon": case.radius,
    }


_ALWAYS: Any = {"paper": "wdrbo", "rule": "WDRBO", "model": "norm", "symbols": _symbols}
_REGRET: Any = {**_ALWAYS, "quantity": "regret", "misses": 2, "regret": "expected over the context's law"}
_RUN = (subgaussian_noise, told, by_robust_ucb)

FORMS = (
    Form(
        "wdrbo/lemma-1/printed",
        ledger="lemma-1",
        place="Lemma 1, (7)",
        title="all rounds and points, whatever chose them",
        quantity="width",
        reading="printed",
        misses=1,
        value=width,
        assumes=(subgaussian_noise,),
        **{**_ALWAYS, "rule": "any"},
    ),
    Form(
        "wdrbo/experiments",
        ledger="",
        place="Section 5, experiments",
        title="1.5 of the experiments, which no theorem covers",
        quantity="width",
        reading="experiment",
        value=lambda case: EXPERIMENTS,
        **{**_ALWAYS, "symbols": lambda case: {"beta_t": EXPERIMENTS}},
    ),
    Form(
        "wdrbo/thm-16/printed",
        ledger="thm-16",
        place="Theorem 5, (57)",
        title="the appendix's form",
        reading="printed",
        value=partial(cumulative, "appendix"),
        assumes=(*_RUN, _paid, _proved),
        **_REGRET,
    ),
    Form(
        "wdrbo/thm-5/printed",
        ledger="thm-5",
        place="Theorem 5, (15)",
        title="the main text's form",
        reading="printed",
        value=partial(cumulative, "main"),
        assumes=(*_RUN, _paid),
        **_REGRET,
    ),
    Form(
        "wdrbo/ours-thm5/repaired",
        ledger="ours-thm5",
        place="Theorem 5, every lambda",
        title="for every regulariser",
        reading="repaired",
        value=partial(cumulative, "ours"),
        assumes=(*_RUN, _paid),
        **_REGRET,
    ),
    Form(
        "wdrbo/cor-6/repaired",
        ledger="cor-6",
        place="Corollary 6",
        title="with the constants of its proof",
        reading="repaired",
        value=corollary_6,
        assumes=(*_RUN, _features, _proved),
        **_REGRET,
    ),
    Form(
        "wdrbo/thm-9/printed",
        ledger="thm-9",
        place="Theorem 9",
        title="the ball is made from the contexts seen",
        reading="printed",
        value=never("it needs the diameter of the contexts and a covering number, which no covariance gives"),
        assumes=_RUN,
        **_REGRET,
    ),
)
