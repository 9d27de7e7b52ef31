"""The two-sided bound on the maximum information gain against brute force, closed forms and a generic optimiser."""

import itertools

import mpmath
import numpy as np
import pytest
from generated import drawn
from hypothesis import given
from hypothesis import strategies as st
from information.gain_cases import CASES, COUNT, all_gains, covariance
from scipy.optimize import minimize
from tolerances import GAIN_ALLOWANCE, GAIN_BRACKET_RATIO, GAIN_OPTIMISER, GAIN_ROUNDING, GAIN_TEETH

from companion.core.errors import ConditioningError, ParameterError
from companion.core.randomness import stream
from companion.gp import grid, kernel_by_name
from companion.information import (
    UPPER_BOUNDS,
    GreedyGain,
    cumulative_information_gain,
    gain_bracket,
    gain_bracket_curve,
    greedy_gain,
    information_gain,
    maximum_gain_of_grid,
)
from companion.information import design as relaxed
from companion.information.box import gain_bracket_of_box
from companion.information.gain import rounding
from companion.information.gain_bounds import _prefix_gain, apportion
from companion.information.large_sets import gain_bracket_of_many
from companion.information.upper import spectral_bound, spectrum, submodular_bound


def relaxed_bound(case, kind, rank=None, rounds=40, found_for=None):
    spec = spectrum(case.covariance)
    size = len(case.covariance)
    feats = relaxed.features(spec, case.noise_variance, min(rank or size, size))
    start = np.full(size, 1 / size)
    certificate = relaxed.relax(feats, found_for or case.horizon, start, rounds, 1e-6, kind)
    return float(relaxed.evaluate(certificate, np.array([case.horizon]), kind)[0])


def submodular(case, beyond=4):
    path = greedy_gain(case.covariance, case.horizon + beyond, case.noise_variance)
    return submodular_bound(path, case.horizon, case.noise_variance)


def random_shrinkage(case):
    """The bound at an arbitrary Theta, which no design produced."""
    generator = stream(int(1e6 * case.maximum), "shrinkage")
    size = len(case.covariance)
    feats = relaxed.features(spectrum(case.covariance), case.noise_variance, max(1, size - 1))
    rank = feats.phi.shape[1]
    axes = np.linalg.qr(generator.standard_normal((rank, rank)))[0]
    theta, floor = generator.uniform(0.01, 1, (rank, 1)), generator.uniform(0.01, 1, 1)
    score = (((feats.phi @ axes) ** 2) @ theta[:, 0] + floor[0] * feats.tail).max()
    return 0.5 * case.horizon * score + 0.5 * relaxed.charge(theta, floor, min(case.horizon, size))[0]


BOUNDS = {
    "submodular": submodular,
    "submodular, prior only": lambda c: submodular_bound(
        GreedyGain(np.zeros(0, int), np.zeros(0), np.diagonal(c.covariance).max(keepdims=True)),
        c.horizon,
        c.noise_variance,
    ),
    "spectral": lambda c: spectral_bound(spectrum(c.covariance), c.horizon, c.noise_variance),
    "design": lambda c: relaxed_bound(c, "design"),
    "design, not converged": lambda c: relaxed_bound(c, "design", rounds=1),
    "design, one feature": lambda c: relaxed_bound(c, "design", rank=1),
    "factorization": lambda c: relaxed_bound(c, "factorization"),
    "factorization, not converged": lambda c: relaxed_bound(c, "factorization", rounds=1),
    "factorization, two features": lambda c: relaxed_bound(c, "factorization", rank=2),
    "factorization, of another horizon": lambda c: relaxed_bound(c, "factorization", found_for=3 * c.horizon),
    "factorization, arbitrary shrinkage": random_shrinkage,
}


def test_the_cases_cover_what_they_should():
    assert COUNT >= 200
    assert sum(c.repeats_needed for c in CASES) >= 50
    assert sum(c.repeats_needed and c.horizon <= len(c.covariance) for c in CASES) >= 10
    assert sum(c.horizon > len(c.covariance) for c in CASES) >= 30
    assert {c.family for c in CASES if not c.repeats_needed} >= {"se", "matern52", "identity"}


@pytest.mark.parametrize("name", BOUNDS)
def test_no_upper_bound_is_ever_below_the_maximum(name):
    for case in CASES:
        assert BOUNDS[name](case) >= case.maximum - GAIN_ROUNDING, case


@pytest.mark.slow
def test_bracket_contains_the_maximum_and_its_lower_end_is_achieved():
    for case in CASES:
        bracket = gain_bracket(case.covariance, case.horizon, case.noise_variance)
        assert bracket.lower <= case.maximum + GAIN_ROUNDING
        assert set(bracket.ends) == set(UPPER_BOUNDS)
        for name, end in bracket.ends.items():
            assert end >= case.maximum - GAIN_ROUNDING, (name, case)
        assert bracket.upper == min(bracket.ends.values()) == bracket.ends[bracket.source]
        assert bracket.lower_indices.shape == (case.horizon,)
        achieved = information_gain(case.covariance, bracket.lower_indices, case.noise_variance)
        assert achieved * (1 - GAIN_ALLOWANCE) <= bracket.lower <= achieved
        assert bracket.ratio == bracket.upper / bracket.lower >= 1 - GAIN_ROUNDING


@pytest.mark.parametrize("picks", [30, 400])
def test_the_gain_of_a_prefix_is_its_own_whether_or_not_points_are_repeated(picks):
    matrix = np.asarray(kernel_by_name("matern32", 0.3)(grid(12, 1)))
    path = stream(0, "prefixes").integers(0, 12, picks)
    gain = _prefix_gain(matrix, path, 0.01)
    for t in (1, 7, picks, picks + 50):
        assert gain(t) == pytest.approx(information_gain(matrix, path[:t], 0.01), rel=GAIN_ROUNDING)


@pytest.mark.slow
def test_curve_contains_the_maximum_at_every_horizon():
    for case in CASES[::4]:
        horizons = [4, 1, 5, 2, 3, 2]
        curve = gain_bracket_curve(case.covariance, horizons, case.noise_variance, rounds=3)
        assert [b.horizon for b in curve] == horizons
        for bracket in curve:
            maximum = all_gains(case.covariance, bracket.horizon, case.noise_variance)[0].max()
            assert bracket.lower <= maximum + GAIN_ROUNDING
            assert all(end >= maximum - GAIN_ROUNDING for end in bracket.ends.values()), (case, bracket)


# -- Teeth: the brute-force comparison must catch each of these plausible mistakes ------------------------------------


def path_of(case):
    return greedy_gain(case.covariance, case.horizon + 4, case.noise_variance)


def without_horizon_factor(case):
    path = path_of(case)
    gains = np.concatenate([[0.0], path.gains])
    return (gains + 0.5 * np.log1p(path.max_variance / case.noise_variance)).min()


def without_largest(case):
    path = path_of(case)
    mean = np.diagonal(case.covariance).mean()
    return submodular_bound(GreedyGain(path.indices, path.gains, np.append(mean, path.max_variance[1:])), case.horizon,
                            case.noise_variance)  # fmt: skip


def without_gain_so_far(case):
    path = path_of(case)
    late = GreedyGain(path.indices, 0 * path.gains, path.max_variance)
    return submodular_bound(late, case.horizon, case.noise_variance)


def without_gap(case, kind):
    size = len(case.covariance)
    feats = relaxed.features(spectrum(case.covariance), case.noise_variance, size)
    step = relaxed._full_step if kind == "design" else relaxed._limited_step
    return step(feats, case.horizon, np.full(size, 1 / size))[2]


def without_tail(case):
    size = len(case.covariance)
    feats = relaxed.features(spectrum(case.covariance), case.noise_variance, 1)
    bare = relaxed.Features(feats.phi, np.zeros(size))
    certificate = relaxed.relax(bare, case.horizon, np.full(size, 1 / size), 40, 1e-6)
    return float(relaxed.evaluate(certificate, np.array([case.horizon]), "factorization")[0])


def spectral_of(case, horizon=None, vectors=None):
    spec = spectrum(case.covariance)
    changed = type(spec)(spec.values, spec.vectors if vectors is None else vectors(spec.vectors), spec.variance, 0.0)
    return spectral_bound(changed, horizon or case.horizon, case.noise_variance)


def one_slot_less(case):
    """Charging T-1 directions instead of T; the shrinkage itself stays as it is."""
    if case.horizon == 1:
        return np.inf
    size = len(case.covariance)
    feats = relaxed.features(spectrum(case.covariance), case.noise_variance, size)
    here = relaxed.relax(feats, case.horizon, np.full(size, 1 / size), 40, 1e-6)
    loads, tail = case.horizon * here.loads[:, None], np.array([case.horizon * (here.weights @ here.tail)])
    slots = min(case.horizon, size)
    theta, floor = relaxed.shrinkage(loads, tail, slots)
    if slots == 1:
        return np.inf
    score = (here.squares @ theta[:, 0] + floor[0] * here.tail).max()
    return 0.5 * case.horizon * score + 0.5 * relaxed.charge(theta, floor, slots - 1)[0]


MISTAKES = {
    "submodular without the factor T": without_horizon_factor,
    "submodular with a mean for the maximum": without_largest,
    "submodular without F(S_k)": without_gain_so_far,
    "spectral with T - 1 units of water": lambda c: spectral_of(c, c.horizon - 1) if c.horizon > 1 else np.inf,
    "spectral with caps from the mean of u^2": lambda c: spectral_of(
        c, vectors=lambda u: np.sqrt((u**2).mean(axis=0, keepdims=True))
    ),
    "half the spectral bound": lambda c: 0.5 * spectral_of(c),
    "design without its duality gap": lambda c: without_gap(c, "design"),
    "factorization without its duality gap": lambda c: without_gap(c, "factorization"),
    "factorization without the left-out variance": without_tail,
    "factorization with one slot less": one_slot_less,
}


@pytest.mark.parametrize("name", MISTAKES)
def test_brute_force_catches(name):
    assert any(MISTAKES[name](case) < case.maximum - GAIN_TEETH for case in CASES)


# -- Tightness: a bound that is merely huge would pass the comparison above -------------------------------------------


def test_identity_has_its_closed_form():
    """K = I_4, sigma^2 = 0.01, ten picks: best is 3, 3, 2, 2 copies, F = log 301 + log 201 = 11.0105."""
    bracket = gain_bracket(np.eye(4), 10, 0.01)
    assert bracket.lower == pytest.approx(np.log(301) + np.log(201), abs=GAIN_ROUNDING)
    assert round(bracket.lower, 2) == 11.01
    assert sorted(np.bincount(bracket.lower_indices).tolist()) == [2, 2, 3, 3]
    for name in ("spectral", "design", "factorization"):  # all three are the relaxed value, 2.5 copies each
        assert bracket.ends[name] == pytest.approx(2 * np.log(251), abs=GAIN_ROUNDING)


@pytest.mark.parametrize("horizon", [1, 3, 7])
def test_identity_with_fewer_picks_than_points_is_exact(horizon):
    bracket = gain_bracket(np.eye(7), horizon, 0.01)
    assert bracket.lower == pytest.approx(0.5 * horizon * np.log(101), abs=GAIN_ROUNDING)
    for name in ("submodular", "factorization"):
        assert bracket.ends[name] == pytest.approx(0.5 * horizon * np.log(101), abs=GAIN_ROUNDING)


def test_one_pick_is_exact():
    for case in CASES[::7]:
        bracket = gain_bracket(case.covariance, 1, case.noise_variance)
        assert bracket.upper == pytest.approx(bracket.lower, abs=1e-8)


@pytest.mark.parametrize("number", range(8))
def test_spectral_bound_is_the_water_filling_maximum(number):
    generator = stream(number, "water")
    matrix, horizon, noise = covariance("random", 5, generator), 3, 0.3
    values, vectors = np.linalg.eigh(matrix)
    caps = horizon * (vectors**2).max(axis=0)
    solved = minimize(
        lambda m: -0.5 * np.log1p(m * values / noise).sum(),
        np.full(5, horizon / 5),
        bounds=[(0, cap) for cap in caps],
        constraints={"type": "eq", "fun": lambda m: m.sum() - horizon},
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    )
    assert spectral_bound(spectrum(matrix), horizon, noise) == pytest.approx(-solved.fun, abs=GAIN_OPTIMISER)


@pytest.mark.parametrize("number", range(8))
def test_design_bound_is_the_relaxed_maximum(number):
    generator = stream(number, "relaxed")
    matrix, horizon, noise = covariance(["se", "random"][number % 2], 5, generator), 4, 0.1
    root = np.linalg.cholesky(matrix + 1e-14 * np.eye(5))

    def loss(w):
        return -0.5 * np.linalg.slogdet(np.eye(5) + root.T @ (w[:, None] * root) / noise)[1]

    solved = minimize(
        loss,
        np.full(5, horizon / 5),
        bounds=[(0, horizon)] * 5,
        constraints={"type": "eq", "fun": lambda w: w.sum() - horizon},
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    )
    feats = relaxed.features(spectrum(matrix), noise, 5)
    certificate = relaxed.relax(feats, horizon, np.full(5, 0.2), 5000, 1e-7, "design")
    value = relaxed.evaluate(certificate, np.array([horizon]), "design")[0]
    assert value == pytest.approx(-solved.fun, abs=GAIN_OPTIMISER)


@pytest.mark.slow
def test_factorization_bound_is_at_most_the_design_and_the_trivial_bound():
    for case in CASES[::3]:
        found = relaxed_bound(case, "factorization", rounds=400)
        trivial = 0.5 * case.horizon * np.log1p(np.diagonal(case.covariance).max() / case.noise_variance)
        slack = 0.02 * found + GAIN_OPTIMISER  # the multiplicative algorithm stops short of the optimum
        assert found <= relaxed_bound(case, "design", rounds=400) + slack
        assert found <= trivial + slack


def test_evaluation_agrees_with_the_bound_seen_while_optimising():
    matrix = covariance("matern52", 40, stream(1, "steps"))
    feats = relaxed.features(spectrum(matrix), 0.01, 40)
    weights = stream(2, "steps").dirichlet(np.ones(40))
    certificate = relaxed.diagonalise(weights, feats)
    for step, kind in ((relaxed._full_step, "design"), (relaxed._limited_step, "factorization")):
        expected = step(feats, 9, weights)[1]
        assert relaxed.evaluate(certificate, np.array([9]), kind)[0] == pytest.approx(expected, abs=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kernel", "noise_sd", "horizon"), [("se", 0.1, 200), ("se", 0.02, 50), ("matern52", 0.02, 50)]
)
def test_bracket_is_narrow_on_the_nine_hundred_point_grid(kernel, noise_sd, horizon):
    bracket = maximum_gain_of_grid(kernel, 0.2, 2, 30, noise_sd, horizon)
    assert 1 <= bracket.ratio <= GAIN_BRACKET_RATIO
    matrix = kernel_by_name(kernel, 0.2)(grid(30, 2))
    achieved = information_gain(matrix, bracket.lower_indices, noise_sd**2)
    assert achieved * (1 - GAIN_ALLOWANCE) <= bracket.lower <= achieved
    assert len(bracket.lower_indices) == horizon


def test_exchanges_raise_the_lower_end_and_only_when_asked():
    matrix = kernel_by_name("se", 0.2)(grid(15, 2))
    plain, improved = (gain_bracket(matrix, 30, 0.01, exchange_passes=passes) for passes in (0, 3))
    assert plain.lower_source == "greedy"
    assert plain.lower_indices.tolist() == greedy_gain(matrix, 30, 0.01).indices.tolist()
    assert improved.lower_source == "exchange"
    assert improved.lower > plain.lower * 1.001
    assert improved.upper == plain.upper


@pytest.mark.slow
def test_curve_is_narrow_and_consistent_with_single_horizons():
    matrix = kernel_by_name("se", 0.2)(grid(15, 2))
    horizons = [1, 3, 10, 30, 100, 300]
    curve = gain_bracket_curve(matrix, horizons, 0.01)
    for bracket in curve:
        single = gain_bracket(matrix, bracket.horizon, 0.01)
        assert bracket.upper >= single.lower - GAIN_ROUNDING
        assert single.upper >= bracket.lower - GAIN_ROUNDING
        assert bracket.ratio <= 1.1
    uppers = [b.upper for b in curve]
    assert uppers == sorted(uppers)


@pytest.mark.slow
def test_horizons_far_beyond_the_greedy_path_are_bracketed():
    matrix = kernel_by_name("se", 0.3)(grid(6, 2))
    bracket = gain_bracket(matrix, 1_000_000, 0.01)
    assert bracket.lower_source == "rounding"
    assert bracket.lower_indices.shape == (1_000_000,)
    assert 1 <= bracket.ratio <= 1.01
    long = gain_bracket_curve(matrix, [100, 1_000_000], 0.01)[1]
    assert long.lower <= bracket.upper <= long.upper * 1.01


@pytest.mark.parametrize("lengthscale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("noise", [1e-10, 1e-6, 1e2])
def test_extreme_problems_give_finite_ordered_ends(lengthscale, noise):
    matrix = kernel_by_name("se", lengthscale)(grid(7, 2))
    for horizon in (1, 5, 60):
        bracket = gain_bracket(matrix, horizon, noise)
        assert all(np.isfinite(end) and end >= bracket.lower for end in bracket.ends.values()), (horizon, bracket)


def test_apportion_keeps_the_total_and_stays_within_one():
    generator = stream(0, "apportion")
    for total in (1, 7, 1000):
        weights = generator.dirichlet(np.ones(9))
        copies = apportion(weights, total)
        assert copies.sum() == total
        assert np.abs(copies - total * weights).max() < 1
    assert apportion(np.full(4, 0.25), 10).tolist() == [3, 3, 2, 2]


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"horizon": 0}, "horizon"),
        ({"horizon": 2.5}, "horizon"),
        ({"horizon": 10**9}, "horizon"),
        ({"noise_variance": 0.0}, "noise_variance"),
        ({"noise_variance": float("nan")}, "noise_variance"),
        ({"covariance": np.array([[1.0, 2.0], [2.0, 1.0]])}, "covariance"),
        ({"covariance": np.array([[1.0, 0.1], [0.2, 1.0]])}, "covariance"),
        ({"rounds": 0}, "rounds"),
        ({"gap": -1.0}, "gap"),
        ({"max_rank": 0}, "max_rank"),
        ({"exchange_passes": -1}, "exchange_passes"),
    ],
)
def test_bad_arguments_of_the_bracket_are_refused(arguments, name):
    good = {"covariance": np.eye(2), "horizon": 3, "noise_variance": 0.1}
    with pytest.raises(ParameterError, match=name):
        gain_bracket(**{**good, **arguments})


@pytest.mark.parametrize("horizons", [[], [0], [1, 2.5], [1, -1]])
def test_bad_horizons_of_the_curve_are_refused(horizons):
    with pytest.raises(ParameterError, match="horizons"):
        gain_bracket_curve(np.eye(2), horizons, 0.1)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (("sse", 0.2, 2, 5, 0.1, 10), "kernel"),
        (("se", -0.2, 2, 5, 0.1, 10), "lengthscale"),
        (("se", 0.2, 0, 5, 0.1, 10), "dim"),
        (("se", 0.2, 2, 500, 0.1, 10), "points_per_axis"),
        (("se", 0.2, 10**6, 3, 0.1, 10), "points_per_axis"),
        (("se", 0.2, 2, 5, 0.0, 10), "noise_sd"),
        (("se", 0.2, 2, 5, 0.1, 0), "horizon"),
    ],
)
def test_bad_arguments_of_the_grid_helper_are_refused(arguments, name):
    with pytest.raises(ParameterError, match=name):
        maximum_gain_of_grid(*arguments)


# -- Rounding: both ends against every multiset in sixty digits, where signals are weak, noise is tiny, points repeat ----------


def exact_maximum(matrix, horizon, noise):
    """The largest gain of so many picks, by definition, in sixty digits."""
    with mpmath.workdps(60):
        best = mpmath.mpf(0)
        for picks in itertools.combinations_with_replacement(range(len(matrix)), horizon):
            block = mpmath.eye(horizon)
            for (i, a), (j, b) in itertools.product(enumerate(picks), repeat=2):
                block[i, j] += mpmath.mpf(float(matrix[a, b])) / mpmath.mpf(noise)
            best = max(best, mpmath.log(mpmath.det(block)) / 2)
        return best


@st.composite
def rounded(draw):
    """Points, some of them twice or nearly so, of variances 1e-6 to 1e6, and noise from tiny to drowning."""
    size = draw(st.integers(1, 4))
    points = np.array(draw(st.lists(st.sampled_from([0.0, 1e-6, 0.1, 0.5, 1.0, 3.0]), min_size=size, max_size=size)))
    kernel = kernel_by_name(draw(st.sampled_from(["se", "matern12", "matern52"])), 0.3)
    sd = np.sqrt(draw(st.sampled_from([1e-6, 1.0, 1e6]))) * np.array(
        draw(st.lists(st.sampled_from([1.0, 0.5, 1e-3]), min_size=size, max_size=size))
    )
    matrix = np.asarray(kernel(points[:, None])) * np.outer(sd, sd)
    return matrix, draw(st.integers(1, 3)), float(matrix.max() * 10.0 ** draw(st.floats(-12, 12)))


@pytest.mark.slow
@drawn(120)
@given(rounded())
def test_no_rounding_takes_an_end_across_the_exact_maximum(case):
    matrix, horizon, noise = case
    try:
        found = gain_bracket(matrix, horizon, noise)
        curve = gain_bracket_curve(matrix, [horizon, horizon + 2], noise)[0]
    except ConditioningError:
        return
    exact = exact_maximum(matrix, horizon, noise)
    for bracket in (found, curve):
        assert bracket.lower <= exact
        assert all(end >= exact for end in bracket.ends.values()), bracket.ends
        assert bracket.lower >= 0.0


@pytest.mark.parametrize(("noise", "horizon"), [(1e12, 100), (1e6, 1), (1e10, 5), (1e-10, 3)])
def test_ends_do_not_cross_where_the_signal_is_weak(noise, horizon):
    kernel = kernel_by_name("se", 0.2)
    points = grid(5, 1)
    for found in (
        gain_bracket(kernel(points), horizon, noise),
        gain_bracket_of_many(kernel, points, horizon, noise),
        gain_bracket_of_box(kernel, 1, horizon, noise),
    ):
        assert 0.99 * found.upper < found.lower <= found.upper


def test_the_allowance_is_small_and_no_smaller_than_what_rounding_does():
    """A hundred points with a thousand picks at noise sd 0.1 lose less than a millionth; a plain logarithm errs by more."""
    matrix = np.asarray(kernel_by_name("matern52", 0.2)(grid(100, 1)))
    found = gain_bracket(matrix, 1000, 0.01)
    plain = information_gain(matrix, found.lower_indices, 0.01)
    assert 0.0 < plain - found.lower < GAIN_ALLOWANCE * plain
    assert plain - found.lower == pytest.approx(
        rounding(np.unique(found.lower_indices, return_counts=True)[1] / 0.01), rel=0.01
    ), "repeats are loads"
    weak = np.full((3, 3), 1.0)
    exact = 0.5 * np.log1p(3e-10)
    assert information_gain(weak, [0, 1, 2], 1e10) == pytest.approx(exact, rel=1e-14)
    assert cumulative_information_gain(weak, [0, 1, 2], 1e10)[-1] == pytest.approx(exact, rel=1e-14)


def test_the_bound_of_no_picks_is_above_its_exact_value():
    for ratio in 10.0 ** stream(3, "prior only").uniform(-15, 40, 300):
        found = submodular_bound(GreedyGain(np.zeros(0, int), np.zeros(0), np.array([ratio])), 3, 1.0)
        with mpmath.workdps(60):
            assert (
                mpmath.log1p(mpmath.mpf(float(ratio))) * 3 / 2
                <= found
                <= float(mpmath.log1p(ratio)) * 1.5 * (1 + 1e-14)
            )


@pytest.mark.parametrize("kind", ["design", "factorization"])
def test_a_relaxed_design_has_weight_one_and_reaches_the_gap_that_it_is_asked_for(kind):
    """The bound less the relaxed value, and the bound that one round more or less would give."""
    matrix = np.asarray(kernel_by_name("matern32", 0.3)(grid(25, 1)))
    feats = relaxed.features(spectrum(matrix), 0.05, 25)
    start = np.full(25, 1 / 25)
    uppers = []
    for rounds in (1, 40):
        found = relaxed.relax(feats, 12, start, rounds, 1e-3, kind)
        assert found.weights.sum() == pytest.approx(1.0)
        uppers.append(float(relaxed.evaluate(found, np.array([12]), kind)[0]))
    step = relaxed._full_step if kind == "design" else relaxed._limited_step
    _, upper, value = step(feats, 12, found.weights)
    assert 0 <= upper - value <= 1e-3 * upper
    assert uppers[1] < uppers[0] * 0.99
