"""The loop: regret accounting, common random numbers, protocol violations, the JSON shape."""

import json

import numpy as np
import pytest

from companion.core.errors import CompanionError, ParameterError
from companion.policies import Batch
from companion.problems import FiniteProblem
from companion.simulate import Trajectory, run_policy

VALUES = np.array([0.0, 1.0, 3.0, 2.5])
CHAIN = np.array([[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, 1]], dtype=bool)


class Scripted:
    """Plays given batches, keeps what it is told, recommends a given point."""

    def __init__(self, batches, recommended=0, **attributes):
        self.batches, self.recommended, self.told, self.remaining = list(batches), recommended, [], []
        self.__dict__.update(attributes)

    def ask(self, remaining):
        self.remaining.append(remaining)
        batch = self.batches.pop(0)
        return batch if isinstance(batch, Batch) else Batch.plain(batch)

    def tell(self, observations):
        self.told.append(observations)

    def recommend(self):
        return self.recommended

    def diagnostics(self):
        return {"left": np.array([len(self.batches)])}


def problem(neighbours=None):
    return FiniteProblem("chain", np.arange(4.0)[:, None], VALUES, 0.1, "ours", neighbours)


def test_regret_of_a_hand_computed_run():
    policy = Scripted([[0, 3], [2], [1, 1]], recommended=3)
    noise = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    run = run_policy(policy, problem(), 5, noise, meta={"seed": 4})
    np.testing.assert_array_equal(run.query, [0, 3, 2, 1, 1])
    np.testing.assert_array_equal(run.charged, run.query)
    np.testing.assert_array_equal(run.batch, [1, 1, 2, 3, 3])
    np.testing.assert_array_equal(run.observation, VALUES[run.query] + noise)
    np.testing.assert_array_equal(run.instantaneous_regret, [3.0, 0.5, 0.0, 2.0, 2.0])
    np.testing.assert_array_equal(run.cumulative_regret, [3.0, 3.5, 3.5, 5.5, 7.5])
    np.testing.assert_array_equal(run.simple_regret, [3.0, 0.5, 0.0, 0.0, 0.0])
    np.testing.assert_array_equal(run.model_order, [2, 2, 3, 5, 5])
    assert run.recommended_regret == 0.5
    assert policy.remaining == [5, 3, 2]
    np.testing.assert_array_equal(np.concatenate(policy.told), run.observation)
    assert run.meta == {"seed": 4}
    assert run.seconds >= 0


def test_robust_regret_is_charged_to_the_charged_point():
    # Robust values by hand: min over neighbours = (0, 0, 1, 2.5); robust optimum 2.5 at point 3.
    batches = [Batch(np.array([1, 2]), np.array([2, 3])), Batch(np.array([0]), np.array([1]))]
    run = run_policy(Scripted(batches, recommended=2), problem(CHAIN), 3, np.zeros(3))
    np.testing.assert_array_equal(run.observation, VALUES[[1, 2, 0]])
    np.testing.assert_array_equal(run.instantaneous_regret, [1.5, 0.0, 2.5])
    assert run.recommended_regret == 1.5


def test_noise_belongs_to_the_evaluation_not_to_the_policy():
    noise = np.array([1.0, -2.0, 3.0, -4.0])
    first = run_policy(Scripted([[0], [1], [2], [3]]), problem(), 4, noise)
    second = run_policy(Scripted([[3, 3, 3], [0]]), problem(), 4, noise)
    np.testing.assert_allclose(first.observation - VALUES[first.query], noise)
    np.testing.assert_allclose(second.observation - VALUES[second.query], noise)


def test_model_order_comes_from_the_policy_when_it_has_one():
    run = run_policy(Scripted([[0, 1], [2]], model_order=7), problem(), 3, np.zeros(3))
    np.testing.assert_array_equal(run.model_order, [7, 7, 7])


@pytest.mark.parametrize("batches", [[[0, 1, 2, 3]], [np.zeros(0, dtype=int)], [[4]], [[0], [1, 2, 3]]])
def test_protocol_violations_are_named(batches):
    with pytest.raises(CompanionError):
        run_policy(Scripted(batches), problem(), 3, np.zeros(3))


def test_a_recommendation_outside_the_problem_is_an_error():
    with pytest.raises(CompanionError, match="recommends point 4"):
        run_policy(Scripted([[0]], recommended=4), problem(), 1, np.zeros(1))


@pytest.mark.parametrize(
    ("horizon", "noise", "name"),
    [(0, [], "horizon"), (-1, [], "horizon"), (2.0, [0, 0], "horizon"), (True, [0], "horizon"), (2, [0], "noise"),
     (2, [0, np.nan], "noise")],
)  # fmt: skip
def test_wrong_horizons_and_noise_are_refused(horizon, noise, name):
    policy = Scripted([[0]])
    with pytest.raises(ParameterError) as caught:
        run_policy(policy, problem(), horizon, noise)
    assert caught.value.name == name
    assert policy.remaining == []


def test_json_shape():
    run = run_policy(Scripted([[0, 3], [2]]), problem(), 3, np.zeros(3), meta={"sizes": (1, np.int64(2))})
    record = json.loads(json.dumps(run.to_json(), allow_nan=False))
    arrays = ["instantaneous_regret", "cumulative_regret", "simple_regret", "batch", "query", "charged", "model_order"]
    assert all(len(record[name]) == 3 for name in arrays)
    assert record["batch"] == [1, 1, 2]
    assert record["cumulative_regret"] == [3.0, 3.5, 3.5]
    assert isinstance(record["seconds"], float)
    assert record["meta"] == {"sizes": [1, 2]}
    assert record["diagnostics"] == {"left": [0]}


def test_trajectories_are_read_only_and_equally_long():
    run = run_policy(Scripted([[0]]), problem(), 1, np.zeros(1))
    with pytest.raises(ValueError, match="read-only"):
        run.cumulative_regret[0] = 0
    fields = {name: getattr(run, name) for name in run.__dataclass_fields__}
    with pytest.raises(ParameterError, match="batch"):
        Trajectory(**{**fields, "batch": [1, 2]})


def test_meta_entries_of_the_run_win_over_added_ones():
    run = run_policy(Scripted([[0]]), problem(), 1, np.zeros(1), meta={"reading": "code"})
    assert run.with_meta(reading="text", seed=3).meta == {"reading": "code", "seed": 3}
