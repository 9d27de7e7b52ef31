"""Guarantees of each isolation level of the sandbox, and the limits of a submission; tests measure them on every level."""

from __future__ import annotations

from dataclasses import dataclass

RUNGS = ("bubblewrap", "container", "none")
#: What is promised on each rung, in the order of :data:`RUNGS`; a star is where the kernel has Landlock, or systemd manages
#: the user's processes. A line on the screen and ``lacks`` in every result say where they are missing.
PROMISES: dict[str, tuple[str, str, str]] = {
    "network": ("none", "none", "none"),
    "files to read": ("Python, NumPy, SciPy", "the same*, else what all may read", "yours"),
    "files to write": ("scratch folder", "scratch folder*, else where all may", "yours"),
    "size of the scratch folder": ("16 MB", "16 MB a file", "16 MB a file"),
    "paths of the host in /proc": ("hidden", "hidden*", "shown"),
    "name, load and disk of the machine": ("none", "its name", "its name"),
    "other processes": ("invisible", "get no signal", "can be killed"),
    "keyrings": ("none", "none", "none"),
    "System V objects, message queues, memfd": ("none", "none", "none"),
    "notes to others by locks, leases, watches and the page cache": ("none", "none", "none"),
    "notes to others by times of files, or by what the kernel numbers": ("none", "numbers of processes", "both"),
    "io_uring, bpf, ptrace, perf": ("none", "none", "none"),
    "new namespaces and mounts": ("none", "none", "none"),
    "memory": ("2 GB a process, or together*", "2 GB a process, or together*", "2 GB a process"),
    "processes and threads": ("16", "16", "counted with yours"),
    "time of a submission": ("60 s, twice", "60 s, twice", "60 s, twice"),
    "left afterwards": ("nothing", "nothing", "files and processes"),
}


@dataclass(frozen=True)
class Limits:
    """Limits of one submission.

    Parameters
    ----------
    cell : seconds of processor time for each cell; three times as many of wall time
    total : seconds of wall time for the whole submission; processor time is limited to the same
    memory : bytes of address space of each process, and of memory of all together where systemd manages processes
    processes : processes and threads
    file : bytes of a file, and of the scratch folder
    answer : bytes of one answer
    """

    cell: float = 10.0
    total: float = 60.0
    memory: int = 2 << 30
    processes: int = 16
    file: int = 16 << 20
    answer: int = 4 << 20
