"""``companion verdicts``: reported beside reproduced numbers, and the papers' claims, each with a verdict."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any

from companion import evidence
from companion.cli.show import number, say, say_json, table


def execute(options: argparse.Namespace) -> int:
    """Print every cell and claim with its verdict."""
    entries = evidence.verdicts(options.paper)
    if options.json:
        say_json(entries)
        return 0
    for kind, title in (("cell", "Reported cells"), ("claim", "Claims")):
        chosen = [entry for entry in entries if entry["kind"] == kind]
        if chosen:
            say(f"{title}\n{_overview(chosen)}\n")
    return 0


def _overview(entries: list[dict[str, Any]]) -> str:
    header = ("source", "cell", "metric", "reported", "reproduced", "difference", "95 % interval", "margin", "verdict")
    rows = []
    for e in entries:
        low, high = e["difference"]["ci95"] or (None, None)
        rows.append(
            (
                e["source"],
                e["cell"],
                e["metric"],
                number(e["reported"]["mean"]),
                number(e["reproduced"]["mean"]),
                number(e["difference"]["mean"]),
                "-" if low is None else f"{number(low)} to {number(high)}",
                number(e["margin"]),
                e["verdict"],
            )
        )
    counts = Counter(entry["verdict"] for entry in entries)
    summary = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
    return f"{table(header, rows)}\n{len(entries)} in all: {summary}"
