"""Seconds to grade many submissions of one assignment, half of them with a typical error. Prints, stores nothing.

Run with ``make bench``, or ``python benchmarks/bench_classroom.py [--quick] [--submissions 100] [--assignment ch3_sizes]``.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

from page import note

from companion.classroom import isolation, source
from companion.classroom.author_checks import reference_cells
from companion.classroom.grading import GradingSetting, grade_folder
from companion.classroom.keys import Keys
from companion.classroom.sandbox_policy import Limits
from companion.classroom.submitted_files import Student


def handed_in(assignment: source.Assignment, folder: Path, count: int) -> list[Student]:
    """Write so many notebooks: right ones and, in turn, every typical wrong answer."""
    wrong = [(question, one) for question, key in assignment.key.items() for one in key.wrong]
    students = [Student(f"s{number:03d}") for number in range(count)]
    for number, student in enumerate(students):
        question, error = wrong[number // 2 % len(wrong)]
        replaced = {question: error.applied(assignment.text("answer", question))} if number % 2 else {}
        cells: list[dict[str, Any]] = [
            {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": text}
            for text in reference_cells(assignment, replaced)
        ]
        content = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
        (folder / f"{student.id}.ipynb").write_text(json.dumps(content), encoding="utf-8")
    return students


def main() -> int:
    """Grade them and print how long it took; 1 if a score was not the expected one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="four submissions")
    parser.add_argument("--submissions", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--assignment", default="ch3_sizes")
    options = parser.parse_args()
    count = 4 if options.quick else options.submissions
    assignment = source.find(options.assignment)
    with tempfile.TemporaryDirectory() as name, isolation.opened() as box:
        folder = Path(name, "submissions")
        folder.mkdir()
        students = handed_in(assignment, folder, count)
        setting = GradingSetting(assignment.path, Keys(b"shown", b"hidden"), box, Limits())
        began, before = time.monotonic(), os.times()
        results, _ = grade_folder(folder, students, setting, Path(name, "out"), options.jobs)
        seconds, after = time.monotonic() - began, os.times()
    spent = sum(after[:4]) - sum(before[:4])  # of this process and of those that it has waited for
    right = sum(result["score"] == assignment.points for result in results)
    print(
        f"{len(results)} submissions of {assignment.name}, {options.jobs} at a time, sandbox {box.rung}: {seconds:.1f} s, "
        f"{seconds / len(results):.2f} s each, "
        f"{spent / len(results):.2f} of a processor; {right} with full marks"
    )
    note(f"a submission of {assignment.name} graded", spent / len(results), "processor seconds")
    return 0 if right == (count + 1) // 2 else 1


if __name__ == "__main__":
    sys.exit(main())
