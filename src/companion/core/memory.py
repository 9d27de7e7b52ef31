"""A limit on the memory that the program may ask for: what the machine has left when it starts.

Without one, Linux grants more than there is, and a size typed with a nought too many ends with other people's programs being
killed. With it the allocation is refused at once, and the message names its size.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path

#: Bytes that libraries map when they are loaded and hardly use.
SLACK = 500_000_000
_MEMINFO = Path("/proc/meminfo")
_CGROUP = Path("/sys/fs/cgroup")


def available(meminfo: Path = _MEMINFO, cgroup: Path = _CGROUP) -> int | None:
    """Bytes that are free or can be freed, in swap as well, and within the limit of the container; ``None`` if unknown."""
    try:
        rows = dict(_fields(meminfo.read_text(encoding="ascii").splitlines()))
        free = rows["MemAvailable"] + rows.get("SwapFree", 0)
    except (OSError, ValueError, KeyError):
        return None
    with contextlib.suppress(OSError, ValueError):  # "max" is no number: then there is no limit
        most = int((cgroup / "memory.max").read_text(encoding="ascii"))
        free = min(free, max(0, most - int((cgroup / "memory.current").read_text(encoding="ascii"))))
    return free


def limit() -> None:
    """Refuse allocations of this process, and of those that it starts, beyond what is there; nothing where that is unknown."""
    free = available()
    if free is None:
        return
    import resource  # Linux has it wherever it has meminfo

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = free + SLACK
    ends = [end for end in (soft, hard) if end != resource.RLIM_INFINITY]
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (min([wanted, *ends]), hard))


def _fields(lines: Iterable[str]) -> Iterable[tuple[str, int]]:
    """Names and bytes of ``MemAvailable:  123 kB``."""
    for line in lines:
        name, _, rest = line.partition(":")
        number, _, unit = rest.strip().partition(" ")
        yield name, int(number) * (1024 if unit == "kB" else 1)
