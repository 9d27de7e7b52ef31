"""A few runs behind the headline made now: equal to the stored ones, and showing the same trend."""

from __future__ import annotations

import numpy as np
import pandas as pd

from companion.pages import Rows, frame, recorded, table
from companion.pages.reruns import Again, rerun_tasks
from companion.papers.meanfield.experiments import store
from companion.papers.meanfield.experiments.definitions import experiment
from companion.papers.meanfield.experiments.printed import NAME_OF, OURS, MeanFieldResults
from companion.papers.meanfield.page.growth import NAIVE
from companion.stored.results import unjoined

#: Swarm needs no data, so that these runs are the same on every machine.
PROBLEM = "swarm"
#: Method, part of the stored runs, and numbers of agents that run in seconds.
MADE = ((OURS, "agents", (10, 1000, 100_000)), (NAIVE, "rivals", (10, 100, 1000)))
#: Largest relative difference from a stored regret, which has six digits.
SAME = 1e-5


@recorded(first=0, count="runs")
@frame
def rerun_live(evidence: MeanFieldResults, runs: int, evaluations: int) -> Rows:
    """Run MF-GP-UCB and naive GP-UCB on the first seeds with few and with many agents.

    Parameters
    ----------
    runs : seeds
    evaluations : of each run; the largest of the stored checkpoints that it reaches is compared

    Returns
    -------
    method, M, seed, evaluations compared, live and stored cumulative regret after as many (NaN where none is stored). A run
    is the beginning of the longer one with the same seed.
    """
    horizon = max(t for t in store.CHECKPOINTS if t <= max(evaluations, store.CHECKPOINTS[0]))
    chosen = experiment(PROBLEM)
    tasks, kept = [], []
    for method, part, counts in MADE:
        for agents in counts:
            tasks += chosen.tasks([method], range(runs), {"horizon": max(horizon, 11), "agents": agents})
            for seed in range(runs):
                kept.append(_stored(evidence, part, method, agents, seed, horizon))
    for (task, result), before in zip(rerun_tasks(tasks, store.compute), kept, strict=True):
        ends = store.checkpoints(int(task.parameters["horizon"]))
        yield {
            "method": task.method,
            "M": int(task.parameters["agents"]),
            "seed": task.seed,
            "evaluations": horizon,
            "live": float(result["cumulative"][int(np.flatnonzero(ends == horizon)[0])]),
            "stored": before,
        }


def _stored(evidence: MeanFieldResults, part: str, method: str, agents: int, seed: int, horizon: int) -> float:
    """Stored cumulative regret after ``horizon`` evaluations; NaN if there is none."""
    variant = f"agents={agents}"
    if not evidence.has(PROBLEM, method, block=part, variant=variant):
        return float("nan")
    rows = evidence.of(PROBLEM, method, block=part, variant=variant)
    if seed not in rows.index:
        return float("nan")
    values = unjoined(rows.cumulative.loc[seed])
    at = [t for t in store.CHECKPOINTS if t <= horizon]
    # The last checkpoint of a stored run is its horizon, which may be another than the standard one.
    return float(values[len(at) - 1]) if len(at) < len(values) else float("nan")


@frame
def live_rows(live: pd.DataFrame) -> Rows:
    """One row a method and number of agents: mean live and stored regret per evaluation."""
    for (method, agents), part in live.groupby(["method", "M"], sort=False):
        yield {
            "method": NAME_OF[str(method)],
            "M": int(str(agents)),
            "regret per evaluation, live": float((part.live / part.evaluations).mean()),
            "stored, same seeds": float((part.stored / part.evaluations).mean()),
        }


_AGAIN = Again(SAME)
same, say_live = _AGAIN.same, _AGAIN.say


live = table(live_rows)
