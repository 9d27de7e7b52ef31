"""The verdicts' page: reported beside reproduced numbers, then the claims that a paper makes in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from docutils import nodes

from companion_evidence import common, markup
from companion_evidence.data import CELL_VERDICTS, CLAIM_VERDICTS, Chapter, Stored

Entry = Mapping[str, Any]
CELLS = ("Where", "What", "Reported", "Ours", "Difference", "95 % interval", "Margin", "Verdict")
CLAIMS = ("Where", "Claim", "Reported", "Ours", "Difference", "95 % interval", "Verdict")


def build(chapter: Chapter, stored: Stored) -> tuple[nodes.section, list[str]]:
    """The chapter's part of the page, and what is wrong with texts in the file."""
    faults: list[str] = []
    section = common.chapter_section("verdicts", chapter)
    missing = common.absent(chapter, stored)
    if missing is not None:
        section += missing
        return section, faults
    for kind, noun, order, header in (
        ("cell", "number", CELL_VERDICTS, CELLS),
        ("claim", "claim", CLAIM_VERDICTS, CLAIMS),
    ):
        entries = [entry for entry in stored.entries if entry["kind"] == kind]
        if not entries:
            continue
        part = markup.section(f"{noun.capitalize()}s", f"verdicts-{chapter.paper}-{kind}s", ("evidence-part",))
        part += common.tally(common.plural(len(entries), noun), common.counted(entries, "verdict", order))
        part += powers(entries, stored, faults)
        rows = [line for entry in entries for line in entry_rows(entry, chapter, stored, faults)]
        part += markup.table(header, rows, ("evidence-verdicts", f"evidence-{kind}s"))
        section += part
    assert stored.record is not None  # absent() has looked
    section += common.where_from(stored.record.to_dict()) or []
    return section, faults


def power(entry: Entry) -> str:
    """What the entry says about differences too small to be shown with so few reported runs."""
    return str(entry.get("power_limit") or entry.get("power") or "")


def powers(entries: Sequence[Entry], stored: Stored, faults: list[str]) -> list[nodes.Node]:
    """The limit of what can be shown, once, when all cells with one share it."""
    said = {power(entry) for entry in entries} - {""}
    if len(said) != 1:
        return []
    return [markup.paragraph(*common.text(said.pop(), stored, "power limit", faults), classes=("evidence-power",))]


def reported(values: Entry | None) -> list[str | nodes.Node]:
    """The paper's number as printed, with its spread and number of runs where stated."""
    if not values or values.get("mean") is None:
        return ["\N{EN DASH}"]
    found: list[str | nodes.Node] = [markup.number(values["mean"], 8)]
    small = []
    if values.get("spread") is not None:
        found.append(f" ± {markup.number(values['spread'], 6)}")
        small.append(markup.words(str(values.get("spread_kind") or "spread unnamed")))
    if values.get("n") is not None:
        small.append(common.plural(values["n"], "run"))
    return [*found, *_small(small)]


def reproduced(values: Entry | None) -> list[str | nodes.Node]:
    """Our number with its standard deviation over seeds and number of runs."""
    if not values or values.get("mean") is None:
        return ["\N{EN DASH}"]
    found: list[str | nodes.Node] = [markup.number(values["mean"], 5)]
    small = []
    if values.get("sd") is not None:
        found.append(f" ± {markup.number(values['sd'], 3)}")
        small.append("sd")
    if values.get("n") is not None:
        small.append(common.plural(values["n"], "run"))
    return [*found, *_small(small)]


def interval(difference: Entry | None) -> str:
    """Both ends; an end that files hold as null is infinite."""
    ends = (difference or {}).get("ci95")
    if not ends or ends == [None, None]:
        return "\N{EN DASH}"
    low = markup.number(ends[0], 4, absent="\N{MINUS SIGN}\N{INFINITY}")
    high = markup.number(ends[1], 4, absent="\N{INFINITY}")
    return f"[{low}, {high}]"


def entry_rows(entry: Entry, chapter: Chapter, stored: Stored, faults: list[str]) -> list[nodes.row]:
    """Two rows: the numbers, and below them the reason with its details to unfold."""
    name = f"{entry['source']}, {entry['cell']}, {entry['metric']}"

    def text(content: str) -> list[nodes.Node]:
        return common.text(content, stored, name, faults)

    claim = entry["kind"] == "claim"
    metric = text(markup.words(entry["metric"]) if "$" not in entry["metric"] else entry["metric"])
    numbers = [
        reported(entry["reported"]),
        reproduced(entry["reproduced"]),
        [markup.number((entry["difference"] or {}).get("mean"))],
        [interval(entry["difference"])],
    ]
    if not claim:
        numbers.append([markup.number(entry["margin"])])
    first = markup.row(
        [
            markup.cell(*text(entry["source"])),
            markup.cell(
                *text(entry["cell"]), markup.span(*metric, classes=("evidence-place",)), classes=("evidence-name",)
            ),
            *[markup.cell(*content, classes=("number",)) for content in numbers],
            markup.cell(markup.badge(entry["verdict"], common.TONES[entry["verdict"]])),
        ],
        common.facets(chapter.paper, kind=entry["kind"], verdict=entry["verdict"]),
    )
    reason = text(common.sentence(entry["reason"] or "where from"))
    unfolded = markup.disclosure(reason, details(entry, text))
    return [first, markup.row([markup.cell(unfolded, columns=len(CLAIMS if claim else CELLS))], ("evidence-more",))]


def details(entry: Entry, text: Any) -> list[nodes.Node]:
    """What unfolds: further facts where there are some, and the record."""
    pairs: list[tuple[str, Sequence[nodes.Node]]] = []
    for term, field in (
        ("Percentile of the reported number among ours", "percentile"),
        ("If their spread were ours", "if_spread_as_ours"),
        ("Assumption", "assumption"),
    ):
        if entry.get(field) is not None and entry[field] != "":
            shown = markup.describe(entry[field])
            pairs.append((term, [markup.paragraph(*text(shown))]))
    if entry["kind"] == "claim" and entry["margin"] is not None:
        pairs.append(("Margin", [markup.paragraph(markup.number(entry["margin"]))]))
    if power(entry):
        pairs.append(("What cannot be shown", [markup.paragraph(*text(power(entry)))]))
    line = common.where_from(entry["record"])
    found: list[nodes.Node] = [markup.facts(pairs)] if pairs else []
    return [*found, line or markup.paragraph("No run of ours stands behind this entry.", classes=("companion-where",))]


def _small(parts: Sequence[str]) -> list[str | nodes.Node]:
    return [markup.span(", ".join(parts), classes=("evidence-place",))] if parts else []
