"""Chapter 1's rules with hyperparameters refitted every round, beside a BoTorch loop that makes the same decisions.

Prints a table, stores nothing. The chapter itself takes the kernel as given; who does not know it refits it. Both loops begin
with the same design, draw the same candidates and the same noise, and leave the choice of a batch to the chapter's rule;
what differs is who fits and who computes the posterior on the candidates. Both fit the same model, BoTorch's default: squared
exponential, one length-scale a coordinate, log-normal priors, standardised values. The companion's side is chapter 5's
``MapRegression`` and ``DataPosterior``; BoTorch's is ``SingleTaskGP`` with ``fit_gpytorch_mll``.

The likelihood often has several maxima, and two searches from one start may end in different ones. So BoTorch's model is moved
to the companion's maximum after its fit, which counts for BoTorch; every batch is then checked to be the same. The last
columns say in how many batches both ended in the same maximum, and in how many the companion's was the higher or the lower
one: a search that stops early is cheap. Processor time on one thread, the loops in turns, batch by batch.

Run with ``make bench``, or ``python benchmarks/bench_refits.py [--quick]``.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
import warnings
from collections import Counter
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import numpy as np
import torch
from botorch.exceptions import InputDataWarning
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from gpytorch.mlls import ExactMarginalLogLikelihood
from page import note

from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp import DataPosterior, SquaredExponential
from companion.papers.tsrsr.method.round import DenseRound
from companion.papers.tsrsr.method.rules import BUCB, TSRSR, UCBPE, Rule
from companion.papers.tsrsr.problems.catalogue import DESIGN_POINTS, chapter_problem, setting
from companion.papers.wdrbo.method.model import (
    Hyperparameters,
    MapRegression,
    Surrogate,
    negative_log_posterior,
    standardised,
)
from companion.problems import BoxProblem

#: Most that a trial may cost, in units of the BoTorch loop's.
LIMIT = 1 / 3
CANDIDATES = 1000
RULES: dict[str, Rule] = {
    "ts-rsr": TSRSR(),
    "bucb": BUCB(2.0),
    "ucbpe": UCBPE(2.0),
}
PROBLEMS = ("hartmann-6d", "ackley-2d")
#: Log posteriors this close, in nats an observation, are one maximum.
SAME_MAXIMUM = 1e-5


@dataclass
class Spent:
    """Processor seconds of both loops, and how the companion's maxima lie beside BoTorch's, by batch."""

    ours: float = 0.0
    theirs: float = 0.0
    ends: list[str] = field(default_factory=list)


def companion_round(number: int, points: Floats, targets: Floats, candidates: Floats) -> tuple[DenseRound, Surrogate]:
    """Fit and posterior of the companion."""
    surrogate = MapRegression().fit(points, targets)
    chosen = surrogate.hyperparameters
    kernel = SquaredExponential(chosen.lengthscale)
    posterior = DataPosterior(kernel, points, targets - chosen.mean, chosen.noise_variance)
    mean, covariance = posterior.mean_and_covariance(candidates)
    return DenseRound(number, chosen.mean + mean, covariance, chosen.noise_variance, float(targets.max())), surrogate


def botorch_fit(points: Floats, targets: Floats) -> SingleTaskGP:
    """Fit of BoTorch."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputDataWarning)
        model = SingleTaskGP(torch.tensor(points), torch.tensor(targets)[:, None], outcome_transform=None)
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    return model


def botorch_round(number: int, model: SingleTaskGP, candidates: Floats) -> DenseRound:
    """Posterior of BoTorch."""
    with torch.no_grad():
        posterior = model.posterior(torch.tensor(candidates)).distribution
        mean, covariance = posterior.mean.numpy(), posterior.covariance_matrix.numpy()
        return DenseRound(number, mean, covariance, model.likelihood.noise.item(), model.train_targets.max().item())


def move(model: SingleTaskGP, to: Hyperparameters) -> None:
    """Give the model these hyperparameters."""
    model.train()  # forgets what was computed at the old ones
    model.covar_module.lengthscale = torch.tensor(to.lengthscale)
    model.likelihood.noise = to.noise_variance
    model.mean_module.constant.data.fill_(to.mean)
    model.eval()


def compared_ends(model: SingleTaskGP, surrogate: Surrogate, targets: Floats) -> str:
    """How the companion's maximum lies beside BoTorch's: "same", "higher" or "lower"."""
    found = surrogate.hyperparameters
    squares = np.stack([np.square(column[:, None] - column) for column in surrogate.points.T])
    theirs = [*model.covar_module.lengthscale.detach().numpy().ravel(), model.likelihood.noise.item()]
    ends = [[*found.lengthscale, found.noise_variance], theirs]
    ours, peer = (-negative_log_posterior(np.log(end), squares, targets)[0] for end in ends)
    if abs(ours - peer) <= SAME_MAXIMUM:
        return "same"
    return "higher" if ours > peer else "lower"


def one_round(
    spent: Spent, rule: Rule, size: int, seed: int, points: Floats, values: Floats, candidates: Floats
) -> Any:
    """A batch by both loops, their times added to ``spent``."""
    number, targets = len(spent.ends), standardised(values)[0]

    def batch(current: DenseRound) -> Any:
        return rule.choose(current, size, stream(seed, "rule", number))

    began = time.process_time()
    current, surrogate = companion_round(number, points, targets, candidates)
    chosen = batch(current)
    between = time.process_time()
    model = botorch_fit(points, targets)
    fitted = time.process_time()
    spent.ends.append(compared_ends(model, surrogate, targets))
    move(model, surrogate.hyperparameters)
    again = time.process_time()
    peer = batch(botorch_round(number, model, candidates))
    end = time.process_time()
    if not np.array_equal(peer, chosen):
        sys.exit(f"seed {seed}, batch {number}: the decisions differ; their times mean nothing")
    spent.ours += between - began
    spent.theirs += fitted - between + end - again
    return chosen


def trial(name: str, method: str, seed: int, batches: int) -> Spent:
    """A run of both loops."""
    problem, size = chapter_problem(name).problem, setting(name).batch_size
    assert isinstance(problem, BoxProblem)
    low, wide = problem.low, problem.high - problem.low
    noise = stream(seed, "noise")
    points, values, spent = np.empty((0, problem.dim)), np.empty(0), Spent()
    asked = stream(seed, "design").uniform(size=(DESIGN_POINTS, problem.dim))
    for number in range(batches + 1):
        points = np.vstack([points, asked])
        seen = problem.objective(low + wide * asked) + problem.noise_sd * noise.standard_normal(len(asked))
        values = np.append(values, seen)
        if number < batches:
            candidates = stream(seed, "candidates", number).uniform(size=(CANDIDATES, problem.dim))
            asked = candidates[one_round(spent, RULES[method], size, seed, points, values, candidates)]
    return spent


def main() -> None:
    """A line for each problem and rule."""
    parser = argparse.ArgumentParser(description="Time refitted hyperparameters beside a BoTorch loop.")
    parser.add_argument("--quick", action="store_true", help="few batches on one problem")
    parser.add_argument("--seeds", type=int, default=2)
    options = parser.parse_args()
    names, batches, seeds = (PROBLEMS[:1], 4, 1) if options.quick else (PROBLEMS, 30, options.seeds)
    trial(names[0], "bucb", 0, 1)  # libraries load and compile on first use
    print(f"\nChapter 1 with refitted hyperparameters, {batches} batches, {seeds} seeds; BoTorch {version('botorch')}")
    beside = "its maximum beside BoTorch's"
    print(f"{'':23}{'ms a batch':>12}{beside:>68}")
    columns = ("companion", "BoTorch", "ratio", "limit", "", "same", "higher", "lower")
    print(f"{'problem':14}{'rule':9}" + "".join(f"{column:>10}" for column in columns))
    for name in names:
        for method in RULES:
            runs = [trial(name, method, seed, batches) for seed in range(seeds)]
            ratio = statistics.median(run.ours / run.theirs for run in runs)
            ours, theirs = (
                1e3 * statistics.median(getattr(r, side) for r in runs) / batches for side in ("ours", "theirs")
            )
            ends = Counter(end for run in runs for end in run.ends)
            verdict = "kept" if ratio <= LIMIT else "exceeded"
            note(f"chapter 1 refitted, {name}: {method}", ratio, "x BoTorch's loop", LIMIT)
            print(
                f"{name:14}{method:9}{ours:10.1f}{theirs:10.1f}{ratio:10.3f}{LIMIT:10.3f}{verdict:>10}"
                + "".join(f"{ends[end]:10d}" for end in ("same", "higher", "lower")),
                flush=True,
            )


if __name__ == "__main__":
    main()
