"""Assumptions of statements and bounds, as tests on an instance or a setting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

State = Literal["holds", "trusted", "fails"]


@dataclass(frozen=True)
class Assumption:
    """Something the statement needs, as a test on an instance.

    Parameters
    ----------
    text : in words; may contain ``$LaTeX$``
    holds : from an instance to whether it is met
    violated_by : an instance that violates it, to prove that the test can say no

    Examples
    --------
    >>> from companion.bounds.assumption import Assumption
    >>> positive = Assumption("lambda is positive", lambda setting: setting["lambda"] > 0, violated_by={"lambda": 0.0})
    >>> positive.holds({"lambda": 0.1}), positive.holds(positive.violated_by)
    (True, False)
    """

    text: str
    holds: Callable[[Any], bool]
    violated_by: Any = None


@dataclass(frozen=True)
class AssumptionState:
    """One assumption at one setting: the words, whether it holds, is taken on trust or fails, and what was seen."""

    text: str
    state: State
    detail: str = ""


def _undecided(setting: Any) -> None:
    """Assumptions that no setting can decide."""


@dataclass(frozen=True)
class Premise(Assumption):
    """Assumption of a bound; a setting may leave it undecided.

    Parameters
    ----------
    text : in words; names fields of the setting as ``{0.noise:g}``
    holds : from a setting to whether it is met, ``None`` where it is taken on trust; by default it always is
    seen : from a setting to what decided it

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from companion.bounds.assumption import Premise
    >>> small = Premise("the noise {0.noise:g} is below 1", lambda setting: setting.noise < 1)
    >>> small.at(SimpleNamespace(noise=0.1))
    AssumptionState(text='the noise 0.1 is below 1', state='holds', detail='')
    >>> small.at(SimpleNamespace(noise=2.0)).state, Premise("f is a draw of the prior").at(None).state
    ('fails', 'trusted')
    """

    holds: Callable[[Any], bool | None] = _undecided  # type: ignore[assignment]
    seen: Callable[[Any], str] = lambda setting: ""

    def at(self, setting: Any) -> AssumptionState:
        """Whether it holds at a setting, is taken on trust or fails."""
        met = self.holds(setting)
        state: State = "trusted" if met is None else "holds" if met else "fails"
        return AssumptionState(self.text.format(setting), state, self.seen(setting))
