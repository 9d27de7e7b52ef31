"""``companion run``: a chapter at other parameters."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from companion import registry
from companion.cli.arguments import ALONE, AChapter, OneChapter, Settings, text
from companion.cli.show import TEXT, Output, say_json
from companion.core.errors import ParameterError
from companion.core.profile_files import load_profile

if TYPE_CHECKING:
    from companion.pages.chapter_runs import RunResult


def execute(
    chapter: AChapter,
    /,
    *,
    profile: Annotated[
        str, text("PROFILE", "smoke, book or paper (default: book)", completer=lambda _: ("smoke", "book", "paper"))
    ] = "book",
    settings: Settings = None,
    cluster: OneChapter = ALONE,
    output: Output = TEXT,
) -> int:
    """Run a chapter at chosen parameters; the committed notebook is not touched.

    Everything is checked before a kernel starts.

    Example: companion run 3 --profile smoke -p horizon=200
    """
    from companion.simulate.cluster import check_scheduler
    from companion.simulate.replicate import workers

    how = workers(cluster.jobs, cluster.backend, cluster.scheduler)
    try:
        import papermill  # noqa: F401 - before pictures: what is missing first names the extra
    except ModuleNotFoundError:
        registry.slug_of(chapter.removesuffix(registry.RECORD))  # a chapter that does not exist misses no library
        raise

    from companion.core.files import checkout, repository_root
    from companion.pages.chapter_runs import check_names, run
    from companion.pages.document import find_pages
    from companion.pages.parameter_cell import parameters as cell

    root = checkout() if profile == "paper" else repository_root()
    pages = find_pages(root, chapter)
    first = pages[0]
    if first.paper is None:
        raise ParameterError("chapter", f"{first.stem} belongs to no paper, so it has no parameters to run with")
    parameters = registry.chapter_parameters(first.paper)
    load_profile(first.profiles.name, profile, parameters, root)
    values = parameters.parse(settings or ())
    cells = [cell(page.source) for page in pages]  # read by the run as well, but paper-scale runs come before it
    if len(pages) == 1:
        check_names(first, values)
    variables = {"COMPANION_JOBS": str(how.jobs), "COMPANION_BACKEND": how.backend}
    if profile == "smoke":
        variables["COMPANION_DRAFT"] = "1"  # a smoke run shows that everything runs; its figures are drafts
    if how.scheduler:
        variables["COMPANION_SCHEDULER"] = how.scheduler
    check_scheduler(how.scheduler)
    with _environment(variables):
        if profile == "paper":
            _store(first.paper, root)
        told = []
        for page, known in zip(pages, cells, strict=True):
            own = {name: value for name, value in values.items() if name in known}
            result = run(page, profile, own)
            told.append(_told(page.stem, profile, result))
            output.say(f"{result.notebook} ({result.seconds:.1f} s), record {result.record}")
            output.say(f"to read: {result.page}; its tables and key numbers: {result.tables[-1].parent}")
    if output.json:
        say_json({**told[0], "pages": told})
    return 0


def _told(stem: str, profile: str, result: RunResult) -> dict[str, Any]:
    """Result of running one page, for programs."""
    from companion.simulate.loop import plain

    record = {"notebook": str(result.notebook), "record": str(result.record), "seconds": result.seconds}
    record |= {"page": str(result.page), "tables": [str(path) for path in result.tables]}
    return {**record, "chapter": stem, "profile": profile, "parameters": plain(result.parameters)}


def _store(paper: str, root: Path) -> None:
    """The results that the chapter loads; resumes where an earlier call stopped."""
    from companion.judge.evidence_artefacts import EvidenceFiles
    from companion.stored.runs import store

    if (tables := registry.get(paper).store_tables) is not None:
        tables.value(root)
    if registry.declares(paper, "stored_runs"):
        for runs in registry.every_set_of_runs(paper):
            store(runs, root)
        EvidenceFiles(root).store_due(paper)


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
