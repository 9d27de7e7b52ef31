"""``companion evidence``: ledger, verdicts and discrepancies of a paper, computed and stored for the book's pages."""

from __future__ import annotations

import argparse
import time

from companion import papers
from companion.cli.show import give, require_none, worker_count
from companion.core.files import checkout
from companion.reproduce.stored_artefacts import Evidence


def execute(options: argparse.Namespace) -> int:
    """Compute what rests on other code or data than stored, and say what was computed and what came out otherwise.

    Exit code 1 where an author has to mend something; it is stored all the same, so that mending it computes that alone.
    """
    jobs = worker_count(options.jobs)
    kind = Evidence(checkout())
    paper = papers.slug_of(options.paper)
    began = time.monotonic()
    written = kind.store_due(paper, jobs, options.all)
    seconds = time.monotonic() - began
    content = {
        "paper": paper,
        "files": [str(file.path) for file in written],
        "computed": sum(file.computed for file in written),
        "turned": [line for file in written for line in file.turned],
        "seconds": seconds,
    }
    lines = []
    for file in written:
        rest = f"{file.entries - file.computed} stored for the same code and data"
        counts = f"{file.computed} of {file.entries} computed now, {rest}"
        lines += [f"{file.path}: {counts}", *(f"  {line}" for line in file.turned)]
    give(options, content, lambda: "\n".join([*lines, f"{seconds:.1f} s"]))
    require_none([fault for file in written for fault in file.faults])
    return 0
