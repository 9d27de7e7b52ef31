"""The table of stopping with a fitted model, and the remedy that the protocol chooses from it.

``python -m companion.papers.across.experiments fitted_stopping`` makes it, in an hour on one core; what it is for was fixed in
:mod:`.fitted_stopping_protocol`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from companion.judge.intervals import Interval, proportion_interval
from companion.papers.across.experiments import fitted_stopping_play as played
from companion.papers.across.problems.common import DELTA, stored_set
from companion.simulate.task_store import Task
from companion.stored.blocks import Block, Run, RunTable, by_key
from companion.stored.runs import PaperRuns

SEEDS = tuple(range(20))
CELL, BOTH = ("dim", "noise"), "both"
#: Verdicts on a promise.
KEEPS, BREAKS, OPEN = "shown to keep", "shown to break", "not told"


def blocks(plan: None = None) -> list[Block]:
    """All blocks, seed by seed; noise 0 stands for draws of the mixture's prior, which have their own."""
    cells = [{"dim": dim, "noise": noise} for dim, noise in product(played.PLACES, (*played.NOISES, 0.0))]
    tasks = [Task("across/fitted_stopping", "gp-ucb", cell, seed) for seed in SEEDS for cell in cells]
    return [Block("fitted_stopping", tasks)]


def compute(task: Task) -> dict[str, Any]:
    """Of the runs of a block: by rule and epsilon when each stopped, -1 where it did not, and whether its point lost too much."""
    found = list(played.block(**task.parameters, seed=task.seed))
    rows = [
        {
            "rule": rule.name,
            "epsilon": epsilon,
            "when": [watch.when[rule, epsilon] for _, watch in found],
            "broken": [int(watch.broken.get((rule, epsilon), False)) for _, watch in found],
        }
        for rule, epsilon in product(played.RULES, played.EPSILONS)
        if (rule, epsilon) in found[0][1].when
    ]
    return {"seed": task.seed, "truth": [name for name, _ in found], "rules": rows}


def together(runs: Sequence[Run]) -> Iterator[dict[str, Any]]:
    """All blocks of a cell, by kernel of f and of both: counts and evaluations, of even seeds too; no infinite median."""
    for cell, found in by_key(runs, CELL):
        truth = np.array([name for each in found for name in each["truth"]])
        even = np.array([each["seed"] % 2 == 0 for each in found for _ in each["truth"]])
        for place, first in enumerate(found[0]["rules"]):
            when, broken = (
                np.concatenate([each["rules"][place][part] for each in found]) for part in ("when", "broken")
            )
            spent = np.where(when < 0, played.PLACES[cell["dim"]][2], when)
            for name in dict.fromkeys([*truth.tolist(), *([BOTH] if cell["noise"] else [])]):
                part = (truth == name) | (name == BOTH)
                often = np.sort(np.where(when < 0, np.inf, when)[part])
                median = float(often[(len(often) + 1) // 2 - 1])
                yield {
                    **cell,
                    "truth": name,
                    "rule": first["rule"],
                    "epsilon": first["epsilon"],
                    "runs": int(part.sum()),
                    "stopped": int((when >= 0)[part].sum()),
                    "broken": int(broken[part].sum()),
                    "median": median if np.isfinite(median) else None,
                    "mean": float(spent[part].mean()),
                    "even_runs": int((part & even).sum()),
                    "even_broken": int(broken[part & even].sum()),
                    "even_mean": float(spent[part & even].mean()),
                }


TABLES = {"fitted_stopping": RunTable((*CELL, "truth", "rule", "epsilon"), whole=together, digits=6)}
STORED = stored_set("fitted_stopping", module=__name__)
RUNS = PaperRuns(
    stored=STORED,
    blocks=blocks,
    compute=compute,
    tables=TABLES,
    seeds=lambda plan: SEEDS,
    settings=lambda plan: {"delta": DELTA, "runs": played.RUNS, "draws": played.DRAWS},
)
store, load = RUNS.store, STORED.load


# -- the analysis ------------------------------------------------------------------------------------------------------


def verdict(broken: Interval) -> str:
    """Of a promise."""
    return BREAKS if broken.low > DELTA else KEEPS if broken.high <= DELTA else OPEN


def even_share(rows: Any) -> float:
    """Broken promises of the even seeds."""
    return float(rows.even_broken / rows.even_runs)


def odd_share(rows: Any) -> float:
    """Of the odd ones."""
    return float((rows.broken - rows.even_broken) / (rows.runs - rows.even_runs))


def price(table: pd.DataFrame, mean: str = "mean") -> pd.Series:
    """Of every rule but the known model's, the cheapest first."""
    own = table[(table.truth == BOTH) & ~table["rule"].str.startswith("known")]
    horizons = own.dim.map({dim: place[2] for dim, place in played.PLACES.items()})
    return (own[mean] / horizons).groupby(own["rule"]).mean().sort_values(kind="stable")


def calibrated(table: pd.DataFrame) -> pd.Series:
    """Price of the rules that break at most delta of the even seeds' runs in every cell, the cheapest first."""
    own = table[table.truth == BOTH]
    most = (own.even_broken / own.even_runs).groupby(own["rule"]).max()
    found = price(table, "even_mean")
    return found[most[found.index] <= DELTA]


def tested(table: pd.DataFrame, rule: str, names: tuple[str, ...]) -> list[Interval]:
    """Broken promises of the odd seeds, of the rows that agree in these columns together."""
    own = table[(table.truth == BOTH) & (table["rule"] == rule)]
    sums = own.groupby(list(names))[["runs", "broken", "even_runs", "even_broken"]].sum()
    counts = zip(sums.broken - sums.even_broken, sums.runs - sums.even_runs, strict=True)
    return [proportion_interval(int(bad), int(many)) for bad, many in counts]


def passes(table: pd.DataFrame, rule: str) -> bool:
    """Whether the odd seeds show that a rule keeps its promise, as the protocol has it."""
    cells, pooled = (tested(table, rule, names) for names in ((*CELL, "epsilon"), ("dim", "epsilon")))
    return all(verdict(each) != BREAKS for each in cells) and all(verdict(each) == KEEPS for each in pooled)


def remedy(table: pd.DataFrame) -> str | None:
    """The answer: the cheapest calibrated rule that passes; nothing where none does."""
    return next((rule for rule in calibrated(table).index if passes(table, rule)), None)
