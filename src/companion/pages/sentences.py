"""Words with numbers: sentences, captions and text alternatives that stand on the page, filled from results.

The words stand in the notebook's cell, with ``[[name]]`` where a number goes, and the numbers come by name from a study.
So a sentence is found and mended where it is read. What it says in words is guarded: ``true_if`` names the facts on which
it rests. At the book's own settings a fact that no longer holds stops the page, since a result that has turned needs an
author; at a reader's parameters the sentence is shown, marked as written for other ones.
"""

from __future__ import annotations

import html
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import pandas as pd

from companion.core.errors import FindingError, ParameterError
from companion.core.templates import filled
from companion.pages.provenance import Provenance, provenance_of
from companion.pages.tables import Table

if TYPE_CHECKING:
    from companion.pages.figures import Figure

# By name: a table is shown where there is no Matplotlib.
Shown = TypeVar("Shown", "Figure", Table)

#: Whether the page runs at the settings for which its sentences were written; see :func:`written_for`.
_at_book_settings = True


def written_for(book: bool) -> None:
    """Say whether the page runs at the book's own settings, where a sentence that is no longer true stops it."""
    # One page runs in one process.
    global _at_book_settings
    _at_book_settings = book


#: Attributes of a dictionary and of :class:`Numbers`, which would hide a number of that name.
_RESERVED = {*dir(dict), "where"}


class Numbers(dict[str, Any]):
    """Numbers of sentences by name, ``n["name"]`` or ``n.name``, and where they come from.

    ``n | m`` has those of both. A name has one value: both may have it, if with the same.

    Parameters
    ----------
    sources : results that carry where they come from, see :func:`companion.pages.provenance.provenance_of`
    values : the numbers; words and lists of numbers may be among them

    Raises
    ------
    ParameterError
        for a name that is a dictionary's own, or, on merging, one that stands for two values
    """

    def __init__(self, *sources: Any, **values: Any) -> None:
        if hidden := sorted(set(values) & _RESERVED):
            raise ParameterError(
                "values", f"has {', '.join(hidden)}, which numbers.{hidden[0]} would not give", "other names"
            )
        super().__init__(values)
        self.where = Provenance()
        for source in sources:
            self.where += source if isinstance(source, Provenance) else provenance_of(source)

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no number is called {name!r}; there are: {', '.join(self)}") from None

    def __or__(self, other: Mapping[str, Any]) -> Numbers:  # type: ignore[override]
        return Numbers(self.where, provenance_of(other), **one_value(self, other))

    def __ror__(self, other: Mapping[str, Any]) -> Numbers:  # type: ignore[override]
        return Numbers(provenance_of(other), self.where, **one_value(other, self))

    # A dictionary's would put the other's values over its own, and lose where they come from.
    __ior__ = __or__  # type: ignore[assignment]


class Sentence:
    """Markdown made from a template and results; displays as Markdown in a notebook, with where it comes from below."""

    def __init__(self, markdown: str, where: Provenance | None = None) -> None:
        self.markdown = markdown
        self.where = where or Provenance()

    def _repr_markdown_(self) -> str:
        # The blank line ends a list or paragraph, so that what follows is a block of its own.
        return "\n\n".join(part for part in (self.markdown, self.where.html()) if part)

    def __repr__(self) -> str:
        return "\n".join(part for part in (self.markdown, self.where.text()) if part)


def one_value(*parts: Mapping[str, Any]) -> dict[str, Any]:
    """All parts in one; ParameterError for a name that two of them use for different values."""
    found: dict[str, Any] = {}
    for name, value in (item for part in parts for item in part.items()):
        if name in found and not _equal(found[name], value):
            values = " and ".join(textwrap.shorten(repr(each), 100) for each in (found[name], value))
            raise ParameterError(f"numbers[{name!r}]", f"is {values}", "one value", "Give one of the two another name")
        found[name] = value
    return found


def _equal(one: Any, other: Any) -> bool:
    """Whether two numbers, words, or rows or mappings of them are the same; NaN is the same as NaN."""
    one, other = (
        each.to_dict() if isinstance(each, pd.DataFrame) else getattr(each, "tolist", lambda each=each: each)()
        for each in (one, other)
    )
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_equal(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_equal, one, other))
    return bool(one == other or (one != one and other != other))


#: What a sentence rests on: one fact, or facts by the words that name them.
Facts = bool | Mapping[str, bool]


def say(template: str, numbers: Mapping[str, Any] | None = None, *, true_if: Facts = True, digits: int = 3) -> Sentence:
    """Sentences of a page, with numbers from results.

    Parameters
    ----------
    template : Markdown with ``[[name]]`` where a number goes; ``[[name:.1%]]`` gives it a format, and a list of numbers
        is written as ``1, 2 and 3``. After *at least* or before *or more* a number is rounded down, after *at most* up.
        Braces and backslashes mean nothing here; use a raw string for formulas
    numbers : by name, with where they come from: :class:`Numbers`
    true_if : the facts on which the words rest, by what they say: ``{"no run exceeds the bound": n.above == 0}``
    digits : significant digits of numbers without a format

    Raises
    ------
    FindingError
        at the book's own settings, for a fact that does not hold
    ParameterError
        for a name that ``numbers`` does not have

    Examples
    --------
    >>> from companion.pages.sentences import say
    >>> say("No run of [[runs]] exceeds [[bound:.1f]].", {"runs": 20, "bound": 3.14159}, true_if={"none exceeds it": True})
    No run of 20 exceeds 3.1.
    """
    text = filled(textwrap.dedent(template).strip(), numbers or {}, digits)
    if turned := _turned(true_if, text):
        # A quotation, which is shown as one in a notebook too, and may hold lists and folds.
        text = "\n".join(f"> {line}".rstrip() for line in (f"**{_MARK}** {turned}", "", *text.splitlines()))
    return Sentence(text, provenance_of(numbers))


def show(
    shown: Shown, caption: str, numbers: Mapping[str, Any] | None = None, *, alt: str = "", true_if: Facts = True
) -> Shown:
    """A figure or table with its words.

    Parameters
    ----------
    shown : from the chapter's ``figures``
    caption : what to see in it, a template as of :func:`say`; may contain inline HTML
    numbers : by name; a figure lists them as plain text, after those that it was drawn from
    alt : of a figure, what a reader who cannot see it needs to know: a template too
    true_if : the facts on which the words rest, as of :func:`say`
    """
    values = numbers or {}
    words = filled(_one_line(caption), values)
    turned = _turned(true_if, words)
    mark = f"<strong>{_MARK}</strong> {html.escape(turned)} " if turned else ""
    where = shown.where + provenance_of(numbers)
    if isinstance(shown, Table):
        return replace(shown, caption=mark + words, where=where)
    told = (f"{_MARK} {turned} " if turned else "") + filled(_one_line(alt), values)
    return replace(shown, caption=mark + words, alt=told, where=where, numbers=one_value(shown.numbers, values))


_MARK = "Written for the book’s settings."


def _turned(true_if: Facts, text: str) -> str:
    """Facts that do not hold here, in words; empty if all hold."""
    facts = true_if if isinstance(true_if, Mapping) else {"": true_if}
    failed = [words for words, holds in facts.items() if not holds]
    if not failed:
        return ""
    which = "; ".join(words for words in failed if words)
    if _at_book_settings:
        raise FindingError(
            f"a sentence is no longer true{': ' * bool(which)}{which}. It begins: {' '.join(text.split())[:120]!r}. "
            "Find out why the result has turned, then rewrite the sentence in the notebook's cell"
        )
    return f"At these it is not so: {which}." if which else "At these it does not hold."


def _one_line(template: str) -> str:
    return " ".join(template.split())


def cells(rows: pd.DataFrame, label: str, columns: Iterable[str] | Mapping[str, str]) -> dict[str, Any]:
    """Cells of a table as numbers by name, row by row.

    Parameters
    ----------
    rows : the table
    label : what a cell is called: columns of its row in braces, ``{}`` for its own column, as ``noise {noise:g}: {}``
    columns : those that are shown, or the words that name them in labels, by column
    """
    words = columns if isinstance(columns, Mapping) else {column: column for column in columns}
    listed = rows.to_dict("records")
    return {label.format(word, **row): row[column] for row in listed for column, word in words.items()}
