"""Ledger and leads of Section 3: what comes out, that every tooth bites, and that the checks themselves can fail."""

from __future__ import annotations

import math
import re
from dataclasses import replace

from tolerances import JUST_BESIDE, TIGHTEST_BOUND

from companion import registry
from companion.papers.batched.checks import upper_discrepancies as leads
from companion.papers.batched.checks.upper_counts import RATIOS
from companion.papers.batched.checks.upper_regret import SETTINGS, Series, lemma_1, theorem_1
from companion.papers.batched.checks.upper_sizes import Horizons, equation_6
from companion.papers.batched.theory.bounds import lemma1_bound
from companion.papers.batched.theory.counts import lower_proviso, power_batch_count, power_count_lower
from companion.papers.batched.theory.regret_runs import certified_gains, outcomes, realised_bounds


def test_notes_hold_no_numbers_and_dependences_are_known():
    for statement in registry.statements("batched"):
        assert re.search(r"\d\.\d", statement.note) is None
        assert statement.location.startswith(("Section", "Appendix", "Footnote"))


# -- the checks themselves ---------------------------------------------------------------------------------------------


def test_sizes_of_rule_6_are_tested_against_exact_powers():
    """T^(1-a) is the whole number 100 at T = 10^5, a = 0.6, where floats round it up to 101."""
    assert math.ceil(100_000 ** (1 - 0.6)) == 101
    assert all(case.holds for case in equation_6(Horizons("T=10^5", (10**5,), 0.6)))
    assert not all(case.holds for case in equation_6(Horizons("T=10^5", (10**5,), 0.6), shift=1))


def test_the_corrected_lower_bound_on_batches_has_one_to_spare():
    """The note of eq-7."""
    pairs = [(t, a) for a in RATIOS for t in range(3, 301) if lower_proviso(t, a)]
    assert all(power_batch_count(t, a) >= power_count_lower(t, a) + 1 for t, a in pairs)


def test_probability_checks_count_regret_above_the_bound():
    """On uncorrelated points with a large norm the bounds are tight enough for a smaller constant to be refuted."""
    tight = SETTINGS[-1]
    case = next(iter(lemma_1(tight, coefficient=0.2)))
    assert (case.delta, case.trials, case.failures) == (tight.delta, tight.runs, tight.runs)
    bound = lemma1_bound(30, certified_gains(tight, (30,))[0], tight.width, tight.noise_sd)
    assert (outcomes(tight).regret < bound).all()
    with_a = replace(tight, a=0.75)
    measured = realised_bounds(with_a) / outcomes(with_a).regret
    assert 1.0 < measured.min() <= measured.max() < TIGHTEST_BOUND
    assert next(iter(theorem_1(with_a, first=0.4, elimination=0.8))).failures == with_a.runs


def test_growth_of_the_batch_bounds_is_sharp_at_three_rounds():
    """At T = 3 the last ratio is 3^b: 2^b is allowed, any power of 2 above log2 3 is not."""
    series = Series(0.6, horizons=(3,), lengths=())
    assert all(case.holds for case in theorem_1(series, b_factor=math.log2(3) * (1 - JUST_BESIDE)))
    assert not all(case.holds for case in theorem_1(series, b_factor=math.log2(3) * (1 + JUST_BESIDE)))


# -- leads -------------------------------------------------------------------------------------------------------------


def test_small_horizons_at_which_the_printed_lower_bound_fails():
    """Counted by hand from eq. (6): T = 3, a = 1/2 has the batches 2 and 1, the bound is floor(log2(11.68)) = 3."""
    assert power_batch_count(3, 0.5) == 2
    assert math.floor(math.log2(math.log(3) / math.log(math.log(3)))) == 3
    found = leads.lower_bound_on_batches().values
    assert found["failures"]["0.5"] == 1
    assert found["failures where line (23) holds"] == 0
