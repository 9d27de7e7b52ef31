"""Which real data the stored runs of the network used, and what has to be said of the set."""

from __future__ import annotations

from companion.papers.tsrsr.claims.printed import TITLE_OF
from companion.papers.tsrsr.studies.paper import Evidence
from companion.report import say
from companion.report.text import Sentence

COLUMN = "boston-4d"
USED = {
    "boston": "the Boston housing data, as the paper has it",
    "diabetes": "scikit-learn's diabetes data, a stand-in for Boston housing: these numbers cannot be compared with the "
    "printed ones",
}
"""Data sets by their name in the record of the stored runs."""


def say_data(evidence: Evidence) -> Sentence:
    """The data behind Boston-NN-4D, from the record of the stored runs, with the note on the set.

    Raises
    ------
    KeyError
        if the record names a data set that has no description here
    """
    used = evidence.record["settings"].get("data", {}).get(COLUMN)
    said = f"The stored runs of {TITLE_OF[COLUMN]} use {USED[used]}." if used else f"{TITLE_OF[COLUMN]} was not run."
    return say(
        "{said} Boston housing has been withdrawn from scikit-learn because one of its columns encodes a racial assumption; it "
        "is here only because the paper's table rests on it. Where the file is missing, a run made now takes the diabetes data "
        "instead, whose numbers are not comparable.",
        said=said,
        where=evidence.where,
    )
