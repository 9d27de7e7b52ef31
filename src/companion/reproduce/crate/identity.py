"""Stable ids: what an entry is called inside its paper's evidence, the same as on its page of the book."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any


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
