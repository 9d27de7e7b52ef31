from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import optuna
from optuna.distributions import BaseDistribution
from optuna.distributions import FloatDistribution
import optunahub


SPACE: dict[str, BaseDistribution] = {
    "x": FloatDistribution(-5, 5),
    "rate": FloatDistribution(1e-4, 1.0, log=True),
}


def measure(x: float, rate: float) -> float:
    return (x - 1) ** 2 + (rate - 0.01) ** 2


if __name__ == "__main__":
    module = optunahub.load_module(package="samplers/ts_rsr")
    sampler = module.TSRSRSampler(SPACE, batch_size=5, initial=10, seed=0)
    study = optuna.create_study(sampler=sampler)
    # A batch at a time, evaluated in parallel; study.optimize evaluates one trial after another.
    with ThreadPoolExecutor(5) as pool:
        for size in (10, 5, 5, 5, 5):
            trials = [study.ask(SPACE) for _ in range(size)]
            waiting = [pool.submit(measure, **trial.params) for trial in trials]
            for trial, value in zip(trials, waiting, strict=True):
                study.tell(trial, value.result())
    print(study.best_params, sampler.recommend(study))
