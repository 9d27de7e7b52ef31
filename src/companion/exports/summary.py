"""A paper's evidence as a reproducibility summary, a page of Markdown: six sections, and a table of the claims.

The sections are those that the ML Reproducibility Challenge asks for (https://paperswithcode.com/rc2020/registration, "Preparing
your report") and that reports in ReScience C carry. Everything in it is counted from what is stored, and each count names the
runs it is of, as R1, R2, ...
"""

from __future__ import annotations

import csv
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from companion.exports.identity import authors
from companion.exports.pack import SUMMARY, Export, PaperEvidence, template
from companion.judge.consequence import CONSEQUENCES
from companion.judge.ownership import PARTS, of_companion, of_paper, of_part
from companion.judge.titles import retitled
from companion.judge.verdict import printed_once
from companion.stored.record import Record

Json = Mapping[str, Any]
CLAIM = ("id", "claim", "where", "whose", "verdict", "margin", "runs")
#: Columns of the table of claims; how many numbers of a confirmed suspicion are shown.
NUMBERS = 3


def reference(cited: Mapping[str, str]) -> str:
    """Address of the paper; the bibliography's words where it has none."""
    return (
        f"https://arxiv.org/abs/{cited['eprint']}"
        if "eprint" in cited
        else cited.get("howpublished", "not in the bibliography")
    )


def counted(entries: Iterable[Json], status: str = "verdict") -> str:
    """``26 equivalent, 3 different``, the most frequent first."""
    found = sorted(Counter(str(entry[status]) for entry in entries).items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(f"{number} {word}" for word, number in found) or "none"


class _Runs:
    """The runs behind what is counted, called R1, R2, ... in the order in which they are named."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], list[Record]] = {}

    def of(self, record: Record | Json) -> str:
        """Names of a record's runs; entries of one call differ in their seeds."""
        given = record if isinstance(record, Record) else Record.from_dict(record)
        key = (given.command, given.date)
        self._known.setdefault(key, []).append(given)
        return f"R{list(self._known).index(key) + 1}"

    def name(self, entries: Iterable[Json]) -> str:
        found = {self.of(entry["record"]) for entry in entries}
        return ", ".join(sorted(found, key=lambda name: int(name[1:]))) or "no runs"

    def table(self) -> str:
        lines = []
        for place, ((command, date), records) in enumerate(self._known.items(), 1):
            settings, seeds = records[0].settings, max(len(record.seeds) for record in records)
            stored = settings.get("runs", settings.get("computed", "-"))
            lines.append((f"R{place}", f"`{command}`", seeds, stored, date[:10]))
        return _table(("runs", "command", "seeds", "stored runs", "date"), lines)


def pack(found: PaperEvidence) -> Export:
    """The summary, alone in its folder."""
    return Export(found.paper, {SUMMARY: text(found).encode()}, found.rests_on, SUMMARY)


def text(found: PaperEvidence) -> str:
    """The summary of a paper."""
    runs, verdicts = _Runs(), found.stored["verdicts"].entries
    cells, claims = ([entry for entry in verdicts if entry["kind"] == kind] for kind in ("cell", "claim"))
    ledger, leads = found.stored["ledger"], found.stored["discrepancies"]
    levels = tomllib.loads(found.held["reported/margins.toml"].decode())
    rules = [levels["rules"][one["printed"]["rule"]] for one in found.basis if "printed" in one]
    of_cells = [(cell, rule) for cell, rule in zip(cells, rules, strict=True) if printed_once([cell])]
    cells = [cell for cell, _ in of_cells]
    margins = [
        *(_of_cell(*pair) for pair in of_cells),
        *("a margin" if _ends(one) else "none, a side or a count" for one in claims),
    ]
    codes = found.held.get("reported/text_and_code.csv", b"")
    titled = retitled(found.root, found.paper, "discrepancies", leads.entries)
    confirmed, statements = [lead for lead in titled if lead["confirmed"]], of_paper(ledger.entries)
    could_fail, premises = (of_part(statements, part) for part in PARTS)
    told = {
        "title": found.cited.get("title", found.paper),
        "authors": ", ".join(authors(found.cited)) or "Authors not in the bibliography",
        "reference": reference(found.cited),
        "results": _results(runs, zip([*cells, *claims], margins, strict=True)),
        "ledger_runs": runs.of(ledger.record),
        "lead_runs": runs.of(leads.record),
        "versions": ", ".join(f"{name} {version}" for name, version in ledger.record.versions.items()),
        "levels": levels,
        "settings": sum(1 for _ in csv.DictReader(codes.decode().splitlines())),
        "statements": len(statements),
        "could_fail": len(could_fail),
        "statuses": counted(could_fail, "status"),
        "premises": counted(premises, "status"),
        "holding": sum(statement["status"] == "holds" for statement in could_fail),
        "suspicions": len(titled),
        "confirmed": len(confirmed),
        "dismissed": len(titled) - len(confirmed),
        "difficult": _difficult(confirmed),
        "traced": found.rests_on["stored runs"],
        "table": _table(CLAIM, (_claim(entry, runs) for entry in claims)),
    }
    groups = {
        "claim": of_paper(claims),
        "cell": cells,
        "question": of_companion(claims),
        "verdict": printed_once(verdicts),
    }
    for name, entries in groups.items():
        told |= {f"{name}s": len(entries), f"{name}_runs": runs.name(entries)}
    return template(SUMMARY).format_map(told | {"runs": runs.table()})


def _table(header: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    rows = [header, ["---"] * len(header), *lines]
    return "\n".join(f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in row)} |" for row in rows)


def _results(runs: _Runs, judged: Iterable[tuple[Json, str]]) -> str:
    """Verdicts counted by kind, owner and margin."""
    groups: dict[tuple[str, str], list[Json]] = {}
    for entry, margin in judged:
        kind = "printed number" if entry["kind"] == "cell" else f"claim of the {entry['whose']}"
        groups.setdefault((kind, margin), []).append(entry)
    lines = [(*group, counted(entries), runs.name(entries)) for group, entries in groups.items()]
    return _table(("what", "margin", "verdicts", "runs"), lines)


def _of_cell(entry: Json, rule: Json) -> str:
    """Rule for the margin of a printed number."""
    if rule["kind"] == "exact" or entry["reported"]["spread"] is None:
        return f"{rule['share']:.0%} of the printed mean" if "share" in rule else "exact"
    return f"{rule['spreads']:g} standard deviation, as printed"


def _claim(entry: Json, runs: _Runs) -> list[str]:
    """One line of the table of claims, with the least and the largest margin of its parts."""
    said = [entry["cell"], entry["claim"], entry["source"], entry["whose"], entry["verdict"]]
    return [*said, " to ".join(f"{end:.3g}" for end in _ends(entry)) or "-", runs.of(entry["record"])]


def _ends(entry: Json) -> list[float]:
    margins = [part["margin"] for part in entry["parts"] if part["margin"] is not None]
    return sorted({min(margins), max(margins)}) if margins else []


def _difficult(confirmed: Sequence[Json]) -> str:
    """Confirmed suspicions by what they amount to; those of the gravest kind with their numbers."""
    lines: list[str] = []
    for kind in (*CONSEQUENCES, "not judged"):
        leads = [lead for lead in confirmed if (lead["error"] or {"consequence": "not judged"})["consequence"] == kind]
        names = f": {', '.join(str(lead['id']) for lead in leads)}" if lines else ""
        told = [
            f"  - {lead['id']}. {lead['title']} ({'; '.join([*_flat(lead['values'])][:NUMBERS])})" for lead in leads
        ]
        lines += [f"- **{kind}**, {len(leads)}{names}", *([] if lines else told)] if leads else []
    return "\n".join(lines) or "None."


def _flat(values: Json, path: str = "") -> Iterator[str]:
    """Numbers by name; of a row of numbers its ends."""
    for name, value in values.items():
        row = value if isinstance(value, list) else [value]
        if isinstance(value, Mapping):
            yield from _flat(value, f"{path}{name}, ")
        elif row and all(isinstance(one, int | float) and not isinstance(one, bool) for one in row):
            yield f"{path}{name}: " + " to ".join(f"{end:.4g}" for end in sorted({min(row), max(row)}))
