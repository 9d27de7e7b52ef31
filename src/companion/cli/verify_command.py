"""``companion verify``: a sample of a paper's stored runs computed again, and the digits compared."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from dataclasses import asdict
from functools import partial

from companion import arithmetic, papers
from companion.cli.show import say, say_json, worker_count
from companion.files import checkout, results_folder
from companion.profiles import Parameter
from companion.reproduce import verify
from companion.reproduce.baseline import baseline
from companion.reproduce.hashing import VERIFIED
from companion.reproduce.runs import StoredRuns, renew

ROWS = Parameter("rows", "int", verify.ROWS, "runs computed again", "ours", low=1)
SEED = Parameter("seed", "int", 0, "which of the runs", "ours", low=0, high=2**31 - 1)
SHOWN, SHORT = 10, 9


def execute(options: argparse.Namespace) -> int:
    """Verify; 1 where a digit differs or nothing could be compared."""
    rows, seed, jobs = (
        verify.ROWS if options.rows is None else ROWS.parse(options.rows),
        SEED.parse(options.seed),
        worker_count(options.jobs),
    )
    assert isinstance(rows, int)
    assert isinstance(seed, int)
    if not options.print:
        checkout()
    sets = papers.compared_sets(papers.slug_of(options.paper))
    stored = sets[0]
    made = arithmetic.recorded(stored.load().record.blas)
    with_stored = not (options.against or options.print or options.renew)
    if with_stored and arithmetic.in_use() != made and arithmetic.able(made):
        # NumPy is loaded with other kernels by now; once more, then.
        again = [sys.executable, "-m", "companion", *options.given]
        return subprocess.run(again, env=os.environ | {arithmetic.CHOICE: made}, check=False).returncode
    if options.print:
        _print_rows(stored, rows, seed, jobs)
        return 0
    if options.renew:
        renew(stored, jobs=jobs)
    against = partial(baseline, options.against, stored, rows, seed, jobs=jobs) if options.against else None
    found = [verify.verify(stored, rows, seed, jobs=jobs, against=against)]
    # An older commit is asked for the first set alone.
    found += [] if against else [verify.verify(one, rows, seed, jobs=jobs) for one in sets[1:]]
    if options.json:
        say_json(asdict(verify.together(found)))
    else:
        for one in found:
            _print(one, made)
    return 0 if all(one.passed for one in found) else 1


def _print_rows(stored: StoredRuns, rows: int, seed: int, jobs: int | None) -> None:
    again = verify.made_again(stored, stored.load().record, rows, seed, jobs)
    tables = verify.checksums(stored, results_folder(stored.paper))
    say_json({"standing": verify.standing(stored), "tables": tables, **asdict(again)})


def _print(found: verify.Verification, made: str) -> None:
    other = f"the same digits at {found.against[:SHORT]}" if found.against else "the stored digits"
    say(
        f"{found.paper}: {found.runs} runs made again, of {found.cells} of {found.of} cells (seed {found.seed}); "
        f"{found.equal} of {found.rows} rows have {other}"
    )
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
        say(f"  tables of times are not compared: {', '.join(found.not_compared)}")
    if found.different and not found.against and arithmetic.in_use() != made:
        say(
            f"The stored digits are those of the kernels for {arithmetic.MEANS.get(made, 'another processor')}, which this "
            "processor lacks, so that digits differ although the code is the same. "
            f"To compare with the code of an older commit on this machine: companion verify {found.paper} --against COMMIT"
        )
    elif found.different:
        say(
            "The code gives other numbers than are stored. If that is meant, declare the next version of these results "
            "(Experiment.version) and compute them again; if not, the code is wrong."
        )
    elif found.recorded:
        say(f"Recorded in data/results/{found.paper}/{VERIFIED}.")
    else:
        why = ", or that commit was not verified for the tables stored now" if found.against else ""
        say(f"Not recorded: the sample is smaller than a record needs, or data are missing{why}.")
