"""What memory there is, a limit at that for the program, and whether runs fit before any of them begins.

Without a limit, Linux grants more than there is, and a size typed with a nought too many ends with other people's programs
being killed. With it the allocation is refused at once, and the message names its size.

A paper declares what a run needs: ``need(experiment, method, parameters)`` gives bytes of the large arrays by the parameters
that decide about them, ``{"horizon points": 8 * 1000 * 2500}``. It stands outside of what runs reach, so that a better
estimate leaves stored results alone.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from companion.core.errors import ParameterError

#: Bytes by the names of parameters, those that decide most first.
Need = Mapping[str, int]

#: Bytes of a number.
FLOAT = 8

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


def check_need(need: Need, parameters: Mapping[str, Any], runs: int = 1) -> None:
    """Refuse runs that need more memory than is free.

    Parameters
    ----------
    need : of one run
    parameters : resolved
    runs : at the same time

    Raises
    ------
    ParameterError
        naming the sizes that need most, how much it is, and what is there
    """
    free, total = available(), runs * sum(need.values())
    if free is None or total <= free:
        return
    first, *others = max(need, key=lambda name: need[name]).split()
    beside = "".join(f", with {name}={parameters[name]}" for name in others)
    each = "" if runs == 1 else f" in each of {runs} workers"
    problem = f"got {parameters[first]}{beside}, which takes {_amount(sum(need.values()))} of memory{each}"
    raise ParameterError(first, problem, f"sizes that fit into the {_amount(free)} that are free")


def _amount(size: int) -> str:
    return f"{size / 1e9:,.1f} GB" if size >= 1e9 else f"{size / 1e6:,.0f} MB"
