"""The test of a told model: its size, its power, and what it says."""

import math

import numpy as np
import pytest
from scipy import stats

import companion as cp
from companion.policies import model_check
from companion.policies.model_check import check, contradiction

NAMES = ("se", "matern12", "matern32", "matern52")


def right_model(rng, longest):
    """A kernel, points, values, noise and mean of a model that made the values, in any units."""
    count, dim = int(rng.integers(3, longest)), int(rng.integers(1, 4))
    variance, points = 10 ** rng.uniform(-3, 4), rng.uniform(size=(count, dim))
    kernel = cp.kernel(NAMES[rng.integers(4)], list(10 ** rng.uniform(-1.5, 0.5, size=dim)), variance)
    noise, mean = math.sqrt(variance) * 10 ** rng.uniform(-3, 0.5), rng.normal() * 10 ** rng.uniform(-1, 3)
    root = np.linalg.cholesky(kernel(points) + (noise**2 + 1e-10 * variance) * np.eye(count))
    return kernel, points, mean + root @ rng.standard_normal(count), noise, mean


def refused(draws, seed, longest):
    rng = np.random.default_rng(seed)
    found = 0
    for _ in range(draws):
        kernel, points, values, noise, mean = right_model(rng, longest)
        found += bool(contradiction(kernel, points, values, noise, prior_mean=mean))
    return found


def test_a_right_model_is_not_refused():
    assert refused(500, 0, 25) == 0


@pytest.mark.slow
def test_at_most_one_of_ten_thousand_right_models_is_refused():
    assert refused(8_000, 1, 25) + refused(2_000, 2, 101) <= 1


def test_the_mean_of_the_statistic_is_at_most_one_under_the_told_model():
    """What Ville's inequality rests on, by simulation at a scale where the mean is not carried by rare runs."""
    kernel, points, noise = cp.kernel("se", 0.3), cp.grid(3, dim=1), 1.0
    rng, found = np.random.default_rng(3), []
    root = np.linalg.cholesky(kernel(points) + noise**2 * np.eye(3))
    # The density of the whole mixture divided by that of the told model, with SciPy's densities.
    told = stats.multivariate_normal(np.zeros(3), root @ root.T)
    for _ in range(300):
        values = root @ rng.standard_normal(3)
        mixture = 0.0
        for weight, _, matrix in model_check._kernels(kernel, points, 3):
            logs, *_ = model_check._log_densities(matrix, values, noise**2, 1.0)
            mixture += weight * np.exp(logs + model_check._LOG_WEIGHTS).sum()
        found.append(mixture / (told.pdf(values) * (2 * math.pi) ** 1.5))
    assert np.mean(found) < 1 + 4 * np.std(found) / math.sqrt(len(found))
    assert sum(weight for weight, *_ in model_check._kernels(kernel, points, 3)) == pytest.approx(1.0)
    assert np.exp(model_check._LOG_WEIGHTS).sum() == pytest.approx(1.0)


@pytest.mark.parametrize(("shift", "variance", "noise"), [(0, 6, 6), (2, 6, 6), (0, 8, 6), (3, 5, 9)])
def test_a_density_of_the_grid_is_that_of_scipy(shift, variance, noise):
    kernel, points = cp.kernel("matern32", [0.3, 0.8], 2.0), np.random.default_rng(0).uniform(size=(7, 2))
    values = np.random.default_rng(1).normal(size=7)
    logs, squares, means = model_check._log_densities(kernel(points), values, 0.04, 2.0)
    factor, jitter, spread = (
        model_check._FACTORS[variance],
        model_check._FACTORS[noise],
        model_check._SHIFTS[shift] ** 2 * 2.0,
    )
    covariance = factor * kernel(points) + 0.04 * jitter * np.eye(7) + spread * np.ones((7, 7))
    wanted = stats.multivariate_normal(np.zeros(7), covariance, allow_singular=True).logpdf(values)
    assert logs[shift, variance, noise] - 3.5 * math.log(2 * math.pi) == pytest.approx(wanted, rel=1e-6)
    assert squares[shift, variance, noise] == pytest.approx(values @ np.linalg.solve(covariance, values), rel=1e-6)
    expected = spread * np.ones(7) @ np.linalg.solve(covariance, values)
    assert means[shift, variance, noise] == pytest.approx(expected, rel=1e-5, abs=1e-12)


def smooth(count=25, dim=1, seed=0):
    """Values of a draw with mean 70, sd 6, length-scale 0.3 and noise 0.6 at random points."""
    rng = np.random.default_rng(seed)
    points = rng.uniform(size=(count, dim))
    kernel = cp.kernel("matern52", [0.3] * dim, 36.0)
    root = np.linalg.cholesky(kernel(points) + 0.36 * np.eye(count))
    return points, 70 + root @ rng.standard_normal(count)


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"prior_mean": 0.0, "variance": 1.0}, "a mean of about"),
        ({"prior_mean": 0.0}, "a mean of about"),
        ({"prior_mean": 7.0}, "a mean of about"),
        ({"prior_mean": -70.0}, "a mean of about"),
        ({"variance": 0.36}, "a variance of about"),
        ({"lengthscale": 3.0}, "length-scale 0.1 times as long"),
        ({"lengthscale": 300.0}, "length-scale 0.01 times as long"),
        ({"noise": 0.006, "count": 60}, "a noise_sd of about 0."),
    ],
)
def test_one_wrong_quantity_is_named(told, words):
    points, values = smooth(told.get("count", 25))
    kernel = cp.kernel("matern52", told.get("lengthscale", 0.3), told.get("variance", 36.0))
    line = contradiction(kernel, points, values, told.get("noise", 0.6), prior_mean=told.get("prior_mean", 70.0))
    assert words in line
    assert "\n" not in line
    right = cp.kernel("matern52", 0.3, 36.0)
    assert contradiction(right, points, values, 0.6, prior_mean=70.0) == ""


def test_one_coordinate_in_other_units_is_named():
    points, values = smooth(60, dim=2)
    points = points * [1.0, 0.01]
    line = contradiction(cp.kernel("matern52", [0.3, 0.3], 36.0), points, values, 0.6, prior_mean=70.0)
    assert "coordinate 2 0.01 times as long" in line


def test_one_mistyped_value_is_named():
    points, values = smooth()
    values[6] *= 10
    line = contradiction(cp.kernel("matern52", 0.3, 36.0), points, values, 0.6, prior_mean=70.0)
    assert "nearly all of it from value 7" in line


@pytest.mark.parametrize(
    "told", [{"noise": 60.0, "count": 60}, {"variance": 3600.0}, {"lengthscale": 0.003, "count": 60}]
)
def test_values_closer_together_than_told_are_a_note(told):
    points, values = smooth(told.get("count", 25))
    kernel = cp.kernel("matern52", told.get("lengthscale", 0.3), told.get("variance", 36.0))
    found = check(kernel, points, values, told.get("noise", 0.6), prior_mean=70.0)
    assert (found.contradicted, found.cautious.endswith("would be plausible, and promise more")) == ("", True)


def test_copied_rows_are_counted():
    points, values = smooth(8)
    copies = np.tile(points, (6, 1)), np.tile(values, 6)
    found = check(cp.kernel("matern52", 0.3, 36.0), *copies, 0.6, prior_mean=70.0)
    assert "40 repeat another row exactly" in found.cautious


def test_a_function_without_noise_is_a_note():
    """What people try first: a smooth function, and a noise_sd that is told because one has to be."""
    points = cp.grid(30, dim=1)
    found = check(cp.kernel("matern52", 0.2), points, np.exp(-8 * (points[:, 0] - 0.6) ** 2), 0.05)
    assert (found.contradicted, "chi-square" in found.cautious) == ("", True)
    assert check(cp.kernel("matern52", 0.2), points, np.zeros(30), 0.05).contradicted == ""


def test_a_matrix_and_a_function_say_what_a_kernel_says():
    points, values = smooth()
    kernel = cp.kernel("matern52", 0.3)
    for told, where in ((kernel(points), None), (lambda x, y: kernel(x, y), points)):
        assert (
            contradiction(told, where, values, 0.6).split(":")[0]
            == contradiction(kernel, points, values, 0.6).split(":")[0]
        )


def test_a_norm_is_refused_where_it_is_too_small_and_only_there():
    points = cp.grid(40, dim=1)
    kernel = cp.kernel("se", 0.2)
    weights = 10 * np.random.default_rng(0).normal(size=40)
    values = kernel(points) @ weights
    norm = math.sqrt(weights @ kernel(points) @ weights)
    noisy = values + 0.1 * np.random.default_rng(1).uniform(-1, 1, size=40)
    assert contradiction(kernel, points, noisy, 0.1, norm=norm) == ""
    line = contradiction(kernel, points, noisy, 0.1, norm=norm / 30)
    needed = float(line.split("a norm above ")[1].split(",")[0])
    assert norm / 30 < needed <= norm
    assert contradiction(kernel, points, noisy, 0.1, norm=needed * 1.05) == ""
    assert contradiction(kernel, points, noisy * 1e-3, 0.1, norm=norm) == ""  # a norm is an upper bound


def test_what_the_values_do_not_test_is_listed():
    kernel = cp.kernel("matern52", 0.3, 36.0)
    points, values = smooth(60)
    assert check(kernel, points, values, 0.6, prior_mean=70.0).untested == ()
    # One point again and again says nothing about the length-scale.
    same = 75 + 0.6 * np.random.default_rng(0).standard_normal(60)
    assert "length-scale" in check(kernel, np.full((60, 1), 0.5), same, 0.6, prior_mean=70.0).untested


def test_values_without_noise_and_nearly_singular_are_not_refused():
    """Rounding in the smallest eigenvalues is no contradiction."""
    points = cp.grid(80, dim=1)
    kernel = cp.kernel("se", 0.5)
    rng = np.random.default_rng(0)
    for noise in (1e-3, 1e-5, 1e-7):
        values = np.linalg.cholesky(kernel(points) + 1e-12 * np.eye(80)) @ rng.standard_normal(80)
        assert contradiction(kernel, points, values + noise * rng.standard_normal(80), noise) == ""


@pytest.mark.slow
def test_wrong_models_are_refused_where_their_promise_would_break(monkeypatch):
    """Told models with one quantity wrong by 10 or 100: what is promised, and broken, with the check and without."""
    rng = np.random.default_rng(5)
    would_break, broken = 0, 0
    for number in range(420):
        what, factor = number % 7, (10, 100, 0.1, 0.01)[number // 7 % 4]
        truth, told = _wrong(rng, what, factor)
        found = cp.certificate(**told)
        bad = truth.max() - truth[found.recommended] > told["epsilon"]
        broken += found.stop and bad
        with monkeypatch.context() as patch:
            patch.setattr("companion.policies.candidate_model.check", lambda *_, **__: model_check.Check(""))
            without = cp.certificate(**told)
        would_break += without.stop and truth.max() - truth[without.recommended] > told["epsilon"]
        assert not (found.contradicted and (found.stop or found.proved))
    # What remains are values that do not contradict the model: few points, or several times one point.
    assert would_break > 40
    assert broken <= would_break / 5


def _wrong(rng, what, factor):
    """Values of a function at 3 to 100 of 60 candidates, and a model of them with one wrong quantity."""
    size, count, dim = 60, int(rng.integers(3, 101)), int(rng.integers(1, 3))
    points, sd, scale = rng.uniform(size=(size, dim)), 10 ** rng.uniform(-1, 2), rng.uniform(0.15, 0.5)
    noise, mean = sd * 10 ** rng.uniform(-1.5, -0.3), sd * rng.uniform(2, 20) * rng.choice([-1, 1])
    name = NAMES[rng.integers(4)]
    matrix = cp.kernel(name, scale, sd**2)(points)
    told = {"epsilon": sd / 4}
    if what == 6:
        centres, weights = rng.choice(size, 8, replace=False), rng.standard_normal(8)
        truth, mean = matrix[:, centres] @ weights, 0.0
        told["norm"] = factor * math.sqrt(weights @ matrix[np.ix_(centres, centres)] @ weights)
    else:
        truth = mean + np.linalg.cholesky(matrix + 1e-10 * sd**2 * np.eye(size)) @ rng.standard_normal(size)
    evaluated = rng.integers(0, size, size=count)
    values = truth[evaluated] + noise * rng.standard_normal(count)
    where = points * np.where(np.arange(dim) == 0, factor if what == 4 else 1.0, 1.0)
    sign = -1.0 if what == 5 else 1.0
    kernel = cp.kernel(name, scale * (factor if what == 2 else 1.0), sd**2 * (factor if what == 1 else 1.0))
    told |= {"candidates": where, "kernel": kernel, "noise_sd": noise * (factor if what == 3 else 1.0)}
    told |= {"evaluated": evaluated, "values": sign * values, "prior_mean": mean * (factor if what == 0 else 1.0)}
    return sign * truth, told
