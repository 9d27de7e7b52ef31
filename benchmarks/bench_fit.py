"""Hyperparameters by ``cp.fit``, scikit-learn and BoTorch on thirty data sets: likelihood, and density of values left out.

All fit the Matern kernel of smoothness 5/2 with a length-scale for each column, a constant mean and the noise: scikit-learn by
likelihood alone, from five starts; BoTorch by ``SingleTaskGP`` with its priors for this kernel; ours with its priors, and by
likelihood alone. All get columns in the unit cube. What they find is judged by one formula in NumPy, in the units of the values:
the log marginal likelihood of the values fitted to, and the mean log predictive density of up to 200 others, in nats a value.
The sets are real data, test functions with noise and draws of known models. Real data that are not here
(``$COMPANION_DATA``) have their stand-ins, which the table names.

Run with ``make bench``, or ``python benchmarks/bench_fit.py [--quick]``. Prints, stores nothing.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from collections.abc import Callable, Iterator
from typing import NamedTuple

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import numpy as np
import torch
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.models.utils.gpytorch_modules import get_covar_module_with_dim_scaled_prior
from botorch.utils.sampling import manual_seed
from gpytorch.mlls import ExactMarginalLogLikelihood
from page import note
from sklearn import datasets
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

import companion as cp
from companion.papers.compressed.problems import tuning_table
from companion.papers.meanfield.problems.taxi import block_demand
from companion.papers.wdrbo.problems.portfolio import portfolio_data
from companion.problems.benchmarks import BENCHMARKS
from companion.problems.datasets import regression_data

#: Nats a value within which likelihoods count as equal.
SAME = 1e-3


class Data(NamedTuple):
    """Values fitted to, and values left out."""

    name: str
    x: np.ndarray
    y: np.ndarray
    other_x: np.ndarray
    other_y: np.ndarray


class Model(NamedTuple):
    """In units of the values, on the unit cube."""

    lengthscale: np.ndarray
    variance: float
    noise_sd: float
    mean: float


def split(name: str, points: np.ndarray, values: np.ndarray, count: int) -> Data:
    """So many rows by chance, up to 200 others beside them; columns that vary, in the unit cube of the former."""
    order = np.random.default_rng(0).permutation(len(values))
    chosen, others = order[:count], order[count : count + 200]
    varies = np.ptp(points[chosen], axis=0) > 0
    low, width = points[chosen][:, varies].min(axis=0), np.ptp(points[chosen][:, varies], axis=0)
    cube = (points[:, varies] - low) / width
    return Data(f"{name}, {varies.sum()} columns", cube[chosen], values[chosen], cube[others], values[others])


def measured() -> Iterator[Data]:
    """Real data, or their stand-ins."""
    data = regression_data()
    for count in (50, 200):
        yield split(data.name, data.inputs, data.targets, count)
    yield split(data.name, data.inputs[:, [5, 8, 9] if data.name == "diabetes" else [5, 10, 12]], data.targets, 100)
    returns = portfolio_data()
    for count in (30, 100, 250):
        yield split(f"portfolio ({returns.name})", returns.inputs, returns.losses, count)
    for name in ("digits", "mnist"):
        table = tuning_table.load(name)
        yield split(f"accuracy on {name}", table.points, table.accuracy[:, 0], 60)
    demand, used = block_demand((20, 20))
    yield split(f"taxis ({used})", cp.grid(20, dim=2)[demand > 0], np.log(demand[demand > 0]), 120)
    patients = datasets.load_diabetes(scaled=False)
    for count in (60, 200):
        yield split("diabetes", patients.data, patients.target, count)
    yield split("diabetes", patients.data[:, [2, 3, 8]], patients.target, 100)
    flowers, wines, tumours = (
        load().data for load in (datasets.load_iris, datasets.load_wine, datasets.load_breast_cancer)
    )
    yield split("iris", flowers[:, :3], flowers[:, 3], 60)
    yield split("wine", wines[:, 1:], wines[:, 0], 80)
    yield split("tumours", tumours[:, [0, 1, 4, 5, 6, 8, 9]], tumours[:, 3], 100)
    club = datasets.load_linnerud()
    yield split("linnerud", club.data, club.target[:, 1], 13)


def made() -> Iterator[Data]:
    """Test functions with noise of a twentieth of their spread, and draws of known models."""
    counts = {
        "ackley-2d": 40,
        "rosenbrock-2d": 30,
        "bird-2d": 60,
        "hartmann-6d": 100,
        "griewank-8d": 80,
        "michalewicz-10d": 100,
    }
    for name, count in counts.items():
        problem, generator = BENCHMARKS[name](), np.random.default_rng(1)
        points = problem.uniform(generator, count + 200)
        values = problem.evaluate(points)
        yield split(name, points, values + 0.05 * values.std() * generator.normal(size=len(values)), count)
    known: tuple[tuple[str, int, float | list[float], float, int], ...] = (
        ("se", 1, 0.2, 0.1, 10),
        ("matern52", 1, 0.15, 0.3, 25),
        ("matern32", 2, 0.3, 0.1, 25),
        ("matern52", 2, 0.3, 0.01, 40),
        ("se", 4, 0.8, 0.2, 60),
        ("matern52", 6, 1.0, 0.5, 100),
        ("matern12", 3, 0.5, 0.1, 80),
        ("matern52", 3, [0.2, 0.5, 50.0], 0.1, 80),
    )
    for place, (kernel, dim, lengthscale, noise, count) in enumerate(known):
        generator = np.random.default_rng(100 + place)
        points = generator.uniform(size=(count + 200, dim))
        draw = cp.gp_draw(cp.kernel(kernel, lengthscale), points, generator)
        yield split(f"draw of {kernel}", points, draw + noise * generator.normal(size=len(points)), count)


# -- who fits ----------------------------------------------------------------------------------------------------------


def ours(data: Data, prior: str | None) -> Model:
    """cp.fit."""
    found = cp.fit(data.x, data.y, prior=prior)
    return Model(np.atleast_1d(found.kernel.lengthscale), found.kernel.variance, found.noise_sd, found.mean)


def by_sklearn(data: Data) -> Model:
    """GaussianProcessRegressor."""
    kernel = ConstantKernel() * Matern(np.ones(data.x.shape[1]), nu=2.5) + WhiteKernel(0.1)
    model = GaussianProcessRegressor(kernel, normalize_y=True, n_restarts_optimizer=4, random_state=0)
    found, scale = model.fit(data.x, data.y).kernel_, data.y.std()
    length, noise = np.atleast_1d(found.k1.k2.length_scale), found.k2.noise_level
    return Model(length, found.k1.k1.constant_value * scale**2, scale * noise**0.5, data.y.mean())


def by_botorch(data: Data) -> Model:
    """SingleTaskGP."""
    x, y = torch.as_tensor(data.x), torch.as_tensor(data.y)[:, None]
    covariance = get_covar_module_with_dim_scaled_prior(data.x.shape[1], use_rbf_kernel=False)
    with manual_seed(0):
        model = SingleTaskGP(x, y, covar_module=covariance)
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    scale, length = data.y.std(ddof=1), covariance.lengthscale.detach().numpy().ravel()
    mean = data.y.mean() + scale * model.mean_module.constant.item()
    return Model(length, scale**2, scale * model.likelihood.noise.item() ** 0.5, mean)


FITTERS: dict[str, Callable[[Data], Model]] = {
    "ours": lambda data: ours(data, "dimension-scaled"),
    "likelihood": lambda data: ours(data, None),
    "sklearn": by_sklearn,
    "BoTorch": by_botorch,
}


# -- what they are judged by -------------------------------------------------------------------------------------------


def covariance(model: Model, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Matern of smoothness 5/2, written anew."""
    r = np.sqrt(5 * np.sum(((x[:, None] - y[None]) / model.lengthscale) ** 2, axis=2))
    return model.variance * (1 + r + r**2 / 3) * np.exp(-r)


def judged(model: Model, data: Data) -> tuple[float, float]:
    """Log marginal likelihood, and log predictive density of the values left out, in nats a value."""
    count, noise = len(data.y), model.noise_sd**2
    matrix = covariance(model, data.x, data.x) + noise * np.eye(count)
    weights = np.linalg.solve(matrix, data.y - model.mean)
    likelihood = -0.5 * ((data.y - model.mean) @ weights + np.linalg.slogdet(matrix)[1] + count * np.log(2 * np.pi))
    cross = covariance(model, data.x, data.other_x)
    variance = model.variance + noise - np.sum(cross * np.linalg.solve(matrix, cross), axis=0)
    miss = data.other_y - model.mean - cross.T @ weights
    density = -0.5 * np.mean(miss**2 / variance + np.log(2 * np.pi * variance))
    return float(likelihood / count), float(density)


def main() -> None:
    """Print the table, and for how many data sets ours is no worse."""
    parser = argparse.ArgumentParser(description="Fit hyperparameters beside scikit-learn and BoTorch.")
    parser.add_argument("--quick", action="store_true", help="every second draw of known models alone")
    options = parser.parse_args()
    print(f"\nnats a value{'log marginal likelihood':>57}{'density of others':>36}")
    print(f"{'':32}{'n':>4}" + 2 * "".join(f"{name:>11}" for name in FITTERS), flush=True)
    found, seconds = [], dict.fromkeys(FITTERS, 0.0)
    for data in [] if options.quick else measured():
        found.append(row(data, seconds))
    sets = [data for data in made() if data.name.startswith("draw")][::2] if options.quick else made()
    for data in sets:
        found.append(row(data, seconds))
    table = np.array(found)  # (sets, fitters, 2)
    print(f"{'seconds of a processor':36}" + "".join(f"{spent:11.1f}" for spent in seconds.values()))
    for peer, own in (("sklearn", "likelihood"), ("BoTorch", "likelihood"), ("BoTorch", "ours"), ("sklearn", "ours")):
        gap = table[:, list(FITTERS).index(own)] - table[:, list(FITTERS).index(peer)]
        for place, what in enumerate(("likelihood", "density of others")):
            kept = int(np.sum(gap[:, place] > -SAME))
            what = f"fit ({own}) no worse than {peer}, {what}"
            print(
                f"{what}: {kept} of {len(gap)}; mean difference {gap[:, place].mean():.3f}, median {np.median(gap[:, place]):.3f}"
            )
            note(f"{what}", kept, f"of {len(gap)}")


def row(data: Data, seconds: dict[str, float]) -> list[tuple[float, float]]:
    """Print a line, and return what it says."""
    result = []
    for name, fitter in FITTERS.items():
        began = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # length-scales at their ends, and searches that stopped early
            model = fitter(data)
        seconds[name] += time.process_time() - began
        result.append(judged(model, data))
    numbers = "".join(f"{numbers[place]:11.3f}" for place in (0, 1) for numbers in result)
    print(f"{data.name:32}{len(data.y):4}{numbers}", flush=True)
    return result


if __name__ == "__main__":
    main()
