from __future__ import annotations

import companion as cp
import numpy as np
import optuna
from optuna.distributions import BaseDistribution
from optuna.distributions import IntDistribution
import optunahub
import pytest


BPESampler = optunahub.load_local_module(
    package="samplers/bpe", registry_root="package/"
).BPESampler
SPACE: dict[str, BaseDistribution] = {"depth": IntDistribution(1, 12)}


def value(depth: int) -> float:
    return -((depth - 5) ** 2) / 20


def test_trials_are_the_points_of_the_session() -> None:
    study = optuna.create_study(direction="maximize", sampler=BPESampler(SPACE, horizon=30))
    study.optimize(lambda trial: value(trial.suggest_int("depth", 1, 12)), n_trials=30)
    line = cp.Candidates(np.arange(12) / 11, cp.Matern(2.5, 0.2), noise_sd=0.1)
    session = cp.for_problem("bpe", line, seed=0, horizon=30)
    while session.remaining:
        session.tell([value(1 + k) for k in session.ask()])
    assert [t.params["depth"] - 1 for t in study.trials] == session.asked.tolist()


def test_no_trial_is_asked_beyond_the_horizon() -> None:
    study = optuna.create_study(direction="maximize", sampler=BPESampler(SPACE, horizon=2))
    study.optimize(lambda trial: value(trial.suggest_int("depth", 1, 12)), n_trials=2)
    with pytest.raises(ValueError, match="horizon"):
        study.ask(SPACE)
