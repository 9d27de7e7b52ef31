"""``companion ledger``: every statement with its status, both sides, slack and teeth."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

from companion import registry
from companion.cli.arguments import Jobs, OnePaper, Teeth, ids_of, text
from companion.cli.maths import plain
from companion.cli.show import (
    TABLE,
    TableOutput,
    number,
    outcome,
    paragraphs,
    require_none,
    table,
    workers_for,
)
from companion.cli.show import teeth as teeth_of


def execute(
    paper: OnePaper = None,
    /,
    *,
    only: Annotated[
        str | None, text("ID", "one statement only, in full", name="--id", completer=ids_of("ledger"))
    ] = None,
    teeth: Teeth = False,
    jobs: Jobs = None,
    output: TableOutput = TABLE,
) -> int:
    """Check every statement, numbered or not: status, both sides, slack.

    The exit code is 1 when a tooth does not bite: such a check proves nothing.

    Example: companion ledger batched --id lemma-10 --teeth
    """
    from companion.judge import evidence

    paper = paper and registry.slug_of(paper)
    entries = evidence.ledger(paper, only and [only], teeth, workers_for("ledger", jobs, paper, only))
    output.give(entries, lambda: "\n\n".join(map(_in_full, entries)) if only else _overview(entries))
    require_none(evidence.faults(entries))
    return 0


def _slack(entry: dict[str, Any]) -> float | None:
    """Right side over left side, nothing where the left one is negative: the ratio would say nothing."""
    return None if entry["lhs"] is not None and entry["lhs"] < 0 else entry["slack"]


def _bitten(entry: dict[str, Any]) -> str:
    caught = [tooth["caught"] for tooth in entry["teeth"]]
    return f"{len(caught)}" if None in caught else f"{sum(caught)}/{len(caught)}" if caught else "-"


def _overview(entries: list[dict[str, Any]]) -> str:
    from companion.judge.ownership import WORDS, of_companion, of_paper, of_part

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
    lines += teeth_of(entry)
    return paragraphs(lines)
