from __future__ import annotations

import optuna
from optuna.distributions import CategoricalDistribution
from optuna.distributions import IntDistribution
import optunahub


SPACE = {"depth": IntDistribution(1, 12), "rule": CategoricalDistribution(["gini", "entropy"])}


def objective(trial: optuna.Trial) -> float:
    depth = trial.suggest_int("depth", 1, 12)
    rule = trial.suggest_categorical("rule", ["gini", "entropy"])
    return -((depth - 5) ** 2) / 20 + (0.2 if rule == "gini" else 0.0)


if __name__ == "__main__":
    module = optunahub.load_module(package="samplers/bpe")
    sampler = module.BPESampler(SPACE, horizon=40, noise_sd=0.1)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.optimize(objective, n_trials=40)
    print(study.best_params, sampler.recommend(study))
