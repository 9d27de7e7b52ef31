"""``codecheck.yml``: which stored table stands for which table or figure of the paper, in the form of CODECHECK.

The form is version 2.0 of the configuration file (https://codecheck.org.uk/spec/config/2.0/), whose rules are listed in
``codecheckers/register``, ``rules-2.0.yml``. What only a codechecker, the authors and the register can say is left out, and named
in a comment: a placeholder would be a fault (rule CC-CFG-023).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import companion
from companion.core.errors import ResultError
from companion.core.files import strict_json
from companion.exports.identity import authors
from companion.exports.pack import MANIFEST, SCRIPT, Export, PaperEvidence, crate, template
from companion.exports.summary import counted, reference


def pack(found: PaperEvidence) -> Export:
    """The crate of the paper with the manifest in it, which is thus the bundle that a codechecker needs."""
    packed = crate(found, {MANIFEST: text(found).encode()})
    return Export(packed.paper, packed.files, packed.rests_on, MANIFEST)


def manifest(found: PaperEvidence) -> dict[str, str]:
    """Stored tables, and what each stands for: which tables and figures its rows are behind, and which its set of runs.

    A verdict of which the rows are not told (:mod:`companion.exports.basis`) is from one of the tables of its record.

    Raises
    ------
    ResultError
        if a verdict rests on a table that is not stored
    """
    stored = sorted(name for name in found.held if name.startswith("results/") and name.endswith(".csv"))
    behind: dict[str, dict[str, dict[str, None]]] = {name: {} for name in stored}
    for entry, rests in zip(found.stored["verdicts"].entries, found.basis, strict=True):
        source, traced = str(entry["source"]), set(_tables(rests))
        if missing := traced.difference(stored):
            raise ResultError(f"{missing.pop()} is not stored, and the verdict on {source} rests on it")
        parts = {f"results/{name}" for name in entry["record"]["settings"].get("sha256", {})}
        if traced or "Table" in source or "Figure" in source:
            for name in traced or parts.intersection(stored):
                behind[name].setdefault("Rows behind" if traced else "One of the files behind", {})[source] = None
    told = {name: [f"{words} {'; '.join(of)}" for words, of in sorted(parts.items())] for name, parts in behind.items()}
    return {name: ". ".join(words[::-1]) or "On no printed table or figure" for name, words in told.items()}


def _tables(rests: Any) -> Iterator[str]:
    """Stored tables that are named anywhere in what a verdict rests on."""
    if isinstance(rests, dict):
        if str(rests.get("table", "")).startswith("results/"):
            yield rests["table"]
        rests = list(rests.values())
    if isinstance(rests, list):
        for part in rests:
            yield from _tables(part)


def text(found: PaperEvidence) -> str:
    """The file; strings are written as JSON, which YAML reads."""
    verdicts = found.stored["verdicts"]
    cells, claims = ([entry for entry in verdicts.entries if entry["kind"] == kind] for kind in ("cell", "claim"))
    told = {
        "title": found.cited.get("title", found.paper),
        "reference": reference(found.cited),
        "summary": f"Printed numbers: {counted(cells)}. Claims and questions: {counted(claims)}. `python {SCRIPT}` "
        "recomputes the verdicts from the files listed here.",
        "source": f"gp-bandit-companion {companion.__version__}: {verdicts.record.command}",
    }
    listed = {
        "manifest": [f"  - file: {strict_json(k)}\n    comment: {strict_json(v)}" for k, v in manifest(found).items()],
        "authors": [f"    - name: {strict_json(name)}" for name in authors(found.cited)] or ["    []"],
    }
    parts = {name: strict_json(value) for name, value in told.items()}
    return template(MANIFEST).format(**parts, **{name: "\n".join(lines) for name, lines in listed.items()})
