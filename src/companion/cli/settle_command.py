"""``companion settle``: stored results beside what the code gives now, and the command that accepts what has changed."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import Annotated

from companion.cli.arguments import Jobs, switch, text
from companion.cli.show import TEXT, Output, worker_count
from companion.core.files import checkout

#: Seconds for the runs of a set where everything is compared.
THOROUGH = 8.0


def execute(
    *names: Annotated[
        str,
        text(
            "NAME",
            "pages/ch3_batched, evidence/batched/ledger/lemma-1, runs/batched, or a beginning of it (default: all)",
        ),
    ],
    accept: Annotated[bool, switch("store what the code gives now")] = False,
    everything: Annotated[
        bool, text("", "compare also what rests on the same code and data as before", name="--all")
    ] = False,
    jobs: Jobs = None,
    output: Output = TEXT,
) -> int:
    """Compare stored results with what the code gives, where code or data have changed.

    The exit code is 1 where something differs.

    Example: companion settle pages/ch3_batched --accept
    """
    # Digits depend on the number of threads: kernels and workers compute on one, as ``make`` has it.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    root = checkout()
    from companion.current.run_artefacts import RunSets
    from companion.current.settle import settle
    from companion.judge.evidence_artefacts import EvidenceFiles
    from companion.pages.page_artefacts import Pages

    kinds = (RunSets(root, seconds=THOROUGH) if everything else RunSets(root), EvidenceFiles(root), Pages(root))
    found = settle(
        kinds,
        only=() if accept else names,
        accept=(names or ("all",)) if accept else (),
        everything=everything,
        jobs=worker_count(jobs),
        say=output.say,
    )

    def told() -> str:
        lines = list(found.accepted)
        lines.append(
            f"{found.compared} results compared, {found.current} current, {len(found.differences)} differences"
        )
        if found.differences:
            names = " ".join(dict.fromkeys(one.artefact for one in found.differences))
            lines.append(f"If what is made now is right, store it: make settle ACCEPT='{names}'")
        return "\n".join(lines)

    output.give(asdict(found), told)
    return 1 if found.differences else 0
