"""Digests by which a committed page shows that it was typed over.

Execution writes them into the record beside the notebook: one for the outputs of every code cell, and one over the
record's own fields, these digests included. They are plain checksums without a key. They guard against typing (a number
mended by hand, a picture exchanged, a merge gone wrong), not against forgery: whoever wants to can compute them. Against
that stands nbval, which makes the outputs again and compares, see ``notebooks/conftest.py``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nbformat import NotebookNode

from companion.pages.pairing import code_cells

#: Fields of a record that hold the digests.
OUTPUTS, SEAL = "outputs", "seal"


def output_digests(notebook: NotebookNode) -> list[str]:
    """SHA-256 for each code cell, in order: its execution count, and its outputs in the order shown.

    An output counts with all its kinds of data (text, HTML, pictures byte for byte) and its metadata.
    """
    return [_digest([cell.execution_count, cell.outputs]) for _, cell in code_cells(notebook)]


def sealed(content: Mapping[str, Any]) -> dict[str, Any]:
    """A record's content with the digest over all its fields."""
    fields = {name: value for name, value in content.items() if name != SEAL}
    return fields | {SEAL: _digest(fields)}


def is_sealed(content: Mapping[str, Any]) -> bool:
    """Do the fields of a record give the digest that it holds?"""
    return sealed(content)[SEAL] == content.get(SEAL)


def typed_over(notebook: NotebookNode, digests: Sequence[str]) -> Iterator[tuple[int | None, str]]:
    """(cell, what is wrong) wherever the outputs of ``notebook`` are not those of its execution.

    Where a code cell was added or is missing, only the first that execution did not make is named: all later ones are
    compared with another's.

    Parameters
    ----------
    notebook : the committed page
    digests : :func:`output_digests` of the execution
    """
    cells, stored = code_cells(notebook), output_digests(notebook)
    if len(stored) != len(digests):
        other = next((n for n, digest in enumerate(stored) if [digest] != list(digests[n : n + 1])), None)
        place = None if other is None else cells[other][0]
        yield place, f"a code cell was added or is missing: {len(stored)} are here, {len(digests)} were executed"
        return
    for (index, cell), made, digest in zip(cells, digests, stored, strict=True):
        if made != digest:
            lost = "" if cell.outputs else ", there are none now"
            yield index, f"its outputs are not those that execution made{lost}"


def _digest(content: Any) -> str:
    plain = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(plain.encode()).hexdigest()
