"""The fit against a likelihood written anew, known models, changes of units and order, and what it refuses."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import companion as cp
from companion.core.errors import ParameterError

pytest.importorskip("gpytorch")

SMOOTHNESS = {"matern12": 0.5, "matern32": 1.5, "matern52": 2.5}
#: Slope of the likelihood of all values along a logarithm at the maximum, in nats.
FLAT = 1e-3
#: Relative difference of hyperparameters after the search has gone another way to the same maximum.
SAME_FIT = 1e-3


def sample(count=40, dim=2, seed=0, noise=0.1):
    rng = np.random.default_rng(seed)
    points = rng.uniform(size=(count, dim))
    return points, 3.0 + np.sin(5 * points[:, 0]) + points[:, -1] + noise * rng.normal(size=count)


def log_likelihood(kernel, lengths, variance, noise_variance, mean, x, y):
    """By scipy's normal density and kernels from the definition."""
    from scipy.stats import multivariate_normal

    r = np.sqrt(np.sum(((x[:, None] - x[None]) / lengths) ** 2, axis=2))
    shapes = {
        "se": lambda r: np.exp(-0.5 * r**2),
        "matern12": lambda r: np.exp(-r),
        "matern32": lambda r: (1 + math.sqrt(3) * r) * np.exp(-math.sqrt(3) * r),
        "matern52": lambda r: (1 + math.sqrt(5) * r + 5 * r**2 / 3) * np.exp(-math.sqrt(5) * r),
    }
    covariance = variance * shapes[kernel](r) + noise_variance * np.eye(len(y))
    return multivariate_normal.logpdf(y, np.full(len(y), mean), covariance)


def logs(found):
    return np.log([*np.atleast_1d(found.kernel.lengthscale), found.kernel.variance, found.noise_sd**2])


def log_priors(theta, width, scale):
    """Those that the docstring of fit states."""
    dim = len(theta) - 2
    logs, location = theta[:dim] - np.log(width), math.sqrt(2) + 0.5 * math.log(dim)
    variance, noise = theta[dim:] - 2 * math.log(scale)
    return -np.sum(logs + (logs - location) ** 2 / 6) - variance**2 / 4.5 - (noise + 3) ** 2 / 8


@pytest.mark.parametrize("kernel", ["se", "matern12", "matern32", "matern52"])
@pytest.mark.parametrize("prior", [None, "dimension-scaled"])
def test_the_fit_is_a_maximum_of_a_likelihood_written_anew(kernel, prior):
    x, y = sample()
    x = x * [1.0, 40.0]
    found = cp.fit(x, y, kernel, prior=prior)
    width, scale = np.ptp(x, axis=0), y.std()

    def objective(theta, mean):
        numbers = np.exp(theta)
        value = log_likelihood(kernel, numbers[:-2], numbers[-2], numbers[-1], mean, x, y)
        return value + (0.0 if prior is None else log_priors(theta, width, scale))

    theta, step = logs(found), 1e-4
    for place in range(len(theta)):
        along = step * np.eye(len(theta))[place]
        slope = (objective(theta + along, found.mean) - objective(theta - along, found.mean)) / (2 * step)
        assert abs(slope) < FLAT, f"number {place}"
    assert objective(theta, found.mean) > max(objective(theta, found.mean + apart) for apart in (-0.01, 0.01))
    assert found.log_marginal_likelihood == pytest.approx(
        log_likelihood(kernel, *(np.exp(part) for part in (theta[:-2], theta[-2], theta[-1])), found.mean, x, y)
    )


def test_the_order_of_rows_and_the_units_do_not_matter():
    x, y = sample()
    first = cp.fit(x, y)
    shuffled = np.random.default_rng(1).permutation(len(y))
    again = cp.fit(x[shuffled], y[shuffled])
    np.testing.assert_allclose(logs(again), logs(first), atol=SAME_FIT)
    assert again.log_marginal_likelihood == pytest.approx(first.log_marginal_likelihood)
    scaled = cp.fit(x * [1e3, 1e-4] + [273.0, -1.0], 50.0 * y - 7000.0)
    np.testing.assert_allclose(logs(scaled) - logs(first), np.log([1e3, 1e-4, 2500.0, 2500.0]), atol=SAME_FIT)
    assert scaled.mean == pytest.approx(50.0 * first.mean - 7000.0, rel=SAME_FIT)
    units = [1.0, 50.0, 1.0, 1.0, 1.0]
    np.testing.assert_allclose(scaled.log_sd, np.multiply(units, first.log_sd), rtol=10 * SAME_FIT)
    density = first.log_marginal_likelihood - len(y) * math.log(50.0)
    assert scaled.log_marginal_likelihood == pytest.approx(density, abs=1e-4)
    turned = cp.fit(x[:, ::-1], y)
    np.testing.assert_allclose(logs(turned)[[1, 0, 2, 3]], logs(first), atol=SAME_FIT)


def test_what_is_told_is_kept():
    x, y = sample()
    found = cp.fit(x, y, noise_sd=0.25, mean=3)
    assert (found.noise_sd, found.mean, found.log_sd[:2]) == (0.25, 3.0, (0.0, 0.0))
    assert found.intervals["noise_sd"] == (0.25, 0.25)
    free = cp.fit(x, y)
    assert free.noise_sd != 0.25
    assert free.log_marginal_likelihood > found.log_marginal_likelihood


def test_one_length_scale_for_columns_of_one_unit():
    x, y = sample(dim=3)
    found = cp.fit(x * [1.0, 1.0, 7.0], y, ard=False)
    assert isinstance(found.kernel.lengthscale, float)
    assert list(found.intervals) == ["noise_sd", "mean", "variance", "length-scale"]
    assert list(cp.fit(x, y).intervals)[3:] == [f"length-scale of x{column}" for column in (1, 2, 3)]


def test_a_column_that_does_not_matter_is_named():
    x, y = sample(60)
    frame = pytest.importorskip("pandas").DataFrame({"heat": x[:, 0], "rain": x[:, 1], "nothing": x[::-1, 0]})
    found = cp.fit(frame, y, prior=None)
    assert [note for note in found.notes if "heat" in note or "rain" in note] == []
    assert any(note.startswith("the values do not show that nothing matters") for note in found.notes)


def test_noise_alone_determines_no_length_scale():
    rng = np.random.default_rng(3)
    found = cp.fit(np.linspace(0, 1, 30), rng.normal(size=30), prior=None)
    assert found.notes, "a sentence says what is not determined"
    assert any(math.isinf(high) for _, high in found.intervals.values())


def test_few_values_are_fitted_and_the_answer_is_the_same_again():
    x, y = np.array([0.0, 0.3, 1.0]), np.array([1.0, 2.0, 0.0])
    found = cp.fit(x, y)
    assert found == cp.fit(x, y) or str(found) == str(cp.fit(x, y))
    assert found.evaluations == 3
    assert pickle.loads(pickle.dumps(found)).words == "fitted to 3 values by GPyTorch"


REFUSED = {
    "too few": (([[0.0], [1.0]], [1.0, 2.0]), {}, "values: are 2; expected 3 to 2,000"),
    "too many": ((np.arange(2001.0), np.arange(2001.0)), {}, "values: are 2001; expected 3 to 2,000"),
    "equal values": ((np.arange(4.0), np.full(4, 7.0)), {}, "values: are all 7;"),
    "a value that failed": ((np.arange(4.0), [1.0, math.nan, 2.0, 3.0]), {}, "values: 1 of 4 are NaN or infinite"),
    "words": ((np.arange(3.0), ["a", "b", "c"]), {}, "values: do not convert to numbers"),
    "a point that is none": (([0.0, 1.0, math.inf], [1.0, 2.0, 3.0]), {}, "points: contain NaN"),
    "one point": ((np.ones((4, 2)), np.arange(4.0)), {}, "points: are one point, repeated"),
    "a column that stays": (([[0, 5], [1, 5], [2, 5]], [1, 2, 0]), {}, "points: are all 5 in column x2"),
    "another number of points": ((np.arange(5.0), np.arange(4.0)), {}, r"values: have shape \(4,\); expected \(5,\)"),
    "a covariance": ((cp.Matern(2.5, 0.3)(cp.grid(5, dim=1)), np.arange(5.0)), {}, "points: are a covariance matrix"),
    "as many numbers as values": (
        (np.eye(5)[:, :4] + np.arange(5)[:, None], np.arange(5.0)),
        {"prior": None},
        "values: are 5, too few",
    ),
    "a kernel in place of its name": (
        (np.arange(4.0), [1, 2, 0, 1]),
        {"kernel": cp.Matern(2.5, 1.0)},
        "kernel: got Matern",
    ),
    "an unknown kernel": ((np.arange(4.0), [1, 2, 0, 1]), {"kernel": "periodic"}, "kernel: got 'periodic'"),
    "an unknown prior": ((np.arange(4.0), [1, 2, 0, 1]), {"prior": "gamma"}, "prior: got 'gamma'"),
    "noise that is none": ((np.arange(4.0), [1, 2, 0, 1]), {"noise_sd": 0.0}, "noise_sd: got 0.0"),
    "a mean that is none": ((np.arange(4.0), [1, 2, 0, 1]), {"mean": math.nan}, "mean: got nan"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_fitted_is_refused_in_one_line(case):
    data, settings, message = REFUSED[case]
    with pytest.raises(ParameterError, match=message) as caught:
        cp.fit(*data, **settings)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_intervals_hold_known_numbers():
    """Two hundred values of a known model: each interval of 95 % holds its number in at least 85 % of 40 draws."""
    kernel, noise = cp.Matern(2.5, (0.3, 0.8), 4.0), 0.3
    known = {"length-scale of x1": 0.3, "length-scale of x2": 0.8, "variance": 4.0, "noise_sd": noise, "mean": 10.0}
    held = dict.fromkeys(known, 0)
    for seed in range(40):
        rng = cp.stream(seed, "fit", "coverage")
        x = rng.uniform(size=(200, 2))
        y = 10.0 + cp.gp_draw(kernel, x, rng) + noise * rng.normal(size=200)
        for name, (low, high) in cp.fit(x, y, prior=None).intervals.items():
            held[name] += low <= known[name] <= high
    assert min(held.values()) >= 34, held
