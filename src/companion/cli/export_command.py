"""``companion export``: a paper's evidence as a folder in a form that others read."""

from __future__ import annotations

import argparse
from pathlib import Path

from companion import papers
from companion.cli.show import say, say_json
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
    written = packed.write(folder)
    total = sum(packed.rests_on.values())
    if options.json:
        names = [path.relative_to(folder).as_posix() for path in written]
        content = {"paper": packed.paper, "folder": str(folder), "files": names}
        say_json({**content, "verdicts": total, "basis": dict(sorted(packed.rests_on.items()))})
    else:
        say(f"{len(written)} files in {folder}")
        if total:
            told = ", ".join(f"{name} {count}" for name, count in sorted(packed.rests_on.items()))
            say(f"{total} verdicts, resting on: {told}")
    return 0
