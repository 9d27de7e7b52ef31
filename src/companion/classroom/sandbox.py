"""Sandbox for student code: the strongest of four isolation levels that this machine has; every result names its level.

``bubblewrap``
    namespaces made by bwrap: no network, no process of others in sight, everything read-only but a scratch folder that is
    gone afterwards, and of the file system only the interpreter, NumPy and SciPy
``namespaces``
    the same by ``unshare`` and :mod:`companion.classroom.jail`, where bwrap is not installed
``user``
    another user without rights, and what follows. Needs root, as in a container of Gradescope
``none``
    limits and the filter only; for your own code. Never chosen by itself

On every rung the worker gives up system calls, and on the first three files as well, before it runs student code: see
:mod:`companion.classroom.confine`. Where the grader is root, the worker of the first three becomes another user besides, so
that the limit on processes counts. Where systemd manages the user's processes, a scope of its own limits the memory and the
processes of the whole submission. :mod:`companion.classroom.sandbox_policy` says what comes of all this.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import json
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import companion
from companion.classroom.cleanup import FIRST_USER, USERS, children, clear
from companion.classroom.interpreter import Interpreter
from companion.classroom.sandbox_policy import Limits
from companion.core.errors import CompanionError

INSIDE, INNER = "/libraries", ("worker.py", "value_encoding.py", "confine.py")
SYSTEM = ("/usr", "/lib", "/lib64", "/lib32", "/bin", "/etc/ld.so.cache", "/etc/alternatives")
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
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
            if self.rung == "user":
                clear(user)
            try:
                yield replace(self, user=user)
            finally:
                if self.rung == "user":
                    clear(user)

    def files(self, scratch: Path) -> dict[str, object] | None:
        """Access that :func:`~companion.classroom.confine.confine_files` leaves to the worker."""
        if self.rung == "none":
            return None
        if self.rung != "user":
            bound, links, _ = self._mounts()
            return {"readable": [INSIDE, *(place for _, place in [*bound, *links])], "listed": [], "writable": "/tmp"}
        readable, listed = [str(self.kit), *self.interpreter.libraries.values()], []
        # Where the package is installed among the interpreter's files, these are given one by one, without it.
        package = str(Path(companion.__file__).resolve().parents[1])
        pending = [os.path.realpath(place) for place in (*SYSTEM, self.interpreter.prefix) if os.path.exists(place)]
        while pending:
            place = pending.pop()
            if place == package:
                continue
            if _inside(package, place):
                listed.append(place)
                pending += [entry.path for entry in os.scandir(place) if not entry.is_symlink()]
            else:
                readable.append(place)
        return {"readable": readable, "listed": listed, "writable": str(scratch)}

    def start(self, scratch: Path, limits: Limits) -> tuple[subprocess.Popen[bytes], int, int]:
        """Start a worker.

        Returns
        -------
        the process, the descriptor for requests and the one for answers
        """
        from companion.classroom import confine  # Linux only

        theirs_in, requests = os.pipe()
        answers, theirs_out = os.pipe()
        command = {
            "bubblewrap": self._bubblewrap,
            "namespaces": self._namespaces,
            "user": self._plain,
            "none": self._plain,
        }[self.rung](scratch, limits)
        environment = ENVIRONMENT | ({"HOME": str(scratch)} if self.rung in ("user", "none") else {})
        if self.rung != "none" and self.lacks is not None and "cgroup" not in self.lacks:
            bus = {name: os.environ[name] for name in BUS if name in os.environ}
            command = [*scope(limits), "/usr/bin/env", *(f"--unset={name}" for name in bus), *command]
            environment |= bus
        if self.rung == "user" and self.user is not None:
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
                stderr=subprocess.DEVNULL,
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
        for child in children(process.pid) if self.rung in ("bubblewrap", "namespaces") else ():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.wait()
        if self.rung == "user" and self.user is not None:
            clear(self.user)

    def _worker(self, libraries: str) -> list[str]:
        return [self.interpreter.python, "-s", "-P", "-S", f"{libraries}/worker.py", libraries]

    def _plain(self, scratch: Path, limits: Limits) -> list[str]:
        return self._worker(str(self.kit))

    def _mounts(self) -> tuple[list[tuple[str, str]], list[tuple[str, str]], list[str]]:
        """Bind mounts, links, and covered folders."""
        bound, links = [], []
        for place in SYSTEM:
            if os.path.islink(place):
                links.append((os.readlink(place), place))
            elif os.path.exists(place):
                bound.append((place, place))
        if not any(_inside(self.interpreter.prefix, place) for _, place in bound):
            bound.append((self.interpreter.prefix, self.interpreter.prefix))
        hidden = [site for site in self.interpreter.sites if Path(site).is_dir()]
        hidden = [site for site in hidden if any(_inside(site, place) for _, place in bound)]
        for file in INNER:
            bound.append((str(self.kit / file), f"{INSIDE}/{file}"))
        bound += [(source, f"{INSIDE}/{name}") for name, source in self.interpreter.libraries.items()]
        return bound, links, hidden

    def _bubblewrap(self, scratch: Path, limits: Limits) -> list[str]:
        bound, links, hidden = self._mounts()
        if os.geteuid() == 0:
            apart = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
            apart += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        else:
            apart = ["--unshare-all", "--unshare-user", *_no_further_namespaces()]
        command = ["bwrap", *apart, "--die-with-parent", "--new-session", "--as-pid-1"]
        for source, place in bound:
            # Folders on the way to it are made for everybody; by default they are the grader's alone.
            for folder in list(Path(place).parents)[-2::-1]:
                command += ["--perms", "0755", "--dir", str(folder)]
            command += ["--ro-bind", source, place]
        for linked, place in links:
            command += ["--symlink", linked, place]
        for place in hidden:
            command += ["--tmpfs", place, "--remount-ro", place]
        command += [
            "--proc",
            "/proc",
            "--dev",
            "/dev",
            "--remount-ro",
            "/dev",
            "--perms",
            "1777",
            "--size",
            str(limits.file),
            "--tmpfs",
            "/tmp",
        ]
        return [*command, "--remount-ro", "/", "--chdir", "/tmp", *self._worker(INSIDE)]

    def _namespaces(self, scratch: Path, limits: Limits) -> list[str]:
        bound, links, hidden = self._mounts()
        root = scratch / "root"
        root.mkdir(exist_ok=True)
        spec = {
            "root": str(root),
            "bind": bound,
            "links": links,
            "hide": hidden,
            "scratch": limits.file,
            "step_down": os.geteuid() == 0,
            "command": self._worker(INSIDE),
        }
        apart = ["--net", "--pid", "--mount", "--ipc", "--uts", "--fork", "--kill-child"]
        apart += [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        python = [self.interpreter.python, "-I", "-S", str(self.kit / "jail.py")]
        return ["unshare", *apart, *python, json.dumps(spec)]


def _inside(path: str, folder: str) -> bool:
    return Path(path).is_relative_to(folder)


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
    said = subprocess.run(["bwrap", "--help"], capture_output=True, text=True, check=False).stdout
    return ["--disable-userns"] if "--disable-userns" in said else []


def described(limits: Limits) -> dict[str, float]:
    """The limits as they stand in a result."""
    return asdict(limits)
