"""Second step into a namespace: a root of its own, read-only but for a scratch folder, then no rights at all.

Started by ``unshare`` with a JSON object as its only argument, in fresh mount, process, network and IPC namespaces::

    root      an empty folder to build the new root in
    bind      [[source, place], ...]: mounted read-only
    links     [[target, place], ...]: symbolic links
    hide      folders of the new root that are covered by an empty one
    scratch   bytes of the only folder that can be written to
    command   what becomes of this process

Standard library only: inside, there is nothing else yet. Linux only.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import sys
from pathlib import Path
from typing import Any

READ_ONLY, NO_SUID, NO_DEVICES, NO_EXEC, REMOUNT, BIND, RECURSIVE, PRIVATE = 1, 2, 4, 8, 32, 4096, 16384, 1 << 18
NO_ATIME, NO_DIRATIME, RELATIVE_ATIME, DETACH = 1024, 2048, 1 << 21, 2
DEVICES = ("null", "zero", "full", "random", "urandom")
DROP_BOUNDING, NO_NEW_PRIVILEGES, AMBIENT, CLEAR_ALL = 24, 38, 47, 4
SET_USER, SET_GROUP, LAST_CAPABILITY = 7, 6, 63

libc = ctypes.CDLL(None, use_errno=True)


def mount(source: str, place: str, kind: str | None, flags: int, data: str | None = None) -> None:
    """mount(2); OSError if it fails."""
    encoded = [None if text is None else text.encode() for text in (source, place, kind, data)]
    if libc.mount(encoded[0], encoded[1], encoded[2], ctypes.c_ulong(flags), encoded[3]) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"mounting {place}: {os.strerror(number)}")


def bind_read_only(source: str, place: str) -> None:
    """Show ``source`` at ``place``, read-only. Flags it has already are kept: they may be locked."""
    mount(source, place, None, BIND)
    state = os.statvfs(place).f_flag
    kept = {
        os.ST_NOSUID: NO_SUID,
        os.ST_NODEV: NO_DEVICES,
        os.ST_NOEXEC: NO_EXEC,
        os.ST_NOATIME: NO_ATIME,
        os.ST_NODIRATIME: NO_DIRATIME,
        os.ST_RELATIME: RELATIVE_ATIME,
    }
    flags = sum(mounted for known, mounted in kept.items() if state & known)
    mount("none", place, None, REMOUNT | BIND | READ_ONLY | (flags | NO_SUID | NO_DEVICES))


def build(spec: dict[str, Any]) -> None:
    """Make the new root and move into it; the old one is gone afterwards."""
    os.umask(0o022)  # the user that the worker becomes has to get through these folders, whatever the grader's mask
    root = spec["root"]
    mount("none", "/", None, RECURSIVE | PRIVATE)
    mount("tmpfs", root, "tmpfs", NO_SUID | NO_DEVICES, "size=1m,mode=755")
    for source, place in spec["bind"]:
        target = Path(root + place)
        if Path(source).is_dir():
            target.mkdir(parents=True, exist_ok=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.touch()
        bind_read_only(source, str(target))
    for linked, place in spec["links"]:
        Path(root + place).symlink_to(linked)
    for place in spec["hide"]:
        mount("tmpfs", root + place, "tmpfs", NO_SUID | NO_DEVICES | READ_ONLY, "size=4k,mode=755")
    for name in ("proc", "dev", "tmp", "old"):
        Path(root, name).mkdir()
    mount("proc", f"{root}/proc", "proc", NO_SUID | NO_DEVICES | NO_EXEC)
    for name in DEVICES:
        Path(root, "dev", name).touch()
        mount(f"/dev/{name}", f"{root}/dev/{name}", None, BIND)
    mount("tmpfs", f"{root}/tmp", "tmpfs", NO_SUID | NO_DEVICES, f"size={spec['scratch']},nr_inodes=1000,mode=1777")
    os.chdir(root)
    if libc.pivot_root(b".", b"old") != 0:
        raise OSError(ctypes.get_errno(), "pivot_root failed")
    os.chdir("/")
    if libc.umount2(b"/old", DETACH) != 0:
        raise OSError(ctypes.get_errno(), "the old root could not be left")
    Path("/old").rmdir()
    mount("none", "/", None, REMOUNT | BIND | READ_ONLY | NO_SUID | NO_DEVICES)
    os.chdir("/tmp")


def give_up_rights(keep: tuple[int, ...]) -> None:
    """No capability can be gained any more, and no further user namespace made, in which there would be new ones.

    ``keep`` are capabilities for a worker that still has to become another user; that drops them too.
    """
    if not keep:  # in a user namespace of our own. Without one, this would be the setting of the whole machine
        with contextlib.suppress(OSError):  # mounts are locked in a further namespace anyway
            Path("/proc/sys/user/max_user_namespaces").write_text("0")
    for capability in range(LAST_CAPABILITY + 1):
        if capability not in keep:
            libc.prctl(DROP_BOUNDING, capability, 0, 0, 0)
    libc.prctl(AMBIENT, CLEAR_ALL, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    low = sum(1 << capability for capability in keep)
    sets = (ctypes.c_uint32 * 6)(low, low, 0, 0, 0, 0)
    if libc.capset(header, sets) != 0 or libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "the rights could not be given up")


if __name__ == "__main__":
    asked = json.loads(sys.argv[1])
    build(asked)
    give_up_rights((SET_USER, SET_GROUP) if asked["step_down"] else ())
    os.execv(asked["command"][0], asked["command"])
