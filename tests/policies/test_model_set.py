"""Certificates of a set of models, against Student's densities of all values at once and sums of tails, in units of their own.

Mutants that it catches: weights without the evidence, a bound in other units, noise of another size, points beside the candidates
that are recommended.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

import companion as cp
from companion.core.errors import ParameterError
from companion.policies import model_set, stopping_certificate
from companion.policies.model_set import ModelSet, ModelSetPosterior

DELTA, MEAN, SD = 0.1, 70.0, 5.0
LINE = np.linspace(0.0, 20.0, 21)[:, None]
X = np.array([0.0, 4.0, 8.5, 12.0, 16.0, 20.0, 11.0, 13.0])
HEAT = np.array([61.0, 64.0, 71.0, 75.0, 69.0, 62.0, 74.5, 74.0])


def at_once(models: ModelSet, epsilon: float) -> tuple[int, float]:
    """The candidate and its bound: nothing is added step by step, and y is in its own units."""
    logs, means, covariances = [], [], []
    for name, lengths, noise in zip(models.kernels, models.lengthscales, models.noise, strict=True):
        kernel = cp.kernel(name, float(lengths[0]))
        prior = SD**2 * (kernel(X[:, None]) + 1.0 + noise**2 * np.eye(len(X)))
        row, inverse, y = SD**2 * (kernel(LINE, X[:, None]) + 1.0), np.linalg.inv(prior), HEAT - MEAN
        logs.append(stats.multivariate_t(np.zeros(len(X)), prior, df=1.0).logpdf(y))
        means.append(MEAN + row @ inverse @ y)
        scale = (1.0 + y @ inverse @ y) / (1.0 + len(X))
        covariances.append(scale * (SD**2 * (kernel(LINE) + 1.0) - row @ inverse @ row.T))
    w = np.exp(np.array(logs) - max(logs))
    w /= w.sum()
    best, total = int(np.argmax(w @ np.array(means))), 0.0
    others = np.arange(len(LINE)) != best
    for weight, mean, c in zip(w, means, covariances, strict=True):
        sd = np.sqrt(np.diagonal(c) + c[best, best] - 2 * c[best])[others]
        tails = stats.t.sf((mean[best] + epsilon - mean[others]) / sd, 1.0 + len(X))
        total += weight * min(float(tails.sum()), 1.0)
    return best, total


@pytest.fixture
def models() -> ModelSet:
    return ModelSet.over(20.0, mean=MEAN, sd=SD)


def asked(models: ModelSet, epsilon: float, **more: Any) -> Any:
    return cp.certificate(LINE, models, evaluated=X[:, None], values=HEAT, epsilon=epsilon, **more)


@pytest.mark.parametrize("epsilon", [0.05, 0.3, 1.0, 3.0])
def test_a_certificate_is_that_of_all_values_at_once(models: ModelSet, epsilon: float) -> None:
    found, (best, bound) = asked(models, epsilon), at_once(models, epsilon)
    assert (found.recommended, found.stop) == (best, bound <= DELTA)
    assert found.probability == pytest.approx(bound, abs=2e-4 * DELTA)
    assert found.point == (float(LINE[best, 0]),)
    assert found.proved
    assert at_once(models, found.regret)[1] == pytest.approx(DELTA, rel=1e-3)
    assert bool(found.in_the_way) == (not found.stop)


@pytest.mark.parametrize("fault", ["noise", "sd", "mean", "lengthscales"])
def test_another_set_has_another_bound(models: ModelSet, fault: str) -> None:
    wrong = replace(models, **{fault: 1.3 * getattr(models, fault)})
    assert abs(asked(wrong, 0.3).probability - at_once(models, 0.3)[1]) > 1e-4


def test_without_evidence_the_bound_is_another(models: ModelSet, monkeypatch: pytest.MonkeyPatch) -> None:
    right = asked(models, 0.3).probability
    monkeypatch.setattr(ModelSetPosterior, "weights", property(lambda self: np.full(64, 1 / 64)))
    assert abs(asked(models, 0.3).probability - right) > 1e-3


def test_units_do_not_matter(models: ModelSet) -> None:
    other = ModelSet.over(20.0 * 3, mean=10 * MEAN + 7, sd=10 * SD)
    moved = cp.certificate(3 * LINE, other, evaluated=3 * X[:, None], values=10 * HEAT + 7, epsilon=3.0)
    here = asked(models, 0.3)
    assert moved.regret == pytest.approx(10 * here.regret)
    assert (moved.recommended, moved.probability) == (here.recommended, pytest.approx(here.probability))


@pytest.mark.slow
def test_the_promise_is_kept_on_draws_of_the_prior() -> None:
    """Evaluated at random, with a look after every evaluation: the theorem is about any player and any stopping time."""
    models, line, bad, stopped = ModelSet.over(1.0), cp.grid(25, dim=1), 0, 0
    for run in range(400):
        rng = cp.stream(run, "set of models")
        m, scale = int(rng.integers(64)), 1.0 / np.sqrt(rng.gamma(0.5, 2.0))
        kernel = cp.kernel(models.kernels[m], float(models.lengthscales[m, 0]))
        f = scale * (cp.gp_draw(kernel, line, rng) + rng.standard_normal())
        state = ModelSetPosterior(models, line, 25)
        for at in rng.permutation(25):
            state.observe(int(at), float(f[at] + scale * models.noise[m] * rng.standard_normal()))
            bound = state.bound(DELTA)
            if bound.of(0.3) <= DELTA:
                stopped, bad = stopped + 1, bad + int(f.max() - f[bound.best] > 0.3)
                break
    assert stopped > 150
    assert stats.binomtest(bad, 400).proportion_ci(0.999).low < DELTA


@pytest.mark.parametrize(
    ("more", "name"),
    [
        ({"norm": 2.0}, "norm"),
        ({"rule": "union"}, "rule"),
        ({"prior_mean": 1.0}, "prior_mean"),
        ({"noise_sd": 0.1}, "noise_sd"),
        ({"values": None}, "values"),
        ({"evaluated": [99]}, "evaluated"),
        ({"standardise": True}, "standardise"),
    ],
)
def test_what_a_set_excludes_is_said(models: ModelSet, more: dict[str, Any], name: str) -> None:
    given: dict[str, Any] = {"evaluated": X[:, None], "values": HEAT, "epsilon": 1.0} | more
    with pytest.raises(ParameterError, match=name):
        cp.certificate(LINE, models, **given)


def test_a_set_has_to_fit_the_candidates(models: ModelSet, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ParameterError, match="length-scales"):
        cp.certificate(cp.grid(3, dim=2), models, evaluated=[0], values=[1.0], epsilon=1.0)
    monkeypatch.setattr(stopping_certificate, "MOST_NUMBERS", 1000)
    with pytest.raises(ParameterError, match="at most 1 "):
        asked(models, 1.0)


def test_ranges_have_to_be_positive() -> None:
    with pytest.raises(ParameterError, match="ranges"):
        ModelSet.over([1.0, 0.0])
    with pytest.raises(ParameterError, match="sd"):
        ModelSet.over(1.0, sd=-1.0)
    assert len(ModelSet.over([1.0, 2.0]).noise) == model_set.MODELS
