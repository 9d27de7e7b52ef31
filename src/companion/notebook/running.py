"""Run a chapter at other parameters. The committed notebook is read, never written."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import papermill
from papermill.exceptions import PapermillExecutionError

from companion.errors import ParameterError, nearest
from companion.files import carried, repository_root, write_atomic
from companion.notebook.document import Chapter, NotebookError, find_chapter, read_source
from companion.notebook.execution import first_line
from companion.notebook.kernel import kernel_environment
from companion.notebook.parameter_cell import parameters
from companion.profiles import read_yaml_mapping
from companion.report.where import BOOK, COMMAND, PROFILE
from companion.reproduce.record import Record


@dataclass(frozen=True)
class RunResult:
    """A finished run: the executed notebook, the record beside it, and the parameters that were used."""

    notebook: Path
    record: Path
    parameters: Mapping[str, Any]
    seconds: float


def profile_values(chapter: Chapter, profile: str) -> dict[str, Any]:
    """Parameters that a profile sets, from ``notebooks/profiles/<stem>/<profile>.yaml``; ``book`` needs no file.

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
    return read_yaml_mapping(path)[0]


def run(
    chapter: Chapter | str | int,
    profile: str = BOOK,
    overrides: Mapping[str, Any] | None = None,
    output_dir: Path | None = None,
    *,
    root: Path | None = None,
    timeout: int | None = None,
) -> RunResult:
    """Execute a copy of a chapter with the values of ``profile`` and then ``overrides`` in place of its defaults.

    The result goes to ``runs/<stem>/`` of the repository, or of the current folder where there is none (or to
    ``output_dir``), named after the profile and, where there are overrides, a digest of all parameters. It carries its final
    name only once every cell has ended well. The kernel is the environment's own and works in the chapter's folder, as in the
    committed execution.

    Parameters
    ----------
    chapter : number, slug, stem or :class:`Chapter`
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
        when a cell fails, naming the cell; the unfinished notebook is kept under a ``.failed.ipynb`` name
    """
    place = repository_root() if root is None else root
    where = chapter if isinstance(chapter, Chapter) else find_chapter(place, chapter)
    known = parameters(where.source)
    chosen = {**profile_values(where, profile), **(overrides or {})}
    for name in chosen:
        if name not in known:
            expected = f"one of: {', '.join(known)}"
            raise ParameterError(name, f"{where.stem} has no such parameter", expected, nearest(name, known))
    used = {name: chosen.get(name, entry.default) for name, entry in known.items()}
    folder = (Path.cwd() if carried(place) else place) / "runs" / where.stem if output_dir is None else output_dir
    label = profile if not overrides else f"{profile}-{_digest(used)}"
    final = folder / f"{label}.ipynb"
    command = _command(where, profile, overrides or {})
    began = time.monotonic()
    _execute(where, chosen, final, timeout, {COMMAND: command, PROFILE: profile})
    seconds = time.monotonic() - began
    record = Record.now(
        command,
        profile=profile,
        seeds=[used["seed"]] if isinstance(used.get("seed"), int) else [],
        seconds=seconds,
        paper=where.paper,
        settings=used,
    )
    written = folder / f"{label}.json"
    write_atomic(written, (json.dumps(record.to_dict(), indent=1, sort_keys=True) + "\n").encode())
    return RunResult(final, written, used, seconds)


def _execute(
    chapter: Chapter, chosen: Mapping[str, Any], final: Path, timeout: int | None, environment: Mapping[str, str]
) -> None:
    """Papermill on a temporary copy; the output is renamed to ``final`` at the very end."""
    final.parent.mkdir(parents=True, exist_ok=True)
    partial = final.with_suffix(".partial.ipynb")
    failed = final.with_suffix(".failed.ipynb")
    failed.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix="companion-run-") as scratch, kernel_environment(environment):
        copy = Path(scratch) / f"{chapter.stem}.ipynb"
        notebook = read_source(chapter.source)
        nbformat.write(notebook, copy)
        try:
            papermill.execute_notebook(
                str(copy),
                str(partial),
                parameters=dict(chosen),
                kernel_name="python3",
                language="python",
                cwd=str(chapter.source.parent),
                progress_bar=sys.stderr.isatty(),
                execution_timeout=timeout,
            )
        except PapermillExecutionError as error:
            os.replace(partial, failed)
            # Papermill counts its injected cell; the reader counts the cells of the source.
            index = next((i for i, cell in enumerate(notebook.cells) if cell.source == error.source), None)
            named = f"cell {index} ({first_line(notebook.cells[index])})" if index is not None else "the set parameters"
            raise NotebookError(
                f"{chapter.source.name}: {named} raised {error.ename}: {error.evalue}. "
                f"The notebook up to that cell is {failed}"
            ) from error
        except BaseException:
            # Interrupted or out of time: an unfinished result under any name would only mislead.
            partial.unlink(missing_ok=True)
            raise
    os.replace(partial, final)


def _digest(values: Mapping[str, Any]) -> str:
    """Eight hexadecimal digits that stand for a parameter set."""
    return hashlib.sha256(json.dumps(values, sort_keys=True, default=repr).encode()).hexdigest()[:8]


def _command(chapter: Chapter, profile: str, overrides: Mapping[str, Any]) -> str:
    """The command line that repeats a run."""
    words = ["companion", "run", chapter.stem, "--profile", profile]
    for name, value in overrides.items():
        shown = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        words += ["-p", f"{name}={shown}"]
    return shlex.join(words)
