"""``companion trial``: one seeded run."""

from __future__ import annotations

import argparse

from companion import papers
from companion.cli.show import data_line, say, say_json, table
from companion.problems.datasets import DataUsed
from companion.profiles import Parameter
from companion.simulate.loop import Trajectory
from companion.simulate.replicate import single_threaded

SEED = Parameter("seed", "int", 0, "seed of the trial", "ours", low=0, high=2**63 - 1)


def execute(options: argparse.Namespace) -> int:
    """Check everything, run, print."""
    experiment = papers.experiment(options.paper, options.experiment)
    seed = SEED.parse(options.seed)
    values = experiment.parameters.parse(options.set)
    assert isinstance(seed, int)
    with single_threaded():
        trajectory = experiment.run(options.method, seed, values)
    if options.json:
        say_json(trajectory.to_json())
    else:
        _print(trajectory)
    return 0


def _print(run: Trajectory) -> None:
    meta = run.meta
    say(f"{meta['paper']} {meta['experiment']} {meta['method']}, seed {meta['seed']}")
    say(", ".join(f"{name}={value}" for name, value in meta["parameters"].items()))
    if "data_used" in meta:
        say(data_line(DataUsed(**meta["data_used"])))
    say()
    header = ("round", "batch", "instantaneous", "cumulative", "simple", "model order")
    columns = zip(
        run.batch, run.instantaneous_regret, run.cumulative_regret, run.simple_regret, run.model_order, strict=True
    )
    rows = [
        (t, batch, f"{regret:.6g}", f"{total:.6g}", f"{best:.6g}", order)
        for t, (batch, regret, total, best, order) in enumerate(columns, start=1)
    ]
    say(table(header, rows, numeric=True))
    say()
    say(f"regret of the recommended point {run.recommended_regret:.6g}, {run.seconds:.3g} s in the policy")
