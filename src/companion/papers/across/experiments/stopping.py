"""The tables of stopping rules; ``python -m companion.papers.across.experiments stopping`` makes them, half an hour on one core.

``stopping_blocks.csv`` counts for every setting, rule, epsilon and block of 200 runs; ``stopping.csv`` puts the blocks together.
What they are for was fixed in :mod:`.stopping_protocol`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from companion.judge.intervals import proportion_interval
from companion.papers.across.experiments import stopping_play as played
from companion.papers.across.problems.common import DELTA, stored_set
from companion.policies.stopping_certificate import RULES
from companion.simulate.task_store import Task
from companion.stored.blocks import Block, Result, Run, RunTable, by_key
from companion.stored.runs import PaperRuns

CELL = ("place", "kernel", "kind", "noise", "model", "player")


def blocks(plan: None = None) -> list[Block]:
    """All blocks, seed by seed, so that an interrupted call leaves whole seeds of all settings."""
    listed = [asdict(setting) for setting in played.settings()]
    tasks = [Task("across/stopping", "gp-ucb", setting, seed) for seed in played.SEEDS for setting in listed]
    return [Block("stopping", tasks)]


def compute(task: Task) -> dict[str, Any]:
    """Of a block of runs: by rule and epsilon when each stopped, -1 where it did not, and whether its point lost too much."""
    watch = played.play(played.StoppingSetting(**task.parameters), task.seed)
    return {"rules": [_of(watch, *key) for key in sorted(watch.when)]}


def _of(watch: played.Watch, rule: str, epsilon: float) -> dict[str, Any]:
    when = watch.when[rule, epsilon]
    broken = (when >= 0) & (watch.lost.get((rule, epsilon), np.zeros(len(when))) > epsilon)
    return {"rule": rule, "epsilon": epsilon, "when": when.tolist(), "broken": int(broken.sum())}


def counts(task: Task, result: Result) -> list[dict[str, Any]]:
    """A row for every rule and epsilon; ``evaluations`` are those of the runs that stopped, together."""
    rows = []
    for each in result["rules"]:
        when = np.asarray(each["when"])
        row = {name: task.parameters[name] for name in CELL} | {"rule": each["rule"], "epsilon": each["epsilon"]}
        stopped = when[when >= 0]
        numbers = {"runs": len(when), "stopped": len(stopped), "broken": each["broken"]}
        rows.append(row | numbers | {"evaluations": int(stopped.sum())})
    return rows


def promised(rule: str, kind: str, model: str) -> bool:
    """Whether a theorem makes the promise: a proved rule, whole, judged by the right model of its own assumption."""
    known = RULES.get(rule)
    own = {"prior": "draws", "norm": "norm"}[kind]
    return known is not None and known.assumption == own and model in (played.RIGHT, played.JUDGED_RIGHT)


def together(runs: Sequence[Run]) -> Iterator[dict[str, Any]]:
    """All blocks of a setting: shares with exact intervals of level 95 %, and quantiles, empty where they are infinite."""
    for cell, found in by_key(runs, CELL):
        for place, first in enumerate(found[0]["rules"]):
            same = [result["rules"][place] for result in found]
            when = np.concatenate([np.asarray(each["when"], dtype=float) for each in same])
            broken = proportion_interval(sum(each["broken"] for each in same), len(when))
            often = np.sort(np.where(when < 0, np.inf, when))
            row = {**cell, "rule": first["rule"], "epsilon": first["epsilon"]}
            row |= {"promised": promised(first["rule"], cell["kind"], cell["model"]), "runs": len(when)}
            row |= {
                "stopped": float((when >= 0).mean()),
                "broken": broken.estimate,
                "low": broken.low,
                "high": broken.high,
            }
            for name, share in (("median", 0.5), ("q90", 0.9)):
                value = float(often[int(np.ceil(share * len(often))) - 1])
                row[name] = value if np.isfinite(value) else None
            yield row


TABLES = {
    "stopping_blocks": RunTable((*CELL, "rule", "epsilon", "seed"), counts, digits=17),
    "stopping": RunTable((*CELL, "rule", "epsilon"), whole=together, digits=6),
}
STORED = stored_set("stopping", "stopping_blocks", "stopping", module=__name__)
RUNS = PaperRuns(
    stored=STORED,
    blocks=blocks,
    compute=compute,
    tables=TABLES,
    seeds=lambda plan: played.SEEDS,
    settings=lambda plan: {"delta": DELTA, "runs": played.RUNS, "draws": played.DRAWS},
)
store, load = RUNS.store, STORED.load
