"""Batched runs against the package's own policies, and arms against its engine."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from streams import watched
from tolerances import DIRECT_SOLVE_RTOL

from companion.bounds.confidence import SelfNormalizedWidth
from companion.gp import FinitePosterior
from companion.papers.across.experiments import width_arms, width_grid_runs
from companion.papers.across.experiments.width_coverage import kept as covers
from companion.papers.across.experiments.width_coverage import quantile
from companion.papers.across.experiments.width_rules import Promise, Rule, theorem_rules
from companion.papers.batched.method.policy import BPE
from companion.papers.batched.method.sizes import power_sizes
from companion.policies.ucb import GPUCB

RULES = {rule.id: rule for rule in theorem_rules(width_grid_runs.HORIZON)}
SEED = 77
PROMISES = get_args(Promise)


def one_run(policy: GPUCB | BPE, values: np.ndarray, errors: np.ndarray) -> float:
    regret = t = 0
    while t < len(errors):
        chosen = np.asarray(policy.ask(len(errors) - t).query)
        policy.tell(values[chosen] + errors[t : t + len(chosen)])
        regret += float(np.sum(values.max() - values[chosen]))
        t += len(chosen)
    return regret


def test_gp_ucb_is_the_policys() -> None:
    values, errors = width_grid_runs.functions("norm", SEED, 3), width_grid_runs.noise(SEED)[:3]
    found = width_grid_runs.gp_ucb(RULES["batched/self-normalised"], values, errors)
    for run in range(3):
        width = SelfNormalizedWidth(width_grid_runs.NORM, 0.1)
        policy = GPUCB(width_grid_runs.MODEL.covariance, width_grid_runs.NOISE**2, width, width_grid_runs.HORIZON)
        assert found.regret[run] == pytest.approx(one_run(policy, values[run], errors[run]), rel=DIRECT_SOLVE_RTOL)


def largest_error(f: np.ndarray, errors: np.ndarray, points: np.ndarray) -> float:
    """Over standard deviation and all candidates, by a dense solve."""
    prior = width_grid_runs.MODEL.covariance
    weights = np.linalg.solve(
        prior[np.ix_(points, points)] + width_grid_runs.NOISE**2 * np.eye(len(points)), prior[points]
    )
    sd = np.sqrt(np.diag(prior) - np.sum(prior[points] * weights, axis=0))
    return float(np.max(np.abs(f - (f[points] + errors) @ weights) / sd))


def test_elimination_is_the_papers() -> None:
    values, errors = width_grid_runs.functions("norm", SEED, 3), width_grid_runs.noise(SEED)[:3]
    rule = RULES["batched/prop-1/printed"]
    found = width_grid_runs.elimination(rule, values, errors)
    width = float(rule.widths(width_grid_runs.MODEL.case())(1, np.zeros(1))[0])
    for run in range(3):
        policy = BPE(
            width_grid_runs.MODEL.covariance, width_grid_runs.NOISE**2, power_sizes(width_grid_runs.HORIZON, 0.6), width
        )
        assert found.regret[run] == pytest.approx(one_run(policy, values[run], errors[run]), rel=DIRECT_SOLVE_RTOL)
        worst, start = 0.0, 0
        for batch in policy.history:
            worst = max(worst, largest_error(values[run], errors[run, start : start + batch.size], batch.query))
            start += batch.size
        assert found.ratio[run] == pytest.approx(worst / width, rel=DIRECT_SOLVE_RTOL)


def test_functions_have_the_norm_that_widths_are_told() -> None:
    values = width_grid_runs.functions("norm", SEED, 20)
    prior = width_grid_runs.MODEL.covariance + 1e-9 * np.eye(values.shape[1])
    norms = np.sqrt(np.sum(values.T * np.linalg.solve(prior, values.T), axis=0))
    np.testing.assert_allclose(norms, width_grid_runs.NORM, atol=1e-3)


@pytest.mark.parametrize("kind", ["prior", "norm"])
def test_a_block_has_functions_and_noise_of_its_own(kind: width_arms.Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of arms with a known norm there is one function, of the others one a run; noise has a tenth of its usual size here."""
    place, opened = width_arms.Arms("three", 3, 200, kind, 2.0, 0.1), watched(monkeypatch)
    one, again, other = (width_arms.values_and_noise(place, seed, 50) for seed in (SEED, SEED, SEED + 1))
    for first, same in zip(one, again, strict=True):
        assert np.array_equal(first, same)
    assert not (one[1] == other[1]).any()
    assert np.array_equal(one[0], other[0]) == (kind == "norm")
    assert one[1].std() == pytest.approx(0.1, rel=0.05)
    if kind == "norm":
        assert one[0].tolist() == [[2.0, 0.0, 0.0]] * 50
    assert opened.seeds() == {SEED, SEED + 1}
    assert opened.twice(SEED + 1) == []


@pytest.mark.parametrize("kind", ["prior", "norm"])
def test_a_block_on_the_grid_has_functions_and_noise_of_its_own(
    kind: width_grid_runs.Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = watched(monkeypatch)
    one, other = (width_grid_runs.functions(kind, seed, 4) for seed in (SEED + 2, SEED + 3))
    assert not (one == other).any()
    first, second = (width_grid_runs.noise(seed, 4, 50) for seed in (SEED + 2, SEED + 3))
    assert not (first == second).any()
    assert opened.seeds() == {SEED + 2, SEED + 3}
    assert opened.twice(SEED + 2) == []


@pytest.mark.parametrize("place", width_arms.INSTANCES[1:], ids=lambda place: place.name)
def test_arms_are_the_engines(place: width_arms.Arms) -> None:
    values, noise = (each[:2] for each in width_arms.values_and_noise(place, SEED))
    regulariser, rounds = 1.3, 60
    found = width_arms.needed(values, noise[:, :rounds], regulariser)
    posterior = FinitePosterior(np.eye(place.count), regulariser, replicates=2, capacity=rounds)
    for t in range(rounds):
        error = np.max(np.abs(values - posterior.mean) / posterior.sd, axis=1)
        np.testing.assert_allclose(found[:, t], error, rtol=DIRECT_SOLVE_RTOL)
        gain = width_arms.gain_of(place.count, regulariser, t)
        np.testing.assert_allclose(posterior.gain, gain, rtol=DIRECT_SOLVE_RTOL)
        posterior.observe(t % place.count, values[:, t % place.count] + noise[:, t])


def test_a_ratio_is_that_of_the_worst_round() -> None:
    place = width_arms.INSTANCES[0]
    rule = Rule("constant", "", in_round=lambda case: 2.0)
    values, noise = width_arms.values_and_noise(place, SEED)
    worst = width_arms.needed(values, noise, place.noise**2)[:, : place.horizon].max(axis=1)
    found = width_arms.block(rule, place, SEED, width_arms.path(rule, place))
    np.testing.assert_allclose(found, worst / 2.0, rtol=DIRECT_SOLVE_RTOL)


def test_the_interval_of_a_quantile_covers_as_often_as_it_says() -> None:
    generator = np.random.default_rng(1)
    hits = [quantile(generator.uniform(size=200), 0.9) for _ in range(400)]
    covered = np.mean([each.low <= 0.9 <= each.high for each in hits])
    assert 0.93 <= covered <= 0.99


def test_a_width_keeps_its_promise_for_the_functions_that_it_is_about() -> None:
    kept = {(promise, kind): covers(Rule("x", promise), kind) for promise in PROMISES for kind in ("norm", "prior")}
    assert [pair for pair, yes in kept.items() if yes] == [("norm", "norm"), ("prior", "prior"), ("batches", "norm")]
