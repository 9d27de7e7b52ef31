"""``companion export``: a paper's evidence as a folder in a form that others read."""

from __future__ import annotations

import argparse
from pathlib import Path

from companion import papers
from companion.cli.show import give
from companion.core.errors import ParameterError, nearest
from companion.reproduce.crate.forms import FORMS


def execute(options: argparse.Namespace) -> int:
    """Pack everything, then write it; nothing is written where something is missing or damaged."""
    paper = papers.slug_of(options.paper)
    if options.form not in FORMS:
        raise ParameterError(
            "--form", f"got {options.form!r}", f"one of {', '.join(FORMS)}", nearest(options.form, FORMS)
        )
    packed = FORMS[options.form](paper, None)
    folder = Path(options.out)
    written, total = packed.write(folder), sum(packed.rests_on.values())
    names, basis = [path.relative_to(folder).as_posix() for path in written], dict(sorted(packed.rests_on.items()))
    content = {"paper": packed.paper, "folder": str(folder), "files": names, "verdicts": total, "basis": basis}
    resting = (
        f"\n{total} verdicts, resting on: {', '.join(f'{name} {n}' for name, n in basis.items())}" if total else ""
    )
    return give(options, content, lambda: f"{len(written)} files in {folder}{resting}")
