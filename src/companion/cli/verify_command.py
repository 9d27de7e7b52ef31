"""``companion verify``: a sample of a paper's stored runs computed again, and the digits compared."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from companion import arithmetic, papers
from companion.cli.show import say, say_json, worker_count
from companion.errors import ParameterError, nearest
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
    if options.set is not None:
        sets = (_named(options.set, sets),)
    stored = sets[0]
    if options.print:
        _print_rows(stored, rows, seed, jobs)
        return 0
    if options.renew:
        renew(stored, jobs=jobs)
    if options.against:
        # An older commit is asked for the first set alone.
        other = partial(baseline, options.against, stored, rows, seed, jobs=jobs)
        return _told([verify.verify(stored, rows, seed, jobs=jobs, against=other)], sets, options.json)
    if len(sets) == 1 and not options.renew and _by_others(stored):
        return _once_more(options.given, stored).returncode
    found = []
    for one in sets:
        if not options.renew and _by_others(one):
            words = ["verify", options.paper, "--set", one.name, f"--rows={rows}", f"--seed={seed}", "--json"]
            done = _once_more(
                [*words, *([] if options.jobs is None else [f"--jobs={options.jobs}"])], one, stdout=subprocess.PIPE
            )
            if not done.stdout:
                return done.returncode
            found.append(_read(json.loads(done.stdout)))
        else:
            found.append(verify.verify(one, rows, seed, jobs=jobs))
    return _told(found, sets, options.json)


def _named(name: str, sets: Sequence[StoredRuns]) -> StoredRuns:
    known = {one.name: one for one in sets}
    if name not in known:
        raise ParameterError("--set", f"got {name!r}", f"one of {', '.join(known)}", nearest(name, known))
    return known[name]


def _made_by(stored: StoredRuns) -> str:
    return arithmetic.recorded(stored.load().record.blas)


def _by_others(stored: StoredRuns) -> bool:
    """Whether other kernels than those in use made what is stored, and are here: NumPy is loaded with its own by now."""
    made = _made_by(stored)
    return arithmetic.in_use() != made and arithmetic.able(made)


def _once_more(words: Sequence[str], stored: StoredRuns, **how: Any) -> subprocess.CompletedProcess[bytes]:
    """The command again, in a process with the kernels that made what is stored."""
    again = [sys.executable, "-m", "companion", *words]
    return subprocess.run(again, env=os.environ | {arithmetic.CHOICE: _made_by(stored)}, check=False, **how)


def _read(content: Mapping[str, Any]) -> verify.Verification:
    """What another process has printed."""
    lists = {name: tuple(content[name]) for name in ("absent", "not_compared")}
    different = tuple(verify.Difference(**one) for one in content["different"])
    return verify.Verification(**{**content, **lists, "different": different})


def _told(found: Sequence[verify.Verification], sets: Sequence[StoredRuns], as_json: bool) -> int:
    if as_json:
        say_json(asdict(verify.together(found)))
    else:
        for one, stored in zip(found, sets, strict=False):
            _print(one, _made_by(stored))
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
        say(f"  not compared, as they hold times or are made from the others: {', '.join(found.not_compared)}")
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
