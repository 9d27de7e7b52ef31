"""``companion evidence``: ledger, verdicts and discrepancies of a paper, computed and stored for the book's pages."""

from __future__ import annotations

import argparse
import time

from companion import evidence, papers
from companion.cli.show import say, say_json, worker_count
from companion.files import checkout


def execute(options: argparse.Namespace) -> int:
    """Compute all three and say which files were written."""
    jobs = worker_count(options.jobs)
    checkout()
    paper = papers.slug_of(options.paper)
    began = time.monotonic()
    written = evidence.store(paper, jobs=jobs)
    seconds = time.monotonic() - began
    if options.json:
        say_json({"paper": paper, "files": [str(path) for path in written], "seconds": seconds})
    else:
        for path in written:
            say(str(path))
        say(f"{seconds:.1f} s")
    return 0
