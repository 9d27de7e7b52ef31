"""``companion trial``: one seeded run, or many as a table."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from companion import registry
from companion.cli.arguments import AnExperiment, APaper, JobsOfOne, Methods, Settings, switch, text, value
from companion.cli.show import TEXT, Output, data_line, number, say, say_json, table
from companion.core.errors import ParameterError
from companion.core.files import finite

if TYPE_CHECKING:
    from companion.simulate.experiment import Experiment
    from companion.simulate.loop import Trajectory
    from companion.simulate.plan import Plan
    from companion.simulate.replicate import Workers
    from companion.simulate.task_store import Task


def execute(
    paper: APaper,
    experiment: AnExperiment,
    method: Methods,
    /,
    *,
    seed: Annotated[int | None, value("S", "one run: non-negative integer", low=0, high=2**63 - 1)] = None,
    seeds: Annotated[str | None, text("RANGE", "many runs: 0-99, or 0-4,10")] = None,
    settings: Settings = None,
    out: Annotated[str | None, text("FILE", "write one row an evaluation: .csv or .parquet, and its record")] = None,
    force: Annotated[bool, switch("replace a file that holds something else")] = False,
    jobs: JobsOfOne = None,
    device: Annotated[
        str | None, text("cpu|cuda", "all seeds of a method at once, on this device (default: one by one)")
    ] = None,
    output: Output = TEXT,
) -> int:
    """Run one seeded trial and print its trajectory, or many and write them as a table.

    Example: companion trial batched appendix-e bpe --seeds 0-9 --set horizon=100 --out runs.csv
    """
    from companion.simulate.plan import Plan, RunRequest, parse_seeds

    chosen = registry.experiment(registry.slug_of(paper), experiment)
    if (seed is None) == (seeds is None):
        problem = "not given" if seed is None else "is given beside --seeds"
        raise ParameterError("--seed", problem, "one of --seed S and --seeds 0-9")
    methods = tuple(name for words in method for name in words.split(","))
    values = chosen.parameters.parse(settings or ())
    if device is not None and seeds is None:
        raise ParameterError("--device", "is for many seeds at once", "--seeds 0-99 beside it")
    if seed is not None and out is None and len(methods) == 1:
        return _one(chosen, methods[0], seed, values, output)
    several = parse_seeds(seeds) if seed is None else (seed,)  # type: ignore[arg-type]
    plan = Plan.of([RunRequest(chosen, methods, several, (values,))])
    return _many(plan, None if out is None else Path(out), force, jobs, device, output)


def _one(experiment: Experiment[Any], method: str, seed: int, values: Mapping[str, Any], output: Output) -> int:
    from companion.simulate.replicate import single_threaded

    experiment.check_method(method)
    parameters = experiment.parameters.typed(values)
    registry.check_memory(experiment.tasks((method,), (seed,), parameters))
    with single_threaded():
        trajectory = experiment.run(method, seed, parameters)
    return output.give(trajectory.to_json(), lambda: _text(trajectory))


def _many(plan: Plan, path: Path | None, force: bool, jobs: int | None, device: str | None, output: Output) -> int:
    from companion.simulate.replicate import workers
    from companion.stored import tables

    how = workers(jobs)
    if path is not None:
        tables.check_target(path, plan, force)
    registry.check_memory(plan.tasks, how if device is None else None)
    if device is not None:
        from companion.simulate.tensors import device_named  # needs torch, which runs one by one do without

        device_named(device)
    began = time.monotonic()
    if device is None:
        results, settings = _one_by_one(plan.tasks, plan, how), {}
    else:
        results, ways = _at_once(plan, device, how)
        settings = {"together": ways}
        output.say("".join(f"{way}\n" for way in ways))
    if path is not None:
        command = shlex.join(["companion", *output.given])
        rows = tables.evaluation_columns(plan, results)
        record = tables.write_table(path, rows, tables.record_of(plan, command, time.monotonic() - began, **settings))
    if output.json:
        say_json(results)
        return 0
    _print_ends(plan, results)
    if path is not None:
        say(f"\n{path}: {len(plan.tasks)} runs, {len(rows['seed'])} rows; record {record}")
    return 0


def _one_by_one(tasks: Sequence[Task], plan: Plan, how: Workers) -> list[dict[str, Any]]:
    from companion.simulate.replicate import parallel_map
    from companion.simulate.sweep import run_trial

    work = partial(run_trial, experiments=plan.experiments)
    return parallel_map(work, tasks, [task.label for task in tasks], how, "runs")


def _at_once(plan: Plan, device: str, how: Workers) -> tuple[list[dict[str, Any]], list[str]]:
    """The runs in the order of the plan, all seeds of a method at once where that is possible, and which were."""
    from companion.simulate.vectorised import run_vectorised

    (experiment,) = plan.experiments.values()
    declared = registry.get(experiment.paper).together
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
            runs = run_vectorised(declared.value, experiment, method, seeds, parameters, device)
            alone = sum("together" not in run.meta for run in runs)
            again = f"; {alone} of them then alone, where a choice could rest on rounding" if alone else ""
            ways.append(f"{method}: {len(tasks)} seeds at once on {device}{again}")
            results = [finite(run.to_json()) for run in runs]
        found |= {task.key(): result for task, result in zip(tasks, results, strict=True)}
    return [found[task.key()] for task in plan.tasks], ways


def _print_ends(plan: Plan, results: Sequence[Mapping[str, Any]]) -> None:
    """One line a run: what it came to."""
    from companion.problems.datasets import DataUsed

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
    from companion.problems.datasets import DataUsed

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
