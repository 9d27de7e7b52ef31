"""Processor seconds of every chapter at the profile ``smoke``, its kernel's among them. Prints a table, stores nothing.

A chapter is run as ``companion run CHAPTER --profile smoke`` does it, lesson and record, into a folder of its own. The unit
beside is ``companion list``, which loads NumPy and says what there is.

Run with ``make bench``, or ``python benchmarks/bench_smoke.py [--quick]``.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from bench_memory import Peak, peak
from page import note

from companion import registry

#: Most that all chapters may take together, processor seconds.
LIMIT = 100.0
RUN = """
import os
from pathlib import Path
from companion.core import instruction_set
instruction_set.pin()
os.environ.setdefault("OMP_NUM_THREADS", "1")  # two run at once
os.environ["COMPANION_DRAFT"] = "1"
from companion.core.files import checkout
from companion.pages.document import find_pages
from companion.pages.chapter_runs import run
for page in find_pages(checkout(), {0!r})[:{1}]:
    run(page, "smoke", output_dir=Path.cwd() / page.stem)
"""


def chapter(slug: str, folder: str, pages: int) -> Peak:
    """The first pages of a chapter."""
    return peak(slug, [], folder, RUN.format(slug, pages))


def main() -> int:
    """A line a chapter; 1 if one failed."""
    parser = argparse.ArgumentParser(description="Processor seconds of every chapter at the profile smoke.")
    parser.add_argument("--quick", action="store_true", help="lessons without their records")
    options = parser.parse_args()
    pages, what = (1, "lessons") if options.quick else (2, "chapters")
    print(f"\nAll {what} at the profile smoke, processor seconds; limit {LIMIT:g} together")
    with tempfile.TemporaryDirectory() as folder:
        unit = peak("list", ["list", "--json"], folder)
        with ThreadPoolExecutor(2) as pair:  # processor seconds are hardly more when two run at once
            found = list(pair.map(lambda slug: chapter(slug, folder, pages), registry.chapters()))
    total = sum(each.seconds for each in found)
    for each in [*found, Peak("together", max(one.megabytes for one in found), total, False)]:
        ratio = f"{each.seconds / unit.seconds:8.1f} x list"
        print(f"{each.label:20}{each.seconds:8.1f}{ratio}{each.megabytes:8.0f} MB{'   failed' if each.failed else ''}")
    note(f"{len(found)} {what} at the profile smoke", total, "processor seconds", LIMIT)
    return int(any(each.failed for each in found))


if __name__ == "__main__":
    sys.exit(main())
