"""Stopping with a fitted model, against a program of its own: textbook posteriors, tails of distributions, and sums of them.

Of the package it takes the fit, which has its own tests, and the random streams. Mutants that it catches: a factor that is
ignored, looks that agree but not in a row, lengths multiplied in place of divided, a mixture without its evidence, a promise
judged by the wrong half of the seeds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import companion as cp
from companion.core.arrays import Floats
from companion.judge.intervals import proportion_interval
from companion.papers.across.experiments import fitted_stopping as runs
from companion.papers.across.experiments import fitted_stopping_play as played
from companion.papers.across.experiments import fitted_stopping_protocol
from companion.papers.across.method.shipped_model import ShippedModel, fit
from companion.policies import stopping
from companion.policies.model_set import ModelSetPosterior

SEED, FIRST, HORIZON, POINTS, DELTA = 4, 5, 16, 12, 0.1
#: Judges that are told again here.
TOLD = ("shipped", "length/2", "rougher", "mixture", "known")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(played.PLACES, 1, (POINTS, FIRST, HORIZON))
    played.points_of.cache_clear()
    yield
    played.points_of.cache_clear()


def k(name: str, a: Floats, b: Floats, length: Any) -> Floats:
    """Textbook kernels of variance 1."""
    r = np.sqrt((((a[:, None] - b[None]) / length) ** 2).sum(axis=2))
    if name == "se":
        return np.asarray(np.exp(-0.5 * r**2))
    return np.asarray((1 + np.sqrt(5) * r + 5 * r**2 / 3) * np.exp(-np.sqrt(5) * r))


def normal(
    name: str, x: Floats, at: list[int], y: Floats, length: Any, noise: float, m: float
) -> tuple[Floats, Floats]:
    """Mean and covariance."""
    inverse, row = np.linalg.inv(k(name, x[at], x[at], length) + noise * np.eye(len(at))), k(name, x, x[at], length)
    return m + row @ inverse @ (y - m), k(name, x, x, length) - row @ inverse @ row.T


def sum_of_tails(
    mean: Floats, covariance: Floats, r: int, epsilon: float, factor: float = 1.0, shape: float = np.inf
) -> float:
    """The union bound."""
    others = np.arange(len(mean)) != r
    sd = factor * np.sqrt(np.diagonal(covariance) + covariance[r, r] - 2 * covariance[r])[others]
    z = (mean[r] + epsilon - mean[others]) / sd
    return min(float((stats.norm.sf(z) if np.isinf(shape) else stats.t.sf(z, 2 * shape)).sum()), 1.0)


def mixed(x: Floats, at: list[int], y: Floats, dim: int = 1, evidence: bool = True) -> tuple[int, Any]:
    """The mixture by densities of all values at once: Student's, with half of an inverse gamma prior's observation."""
    logs, means, covariances, n = [], [], [], len(at)
    models = played.models_of(dim)
    for name, length, noise in zip(models.kernels, models.lengthscales, models.noise, strict=True):
        prior = k(name, x[at], x[at], length) + 1.0 + noise**2 * np.eye(n)
        row, inverse = k(name, x, x[at], length) + 1.0, np.linalg.inv(prior)
        logs.append(stats.multivariate_t(np.zeros(n), prior, df=1.0).logpdf(y) if evidence else 0.0)
        means.append(row @ inverse @ y)
        scale = (0.5 + 0.5 * y @ inverse @ y) / (0.5 + n / 2)
        covariances.append(scale * (k(name, x, x, length) + 1.0 - row @ inverse @ row.T))
    weights = np.exp(np.array(logs) - max(logs))
    weights /= weights.sum()
    best = int(np.argmax(weights @ np.array(means)))

    def bound(epsilon: float) -> float:
        parts = zip(weights, means, covariances, strict=True)
        return float(sum(w * sum_of_tails(m, c, best, epsilon, shape=0.5 + n / 2) for w, m, c in parts))

    return best, bound


def by_hand(run: int, player: str) -> dict[tuple[str, float], tuple[int, bool]]:
    """First stop and whether it breaks the promise, of the rules in the closed form, with everything told again."""
    truth = played.draw(1, "se", 0.1, SEED, run)
    x, rng = np.linspace(0, 1, POINTS)[:, None], cp.stream(SEED, "fitted stopping", 1, "plays", run)
    design, errors = rng.integers(0, POINTS, FIRST), 0.1 * rng.standard_normal(HORIZON)
    at, seen = list[int](), list[float]()
    found, row = dict[tuple[str, float], tuple[int, bool]](), dict[tuple[str, float], int]()
    lost = truth.values.max() - truth.values
    for t in range(HORIZON + 1):
        upper = np.zeros(POINTS)
        if t >= FIRST:
            y = np.array(seen)
            if player == "known":
                mean, covariance = normal("se", x, at, y, truth.lengths, 0.01, 0.0)
                judges = {"known": (mean, covariance, 1.0)}
            else:
                model, middle, spread = fit(x[at], y), y.mean(), y.std(ddof=1)
                judges = {}
                for name, kernel, part in (("shipped", "se", 1), ("length/2", "se", 2), ("rougher", "matern52", 1)):
                    z = (y - middle) / spread
                    own = normal(kernel, x, at, z, model.lengthscales / part, model.noise, model.mean)
                    judges[name] = (middle + spread * own[0], spread**2 * own[1], 1.0)
                mean, covariance, _ = judges["shipped"]
            for rule, epsilon in product(played.RULES, played.EPSILONS):
                if rule.judge not in judges and not (rule.judge == "mixture" and player == "fitted"):
                    continue
                if rule.judge == "mixture":
                    best, bound = mixed(x, at, y)
                    said = bound(epsilon) <= DELTA
                else:
                    m, c, _ = judges[rule.judge]
                    best = int(np.argmax(m))
                    said = sum_of_tails(m, c, best, epsilon, rule.factor) <= DELTA
                key = (rule.name, epsilon)
                row[key] = row.get(key, 0) + 1 if said else 0
                if row[key] >= rule.times and t >= rule.least and key not in found:
                    found[key] = (t, bool(lost[best] > epsilon))
            upper = mean + 2.0 * np.sqrt(np.maximum(np.diagonal(covariance), 0.0))
        if t == HORIZON:
            break
        at.append(int(design[t]) if t < FIRST else int(np.argmax(upper)))
        seen.append(float(truth.values[at[-1]] + errors[t]))
    return found


def noted(run: int, player: str) -> dict[tuple[str, float], tuple[int, bool]]:
    """The same by the package."""
    truth = played.draw(1, "se", 0.1, SEED, run)
    watch = played.play(played.Watch(truth, 1), truth, player, 1, SEED, run)
    stopped = {key: t for key, t in watch.when.items() if t >= 0 and key[0].judge in TOLD}
    return {(rule.name, e): (t, watch.broken[rule, e]) for (rule, e), t in stopped.items()}


@pytest.mark.slow
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(("run", "player"), [(0, "fitted"), (1, "fitted"), (2, "fitted"), (0, "known"), (1, "known")])
def test_first_stops_are_those_of_a_program_of_its_own(run: int, player: str) -> None:
    alone = by_hand(run, player)
    assert alone == noted(run, player)
    assert len(alone) > (0 if player == "known" else 20)


def _multiplied(model: ShippedModel, **more: Any) -> ShippedModel:
    if "lengthscales" in more:
        more["lengthscales"] = model.lengthscales**2 / more["lengthscales"]
    return replace(model, **more)


FAULTS = {
    "factor ignored": (played, "union", lambda contest, epsilon, factor: contest.union(epsilon)),
    "lengths multiplied": (played, "replace", _multiplied),
    "evidence ignored": (ModelSetPosterior, "weights", property(lambda self: np.full(64, 1 / 64))),
    "spread forgotten": (ShippedModel, "spread", property(lambda self: 1.0)),
    "less allowed": (played, "DELTA", 0.05),
}


@pytest.mark.slow
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_noticed(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = [by_hand(run, "fitted") for run in (0, 1)]
    monkeypatch.setattr(*FAULTS[fault])
    assert alone != [noted(run, "fitted") for run in (0, 1)]


def test_looks_in_a_row_begin_again_after_one_that_disagrees() -> None:
    truth = played.Truth(np.array([1.0, 0.0]), "se", np.array([0.2]), 0.1)
    watch, said = played.Watch(truth, 1), [1, 1, 0, 1, 1, 1, 1]
    for t, stops in enumerate(said, start=6):
        watch.note("shipped", t, lambda stops=stops: played.Look(0, lambda e, c: bool(stops)))  # type: ignore[misc]
    when = {rule.name: watch.when[rule, 0.1] for rule in played.RULES if rule.judge == "shipped"}
    assert (when["shipped"], when["shipped, 3 times"], when["shipped, 5 times"]) == (6, 11, -1)
    assert when["shipped, from 10d"] == 10


def test_costly_judges_look_less_often() -> None:
    asked = []
    watch = played.Watch(played.Truth(np.zeros(2), "se", np.array([0.2]), 0.1), 1)
    for t in range(31):
        watch.note("average", t, lambda t=t: (asked.append(t), played.Look(0, lambda e, c: False))[1])  # type: ignore[misc,func-returns-value]
    assert asked == [*range(21), 25, 30]


@pytest.mark.parametrize("dim", [1, 2])
def test_the_models_around_a_fit_have_the_average_of_the_density_itself(dim: int) -> None:
    """Of log length-scales, by a sum over a lattice; the mean, of a flat prior, is integrated out."""
    rng = np.random.default_rng(dim)
    x = rng.random((14, dim))
    y = np.sin(5.0 * x.sum(axis=1)) + 0.1 * rng.standard_normal(14)
    model, z = fit(x, y), (y - y.mean()) / y.std(ddof=1)
    weights, models = played.around(model)
    axes = [np.linspace(np.log(model.noise) - 4, np.log(model.noise) + 4, 25)]
    axes += [np.linspace(np.log(length) - 2, np.log(length) + 5, 25) for length in model.lengthscales]
    total, moment = 0.0, np.zeros(dim)
    for point in product(*axes):
        noise, lengths = np.exp(point[0]), np.exp(point[1:])
        if noise < 1e-4 or lengths.min() < 0.025:
            continue
        prior = k("se", x, x, lengths) + noise * np.eye(14)
        solved = np.linalg.solve(prior, np.column_stack([z, np.ones(14)]))
        log = -0.5 * (z @ solved[:, 0] - solved[:, 0].sum() ** 2 / solved[:, 1].sum())
        log -= 0.5 * (np.linalg.slogdet(prior)[1] + np.log(solved[:, 1].sum()))
        log += stats.lognorm(1.0, scale=np.exp(-4.0)).logpdf(noise)
        log += stats.lognorm(np.sqrt(3.0), scale=np.exp(np.sqrt(2.0)) * np.sqrt(dim)).logpdf(lengths).sum()
        total, moment = total + np.exp(log), moment + np.exp(log) * np.array(point[1:])
    own = np.sum([w * np.log(each.lengthscales) for w, each in zip(weights, models, strict=True)], axis=0)
    np.testing.assert_allclose(own, moment / total, atol=0.2)


@pytest.mark.parametrize("dim", [1, 2, 4])
def test_the_mixture_is_that_of_all_values_at_once(dim: int) -> None:
    x, rng = played.points_of(dim), np.random.default_rng(dim)
    at = rng.integers(0, len(x), 12).tolist()
    y = 1.0 + np.sin(5.0 * x[at].sum(axis=1)) + 0.1 * rng.standard_normal(12)
    mixture = ModelSetPosterior(played.models_of(dim), x, 12)
    for index, value in zip(at, y, strict=True):
        mixture.observe(index, float(value))
    (best, bound), look = mixed(x, at, y, dim), played.mixed(mixture)
    assert look.best == best
    epsilons = np.linspace(0.02, 6.0, 12)
    assert [look.stops(e, 1.0) for e in epsilons] == [bound(e) <= DELTA for e in epsilons]
    assert look.stops(9.0, 1.0)


def test_a_draw_of_the_mixture_has_what_the_theorem_asks_for() -> None:
    """Mean square of values less the mean of f, over the drawn variance; variance and noise from the set and the prior."""
    found = [played.draw(1, played.PRIOR, 0.0, 1, run) for run in range(400)]
    scales = np.array([each.scale for each in found])
    assert stats.kstest(scales**-2, stats.gamma(0.5, scale=2.0).cdf).pvalue > 1e-3
    middle = np.array([each.values[25] for each in found]) / scales
    assert stats.kstest(middle, stats.norm(0, np.sqrt(2.0)).cdf).pvalue > 1e-3
    noises = played.models_of(1).noise
    assert {round(each.noise / each.scale, 9) for each in found} <= {round(float(noise), 9) for noise in noises}


def test_sampling_agrees_with_many_draws() -> None:
    x, rng = played.points_of(1), np.random.default_rng(3)
    at = rng.integers(0, 50, 8)
    model = fit(x[at], np.sin(7.0 * x[at, 0]) + 0.1 * rng.standard_normal(8))
    post, every = played.posterior(model, x), np.arange(50)
    draws = rng.multivariate_normal(post.mean, post.among(every) + 1e-10 * np.eye(50), 20_000)
    look = played.sampled(post, played.contest_of(post), key=5)
    lost = draws.max(axis=1) - draws[:, look.best]
    for epsilon in (0.02, 0.1, 0.3, 0.6, 1.0):
        share = float((lost > epsilon).mean())
        if abs(share - DELTA) > 0.04:
            assert look.stops(epsilon, 1.0) == (share < DELTA)


# -- the table and what is chosen from it ------------------------------------------------------------------------------


def planted(shares: dict[str, tuple[Any, Any, float]]) -> pd.DataFrame:
    """A table in which rules break promises in these shares of even and odd seeds, by cell, and take so many evaluations."""
    rows = []
    for rule, (even, odd, mean) in shares.items():
        for dim, noise, epsilon in product(played.PLACES, played.NOISES, played.EPSILONS):
            key = (dim, noise, epsilon)
            halves = [round(260 * (part(key) if callable(part) else part)) for part in (even, odd)]
            rows.append(
                {"dim": dim, "noise": noise, "epsilon": epsilon, "truth": runs.BOTH, "rule": rule, "runs": 520}
                | {"broken": sum(halves), "even_broken": halves[0], "even_runs": 260, "even_mean": mean, "mean": mean}
            )
    return pd.DataFrame(rows)


def test_the_remedy_is_the_cheapest_that_both_halves_support() -> None:
    worst = (4, 0.3, 0.5)
    shares: dict[str, tuple[Any, Any, float]] = {
        "known": (0.02, 0.02, 1.0),
        "cheap, breaks": (lambda key: 0.11 if key == worst else 0.0, 0.0, 10.0),
        "overfitted": (0.05, lambda key: 0.2 if key == worst else 0.02, 11.0),
        "undecided": (0.09, 0.095, 12.0),
        "right": (0.06, 0.06, 13.0),
        "dear": (0.01, 0.01, 30.0),
    }
    table = planted(shares)
    assert runs.calibrated(table).index.tolist() == ["overfitted", "undecided", "right", "dear"]
    assert runs.remedy(table) == "right"
    assert runs.remedy(table[~table["rule"].isin(["right", "dear"])]) is None
    swapped = table.assign(even_broken=table.broken - table.even_broken)
    assert runs.remedy(swapped) == "cheap, breaks"


def test_verdicts_are_those_of_exact_intervals() -> None:
    for broken, said in ((70, runs.BREAKS), (52, runs.OPEN), (39, runs.OPEN), (37, runs.KEEPS), (0, runs.KEEPS)):
        interval = proportion_interval(broken, 520)
        low = stats.beta.ppf(0.025, broken, 521 - broken) if broken else 0.0
        high = stats.beta.ppf(0.975, broken + 1, 520 - broken)
        assert (interval.low, interval.high) == pytest.approx((low, high))
        assert runs.verdict(interval) == said


def test_a_block_is_counted_by_kernel_and_half(monkeypatch: pytest.MonkeyPatch) -> None:
    cell = {"dim": 1, "noise": 0.1}

    def result(seed: int, when: list[int], broken: list[int]) -> dict[str, Any]:
        told = {"rule": "shipped", "epsilon": 0.1, "when": when, "broken": broken}
        return {"seed": seed, "truth": ["se", "matern52"], "rules": [told]}

    tasks = [task for task in runs.blocks()[0].tasks if task.parameters == cell][:2]
    block = runs.blocks()[0]
    results = [result(0, [7, -1], [1, 0]), result(1, [9, 11], [0, 1])]
    rows = list(runs.together([(block, task, each) for task, each in zip(tasks, results, strict=True)]))
    found = {row["truth"]: row for row in rows}
    assert [found[name]["runs"] for name in ("se", "matern52", "both")] == [2, 2, 4]
    both = found["both"]
    assert (both["stopped"], both["broken"], both["even_broken"], both["even_runs"]) == (3, 2, 1, 2)
    assert (both["median"], both["mean"], both["even_mean"]) == (9.0, (7 + 40 + 9 + 11) / 4, (7 + 40) / 2)
    assert found["matern52"]["median"] == 11.0
    assert found["se"]["broken"] == 1


def test_the_protocol_is_what_runs() -> None:
    said = " ".join((fitted_stopping_protocol.__doc__ or "").split())
    seeds, size, all_runs = map(int, re.findall(r"Seeds 0 to (\d+), each a block of (\d+) runs: (\d+) runs", said)[0])
    assert (len(runs.SEEDS), played.RUNS, len(runs.SEEDS) * played.RUNS) == (seeds + 1, size, all_runs)
    places = re.findall(
        r"(\d+) (?:candidates|by 15|points of Sobol's sequence), (\d+)(?: first points and at most| and) (\d+)", said
    )
    told = {1: (50, 5, 40), 2: (15, 10, 60), 4: (400, 10, 80)}
    assert [tuple(map(int, each)) for each in places] == list(told.values())
    assert {dim: (axis or 400, *more) for dim, (axis, *more) in played.PLACES.items()} == told
    assert "Noise 0.03, 0.1, 0.3, in standard deviations of f, as is epsilon, 0.1, 0.3, 0.5; delta 0.1." in said
    assert (played.NOISES, played.EPSILONS, played.DELTA) == ((0.03, 0.1, 0.3), (0.1, 0.3, 0.5), DELTA)
    names = [rule.name for rule in played.RULES]
    assert len(names) == len(set(names)) == 20 + 6 + 1 + 6 + 3 + 7 + 1 + 2
    assert stopping.ERROR_SHARE == 0.05
    assert {task.parameters["noise"] for task in runs.blocks()[0].tasks} == {0.0, *played.NOISES}
