"""``companion verdicts``: reported beside reproduced numbers, and the papers' claims, each with a verdict."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any

from companion import papers
from companion.cli.show import number, say, say_json, table
from companion.reproduce import evidence, multiple_testing
from companion.reproduce.ownership import of_companion, of_paper


def execute(options: argparse.Namespace) -> int:
    """Print every cell and claim with its verdict."""
    entries = evidence.verdicts(options.paper and papers.slug_of(options.paper))
    if options.json:
        say_json(entries)
        return 0
    cells, claims = ([entry for entry in entries if entry["kind"] == kind] for kind in ("cell", "claim"))
    for title, chosen in (
        ("Reported cells", cells),
        ("Claims", of_paper(claims)),
        ("Questions of the companion's own", of_companion(claims)),
    ):
        if chosen:
            say(f"{title}\n{_overview(chosen)}\n")
    for paper in dict.fromkeys(entry["paper"] for entry in cells):
        found = multiple_testing.counts(entry for entry in cells if entry["paper"] == paper)
        if found["tests"]:
            plain, by_rate, by_holm = (found[way] for way in multiple_testing.WAYS)
            say(
                f"{paper}: of {found['tests']} tested cells {plain} differ at 5 % each by itself, {by_rate} corrected after "
                f"Benjamini and Hochberg, {by_holm} after Holm"
            )
    return 0


def _verdict(entry: dict[str, Any]) -> str:
    """The verdict, and whether an equivalent number differs all the same."""
    return f"{entry['verdict']}, yet different" if entry.get("also_different") else str(entry["verdict"])


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
                _verdict(e),
            )
        )
    counts = Counter(map(_verdict, entries))
    summary = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
    return f"{table(header, rows)}\n{len(entries)} in all: {summary}"
