"""``companion settle``: stored results beside what the code gives now, and the command that accepts what has changed."""

from __future__ import annotations

import argparse
import os
from dataclasses import asdict

from companion.cli.show import give, say, worker_count
from companion.core.files import checkout
from companion.current.settle import settle
from companion.pages.page_artefacts import Pages
from companion.reproduce.stored_artefacts import Evidence, RunSets

#: Seconds for the runs of a set where everything is compared.
THOROUGH = 8.0


def execute(options: argparse.Namespace) -> int:
    """Compare, or accept; 1 where something differs."""
    # Digits depend on the number of threads: kernels and workers compute on one, as ``make`` has it.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    root, jobs = checkout(), worker_count(options.jobs)
    kinds = (RunSets(root, seconds=THOROUGH) if options.all else RunSets(root), Evidence(root), Pages(root))
    found = settle(
        kinds,
        only=() if options.accept else options.names,
        accept=(options.names or ["all"]) if options.accept else (),
        everything=options.all,
        jobs=jobs,
        say=(lambda line: None) if options.json else say,
    )

    def text() -> str:
        lines = list(found.accepted)
        lines.append(
            f"{found.compared} results compared, {found.current} current, {len(found.differences)} differences"
        )
        if found.differences:
            names = " ".join(dict.fromkeys(one.artefact for one in found.differences))
            lines.append(f"If what is made now is right, store it: make settle ACCEPT='{names}'")
        return "\n".join(lines)

    give(options, asdict(found), text)
    return 1 if found.differences else 0
