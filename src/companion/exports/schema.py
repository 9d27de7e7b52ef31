"""JSON Schemas of the evidence: of what ``--json`` prints, and of the JSON files of ``data/results``.

One file, ``evidence-1.schema.json`` (draft 2020-12), has a definition for each document. Within a version fields may be added;
none is renamed or left out.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

VERSION = 1
FILE = f"evidence-{VERSION}.schema.json"


@cache
def text() -> str:
    """The whole file."""
    return files("companion.exports").joinpath(FILE).read_text(encoding="utf-8")


def schema(name: str) -> dict[str, Any]:
    """Schema of one document, complete in itself.

    Parameters
    ----------
    name : of a definition, such as ``ledger``, ``trial`` or ``stored-verdicts``
    """
    whole = json.loads(text())
    if name not in whole["$defs"]:
        raise KeyError(f"{name} is none of {', '.join(whole['$defs'])}")
    return {"$schema": whole["$schema"], "$ref": f"#/$defs/{name}", "$defs": whole["$defs"]}
