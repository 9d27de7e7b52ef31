"""Fitted and split models of stopping runs, against a program of their own: full likelihoods, and ``cp.certificate`` alone.

Mutants that it catches: a likelihood without its determinant, half of the wrong length-scale, a judge that plays, a rule that
stops among the random first points.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import companion as cp
from companion.papers.across.experiments import stopping, stopping_models, stopping_play

SEED, COUNT, HORIZON, POINTS = 4, 4, 22, 9
X = np.linspace(0, 1, POINTS)[:, None]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(stopping_play.PLACES, "line", (POINTS, 1, HORIZON))


def likeliest(at: list[int], seen: list[float]) -> int:
    """Among the length-scales that may be fitted, by the density of all values at once."""
    found = []
    for length in stopping_play.LENGTHS[stopping_play.HALF :]:
        prior = cp.kernel("se", length)(X)[np.ix_(at, at)] + 0.01 * np.eye(len(at))
        found.append(stats.multivariate_normal(np.zeros(len(at)), prior).logpdf(seen))
    return int(np.argmax(found)) + stopping_play.HALF


def by_hand(model: str, run: int) -> dict[float, int]:
    """When the closed form of the posterior stops first, by epsilon."""
    setting = stopping_play.StoppingSetting("line", "se", "prior", 0.1, model)
    values = stopping_play.functions(setting, SEED, COUNT)[run]
    errors = 0.1 * cp.stream(SEED, "stopping", "noise").standard_normal((stopping_play.RUNS, HORIZON))[run]
    design = cp.stream(SEED, "stopping", "design").integers(0, POINTS, (stopping_play.RUNS, stopping_play.START))[run]
    at, seen, found = [], [], {}
    fitted = model in (stopping_play.FITTED, stopping_play.FITTED_HALF)
    for t in range(HORIZON + 1):
        place = likeliest(at, seen) if fitted and t else 6
        played = {stopping_play.JUDGED_HALF: 0.2, stopping_play.JUDGED_RIGHT: 0.4}.get(
            model, stopping_play.LENGTHS[place]
        )
        judged = {
            stopping_play.JUDGED_HALF: 0.1,
            stopping_play.JUDGED_RIGHT: 0.2,
            stopping_play.FITTED_HALF: stopping_play.LENGTHS[place - 2],
        }
        kernel = cp.kernel("se", judged.get(model, played))
        for epsilon in stopping_play.EPSILONS if t >= stopping_play.START or not fitted else ():
            more = {"epsilon": epsilon, "rule": "union", "horizon": HORIZON}
            if cp.certificate(X, kernel, 0.1, np.array(at, dtype=int), np.array(seen), **more).stop:
                found.setdefault(epsilon, t)
        if t == HORIZON:
            return found
        if fitted and t < stopping_play.START:
            chosen = int(design[t])
        else:
            prior = cp.kernel("se", played)(X)
            weights = (
                np.linalg.solve(prior[np.ix_(at, at)] + 0.01 * np.eye(t), prior[at]) if t else np.zeros((0, POINTS))
            )
            mean = np.array(seen) @ weights if t else np.zeros(POINTS)
            sd = np.sqrt(np.diag(prior) - (prior[at] * weights).sum(axis=0))
            upper = mean + 2.0 * sd
            chosen = int(np.flatnonzero(upper >= upper.max() - 1e-9)[0])
        at.append(chosen)
        seen.append(values[chosen] + errors[t])
    return found


@pytest.mark.parametrize(
    "model", [stopping_play.FITTED, stopping_play.FITTED_HALF, stopping_play.JUDGED_HALF, stopping_play.JUDGED_RIGHT]
)
def test_a_split_model_stops_as_alone(model: str) -> None:
    watch = stopping_play.play(stopping_play.StoppingSetting("line", "se", "prior", 0.1, model), SEED, COUNT)
    for run in range(COUNT):
        alone = by_hand(model, run)
        for epsilon in stopping_play.EPSILONS:
            assert watch.when["union", epsilon][run] == alone.get(epsilon, -1), (run, epsilon)


def test_expected_improvement_plays_where_it_is_said_to() -> None:
    setting = stopping_play.StoppingSetting("line", "se", "prior", 0.1, player=stopping_play.IMPROVEMENT)
    known = stopping_play.Known(setting, 2, 0.2)
    state = stopping_play._State(setting, stopping_play.Watch(np.zeros((2, POINTS))), known, known, known, 0)
    known.observe(np.array([3, 7]), np.array([1.0, -1.0]))
    z = (known.mean - known.mean.max(axis=1, keepdims=True)) / np.sqrt(known.variance)
    gain = np.sqrt(known.variance) * (z * stats.norm.cdf(z) + stats.norm.pdf(z))
    assert state.chosen(1).tolist() == gain.argmax(axis=1).tolist()


def test_a_smoother_and_a_rougher_model_leave_the_truth_as_it_is() -> None:
    right, smooth, rough = (
        stopping_play.StoppingSetting("line", "matern32", "prior", 0.1, m) for m in ("right", "smoother", "rougher")
    )
    assert np.array_equal(stopping_play.functions(right, 1, 2), stopping_play.functions(smooth, 1, 2))
    for setting, name in ((right, "matern32"), (smooth, "se"), (rough, "matern12")):
        assert np.allclose(setting.covariance(0.2), cp.kernel(name, 0.2)(X))


def test_the_settings_are_new_and_their_promises_those_of_the_judge() -> None:
    both = [*stopping_play.settings(), *stopping_models.settings()]
    assert len(both) == len(set(both)) == 48 + 32
    assert stopping.promised("union", "prior", stopping_play.JUDGED_RIGHT)
    assert not any(
        stopping.promised("union", "prior", each)
        for each in (stopping_play.FITTED, stopping_play.JUDGED_HALF, "smoother")
    )
