"""The statements and leads of Section 4 and Appendix B.2: outcomes, teeth, assumptions, and the runs behind them."""

import math
from fractions import Fraction

import numpy as np
import pytest
from tolerances import EXACT_AGAINST_FLOAT_RTOL, FORMULA_RTOL, ROUNDING_SLACK, SLOPE_OF_THREE_ATOL

from companion import registry
from companion.checks.statement import by_id
from companion.papers.batched.checks import lower_batches, lower_rate
from companion.papers.batched.checks.lower_remarks import Law, Long
from companion.papers.batched.theory.counts import remark5_excess
from companion.papers.batched.theory.lower import reverse_markov
from companion.papers.batched.theory.players import Play


def test_what_fails_in_prop_5_is_the_growing_number_of_batches():
    statement = by_id(registry.statements("batched"), "prop-5")
    failing = [case for case in statement.all_cases() if not case.holds]
    assert failing
    assert all("shortest relative length" in case.where for case in failing)


def test_lead_numbers():
    # the counterexamples by hand: one schedule of 21; the Bessel functions at 1e-3; the atom of the two-point law
    assert by_id(registry.leads("batched"), "E8").test().values == {
        "schedules": 21,
        "overlapping": 1,
        "uncovered": 0,
    }
    misprints = by_id(registry.leads("batched"), "E19").test().values
    scaled = math.sqrt(3) * 1e-3
    assert misprints["K"] == pytest.approx((1 + scaled) * math.exp(-scaled), rel=FORMULA_RTOL)
    assert misprints["atom"] == pytest.approx(1 - 0.5 / 3.5)
    assert by_id(registry.leads("batched"), "E25").test().values["lost"] == pytest.approx([4, 6, 10, 20])


# -- the runs --------------------------------------------------------------------------------------------------------


def test_bad_batches_by_hand():
    assert lower_batches.bad_batches((2, 3, 8), (2, 4, 8)) == [True, False, True]
    assert lower_batches.bad_batches((1, 3, 8), (2, 4, 8)) == [False, False, True]
    assert lower_batches.bad_batches((1, 5, 8), (2, 4, 8)) == [False, True, False]
    assert len(list(lower_batches.schedules(8, 3))) == 21


def test_adaptive_rules_decide_both_ways():
    # Lemma 4 would be empty if A_i always or never occurred
    for rule in lower_batches._lemma_4_instances():
        for number in range(2, len(rule.reference) + 1):
            occurred, _ = lower_batches._coupled(rule, number, rule.reference[number - 2] - 1)
            assert 0.05 < occurred / rule.runs < 0.95, rule.where
        ends = rule.ends(rule.noise * np.random.default_rng(0).standard_normal(rule.reference[-1]))
        assert len(ends) == len(rule.reference)
        assert ends[-1] == rule.reference[-1]


def test_the_player_who_knows_the_class_is_close_to_the_bound():
    # eq. (96) is within a factor of three for the last class: a check with so little slack can fail
    statement = by_id(registry.statements("batched"), "theorem-2")
    plays = [instance for instance in statement.instances() if isinstance(instance, Play)]
    tight = [case.slack for play in plays for case in statement.cases(play)]
    assert len(tight) > 20
    assert min(tight) < 2.5
    assert max(tight) < 5


def test_sequential_value_is_hidden_and_grows_with_the_sequential_rate():
    values = [lower_rate.sequential_value("Matérn 3/2", 1, 10**k) for k in (4, 6, 8)]
    slope = np.polyfit([4, 6, 8], np.log10(values), 1)[0]
    assert slope == pytest.approx(1 - 0.375, abs=SLOPE_OF_THREE_ATOL)


def test_long_horizons_in_exact_arithmetic():
    for digits in (1, 2, 5, 9):
        for share in (Fraction(1), Fraction(1, 2)):
            item = Long(1.5, 1, 10**digits)
            batches = item.batches(share)
            assert (8 / 3) ** batches >= (10.0**digits) ** float(share) * (1 - ROUNDING_SLACK)
            assert (8 / 3) ** (batches - 1) < (10.0**digits) ** float(share)
            printed = remark5_excess(10.0**digits, 0.375, float(share))
            assert printed["batches"] == batches
            assert printed["log2_excess"] == pytest.approx(float(item.excess(batches)), rel=EXACT_AGAINST_FLOAT_RTOL)


def test_two_point_law_attains_the_bound():
    for share in (0.1, 0.5, 0.9):
        item = Law("two-point", share)
        values, weights = item.atoms()
        assert float(values @ weights) == pytest.approx(1.0)
        assert item.chance() == pytest.approx(reverse_markov(share, 4.0))
        assert item.valid()
    assert not Law("low").valid()


def test_lemma_7_needs_its_assumption():
    # without it the inequality is false, so that refusing such an instance is right
    statement = by_id(registry.statements("batched"), "lemma-7")
    late = statement.assumptions[0].violated_by
    assert not statement.evaluate(late).holds


def test_a_factor_is_lowered_before_a_negative_bracket():
    # by hand: 3 horizons and 21 chances k/40; below 1/(2B) lie 10, 7 and 4 of them, for B = 2, 3 and 5
    finding = by_id(registry.leads("batched"), "U5").test()
    assert finding.values == {"checked": 3 * 3 * 41, "flips": 3 * (10 + 7 + 4), "violations": 0}
    assert finding.confirmed
