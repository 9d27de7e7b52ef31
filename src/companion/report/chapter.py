"""What every chapter has: parameters of the common kinds, and the run record at its end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from companion.profiles import Parameter, ParameterSet
from companion.report.tables import Table
from companion.report.where import Where, cost_in_words, here
from companion.reproduce.record import versions

#: What differs on every execution is no part of an output; the book fills it in under "where from".
BELOW = "under “where from”"

_FOLDED = "```{{{{solution}}}} {label}\n:class: dropdown\n\n{text}\n```\n"


def folded(label: str, text: str) -> str:
    """The solution of exercise ``label``, folded: a template for :func:`~companion.report.text.say`.

    The braces of its directive are doubled, so that they survive the formatting.
    """
    return _FOLDED.format(label=label, text=text)


def count(name: str, default: int, text: str, low: int, high: int) -> Parameter:
    """A whole number between ``low`` and ``high`` that a notebook may be called with."""
    return Parameter(name, "int", default, text, "companion", low=low, high=high)


def positive(name: str, default: float, text: str, high: float, *, high_open: bool = False) -> Parameter:
    """A number above zero and up to ``high`` (below it if ``high_open``) that a notebook may be called with."""
    return Parameter(name, "float", default, text, "companion", low=0.0, high=high, low_open=True, high_open=high_open)


def checker(parameters: ParameterSet) -> Callable[[Mapping[str, Any]], None]:
    """A function that refuses parameters which a chapter does not accept, before any work.

    It takes the notebook's namespace and raises :class:`~companion.errors.ParameterError`, which names the parameter,
    what is wrong with it and the allowed range.
    """

    def check(values: Mapping[str, Any]) -> None:
        parameters.resolve({name: values[name] for name in parameters.names})

    return check


def record_table(maker: Callable[..., Table], stored: Mapping[str, Any], where: Where) -> Table:
    """What a chapter was computed with: command and versions; and the same of the stored results it loads.

    Nothing here speaks of the code's state, which would make a page stale by an edit that changes no number: whether the
    present code still gives the stored digits is told where the book is built, on its status page.

    Parameters
    ----------
    maker : the chapter's own function, which the *where from* line names
    stored : record of the stored results
    where : where these come from
    """
    from_here = here(maker)
    now = versions()
    kept = stored["versions"]
    rows = [
        ("made by", from_here.sources[0].command, stored["command"]),
        *((name, now[name], kept.get(name, "–")) for name in ("python", "companion", "numpy", "scipy")),
        ("commit", BELOW, stored["commit"][:12]),
        ("date", BELOW, stored["date"][:10]),
        ("run time", BELOW, cost(stored)),
    ]
    return Table(
        pd.DataFrame(rows, columns=["what", "notebook", "stored results"]),
        caption="Run record. Whether the present code still gives the stored digits is on the status page.",
        where=from_here + where,
    )


def cost(stored: Mapping[str, Any]) -> str:
    """What stored runs took, in words: all of them where the record knows it, else its last call and how many it made."""
    settings = stored["settings"]
    if whole := cost_in_words(stored):
        return whole
    made, runs = settings.get("computed"), settings.get("runs")
    if made in (None, runs):
        return f"{stored['seconds']:.0f} s on {stored['machine']['cores']} cores"
    return f"{stored['seconds']:.0f} s for the last {made} of {runs} runs; what the others took was not kept"
