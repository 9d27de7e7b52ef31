"""Nothing stays of a submission: its processes are ended, its files removed, also those that a killed grader has left."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

FIRST_USER = 60600
#: The worker becomes one of the users 60600 to 60999: numbers that Debian, Fedora and systemd leave free.
USERS = 400
#: Seconds after which a folder that nobody holds is what a killed grader has left.
STALE = 60.0


def children(parent: int) -> list[int]:
    """Children of a process of ours that has not been waited for."""
    found = []
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                # The name, in parentheses, may hold anything; the parent is the second field after it.
                fields = Path(entry.path, "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2]
                if int(fields.split()[1]) == parent:
                    found.append(int(entry.name))
    return found


def clear(user: int) -> None:
    """End all processes of a user of ours, and remove what it left in the folders where everybody may write."""
    child = os.fork()
    if child == 0:  # which becomes this user, and so may signal exactly its processes
        with contextlib.suppress(OSError):
            os.setgroups([])
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
            os.kill(-1, signal.SIGKILL)
        os._exit(0)
    os.waitpid(child, 0)
    for place in ("/tmp", "/var/tmp", "/dev/shm", "/run/lock"):
        with contextlib.suppress(OSError):
            for entry in os.scandir(place):
                if entry.stat(follow_symlinks=False).st_uid == user:
                    remove(entry.path)


def remove(path: str | Path) -> None:
    """Remove what a student may have filled: not with Python, which follows links to change modes, or nests too deeply."""
    subprocess.run(["rm", "-rf", "--", path], stderr=subprocess.DEVNULL, check=False)


@contextlib.contextmanager
def held_folder(prefix: str) -> Iterator[Path]:
    """A temporary folder that is locked while we live, so that :func:`sweep` knows what is left of whom."""
    import fcntl  # which Windows has not, where assignments are made, if not graded

    name = tempfile.mkdtemp(prefix=prefix)
    descriptor = os.open(name, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield Path(name)
    finally:
        remove(name)
        os.close(descriptor)


def scratch_folder() -> contextlib.AbstractContextManager[Path]:
    """An empty folder for a worker."""
    return held_folder(f"companion-scratch-{os.getpid()}-")


def remove_scratch(process: int) -> None:
    """Remove what a grading process of ours, which has ended, may have left."""
    for path in Path(tempfile.gettempdir()).glob(f"companion-scratch-{process}-*"):
        remove(path)


def sweep() -> None:
    """Remove folders that killed graders have left: ours, in nobody's hands, and older than a minute."""
    import fcntl

    ours = {os.geteuid()} | (set(range(FIRST_USER, FIRST_USER + USERS)) if os.geteuid() == 0 else set())
    for entry in os.scandir(tempfile.gettempdir()):
        if not entry.name.startswith(("companion-kit-", "companion-scratch-")):
            continue
        with contextlib.suppress(OSError):  # held, gone, or not ours to open
            state = entry.stat(follow_symlinks=False)
            if state.st_uid not in ours or time.time() - state.st_mtime < STALE:
                continue
            descriptor = os.open(entry.path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove(entry.path)
            finally:
                os.close(descriptor)
