"""``companion sweep``: the runs of a plan, or those that a paper stores, by any number of processes on one folder."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from companion import registry
from companion.cli.arguments import HERE, Cluster, text
from companion.cli.show import TEXT, Output, data_line, say, say_json, table, worker_count
from companion.core.errors import ParameterError, ResultError, nearest
from companion.core.files import checkout, results_folder

if TYPE_CHECKING:
    from companion.simulate.experiment import Experiment
    from companion.simulate.plan import Plan
    from companion.simulate.replicate import Workers
    from companion.simulate.sweep import Failure, Progress, Shard
    from companion.simulate.task_store import RunSummary, Task

#: How far the runs are, and what failed.
State: TypeAlias = "tuple[list[Progress], list[Failure]]"

ACTIONS = ("run", "status", "merge")
SHOWN = 5


def execute(
    words: Annotated[
        list[str],
        text(
            "PLAN", "TOML file, or a paper for the runs it stores; and run, status or merge (default: run)", name="PLAN"
        ),
    ],
    /,
    *,
    out: Annotated[
        str | None, text("FOLDER", "where the results of a TOML file are kept (default: PLAN without .toml)")
    ] = None,
    shard: Annotated[str | None, text("i/n", "only part i of n, from 1/n to n/n")] = None,
    cluster: Cluster = HERE,
    output: Output = TEXT,
) -> int:
    """Run a plan of experiments, methods, settings and seeds, alone or shared by many processes.

    A plan of 100 runs; companion list says the names:

        seeds = "0-99"
        [[runs]]
        experiment = "batched/appendix-e"
        methods = ["bpe"]
        settings = {horizon = 200}

    Example: companion sweep plan.toml --shard 1/4
    """
    from companion.simulate.cluster import check_scheduler
    from companion.simulate.plan import read_plan
    from companion.simulate.replicate import workers
    from companion.simulate.sweep import Shard, progress, run_sweep

    word, action = _words(words)
    part = Shard() if shard is None else Shard.parse(shard)
    if action == "merge" and shard is not None:
        raise ParameterError("--shard", "is given", remedy="All shards are merged at once.")
    paper = _paper(word)
    if paper is not None:
        if out is not None:
            raise ParameterError("--out", "is given with a paper", "none: its runs are kept in data/results")
        return _of_paper(paper, action, part, cluster, output)
    path = Path(word)
    plan = read_plan(path, _experiment)
    folder = Path(out) if out else path.with_suffix("")
    if folder.exists() and not folder.is_dir():
        raise ParameterError("--out", f"{folder} is a file", "a folder")
    if action == "merge":
        return _merge(plan, folder, output)
    if action == "status":
        return _status(progress(plan, folder, part), folder, part, output.json, plan)
    how = workers(worker_count(cluster.jobs), cluster.backend, cluster.scheduler)
    check_scheduler(how.scheduler)
    _check_memory([task for task in plan.tasks if part.holds(task)], folder, how)
    done = run_sweep(plan, folder, part, how.jobs, how.backend, how.scheduler)
    return _done([done], progress(plan, folder, part), folder, part, output.json, plan)


def _check_memory(tasks: Sequence[Task], folder: Path, how: Workers) -> None:
    """Refuse what needs more memory than is free, but for runs that are finished already."""
    from companion.simulate.sweep import TASKS, is_done

    try:
        registry.check_memory(tasks, how)
    except ParameterError:
        registry.check_memory([task for task in tasks if not is_done(task, folder / TASKS)], how)


def _done(
    found: Sequence[RunSummary], state: State, folder: Path, shard: Shard, as_document: bool, plan: Plan | None = None
) -> int:
    """Runs computed now, and failures."""
    from companion.simulate.sweep import as_json

    names = ("tasks", "computed", "reused", "damaged", "failed")
    total = {name: sum(getattr(summary, name) for summary in found) for name in names}
    cells, failures = state
    if as_document:
        counts = {"runs": total["tasks"], **{name: total[name] for name in names[1:-1]}}
        say_json({"folder": str(folder), "shard": str(shard), **counts, **as_json(cells, failures)})
    else:
        part = "" if shard.of == 1 else f", shard {shard}"
        say(f"{folder}{part}: {total['tasks']} runs, {total['computed']} computed now, {total['reused']} already there")
        _print_data(plan)
        if total["failed"]:
            _print_failures(failures)
    return 1 if total["failed"] else 0


def _of_paper(paper: str, action: str, shard: Shard, cluster: Cluster, output: Output) -> int:
    """The runs behind a paper's stored tables; they lie in the repository."""
    from companion.simulate.cluster import check_scheduler
    from companion.simulate.replicate import workers
    from companion.simulate.sweep import FAILURES, TASKS, progress_of
    from companion.stored.runs import compute_runs, store  # needs pandas, which plans do without

    root, sets = checkout(), registry.every_set_of_runs(paper)
    folder = results_folder(paper, root) / TASKS
    tasks = [task for runs in sets for _, task in runs.items]

    def state() -> State:
        return progress_of(tasks, folder, folder / FAILURES, shard)

    if action == "status":
        return _status(state(), folder, shard, output.json)
    if action == "merge":
        lacking = sum(cell.missing + cell.failed for cell in state()[0])
        if lacking:
            problem = f"{lacking} of {len(tasks)} runs are not there yet, so nothing is merged"
            raise ResultError(f"{problem}; 'companion sweep {paper} status' says which")
        for runs in sets:
            store(runs, root)
        files = [str(folder.parent / f"{name}.csv") for runs in sets for name in runs.tables]
        return _merged(files, str(folder.parent / f"{sets[0].name}.record.json"), len(tasks), output)
    how = workers(worker_count(cluster.jobs), cluster.backend, cluster.scheduler)
    check_scheduler(how.scheduler)
    done = [compute_runs(runs, root, how.jobs, shard, how.backend, how.scheduler) for runs in sets]
    return _done(done, state(), folder, shard, output.json)


def _paper(word: str) -> str | None:
    """The paper that is called so; ``None`` for the name of a file."""
    if word.endswith(".toml") or Path(word).is_file():
        return None
    try:
        return registry.slug_of(word)
    except ParameterError:
        return None


def _experiment(paper: str, name: str) -> Experiment[Any]:
    return registry.experiment(registry.slug_of(paper), name)


def _words(words: list[str]) -> tuple[str, str]:
    """The plan's file and what to do, in either order."""
    actions = [word for word in words if word in ACTIONS]
    plans = [word for word in words if word not in ACTIONS]
    if len(plans) > 1 and len(actions) == 0:
        raise ParameterError(
            plans[1], "is nothing that 'companion sweep' does", ", ".join(ACTIONS), nearest(plans[1], ACTIONS)
        )
    if len(plans) != 1 or len(actions) > 1:
        raise ParameterError(
            "PLAN", f"got {' '.join(words)!r}", "PLAN.toml or a paper, and one of run, status and merge after it"
        )
    return plans[0], (actions or ["run"])[0]


def _status(state: State, folder: Path, shard: Shard, as_document: bool, plan: Plan | None = None) -> int:
    from companion.simulate.sweep import as_json

    cells, failures = state
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


def _print_data(plan: Plan | None) -> None:
    """A line for each set of data that the runs are about, as found on this machine."""
    if plan is None:
        return
    first = {task.data: task for task in plan.tasks if task.data}
    for task in first.values():
        used = plan.experiments[task.experiment].data_used(task.values)
        if used is not None:
            say(data_line(used))


def _print_failures(failures: list[Failure]) -> None:
    for failure in failures[:SHOWN]:
        say(f"failed: {failure.task}: {failure.error} ({failure.where})")
    if len(failures) > SHOWN:
        say(f"and {len(failures) - SHOWN} more; see --json")
    say("The next call tries them again.")


def _merge(plan: Plan, folder: Path, output: Output) -> int:
    from companion.stored.tables import EVALUATIONS, TRIALS, merge

    record = merge(plan, folder, shlex.join(["companion", *output.given]))
    files = [str(folder / f"{name}.csv") for name in (EVALUATIONS, TRIALS)]
    return _merged(files, str(record), len(plan.tasks), output)


def _merged(files: list[str], record: str, runs: int, output: Output) -> int:
    content = {"tables": files, "record": record, "runs": runs}
    return output.give(content, lambda: f"{' and '.join(files)}: {runs} runs; record {record}")
