"""``companion export``: a paper's evidence as a folder that machines can read, an RO-Crate."""

from __future__ import annotations

import argparse
from pathlib import Path

from companion import papers
from companion.cli.show import give
from companion.reproduce.crate.pack import pack


def execute(options: argparse.Namespace) -> int:
    """Pack everything, then write it; nothing is written where something is missing or damaged."""
    crate = pack(papers.slug_of(options.paper))
    folder = Path(options.out)
    written = crate.write(folder)
    total = sum(crate.rests_on.values())
    names, basis = [path.relative_to(folder).as_posix() for path in written], dict(sorted(crate.rests_on.items()))
    content = {"paper": crate.paper, "folder": str(folder), "files": names, "verdicts": total, "basis": basis}
    resting = ", ".join(f"{name} {n}" for name, n in basis.items())
    return give(options, content, lambda: f"{len(written)} files in {folder}\n{total} verdicts, resting on: {resting}")
