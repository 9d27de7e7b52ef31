"""``companion verify``: a sample of a paper's stored runs computed again, and the digits compared."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from companion import registry
from companion.cli.arguments import APaper, Jobs, text, value
from companion.cli.show import TEXT, Output, number, say, say_json, table, worker_count
from companion.core import instruction_set
from companion.core.errors import ParameterError, known_as
from companion.core.files import checkout
from companion.current.agreement import LEVEL, RELATIVE

if TYPE_CHECKING:
    from companion.current import verify
    from companion.stored import recompute
    from companion.stored.runs import PaperRuns

SHOWN = 10


def execute(
    paper: APaper,
    /,
    *,
    rows: Annotated[int | None, value("N", "runs computed again (default: 40)", low=1)] = None,
    seed: Annotated[
        int, value("S", "which of the runs; successive seeds go through all cells", low=0, high=2**31 - 1)
    ] = 0,
    tables: Annotated[
        str | None,
        text("NAME", "one set of stored tables, of a chapter that has several", name=("--tables", "--set")),
    ] = None,
    renew: Annotated[
        list[Literal["finished"]] | None,
        text(
            "[finished]",
            "first make and store runs of an older version and lacking seeds; 'finished': only put finished cells in place",
            consume_multiple=(0, 1),
        ),
    ] = None,
    against: Annotated[str | None, text("COMMIT", "", show=False)] = None,
    print_rows: Annotated[bool, text("", "", name="--print", show=False)] = False,
    only: Annotated[str | None, text("FILE", "", show=False)] = None,
    jobs: Jobs = None,
    output: Output = TEXT,
) -> int:
    """Compute a sample of a paper's stored runs again and compare the stored digits.

    The exit code is 1 where something differs or nothing could be compared.

    Example: companion verify batched --rows 20
    """
    if against or print_rows:
        name = "--against" if against else "--print"
        remedy = "Check the other commit out into a folder of its own, and run 'companion verify' in both"
        raise ParameterError(name, "is no longer there: results are compared with what is stored", remedy=remedy)
    paper = registry.slug_of(paper)
    if not only:
        checkout()
    from companion.current import verify
    from companion.stored import recompute

    processes = worker_count(jobs)
    sets = registry.compared_sets(paper)
    if tables is not None:
        sets = (_named(tables, sets),)
    stored = sets[0]
    if only:
        _print_rows(stored, processes, only)
        return 0
    if renew is not None:
        done = recompute.renew(stored, jobs=processes, finished=bool(renew))
        if renew:
            _tell_renewed(stored, done, output)
            return 0
    found = [
        verify.verify(
            one,
            rows or verify.ROWS,
            seed,
            jobs=processes,
            under=partial(verify.rows_of_other_instruction_sets, one, processes),
        )
        for one in sets
    ]
    if output.json:
        say_json(asdict(verify.together(found)))
    else:
        for one in found:
            _print(one)
    return 0 if all(one.passed for one in found) else 1


def _named(name: str, sets: Sequence[PaperRuns[Any]]) -> PaperRuns[Any]:
    known = {one.name: one for one in sets}
    return known[known_as("--tables", name, known)]


def _print_rows(stored: PaperRuns[Any], jobs: int | None, only: str) -> None:
    """The rows of the runs whose places are in a file."""
    from companion.current.recomputation import Part, computed_again

    try:
        part = Part.at(stored, json.loads(Path(only).read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError):
        raise ParameterError("--only", f"{only} does not say which runs", "a file that companion verify made") from None
    say_json(asdict(computed_again(stored, part, jobs)))


def _tell_renewed(stored: PaperRuns[Any], done: recompute.Renewed, output: Output) -> None:
    told = (
        f"{stored.paper}: {done.cells} cells made anew and {done.extended} with more seeds put in place, {done.runs} runs; "
        f"{done.waiting} cells wait for runs that are not finished"
    )
    told += f"\nCompare with: companion verify {stored.paper}" if done.runs else ""
    output.give({"paper": stored.paper, **asdict(done)}, lambda: told)


def _print(found: verify.Verification) -> None:
    say(
        f"{found.paper}: {found.runs} runs made again, of {found.cells} of {found.of} cells (seed {found.seed}), beside what "
        "is stored"
    )
    _print_tables(found)
    for one in found.different[:SHOWN]:
        say(f"  {one.table}.csv, {one.row}: {one.column} is stored as {one.stored}, now {one.now}")
    if len(found.different) > SHOWN:
        say(f"  and {len(found.different) - SHOWN} more; see --json")
    if found.outdated:
        say(
            f"  {found.outdated} stored runs are of an older version than the experiments declare; make them again with: "
            f"companion verify {found.paper} --renew"
        )
    if found.absent:
        say(f"  not run, since their data are not here (companion data status): {len(found.absent)} runs")
    if found.not_compared:
        say(f"  not compared, as they hold times or are made from the others: {', '.join(found.not_compared)}")
    if found.different:
        say(
            "Numbers differ by more than rounding or a run's other way explains. If that is meant, declare the next version of "
            "these results (Experiment.version) and compute them again with --renew; if not, the code is wrong."
        )


def _print_tables(found: verify.Verification) -> None:
    header = ("table", "rows", "equal", "within", "by cell", "apart", "largest difference")
    lines = [
        (one.table, one.rows, one.equal, one.within, one.by_cell, one.apart, number(one.largest))
        for one in found.tables
    ]
    for line in table(header, lines).splitlines():
        say(f"  {line}")
    other = [name for name in found.made_with if name != found.kernels]
    for name in filter(instruction_set.able, other):
        say(
            f"  Rows made with the kernels for {instruction_set.MEANS[name]} were computed with them here too. "
            f"A single run gives their digits with {instruction_set.CHOICE}={name} companion trial {found.paper} ..."
        )
    foreign = [name for name in other if not instruction_set.able(name)]
    if foreign:
        means = " and ".join(instruction_set.MEANS.get(name, "another processor") for name in foreign)
        say(
            f"  Rows made with the kernels for {means}, which this processor lacks, may differ by rounding, {RELATIVE:g} of "
            f"their size. Where kernels send runs of a cell another way, its mean is judged: {len(found.judged)} columns, "
            f"{found.more} further runs, level {LEVEL:g} for all together."
        )
