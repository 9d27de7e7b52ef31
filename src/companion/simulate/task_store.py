"""Results that survive an interruption: one file per task, written at once or not at all, and checked when read.

A task is one (experiment, method, parameters, seed) with the declared version of its result and the data used. Its file is
named by a hash of those, and of no code: a refactoring leaves finished results alone, a change of numbers declares the next
version, and whether code still gives the stored digits is what :mod:`companion.current.verify` finds out. The first line
of a file carries the SHA-256 of the rest: a damaged file is recognised and its task computed again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sys
import time
import traceback
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from companion.core import instruction_set
from companion.core.errors import ResultError
from companion.core.files import read_patiently, strict_json, write_atomic
from companion.simulate.loop import plain
from companion.simulate.replicate import parallel_map, workers

Found = TypeVar("Found")
_FORMAT = 2
# A temporary file lives for milliseconds; one older than this was left by a killed process.
_STALE_SECONDS = 600.0


@dataclass(frozen=True, eq=False)
class Task:
    """One unit of work.

    Parameters
    ----------
    experiment : e.g. ``batched/appendix-e``
    method : name of the method
    parameters : every resolved parameter, JSON types
    seed : non-negative integer
    version : declared version of the result; see :class:`~companion.simulate.experiment.Experiment`
    data : which data the run uses, empty where it uses none: a run on a stand-in never passes for one on real data
    values : the parameters as the experiment's set-ups take them; by default those by name

    Examples
    --------
    >>> from companion.simulate import Task
    >>> task = Task("mine/line", "gp-ucb", {"horizon": 20}, seed=3)
    >>> task.label, task.key()[:8]
    ('mine/line gp-ucb seed 3 (horizon=20)', 'd7371381')
    >>> task.to_json()["parameters"]
    {'horizon': 20}
    """

    experiment: str
    method: str
    parameters: Mapping[str, Any]
    seed: int
    version: int = 1
    data: str = ""
    values: Any = None

    def __post_init__(self) -> None:
        if self.values is None:
            object.__setattr__(self, "values", self.parameters)

    def to_json(self) -> dict[str, Any]:
        """The fields, in JSON types."""
        return {
            "experiment": self.experiment,
            "method": self.method,
            "parameters": plain(dict(self.parameters)),
            "seed": int(self.seed),
            "version": int(self.version),
            "data": self.data,
        }

    def key(self) -> str:
        """Hash (64 hexadecimal digits) of the task."""
        return hashlib.sha256(_canonical(self.to_json())).hexdigest()

    @property
    def label(self) -> str:
        """Text for messages: experiment, method, seed and parameters."""
        values = ", ".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"{self.experiment} {self.method} seed {self.seed} ({values})"


@dataclass(frozen=True)
class RunSummary:
    """Counts of :func:`run_tasks`: distinct tasks, computed now, intact, damaged (computed again), and failed."""

    tasks: int
    computed: int
    reused: int
    damaged: int
    failed: int = 0


def run_tasks(
    tasks: Iterable[Task],
    compute: Callable[[Task], Mapping[str, Any]],
    folder: str | Path,
    jobs: int | None = None,
    backend: str | None = None,
    scheduler: str | None = None,
    label: str = "tasks",
    failures: str | Path | None = None,
) -> RunSummary:
    """Compute the tasks whose intact result is not yet in ``folder``.

    Each result is written by the worker that computed it, as soon as it is there: killing the run at any moment loses
    only the tasks in flight, and calling again finishes the rest. A task listed twice is computed once. Whether another
    process has finished a task meanwhile is asked again just before it would be computed.

    Parameters
    ----------
    tasks : in any order
    compute : gives a task's result as a mapping of JSON types and NumPy arrays, without NaN or infinity
    folder : created when missing
    jobs, backend, scheduler : see :func:`companion.simulate.replicate.workers`
    label : text of the progress bar
    failures : folder for notes of tasks that fail, see :func:`read_failure`; the others then go on

    Raises
    ------
    TaskError
        if a task fails and ``failures`` is not given, naming it; what was computed before is kept

    Examples
    --------
    >>> import tempfile
    >>> from companion.simulate import Task, assemble, run_tasks
    >>> folder = tempfile.mkdtemp()
    >>> tasks = [Task("mine/squares", "square", {}, seed) for seed in range(3)]
    >>> summary = run_tasks(tasks, lambda task: {"value": task.seed**2}, folder)
    >>> summary.computed, assemble(tasks, folder)
    (3, [{'value': 0}, {'value': 1}, {'value': 4}])
    >>> run_tasks(tasks, lambda task: {"value": task.seed**2}, folder).computed
    0
    """
    how = workers(jobs, backend, scheduler)
    folder = Path(folder).resolve()
    notes = None if failures is None else Path(failures).resolve()
    distinct = {task.key(): task for task in tasks}
    missing, damaged = [], 0
    for task in distinct.values():
        try:
            read_result(task, folder)
        except FileNotFoundError:
            missing.append(task)
        except ResultError:
            damaged += 1
            missing.append(task)
    folder.mkdir(parents=True, exist_ok=True)
    _remove_stale(folder)
    work = partial(_compute_and_write, compute=compute, folder=folder, failures=notes)
    done = parallel_map(work, missing, [task.label for task in missing], how, label)
    computed, failed = done.count("computed"), done.count("failed")
    return RunSummary(len(distinct), computed, len(distinct) - computed - failed, damaged, failed)


def assemble(tasks: Iterable[Task], folder: str | Path) -> list[dict[str, Any]]:
    """Stored results in the order of ``tasks``, whatever the order in which they were computed.

    Raises
    ------
    ResultError
        if a result is missing or damaged; the message counts them and names the first
    """
    results, lacking = [], []
    for task in tasks:
        try:
            results.append(read_result(task, folder))
        except FileNotFoundError:
            lacking.append(f"{task.label} is missing")
        except ResultError as error:
            lacking.append(str(error))
    if lacking:
        raise ResultError(
            f"{len(lacking)} of {len(lacking) + len(results)} results cannot be used: {lacking[0]}. "
            "Run the tasks again: only these are computed."
        )
    return results


def finished(tasks: Iterable[Task], folder: str | Path) -> list[tuple[Task, dict[str, Any]]]:
    """The tasks whose result is there and undamaged, in their order, each with it."""
    found = []
    for task in tasks:
        with contextlib.suppress(FileNotFoundError, ResultError):
            found.append((task, read_result(task, folder)))
    return found


def cost(tasks: Iterable[Task], folder: str | Path) -> dict[str, float]:
    """What computing these stored results took, over all calls and workers, see :func:`total`.

    Raises
    ------
    FileNotFoundError, ResultError
        see :func:`read_result`
    """
    distinct = {task.key(): task for task in tasks}.values()
    return total([_content(task, folder) for task in distinct])


def total(spent: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Runs, processor seconds ``core_seconds`` of all and of the ``longest``, and the most ``megabytes``, where known."""
    seconds, most = ([float(each[name]) for each in spent if name in each] for name in ("seconds", "megabytes"))
    found = {"core_seconds": round(sum(seconds), 1), "longest": round(max(seconds, default=0.0), 1)}
    return {"runs": len(seconds)} | found | ({"megabytes": max(most)} if most else {})


def metered(compute: Callable[[Task], Found], task: Task) -> tuple[Found, dict[str, float]]:
    """The result, processor ``seconds``, and the most ``megabytes`` (10^6 bytes) held: meanwhile, or (macOS) since the start."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # forgets the most so far
    began = time.process_time()
    result = compute(task)
    spent = {"seconds": round(time.process_time() - began, 3)}
    with contextlib.suppress(ImportError):
        import resource

        held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        spent["megabytes"] = round(held / 1e6, 1)
    return result, spent


def kernels_used(task: Task, folder: str | Path) -> str:
    """The kernels that a stored result was made with (:mod:`companion.core.instruction_set`); empty where its file does not say.

    Raises
    ------
    FileNotFoundError, ResultError
        see :func:`read_result`
    """
    return str(_content(task, folder).get("kernels", ""))


def result_path(task: Task, folder: str | Path) -> Path:
    """File that holds the task's result."""
    key = task.key()
    return Path(folder) / key[:2] / f"{key}.json"


def read_result(task: Task, folder: str | Path) -> dict[str, Any]:
    """One stored result, checked.

    Raises
    ------
    FileNotFoundError
        if there is none
    ResultError
        if the file is damaged or belongs to another task
    """
    result: dict[str, Any] = _content(task, folder)["result"]
    return result


def _content(task: Task, folder: str | Path) -> dict[str, Any]:
    path = result_path(task, folder)
    header, _, body = read_patiently(path).partition(b"\n")
    if header != _header(body):
        raise ResultError(f"{path} is damaged: its checksum does not match")
    content: dict[str, Any] = json.loads(body)
    if content["task"] != task.to_json():
        raise ResultError(f"{path} holds the result of another task")
    return content


def failure_path(task: Task, failures: str | Path) -> Path:
    """File that holds the note of a task that failed."""
    return Path(failures) / f"{task.key()}.json"


def read_failure(task: Task, failures: str | Path) -> dict[str, str] | None:
    """``error`` and ``where`` (file and line) of the task's last attempt, if that failed."""
    try:
        note: dict[str, str] = json.loads(read_patiently(failure_path(task, failures)))
    except FileNotFoundError:
        return None
    except ValueError:
        return {"error": "its note is damaged", "where": ""}
    return note


def _body(task: Task, result: Mapping[str, Any], spent: Mapping[str, float]) -> bytes:
    if not isinstance(result, Mapping):
        raise ResultError(f"the result of {task.label} is a {type(result).__name__}, not a mapping")
    try:
        content = {"task": task.to_json(), "result": plain(dict(result)), "kernels": instruction_set.in_use()}
        return _canonical({**content, **spent})
    except (TypeError, ValueError) as error:
        raise ResultError(f"the result of {task.label} cannot be stored: {error}") from None


def _write_body(task: Task, body: bytes, folder: str | Path) -> Path:
    path = result_path(task, folder)
    write_atomic(path, _header(body) + b"\n" + body)
    return path


def _compute_and_write(
    task: Task, compute: Callable[[Task], Mapping[str, Any]], folder: Path, failures: Path | None
) -> str:
    """``computed``, ``reused`` where another process has been faster, or ``failed``."""
    with contextlib.suppress(FileNotFoundError, ResultError):
        read_result(task, folder)
        return "reused"
    try:
        # What goes wrong on the disk is no fault of the task, and is not caught. On a busy machine a clock tells of the others.
        body = _body(task, *metered(compute, task))
    except Exception as error:
        if failures is None:
            raise
        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(frame.filename).name}, line {frame.lineno}"
        note = {"task": task.label, "error": f"{type(error).__name__}: {error}", "where": where}
        write_atomic(failure_path(task, failures), strict_json(note).encode())
        return "failed"
    _write_body(task, body, folder)
    if failures is not None:
        with contextlib.suppress(FileNotFoundError):
            failure_path(task, failures).unlink()
    return "computed"


def _canonical(content: object) -> bytes:
    # Sorted keys and no spaces: equal content has equal bytes. Python writes floats so that they read back exactly.
    return json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def _header(body: bytes) -> bytes:
    return json.dumps({"format": _FORMAT, "sha256": hashlib.sha256(body).hexdigest()}).encode()


def _remove_stale(folder: Path) -> None:
    found = list(folder.glob("*/.*.tmp"))
    if not found:
        return
    # The file system's own clock, by a file touched now: the clock of this machine may be an hour off.
    limit = _now_on(folder) - _STALE_SECONDS
    for path in found:
        with contextlib.suppress(OSError):  # gone, or another process is removing it
            if path.stat().st_mtime < limit:
                path.unlink()


def _now_on(folder: Path) -> float:
    probe = folder / f".{uuid.uuid4().hex}.now"
    probe.touch(exist_ok=False)
    try:
        return probe.stat().st_mtime
    finally:
        probe.unlink(missing_ok=True)
