"""Conclusions in words: every claim of ``claims.csv`` is judged by one test of its paper's package."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from companion.errors import CompanionError
from companion.randomness import seeds_opened
from companion.reproduce.record import Record
from companion.reproduce.reported import ReportedClaim
from companion.reproduce.verdict import Part, claim_entry
from companion.reproduce.whose import COMPANION

#: What the test of a claim returns: its parts, each with a verdict of its own, and further fields of the entry.
Parts = tuple[Sequence[Part], Mapping[str, Any]]
Results = TypeVar("Results")


def judge_claims(
    paper: str,
    claims: Sequence[ReportedClaim],
    tests: Mapping[str, Callable[[Results], Parts]],
    results: Results,
    stored: Mapping[str, Any],
    *,
    computed: Collection[str] = (),
    added: Sequence[tuple[ReportedClaim, Callable[[Results], Parts]]] = (),
) -> list[dict[str, Any]]:
    """One object per claim, in the order of the file; see :func:`companion.reproduce.verdict.claim_entry`.

    The field ``whose`` is what ``claims.csv`` says, and the companion's for what is in no such file.

    Parameters
    ----------
    paper : slug
    claims : as printed
    tests : by the id of the claim
    results : what the tests read
    stored : record of the stored runs
    computed : ids whose tests compute something themselves; their record is that of this call
    added : what the companion asks of the runs and no sentence of the paper says, with tests

    Raises
    ------
    CompanionError
        if a claim has no test, or a test no claim
    """
    odd = sorted(set(tests) ^ {claim.id for claim in claims})
    if odd:
        raise CompanionError(f"claims.csv of {paper} and the tests of its claims differ in: {', '.join(odd)}")
    here = Record.now(f"companion verdicts {paper} --json", profile="paper", seeds=[], seconds=0.0, paper=paper)
    found = []
    asked = [(replace(claim, whose=COMPANION), test) for claim, test in added]
    for claim, test in [*((claim, tests[claim.id]) for claim in claims), *asked]:
        began = time.perf_counter()
        with seeds_opened() as opened:
            parts, extra = test(results)
        now = replace(here, seeds=tuple(sorted(opened)), seconds=round(time.perf_counter() - began, 3))
        found.append(
            claim_entry(
                paper=paper,
                source=claim.source,
                cell=claim.id,
                metric="claim",
                parts=parts,
                record=now.to_dict() if claim.id in computed else stored,
                whose=claim.whose,
                claim=claim.claim,
                how_to_test=claim.how_to_test,
                **extra,
            )
        )
    return found
