"""Which isolation student code gets: the strongest rung of the sandbox that works here, tried out on a worker."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import companion
from companion.classroom.cleanup import held_folder, sweep
from companion.classroom.interpreter import Interpreter
from companion.classroom.sandbox import INNER, Sandbox, SandboxError, bwrap, scope
from companion.classroom.sandbox_policy import RUNGS, Limits
from companion.classroom.session import Session
from companion.core.errors import ParameterError


@contextlib.contextmanager
def opened(rung: str | None = None, no_sandbox: bool = False, python: str | None = None) -> Iterator[Sandbox]:
    """The strongest rung that works here, tried out on a worker, or the given one.

    Parameters
    ----------
    rung : one of :data:`RUNGS`, or ``None`` for the strongest
    no_sandbox : allow the last one, which protects from nothing but accidents
    python : for student code, with NumPy and SciPy; by default the one that runs the grader

    Raises
    ------
    ParameterError
        for an unknown rung
    SandboxError
        if no allowed rung works
    """
    if rung is not None and rung not in RUNGS:
        raise ParameterError("--rung", f"got {rung!r}", f"one of {', '.join(RUNGS)}")
    interpreter = Interpreter.of(python or sys.executable)
    wanted = (rung,) if rung else RUNGS
    sweep()
    with held_folder("companion-kit-") as kit:
        _fill(kit, interpreter)
        reasons: dict[str, str] = {}
        for name in wanted:
            if name == "none" and not no_sandbox:
                continue
            reason = _missing(name) or ("" if rung or name != "container" or in_container() else "this is no container")
            if not reason:
                box = Sandbox(name, interpreter, kit, reasons)
                if name == "container":
                    _read_all(box)
                package = Path(companion.__file__).resolve().parent
                shown = f"student code could read {package}, the answer key" if box.shows(package) else ""
                reason, lacks = (shown, {}) if shown else _tried(box)
                if not reason:
                    yield replace(box, lacks=lacks)
                    return
            reasons[name] = reason
    told = "; ".join(f"{name}: {reason}" for name, reason in reasons.items()) or "none was allowed"
    raise SandboxError(
        f"student code cannot be confined here ({told}). Install bubblewrap (apt install bubblewrap, dnf install bubblewrap), "
        "or grade in a container; --no-sandbox runs it with limits only, for code that you trust"
    )


def refuse_what_is_shown(box: Sandbox, places: Mapping[str, Path]) -> None:
    """ParameterError, naming the argument, if student code could read one of these places."""
    for argument, place in places.items():
        if box.shows(place):
            expected = "a place outside of Python, NumPy and SciPy, which student code may read"
            raise ParameterError(argument, f"{place} lies among them", expected)


def confine_to(folder: Path) -> None:
    """Give up, as far as the kernel lets us, what a check of a notebook on one's own machine has no use for.

    Files of the system and of Python can be read, the folder written to, and nothing else opened.
    """
    from companion.classroom import confine  # Linux only

    system = ("/usr", "/lib", "/lib64", "/bin", "/etc", "/opt", sys.prefix, sys.base_prefix)
    with contextlib.suppress(OSError):
        confine.confine_files(system, (), str(folder))
    with contextlib.suppress(OSError):
        confine.deny_calls()


def in_container() -> bool:
    """Whether this is a container of Docker, Podman or Gradescope, as far as they say so."""
    return any(Path(sign).exists() for sign in ("/.dockerenv", "/run/.containerenv", "/autograder"))


def open_to_others(path: Path) -> bool:
    """Whether a user without rights could read what lies here: every folder on the way can be entered by all."""
    path = path.resolve()
    way = all(parent.stat().st_mode & 0o001 for parent in path.parents)
    return way and bool(path.stat().st_mode & 0o005)


def _fill(kit: Path, interpreter: Interpreter) -> None:
    kit.chmod(0o755)
    here = Path(__file__).resolve().parent
    for file in INNER:
        shutil.copyfile(here / file, kit / file)
    for name, source in interpreter.libraries.items():
        (kit / name).symlink_to(source)


def _read_all(box: Sandbox) -> None:
    """Read all that student code can, so that the times of the last access say nothing: for a day, they stay as they are now."""
    for place in (box.files(box.kit) or {}).get("readable", ()):
        names = [place]
        for folder, _, inside in os.walk(place):
            names += (os.path.join(folder, name) for name in inside)
        for name in filter(os.path.isfile, names):
            with contextlib.suppress(OSError), open(name, "rb") as file:
                file.read(1)


def _missing(rung: str) -> str:
    """Why a rung cannot be had here without trying; empty if it may work."""
    if not sys.platform.startswith("linux"):  # the limits of the last rung are Linux's too
        return f"needs Linux, this is {sys.platform}"
    if rung == "none":
        return ""
    if rung == "bubblewrap":
        return "" if bwrap() else "bwrap is not installed"
    if os.geteuid() != 0:
        return "needs root"
    package = Path(companion.__file__).resolve().parent
    # What other users can read, a submission can: the package is the answer key, and beside it are the sources.
    return f"other users can read {package}, the answer key: chmod 700 it" if open_to_others(package) else ""


def _tried(sandbox: Sandbox) -> tuple[str, dict[str, str]]:
    """Why the rung does not work, if so, and what is lacking for all promises."""
    limits = Limits(cell=30.0, total=60.0)
    # Modules that are not loaded yet: the user that the worker became has to be able to read them.
    cell = "import decimal, fractions, scipy.special\ndef probe(x):\n    return x + 1"
    with Session(sandbox, [cell], {}, limits) as session:
        try:
            right = session.call("probe", (41,), 30.0) == 42
        except Exception as error:
            return f"tried and failed ({next(iter(session.errors.values()), error)})", {}
        without = {"cgroup": _no_scope()} if sandbox.rung != "none" else {}
        wrong = next(iter(session.errors.values()), "" if right else "it gives wrong answers")
        return wrong, session.lacks | {k: v for k, v in without.items() if v}


def _no_scope() -> str:
    """Why no control group can be had here; empty if one can."""
    if not shutil.which("systemd-run"):
        return "systemd-run is not installed"
    try:
        done = subprocess.run([*scope(Limits()), "true"], capture_output=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "systemd-run does not answer"
    return "" if done.returncode == 0 else "no systemd that manages processes"
