"""Everything of a paper that is judged: each number that its tables print, and each conclusion in words.

A paper says what its stored runs are, how one printed number is compared (``cell``), and how each claim of ``claims.csv`` is
tested. The rest is the same for all papers and stands here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from companion.core.errors import CompanionError
from companion.core.randomness import seeds_opened
from companion.judge.ownership import COMPANION
from companion.judge.reported import ReportedCell, ReportedClaim, load_claims
from companion.judge.stored_runs import StoredRuns
from companion.judge.verdict import NOT_TESTABLE, Judgement, Part, claim_entry, entry
from companion.stored.record import Record

#: What the test of a claim returns: its parts, each with a verdict of its own, and further fields of the entry.
Parts = tuple[Sequence[Part], Mapping[str, Any]]
#: Why a part is absent, if nothing else is said.
ABSENT = "not among the stored runs"

Results = TypeVar("Results", bound=StoredRuns)
#: Of a claim, on a paper's results.
Test = Callable[[Results], Parts]


@dataclass(frozen=True)
class Verdicts(Generic[Results]):
    """Tests of a paper's printed numbers and claims.

    Attributes
    ----------
    results : the paper's printed numbers and stored runs
    cell : for a printed number the ``judgement`` and ``reproduced`` of :func:`companion.judge.verdict.entry`, and
        whatever its entry says besides
    tests : by the id of the claim
    computed : ids whose tests compute something themselves; their record is that of this call
    asked : what the companion asks of the runs and no sentence of the paper says, with tests; see :func:`questions`
    """

    results: type[Results]
    cell: Callable[[Results, ReportedCell], Mapping[str, Any]]
    tests: Mapping[str, Test[Results]]
    computed: Collection[str] = ()
    asked: Sequence[tuple[ReportedClaim, Test[Results]]] = ()

    def entries(self, root: Path | None = None, only: Collection[str] | None = None) -> list[dict[str, Any]]:
        """One object per printed number, per claim of ``claims.csv``, and per question of the companion's.

        Parameters
        ----------
        root : of the repository
        only : the entries wanted, printed numbers as ``problem, method``, claims by their id; all by default

        Raises
        ------
        DataError
            for faulty reported tables or margins
        ResultError
            when the stored runs are missing or damaged
        CompanionError
            if a claim of ``claims.csv`` has no test, or a test no claim
        """
        results = self.results.read(root)
        wanted = results.cells if only is None else [cell for cell in results.cells if _name(cell) in only]
        cells = [self.cell_entry(results, cell) for cell in wanted]
        return cells + self.claim_entries(results, load_claims(self.results.STORED.paper, root), only)

    def cell_entry(self, results: Results, cell: ReportedCell) -> dict[str, Any]:
        """A printed number beside ours."""
        usual: dict[str, Any] = {
            "paper": self.results.STORED.paper,
            "source": cell.source,
            "cell": _name(cell),
            "metric": cell.metric if cell.at is None else f"{cell.metric}_at_t={cell.at}",
            "kind": "cell",
            "record": results.record,
            "reported": cell.as_printed(),
            "unit": cell.unit,
            "note": cell.note,
        }
        return entry(**(usual | dict(self.cell(results, cell))))

    def claim_entries(
        self, results: Results, claims: Sequence[ReportedClaim], only: Collection[str] | None = None
    ) -> list[dict[str, Any]]:
        """One object per claim and question, with the tested ``parts``; ``whose`` is what ``claims.csv`` says.

        ``only`` as in :meth:`entries`.

        Raises
        ------
        CompanionError
            if a claim has no test, or a test no claim
        """
        paper, odd = self.results.STORED.paper, sorted(set(self.tests) ^ {claim.id for claim in claims})
        if odd:
            raise CompanionError(f"claims.csv of {paper} and the tests of its claims differ in: {', '.join(odd)}")
        here = Record.now(f"companion verdicts {paper} --json", profile="paper", seeds=[], seconds=0.0)
        asked = [(replace(claim, whose=COMPANION), test) for claim, test in self.asked]
        found = []
        for claim, test in [*((claim, self.tests[claim.id]) for claim in claims), *asked]:
            if only is not None and claim.id not in only:
                continue
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
                    record=now.to_dict() if claim.id in self.computed else results.record,
                    whose=claim.whose,
                    claim=claim.claim,
                    how_to_test=claim.how_to_test,
                    **extra,
                )
            )
        return found


def _name(cell: ReportedCell) -> str:
    return f"{cell.problem}, {cell.method}"


def questions(
    asked: Mapping[str, tuple[str, Test[Results]]],
) -> list[tuple[ReportedClaim, Test[Results]]]:
    """Questions of the companion's by id, each with its words and its test, in the form of :attr:`Verdicts.asked`."""
    return [(ReportedClaim(name, COMPANION, words, ""), test) for name, (words, test) in asked.items()]


def absent(what: str, reason: str = ABSENT, extra: Mapping[str, Any] | None = None) -> Part:
    """A part of a claim that no stored run can decide, with what was found besides."""
    return Part(what, Judgement(NOT_TESTABLE, reason), extra=extra or {})
