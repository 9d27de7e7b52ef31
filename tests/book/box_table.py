"""The record of the page ``decide`` for tests: of the stored runs, and while those on a box are not there, of made-up ones."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any

import pandas as pd
from papers.across.experiments.test_box_study import synthetic

from companion.core.errors import ResultError
from companion.judge.reported import load_margins
from companion.pages import Provenance
from companion.papers.across.experiments.box_study_analysis import BoxStudy
from companion.papers.across.page import box_answers, decide


@lru_cache(maxsize=1)
def study() -> BoxStudy:
    """Stored, or made up."""
    try:
        return BoxStudy.read()
    except ResultError:
        return BoxStudy(synthetic(), load_margins("across"))


def table() -> pd.DataFrame:
    """Its runs."""
    return study().table


@lru_cache(maxsize=1)
def data() -> dict[str, Any]:
    """All that the page looks up."""
    found = decide.answers(decide.data(), box_answers.boxed(study()))
    return found if "mended" in found else found | {"mended": mended("shipped x1.5, 3 times, from 10d")}


def mended(rule: str) -> dict[str, Any]:
    """Of stopping with a fitted model, as its own page has it: made-up rows of median, broken promises in per cent, and stops."""
    told = {
        "shipped": [12, 20.5, 17.1, 24.2, 93.1],
        "known": [14, 2.5, 1.3, 4.2, 90.0],
        "answer": [25, 6.5, 4.5, 9.0, 61.0],
    }
    cells = product((1, 2, 4), (0.03, 0.1, 0.3), (0.1, 0.3, 0.5))
    return {"rule": rule, "rows": {f"{dim} {noise:g} {epsilon:g}": told for dim, noise, epsilon in cells}}


def record() -> tuple[dict[str, Any], Provenance]:
    """For the script of the page."""
    return data(), Provenance()
