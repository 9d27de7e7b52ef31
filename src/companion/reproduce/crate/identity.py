"""Stable ids: what an entry is called inside its paper's evidence, the same as on its page of the book; and what the paper is."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

NAMESPACE = "urn:gp-bandit-companion:"
"""Before the id of every entry: an address that needs no server, and stays when the book moves."""


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


def article(paper: str, root: Path) -> dict[str, Any]:
    """The paper: what its chapter cites first, from the bibliography."""
    (chapter,) = (root / "notebooks").glob(f"ch*_{paper}.py")
    cited = re.search(r"\{cite\}`(\w+)`", chapter.read_text(encoding="utf-8"))
    library = (root / "book" / "references.bib").read_text(encoding="utf-8")
    entry = next((part for part in library.split("\n@") if cited and f"{{{cited[1]}," in part), "")
    fields = dict(re.findall(r"^\s*(\w+) = \{(.*)\},?$", entry, flags=re.MULTILINE))
    eprint = fields.get("eprint")
    address = f"https://arxiv.org/abs/{eprint}" if eprint else f"{NAMESPACE}{paper}"
    return {
        "@id": address,
        "@type": "ScholarlyArticle",
        "name": re.sub(r"[{}]", "", fields.get("title", paper)),
        "author": re.sub(r"[{}]", "", fields.get("author", "")).replace(" and ", "; "),
    }
