"""``companion export``: a paper's evidence as a folder in a form that others read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from companion import registry
from companion.cli.arguments import APaper, text
from companion.cli.show import TEXT, Output


def execute(
    paper: APaper,
    /,
    *,
    out: Annotated[str, text("DIR", "a new or empty folder, or an older export")],
    form: Annotated[
        Literal["crate", "mlrc", "codecheck", "optunahub"], text("FORM", "whom it is for (default: crate)")
    ] = "crate",
    output: Output = TEXT,
) -> int:
    """Pack a paper's evidence: RO-Crate, summary, CODECHECK, or its sampler for OptunaHub.

    Everything is packed, then written: nothing is written where something is missing or damaged.

    Example: companion export batched --form mlrc --out folder
    """
    paper = registry.slug_of(paper)
    from companion.exports.forms import FORMS

    packed = FORMS[form](paper, None)
    folder = Path(out)
    written, total = packed.write(folder), sum(packed.rests_on.values())
    names, basis = [path.relative_to(folder).as_posix() for path in written], dict(sorted(packed.rests_on.items()))
    content = {"paper": packed.paper, "folder": str(folder), "files": names, "verdicts": total, "basis": basis}
    resting = (
        f"\n{total} verdicts, resting on: {', '.join(f'{name} {n}' for name, n in basis.items())}" if total else ""
    )
    return output.give(content, lambda: f"{len(written)} files in {folder}{resting}")
