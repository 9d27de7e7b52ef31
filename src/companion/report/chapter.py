"""What every chapter has: a check of its parameters, and the run record at its end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from companion.profiles import ParameterSet
from companion.report.tables import Table
from companion.report.text import written_for
from companion.report.where import Where, cost_in_words, here
from companion.reproduce.provenance import versions

#: What differs on every execution is no part of an output; the book fills it in under "where from".
BELOW = "under “where from”"


def check_parameters(declared: ParameterSet, namespace: Mapping[str, Any]) -> None:
    """Refuse parameters that a chapter does not accept, before any work, and note whether they are the book's own.

    Parameters
    ----------
    declared : what the chapter may be called with; its defaults are the book's own settings, at which a sentence that is no
        longer true stops the page, see :func:`companion.report.text.say`
    namespace : the notebook's

    Raises
    ------
    ParameterError
        naming the parameter, what is wrong with it and the allowed range
    """
    written_for(declared.resolve({name: namespace[name] for name in declared.names}) == declared.resolve({}))


def run_record(stored: Mapping[str, Any], where: Where, *, spent: float | None = None) -> Table:
    """What a chapter was computed with: command and versions; and the same of the stored results it loads.

    Nothing here speaks of the code's state, which would make a page stale by an edit that changes no number: whether the
    present code still gives the stored digits is told where the book is built, on its status page.

    Parameters
    ----------
    stored : record of the stored results
    where : where these come from
    spent : processor seconds of all stored runs, where their tables know it and the record does not
    """
    from_here = here(run_record)
    now = versions()
    kept = stored["versions"]
    rows = [
        ("made by", from_here.sources[0].command, stored["command"]),
        *((name, now[name], kept.get(name, "–")) for name in ("python", "companion", "numpy", "scipy")),
        ("commit", BELOW, stored["commit"][:12]),
        ("date", BELOW, stored["date"][:10]),
        ("run time", BELOW, cost(stored, spent)),
    ]
    return Table(
        pd.DataFrame(rows, columns=["what", "notebook", "stored results"]),
        caption="Run record. Whether the present code still gives the stored digits is on the status page.",
        where=from_here + where,
    )


def cost(stored: Mapping[str, Any], spent: float | None = None) -> str:
    """What stored runs took, in words: all of them where record or tables know it, else the last call and its number of runs."""
    settings = stored["settings"]
    if whole := cost_in_words(stored):
        return whole
    made, runs = settings.get("computed"), settings.get("runs")
    if spent is not None and made is not None:
        # A call that was interrupted finds part of the runs done: its seconds are not those of all of them.
        total = f"{spent:,.0f}".replace(",", " ")
        return f"last call {stored['seconds']:.0f} s ({made} of {runs} runs); all runs {total} CPU s"
    if made in (None, runs):
        return f"{stored['seconds']:.0f} s on {stored['machine']['cores']} cores"
    return f"{stored['seconds']:.0f} s for the last {made} of {runs} runs; what the others took was not kept"
