"""``companion evidence``: ledger, verdicts and discrepancies of a paper, computed and stored for the book's pages."""

from __future__ import annotations

import time
from typing import Annotated

from companion import registry
from companion.cli.arguments import APaper, Jobs, text
from companion.cli.show import TEXT, Output, require_none, worker_count
from companion.core.files import checkout


def execute(
    paper: APaper,
    /,
    *,
    everything: Annotated[
        bool, text("", "also what rests on the same code and data as when it was stored", name="--all")
    ] = False,
    jobs: Jobs = None,
    output: Output = TEXT,
) -> int:
    """Compute ledger, verdicts and discrepancies of a paper and store them for the book.

    What rests on other code or data than stored is computed; what came out otherwise is named. The exit code is 1 where an
    author has to mend something; it is stored all the same, so that mending it computes that alone.

    Example: companion evidence batched
    """
    root = checkout()
    paper = registry.slug_of(paper)
    from companion.judge.evidence_artefacts import EvidenceFiles

    began = time.monotonic()
    written = EvidenceFiles(root).store_due(paper, worker_count(jobs), everything)
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
    output.give(content, lambda: "\n".join([*lines, f"{seconds:.1f} s"]))
    require_none([fault for file in written for fault in file.faults])
    return 0
