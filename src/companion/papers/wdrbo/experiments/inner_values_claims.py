"""Two facts behind Figure 3 that need no run: the error of the minmax value, and the loss of a worst-case decision."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from companion.core.arrays import Floats
from companion.papers.wdrbo.experiments.definitions import experiment
from companion.papers.wdrbo.method.methods import METHODS
from companion.papers.wdrbo.problems.catalogue import chapter_problem

#: Rounds of GP-UCB after which both inner values are looked at.
ROUNDS = 100
DECISIONS, CONTEXTS = 2001, 401
ROWS = 64


@lru_cache(maxsize=1)
def compared_values(problem: str = "newsvendor", seed: int = 0) -> dict[str, Any]:
    """Minmax and exact worst-case values of U over one ball on one grid, at 64 decisions of one posterior.

    The data are those of a run of GP-UCB. ``error`` is the mean absolute difference, ``gap`` what the exact values are
    certified to, ``range`` the mean range of U over the contexts, ``below`` the share of decisions whose minmax value is
    the lower one.
    """
    chosen, values = experiment(problem), {"horizon": ROUNDS, "minmax_nodes": 100, "discrepancy_nodes": 100}
    run = chosen.run("gp-ucb", seed, values)
    policies = {name: chosen.ready(name, seed, values).policy for name in ("drbo-mmd", "drbo-mmd-minmax")}
    x = np.linspace(0.0, 1.0, ROWS)[:, None]
    found: dict[str, Floats] = {}
    for name, policy in policies.items():
        for point, context, value in zip(
            np.asarray(run.points), run.diagnostics["contexts"], run.observation, strict=True
        ):
            policy.tell(point, context, float(value))
        view = policy.situation()
        acquisition = METHODS[name].build(view)
        found[name] = acquisition(x)
        if name == "drbo-mmd":
            gap = float(max(acquisition.gaps))  # type: ignore[attr-defined]
            spread = float(np.ptp(view.surrogate.table(x, acquisition.support, view.settings.width), axis=1).mean())  # type: ignore[attr-defined]
    difference = found["drbo-mmd-minmax"] - found["drbo-mmd"]
    return {
        "error": float(np.abs(difference).mean()),
        "gap": gap,
        "range": spread,
        "below": float((difference < -gap).mean()),
        "contexts": ROUNDS,
    }


def worst_context_regret(problem: str) -> float:
    """Expected regret of the decision with the best worst context of [mean - sd, mean + sd], for one decision and context.

    True reward, and mean and standard deviation of the true law: what StableOpt decides once it knows everything.
    """
    chosen = chapter_problem(problem)
    law = chosen.law.marginals[0]
    sample = law.quantile((np.arange(100_000) + 0.5) / 100_000)
    mean, sd = float(sample.mean()), float(sample.std())
    box = np.clip(np.linspace(mean - sd, mean + sd, CONTEXTS), 0.0, 1.0)
    x = np.linspace(0.0, 1.0, DECISIONS)
    rewards = chosen.objective(np.repeat(x, CONTEXTS)[:, None], np.tile(box, DECISIONS)[:, None])
    best = int(rewards.reshape(DECISIONS, CONTEXTS).min(axis=1).argmax())
    return float(chosen.regret(x[best : best + 1, None])[0])
