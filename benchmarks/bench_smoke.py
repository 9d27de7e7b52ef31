"""Processor seconds of every chapter at the profile ``smoke``, its kernel's among them. Prints a table, stores nothing.

A page is run as ``companion run PAGE --profile smoke`` does it, into a folder of its own; so a reader of the repository runs it
to see whether it works. The unit beside is ``companion list``, which loads NumPy and says what there is.

Run with ``make bench``, or ``python benchmarks/bench_smoke.py [--quick]``.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from bench_memory import Peak, peak
from page import note

from companion import papers

LIMIT = 100.0
"""Most that all chapters may take together, processor seconds."""
RUN = "from pathlib import Path; from companion.pages.running import run; run({0!r}, 'smoke', output_dir=Path.cwd() / {0!r})"


def chapter(slug: str, folder: str) -> Peak:
    """The first page of a chapter."""
    return peak(slug, [], str(Path(folder)), RUN.format(slug))


def main() -> int:
    """A line a chapter; 1 if one failed."""
    parser = argparse.ArgumentParser(description="Processor seconds of every chapter at the profile smoke.")
    parser.add_argument("--quick", action="store_true", help="the same: it takes as long as it takes")
    parser.parse_args()
    print(f"\nChapters at the profile smoke, processor seconds; limit {LIMIT:g} together")
    with tempfile.TemporaryDirectory() as folder:
        unit = peak("list", ["list", "--json"], folder)
        found = [chapter(slug, folder) for slug in papers.chapters()]
    total = sum(each.seconds for each in found)
    for each in [*found, Peak("together", max(one.megabytes for one in found), total, False)]:
        ratio = f"{each.seconds / unit.seconds:8.1f} x list"
        print(f"{each.label:20}{each.seconds:8.1f}{ratio}{each.megabytes:8.0f} MB{'   failed' if each.failed else ''}")
    note(f"{len(found)} chapters at the profile smoke", total, "processor seconds", LIMIT)
    return int(any(each.failed for each in found))


if __name__ == "__main__":
    sys.exit(main())
