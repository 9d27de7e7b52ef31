"""``companion verdicts``: reported beside reproduced numbers, and the papers' claims, each with a verdict."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any

from companion import papers
from companion.cli.maths import plain
from companion.cli.show import number, outcome, paragraphs, say, say_csv, say_json, table
from companion.core.errors import ParameterError, nearest
from companion.reproduce import evidence, multiple_testing
from companion.reproduce.ownership import of_companion, of_paper


def execute(options: argparse.Namespace) -> int:
    """Print every cell and claim with its verdict."""
    entries = evidence.verdicts(options.paper and papers.slug_of(options.paper))
    if options.id is not None:
        entries = _named(entries, options.id)
    if options.json or options.csv:
        (say_json if options.json else say_csv)(entries)
        return 0
    if options.id is not None:
        say("\n\n".join(_in_full(entry) for entry in entries))
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


def _named(entries: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """A claim, or what tables print in a cell."""
    found = [entry for entry in entries if entry["cell"] == name]
    if not found:
        known = list(dict.fromkeys(entry["cell"] for entry in entries))
        raise ParameterError("id", f"got {name!r}", f"one of {', '.join(known)}", nearest(name, known))
    return found


def _in_full(entry: dict[str, Any]) -> str:
    ours, printed, gap = entry["reproduced"], entry["reported"], entry["difference"]
    where = ", ".join(filter(None, (entry["source"], entry["cell"], _what(entry))))
    lines = [f"{entry['paper']} {where}", *([f"  claim: {plain(entry['claim'])}"] if entry.get("claim") else [])]
    lines.append(f"  {entry['kind']}, {outcome(_verdict(entry))}: {entry['reason']}")
    spreads = ((printed, printed["spread_kind"], printed["spread"]), (ours, "sd", ours["sd"]))
    for title, (numbers, kind, spread) in zip(("reported", "reproduced"), spreads, strict=True):
        if numbers["mean"] is not None:
            more = f", {kind} {number(spread)}" if spread is not None else ""
            runs = f", {numbers['n']} runs" if numbers["n"] else ""
            lines.append(f"  {title}: {number(numbers['mean'])}{more}{runs}")
    if gap["mean"] is not None:
        low, high = gap["ci95"] or (None, None)
        interval = "" if low is None else f", 95 % interval {number(low)} to {number(high)}"
        lines.append(f"  difference: {number(gap['mean'])}{interval}; margin {number(entry['margin'])}")
    return paragraphs(lines)


def _what(entry: dict[str, Any]) -> str:
    """Of what the numbers are: metric and unit, or what a claim's test compares, where it says so."""
    if entry["kind"] == "claim":
        parts = entry.get("parts") or [{"what": ""}]
        return str(entry.get("interval_of") or parts[0]["what"])
    return f"{entry['metric']}, {entry['unit']}" if entry.get("unit") else str(entry["metric"])


def _verdict(entry: dict[str, Any]) -> str:
    """The verdict, and whether an equivalent number differs all the same."""
    return f"{entry['verdict']}, yet different" if entry.get("also_different") else str(entry["verdict"])


def _overview(entries: list[dict[str, Any]]) -> str:
    header = (
        "source",
        "cell",
        "reported",
        "reproduced",
        "difference",
        "95 % interval",
        "margin",
        "verdict",
        "numbers are",
    )
    rows = []
    for e in entries:
        low, high = e["difference"]["ci95"] or (None, None)
        rows.append(
            (
                e["source"],
                e["cell"],
                number(e["reported"]["mean"]),
                number(e["reproduced"]["mean"]),
                number(e["difference"]["mean"]),
                "-" if low is None else f"{number(low)} to {number(high)}",
                number(e["margin"]),
                _verdict(e),
                _what(e) if (e["reproduced"]["mean"], e["reported"]["mean"]) != (None, None) else "-",
            )
        )
    counts = Counter(map(_verdict, entries))
    summary = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
    return f"{table(header, rows)}\n{len(entries)} in all: {summary}"
