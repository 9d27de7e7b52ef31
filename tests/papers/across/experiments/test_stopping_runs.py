"""Runs in lockstep stop where ``cp.certificate`` says so, run by run, and their counts are those of the runs.

Mutants that it catches: a rule that notes its last stop, a wrong length-scale in the truth as well, an oracle that need not stay.
"""

from __future__ import annotations

import numpy as np
import pytest

import companion as cp
from companion.papers.across.experiments import stopping, stopping_play

EPSILONS, SEED, COUNT, HORIZON = stopping_play.EPSILONS, 3, 3, 24


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setitem(stopping_play.PLACES, "line", (9, 1, HORIZON))
    monkeypatch.setitem(stopping_play.PLACES, "arms", (6, 1, HORIZON))


def by_hand(setting, run, factor=1.0, noise_factor=1.0):
    """The run alone, with its certificate after every evaluation: by rule and epsilon when it stops, and the loss then."""
    values = stopping_play.functions(setting, SEED, COUNT)[run]
    errors = setting.noise * cp.stream(SEED, "stopping", "noise").standard_normal((stopping_play.RUNS, HORIZON))[run]
    points = setting.points
    kernel = cp.kernel(setting.kernel, 0.2 * factor) if setting.kernel != "none" else np.eye(len(points))
    noise, norm = setting.noise * noise_factor, 3.0 if setting.kind == "norm" else None
    policy = cp.GPUCB(kernel(points) if callable(kernel) else kernel, noise**2, 2.0)
    told: tuple[list[int], list[float]] = ([], [])
    found, kept, best = {}, [], 0
    for t in range(HORIZON + 1):
        names = ["union", "srinivas", "lemma-6", "probability", *(["differences", "one-root"] if norm else [])]
        for name, epsilon in ((n, e) for n in [*names, 1.96, "plateau-10", "ei", "optuna"] for e in EPSILONS):
            if name == "probability" and (t > stopping_play.EVERY and t % stopping_play.STEP):
                continue
            own = norm if name in ("differences", "one-root") else None
            more = {
                "horizon": HORIZON,
                "draws": stopping_play.DRAWS,
                "seed": SEED * stopping_play.RUNS + run,
                "rule": name,
                "norm": own,
            }
            one = cp.certificate(points, kernel, noise, *map(np.array, told), epsilon=epsilon, **more)
            if one.stop and (str(name), epsilon) not in found:
                found[str(name), epsilon] = (t, values.max() - values[one.recommended])
            best = one.recommended if name == "union" else best
        kept.append(values.max() - values[best])
        if t < HORIZON:
            (chosen,) = policy.ask(1).query
            told[0].append(int(chosen))
            told[1].append(values[chosen] + errors[t])
            policy.tell(np.array(told[1][-1:]))
    for epsilon in EPSILONS:
        after = [t for t in range(HORIZON + 1) if all(each <= epsilon for each in kept[t:])]
        if after:
            found["oracle", epsilon] = (after[0], 0.0)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("setting", "more"),
    [
        (stopping_play.StoppingSetting("line", "matern32", "prior", 0.1), {}),
        (stopping_play.StoppingSetting("line", "se", "norm", 0.3), {}),
        (stopping_play.StoppingSetting("arms", "none", "norm", 0.1), {}),
        (stopping_play.StoppingSetting("line", "se", "prior", 0.1, "lengthscale/2"), {"factor": 0.5}),
        (stopping_play.StoppingSetting("arms", "none", "prior", 0.1, "noise*2"), {"noise_factor": 2.0}),
    ],
    ids=str,
)
def test_in_lockstep_every_rule_stops_as_alone(setting, more):
    watch = stopping_play.play(setting, SEED, COUNT)
    for run in range(COUNT):
        alone = by_hand(setting, run, **more)
        for (rule, epsilon), when in watch.when.items():
            if rule.partition("/")[0].partition("*")[0] != rule or rule in (
                "two-roots",
                "chowdhury-gopalan",
                *stopping_play.SHORT[1:],
            ):
                continue
            if rule == "plateau-30":
                continue
            t, lost = alone.get((rule, epsilon), (-1, 0.0))
            # By sampling draws differ: here those of the differences that matter at epsilon, there at zero.
            assert abs(int(when[run]) - t) <= (3 if rule == "probability" and t >= 0 else 0), (rule, epsilon, run)
            if rule != "probability" and t >= 0:
                assert watch.lost[rule, epsilon][run] == pytest.approx(lost, abs=1e-9), (rule, epsilon, run)


def test_counts_add_up():
    (item,) = [i for i in stopping.RUNS.items if i[1].parameters["place"] == "arms" and i[1].seed == 0][:1]
    watch = stopping_play.play(stopping_play.StoppingSetting(**item[1].parameters), 0, 20)
    result = {"rules": [stopping._of(watch, *key) for key in sorted(watch.when)]}
    made = stopping.RUNS.frames((item,), (result,))
    counts, whole = made["stopping_blocks"], made["stopping"]
    assert len(counts) == len(whole) == len(watch.when)
    for count, row in zip(counts.itertuples(), whole.itertuples(), strict=True):
        when = watch.when[count.rule, count.epsilon]
        assert (count.runs, count.stopped, count.evaluations) == (20, (when >= 0).sum(), when[when >= 0].sum())
        assert row.broken == pytest.approx(count.broken / 20)
        assert row.low <= row.broken <= row.high
        assert np.isnan(row.median) == (count.stopped < 10)
    assert stopping.promised("union", "prior", "right")
    assert not stopping.promised("union", "norm", "right")
    assert not stopping.promised("srinivas/2", "prior", "right")
    assert not stopping.promised("one-root", "norm", "norm*2")
    assert len(set(stopping_play.settings())) == 48


def test_beliefs_are_off_by_two_where_they_are_said_to_be():
    for error, name, factor in (
        ("noise/2", "noise", 0.5),
        ("norm*2", "norm", 2.0),
        ("lengthscale/2", "lengthscale", 0.5),
    ):
        setting = stopping_play.StoppingSetting("line", "se", "norm", 0.1, error)
        for each in ("noise", "norm", "lengthscale"):
            assert setting.believed(each, 1.0) == (factor if each == name else 1.0)
    assert stopping_play.StoppingSetting("line", "se", "norm", 0.1).believed("norm", 3.0) == 3.0
    norms = stopping_play.functions(stopping_play.StoppingSetting("arms", "none", "norm", 0.1), 1, 4)
    assert np.linalg.norm(norms, axis=1) == pytest.approx(np.full(4, 3.0))
