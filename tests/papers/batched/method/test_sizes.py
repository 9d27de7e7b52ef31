import csv
import math
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest

from companion.core.errors import ParameterError
from companion.papers.batched.method import sizes
from companion.papers.batched.method.exact import ceil_power

DATA = Path(__file__).parent / "data"
INF = math.inf


def rows(name):
    with (DATA / name).open(newline="") as file:
        return list(csv.DictReader(file))


def numbers(text):
    return tuple(int(part) for part in text.split())


GROWING, FIXED = rows("batch_sizes.csv"), rows("constant_B_sizes.csv")


@pytest.mark.parametrize("horizon", sorted({int(row["T"]) for row in GROWING}))
def test_original_and_power_sizes_agree_with_the_tabulated_ones(horizon):
    checked = 0
    for row in GROWING:
        if int(row["T"]) != horizon:
            continue
        ours = (
            sizes.original_sizes(horizon) if row["rule"] == "orig_eq5" else sizes.power_sizes(horizon, float(row["a"]))
        )
        assert ours == numbers(row["N"]), row
        assert len(ours) == int(row["B"])
        checked += 1
    assert checked == 16


@pytest.mark.parametrize("row", FIXED, ids=lambda row: "-".join(row[key] for key in ("T", "B", "kernel", "d", "nu")))
def test_fixed_batch_rules_agree_with_the_tabulated_ones(row):
    nu = INF if row["kernel"] == "SE" else float(row["nu"])
    case = int(row["T"]), int(row["B"]), nu, int(row["d"])
    older = sizes.older_constant_sizes(*case, allow_invalid=True)
    assert older == numbers(row["li_scarlett_N_D11"])
    assert sizes.end_times(*case, allow_invalid=True) == numbers(row["t_ends_D12"])
    assert sizes.constant_sizes(*case, allow_invalid=True) == numbers(row["N_D12"])
    assert sizes.reference_times(*case) == numbers(row["reference_T_prop5"])
    if row["D12_valid"] == "1":
        assert sum(sizes.constant_sizes(*case)) == case[0]
    else:
        with pytest.raises(ParameterError, match=r"^horizon:"):
            sizes.constant_sizes(*case)
    if older[-1] <= 0:
        with pytest.raises(ParameterError, match="overflows"):
            sizes.older_constant_sizes(*case)


def test_the_tables_are_complete():
    assert (len(GROWING), len(FIXED)) == (176, 120)


@pytest.mark.parametrize(("a", "first"), [(0.6, 100), (0.2, 10_000), (0.4, 1000), (0.8, 10)])
def test_integer_powers_are_not_rounded_up(a, first):
    """A plain ceiling of floats answers 101 for a = 0.6."""
    assert sizes.power_sizes(100_000, a)[0] == first


@pytest.mark.parametrize("root", [2, 3, 10, 31, 1000, 10**6])
@pytest.mark.parametrize("degree", [2, 3, 5, 7, 10])
def test_first_size_around_perfect_powers(root, degree):
    # exponent 1 - a = 1/degree, so N_1 is the smallest n with n**degree >= T: an integer question
    a, power = Fraction(degree - 1, degree), root**degree
    assert next(sizes.iter_power_sizes(power, a)) == root
    assert next(sizes.iter_power_sizes(power + 1, a)) == root + 1
    if root > 2:
        assert next(sizes.iter_power_sizes(power - 1, a)) == root


@pytest.mark.parametrize("a", ["0.31", "0.5", "0.6", "0.75", "0.9"])
def test_power_sizes_against_integer_inequalities(a):
    # With 1 - a^i = p/q, the ceiling is the smallest n with n^q >= T^p; no floating point anywhere.
    ratio = Fraction(a)
    for horizon in (2, 3, 64, 97, 1000, 4096, 65_536, 99_999, 10**6):
        rest = horizon
        for i, size in enumerate(sizes.power_sizes(horizon, float(a)), 1):
            exponent = 1 - ratio**i
            if exponent.denominator > 2000:
                break
            if size < rest:
                assert size**exponent.denominator >= horizon**exponent.numerator
                assert (size - 1) ** exponent.denominator < horizon**exponent.numerator
            rest -= size


def test_all_rules_against_multiprecision_arithmetic_up_to_1e18():
    generator = np.random.default_rng(20260320)
    with mpmath.workdps(80):
        for horizon in [*map(int, np.geomspace(200, 1e17, 12)), 10**18 - 1, 10**18, 2**59]:
            log_t = mpmath.log(horizon)
            a = round(float(generator.uniform(0.2, 0.9)), 3)
            for i, size in enumerate(sizes.power_sizes(horizon, a)[:-1], 1):
                assert size == mpmath.ceil(mpmath.exp(log_t * (1 - mpmath.mpf(str(a)) ** i)) - mpmath.mpf(10) ** -40)
            for nu, dim in ((INF, 1), (2.5, 2)):
                eta = mpmath.mpf(1) / 2 if nu == INF else mpmath.mpf(nu) / (2 * nu + dim)
                power = mpmath.mpf(dim) / 2 if nu == INF else 0
                for i, time in enumerate(sizes.reference_times(horizon, 4, nu, dim)[:-1], 1):
                    exact = horizon ** ((1 - eta**i) / (1 - eta**4)) * log_t ** (
                        power * (eta**i - eta**4) / (1 - eta**4)
                    )
                    assert time == mpmath.ceil(exact)


def test_original_sizes_solve_their_defining_inequality_at_1e18():
    horizon, previous = 10**18, 1
    got = sizes.original_sizes(horizon)
    for size in got[:-1]:
        assert (size - 1) ** 2 < horizon * previous <= size**2
        previous = size
    assert sum(got) == horizon


def test_ceiling_with_logarithm_has_no_trap_at_whole_values_of_neighbours():
    # log 20 squared is 8.97441...; a rule that drops the logarithm would answer 1
    assert ceil_power(20, Fraction(0), Fraction(2)) == 9
    assert ceil_power(10**300, Fraction(1), Fraction(0)) == 10**300
    with mpmath.workdps(400):
        assert ceil_power(10**300, Fraction(1, 3), Fraction(1, 2)) == mpmath.ceil(
            mpmath.mpf(10) ** 100 * mpmath.sqrt(mpmath.log(mpmath.mpf(10) ** 300))
        )


def test_half_is_the_original_rule_only_without_ceilings():
    # The two rules are called equivalent at a = 1/2; with ceilings they are not (T = 4..10000).
    different, counts = 0, 0
    for horizon in range(4, 10_001):
        ours, theirs = sizes.power_sizes(horizon, 0.5), sizes.original_sizes(horizon)
        different += ours != theirs
        counts += len(ours) != len(theirs)
    assert (different, counts) == (9680, 118)
    assert sizes.original_sizes(97) == (10, 32, 55)
    assert sizes.power_sizes(97, 0.5) == (10, 31, 55, 1)


def test_footnote_10_raw_sizes():
    assert sizes.older_constant_sizes(1000, 4, INF, 2, allow_invalid=True) == (242, 545, 817, -604)
    assert sizes.older_constant_sizes(1000, 4, INF, 1, allow_invalid=True)[-1] == -187
    with pytest.raises(ParameterError):
        sizes.older_constant_sizes(1000, 4, INF, 2)


def test_end_points_fail_below_the_power_of_the_logarithm():
    assert sizes.end_times(1000, 4, INF, 3, allow_invalid=True) == (1469, 1179, 1057, 1000)
    assert sizes.constant_sizes(1000, 4, INF, 3, allow_invalid=True) == (1469, -290, -122, -57)
    with pytest.raises(ParameterError):
        sizes.constant_sizes(1000, 4, INF, 3)
    with pytest.raises(ParameterError):  # T = 100 > (log T)^3 = 97.7, but only just
        sizes.constant_sizes(100, 2, INF, 2)


@pytest.mark.parametrize(("dim", "threshold"), [(2, 91), (3, 5.5e3), (4, 3.3e5), (5, 2.4e7)])
def test_overflow_thresholds(dim, threshold):
    def first_exceeds_last(horizon):
        times = sizes.end_times(int(horizon), 3, INF, dim, allow_invalid=True)
        return times[0] > times[-1]

    assert first_exceeds_last(threshold * 0.96)
    assert not first_exceeds_last(threshold * 1.04)


def test_eta():
    assert sizes.eta_fraction(INF, 3) == Fraction(1, 2)
    assert sizes.eta_fraction(1.5, 2) == Fraction(3, 10)
    assert sizes.eta_fraction(2.5, 2) == Fraction(5, 14)
    # the number of batches grows with smoothness over dimension (Remark 3)
    values = [sizes.eta(nu, 2) for nu in (0.5, 1.5, 2.5, 10.0, INF)]
    assert values == sorted(values)
    assert len(set(values)) == 5


def test_rules_by_name():
    assert sizes.batch_sizes("original", 1000) == sizes.original_sizes(1000)
    assert sizes.batch_sizes("power", 1000, a=0.4) == (64, 332, 604)
    assert sizes.batch_sizes("constant", 1000, batches=3, nu=1.5, dim=2) == (248, 477, 275)
    assert sizes.batch_sizes("older", 1000, batches=3, nu=1.5, dim=2) == (144, 640, 216)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sizes.original_sizes(1), "^horizon: got 1"),
        (lambda: sizes.original_sizes(-5), "^horizon: got -5"),
        (lambda: sizes.original_sizes(100.0), "^horizon: got 100.0"),
        (lambda: sizes.original_sizes(True), "^horizon: got True"),
        (lambda: sizes.power_sizes(100, 1), "^a:"),
        (lambda: sizes.power_sizes(100, 0.0), "^a: got 0.0"),
        (lambda: sizes.power_sizes(100, math.nan), "^a: got nan"),
        (lambda: sizes.power_sizes(100, "0.5"), "^a: got '0.5'"),
        (lambda: sizes.power_sizes(10**6, 1 - 1e-9), "^a:"),
        (lambda: sizes.constant_sizes(100, 1, 1.5, 2), "^batches: got 1"),
        (lambda: sizes.constant_sizes(10, 11, 1.5, 2), "^batches: got 11"),
        (lambda: sizes.constant_sizes(100, 3, -1.5, 2), "^smoothness: got -1.5"),
        (lambda: sizes.constant_sizes(100, 3, math.nan, 2), "^smoothness: got nan"),
        (lambda: sizes.constant_sizes(100, 3, 1.5, 0), "^dim: got 0"),
        (lambda: sizes.batch_sizes("powr", 100), "^schedule:"),
        (lambda: sizes.batch_sizes("power", 100), "^a: is missing"),
        (lambda: sizes.batch_sizes("constant", 100, batches=3), "^batches:"),
    ],
)
def test_bad_arguments_are_refused(call, message):
    with pytest.raises(ParameterError, match=message):
        call()
