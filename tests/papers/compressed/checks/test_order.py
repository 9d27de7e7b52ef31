"""Statements on setting and model order of paper 2, leads on them: verdicts, teeth, and the tools that decide them."""

import math

import mpmath
import numpy as np
import pytest
from tolerances import (
    CIRCLE_SERIES_RTOL,
    FORMULA_RTOL,
    POSTERIOR_ATOL,
    ROUNDED_SUM_ATOL,
    SECOND_DIFFERENCE,
    SKIPPED_REGRET_RTOL,
)

from companion.bounds.confidence import SrinivasDrawsWidth
from companion.core.errors import ParameterError
from companion.core.files import results_folder
from companion.gp import FinitePosterior, Matern, SquaredExponential, grid, kernel_by_name
from companion.papers.compressed.checks import order_models
from companion.papers.compressed.checks import order_runs as runs
from companion.papers.compressed.checks import setting_algorithm as algorithm
from companion.papers.compressed.checks import setting_assumptions as assumptions
from companion.papers.compressed.checks import setting_claims as claims
from companion.papers.compressed.method.admission import Admission, information
from companion.papers.compressed.method.policy import CompressedBandit
from companion.papers.compressed.theory import order as bounds
from companion.stored.results import load_entries


def test_the_rate_of_the_model_order_fails_by_the_certificate():
    stored = load_entries(results_folder("compressed"), "ledger", "companion evidence compressed").entries
    outcome = next(entry for entry in stored if entry["id"] == "theorem-3.1")
    assert outcome["where"].startswith("every dictionary, Matérn 1/2 on the circle")
    assert outcome["lhs"] > 9000 > 100 * 2**0.5 > outcome["rhs"]  # two decades of u: 10^4 against 10^2


# -- closed forms ------------------------------------------------------------------------------------------------------


def kept_by_running(u, noise):
    """How often a single arm passes the test, with the variance updated by precisions."""
    precision, count = 1.0, 0
    while 1.0 / precision > noise * u * (1 + 1e-12):
        precision, count = precision + 1.0 / noise, count + 1
    return count


@pytest.mark.parametrize("noise", [0.001, 0.1, 0.25, 1.0, 3.0])
@pytest.mark.parametrize("u", [1.0, 0.5, 0.3, 0.1, 0.01])
def test_copies_and_floor_are_those_of_a_single_arm(u, noise):
    count = bounds.copies_kept(u, noise)
    assert count == kept_by_running(u, noise)
    posterior = FinitePosterior(np.eye(1), noise)
    for _ in range(count):
        posterior.condition(0)
    assert noise / (count + noise) == pytest.approx(float(posterior.variance[0, 0]), rel=FORMULA_RTOL)
    assert bounds.order_sandwich(u, noise, 7, 10) == (min(10, count), 7 * count)


@pytest.mark.parametrize("noise", [0.001, 0.1, 0.3])
def test_a_threshold_met_exactly_is_not_missed_by_rounding(noise):
    """u = 1/(n + noise) is where n copies leave exactly the threshold; 1/u comes out too large in the last digit for some n."""
    counts = range(1, 60)
    assert [bounds.copies_kept(1.0 / (count + noise), noise) for count in counts] == list(counts)
    assert [math.ceil(1.0 / (1.0 / (count + noise)) - noise) for count in counts] != list(counts)


def test_feature_radii_by_hand():
    for squared in (0.01, 0.5, 1.9):
        rough = -0.3 * math.log(1.0 - squared / 2.0)
        smooth = 0.3 * math.sqrt(-2.0 * math.log(1.0 - squared / 2.0))
        assert bounds.feature_radius(Matern(0.5, 0.3), squared) == pytest.approx(rough, rel=1e-9)
        assert bounds.feature_radius(SquaredExponential(0.3), squared, 2) == pytest.approx(smooth, rel=1e-9)
        assert bounds.covering_number(Matern(0.5, 0.3), 2, squared) == math.ceil(math.sqrt(2.0) / rough) ** 2
    assert bounds.feature_radius(Matern(0.5, 0.3), 2.5) == math.inf
    assert bounds.covering_number(Matern(0.5, 0.3), 2, 2.5) == 1


def test_covering_cells_have_the_feature_diameter_they_claim():
    kernel, u, noise = kernel_by_name("matern32", 0.3), 0.4, 0.2
    per_axis = math.isqrt(bounds.covering_number(kernel, 2, 0.5 * noise * u))
    corners = np.array([[0.0, 0.0], [1.0 / per_axis, 1.0 / per_axis]])
    covariance = kernel(corners)
    assert 2.0 - 2.0 * covariance[0, 1] <= 0.5 * noise * u
    assert bounds.covering_order(kernel, 2, u, noise) == per_axis**2 * 5


@pytest.mark.parametrize("order", [0, 7, 1000])
def test_the_floor_on_the_circle_is_the_sum_of_its_series(order):
    scale, noise = 0.25, 0.3
    amplitude = 2 * scale * mpmath.tanh(1 / (2 * scale))
    c2 = 1 + order * amplitude / noise
    total = mpmath.nsum(lambda k: amplitude / (c2 + (2 * mpmath.pi * k * scale) ** 2), [-mpmath.inf, mpmath.inf])
    assert bounds.circle_variance_floor(order, scale, noise) == pytest.approx(float(total), rel=CIRCLE_SERIES_RTOL)
    fine = bounds.torus_eigenvalues(Matern(0.5, scale), 20_000)
    # 20,000 points cut the series at k = 10,000, where what is left is 1 / (2 pi^2 0.25^2 10^4) of a half.
    assert bounds.mean_variance_floor(fine, order, noise) == pytest.approx(float(total), abs=1e-4)


def test_the_least_order_is_the_first_that_suffices():
    for u in (0.8, 0.1, 0.025):
        least = bounds.circle_least_order(0.25, 0.25, 0.25 * u)
        assert (
            bounds.circle_variance_floor(least, 0.25, 0.25)
            <= 0.25 * u
            < bounds.circle_variance_floor(least - 1, 0.25, 0.25)
        )
    assert [bounds.circle_least_order(0.25, 0.25, 0.25 * u) for u in (0.8, 0.4, 0.2)] == [12, 48, 193]
    assert bounds.circle_least_order(0.25, 0.25, 2.0) == 0
    values = bounds.torus_eigenvalues(Matern(0.5, 0.25), 2000)
    assert [bounds.circulant_least_order(values, 0.25, 0.25 * u) for u in (0.8, 0.1, 0.025)] == [12, 770, 12059]


@pytest.mark.parametrize("dim", [1, 2])
def test_torus_covariances(dim):
    per_axis = 40 if dim == 1 else 7
    covariance = bounds.torus_covariance(Matern(0.5, 0.2), per_axis, dim)
    eigenvalues = np.sort(bounds.torus_eigenvalues(Matern(0.5, 0.2), per_axis, dim))
    np.testing.assert_allclose(eigenvalues, np.linalg.eigvalsh(covariance), rtol=0, atol=1e-8)
    assert eigenvalues.sum() == pytest.approx(per_axis**dim)
    if dim == 1:
        apart = np.abs(np.arange(40)[:, None] - np.arange(40)[None, :]) / 40
        h = np.minimum(apart, 1 - apart)
        np.testing.assert_allclose(covariance, np.cosh((0.5 - h) / 0.2) / math.cosh(2.5), rtol=0, atol=1e-9)


# -- runs --------------------------------------------------------------------------------------------------------------


def test_exploration_by_brute_force():
    covariance, noise, threshold = np.asarray(Matern(1.5, 0.3)(grid(30, 1))), 0.2, 0.03
    posterior, seen, peaks = covariance.copy(), [], [1.0]
    while posterior.diagonal().max() > threshold:
        arm = int(np.flatnonzero(posterior.diagonal() >= posterior.diagonal().max() * (1 - 1e-9))[0])
        seen.append(arm)
        posterior = posterior - np.outer(posterior[arm], posterior[arm]) / (posterior[arm, arm] + noise)
        peaks.append(posterior.diagonal().max())
    indices, found = bounds.exploration_peaks(covariance, noise, threshold)
    assert indices.tolist() == seen
    np.testing.assert_allclose(found, peaks, rtol=0, atol=POSTERIOR_ATOL)
    assert bounds.order_at(found, 0.1) == next(n for n, peak in enumerate(peaks) if peak <= 0.1)
    with pytest.raises(ParameterError, match="not reached"):
        bounds.exploration_peaks(covariance, noise, 1e-6, limit=100)


CASES = {
    "SE": (SquaredExponential(0.2)(grid(60, 1)), 0.1, 0.3),
    "Matérn 5/2": (Matern(2.5, 0.3)(grid(7, 2)), 0.3, 0.1),
    "Matérn 1/2": (Matern(0.5, 0.3)(grid(30, 1)), 0.5, 0.4),
    "arms": (np.eye(6), 0.2, 0.25),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("seed", [0, 1])
def test_skipping_rejected_rounds_changes_nothing(name, seed):
    """Round by round with the package's policy: same points, same rounds, same regret."""
    covariance, noise, u = CASES[name]
    generator, horizon = np.random.default_rng(seed), 1500
    values = np.linalg.cholesky(covariance + 1e-9 * np.eye(len(covariance))) @ generator.standard_normal(
        len(covariance)
    )
    errors, rule = math.sqrt(noise) * generator.standard_normal(400), Admission("info", noise * u)
    policy = CompressedBandit(covariance, noise, "ucb", rule, SrinivasDrawsWidth(len(values), 0.1))
    regret, rounds, total, points = values.max() - values, [], 0.0, []
    for number in range(1, horizon + 1):
        (arm,) = policy.ask(1).query
        before = policy.model_order
        policy.tell(np.array([values[arm] + errors[len(rounds)]]))
        total += regret[arm]
        if policy.model_order > before:
            rounds.append(number)
            points.append(int(arm))
    run = bounds.ucb_to_the_end(covariance, noise, noise * u, values, errors, 0.1)
    assert len(rounds) >= 6
    assert run.order_after(horizon) == len(rounds)
    assert run.order_after(rounds[5]) == 6  # the round itself counts
    assert np.round(np.exp(run.log_rounds[: len(rounds)])).astype(int).tolist() == rounds
    assert run.indices[: len(points)].tolist() == points
    assert run.cumulative_regret(regret, horizon) == pytest.approx(total, rel=SKIPPED_REGRET_RTOL)
    assert run.settled
    assert run.variance.max() <= noise * u < FinitePosterior(covariance, noise).variance.max()


def test_of_lines_that_cross_together_the_steepest_is_next():
    assert bounds._next_choice(np.array([1.0, 0.0, -1.0]), np.array([1.0, 2.0, 3.0]), 0) == (2, 1.0)
    assert bounds._next_choice(np.array([1.0, 0.0, -2.0]), np.array([1.0, 2.0, 3.0]), 0) == (1, 1.0)
    assert bounds._next_choice(np.array([1.0, 0.0]), np.array([1.0, 1.0 + 1e-14]), 0) == (-1, math.inf)


def test_the_score_decides_except_within_rounding_of_a_crossing():
    sd = np.array([1.0, 2.0])
    assert bounds._in_front(0, 1, np.array([1.0, 1.0 - 5e-13]), sd) == 1
    assert bounds._in_front(0, -1, np.array([1.0, 1.0 - 5e-13]), sd) == 0
    assert bounds._in_front(0, 1, np.array([1.0, 1.0 - 1e-6]), sd) == 0


def test_every_arm_is_kept_equally_often_in_the_end():
    run = bounds.ucb_to_the_end(np.eye(5), 0.3, 0.3 * 0.2, np.arange(5.0), [0.1, -0.2, 0.3], 0.1)
    assert np.bincount(run.indices).tolist() == [bounds.copies_kept(0.2, 0.3)] * 5
    stopped = bounds.ucb_to_the_end(np.eye(5), 0.3, 0.3 * 0.2, np.arange(5.0), [0.1, -0.2, 0.3], 0.1, math.log(50))
    assert not stopped.settled
    assert stopped.order == run.order_after(50)


def test_the_confidence_event_is_noticed():
    """Values of 40 prior deviations lie outside the bounds from the first round on, values of a half do not."""
    assert not bounds.ucb_to_the_end(np.eye(3), 0.3, 0.1, [0.0, 40.0, 0.0], [0.0], 0.1).covered
    assert bounds.ucb_to_the_end(np.eye(3), 0.3, 0.1, [0.0, 0.5, 0.0], [0.0], 0.1).covered


def test_three_arms():
    regret = max(claims.THREE_ARMS.values) - np.array(claims.THREE_ARMS.values)
    stuck = claims.THREE_ARMS.run()
    assert stuck.order == 2
    # One round on each arm that is kept, all others on the worst: 19,998 of 20,000.
    assert stuck.cumulative_regret(regret, 20_000) == pytest.approx(19_998 * 2.0 + 1.2)
    free = bounds.ucb_to_the_end(claims.THREE_ARMS.covariance, 1.0, 0.87, claims.THREE_ARMS.values, [0.0], 0.1)
    assert free.order == 3
    assert free.cumulative_regret(regret, 20_000) == pytest.approx(1.2 + 2.0)
    assert claims.NOTHING_KEPT.run().order == 0


def test_both_routes_to_the_posterior_agree():
    model = order_models.Model("matern32", 2, 0.3)
    generator = np.random.default_rng(0)
    seen, values = generator.integers(36, size=40).astype(np.intp), generator.standard_normal(40)
    ours = order_models.bayes_posterior(model.covariance, seen, values, 0.3)
    gram = model.covariance[np.ix_(seen, seen)] + 0.3 * np.eye(40)
    mean = model.covariance[seen].T @ np.linalg.solve(gram, values)
    np.testing.assert_allclose(ours[0], mean, rtol=0, atol=POSTERIOR_ATOL)
    printed = order_models.printed_posterior(model.covariance, seen, values, 0.3)
    np.testing.assert_allclose(ours[1], printed[1], rtol=0, atol=POSTERIOR_ATOL)


@pytest.mark.parametrize("acquisition", ["ucb", "ei", "mpi"])
def test_formulas_evaluated_every_round_choose_as_the_policy(acquisition):
    play = order_models.Play(order_models.Model("matern52", 1, 0.2), acquisition, 0.2, 80)
    chosen, kept = runs.replayed(play)
    record = order_models.recorded(play)
    assert chosen.tolist() == record.chosen.tolist()
    assert kept.tolist() == record.kept.tolist()
    assert 0 < kept.sum() < 80


def test_a_policy_that_keeps_everything_fails_the_algorithm(monkeypatch):
    play = order_models.Play(order_models.Model("se", 1, 0.3), "ucb", 0.25, 30)
    order_models.recorded.cache_clear()
    monkeypatch.setattr(Admission, "admits", lambda self, variance: True)
    broken = {case.where.rsplit(": ", 1)[1] for case in algorithm.alg_1(play) if not case.holds}
    order_models.recorded.cache_clear()
    assert "kept exactly if the entropy is large enough" in broken


def test_multiplications_of_a_fit_by_hand():
    """M (M - 1) (M - 2) / 6 within the factor's rows, and so on: sums of the loop's lengths."""
    for order in (20, 40):
        inner = sum(column for row in range(order) for column in range(row)) + sum(range(order))
        expected = inner + 400 * sum(range(order)) + 400 * order
        assert claims.fitted(order_models.Model("se", 1, 0.1), 400, order, claims.solved_anew)[0] == expected


def test_a_fit_is_the_posterior():
    model = order_models.Model("matern32", 1, 0.2)
    seen = np.array([3, 3, 17, 30], dtype=np.intp)
    expected = order_models.bayes_posterior(model.covariance, seen, np.zeros(4), 0.2)[1]
    for scheme in (claims.solved_anew, claims.joint):
        found = scheme(model.covariance, seen, 0.2, claims.Tally())
        np.testing.assert_allclose(found, expected, rtol=0, atol=POSTERIOR_ATOL)


# -- derivatives -------------------------------------------------------------------------------------------------------

KERNELS = {"se": SquaredExponential(0.3), "matern52": Matern(2.5, 0.3), "matern72": Matern(3.5, 0.3)}


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("dim", [1, 2])
def test_covariances_of_slopes_are_second_differences_of_the_kernel(name, dim):
    prior, kernel, step = assumptions.Smooth(name, dim, 0.3), KERNELS[name], 1e-3
    points = np.random.default_rng(1).uniform(size=(6, dim))
    shift = step * np.eye(dim)[:1]

    def difference(x, y):
        return (kernel(x + shift, y + shift) - kernel(x - shift, y + shift)) - (
            kernel(x + shift, y - shift) - kernel(x - shift, y - shift)
        )

    numeric = difference(points, points) / (4 * step**2)
    analytic = prior.slope_covariance(points)
    np.testing.assert_allclose(analytic, numeric, rtol=0, atol=SECOND_DIFFERENCE * analytic.max())
    assert analytic[0, 0] == pytest.approx(prior.moments[0], rel=FORMULA_RTOL)


@pytest.mark.parametrize("name", KERNELS)
def test_fourth_spectral_moments(name):
    prior, step = assumptions.Smooth(name, 1, 0.3), 1e-3
    row = prior.slope_covariance(np.array([[0.0], [step]]))[0]
    assert 2 * (row[0] - row[1]) / step**2 == pytest.approx(prior.moments[1], rel=2e-2)


def test_tail_constants_of_the_squared_exponential_kernel():
    a, b = assumptions.tail_constants(assumptions.Smooth("se", 1, 0.2))
    assert a == pytest.approx(1 + math.sqrt(3) / (math.pi * 0.2), rel=FORMULA_RTOL)
    assert b == pytest.approx(math.sqrt(2) / 0.2, rel=FORMULA_RTOL)


# -- leads -------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found(investigated):
    return investigated("compressed", modules=("order_formulas", "order_runs"))


def test_numbers_behind_the_leads(found):
    assert found["S3"]["values"]["needed"] == kept_by_running(math.expm1(2e-4), 1e-3) == 5000
    assert found["S3"]["values"]["orders"] == {"ucb": 302, "ei": 302, "mpi": 302}
    assert found["S4"]["values"]["threshold"] == pytest.approx(information(1e-4, 1e-3).threshold, rel=FORMULA_RTOL)
    # The entropy of the observation is epsilon at the variance that the words ask for.
    entropy = 0.5 * math.log(2 * math.pi * math.e * (1e-3 + found["S4"]["values"]["raw"]))
    assert entropy == pytest.approx(1e-4, abs=ROUNDED_SUM_ATOL)
    assert found["S6"]["values"]["floors"][:4] == [12, 48, 193, 771]
    assert all(
        kept >= floor
        for kept, floor in zip(found["S6"]["values"]["frozen"], found["S6"]["values"]["floors"], strict=False)
    )
    assert found["S18"]["values"]["averages"]["0.88"] == pytest.approx((19_998 * 2.0 + 1.2) / 20_000)


def test_bad_input_is_refused():
    with pytest.raises(ParameterError, match="u:"):
        bounds.copies_kept(0.0, 0.1)
    with pytest.raises(ParameterError, match="squared"):
        bounds.covering_number(SquaredExponential(0.1), 1, 0.0)
    with pytest.raises(ParameterError, match="threshold"):
        bounds.circle_least_order(0.25, 0.25, 0.0)
