"""The verdicts' page: reported beside reproduced numbers, then the claims that a paper makes in words."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from docutils import nodes

from companion.core.files import read_rows
from companion.reproduce import multiple_testing
from companion.reproduce.verdict import CELL_VERDICTS, CLAIM_VERDICTS
from companion_evidence import arrays, common, links, markup
from companion_evidence.data import Chapter, Stored

Entry = Mapping[str, Any]
Reader = Callable[[str], list[nodes.Node]]
DASH = "\N{EN DASH}"
CELLS = ("Where", "What", "Reported", "Ours", "Difference", "95 % interval", "Margin", "Verdict", "If spread as ours")
CLAIMS = ("Where", "Claim", "Reported", "Ours", "95 % interval", "Verdict")

#: Fields that have their own place; a further one is shown under its name.
PLACED = {
    *("paper", "source", "cell", "metric", "kind", "reported", "reproduced", "difference", "margin", "verdict"),
    *("reason", "record", "unit", "note", "parts", "claim", "how_to_test", "assumption", "if_spread_as_ours"),
    *(
        "smallest_margin",
        "smallest_margin_in_sd",
        "power",
        "power_limit",
        "whose",
        "also_different",
        "p_value",
        "several",
    ),
    *("ordering", "one_outcome", "one_outcome_reason", "never_equivalent", "interval_of", "opponent"),
}


#: Columns of ``data/reported/changed_tests.csv`` as the page shows them.
CHANGED = ("Changed", "Chapter", "What it concerns", "Test before", "Test now", "Verdict before", "Verdict now")


def changed_tests(root: Path, chapters: Sequence[Chapter]) -> nodes.table:
    """Tests that were changed after a first look at their verdicts, each leading to the claim as it stands now."""
    known = {chapter.paper: chapter for chapter in chapters}
    rows = []
    for _, row in read_rows(root / "data" / "reported" / "changed_tests.csv")[1]:
        chapter = known[row["paper"]]
        place = common.place(row["id"]) if row["id"] else ""
        rows.append(
            markup.row(
                [
                    markup.cell(row["date"]),
                    markup.cell(str(chapter.number)),
                    markup.cell(links.to_page(row["concerns"], common.page_of("verdicts", chapter), place)),
                    markup.cell(row["old_test"]),
                    markup.cell(row["new_test"]),
                    *(
                        markup.cell(markup.badge(row[name], common.TONES[row[name]]))
                        for name in ("old_verdict", "new_verdict")
                    ),
                ]
            )
        )
    return markup.table(CHANGED, rows)


def build(
    root: Path, chapter: Chapter, files: Mapping[str, Stored], *, whole: bool = True
) -> tuple[nodes.section, list[str]]:
    """The chapter's part of the page, all entries or counts only, and what is wrong with texts in the file."""
    stored, faults = files["verdicts"], list[str]()

    def fill(section: nodes.section) -> None:
        cells = [entry for entry in stored.entries if entry["kind"] == "cell"]
        if not whole:
            counts_only(section, chapter, stored)
            return
        if cells:
            part = markup.section("Numbers", f"verdicts-{chapter.paper}-cells", ("evidence-part",))
            part += common.tally(common.plural(len(cells), "number"), common.outcomes(cells, CELL_VERDICTS))
            part += limits_lines(cells)
            part += assumed_lines(cells, stored, faults)
            # The last column is there only for a paper that prints means without a spread.
            header = CELLS if any(assumed(entry) for entry in cells) else CELLS[:-1]
            rows = [
                line
                for entry in cells
                for line in cell_rows(entry, chapter, len(header), _reader(entry, stored, faults))
            ]
            part += markup.table(header, rows, ("evidence-verdicts", "evidence-cells"))
            section += part
        for kind, title in (("claim", "Claims"), ("question", "Questions of the companion's own")):
            claims = common.of_kind(stored.entries, kind)
            if not claims:
                continue
            part = markup.section(title, f"verdicts-{chapter.paper}-{kind}s", ("evidence-part",))
            counts = common.counted(claims, "verdict", CLAIM_VERDICTS)
            part += common.tally(common.plural(len(claims), kind), counts)
            rows = [line for entry in claims for line in claim_rows(entry, chapter, _reader(entry, stored, faults))]
            part += markup.table(CLAIMS, rows, ("evidence-verdicts", "evidence-claims"))
            section += part

    return common.stored_section("verdicts", chapter, stored, fill), faults


def counts_only(section: nodes.section, chapter: Chapter, stored: Stored) -> None:
    """What was counted, and the way to it."""
    for kind, noun in (("cell", "number"), ("claim", "claim"), ("question", "question")):
        found = common.of_kind(stored.entries, kind)
        if found:
            order = CELL_VERDICTS if kind == "cell" else CLAIM_VERDICTS
            section += common.tally(common.plural(len(found), noun), common.outcomes(found, order))
    section += common.onward("verdicts", chapter, "Each of them")


def assumed(entry: Entry) -> Entry:
    """The verdict under an assumption about the spread that the paper does not print; empty where there is none."""
    found = entry.get("if_spread_as_ours")
    return found if isinstance(found, Mapping) else {}


def assumed_lines(cells: Sequence[Entry], stored: Stored, faults: list[str]) -> list[nodes.Node]:
    """Counts of the verdicts under the assumption, the assumption itself, and what so few runs cannot show."""
    found: list[nodes.Node] = []
    conditional = [assumed(entry) for entry in cells if assumed(entry)]
    if conditional:
        found.append(common.tally("If spread as ours", common.outcomes(conditional, CELL_VERDICTS)))
        found += several_line(conditional, "verdicts under that assumption")
    for field, lead in (("assumption", "Assumed there: "), ("power_limit", ""), ("power", "")):
        said = {str(entry[field]) for entry in cells if entry.get(field)}
        if len(said) == 1:
            lead = "Assumed: " if lead and not conditional else lead
            found.append(markup.paragraph(lead, *common.text(common.full_stop(said.pop()), stored, field, faults)))
    limits = [limit(entry) for entry in [*cells, *conditional]]
    smallest = min((value for value in limits if value is not None), default=None)
    if smallest is not None:
        found.append(
            markup.paragraph(
                "The limit of what can be shown: with so few runs, no equivalence within less than "
                f"{markup.number(smallest, 2)} standard deviations."
            )
        )
    return found


def limits_lines(cells: Sequence[Entry]) -> list[nodes.Node]:
    """How many numbers are shown to differ, counted in three ways, and how many could not have come out otherwise."""
    found = several_line(cells, "numbers that could be tested")
    fixed, never = (sum(bool(entry.get(field)) for entry in cells) for field in ("one_outcome", "never_equivalent"))
    if fixed:
        found.append(
            markup.paragraph(f"{fixed} of {len(cells)} can come out one way only: too little is printed to test them.")
        )
    if never:
        found.append(
            markup.paragraph(
                f"{never} of {len(cells)} could not have been shown to be equivalent: the runs, with their spread, are too "
                "few for the margin."
            )
        )
    return found


def several_line(judged: Sequence[Entry], what: str) -> list[nodes.Node]:
    """How many of several comparisons show a difference: each by itself, and corrected for their number."""
    counts = multiple_testing.counts(judged)
    if not counts["tests"]:
        return []
    alone, by_rate, by_holm = (counts[way] for way in multiple_testing.WAYS)
    return [
        markup.paragraph(
            f"Of {counts['tests']} {what}, {alone} are shown to differ at the 5 % level, each taken by itself. Corrected for "
            f"their number, {by_rate} are after Benjamini and Hochberg, and {by_holm} after Holm."
        )
    ]


def verdict_cell(entry: Entry) -> nodes.entry:
    """The verdict with what restricts it."""
    judged = common.outcome(entry)
    title = judged
    if entry.get("also_different"):
        within = "one run's spread" if (entry["reported"] or {}).get("spread") is not None else "the margin"
        title = f"within {within}, yet different"
    correction = entry.get("several") or {}
    small = [
        "no other verdict possible" if entry.get("one_outcome") else "",
        "too few runs to be equivalent" if entry.get("never_equivalent") else "",
        "not after Holm's correction" if correction.get("differs") and not correction.get("differs_holm") else "",
    ]
    shown = [words for words in small if words]
    return markup.cell(markup.badge(title, common.TONES[judged]), *(_small(shown) if shown else []))


def limit(entry: Entry) -> float | None:
    """Smallest margin, in standard deviations, within which these runs could show an equivalence."""
    value = entry.get("smallest_margin_in_sd")
    return float(value) if isinstance(value, int | float) else None


def reported(values: Entry | None, unit: str = "") -> list[str | nodes.Node]:
    """The paper's number as printed, with its spread, unit and number of runs where stated."""
    if not values or values.get("mean") is None:
        return [DASH]
    found: list[str | nodes.Node] = [markup.number(values["mean"], 8)]
    small = []
    if values.get("spread") is not None:
        found.append(f" ± {markup.number(values['spread'], 6)}")
        small.append(markup.words(str(values.get("spread_kind") or "spread unnamed")))
    if values.get("n") is not None:
        small.append(common.plural(values["n"], "run"))
    return [*found, *_unit(unit), *_small(small)]


def reproduced(values: Entry | None, unit: str = "") -> list[str | nodes.Node]:
    """Our number with its unit, standard deviation over seeds and number of runs."""
    if not values or values.get("mean") is None:
        return [DASH]
    found: list[str | nodes.Node] = [markup.number(values["mean"], 5)]
    small = []
    if values.get("sd") is not None:
        found.append(f" ± {markup.number(values['sd'], 3)}")
        small.append("sd")
    if values.get("n") is not None:
        small.append(common.plural(values["n"], "run"))
    return [*found, *_unit(unit), *_small(small)]


def unit_of(entry: Entry) -> str:
    """The unit that both numbers are in: ``s``, or ``× 0.01`` where a table is printed in hundredths."""
    unit = str(entry.get("unit") or "")
    try:
        scale = float(unit)
    except ValueError:
        return unit
    return "" if scale == 1 else f"× {unit}"


def _unit(unit: str) -> list[str | nodes.Node]:
    return [" ", markup.span(unit, classes=("evidence-unit",))] if unit else []


def interval(difference: Entry | None) -> str:
    """Both ends; one end that a file holds as null is infinite."""
    ends = (difference or {}).get("ci95")
    if not ends or ends == [None, None]:
        return DASH
    low = markup.number(ends[0], 4, absent="\N{MINUS SIGN}\N{INFINITY}")
    high = markup.number(ends[1], 4, absent="\N{INFINITY}")
    return f"[{low}, {high}]"


def cell_rows(entry: Entry, chapter: Chapter, columns: int, text: Reader) -> list[nodes.row]:
    """Two rows: a printed number beside ours, and below them the reason with its details to unfold."""
    conditional = assumed(entry)
    numbers = [
        reported(entry["reported"], unit_of(entry)),
        reproduced(entry["reproduced"], unit_of(entry)),
        [markup.number((entry["difference"] or {}).get("mean"))],
        [interval(entry["difference"])],
        [markup.number(entry["margin"])],
    ]
    cells = [_where(entry, chapter, text), _what(_title(entry["cell"]), _metric(entry["metric"]), text)]
    cells += [markup.cell(*content, classes=("number",)) for content in numbers]
    cells.append(verdict_cell(entry))
    if columns == len(CELLS):
        token = common.outcome(conditional) if conditional else ""
        cells.append(markup.cell(markup.badge(token, common.TONES[token]) if token else DASH))
    facets = {"kind": "cell", "verdict": common.outcome(entry)}
    facets |= {"assumed": common.outcome(conditional)} if conditional else {}
    first = markup.row(cells, common.facets(chapter.paper, **facets), _anchor(entry, chapter))
    unfolded = markup.disclosure(text(common.sentence(entry["reason"] or "where from")), details(entry, text))
    return [first, markup.row([markup.cell(unfolded, columns=columns)], ("evidence-more",))]


def claim_rows(entry: Entry, chapter: Chapter, text: Reader) -> list[nodes.row]:
    """Two rows: a claim with the numbers that decide it, and below them the test with its parts to unfold."""
    claim = str(entry.get("claim") or entry["cell"])
    numbers = [
        reported(entry["reported"], unit_of(entry)),
        [*reproduced(entry["reproduced"], unit_of(entry)), *opponent(entry)],
        [interval(entry["difference"]), *interval_of(entry, text)],
    ]
    first = markup.row(
        [
            _where(entry, chapter, text),
            claim_cell(claim, entry, text),
            *[markup.cell(*content, classes=("number",)) for content in numbers],
            markup.cell(markup.badge(entry["verdict"], common.TONES[entry["verdict"]])),
        ],
        common.facets(chapter.paper, kind=common.kind(entry), verdict=entry["verdict"]),
        _anchor(entry, chapter),
    )
    summary = str(entry.get("how_to_test") or entry["reason"] or "where from")
    unfolded = markup.disclosure(text(common.sentence(summary)), details(entry, text))
    return [first, markup.row([markup.cell(unfolded, columns=len(CLAIMS))], ("evidence-more",))]


def opponent(entry: Entry) -> list[nodes.Node]:
    """What our number is compared with, where that is none of the paper's."""
    found = entry.get("opponent")
    return _small([f"{found['name']}: {markup.number(found['mean'], 5)}"]) if isinstance(found, Mapping) else []


def claim_cell(claim: str, entry: Entry, text: Reader) -> nodes.entry:
    """A claim, and below it the test whose numbers stand in its row: of several, the first that came out like the claim."""
    found = [markup.span(*text(common.sentence(claim)), classes=("evidence-title",))]
    deciding = _deciding(entry)
    small = [markup.span(*text(f"Numbers from the test: {deciding}"), classes=("evidence-place",))] if deciding else []
    return markup.cell(*found, *small, classes=("evidence-name",))


def _deciding(entry: Entry) -> str:
    return next((str(part["what"]) for part in entry.get("parts", ()) if part["verdict"] == entry["verdict"]), "")


def interval_of(entry: Entry, text: Reader) -> list[nodes.Node]:
    """What the interval of a claim is of, unless that is the number under *Ours*, or nothing more is known."""
    ends = (entry["difference"] or {}).get("ci95")
    if not ends or ends == [None, None]:
        return []
    if entry.get("interval_of"):
        return [markup.span(*text(str(entry["interval_of"])), classes=("evidence-place",))]
    ours = (entry["reproduced"] or {}).get("mean")
    low, high = -math.inf if ends[0] is None else ends[0], math.inf if ends[1] is None else ends[1]
    if ours is not None and low <= ours <= high:
        return []
    return _small(["of the test named beside it"]) if _deciding(entry) else []


def details(entry: Entry, text: Reader) -> list[nodes.Node]:
    """What unfolds: the parts of a claim, further facts where there are some, and the record."""
    pairs: list[tuple[str, Sequence[nodes.Node]]] = []
    if entry.get("parts"):
        pairs.append(("Tests", [markup.bullets([part_line(part, text) for part in entry["parts"]])]))
    elif entry.get("how_to_test"):
        pairs.append(("Outcome", [markup.paragraph(*text(common.sentence(entry["reason"])))]))
    if entry.get("ordering"):
        counts = {name: count for name, count in entry["ordering"].items() if count}
        pairs.append(("Printed orders with other methods", [markup.paragraph(markup.describe(counts) or "none")]))
    if entry.get("several"):
        pairs.append(("Several comparisons", [markup.paragraph(p_values(entry))]))
    if entry.get("if_spread_as_ours"):
        pairs.append(("If their spread were ours", conditional_lines(entry["if_spread_as_ours"], text)))
    for term, field in (("Assumption", "assumption"), ("Note", "note"), ("What cannot be shown", "power_limit")):
        if entry.get(field):
            pairs.append((term, [markup.paragraph(*text(common.sentence(str(entry[field]))))]))
    if entry["kind"] == "claim" and entry["margin"] is not None:
        pairs.append(("Margin", [markup.paragraph(markup.number(entry["margin"]))]))
    if entry.get("smallest_margin") is not None:
        pairs.append(("Least margin that could be shown", [markup.paragraph(markup.number(entry["smallest_margin"]))]))
    for field, value in entry.items():
        if field.startswith("percentile"):
            share = markup.paragraph(f"{markup.describe(value)} % of ours lie below the printed number")
            pairs.append((common.sentence(markup.words(field)), [share]))
        elif field not in PLACED and value not in (None, "", {}, []):
            pairs.append((common.sentence(markup.words(field)), arrays.array(value)))
    line = common.where_from(entry["record"])
    found: list[nodes.Node] = [markup.facts(pairs)] if pairs else []
    return [*found, line or markup.paragraph("No run of ours stands behind this entry.", classes=("companion-where",))]


def p_values(entry: Entry) -> str:
    """Welch's p-value, plain and corrected."""
    found = entry["several"]
    return (
        f"p = {markup.number(entry['p_value'], 2)} by itself; of {found['tests']} cells, "
        f"{markup.number(found['p_benjamini_hochberg'], 2)} after Benjamini and Hochberg and "
        f"{markup.number(found['p_holm'], 2)} after Holm"
    )


def conditional_lines(found: Any, text: Reader) -> list[nodes.Node]:
    """The verdict under the assumption, with its reason and the least margin that could be shown."""
    if not isinstance(found, Mapping):
        return [markup.paragraph(*text(markup.describe(found)))]
    judged = common.outcome(found)
    line = markup.paragraph(markup.badge(judged, common.TONES[judged]))
    if found.get("reason"):
        line += [nodes.Text(" "), *text(str(found["reason"]))]
    lines: list[nodes.Node] = [line]
    if found.get("smallest_margin") is not None:
        least = f"Least margin that could be shown: {markup.number(found['smallest_margin'])}"
        least += "" if limit(found) is None else f", or {markup.number(limit(found), 2)} standard deviations"
        lines.append(markup.paragraph(least + "."))
    return lines


def part_line(part: Entry, text: Reader) -> list[str | nodes.Node]:
    """One test of a claim: what, verdict, reason, and further numbers."""
    found: list[str | nodes.Node] = [*text(str(part["what"])), ": "]
    found.append(markup.badge(part["verdict"], common.TONES[part["verdict"]]))
    if part.get("reason"):
        found += [" ", *text(str(part["reason"]))]
    further = {
        markup.words(key): value
        for key, value in part.items()
        if key not in PLACED | {"what"} and value not in (None, "", {}, [])
    }
    if further:
        found.append(markup.span(markup.describe(further), classes=("evidence-place",)))
    return found


def _where(entry: Entry, chapter: Chapter, text: Reader) -> nodes.entry:
    """The place in the paper, and the address of this very row."""
    return markup.cell(
        common.formerly("verdicts", chapter.paper, f"{entry['source']} {entry['cell']} {entry['metric']}"),
        *text(entry["source"]),
        markup.span(common.permalink(_anchor(entry, chapter)), classes=("evidence-place",)),
    )


def _what(title: str, small: str, text: Reader) -> nodes.entry:
    told = markup.span(*text(title), classes=("evidence-title",))
    return markup.cell(told, *(_small([small]) if small else []), classes=("evidence-name",))


def _title(cell: str) -> str:
    """The cell of a table in words: ``example_1d, UCB/compressed`` without what is meant for programs."""
    return common.sentence(cell.replace("_", " ").replace("/", ", ")) if "_" in cell or "/" in cell else cell


def _metric(metric: str) -> str:
    """``regret_at_t=10`` as *regret at t = 10*."""
    return markup.words(metric).replace("=", " = ")


def _anchor(entry: Entry, chapter: Chapter) -> str:
    """A claim by its name; a cell by six digits that stand for table, cell and quantity: short, and the same in any order."""
    if entry["kind"] == "claim":
        return common.place(entry["cell"])
    told = f"{entry['source']} {entry['cell']} {entry['metric']}"
    return f"n-{hashlib.sha256(told.encode()).hexdigest()[:6]}"


def _reader(entry: Entry, stored: Stored, faults: list[str]) -> Reader:
    name = f"{entry['source']}, {entry['cell']}, {entry['metric']}"
    return lambda content: common.text(content, stored, name, faults)


def _small(parts: Sequence[str]) -> list[nodes.Node]:
    return [markup.span(", ".join(parts), classes=("evidence-place",))] if parts else []
