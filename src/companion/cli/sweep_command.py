"""``companion sweep``: the runs of a plan, by any number of processes on one folder."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from companion import papers
from companion.cli.show import data_line, say, say_json, table, worker_count
from companion.errors import ParameterError, nearest
from companion.simulate.cluster import check_scheduler
from companion.simulate.experiment import Experiment
from companion.simulate.plan import Plan, read_plan
from companion.simulate.replicate import workers
from companion.simulate.sweep import Failure, Shard, as_json, progress, run_sweep

ACTIONS = ("run", "status", "merge")
SHOWN = 5


def execute(options: argparse.Namespace) -> int:
    """Run, say how far it is, or write the tables."""
    path, action = _words(options.words)
    plan = read_plan(path, _experiment)
    folder = Path(options.out) if options.out else path.with_suffix("")
    if folder.exists() and not folder.is_dir():
        raise ParameterError("--out", f"{folder} is a file", "a folder")
    shard = Shard() if options.shard is None else Shard.parse(options.shard)
    if action == "merge":
        if options.shard is not None:
            raise ParameterError("--shard", "is given", remedy="All shards are merged at once.")
        return _merge(plan, folder, options)
    if action == "status":
        return _status(plan, folder, shard, options.json)
    how = workers(worker_count(options.jobs), options.backend, options.scheduler)
    check_scheduler(how.scheduler)
    done = run_sweep(plan, folder, shard, how.jobs, how.backend, how.scheduler)
    if options.json:
        cells, failures = progress(plan, folder, shard)
        counts = {"runs": done.tasks, "computed": done.computed, "reused": done.reused, "damaged": done.damaged}
        say_json({"folder": str(folder), "shard": str(shard), **counts, **as_json(cells, failures)})
    else:
        part = "" if shard.of == 1 else f", shard {shard}"
        say(f"{folder}{part}: {done.tasks} runs, {done.computed} computed now, {done.reused} already there")
        _print_data(plan)
        if done.failed:
            _print_failures(progress(plan, folder, shard)[1])
    return 1 if done.failed else 0


def _experiment(paper: str, name: str) -> Experiment:
    return papers.experiment(papers.slug_of(paper), name)


def _words(words: list[str]) -> tuple[Path, str]:
    """The plan's file and what to do, in either order."""
    actions = [word for word in words if word in ACTIONS]
    plans = [word for word in words if word not in ACTIONS]
    if len(plans) > 1 and len(actions) == 0:
        raise ParameterError(
            plans[1], "is nothing that 'companion sweep' does", ", ".join(ACTIONS), nearest(plans[1], ACTIONS)
        )
    if len(plans) != 1 or len(actions) > 1:
        raise ParameterError("PLAN", f"got {' '.join(words)!r}", "PLAN.toml, and one of run, status and merge after it")
    return Path(plans[0]), (actions or ["run"])[0]


def _status(plan: Plan, folder: Path, shard: Shard, as_document: bool) -> int:
    cells, failures = progress(plan, folder, shard)
    if as_document:
        say_json({"folder": str(folder), "shard": str(shard), **as_json(cells, failures)})
        return 0
    rows = [(cell.experiment, cell.method, cell.done, cell.missing, cell.failed) for cell in cells]
    done, missing, failed = (sum(getattr(cell, name) for cell in cells) for name in ("done", "missing", "failed"))
    say(table(("experiment", "method", "done", "missing", "failed"), [*rows, ("all", "", done, missing, failed)]))
    _print_data(plan)
    if failures:
        say()
        _print_failures(failures)
    return 0


def _print_data(plan: Plan) -> None:
    """A line for each set of data that the runs are about, as found on this machine."""
    first = {task.data: task for task in plan.tasks if task.data}
    for task in first.values():
        used = plan.experiments[task.experiment].data_used(task.parameters)
        if used is not None:
            say(data_line(used))


def _print_failures(failures: list[Failure]) -> None:
    for failure in failures[:SHOWN]:
        say(f"failed: {failure.task}: {failure.error} ({failure.where})")
    if len(failures) > SHOWN:
        say(f"and {len(failures) - SHOWN} more; see --json")
    say("The next call tries them again.")


def _merge(plan: Plan, folder: Path, options: argparse.Namespace) -> int:
    from companion.reproduce.tables import EVALUATIONS, TRIALS, merge

    record = merge(plan, folder, shlex.join(["companion", *options.given]))
    files = [str(folder / f"{name}.csv") for name in (EVALUATIONS, TRIALS)]
    if options.json:
        say_json({"tables": files, "record": str(record), "runs": len(plan.tasks)})
    else:
        say(f"{' and '.join(files)}: {len(plan.tasks)} runs; record {record}")
    return 0
