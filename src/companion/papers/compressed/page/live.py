"""A few stored runs made now: all methods on the example function, and one run at the longest horizon."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from companion.pages import Rows, frame, recorded, table
from companion.pages.reruns import Again
from companion.papers.compressed.experiments.definitions import average_regret, experiment
from companion.papers.compressed.experiments.printed import CompressedResults
from companion.papers.compressed.experiments.runs import ZERO, variants
from companion.papers.compressed.method.policy import ACQUISITIONS
from companion.papers.compressed.page.tradeoff import longest

PROBLEM = "example-function"
LONG = "u = 1/√T, longest horizon"
#: Largest relative difference from a stored number, which has nine digits.
SAME = 1e-7


@recorded(first=0, count="live_runs")
@frame
def rerun_live(evidence: CompressedResults, live_runs: int, overrides: Mapping[str, Any] | None = None) -> Rows:
    """Run everything behind Figure 1 on the first seeds, and UCB with the horizon's budget once over the longest horizon.

    Parameters
    ----------
    live_runs : seeds
    overrides : parameters of the stored runs that are not the defaults, for small stores

    Returns
    -------
    method, variant, seed, live and stored average regret, live and stored model order
    """
    known, results, own = experiment(PROBLEM), evidence, dict(overrides or {})
    for acquisition in ACQUISITIONS:
        for label, method, more in variants(acquisition):
            if label == ZERO or label.endswith("own"):
                continue
            for seed in range(live_runs):
                run = known.run(method, seed, {**own, **more})
                kept = results.of(PROBLEM, method, variant=label)
                row = {"method": method, "variant": label, "seed": seed, "live": float(average_regret(run)[-1])}
                row["order"] = int(run.model_order[-1])
                row["stored"] = float(kept.average_regret.get(seed, np.nan))
                yield {**row, "stored order": float(kept.model_order.get(seed, np.nan))}
    horizon, rule = longest(evidence), "alpha=0.5"
    run = known.run("cgp-ucb", 0, {**own, "reading": "info-horizon", "horizon": horizon})
    row = {"method": "cgp-ucb", "variant": LONG, "seed": 0, "live": float(average_regret(run)[-1])}
    row["order"] = int(run.model_order[-1])
    row["stored"] = float(results.tradeoff(rule, "average_regret").loc[horizon, 0])
    yield {**row, "stored order": float(results.tradeoff(rule, "model_order").loc[horizon, 0])}


@frame
def live_rows(live: pd.DataFrame) -> Rows:
    """One row a method and variant: means of the live runs and of the stored ones of the same seeds."""
    groups = live.groupby(["method", "variant"], sort=False)
    for (method, variant), part in groups:
        yield {
            "method": method,
            "variant": variant,
            "average regret, live": float(part.live.mean()),
            "stored": float(part.stored.mean()),
            "model order, live": float(part.order.mean()),
            "stored ": float(part["stored order"].mean()),
        }


_AGAIN = Again(SAME, (("live", "stored"), ("order", "stored order")))
same, say_live = _AGAIN.same, _AGAIN.say


live = table(live_rows)
