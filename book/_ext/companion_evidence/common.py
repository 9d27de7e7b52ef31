"""What the pages share: names of pages and places, the tone of a verdict, counts, and how a template is filled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from docutils import nodes
from markupsafe import Markup, escape

from companion.core.errors import DataError
from companion.judge import consequence
from companion.judge.consequence import Consequence
from companion.judge.ownership import PAPER, whose
from companion_evidence import arrays, markup
from companion_evidence.data import Chapter, Stored

#: What a directive shows: nodes, and what is wrong.
Made = tuple[list[nodes.Node], list[str]]

_TONES = {
    "good": ("holds", "equivalent", "caught", "not confirmed"),
    "fair": (
        *("holds-with-corrected-constant", "compatible-underpowered", "same-ordering-different-level", "medium"),
        *("equivalent-yet-different", "constants", "of constants"),
    ),
    "bad": (*("fails", "different", "contradicted", "major", "substance", "of substance", "missed", "confirmed"),),
    "quiet": (
        *("not-checkable", "not-testable", "undecided", "minor", "misprint", "none", "no error", "not run"),
        "could not fail",
    ),
}
TONES = {token: tone for tone, tokens in _TONES.items() for token in tokens}
#: Of which an error is, in a count; ``none`` is a remark and no error.
AMOUNTS = {"substance": "of substance", "constants": "of constants", "misprint": "misprint", "none": "no error"}
SEVERAL_AMOUNTS = AMOUNTS | {"misprint": "misprints", "none": "no errors"}

_PREFIXES = {"app": "Appendix", "eq": "Equation", "prop": "Proposition"}


def page_of(name: str, chapter: Chapter) -> str:
    """The page of one kind of a chapter's evidence."""
    return f"book/{name}/{chapter.stem}"


def place(identifier: str) -> str:
    """Id of an entry on the page of its chapter: short, and the same however the page is arranged."""
    return nodes.make_id(identifier)


def spoken(identifier: str) -> str:
    """An inventory id in words: ``prop-3`` is Proposition 3."""
    first, _, rest = identifier.partition("-")
    return f"{_PREFIXES.get(first, first.capitalize())} {rest}".replace("-", " ").strip()


def counted(entries: Iterable[Mapping[str, Any]], field: str, order: Iterable[str]) -> dict[str, int]:
    """How many entries have which value, in the given order; values that do not occur are left out."""
    found = Counter(str(entry[field]) for entry in entries)
    return {value: found[value] for value in order if found[value]}


def kind_of(entry: Mapping[str, Any]) -> str:
    """``cell`` or ``claim``; ``question`` where it is the companion that asks and not the paper that claims, and ``repeat``
    for a number that an earlier table prints too."""
    if entry.get("repeats"):
        return "repeat"
    return "question" if entry["kind"] == "claim" and whose(entry) != PAPER else str(entry["kind"])


def outcome(entry: Mapping[str, Any]) -> str:
    """The verdict, where ``equivalent`` is told apart from equivalent with an interval that leaves out zero."""
    return f"{entry['verdict']}-yet-different" if entry.get("also_different") else str(entry["verdict"])


def outcomes(entries: Iterable[Mapping[str, Any]], order: Iterable[str]) -> dict[str, int]:
    """How many entries came out how, by :func:`outcome`, in the order of the verdicts."""
    found = Counter(map(outcome, entries))
    names = [name for verdict in order for name in (verdict, f"{verdict}-yet-different")]
    return {name: found[name] for name in names if found[name]}


def amounts(
    root: Path, chapter: Chapter, files: Mapping[str, Stored]
) -> tuple[tuple[Consequence, ...] | None, list[str]]:
    """What the chapter's confirmed suspicions amount to, and what is wrong with that table; ``None`` without one."""
    try:
        rows = consequence.load(chapter.paper, root)
    except DataError as error:
        return None, [str(error)]
    if rows is None:
        return None, []
    leads = files["discrepancies"].entries
    known = [str(entry["id"]) for entry in leads], [str(entry["id"]) for entry in files["ledger"].entries]
    faults = [f"errors.csv of {chapter.paper}: there is no {name!r}" for name in consequence.unknown(rows, *known)]
    faults += [
        f"errors.csv of {chapter.paper}: the confirmed lead {name!r} has no row"
        for name in consequence.unjudged(rows, leads)
    ]
    return rows, faults


def amounting(rows: Iterable[Consequence], leads: Iterable[Mapping[str, Any]], what: str) -> dict[str, int]:
    """Number of ``causes`` or ``places`` per consequence, from the gravest, without what does not occur."""
    counts = consequence.counts(rows, leads)
    return {name: found[what] for name, found in counts.items() if found[what]}


def of_kind(entries: Iterable[Mapping[str, Any]], wanted: str) -> list[Any]:
    """The verdicts of one :func:`kind_of`, in their order."""
    return [entry for entry in entries if kind_of(entry) == wanted]


def plural(count: int, noun: str) -> str:
    """A count with its noun."""
    return f"{count} {noun}" + ("" if count == 1 else "s")


def sentence(content: str) -> str:
    """``content`` with a capital at its beginning, as in a table or list of full sentences."""
    return content[:1].upper() + content[1:]


def full_stop(content: str) -> str:
    """``content`` with a full stop, where it has none."""
    done = content.rstrip().endswith((".", "!", "?", "$$")) or not content.strip()
    return content if done else f"{content.rstrip()}."


def day(date: str) -> str:
    """Date and minute of an ISO 8601 time in UTC."""
    return date.replace("T", " ")[:16] + " UTC"


def seeds(values: Iterable[int]) -> str:
    """Seeds in few words."""
    listed = list(values)
    if len(listed) > 1 and listed == list(range(listed[0], listed[0] + len(listed))):
        return f"seeds {listed[0]} to {listed[-1]}"
    return ("seed " if len(listed) == 1 else "seeds ") + ", ".join(str(value) for value in listed)


class Reader:
    """Stored text as mark-up, by the names of entries; text with a broken formula is shown as it is, and reported."""

    def __init__(self, path: Path) -> None:
        self.path, self.faults = path, list[str]()

    def __call__(self, name: str) -> Callable[..., Markup]:
        """What reads one entry: it makes mark-up of a text, by ``inline`` or ``blocks``."""

        def text(content: str, made: Callable[[str], Markup] = markup.inline) -> Markup:
            try:
                return made(content)
            except ValueError as error:
                self.faults.append(f"{self.path}: {name}: {error}")
                return escape(content)

        return text


def render(template: str, **shown: Any) -> list[nodes.Node]:
    """What a template makes of what is to be shown, as nodes."""
    return markup.document(markup.TEMPLATES.get_template(f"{template}.jinja").render(shown))


def section(
    kind: str, chapter: Chapter, files: Mapping[str, Stored], *, whole: bool, faults: Iterable[str] = (), **shown: Any
) -> tuple[nodes.section, list[str]]:
    """A chapter's part of a page that shows one stored file, whole or counts only, and what is wrong with it."""
    stored = files[kind]
    read = Reader(stored.path)
    (found,) = render(kind, kind=kind, chapter=chapter, stored=stored, whole=whole, read=read, **shown)
    return found, [*stored.faults, *faults, *read.faults]


_FILTERS = (
    *(markup.words, markup.number, markup.describe, markup.inline, place, spoken, sentence, full_stop, plural),
    *(day, seeds, outcome, arrays.named),
)
_USED = (place, page_of, counted, outcomes, whose, markup.blocks, arrays.rectangle, arrays.sorted_out)
markup.TEMPLATES.filters |= {function.__name__: function for function in _FILTERS}
markup.TEMPLATES.globals |= {function.__name__: function for function in _USED}
markup.TEMPLATES.globals |= {"TONES": TONES, "NAMED": arrays.NAMED, "LONGEST": arrays.LONGEST}
markup.TEMPLATES.globals |= vars(markup.TEMPLATES.get_template("parts.jinja").module)
