"""Run a chapter at other parameters. The committed notebook is read, never written."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import papermill
from papermill.exceptions import PapermillExecutionError

from companion.core.errors import ParameterError, nearest
from companion.core.files import carried, repository_root, write_atomic
from companion.core.profile_files import read_yaml_mapping
from companion.pages.document import Chapter, NotebookError, find_chapter, read_source
from companion.pages.execution import first_line
from companion.pages.html_page import page
from companion.pages.kernel import client_settings, kernel_environment
from companion.pages.page_results import FOLDER
from companion.pages.parameter_cell import parameters
from companion.pages.provenance import BOOK, COMMAND, PROFILE
from companion.pages.run_files import write_shown
from companion.stored.record import Record

#: Characters of a name of a run's files, before a digest.
LONGEST_LABEL = 80


@dataclass(frozen=True)
class RunResult:
    """A finished run of one page.

    Attributes
    ----------
    notebook : executed
    record : beside it
    page : the same to read, with everything it needs inside
    tables : files of the tables it shows, of its key numbers, and of their columns
    parameters : that were used
    seconds : that the cells took
    """

    notebook: Path
    record: Path
    page: Path
    tables: tuple[Path, ...]
    parameters: Mapping[str, Any]
    seconds: float


def profile_values(chapter: Chapter, profile: str) -> dict[str, Any]:
    """Parameters that a profile sets, from ``notebooks/profiles/<chapter>/<profile>.yaml``; ``book`` needs no file.

    The pages of a chapter share a profile: what another page alone has is passed over.

    Raises
    ------
    ParameterError
        when there is no such profile, or the file is not a mapping of names to values
    """
    path = chapter.profiles / f"{profile}.yaml"
    if not path.is_file():
        if profile == BOOK:
            return {}
        known = sorted({BOOK} | {entry.stem for entry in chapter.profiles.glob("*.yaml")})
        problem = f"{chapter.stem} has no profile {profile!r}"
        raise ParameterError("profile", problem, f"one of: {', '.join(known)}", nearest(profile, known))
    others = {name for page in chapter.pages if page != chapter for name in parameters(page.source)}
    passed_over = others - set(parameters(chapter.source))
    return {name: value for name, value in read_yaml_mapping(path)[0].items() if name not in passed_over}


def run(
    chapter: Chapter | str | int,
    profile: str = BOOK,
    overrides: Mapping[str, Any] | None = None,
    output_dir: Path | None = None,
    *,
    root: Path | None = None,
    timeout: int | None = None,
) -> RunResult:
    """Execute a copy of a page of a chapter with the values of ``profile`` and then ``overrides`` in place of its defaults.

    The result goes to ``runs/<stem>/`` of the repository, or of the current folder where there is none (or to
    ``output_dir``), named after the profile and, where there are overrides, a digest of all parameters: ``smoke.ipynb``, the
    same to read as ``smoke.html``, its tables in ``smoke/``, and last the record, ``smoke.json``. Nothing of it is there
    before every cell has ended well. The kernel is the environment's own and works in the chapter's folder, as in the
    committed execution.

    Parameters
    ----------
    chapter : a page as :class:`Chapter` or by its stem; by the chapter's number or slug its first page
    profile : ``smoke``, ``book``, ``paper`` or another file of the chapter's profiles
    overrides : parameter values, already of the right type and range
    output_dir : folder for the result
    root : repository; found from the current folder by default
    timeout : seconds a cell may take; none by default, since paper-scale runs are long

    Raises
    ------
    ParameterError
        for an unknown chapter, profile or parameter, before any work
    NotebookError
        when the result could not be written, before any work; when a cell fails, naming the cell: the unfinished notebook
        is kept under a ``.failed.ipynb`` name
    """
    place = repository_root() if root is None else root
    where = chapter if isinstance(chapter, Chapter) else find_chapter(place, chapter)
    known = parameters(where.source)
    chosen = {**profile_values(where, profile), **(overrides or {})}
    check_names(where, chosen)
    used = {name: chosen.get(name, entry.default) for name, entry in known.items()}
    folder = (Path.cwd() if carried(place) else place) / "runs" / where.stem if output_dir is None else output_dir
    label = _label(profile, overrides or {}, used)
    _check_place(folder, label)
    command = _command(where, profile, overrides or {})
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="companion-run-") as scratch:
        gathered = Path(scratch) / "shown"
        gathered.mkdir()
        environment = {COMMAND: command, PROFILE: profile, FOLDER: str(gathered)}
        executed = _execute(where, chosen, folder / f"{label}.failed.ipynb", timeout, environment, Path(scratch))
        seconds = time.monotonic() - began
        text = page(executed, command)
        tables = write_shown(gathered, executed, folder / label, {"command": command, "profile": profile})
    write_atomic(folder / f"{label}.html", text.encode())
    final = folder / f"{label}.ipynb"
    write_atomic(final, nbformat.writes(executed).encode())
    record = Record.now(
        command,
        profile=profile,
        seeds=[used["seed"]] if isinstance(used.get("seed"), int) else [],
        seconds=seconds,
        settings=used,
        outside=True,
    )
    written = folder / f"{label}.json"
    write_atomic(written, (json.dumps(record.to_dict(), indent=1, sort_keys=True) + "\n").encode())
    return RunResult(final, written, folder / f"{label}.html", tuple(tables), used, seconds)


def check_names(page: Chapter, names: Iterable[str]) -> None:
    """Refuse a parameter that a page does not have.

    Raises
    ------
    ParameterError
        naming the parameter, and the page that has it, where another one of the chapter does
    """
    known = parameters(page.source)
    for name in names:
        if name not in known:
            other = next((other.stem for other in page.pages if name in parameters(other.source)), None)
            hint = (
                f"It is one of {other}: companion run {page.number} runs both pages" if other else nearest(name, known)
            )
            raise ParameterError(name, f"{page.stem} has no such parameter", f"one of: {', '.join(known)}", hint)


def _check_place(folder: Path, label: str) -> None:
    """Refuse a place where the result could not be written: a chapter takes minutes, and would be lost at its end."""
    above = next(path for path in (folder, *folder.parents) if os.path.exists(path))  # also where it may not be asked
    if not above.is_dir() or not os.access(above, os.W_OK):
        raise NotebookError(f"{above} is no folder that can be written, so a result would be lost")
    for path in (folder / f"{label}{suffix}" for suffix in (".html", ".ipynb", ".json", ".failed.ipynb")):
        if path.is_dir():
            raise NotebookError(f"{path} is a folder, in the way of a result; remove it or give it another name")
    if os.path.lexists(folder / label) and not (folder / label).is_dir():
        raise NotebookError(f"{folder / label} is no folder, in the way of a result; remove it or give it another name")


def _execute(
    chapter: Chapter,
    chosen: Mapping[str, Any],
    failed: Path,
    timeout: int | None,
    environment: Mapping[str, str],
    scratch: Path,
) -> nbformat.NotebookNode:
    """Papermill on a copy in ``scratch``; the executed notebook. Where a cell fails, what was executed goes to ``failed``."""
    failed.unlink(missing_ok=True)
    copy, output = scratch / f"{chapter.stem}.ipynb", scratch / "output.ipynb"
    notebook = read_source(chapter.source)
    nbformat.write(notebook, copy)
    with kernel_environment(environment):
        try:
            papermill.execute_notebook(
                str(copy),
                str(output),
                parameters=dict(chosen),
                kernel_name="python3",
                language="python",
                cwd=str(chapter.source.parent),
                progress_bar=sys.stderr.isatty(),
                execution_timeout=timeout,
                request_save_on_cell_execute=False,  # two copies a cell took a second of every page
                **client_settings(),
            )
        except PapermillExecutionError as error:
            write_atomic(failed, output.read_bytes())
            # Papermill counts its injected cell; the reader counts the cells of the source.
            index = next((i for i, cell in enumerate(notebook.cells) if cell.source == error.source), None)
            named = f"cell {index} ({first_line(notebook.cells[index])})" if index is not None else "the set parameters"
            raise NotebookError(
                f"{chapter.source.name}: {named} raised {error.ename}: {error.evalue}. "
                f"The notebook up to that cell is {failed}"
            ) from error
    return nbformat.read(output, as_version=4)


def _label(profile: str, overrides: Mapping[str, Any], used: Mapping[str, Any]) -> str:
    """Name of a run's files, ``book-horizon=2000``; what is long, or no name of a file, ends in a digest of all parameters."""
    given = "-".join((profile, *(f"{name}={_shown(value)}" for name, value in overrides.items())))
    if re.fullmatch(rf"[A-Za-z0-9_.,=+-]{{,{LONGEST_LABEL}}}", given):
        return given
    digest = hashlib.sha256(json.dumps(used, sort_keys=True, default=repr).encode()).hexdigest()[:8]
    return f"{'-'.join((profile, *overrides))[:LONGEST_LABEL]}-{digest}"


def _shown(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _command(chapter: Chapter, profile: str, overrides: Mapping[str, Any]) -> str:
    """The command line that repeats a run."""
    words = ["companion", "run", chapter.stem, "--profile", profile]
    for name, value in overrides.items():
        words += ["-p", f"{name}={_shown(value)}"]
    return shlex.join(words)
