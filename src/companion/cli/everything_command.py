"""``companion everything``: every stored run of every chapter made again and compared, then all that rests on them."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from companion import registry
from companion.cli import settle_command
from companion.cli.arguments import HERE, Cluster, switch, text
from companion.cli.show import TEXT, Output, require_none, say_json, table, worker_count
from companion.core import instruction_set
from companion.core.errors import CompanionError, ParameterError, ResultError
from companion.core.files import checkout

if TYPE_CHECKING:
    from companion.current.everything import Stage
    from companion.simulate.replicate import Workers
    from companion.simulate.sweep import Shard

SHOWN = 5


def execute(
    *names: Annotated[
        str, text("NAME", "some only: papers, as tsrsr, or sets of tables, as tsrsr/factors (default: all)")
    ],
    status: Annotated[
        bool, switch("say what is there, what it costs and how long it takes, and compute nothing")
    ] = False,
    shard: Annotated[str | None, text("i/n", "only part i of n of the runs, from 1/n to n/n, and nothing else")] = None,
    accept: Annotated[bool, switch("store what comes out otherwise")] = False,
    made_with: Annotated[str | None, text("KERNELS", "", show=False)] = None,
    cluster: Cluster = HERE,
    output: Output = TEXT,
) -> int:
    """Make every stored run of all chapters again, and compare with what is stored; then evidence and pages.

    Finished runs are kept: the same command goes on where it stopped, and several machines may share a folder. The exit code
    is 1 where something differs; with --accept it is stored.

    Example: companion everything --status
    """
    # Digits depend on the number of threads, as in settle.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    from companion.current.everything import hours_left, stages
    from companion.simulate.cluster import check_scheduler
    from companion.simulate.replicate import workers
    from companion.simulate.sweep import Shard

    root, part = checkout(), None if shard is None else Shard.parse(shard)
    if accept and (part or status):
        raise ParameterError(
            "--accept", "is given with --shard or --status", remedy="Tables are stored by the call without."
        )
    how = workers(worker_count(cluster.jobs), cluster.backend, cluster.scheduler)
    check_scheduler(how.scheduler)
    chosen = [_spelt(name) for name in names]
    jobs = how.jobs if how.jobs > 0 else os.cpu_count() or 1
    if made_with:
        for stage in stages(root, chosen):
            _compute(stage, stage.by_kernels()[made_with], part, how)
        return 0
    if status:
        return _status(list(stages(root, chosen)), jobs, output)
    compared, faults = [], []
    ahead = {one.name: (one.cost, one.missing / one.count / (part.of if part else 1)) for one in stages(root, chosen)}
    for stage in stages(root, chosen):
        left = hours_left(list(ahead.values()), jobs)
        output.say(f"{stage.name}: {stage.count} runs; about {left:.1f} hours to go on {jobs} workers")
        ahead.pop(stage.name)
        try:
            _runs(stage, part, how, accept)
        except ResultError as error:
            # Runs that are read from tables which only the whole call stores.
            if part is None:
                raise
            output.say(f"  left for the call without --shard: {error}")
            continue
        if part is None or not (stage.record is None or stage.runs.stored.whole):
            compared.append(found := _compared(stage, how, part, accept, output))
            faults += [f"{stage.name} differs"] if found["apart"] and not found["stored"] else []
    if part is None and not chosen:
        output.say("evidence and pages")
        # Of a document for programs there is one: what settle tells people goes beside it.
        with contextlib.redirect_stdout(sys.stderr) if output.json else contextlib.nullcontext():
            differs = settle_command.execute(
                *(["all"] if accept else []), accept=accept, everything=True, jobs=how.jobs
            )
        faults += ["evidence or pages differ"] if differs else []
    if output.json:
        say_json(_state(list(stages(root, chosen)), jobs) | {"compared": compared})
    require_none(faults)
    return 0


def _spelt(name: str) -> str:
    """The name with the paper's slug: ``1/factors`` is ``tsrsr/factors``."""
    paper, slash, own = name.partition("/")
    return f"{registry.slug_of(paper)}{slash}{own}"


def _runs(stage: Stage, part: Shard | None, how: Workers, accept: bool) -> None:
    """Compute what is missing, with the kernels of the stored rows: others than those in use need a process of their own.

    What may be stored is made with those in use, since a record knows of one set only.
    """
    if stage.runs.stored.whole:
        return
    if how.scheduler or accept:
        return _compute(stage, stage.runs, part, how)
    for kernels, runs in stage.by_kernels().items():
        if kernels == instruction_set.in_use():
            _compute(stage, runs, part, how)
            continue
        words = ["everything", stage.name, f"--made-with={kernels}", f"--jobs={how.jobs}", f"--backend={how.backend}"]
        words += [f"--shard={part}"] if part else []
        command = [sys.executable, "-m", "companion", *words]
        if subprocess.run(command, env=os.environ | {instruction_set.CHOICE: kernels}, check=False).returncode:
            raise CompanionError(f"runs of {stage.name} could not be made with the kernels {kernels}, see above")


def _compute(stage: Stage, runs: Any, part: Shard | None, how: Workers) -> None:
    from companion.stored.runs import compute_runs

    done = compute_runs(runs, stage.root, how.jobs, part, how.backend, how.scheduler)
    if done.failed > sum(stage.lacking(task) for _, task in runs.items if part is None or part.holds(task)):
        raise CompanionError(
            f"{done.failed} of {done.tasks} runs of {stage.name} failed; why says: companion sweep {stage.runs.paper} status. "
            "The others are kept, and the next call tries these again"
        )


def _compared(stage: Stage, how: Workers, part: Shard | None, accept: bool, output: Output) -> dict[str, Any]:
    """All rows beside the stored ones; tables that are missing, or that may be, are stored."""
    found: dict[str, Any] = {
        "name": stage.name,
        "rows": 0,
        "equal": 0,
        "within": 0,
        "by_cell": 0,
        "apart": (),
        "stored": False,
    }
    if stage.record is not None:
        outcome = stage.compare(how, part)
        found |= asdict(outcome)
        counts = f"{outcome.equal} equal, {outcome.within} within rounding, {outcome.by_cell} by their cell"
        gone = "; data of others are not here, see companion data status" if stage.lacks_data else ""
        output.say(f"  {outcome.rows} rows: {counts}, {len(outcome.apart)} apart{gone}")
        for line in outcome.apart[:SHOWN]:
            output.say(f"    {line}")
    if stage.record is None or (accept and found["apart"] and not stage.lacks_data):
        stage.store(how.jobs)
        found["stored"] = True
        output.say("  stored")
    elif not stage.runs.stored.whole:
        stage.note_cost(part)
    return found


def _state(found: Sequence[Stage], jobs: int) -> dict[str, Any]:
    """What is there and what it costs, for programs."""
    from companion.current.everything import hours_left

    rows = [(stage, stage.missing, stage.cost) for stage in found]
    shares = [(cost, missing / stage.count) for stage, missing, cost in rows]
    sets = [
        {"name": stage.name, "runs": stage.count, "missing": missing, **asdict(cost)} for stage, missing, cost in rows
    ]
    total = sum(cost.seconds for _, _, cost in rows) / 3600.0
    return {"core_hours": total, "jobs": jobs, "hours_left": hours_left(shares, jobs), "sets": sets, "compared": []}


def _status(found: Sequence[Stage], jobs: int, output: Output) -> int:
    content = _state(found, jobs)

    def told() -> str:
        lines = [
            (
                one["name"],
                one["runs"],
                one["missing"],
                f"{'' if one['measured'] else 'about '}{one['seconds'] / 3600.0:.2f}",
                f"{one['megabytes']:.0f}" if one["megabytes"] else "",
            )
            for one in content["sets"]
        ]
        left = f"on {jobs} workers what is missing takes {content['hours_left']:.1f} hours"
        shown = table(("tables", "runs", "missing", "core hours", "MB a worker"), lines)
        return f"{shown}\n{content['core_hours']:.1f} core hours for all; {left}"

    return output.give(content, told)
