"""``companion run``: a chapter at other parameters."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from companion import papers
from companion.cli.show import say, say_json, worker_count
from companion.core.errors import ParameterError
from companion.core.profiles import load_profile
from companion.simulate.cluster import check_scheduler
from companion.simulate.loop import plain
from companion.simulate.replicate import workers


def execute(options: argparse.Namespace) -> int:
    """Check everything before a kernel starts, then run the chapter."""
    jobs = None if options.jobs is None else worker_count(options.jobs)
    how = workers(jobs, options.backend, options.scheduler)
    from companion.core.files import checkout, repository_root
    from companion.pages.document import find_chapter
    from companion.pages.parameter_cell import parameters as cell
    from companion.pages.running import run

    root = checkout() if options.profile == "paper" else repository_root()
    chapter = find_chapter(root, options.chapter)
    if chapter.paper is None:
        raise ParameterError("chapter", f"{chapter.stem} belongs to no paper, so it has no parameters to run with")
    parameters = papers.chapter_parameters(chapter.paper)
    load_profile(chapter.stem, options.profile, parameters, root)
    values = parameters.parse(options.set)
    cell(chapter.source)  # read by the run as well, but paper-scale runs come before it
    variables = {"COMPANION_JOBS": str(how.jobs), "COMPANION_BACKEND": how.backend}
    if options.profile == "smoke":
        variables["COMPANION_DRAFT"] = "1"  # a smoke run shows that everything runs; its figures are drafts
    if how.scheduler:
        variables["COMPANION_SCHEDULER"] = how.scheduler
    check_scheduler(how.scheduler)
    with _environment(variables):
        if options.profile == "paper":
            _store(chapter.paper, root)
        result = run(chapter, options.profile, values)
    if options.json:
        record = {"notebook": str(result.notebook), "record": str(result.record), "seconds": result.seconds}
        record |= {"page": str(result.page), "tables": [str(path) for path in result.tables]}
        say_json(
            {**record, "chapter": chapter.stem, "profile": options.profile, "parameters": plain(result.parameters)}
        )
    else:
        say(f"{result.notebook} ({result.seconds:.1f} s), record {result.record}")
        say(f"to read: {result.page}; its tables and key numbers: {result.tables[-1].parent}")
    return 0


def _store(paper: str, root: Path) -> None:
    """The results that the chapter loads; resumes where an earlier call stopped."""
    from companion.reproduce import evidence
    from companion.reproduce.runs import store

    if (tables := papers.of(paper).store_tables) is not None:
        tables.value(root)
    if papers.declares(paper, "stored_runs"):
        for runs in papers.every_set(paper):
            store(runs, root)
        evidence.store(paper, root)


@contextmanager
def _environment(variables: dict[str, str]) -> Iterator[None]:
    """Variables for the kernel, which inherits this process's environment; put back afterwards."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
