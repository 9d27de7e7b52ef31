"""Stable ids: what an entry is called inside its paper's evidence, the same as on its page of the book; and what the paper is."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

#: Before the id of every entry: an address that needs no server, and stays when the book moves.
NAMESPACE = "urn:gp-bandit-companion:"


def identifier(kind: str, entry: Mapping[str, Any]) -> str:
    """Id of a statement, a lead or a verdict: ``batched/ledger/lemma-2``. It does not depend on titles, texts or order.

    A statement, a lead and a claim go by their name; a printed number by six digits that stand for table, cell and metric.

    Parameters
    ----------
    kind : ``ledger``, ``discrepancies`` or ``verdicts``
    """
    if kind == "verdicts" and entry["kind"] == "cell":
        told = f"{entry['source']} {entry['cell']} {entry['metric']}"
        name = f"n-{hashlib.sha256(told.encode()).hexdigest()[:6]}"
    else:
        words = re.sub(r"[^a-z0-9]+", "-", str(entry["cell" if kind == "verdicts" else "id"]).lower())
        name = re.sub(r"^[-0-9]+|-+$", "", words)
    return f"{entry['paper']}/{kind}/{name}"


def cited_reference(paper: str, root: Path) -> dict[str, str]:
    """Bibliography entry that the paper's chapter cites first: fields without the braces."""
    (chapter,) = (root / "notebooks").glob(f"ch*_{paper}.py")
    found = re.search(r"\{cite\}`(\w+)`", chapter.read_text(encoding="utf-8"))
    library = (root / "book" / "references.bib").read_text(encoding="utf-8")
    entry = next((part for part in library.split("\n@") if found and f"{{{found[1]}," in part), "")
    fields = dict(re.findall(r"^\s*(\w+) = \{(.*)\},?$", entry, flags=re.MULTILINE))
    return {name: re.sub(r"[{}]", "", value) for name, value in fields.items()}


def authors(cited: Mapping[str, str]) -> list[str]:
    """Names from the bibliography, the first name first."""
    return [" ".join(reversed(name.split(", "))) for name in cited.get("author", "").split(" and ") if name]


def article(paper: str, root: Path) -> dict[str, Any]:
    """The paper as an RO-Crate names it."""
    fields = cited_reference(paper, root)
    eprint = fields.get("eprint")
    return {
        "@id": f"https://arxiv.org/abs/{eprint}" if eprint else f"{NAMESPACE}{paper}",
        "@type": "ScholarlyArticle",
        "name": fields.get("title", paper),
        "author": fields.get("author", "").replace(" and ", "; "),
    }
