"""Chapter 2, compressed GP bandits: bounds with probability, for draws of the prior."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from companion.papers.across.forms.form import Case, Checked, Form, fact, gaussian_noise, never, trusted
from companion.papers.compressed.theory import bounds

by_ucb = trusted("points maximise the upper confidence bound with this width")


def beta_of(case: Case) -> float:
    """beta_T of Lemma 8.1."""
    return float(bounds.finite_beta(case.horizon, case.candidates, case.delta))


def theorem_32(case: Case) -> float:
    """Theorem 3.2(i)."""
    found = bounds.theorem_32(case.horizon, beta_of(case), case.noise**2, case.gain(case.horizon), case.alpha)
    return float(found)


def root(case: Case, rejected: bool = True) -> float:
    """(8.29) of the proof, with all rounds counted as rejected or none."""
    budget = 0.5 * math.log1p(case.horizon**-case.alpha) if rejected else 0.0
    gain = case.gain(case.horizon)
    return float(bounds.root_bound(case.horizon, beta_of(case), case.noise**2, gain, case.horizon * budget))


def corollary_33(form: str, case: Case) -> float:
    """Corollary 3.3."""
    return bounds.corollary_33(case.horizon, beta_of(case), case.noise**2, case.candidates, case.trace, form)


def compact_width(form: str, case: Case) -> float:
    """Root of beta_T of Theorem 3.2(ii), for the interval that the candidates lie in."""
    kernel = case.kernel
    assert kernel is not None
    a, b = bounds.derivative_tail(kernel.lengthscale, kernel.side, kernel.smoothness)
    found = bounds.compact_beta(case.horizon, 1, kernel.side, a, b, case.delta, form=form)
    return math.sqrt(float(found))


def _interval(case: Case) -> Checked:
    text = "an interval, and a kernel whose paths have a derivative with known tails (3.3)"
    kernel = case.kernel
    if kernel is None:
        return fact(text, False, "only a covariance matrix is known")
    smooth = kernel.smoothness > 2
    seen = f"{kernel.dim} dimension{'s' if kernel.dim > 1 else ''}, kernel {kernel.name}"
    return fact(text, kernel.dim == 1 and smooth, seen)


def _half(case: Case) -> Checked:
    return fact("alpha is one half", case.alpha == 0.5, f"{case.alpha:g}")


def _line(case: Case) -> Checked:
    dim = None if case.kernel is None else case.kernel.dim
    seen = "only a covariance matrix is known" if dim is None else f"{dim}"
    return fact("points have one coordinate", dim == 1, seen)


def _symbols(case: Case) -> dict[str, float]:
    return {
        "beta_T": beta_of(case),
        "sigma^2": case.noise**2,
        "C_1": bounds.gain_constant(case.noise**2),
        "epsilon": 0.5 * math.log1p(case.horizon**-case.alpha),
        "gamma": case.gain(case.horizon),
    }


_ALWAYS: Any = {"paper": "compressed", "rule": "compressed UCB", "model": "prior", "misses": 1}
_REGRET: Any = {**_ALWAYS, "quantity": "regret", "symbols": _symbols}
_WIDTH: Any = {**_ALWAYS, "quantity": "width"}

FORMS = (
    Form(
        "compressed/lemma-8.1/printed",
        ledger="lemma-8.1",
        place="Lemma 8.1",
        title="all rounds and candidates, compressed or not",
        reading="printed",
        value=lambda case: math.sqrt(beta_of(case)),
        assumes=(gaussian_noise,),
        symbols=lambda case: {"beta_T": beta_of(case)},
        **_WIDTH,
    ),
    Form(
        "compressed/lemma-8.8/printed",
        ledger="lemma-8.8",
        place="Theorem 3.2(ii), width",
        title="a whole interval, 2 in place of its number of points",
        reading="printed",
        value=partial(compact_width, "theorem"),
        assumes=(gaussian_noise, _interval),
        symbols=lambda case: {"beta_T": compact_width("theorem", case) ** 2},
        **_WIDTH,
    ),
    Form(
        "compressed/lemma-8.8/repaired",
        ledger="lemma-8.8",
        place="Lemma 8.8, whole grid",
        title="a whole interval, a whole number of grid points",
        reading="repaired",
        value=partial(compact_width, "grid"),
        assumes=(gaussian_noise, _interval),
        symbols=lambda case: {"beta_T": compact_width("grid", case) ** 2},
        **_WIDTH,
    ),
    Form(
        "compressed/theorem-3.2-i/printed",
        ledger="theorem-3.2-i",
        place="Theorem 3.2(i)",
        title="finite set",
        reading="printed",
        value=theorem_32,
        assumes=(gaussian_noise, by_ucb),
        **_REGRET,
    ),
    Form(
        "compressed/lemma-8.4/sharper",
        ledger="lemma-8.4",
        place="(8.29), all rejected",
        title="every round counted as rejected",
        reading="sharper",
        value=root,
        assumes=(gaussian_noise, by_ucb),
        **_REGRET,
    ),
    Form(
        "compressed/lemma-8.4/dense",
        ledger="lemma-8.4",
        place="Srinivas et al. (2010), Theorem 1",
        title="nothing rejected; it is (8.29) with budget 0",
        reading="printed",
        value=partial(root, rejected=False),
        assumes=(gaussian_noise, by_ucb),
        **{**_REGRET, "rule": "GP-UCB"},
    ),
    Form(
        "compressed/corollary-3.3/printed",
        ledger="corollary-3.3",
        place="Corollary 3.3",
        title="with powers of T and no gain",
        reading="printed",
        value=partial(corollary_33, "printed"),
        assumes=(gaussian_noise, by_ucb, _half, _line),
        **_REGRET,
    ),
    Form(
        "compressed/corollary-3.3/explicit",
        ledger="corollary-3.3",
        place="Corollary 3.3, constants",
        title="with the constants that its proof gives",
        reading="repaired",
        value=partial(corollary_33, "explicit"),
        assumes=(gaussian_noise, by_ucb, _half),
        **_REGRET,
    ),
    Form(
        "compressed/theorem-3.2-ii/repaired",
        ledger="theorem-3.2-ii",
        place="Theorem 3.2(ii)",
        title="a whole interval",
        reading="repaired",
        value=never("the certified gain is that of the candidates, and the theorem needs that of the whole interval"),
        assumes=(gaussian_noise, by_ucb),
        **_REGRET,
    ),
    Form(
        "compressed/theorem-3.4/printed",
        ledger="theorem-3.4",
        place="Theorem 3.4",
        title="finite set",
        reading="printed",
        value=never("it fails as printed, and its repair contains numbers known only after a run"),
        assumes=(gaussian_noise,),
        **{**_REGRET, "rule": "compressed EI"},
    ),
)
