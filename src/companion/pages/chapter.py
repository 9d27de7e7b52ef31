"""Common parts of every chapter: a check of its parameters, and the run record at its end."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from companion.core.files import results_folder
from companion.core.parameters import ParameterSet
from companion.pages.provenance import Provenance, cost_in_words, here
from companion.pages.sentences import written_for
from companion.pages.tables import Table
from companion.stored.provenance import versions

#: What differs on every execution is no part of an output; the book fills it in under "where from".
BELOW = "under “where from”"


def check_parameters(declared: ParameterSet, namespace: Mapping[str, Any]) -> None:
    """Refuse parameters that a chapter does not accept, before any work, and note whether they are the book's own.

    A page sets those that it uses; the others stay at their defaults.

    Parameters
    ----------
    declared : what the chapter may be called with; its defaults are the book's own settings, at which a sentence that is no
        longer true stops the page, see :func:`companion.pages.sentences.say`
    namespace : the notebook's

    Raises
    ------
    ParameterError
        naming the parameter, what is wrong with it and the allowed range
    """
    given = {name: namespace[name] for name in declared.names if name in namespace}
    written_for(declared.resolve(given) == declared.resolve({}))


def run_record(stored: Mapping[str, Any], where: Provenance) -> Table:
    """Provenance of a chapter: command and versions, also of the stored results it loads.

    The time is that of all stored results of the chapter, also where it loads several sets.

    Nothing here speaks of the code's state, which would make a page stale by an edit that changes no number: whether the
    present code still gives the stored digits is told where the book is built, on its status page.

    Parameters
    ----------
    stored : record of the stored results
    where : where these come from
    """
    from_here = here(run_record)
    now = versions()
    kept = stored["versions"]
    rows = [
        ("made by", from_here.sources[0].command, stored["command"]),
        *((name, now[name], kept.get(name, "–")) for name in ("python", "companion", "numpy", "scipy")),
        ("date", BELOW, stored["date"][:10]),
        ("run time", BELOW, core_time(chapter_records(where, stored))),
    ]
    return Table(
        pd.DataFrame(rows, columns=["what", "notebook", "stored results"]),
        caption="Run record. Whether the present code still gives the stored digits is on the status page.",
        where=from_here + where,
    )


def chapter_records(where: Provenance, stored: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Records of all stored results of the chapter that ``where`` leads to; ``stored`` alone if there are no others."""
    for source in where.sources:
        names = source.study.split(".")
        slug = names[2] if names[1:2] == ["papers"] else names[1]
        if found := all_records(results_folder(slug)):
            return found
    return [stored]


def all_records(folder: Path) -> list[Mapping[str, Any]]:
    """Records of the stored tables in a folder, in the order of their names."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.record.json"))]


def core_time(records: Iterable[Mapping[str, Any]]) -> str:
    """Cost of stored results on one core, all together: ``at least 1.2 h on one core``.

    Where the time of every run was kept these are added. Of other calls the clock's time is known, which counts for every core
    at hand. "At least" stands where the time of earlier calls was not kept.
    """
    seconds, whole = 0.0, True
    for record in records:
        settings = record["settings"]
        known = [part["cost"] for part in (settings, *settings.get("renewed", ())) if "cost" in part]
        seconds += sum(cost["core_seconds"] for cost in known)
        if "cost" not in settings:
            seconds += record["seconds"] * record["machine"]["cores"]
            whole &= settings.get("computed") == settings.get("runs")
    amount = (
        f"{seconds / 3600:.1f} h"
        if seconds >= 3600
        else f"{seconds / 60:.0f} min"
        if seconds >= 90
        else f"{seconds:.0f} s"
    )
    return f"{'' if whole else 'at least '}{amount} on one core"


def cost(stored: Mapping[str, Any]) -> str:
    """Cost of one set of stored results in words: all its runs if the record knows it, else the last call and its runs."""
    settings = stored["settings"]
    if whole := cost_in_words(stored):
        return whole
    made, runs = settings.get("computed"), settings.get("runs")
    if made in (None, runs):
        return f"{stored['seconds']:.0f} s on {stored['machine']['cores']} cores"
    return f"{stored['seconds']:.0f} s for the last {made} of {runs} runs; what the others took was not kept"
