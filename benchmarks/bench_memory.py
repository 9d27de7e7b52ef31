"""Peak memory of trials at their defaults, each in a process of its own. Prints a table, stores nothing.

A line an experiment: its first method, or with ``--all`` the method that takes most. The peak is the largest resident set that
the operating system saw of the command ``companion trial`` and of what it started; Python and NumPy alone take some 60 MB of
it. The last line is ``companion gain``.

Run with ``make bench``, or ``python benchmarks/bench_memory.py [--quick] [--all] [--only tsrsr/gp-2d]``.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from page import note

from companion import registry

#: Most that a default may take, MB.
LIMIT = 1000.0
#: In the unit that the operating system reports.
BYTES = 1 if sys.platform == "darwin" else 1024
SIZE, SET = ("--dim", "2", "--points", "30", "--horizon", "1000"), ("--lengthscale", "0.2", "--noise", "0.1")
GAIN = ["gain", "--kernel", "matern52", *SET, *SIZE]


@dataclass(frozen=True)
class Peak:
    """What a command took."""

    label: str
    megabytes: float
    seconds: float
    failed: bool


COMMAND = "import sys; from companion.cli import main; sys.exit(main(sys.argv[1:]))"


def peak(label: str, words: list[str], folder: str, start: str = COMMAND) -> Peak:
    """Run ``companion`` with these words, or another program, in a process of its own and an empty folder."""
    with open(os.devnull, "w") as nowhere:
        child = subprocess.Popen([sys.executable, "-c", start, *words], stdout=nowhere, stderr=nowhere, cwd=folder)
        _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return Peak(label, used.ru_maxrss * BYTES / 1e6, used.ru_utime + used.ru_stime, child.returncode != 0)


def report(name: str, found: list[Peak]) -> None:
    """The command that takes most; what fails is named."""
    worst = max(found, key=lambda each: each.megabytes)
    failed = [each.label for each in found if each.failed]
    beside = f"   failed: {', '.join(failed)}" if failed else ""
    note(f"{name} {worst.label}: peak", worst.megabytes, "MB", LIMIT)
    note(f"{name} {worst.label}: a trial", worst.seconds, "processor seconds")
    kept = "kept" if worst.megabytes <= LIMIT else "exceeded"
    print(f"{name:28}{worst.label:28}{worst.megabytes:8.0f}{worst.seconds:10.1f}   {kept}{beside}", flush=True)


def main() -> None:
    """A line an experiment."""
    parser = argparse.ArgumentParser(description="Peak memory of every experiment's default.")
    parser.add_argument("--quick", action="store_true", help="the first experiment of every paper")
    parser.add_argument("--all", action="store_true", help="every method, in an hour or so")
    parser.add_argument("--only", nargs="+", help="experiments, as PAPER/NAME")
    options = parser.parse_args()
    print(f"\nPeak memory, one process a command; limit {LIMIT:g} MB, processor seconds beside")
    print(f"{'experiment':28}{'method':28}{'MB':>8}{'seconds':>10}")
    seen: set[str] = set()
    found: list[tuple[str, list[Future[Peak]]]] = []
    # Two at once: neither memory nor processor time is shared.
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pair:
        for (slug, name), experiment in registry.experiments().items():
            label = f"{slug}/{name}"
            if (options.only and label not in options.only) or (options.quick and slug in seen):
                continue
            seen.add(slug)
            methods = experiment.methods if options.all else experiment.methods[:1]
            started = [pair.submit(peak, m.name, ["trial", slug, name, m.name, "--seed", "0"], folder) for m in methods]
            found.append((label, started))
        for label, started in found:
            report(label, [each.result() for each in started])
        if not options.quick and not options.only:
            report("gain", [peak("900 points, T = 1,000", GAIN, folder)])


if __name__ == "__main__":
    main()
