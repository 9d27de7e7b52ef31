"""``companion ledger``: every statement with its status, both sides, slack and teeth."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any

from companion import papers
from companion.cli.maths import plain
from companion.cli.show import give, number, outcome, paragraphs, require_none, table, teeth, workers_for
from companion.reproduce import evidence
from companion.reproduce.ownership import WORDS, of_companion, of_paper, of_part


def execute(options: argparse.Namespace) -> int:
    """Check the statements. Exit code 1 when a tooth does not bite: such a check proves nothing."""
    paper, only = options.paper and papers.slug_of(options.paper), options.id and [options.id]
    entries = evidence.ledger(paper, only, options.teeth, workers_for("ledger", options))
    give(options, entries, lambda: "\n\n".join(map(_in_full, entries)) if options.id else _overview(entries))
    require_none(evidence.faults(entries))
    return 0


def _slack(entry: dict[str, Any]) -> float | None:
    """Right side over left side, nothing where the left one is negative: the ratio would say nothing."""
    return None if entry["lhs"] is not None and entry["lhs"] < 0 else entry["slack"]


def _bitten(entry: dict[str, Any]) -> str:
    caught = [tooth["caught"] for tooth in entry["teeth"]]
    return f"{len(caught)}" if None in caught else f"{sum(caught)}/{len(caught)}" if caught else "-"


def _overview(entries: list[dict[str, Any]]) -> str:
    header = ("paper", "id", "kind", "status", "left", "right", "slack", "trials", "failures", "teeth", "seconds")
    rows = []
    for e in entries:
        sides = [number(e["lhs"]), number(e["rhs"]), number(_slack(e))]
        rows.append((e["paper"], e["id"], e["kind"], e["status"], *sides, e["trials"], e["failures"], _bitten(e)))
    rows = [(*row, f"{e['seconds']:.1f}") for row, e in zip(rows, entries, strict=True)]
    summary = [
        f"{len(chosen)} {label}: {', '.join(f'{n} {status}' for status, n in _statuses(chosen))}"
        for label, chosen in (
            *((f"{words}, of the papers", of_part(of_paper(entries), part)) for part, words in WORDS.items()),
            ("of the companion's own", of_companion(entries)),
        )
        if chosen
    ]
    return "\n".join([table(header, rows), *summary])


def _statuses(entries: list[dict[str, Any]]) -> list[tuple[str, int]]:
    return Counter(entry["status"] for entry in entries).most_common()


def _in_full(entry: dict[str, Any]) -> str:
    lines = [f"{entry['paper']} {entry['id']}: {entry['title']} ({entry['location']})", f"  {plain(entry['latex'])}"]
    lines += [f"  needs: {plain(text)}" for text in entry["assumptions"]]
    if entry["depends"]:
        lines.append(f"  rests on: {', '.join(entry['depends'])}")
    lines.append(f"  {entry['kind']}, {outcome(entry['status'])}: {entry['reason']}".rstrip(": "))
    if entry["trials"]:
        sides = f"left {number(entry['lhs'])}, right {number(entry['rhs'])}, slack {number(_slack(entry))}"
        lines.append(
            f"  tightest of {entry['trials']} trials, {entry['failures']} failures: {entry['where']} ({sides})"
        )
    lines += teeth(entry)
    return paragraphs(lines)
