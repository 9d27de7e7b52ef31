"""``companion verdicts``: reported beside reproduced numbers, and the papers' claims, each with a verdict."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

from companion import registry
from companion.cli.arguments import OnePaper, ids_of, text
from companion.cli.maths import plain
from companion.cli.show import TABLE, TableOutput, number, outcome, paragraphs, say, table
from companion.core.errors import known_as
from companion.core.files import results_folder
from companion.core.optional_libraries import advice
from companion.stored.results import load_entries


def execute(
    paper: OnePaper = None,
    /,
    *,
    only: Annotated[
        str | None,
        text("ID", "one claim or cell only, in full and with its reason", name="--id", completer=ids_of("verdicts")),
    ] = None,
    output: TableOutput = TABLE,
) -> int:
    """Set reported beside reproduced numbers, each with a verdict.

    Example: companion verdicts tsrsr --id gp-lowest-mean
    """
    from companion.judge import evidence, multiple_testing
    from companion.judge.ownership import of_companion, of_paper
    from companion.judge.verdict import FAR, far_apart, printed_once

    slug, note = paper and registry.slug_of(paper), ""
    try:
        entries = evidence.verdicts(slug)
    except ModuleNotFoundError as error:  # what was stored needs no library
        if advice(error) is None:
            raise
        note = f"As stored, since {advice(error)}\n"
        wanted = registry.declaring("verdicts", slug)
        entries = [e for one in wanted for e in load_entries(results_folder(one), "verdicts", "").entries]
    if only is not None:
        known_as("id", only, (entry["cell"] for entry in entries))
        entries = [entry for entry in entries if entry["cell"] == only]
    if note and not output.csv:
        output.say(note)
    if output.json or output.csv or only is not None:
        return output.give(entries, lambda: "\n\n".join(map(_in_full, entries)))
    cells, claims = ([entry for entry in entries if entry["kind"] == kind] for kind in ("cell", "claim"))
    for title, chosen in (
        ("Reported cells", printed_once(cells)),
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
        if far := far_apart(entry for entry in cells if entry["paper"] == paper):
            say(
                f"{paper}: {len(far)} cells that cannot be tested as printed are more than {FAR:g} standard errors apart if the "
                f"paper's runs spread as ours"
            )
    return 0


def _in_full(entry: dict[str, Any]) -> str:
    ours, printed, gap = entry["reproduced"], entry["reported"], entry["difference"]
    lines = [f"{entry['paper']} {entry['source']}, {entry['cell']}, {_what(entry)}"]
    lines += [f"  printed in {entry['repeats']} too, and counted there"] if entry.get("repeats") else []
    lines += [f"  claim: {plain(entry['claim'])}"] if entry.get("claim") else []
    lines.append(f"  {entry['kind']}, {outcome(_verdict(entry))}: {entry['reason']}")
    for title, one, kind in (("reported", printed, "spread"), ("reproduced", ours, "sd")):
        spread = f", {one.get('spread_kind', kind)} {number(one[kind])}" if one[kind] is not None else ""
        runs = f", {one['n']} runs" if one["n"] else ""
        lines += [f"  {title}: {number(one['mean'])}{spread}{runs}"] if one["mean"] is not None else []
    if gap["mean"] is not None:
        interval = f", 95 % interval {' to '.join(map(number, gap['ci95']))}" if gap["ci95"] else ""
        lines.append(f"  difference: {number(gap['mean'])}{interval}; margin {number(entry['margin'])}")
    if (under := entry.get("if_spread_as_ours") or {}).get("standard_errors"):
        lines.append(
            f"  if the paper's runs spread as ours: {_verdict(under)}, {abs(under['standard_errors']):.2g} standard errors "
            "apart"
        )
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
