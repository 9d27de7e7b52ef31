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
from companion.core.files import checkout, results_folder
from companion.core.profiles import Parameter
from companion.reproduce import verify
from companion.reproduce.again import Part, computed_again, made_again
from companion.reproduce.agreement import LEVEL, RELATIVE
from companion.reproduce.baseline import baseline, under
from companion.reproduce.hashing import VERIFIED
from companion.reproduce.renewal import Renewed, renew
from companion.reproduce.runs import PaperRuns

ROWS = Parameter("rows", "int", verify.ROWS, "runs computed again", "ours", low=1)
SEED = Parameter("seed", "int", 0, "which of the runs", "ours", low=0, high=2**31 - 1)
SHOWN, SHORT = 10, 9
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
    if not options.print:
        checkout()
    if options.only and not options.print:
        raise ParameterError("--only", "is given without --print", "both: the file says what --print computes")
    if options.renew not in (None, ALL, FINISHED):
        raise ParameterError("--renew", f"got {options.renew!r}", f"{FINISHED!r} or nothing; the paper comes first")
    sets = papers.compared_sets(papers.slug_of(options.paper))
    if options.tables is not None:
        sets = (_named(options.tables, sets),)
    stored = sets[0]
    if options.print:
        _print_rows(stored, rows, seed, jobs, options.only)
        return 0
    if options.renew:
        done = renew(stored, jobs=jobs, finished=options.renew == FINISHED)
        if options.renew == FINISHED:
            _tell_renewed(stored, done, options)
            return 0
    if options.against:
        # An older commit is asked for one set, the first where none is named.
        other = partial(baseline, options.against, stored, rows, seed, jobs=jobs, chosen=options.tables)
        found = [verify.verify(stored, rows, seed, jobs=jobs, against=other)]
    else:
        found = [verify.verify(one, rows, seed, jobs=jobs, under=partial(under, one, jobs)) for one in sets]
    if options.json:
        say_json(asdict(verify.together(found)))
    else:
        for one in found:
            _print(one)
    return 0 if all(one.passed for one in found) else 1


def _named(name: str, sets: Sequence[PaperRuns[Any]]) -> PaperRuns[Any]:
    known = {one.name: one for one in sets}
    return known[known_as("--tables", name, known)]


def _print_rows(stored: PaperRuns[Any], rows: int, seed: int, jobs: int | None, only: str | None) -> None:
    """The sample's rows, or those of the runs whose places are in a file."""
    if only is None:
        again = made_again(stored, stored.load().record, rows, seed, jobs)
    else:
        try:
            part = Part.at(stored, json.loads(Path(only).read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError):
            raise ParameterError(
                "--only", f"{only} does not say which runs", "a file that companion verify made"
            ) from None
        again = computed_again(stored, part, jobs)
    tables = verify.checksums(stored, results_folder(stored.paper))
    say_json({"standing": verify.standing(stored), "tables": tables, **asdict(again)})


def _tell_renewed(stored: PaperRuns[Any], done: Renewed, options: argparse.Namespace) -> None:
    told = (
        f"{stored.paper}: {done.cells} cells made anew and {done.extended} with more seeds put in place, {done.runs} runs; "
        f"{done.waiting} cells wait for runs that are not finished"
    )
    told += f"\nCompare with: companion verify {stored.paper}" if done.runs else ""
    give(options, {"paper": stored.paper, **asdict(done)}, lambda: told)


def _print(found: verify.Verification) -> None:
    other = f"those at {found.against[:SHORT]}" if found.against else "what is stored"
    say(
        f"{found.paper}: {found.runs} runs made again, of {found.cells} of {found.of} cells (seed {found.seed}), beside {other}"
    )
    _print_tables(found)
    was = f"at {found.against[:SHORT]}" if found.against else "stored as"
    for one in found.different[:SHOWN]:
        say(f"  {one.table}.csv, {one.row}: {one.column} is {was} {one.stored}, now {one.now}")
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
    say(_of_the_code(found))
    if found.different:
        say(_of_the_difference(found))
    elif found.recorded:
        say(f"Recorded in data/results/{found.paper}/{VERIFIED}.")
    else:
        why = ", or that commit was not verified for the tables stored now" if found.against else ""
        say(f"Not recorded: the sample is smaller than a record needs, or data are missing{why}.")


def _print_tables(found: verify.Verification) -> None:
    header = ("table", "rows", "equal", "within", "by cell", "apart", "largest difference")
    lines = [
        (one.table, one.rows, one.equal, one.within, one.by_cell, one.apart, number(one.largest))
        for one in found.tables
    ]
    for line in table(header, lines).splitlines():
        say(f"  {line}")
    foreign = [name for name in found.made_with if name != found.kernels and not arithmetic.able(name)]
    if foreign and not found.against:
        means = " and ".join(arithmetic.MEANS.get(name, "another processor") for name in foreign)
        say(
            f"  Rows made with the kernels for {means}, which this processor lacks, may differ by rounding, {RELATIVE:g} of "
            f"their size. Where kernels send runs of a cell another way, its mean is judged: {len(found.judged)} columns, "
            f"{found.more} further runs, level {LEVEL:g} for all together."
        )


def _of_the_code(found: verify.Verification) -> str:
    """What is known of the code, which was looked at; numbers are another matter."""
    if found.code == verify.SAME:
        return "The code is the one that was verified."
    if found.code == verify.NEVER:
        return "The code was never verified before."
    names = [name.removeprefix("companion.") for name in found.changed]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"The code has changed since it was verified: {', '.join(names[:SHOWN])}{more}."


def _of_the_difference(found: verify.Verification) -> str:
    if found.code == verify.CHANGED:
        return (
            "It gives other numbers. If that is meant, declare the next version of these results (Experiment.version) and "
            "compute them again; if not, the code is wrong."
        )
    remedy = "" if found.against else f" Two versions of the code: companion verify {found.paper} --against COMMIT"
    return f"Numbers differ by more than rounding or a run's other way explains.{remedy}"
