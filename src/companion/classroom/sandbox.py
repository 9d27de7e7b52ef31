"""Sandbox for student code: one strong box, or what a container has; every result names which.

``bubblewrap``
    namespaces made by bwrap: no network, no process of others in sight, everything read-only but a scratch folder that is
    gone afterwards, and of the file system only what Python, NumPy and SciPy are made of
``container``
    another user without rights, and what follows. For a grader that is root in a container, as at Gradescope
``none``
    limits and the filter only; for your own code. Never chosen by itself

On every rung the worker gives up system calls, and on the first two files as well, before it runs student code: see
:mod:`companion.classroom.confine`. Where the grader is root, the worker of the first two becomes another user besides, so
that the limit on processes counts. Where systemd manages the user's processes, a scope of its own limits the memory and the
processes of the whole submission. :mod:`companion.classroom.sandbox_policy` says what comes of all this.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from companion.classroom.cleanup import FIRST_USER, USERS, children, clear
from companion.classroom.interpreter import Interpreter
from companion.classroom.sandbox_policy import Limits
from companion.core.errors import CompanionError

INSIDE, INNER = "/libraries", ("worker.py", "value_encoding.py", "notebook_text.py", "confine.py")
#: Where Python stands inside, whoever's home it comes from; and what the loader asks first.
PYTHON, CACHE = "/python", "/etc/ld.so.cache"
ENVIRONMENT = {
    "PATH": f"{PYTHON}/bin",
    "LANG": "C.UTF-8",
    "HOME": "/tmp",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    # One thread: more of them would count as processes and take address space each.
    **{f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR")},
}


class SandboxError(CompanionError):
    """No rung of the sandbox works here; the message says why, and what may be done."""


@dataclass(frozen=True)
class Sandbox:
    """A rung, ready for use.

    Parameters
    ----------
    rung : one of :data:`RUNGS`
    interpreter : for the worker
    kit : folder with the worker's files and links to NumPy and SciPy
    weaker : why the rungs above this one do not work here
    lacks : what the kernel or the system lacks for all of :data:`PROMISES`, and why; ``None`` before it was tried out
    user : that the worker becomes; see :meth:`for_one`
    """

    rung: str
    interpreter: Interpreter
    kit: Path
    weaker: dict[str, str] = field(default_factory=dict)
    lacks: dict[str, str] | None = None
    user: int | None = None

    @contextlib.contextmanager
    def for_one(self) -> Iterator[Sandbox]:
        """The sandbox for one submission: with a user that no other has meanwhile, of whom nothing is left afterwards.

        The number is taken by binding a socket without a name in the file system: two graders cannot have the same, and
        nothing stays of it when one is killed.
        """
        if os.geteuid() != 0 or self.rung == "none" or self.user is not None:
            yield self
            return
        with socket.socket(socket.AF_UNIX) as held:
            for user in range(FIRST_USER, FIRST_USER + USERS):
                with contextlib.suppress(OSError):
                    held.bind(f"\0companion-user-{user}")
                    break
            else:
                raise SandboxError(f"all {USERS} users for student code are taken")
            if self.rung == "container":
                clear(user)
            try:
                yield replace(self, user=user)
            finally:
                if self.rung == "container":
                    clear(user)

    def files(self, scratch: Path) -> dict[str, Any] | None:
        """Access that :func:`~companion.classroom.confine.confine_files` leaves to the worker."""
        if self.rung == "none":
            return None
        if self.rung == "bubblewrap":
            return {"readable": [INSIDE, *(place for _, place in self.mounts)], "listed": [], "writable": "/tmp"}
        python = self.interpreter
        readable = [str(self.kit), CACHE, python.python, *python.modules, *python.libraries.values()]
        real = map(os.path.realpath, python.linked)
        return {"readable": [*readable, *real], "listed": [python.standard], "writable": str(scratch)}

    def start(
        self, scratch: Path, limits: Limits, complaint: IO[bytes] | None = None
    ) -> tuple[subprocess.Popen[bytes], int, int]:
        """Start a worker.

        Parameters
        ----------
        scratch : an empty folder
        limits : of the submission
        complaint : a file for what is said while the sandbox is made; the worker itself writes nothing there

        Returns
        -------
        the process, the descriptor for requests and the one for answers
        """
        from companion.classroom import confine  # Linux only

        theirs_in, requests = os.pipe()
        answers, theirs_out = os.pipe()
        boxed = self.rung == "bubblewrap"
        command = self._bubblewrap(limits) if boxed else self._worker(self.interpreter.python, str(self.kit))
        inside = {"PYTHONHOME": PYTHON, "LD_LIBRARY_PATH": f"{PYTHON}/lib"}
        environment = ENVIRONMENT | (inside if boxed else {"HOME": str(scratch)})
        if self.rung != "none" and self.lacks is not None and "cgroup" not in self.lacks:
            bus = {name: os.environ[name] for name in BUS if name in os.environ}
            command = [*scope(limits), "/usr/bin/env", *(f"--unset={name}" for name in bus), *command]
            environment |= bus
        if self.rung == "container" and self.user is not None:
            os.chown(scratch, self.user, self.user)

        def arrange() -> None:
            # 3 and 4 may be in use by the other end; so first out of the way, then to their places.
            first, second = os.dup2(theirs_in, 200), os.dup2(theirs_out, 201)
            os.dup2(first, 3)
            os.dup2(second, 4)
            os.closerange(5, 256)
            confine.join_keyring()
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # ends with the grader, whatever ends the grader

        try:
            process = subprocess.Popen(
                command,
                preexec_fn=arrange,
                close_fds=False,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL if complaint is None else complaint,
                env=environment,
                cwd=scratch,
                start_new_session=True,
            )
        finally:
            os.close(theirs_in)
            os.close(theirs_out)
        return process, requests, answers

    def end(self, process: subprocess.Popen[bytes]) -> None:
        """End the worker and whatever it started.

        The first process inside a namespace takes all others of it along, so it is ended by name: it may have left the
        process group, and becoming another user has cleared its wish to end with its parent.
        """
        for child in children(process.pid) if self.rung == "bubblewrap" else ():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.wait()
        if self.rung == "container" and self.user is not None:
            clear(self.user)

    @staticmethod
    def _worker(python: str, libraries: str) -> list[str]:
        return [python, "-s", "-P", "-S", f"{libraries}/worker.py", libraries]

    @functools.cached_property
    def mounts(self) -> list[tuple[str, str]]:
        """What is seen inside, and where: the interpreter under a name of its own, the system's libraries at their places."""
        python = self.interpreter
        standard = f"{PYTHON}/{os.path.relpath(python.standard, python.prefix)}"
        bound = [(python.python, f"{PYTHON}/bin/{os.path.basename(python.python)}")]
        bound += [(path, f"{standard}/{os.path.basename(path)}") for path in python.modules]
        for path in python.linked:
            own = python.prefix not in ("/", "/usr", "/usr/local") and Path(path).is_relative_to(python.prefix)
            bound.append((os.path.realpath(path), f"{PYTHON}/lib/{os.path.basename(path)}" if own else path))
        bound += [(CACHE, CACHE)] if os.path.exists(CACHE) else []
        bound += [(str(self.kit / file), f"{INSIDE}/{file}") for file in INNER]
        return bound + [(source, f"{INSIDE}/{name}") for name, source in python.libraries.items()]

    def shows(self, path: Path) -> bool:
        """Whether student code could read what lies here, or a part of it."""
        if self.rung == "none":
            return False
        place, python = path.resolve(), self.interpreter
        return any(place.is_relative_to(os.path.realpath(one)) for one in (*python.modules, *python.libraries.values()))

    def _bubblewrap(self, limits: Limits) -> list[str]:
        if os.geteuid() == 0:
            apart = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
            apart += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        else:
            apart = ["--unshare-all", "--unshare-user", *_no_further_namespaces()]
        command = [bwrap(), *apart, "--hostname", "sandbox", "--die-with-parent", "--new-session", "--as-pid-1"]
        made: set[Path] = {Path("/")}
        for source, place in self.mounts:
            # Folders on the way to it are made for everybody; by default they are the grader's alone.
            for folder in [folder for folder in Path(place).parents if folder not in made][::-1]:
                command += ["--perms", "0755", "--dir", str(folder)]
                made.add(folder)
            command += ["--ro-bind", source, place]
        command += ["--dev", "/dev", "--remount-ro", "/dev"]
        command += ["--perms", "1777", "--size", str(limits.file), "--tmpfs", "/tmp", "--remount-ro", "/"]
        python = f"{PYTHON}/bin/{os.path.basename(self.interpreter.python)}"
        return [*command, "--chdir", "/tmp", *self._worker(python, INSIDE)]


def bwrap() -> str:
    """Where bubblewrap is, on the grader's own path; empty if it is nowhere."""
    return shutil.which("bwrap") or ""


BUS = ("XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS")


def scope(limits: Limits) -> list[str]:
    """A command that puts the next one into a control group of its own."""
    manager = [] if os.geteuid() == 0 else ["--user"]
    # A few more for what makes the namespaces; inside, the limit of the worker counts.
    most = {"MemoryMax": limits.memory, "MemorySwapMax": 0, "TasksMax": limits.processes + 8}
    asked = [word for name, value in most.items() for word in ("-p", f"{name}={value}")]
    return [shutil.which("systemd-run") or "systemd-run", *manager, "--scope", "--quiet", "--collect", *asked, "--"]


@functools.cache
def _no_further_namespaces() -> list[str]:
    """The option of bubblewrap 0.8 that forbids them, where it is known; the filter forbids them too."""
    said = subprocess.run([bwrap(), "--help"], capture_output=True, text=True, check=False).stdout
    return ["--disable-userns"] if "--disable-userns" in said else []
