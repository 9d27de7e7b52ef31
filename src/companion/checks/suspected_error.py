"""Suspected errors of a paper as tests: each is confirmed or dismissed by a computation, and can come out otherwise.

A :class:`SuspectedError` is a suspicion: a check of what is printed, which must fail if the suspicion is right. Its ``test``
computes and returns a :class:`Finding`; whether the lead is confirmed is decided by the numbers in that call, never typed in. The
keyword arguments of the test are what is printed and what would repair it. A *tooth* changes some of them so that the outcome
has to turn: put the repair in place of what is printed, and a confirmed suspicion has to be dismissed; spoil what is right, and
a dismissed one has to be confirmed. A test that comes out one way whatever is printed proves nothing.

A paper declares a lead above its test, with :func:`suspected_error`; what is said of it stands in ``leads.csv``, and what
its findings say, with ``[[names]]`` where numbers go, in ``findings.toml``, see :mod:`companion.checks.inventory`.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

from companion.checks.statement import Bite, Teeth, Tooth
from companion.core.errors import ParameterError
from companion.core.templates import filled, names_in

SEVERITIES = ("major", "medium", "minor")


class Finding:
    """Outcome of the test of a lead: a decision, and the numbers for the sentence that says so.

    Parameters
    ----------
    confirmed : whether the printed text is wrong (or does not say enough), as suspected
    values : the numbers it rests on, which are stored; the sentence takes them by name
    numbers : what else the sentence takes
    """

    def __init__(self, confirmed: bool, values: Mapping[str, Any] | None = None, /, **numbers: Any) -> None:
        self.confirmed, self.values, self.numbers = confirmed, values or {}, numbers


@dataclass(frozen=True, eq=False)
class SuspectedError:
    """A suspected error, inconsistency or loose end.

    Parameters
    ----------
    id : e.g. ``E1``
    printed : what is printed there, in our words; may contain ``$LaTeX$``
    test : computes the :class:`Finding`; its arguments, all with defaults, are the constants of what is printed or of its repair
    teeth : at least one, under each of which the outcome turns
    severity : ``major`` (a claim or procedure is wrong as printed), ``medium`` (a step or number is wrong, the conclusion
        can be repaired) or ``minor`` (notation, looseness); from the inventory, as all that follows
    statement : id of the ledger's entry it belongs to, or empty
    title : a few words
    location : where it stands in the paper
    consequence : what follows if the lead is confirmed
    outcome : what is the case if it is not confirmed; where nothing stands here, ``consequence`` says that as well
    sentence : what is the case, a template as of :func:`companion.core.templates.filled`; from ``findings.toml``
    declared : where the declaration stands, ``module:name``
    data : a word in the names of the values that need data which are not everywhere

    Examples
    --------
    >>> from companion.checks.suspected_error import Finding, suspected_error
    >>> @suspected_error("E1", teeth={"the repaired constant": {"constant": 2.0}})
    ... def e1(constant=1.0):
    ...     "Printed is $x < 1$ for all $x$ in $[0, 2]$."
    ...     return Finding(2.0 > constant, {"excess": 2.0 - constant})
    >>> finding = e1()
    >>> finding.confirmed, finding.values
    (True, {'excess': 1.0})
    >>> [(bite.name, bite.caught) for bite in e1.bites(finding)]
    [('the repaired constant', True)]
    >>> e1.words("batched", finding.confirmed)["printed"]
    'Printed is $x < 1$ for all $x$ in $[0, 2]$.'
    >>> e1.investigate("batched")["confirmed"]
    True
    """

    id: str
    printed: str
    test: Callable[..., Finding]
    teeth: tuple[Tooth, ...]
    severity: str = ""
    statement: str = ""
    title: str = ""
    location: str = ""
    consequence: str = ""
    outcome: str = ""
    sentence: str = ""
    declared: str = ""
    data: str = ""

    def __call__(self, *arguments: Any, **settings: Any) -> Finding:
        """Outcome of the test."""
        return self.test(*arguments, **settings)

    def __post_init__(self) -> None:
        if not self.teeth:
            raise ParameterError("teeth", f"{self.id} has none", "at least one tooth")
        if self.declared and self.severity not in SEVERITIES:
            raise ParameterError("severity", f"{self.id}: got {self.severity!r}", f"one of {', '.join(SEVERITIES)}")

    @property
    def code(self) -> tuple[str, ...]:
        """The definitions on which the outcome rests, as :func:`companion.current.fingerprint.fingerprint` takes them."""
        return (self.declared, *(f"{each.__module__}:{each.__name__}" for each in (self.test, filled)))

    def bites(self, printed: Finding) -> list[Bite]:
        """Test every wrong version, and say whether it came out otherwise than what is ``printed``, and by which numbers."""
        found = []
        for tooth in self.teeth:
            other = self.test(**tooth.change)
            found.append(Bite(tooth.name, bool(other.confirmed) != bool(printed.confirmed), _moved(printed, other)))
        return found

    def found(self, finding: Finding) -> str:
        """What is the case, with numbers; ParameterError for one that is missing, not used or given twice, and a wrong name."""
        place, given, stored = f"the sentence of {self.id}", set(finding.numbers), set(finding.values)
        for problem, names in (("does not take", given - names_in(self.sentence)), ("is given two of", given & stored)):
            if names:
                raise ParameterError(
                    place, f"{problem} {', '.join(sorted(names))}", "each number once, and in the sentence"
                )
        text = filled(self.sentence, {**finding.values, **finding.numbers}, None, place)
        if "[[" in text:
            raise ParameterError(
                place, f"has {text[text.index('[[') :]!r:.40}", "[[ before a name, which begins with a letter"
            )
        return text

    def investigate(self, paper: str, teeth: bool = False) -> dict[str, Any]:
        """Run the test, and with ``teeth`` its wrong versions; one JSON object with the lead's text and the finding."""
        began = time.perf_counter()
        finding = self.test()
        untried = [{"name": tooth.name, "caught": None, "where": ""} for tooth in self.teeth]
        return self.words(paper, finding.confirmed) | {
            "confirmed": bool(finding.confirmed),
            "found": self.found(finding),
            "values": dict(finding.values),
            "teeth": [vars(bite) for bite in self.bites(finding)] if teeth else untried,
            "seconds": time.perf_counter() - began,
        }

    def words(self, paper: str, confirmed: bool) -> dict[str, Any]:
        """Sentence on the suspected error, by its outcome.

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


def _moved(printed: Finding, other: Finding) -> str:
    """The first numbers of a wrong version that are other than those of what is printed."""
    numbers = {name: value for name, value in other.values.items() if isinstance(value, Real)}
    moved = [f"{name} = {value:.4g}" for name, value in numbers.items() if value != printed.values.get(name)]
    return ", ".join(moved[:3])


def suspected_error(
    identifier: str, *, teeth: Teeth, data: str = ""
) -> Callable[[Callable[..., Finding]], SuspectedError]:
    """Declare the suspicion that the function below tests.

    The first paragraph of the function's docstring is what is printed, in our words; it may contain ``$LaTeX$``. ``teeth``
    maps names of wrong versions to the arguments of the function that they change; ``data`` is as of :class:`SuspectedError`.

    Examples
    --------
    >>> from companion.checks.suspected_error import Finding, suspected_error
    >>> @suspected_error("E2", teeth={"the right count": {"terms": 11}})
    ... def e2(terms=10):
    ...     "A sum from 0 to 10 is said to have ten terms."
    ...     return Finding(terms != len(range(0, 11)), {"terms": terms})
    >>> e2.id, e2.printed, e2().confirmed
    ('E2', 'A sum from 0 to 10 is said to have ten terms.', True)
    """

    def declare(test: Callable[..., Finding]) -> SuspectedError:
        printed = inspect.cleandoc(test.__doc__ or "").split("\n\n")[0]
        wrong = tuple(Tooth(name, change) for name, change in teeth.items())
        return SuspectedError(identifier, " ".join(printed.split()), test, wrong, data=data)

    return declare
