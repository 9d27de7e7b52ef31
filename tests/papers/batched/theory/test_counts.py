import csv
import math
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest
from tolerances import FORMULA_RTOL, SERIES_RTOL

from companion.core.errors import AssumptionError, ParameterError
from companion.papers.batched.theory import counts

RATIOS = (0.1, 0.2, 0.3, 0.31, 0.36, 0.4, 0.45, 0.5, 0.52, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9)
SCAN = range(3, 1001)


def test_bounds_agree_with_the_tabulated_ones():
    with (Path(__file__).parents[1] / "method" / "data" / "batch_sizes.csv").open(newline="") as file:
        table = list(csv.DictReader(file))
    for row in table:
        horizon = int(row["T"])
        if row["rule"] == "orig_eq5":
            assert counts.original_batch_count(horizon) == int(row["B"])
            assert counts.original_count_upper(horizon) == int(row["B_upper_eq19"])
        else:
            a = float(row["a"])
            assert counts.power_batch_count(horizon, a) == int(row["B"])
            assert counts.power_count_upper(horizon, a) == int(row["B_upper_eq19"])
            assert counts.power_count_lower(horizon, a) == int(row["B_lower_eq20"])


@pytest.fixture(scope="module")
def scan():
    """(a, T) -> (B, upper, lower, proviso) for every horizon from 3 to 1000."""
    return {
        (a, horizon): (
            counts.power_batch_count(horizon, a),
            counts.power_count_upper(horizon, a),
            counts.power_count_lower(horizon, a),
            counts.lower_proviso(horizon, a),
        )
        for a in RATIOS
        for horizon in SCAN
    }


@pytest.mark.slow
def test_upper_bound_never_fails_and_needs_its_plus_one(scan):
    assert all(batches <= upper for batches, upper, _, _ in scan.values())
    assert any(batches > upper - 1 for batches, upper, _, _ in scan.values())


@pytest.mark.slow
def test_lower_bound_fails_exactly_where_it_is_known_to(scan):
    violations = {a: [t for t in SCAN if scan[a, t][0] < scan[a, t][2]] for a in RATIOS}
    assert violations[0.5] == [3]
    assert violations[0.8] == [3, 4, 5, 6, 7, 8]
    assert (len(violations[0.9]), violations[0.9][-1]) == (46, 60)
    assert max(t for found in violations.values() for t in found) == 60


@pytest.mark.slow
def test_lower_bound_holds_whenever_its_proviso_does(scan):
    assert all(batches >= lower for batches, _, lower, proviso in scan.values() if proviso)
    # the proviso is not void either, and at a = 1/2 it fails for T = 3, 4 only
    assert sum(proviso for _, _, _, proviso in scan.values()) > 10_000
    assert [t for t in SCAN if not scan[0.5, t][3]] == [3, 4]


def test_bounds_hold_on_to_1e18():
    for a in RATIOS:
        for horizon in [10**k for k in range(4, 19)] + [2**2**k for k in range(2, 6)]:
            batches = counts.power_batch_count(horizon, a)
            assert batches <= counts.power_count_upper(horizon, a)
            assert not counts.lower_proviso(horizon, a) or batches >= counts.power_count_lower(horizon, a)
            assert counts.original_batch_count(horizon) <= counts.original_count_upper(horizon)


def test_original_count_bound_holds_and_needs_its_plus_one():
    assert all(counts.original_batch_count(t) <= counts.original_count_upper(t) for t in range(2, 3001))
    assert counts.original_batch_count(100) == 4 > counts.original_count_upper(100) - 1


def test_bounds_against_multiprecision_arithmetic():
    with mpmath.workdps(60):
        for horizon in [3, 4, 5, 15, 16, 17, 255, 256, 257, 65_535, 65_536, 65_537, 10**6, 10**12, 10**40]:
            inner = mpmath.log(mpmath.log(horizon, 2))
            assert (
                counts.original_count_upper(horizon) == mpmath.ceil(inner / mpmath.log(2) - mpmath.mpf(10) ** -50) + 1
            )
            for a in RATIOS:
                base = -mpmath.log(mpmath.mpf(str(a)))
                upper = mpmath.ceil(inner / base - mpmath.mpf(10) ** -50) + 1
                log_t = mpmath.log(horizon)
                lower = mpmath.floor(mpmath.log(log_t / mpmath.log(log_t)) / base)
                assert counts.power_count_upper(horizon, a) == upper
                assert counts.power_count_lower(horizon, a) == lower


def test_whole_logarithms_are_decided_exactly():
    # log2 T = (1/a)^k, so that log_{1/a} log2 T is the integer k
    for a, k in ((Fraction(1, 2), 4), (Fraction(1, 2), 9), (Fraction(1, 3), 3), (Fraction(1, 5), 2)):
        length = int((1 / a) ** k)
        assert counts.power_count_upper(1 << length, a) == k + 1
        assert counts.power_count_upper((1 << length) + 1, a) == k + 2


def test_remark_2_needs_its_exception():
    for horizon in (100, 1000, 10**6, 2**16, 2**8, 4, 2**32):
        limit = counts.power_count_upper(horizon, Fraction(1, 2) + Fraction(1, 10**9))
        base = counts.original_count_upper(horizon)
        assert limit == base + (horizon == 2**2 ** (base - 1))  # one more if log2 log2 T is whole
    assert counts.power_count_upper(2**16, 0.51) == 6
    assert counts.original_count_upper(2**16) == 5  # so "the same bound" is false without the exception
    for a in (0.31, 0.4, 0.5):
        assert all(counts.power_count_upper(t, a) <= counts.original_count_upper(t) for t in range(3, 2000))


def test_remark_3_rougher_needs_fewer():
    needed = [counts.optimal_batches(20, nu, 2) for nu in (0.5, 1.5, 2.5, 5.0, math.inf)]
    assert needed == sorted(needed)
    assert needed[0] < needed[-1]
    assert needed[-1] == pytest.approx(math.log2(20), rel=FORMULA_RTOL)


@pytest.mark.parametrize("eta", [0.5, 0.3])
def test_remark_5_bracket(eta):
    for length in (10.0, 50.0, 100.0, 1e3, 1e4, 1e5):
        row = counts.remark5_excess(length, eta)
        batches = math.ceil(math.log(length, 1 / eta))
        assert row["batches"] == batches
        direct = length * ((1 - eta) / (1 - eta**batches) - (1 - eta))
        assert row["log2_excess"] == pytest.approx(direct, rel=SERIES_RTOL)
        assert row["log2_lower"] < row["log2_excess"] <= row["log2_upper"] * (1 + FORMULA_RTOL)


def test_remark_5_growth_separates_enough_batches_from_too_few():
    lengths = (10.0, 1e2, 1e3, 1e4, 1e5)
    few = [counts.remark5_excess(length, 0.5, 0.5)["growth"] for length in lengths]
    enough = [counts.remark5_excess(length, 0.5, 1.0)["growth"] for length in lengths]
    assert few[0] == pytest.approx(0.6, abs=0.05)
    assert few[-1] == pytest.approx(6.1, abs=0.05)
    assert few[-1] > 5 * few[0]
    assert enough[-1] < enough[0] < 0.2


@pytest.mark.parametrize(
    ("a", "eta", "constant"), [(0.52, 0.5, 150.8), (0.6, 0.5, 36.6), (0.75, 0.5, 23.6), (0.5, 0.3, 14.9)]
)
def test_geometric_constants(a, eta, constant):
    assert counts.geometric_constant(a, eta) == pytest.approx(constant, abs=0.05)
    b = (1 - a) * (a - eta)
    assert counts.geometric_constant(a, eta) == pytest.approx(2**b / (2**b - 1), rel=FORMULA_RTOL)


def test_the_best_constant_is_at_three_quarters():
    grid = np.linspace(0.505, 0.995, 99)
    values = [counts.geometric_constant(a) for a in grid]
    assert grid[int(np.argmin(values))] == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("length", "ratio", "batches"),
    [(10, 4.06, 5), (20, 4.20, 6), (40, 4.84, 8), (100, 5.02, 10), (1e64, 4.64, 289)],
)
def test_exact_sum_stays_bounded(length, ratio, batches):
    assert counts.power_batch_count_log2(length, 0.6) == batches
    assert counts.geometric_ratio(length, 0.6) == pytest.approx(ratio, abs=0.005)


def test_exact_sum_against_multiprecision_arithmetic():
    with mpmath.workdps(120):
        for length, a, eta in (
            (10, "0.6", "0.5"),
            (1000, "0.75", "0.5"),
            (10**20, "0.52", "0.5"),
            (10**64, "0.4", "0.3"),
        ):
            ratio, floor, total = mpmath.mpf(a), mpmath.mpf(eta), mpmath.mpf(0)
            batches = counts.power_batch_count_log2(length, float(a))
            terms = [mpmath.mpf(2) ** (length * ratio ** (i - 1) * (floor - ratio)) for i in range(1, batches + 1)]
            total = sum(terms) / terms[-1]
            assert counts.geometric_ratio(length, float(a), float(eta)) == pytest.approx(float(total), rel=1e-9)
            later = sum(terms[1:]) / terms[-1]
            assert counts.geometric_ratio(length, float(a), float(eta), first=2) == pytest.approx(
                float(later), rel=1e-9
            )


def test_sum_is_below_its_constant_and_a_larger_rate_would_not_do():
    worst = 0.0
    for a, eta in ((0.52, 0.5), (0.6, 0.5), (0.75, 0.5), (0.9, 0.5), (0.4, 0.3), (0.5, 0.3)):
        for length in (2, 5, 10, 33, 100, 1e3, 1e6, 1e16, 1e64):
            ratio = counts.geometric_ratio(length, a, eta)
            assert ratio <= counts.geometric_constant(a, eta)
            worst = max(worst, ratio) if a == 0.6 else worst
    boosted = 20 * counts.geometric_rate(0.6)
    assert 2**boosted / (2**boosted - 1) == pytest.approx(2.35, abs=0.005)
    assert worst > 2.35


def test_sum_at_1000_rounds_is_hardly_below_four_batches():
    terms = counts.geometric_terms(math.log2(1000), 0.6)
    assert len(terms) == 5
    assert terms.sum() == pytest.approx(3.7, abs=0.05)
    assert np.all(terms <= 1)


def test_counting_without_ceilings_agrees_with_the_exact_count():
    for a in (0.4, 0.6, 0.75, 0.9):
        for length in (80, 200, 500, 1000):
            exact = counts.power_batch_count(1 << length, a)
            assert counts.power_batch_count_log2(length + 1e-7, a) == exact
    assert counts.power_batch_count_log2(math.log2(1000), 0.6) == 5  # rounded to the horizon that was meant


def test_factor_b_pays_off_only_at_absurd_horizons():
    # B exceeds the best constant 23.6 at a = 3/4 for no T below 2^1047
    assert counts.power_batch_count(1 << 1046, 0.75) == 23
    assert counts.power_batch_count(1 << 1047, 0.75) == 24


def test_tables():
    table = counts.batch_count_table([10, 1000, 10**12], [0.4, 0.6])
    assert len(table) == 9
    for row in table:
        assert row["batches"] <= row["upper"]
        assert row["lower"] is None or not row["proviso"] or row["lower"] <= row["batches"]
    picked = next(row for row in table if row["horizon"] == 1000 and row["a"] == 0.6)
    assert picked == {
        "horizon": 1000, "rule": "power", "a": 0.6, "batches": 5, "upper": 6, "lower": 2, "proviso": True,
    }  # fmt: skip
    sums = counts.geometric_sum_table([10, 1e64], [(0.6, 0.5), (0.4, 0.3)])
    assert [row["batches"] for row in sums[:2]] == [5, 289]
    # Case 2 leaves the first batch out
    assert sums[2]["ratio"] == pytest.approx(counts.geometric_ratio(10, 0.4, 0.3, first=2))
    assert sums[2]["ratio"] < counts.geometric_ratio(10, 0.4, 0.3)


def test_arguments_outside_the_theorem_are_refused():
    with pytest.raises(AssumptionError):
        counts.geometric_constant(0.5)
    with pytest.raises(ParameterError, match=r"^a:"):
        counts.geometric_constant(1.0)
    with pytest.raises(ParameterError, match=r"^horizon: got 2"):
        counts.power_count_lower(2, 0.5)
    with pytest.raises(ParameterError, match=r"^log2_horizon"):
        counts.power_batch_count_log2(math.inf, 0.5)
    with pytest.raises(ParameterError, match=r"^fraction"):
        counts.remark5_excess(100, 0.5, 0.0)
