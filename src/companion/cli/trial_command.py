"""``companion trial``: one seeded run, or many as a table."""

from __future__ import annotations

import argparse
import shlex
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from companion import papers
from companion.cli.show import data_line, give, number, say, say_json, table, worker_count
from companion.core.errors import ParameterError
from companion.core.files import finite
from companion.core.profiles import Parameter
from companion.problems.datasets import DataUsed
from companion.simulate.experiment import Experiment
from companion.simulate.loop import Trajectory
from companion.simulate.plan import Asked, Plan, parse_seeds
from companion.simulate.replicate import Workers, parallel_map, single_threaded, workers
from companion.simulate.store import Task
from companion.simulate.sweep import run_trial

SEED = Parameter("seed", "int", 0, "seed of the trial", "ours", low=0, high=2**63 - 1)


def execute(options: argparse.Namespace) -> int:
    """Check everything, run, print."""
    experiment = papers.experiment(papers.slug_of(options.paper), options.experiment)
    if (options.seed is None) == (options.seeds is None):
        problem = "not given" if options.seed is None else "is given beside --seeds"
        raise ParameterError("--seed", problem, "one of --seed S and --seeds 0-9")
    methods = tuple(name for text in options.method for name in text.split(","))
    values = experiment.parameters.parse(options.set)
    if options.device is not None and options.seeds is None:
        raise ParameterError("--device", "is for many seeds at once", "--seeds 0-99 beside it")
    if options.seeds is None and options.out is None and len(methods) == 1:
        return _one(experiment, methods[0], options, values)
    seeds = (SEED.parse(options.seed),) if options.seeds is None else parse_seeds(options.seeds)
    return _many(Plan.of([Asked(experiment, methods, seeds, (values,))]), options)  # type: ignore[arg-type]


def _one(experiment: Experiment[Any], method: str, options: argparse.Namespace, values: Mapping[str, Any]) -> int:
    seed = SEED.parse(options.seed)
    assert isinstance(seed, int)
    experiment.check_method(method)
    parameters = experiment.parameters.typed(values)
    papers.check_memory(experiment.tasks((method,), (seed,), parameters))
    with single_threaded():
        trajectory = experiment.run(method, seed, parameters)
    return give(options, trajectory.to_json(), lambda: _text(trajectory))


def _many(plan: Plan, options: argparse.Namespace) -> int:
    from companion.reproduce import tables  # which one run does without

    how = workers(None if options.jobs is None else worker_count(options.jobs))
    path = None if options.out is None else Path(options.out)
    if path is not None:
        tables.check_target(path, plan, options.force)
    papers.check_memory(plan.tasks, how if options.device is None else None)
    if options.device is not None:
        from companion.simulate.tensors import device_named  # needs torch, which runs one by one do without

        device_named(options.device)
    began = time.monotonic()
    if options.device is None:
        results, settings = _one_by_one(plan.tasks, plan, how), {}
    else:
        results, ways = _at_once(plan, options.device, how)
        settings = {"together": ways}
        if not options.json:
            say("".join(f"{way}\n" for way in ways))
    if path is not None:
        command = shlex.join(["companion", *options.given])
        rows = tables.evaluation_columns(plan, results)
        record = tables.write_table(path, rows, tables.record_of(plan, command, time.monotonic() - began, **settings))
    if options.json:
        say_json(results)
        return 0
    _print_ends(plan, results)
    if path is not None:
        say(f"\n{path}: {len(plan.tasks)} runs, {len(rows['seed'])} rows; record {record}")
    return 0


def _one_by_one(tasks: Sequence[Task], plan: Plan, how: Workers) -> list[dict[str, Any]]:
    work = partial(run_trial, experiments=plan.experiments)
    return parallel_map(work, tasks, [task.label for task in tasks], how, "runs")


def _at_once(plan: Plan, device: str, how: Workers) -> tuple[list[dict[str, Any]], list[str]]:
    """The runs in the order of the plan, all seeds of a method at once where that is possible, and which were."""
    from companion.simulate.together import run_together

    (experiment,) = plan.experiments.values()
    declared = papers.of(experiment.paper).together
    found: dict[str, dict[str, Any]] = {}
    ways = []
    for method in dict.fromkeys(task.method for task in plan.tasks):
        tasks = [task for task in plan.tasks if task.method == method]
        parameters = tasks[0].values
        reason = "because the rules of this chapter take one seed at a time"
        if declared is not None:
            reason = declared.value.reason(experiment.name, method, parameters)
        if reason:
            ways.append(f"{method}: {len(tasks)} seeds one by one on the processor, {reason}")
            results = _one_by_one(tasks, plan, how)
        else:
            assert declared is not None
            seeds = [task.seed for task in tasks]
            runs = run_together(declared.value, experiment, method, seeds, parameters, device)
            alone = sum("together" not in run.meta for run in runs)
            again = f"; {alone} of them then alone, where a choice could rest on rounding" if alone else ""
            ways.append(f"{method}: {len(tasks)} seeds at once on {device}{again}")
            results = [finite(run.to_json()) for run in runs]
        found |= {task.key(): result for task, result in zip(tasks, results, strict=True)}
    return [found[task.key()] for task in plan.tasks], ways


def _print_ends(plan: Plan, results: Sequence[Mapping[str, Any]]) -> None:
    """One line a run: what it came to."""
    if used := results[0]["meta"].get("data_used"):
        say(data_line(DataUsed(**used)))
    header = ("method", "seed", "evaluations", "cumulative", "simple", "recommended")
    rows = [
        (
            task.method,
            task.seed,
            len(run["batch"]),
            number(run["cumulative_regret"][-1]),
            number(run["simple_regret"][-1]),
            number(run["recommended_regret"]),
        )
        for task, run in zip(plan.tasks, results, strict=True)
    ]
    say(table(header, rows, numeric=True))


def _text(run: Trajectory) -> str:
    meta = run.meta
    lines = [f"{meta['paper']} {meta['experiment']} {meta['method']}, seed {meta['seed']}"]
    lines.append(", ".join(f"{name}={value}" for name, value in meta["parameters"].items()))
    lines += [data_line(DataUsed(**meta["data_used"]))] if "data_used" in meta else []
    header = ("round", "batch", "instantaneous", "cumulative", "simple", "model order")
    columns = zip(
        run.batch, run.instantaneous_regret, run.cumulative_regret, run.simple_regret, run.model_order, strict=True
    )
    rows = [
        (t, batch, f"{regret:.6g}", f"{total:.6g}", f"{best:.6g}", order)
        for t, (batch, regret, total, best, order) in enumerate(columns, start=1)
    ]
    lines += ["", table(header, rows, numeric=True), "", f"time spent in the policy: {run.seconds:.3g} s"]
    return "\n".join([*lines, f"regret of the recommended point, in units of f: {run.recommended_regret:.6g}"])
