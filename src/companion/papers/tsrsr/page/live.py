"""A few runs of the tables made now: beside the printed values, and equal to the stored runs of the same seeds."""

from __future__ import annotations

import numpy as np
import pandas as pd

from companion.pages import Rows, frame, recorded, table
from companion.pages.reruns import Again, rerun_tasks
from companion.papers.tsrsr.experiments import store
from companion.papers.tsrsr.experiments.definitions import experiment
from companion.papers.tsrsr.experiments.printed import NAME_OF, TITLE_OF, TSRSRResults
from companion.papers.tsrsr.page.stored_runs import METHODS
from companion.papers.tsrsr.problems.catalogue import SETTINGS

#: Columns that run in seconds, one on a finite set and one on a box.
PROBLEMS = ("gp-2d", "ackley-2d")
#: Largest relative difference from a stored curve, which holds six digits.
SAME = 1e-5


@recorded(first=0, count="runs")
@frame
def rerun_live(evidence: TSRSRResults, runs: int, batches: int) -> Rows:
    """Run all methods on the first seeds of two columns, for at most ``batches`` batches.

    Returns
    -------
    problem, method, seed, batches (number run), live and stored simple regret after as many batches, in the
    printed unit. A run is the beginning of the longer one with the same seed.
    """
    tasks, lengths = [], {}
    for problem in PROBLEMS:
        lengths[problem] = min(batches, _stored(evidence, problem, METHODS[0]).shape[1] - 1)
        for method in (*METHODS, "random"):
            tasks += experiment(problem).tasks([method], range(runs), {"batches": lengths[problem]})
    for task, result in rerun_tasks(tasks, store.compute):
        problem = task.experiment.removeprefix("tsrsr/")
        unit = SETTINGS[problem].unit
        kept = _stored(evidence, problem, task.method)
        at = kept[task.seed, lengths[problem]] / unit if task.seed < len(kept) else float("nan")
        yield {
            "problem": problem,
            "method": task.method,
            "seed": task.seed,
            "batches": lengths[problem],
            "live": result["regret"][-1] / unit,
            "stored": at,
        }


def _stored(evidence: TSRSRResults, problem: str, method: str) -> np.ndarray:
    return evidence.curves["text", problem, method]


@frame
def live_rows(live: pd.DataFrame, evidence: TSRSRResults) -> Rows:
    """One row a problem and method: our mean, the stored mean of the same seeds, and the printed mean after all batches."""
    for (problem, method), part in live.groupby(["problem", "method"], sort=False):
        name = str(problem)
        yield {
            "problem": f"{TITLE_OF[name]}, {SETTINGS[name].unit:g}",
            "after": f"{part.batches.iloc[0]} of {SETTINGS[name].batches} batches",
            "method": NAME_OF[str(method)],
            "live": float(part.live.mean()),
            "stored, same seeds": float(part.stored.mean()),
            "printed, all batches": float("nan") if method == "random" else evidence.printed(name, str(method)),
        }


_AGAIN = Again(SAME)
same, say_live = _AGAIN.same, _AGAIN.say


live = table(live_rows, digits=3)
