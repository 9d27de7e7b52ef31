"""``companion run``: a chapter at other parameters."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion import papers
from companion.cli.show import say, say_json, worker_count
from companion.core.errors import ParameterError
from companion.core.profile_files import load_profile
from companion.simulate.cluster import check_scheduler
from companion.simulate.loop import plain
from companion.simulate.replicate import workers

if TYPE_CHECKING:
    from companion.pages.running import RunResult


def execute(options: argparse.Namespace) -> int:
    """Check everything before a kernel starts, then run the chapter, or the one page that is named."""
    jobs = None if options.jobs is None else worker_count(options.jobs)
    how = workers(jobs, options.backend, options.scheduler)
    import papermill  # noqa: F401 - before pictures: what is missing first names the extra

    from companion.core.files import checkout, repository_root
    from companion.pages.document import find_pages
    from companion.pages.parameter_cell import parameters as cell
    from companion.pages.running import check_names, run

    root = checkout() if options.profile == "paper" else repository_root()
    pages = find_pages(root, options.chapter)
    first = pages[0]
    if first.paper is None:
        raise ParameterError("chapter", f"{first.stem} belongs to no paper, so it has no parameters to run with")
    parameters = papers.chapter_parameters(first.paper)
    load_profile(first.profiles.name, options.profile, parameters, root)
    values = parameters.parse(options.set)
    cells = [cell(page.source) for page in pages]  # read by the run as well, but paper-scale runs come before it
    if len(pages) == 1:
        check_names(first, values)
    variables = {"COMPANION_JOBS": str(how.jobs), "COMPANION_BACKEND": how.backend}
    if options.profile == "smoke":
        variables["COMPANION_DRAFT"] = "1"  # a smoke run shows that everything runs; its figures are drafts
    if how.scheduler:
        variables["COMPANION_SCHEDULER"] = how.scheduler
    check_scheduler(how.scheduler)
    with _environment(variables):
        if options.profile == "paper":
            _store(first.paper, root)
        told = []
        for page, known in zip(pages, cells, strict=True):
            own = {name: value for name, value in values.items() if name in known}
            result = run(page, options.profile, own)
            told.append(_told(page.stem, options.profile, result))
            if not options.json:
                say(f"{result.notebook} ({result.seconds:.1f} s), record {result.record}")
                say(f"to read: {result.page}; its tables and key numbers: {result.tables[-1].parent}")
    if options.json:
        say_json({**told[0], "pages": told})
    return 0


def _told(stem: str, profile: str, result: RunResult) -> dict[str, Any]:
    """What a run has made of one page, for programs."""
    record = {"notebook": str(result.notebook), "record": str(result.record), "seconds": result.seconds}
    record |= {"page": str(result.page), "tables": [str(path) for path in result.tables]}
    return {**record, "chapter": stem, "profile": profile, "parameters": plain(result.parameters)}


def _store(paper: str, root: Path) -> None:
    """The results that the chapter loads; resumes where an earlier call stopped."""
    from companion.reproduce.runs import store
    from companion.reproduce.stored_artefacts import Evidence

    if (tables := papers.of(paper).store_tables) is not None:
        tables.value(root)
    if papers.declares(paper, "stored_runs"):
        for runs in papers.every_set(paper):
            store(runs, root)
        Evidence(root).store_due(paper)


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
