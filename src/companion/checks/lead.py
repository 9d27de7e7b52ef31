"""Suspected errors of a paper as tests: each is confirmed or dismissed by a computation, and says what follows.

A :class:`Lead` is a suspicion: what is printed, where, and why it looks wrong. Its ``test`` computes and returns a
:class:`Finding`. A paper declares it above the test, with :func:`lead`; title and place stand in ``leads.csv``, see
:mod:`companion.checks.inventory`. Whether a lead is confirmed is decided by the numbers in that call, never typed in.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from companion.core.errors import ParameterError, nearest

SEVERITIES = ("major", "medium", "minor")


@dataclass(frozen=True)
class Finding:
    """What the test of a lead found.

    Parameters
    ----------
    confirmed : whether the printed text is wrong (or does not say enough), as suspected
    found : what is the case, with numbers inserted from ``values``; may contain ``$LaTeX$``
    values : the numbers it rests on
    """

    confirmed: bool
    found: str
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Lead:
    """A suspected error, inconsistency or loose end.

    Parameters
    ----------
    id : e.g. ``E1``
    severity : ``major`` (a claim or procedure is wrong as printed), ``medium`` (a step or number is wrong, the conclusion
        can be repaired) or ``minor`` (notation, looseness)
    printed : what is printed there, in our words; may contain ``$LaTeX$``
    consequence : what follows if the lead is confirmed
    test : computes the :class:`Finding`
    statement : id of the ledger's entry it belongs to, or empty
    outcome : what is the case if it is not confirmed; where nothing stands here, ``consequence`` says that as well
    title : a few words; from the inventory
    location : where it stands in the paper; from the inventory
    declared : where the declaration stands, ``module:name``
    """

    id: str
    severity: str
    printed: str
    consequence: str
    test: Callable[..., Finding]
    statement: str = ""
    outcome: str = ""
    title: str = ""
    location: str = ""
    declared: str = ""

    def __call__(self, *arguments: Any, **settings: Any) -> Finding:
        """What the test finds."""
        return self.test(*arguments, **settings)

    def __post_init__(self) -> None:
        if self.severity not in SEVERITIES:
            raise ParameterError("severity", f"{self.id}: got {self.severity!r}", f"one of {', '.join(SEVERITIES)}")

    @property
    def code(self) -> tuple[str, ...]:
        """The definitions on which the outcome rests, as :func:`companion.reproduce.meaning.meaning` takes them."""
        return (self.declared, f"{self.test.__module__}:{self.test.__name__}")

    def investigate(self, paper: str) -> dict[str, Any]:
        """Run the test; one JSON object with the lead's text, the finding, and the command that shows it."""
        began = time.perf_counter()
        finding = self.test()
        return self.words(paper, finding.confirmed) | {
            "confirmed": bool(finding.confirmed),
            "found": finding.found,
            "values": dict(finding.values),
            "seconds": time.perf_counter() - began,
        }

    def words(self, paper: str, confirmed: bool) -> dict[str, Any]:
        """What is said of the lead, given what its test decides.

        ``outcome`` is empty for a confirmed lead, of which ``consequence`` says what follows.
        """
        return {
            "paper": paper,
            "id": self.id,
            "title": self.title,
            "severity": self.severity,
            "location": self.location,
            "printed": self.printed,
            "consequence": self.consequence,
            "outcome": "" if confirmed else self.outcome or self.consequence,
            "statement": self.statement,
            "command": f"companion discrepancies {paper} --id {self.id}",
        }


def lead(
    identifier: str, severity: str, *, consequence: str, statement: str = "", outcome: str = ""
) -> Callable[[Callable[..., Finding]], Lead]:
    """Declare the suspicion that the function below tests.

    The first paragraph of the function's docstring is what is printed, in our words; it may contain ``$LaTeX$``. The
    arguments are those of :class:`Lead`.
    """

    def declare(test: Callable[..., Finding]) -> Lead:
        printed = inspect.cleandoc(test.__doc__ or "").split("\n\n")[0]
        return Lead(identifier, severity, " ".join(printed.split()), consequence, test, statement, outcome)

    return declare


def by_id(leads: Iterable[Lead], identifier: str) -> Lead:
    """The lead of that id; :class:`ParameterError` with the nearest known id when there is none."""
    known = {lead.id: lead for lead in leads}
    if identifier not in known:
        raise ParameterError("id", f"got {identifier!r}", f"one of {', '.join(known)}", nearest(identifier, known))
    return known[identifier]
