"""Chapter 1, TS-RSR: bounds on the expected regret of batches, for draws of the prior."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from companion.papers.across.forms.form import Case, Checked, Form, fact, gaussian_noise, several, trusted
from companion.papers.tsrsr.theory import bounds

exact = trusted("posterior draws are exact, and not repeated until they exceed the largest mean")
resampled = trusted("posterior draws are repeated until they exceed the largest mean (App. C)")


def rounds_of(case: Case) -> int:
    """Batches that hold T evaluations; the regret of whole batches is at least that of T evaluations."""
    return -(-case.horizon // case.batch)


def _given(case: Case) -> tuple[int, int, int, float, float]:
    rounds = rounds_of(case)
    return case.candidates, rounds, case.batch, case.noise**2, case.gain(rounds * case.batch)


def theorem_1(case: Case) -> float:
    """Theorem 1 with its constants."""
    return bounds.theorem1(*_given(case))


def one_term(case: Case) -> float:
    """Theorem 1 as one term."""
    return bounds.theorem1_one_term(*_given(case))


def sharp(case: Case, resampled: bool = False) -> float:
    """The companion's form."""
    return bounds.theorem1_sharp(*_given(case), resampled=resampled)


def corollary_1(case: Case) -> float:
    """Corollary 1: T_0 maximum-variance points first, the rest in batches."""
    rest = -(-(case.horizon - case.initial) // case.batch)
    gain = case.gain(rest * case.batch)
    start = (case.candidates, rest, case.batch, case.noise**2, gain, case.initial, case.gain(case.initial))
    return bounds.corollary1(*start)


def _long_enough(case: Case) -> Checked:
    text = "maximum-variance points come first, at least m times their gain"
    if not case.initial:
        return fact(text, False, "there are none: initial")
    needed = case.batch * case.gain(case.initial)
    seen = f"{case.initial}, of which {needed:.4g} are needed"
    return fact(text, case.initial >= needed and case.initial < case.horizon, seen)


def _worth_one_point(case: Case) -> Checked:
    value = bounds.gain_factor(case.noise**2) * case.gain(rounds_of(case) * case.batch)
    return fact("one term is enough: c times the gain is at least 1", value >= 1.0, f"{value:.4g}")


def _symbols(extra: int, case: Case) -> dict[str, float]:
    rounds = rounds_of(case)
    return {
        "T (batches)": rounds,
        "m": case.batch,
        "sigma_n^2": case.noise**2,
        f"rho_{'m' if extra == 0 else 'm-1'}": bounds.variance_ratio(case.batch + extra, case.noise**2),
        "C_1": bounds.gain_factor(case.noise**2) / case.noise**2,
        "gamma_Tm": case.gain(rounds * case.batch),
    }


def width(case: Case) -> float:
    """Lemma 6: all posterior means at the beginning of all rounds."""
    return bounds.normal_width(2 * case.candidates * rounds_of(case), case.delta)


_ALWAYS: Any = {"paper": "tsrsr", "rule": "TS-RSR", "model": "prior"}
_REGRET: Any = {**_ALWAYS, "quantity": "regret"}

FORMS = (
    Form(
        "tsrsr/lemma-6/printed",
        ledger="lemma-6",
        place="Lemma 6",
        title="all rounds and candidates",
        quantity="width",
        reading="printed",
        value=width,
        assumes=(several, gaussian_noise),
        misses=1,
        symbols=lambda case: {"sqrt(2 log(2NT/delta))": width(case)},
        **_ALWAYS,
    ),
    Form(
        "tsrsr/theorem-1/printed",
        ledger="theorem-1",
        place="Theorem 1",
        title="with its constants; gain and ratio over collections with repeats",
        reading="printed",
        value=theorem_1,
        assumes=(several, gaussian_noise, exact),
        symbols=partial(_symbols, 0),
        **_REGRET,
    ),
    Form(
        "tsrsr/theorem-1/one-term",
        ledger="theorem-1",
        place="Theorem 1, one term",
        title="as one term, with the constant that its order hides",
        reading="printed",
        value=one_term,
        assumes=(several, gaussian_noise, exact, _worth_one_point),
        symbols=partial(_symbols, 0),
        **_REGRET,
    ),
    Form(
        "tsrsr/our-C/sharper",
        ledger="our-C",
        place="companion's form",
        title="without good events",
        reading="sharper",
        value=sharp,
        assumes=(several, gaussian_noise, exact),
        symbols=partial(_symbols, -1),
        **_REGRET,
    ),
    Form(
        "tsrsr/our-D/sharper",
        ledger="our-D",
        place="the same, resampled",
        title="with the resampling of the experiments",
        reading="sharper",
        value=partial(sharp, resampled=True),
        assumes=(several, gaussian_noise, resampled),
        symbols=partial(_symbols, -1),
        **_REGRET,
    ),
    Form(
        "tsrsr/corollary-1/printed",
        ledger="corollary-1",
        place="Corollary 1",
        title="after a maximum-variance design",
        reading="printed",
        value=corollary_1,
        assumes=(several, gaussian_noise, exact, _long_enough),
        symbols=lambda case: {"T_0": case.initial, "rho_m at most": math.e},
        **_REGRET,
    ),
)
