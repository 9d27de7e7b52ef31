"""Stored results of the papers as tables: runs at their own scale, statements, verdicts, suspected errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion import registry
from companion.core.files import results_folder
from companion.core.optional_libraries import with_advice
from companion.stored.results import StoredTables, load_entries

if TYPE_CHECKING:
    import pandas as pd


@with_advice()
def results(paper: str | int) -> StoredTables:
    """The stored runs of a paper at its own scale, with their record.

    Parameters
    ----------
    paper : its slug, or its chapter

    Returns
    -------
    ``tables``, frames by name, and ``record``, their provenance

    Raises
    ------
    ParameterError
        if there is no such paper
    ResultError
        if a table is missing or is not the one its record is about

    Examples
    --------
    >>> import companion as cp
    >>> found = cp.results("batched")
    >>> sorted(found.tables)
    ['appendix_e', 'appendix_e_repeats', 'appendix_e_ties']
    >>> len(found.record.date)
    25
    """
    return registry.stored_runs(registry.slug_of(str(paper))).load()


def verdicts(paper: str | int | None = None) -> pd.DataFrame:
    """Every printed number beside ours, and the papers' claims, each with a verdict, as the book shows them.

    Returns
    -------
    a row a cell (``kind`` is ``cell``) or a claim; the columns are the fields of ``companion verdicts --json``, those inside
    others with an underscore between, as ``reported_mean``; errors as of :func:`results`

    Examples
    --------
    >>> import companion as cp
    >>> found = cp.verdicts("batched")
    >>> sorted(found.kind.unique())
    ['cell', 'claim']
    >>> {"cell", "reported_mean", "reproduced_mean", "margin", "verdict"} <= set(found.columns)
    True
    """
    return _entries("verdicts", paper)


def ledger(paper: str | int | None = None) -> pd.DataFrame:
    """Every statement with its status, both sides and slack, numbered or not, as stored; errors as of :func:`results`.

    Returns
    -------
    a row a statement; the columns are the fields of ``companion ledger --json``

    Examples
    --------
    >>> import companion as cp
    >>> found = cp.ledger("batched").set_index("id")
    >>> found.loc["lemma-10", ["kind", "status"]].tolist()
    ['inequality', 'holds']
    """
    return _entries("ledger", paper)


def discrepancies(paper: str | int | None = None) -> pd.DataFrame:
    """Every suspected error and how it was decided; errors as of :func:`results`.

    Returns
    -------
    a row a suspicion; the columns are the fields of ``companion discrepancies --json``

    Examples
    --------
    >>> import companion as cp
    >>> bool(cp.discrepancies("batched").confirmed.any())
    True
    """
    return _entries("discrepancies", paper)


@with_advice()
def _entries(name: str, paper: str | int | None) -> pd.DataFrame:
    import pandas as pd

    wanted = registry.declaring("stored_runs") if paper is None else (registry.slug_of(str(paper)),)
    entries = [
        entry
        for slug in wanted
        for entry in load_entries(results_folder(slug), name, f"companion evidence {slug}").entries
    ]
    return pd.json_normalize(entries, sep="_", max_level=1)
