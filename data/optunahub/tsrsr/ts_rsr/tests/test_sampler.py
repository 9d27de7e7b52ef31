from __future__ import annotations

import companion as cp
import numpy as np
import optuna
from optuna.distributions import FloatDistribution
import optunahub
import pytest


TSRSRSampler = optunahub.load_local_module(
    package="samplers/ts_rsr", registry_root="package/"
).TSRSRSampler
SPACE = {"x": FloatDistribution(-5, 5), "y": FloatDistribution(0, 10)}


def value(x: float, y: float) -> float:
    return (x - 1) ** 2 + (y - 3) ** 2 / 4


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_trials_are_the_points_of_the_session(seed: int) -> None:
    sampler = TSRSRSampler(SPACE, batch_size=2, initial=4, seed=seed)
    study = optuna.create_study(sampler=sampler)
    study.optimize(
        lambda trial: value(trial.suggest_float("x", -5, 5), trial.suggest_float("y", 0, 10)),
        n_trials=10,
    )
    box = cp.Box(np.array([-5.0, 0.0]), np.array([5.0, 10.0]))
    session = cp.for_problem("ts-rsr", box, seed=seed, batch_size=2, initial=4, noise_sd=0.01)
    while session.told < 10:
        session.tell([-value(*point) for point in session.ask()])
    assert [[t.params["x"], t.params["y"]] for t in study.trials] == session.asked.tolist()


def test_a_parameter_outside_the_space_is_refused() -> None:
    study = optuna.create_study(sampler=TSRSRSampler(SPACE))
    with pytest.raises(ValueError, match="search_space"):
        study.ask().suggest_float("z", 0, 1)
