"""``companion verify``: a sample of a paper's stored runs computed again, and the digits compared."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from companion import papers
from companion.cli.show import give, known_as, number, say, say_json, table, worker_count
from companion.core import arithmetic
from companion.core.errors import ParameterError
from companion.core.files import checkout
from companion.core.profiles import Parameter
from companion.reproduce import verify
from companion.reproduce.again import Part, computed_again
from companion.reproduce.agreement import LEVEL, RELATIVE
from companion.reproduce.renewal import Renewed, renew
from companion.reproduce.runs import PaperRuns
from companion.reproduce.verify import rows_of_other_kernels

ROWS = Parameter("rows", "int", verify.ROWS, "runs computed again", "ours", low=1)
SEED = Parameter("seed", "int", 0, "which of the runs", "ours", low=0, high=2**31 - 1)
SHOWN = 10
ALL, FINISHED = "all", "finished"


def execute(options: argparse.Namespace) -> int:
    """Verify; 1 where something differs or nothing could be compared."""
    rows, seed, jobs = (
        verify.ROWS if options.rows is None else ROWS.parse(options.rows),
        SEED.parse(options.seed),
        worker_count(options.jobs),
    )
    assert isinstance(rows, int)
    assert isinstance(seed, int)
    if options.renew not in (None, ALL, FINISHED):
        raise ParameterError("--renew", f"got {options.renew!r}", f"{FINISHED!r} or nothing; the paper comes first")
    if options.against or options.print:
        name = "--against" if options.against else "--print"
        remedy = "Check the other commit out into a folder of its own, and run 'companion verify' in both"
        raise ParameterError(name, "is no longer there: results are compared with what is stored", remedy=remedy)
    sets = papers.compared_sets(papers.slug_of(options.paper))
    if options.tables is not None:
        sets = (_named(options.tables, sets),)
    stored = sets[0]
    if options.only:
        _print_rows(stored, jobs, options.only)
        return 0
    checkout()
    if options.renew:
        done = renew(stored, jobs=jobs, finished=options.renew == FINISHED)
        if options.renew == FINISHED:
            _tell_renewed(stored, done, options)
            return 0
    found = [verify.verify(one, rows, seed, jobs=jobs, under=partial(rows_of_other_kernels, one, jobs)) for one in sets]
    if options.json:
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
    try:
        part = Part.at(stored, json.loads(Path(only).read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError):
        raise ParameterError("--only", f"{only} does not say which runs", "a file that companion verify made") from None
    say_json(asdict(computed_again(stored, part, jobs)))


def _tell_renewed(stored: PaperRuns[Any], done: Renewed, options: argparse.Namespace) -> None:
    told = (
        f"{stored.paper}: {done.cells} cells made anew and {done.extended} with more seeds put in place, {done.runs} runs; "
        f"{done.waiting} cells wait for runs that are not finished"
    )
    told += f"\nCompare with: companion verify {stored.paper}" if done.runs else ""
    give(options, {"paper": stored.paper, **asdict(done)}, lambda: told)


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
    for name in filter(arithmetic.able, other):
        say(
            f"  Rows made with the kernels for {arithmetic.MEANS[name]} were computed with them here too. A single run gives "
            f"their digits with {arithmetic.CHOICE}={name} companion trial {found.paper} ..."
        )
    foreign = [name for name in other if not arithmetic.able(name)]
    if foreign:
        means = " and ".join(arithmetic.MEANS.get(name, "another processor") for name in foreign)
        say(
            f"  Rows made with the kernels for {means}, which this processor lacks, may differ by rounding, {RELATIVE:g} of "
            f"their size. Where kernels send runs of a cell another way, its mean is judged: {len(found.judged)} columns, "
            f"{found.more} further runs, level {LEVEL:g} for all together."
        )
