"""``companion discrepancies``: every suspected error of a paper, tested."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

from companion import registry
from companion.cli.arguments import Jobs, OnePaper, Teeth, ids_of, text
from companion.cli.maths import plain
from companion.cli.show import TABLE, TableOutput, outcome, paragraphs, require_none, workers_for
from companion.cli.show import teeth as teeth_of
from companion.judge.consequence import CONSEQUENCES


def execute(
    paper: OnePaper = None,
    /,
    *,
    only: Annotated[
        str | None, text("ID", "one suspected error only", name="--id", completer=ids_of("discrepancies"))
    ] = None,
    teeth: Teeth = False,
    jobs: Jobs = None,
    output: TableOutput = TABLE,
) -> int:
    """Test every suspected error of a paper, and say what is confirmed.

    The exit code is 1 when a confirmed one was not judged, or a tooth does not bite: such a check proves nothing.

    Example: companion discrepancies batched --id E1
    """
    from companion.judge import evidence

    paper = paper and registry.slug_of(paper)
    entries = evidence.discrepancies(paper, only and [only], teeth, workers_for("discrepancies", jobs, paper, only))
    output.give(entries, lambda: _told(entries))
    require_none(evidence.faults(entries))
    return 0


def _told(entries: list[dict[str, Any]]) -> str:
    ordered = sorted(entries, key=lambda entry: not entry["confirmed"])
    confirmed = sum(entry["confirmed"] for entry in entries)
    count = f"{len(entries)} suspected errors: {confirmed} confirmed, {len(entries) - confirmed} not"
    amounts = Counter(entry["error"]["consequence"] for entry in entries if entry["error"])
    words = ", ".join(f"{amounts[n]} {n}" for n in CONSEQUENCES if amounts[n])
    return "\n\n".join([*map(_text, ordered), count]) + (
        f"\nconfirmed places by what they amount to: {words}" if words else ""
    )


def _text(entry: dict[str, Any]) -> str:
    found = outcome("confirmed") if entry["confirmed"] else "not confirmed"
    lines = [
        f"{entry['paper']} {entry['id']}: {entry['title']} ({entry['location']}); {entry['severity']}, {found}",
        f"  printed: {entry['printed']}",
        f"  found: {entry['found']}",
    ]
    if entry["confirmed"]:
        lines.append(f"  consequence: {entry['consequence']}")
        error = entry["error"]
        lines += [] if error is None else [f"  amounts to: {error['consequence']}; {error['cause']}"]
    else:
        lines.append(f"  outcome: {entry['outcome']}")
    lines += teeth_of(entry)
    return paragraphs(map(plain, lines))
