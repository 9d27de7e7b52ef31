"""Results of a page's studies, without a kernel and without drawing: ``python -m companion.pages.studies PAGE.py``.

The code cells are executed one after the other; each study notes a digest of its result in the file that the environment
variable :data:`~companion.pages.provenance.TIMES` names. A sentence that is no longer true stops the page, as in a kernel.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path

from companion.core import instruction_set
from companion.pages.document import code_cells, read_source


def digest_of_studies(times: Path) -> str:
    """One digest of what every study found, from the lines in ``times``; empty where there are none."""
    lines = times.read_text(encoding="utf-8").splitlines() if times.is_file() else []
    found = sorted({(line["key"], line.get("digest", "")) for line in map(json.loads, lines)})
    return hashlib.sha256(repr(found).encode()).hexdigest()[:16] if found else ""


def main() -> int:
    """Execute the cells of the page named on the command line."""
    path = Path(sys.argv[1]).resolve()
    os.chdir(path.parent)
    namespace = {"__name__": "__main__", "display": lambda *shown: None}
    for index, cell in code_cells(read_source(path)):
        exec(compile(cell.source, f"cell {index}", "exec"), namespace)
    return 0


if __name__ == "__main__":
    instruction_set.restart()
    sys.exit(main())
