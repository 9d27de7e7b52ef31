"""A few runs of Figures 2 and 3 made now: equal to the beginnings of the stored runs with the same seeds."""

from __future__ import annotations

import numpy as np
import pandas as pd

from companion.pages import Rows, frame, recorded, table
from companion.pages.reruns import Again, rerun_tasks
from companion.papers.wdrbo.experiments import store
from companion.papers.wdrbo.experiments.definitions import experiment
from companion.papers.wdrbo.experiments.printed import TITLE_OF, WDRBOResults, label
from companion.stored.results import unjoined

#: Problems that run in seconds.
PROBLEMS = ("newsvendor", "camel")
#: Methods that do.
METHODS = ("wdrbo", "wdrbo-exact", "erbo", "gp-ucb", "stableopt")
#: Largest relative difference from a stored cumulative regret, which holds five digits.
SAME = 1e-4


@recorded(first=0, count="runs")
@frame
def rerun_live(evidence: WDRBOResults, runs: int, rounds: int) -> Rows:
    """Run the methods on the first seeds of two problems, for at most ``rounds`` rounds.

    Returns
    -------
    problem, method, seed, rounds after which both are compared (a stored mark; none if the first lies later), live and
    stored cumulative regret. A run is the beginning of the longer one with the same seed.
    """
    problems = [name for name in PROBLEMS if name in evidence.problems]
    tasks, marks = [], {}
    for problem in problems:
        curve = evidence.curve("instantaneous", problem, METHODS[0])
        assert curve is not None  # WDRBO was run on every problem listed
        marks[problem] = store.marks(len(curve.mean))
        for method in METHODS:
            tasks += experiment(problem).tasks([method], range(runs), {"horizon": min(rounds, len(curve.mean))})
    for task, result in rerun_tasks(tasks, store.compute):
        problem = task.experiment.removeprefix("wdrbo/")
        total = np.cumsum(result["regret"])
        reached = marks[problem][marks[problem] <= len(total)]
        at = int(reached[-1]) if len(reached) else len(total)
        yield {
            "problem": problem,
            "method": task.method,
            "seed": task.seed,
            "rounds": at,
            "live": float(total[at - 1]),
            "stored": _stored(evidence, problem, task.method, task.seed, len(reached)),
        }


def _stored(evidence: WDRBOResults, problem: str, method: str, seed: int, reached: int) -> float:
    if not (reached and evidence.has(problem, method)):
        return float("nan")
    part = evidence.of(problem, method)
    return float(unjoined(str(part.cumulative[seed]))[reached - 1]) if seed in part.index else float("nan")


@frame
def live_rows(live: pd.DataFrame) -> Rows:
    """One row a problem and method: the live mean and that of the stored runs with the same seeds."""
    for (problem, method), part in live.groupby(["problem", "method"], sort=False):
        yield {
            "problem": TITLE_OF[str(problem)],
            "after": f"{(rounds := int(part['rounds'].iloc[0]))} round{'s' * (rounds > 1)}",
            "method": label(str(method)),
            "live": float(part.live.mean()),
            "stored, same seeds": float(part.stored.mean()),
        }


_AGAIN = Again(SAME)
same, say_live = _AGAIN.same, _AGAIN.say


live = table(live_rows, digits=3)
