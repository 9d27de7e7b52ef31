"""The key of a run of the student's own, for authors of assignments."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from companion.classroom.questions import Check, Question, Wrong


def own_run(
    value: str,
    run: Callable[[Mapping[str, Any], int], Mapping[str, float]],
    least: int,
    most: int,
    parts: Sequence[tuple[str, int, Sequence[str]]],
    wrong: Sequence[Wrong],
    near: float = 1e-4,
) -> Question:
    """The key of a run of the student's own: a prediction, and numbers of the run that follows from it.

    The run's random numbers hang on the student's and on the prediction, so that this stands before the run was made, and
    another one would have been followed by another run. How near it comes earns nothing.

    Parameters
    ----------
    value : name of the answer, a dict with ``prediction`` and the names of the parts
    run : numbers or lists of them by name, of the student's own numbers and a prediction
    least, most : what may be predicted, a whole number
    parts : name of a check, its points, and names of numbers; each check asks for those of the checks before, too
    wrong : answers that go wrong in the run itself; those that every run has are added
    near : relative and absolute tolerance
    """
    known: dict[str, Mapping[str, Any]] = {}

    def once(mine: Mapping[str, Any], guess: int) -> Mapping[str, Any]:
        return known.get(key := repr((mine, guess))) or known.setdefault(key, run(mine, guess))

    def of_the_run(names: Sequence[str], answer: Any, mine: Any) -> None:
        assert isinstance(answer, dict), "a dict was asked for"
        guess = answer.get("prediction")
        assert type(guess) is int, "the prediction is a whole number"
        assert least <= guess <= most, "the prediction is out of its range"
        wanted = once(mine, guess)
        for name in names:
            assert np.shape(answer[name]) == np.shape(wanted[name]), f"{name} is not of the form asked for"
            same = np.allclose(answer[name], wanted[name], near, near)
            assert same, f"{name} is not that of the run that follows from your prediction; type what was printed"

    names = list(itertools.accumulate((list(more) for _, _, more in parts)))
    checks = [
        Check(part[0], part[1], holds=functools.partial(of_the_run, more))
        for part, more in zip(parts, names, strict=True)
    ]
    guess, last = f'{value}["prediction"]', f'{value}["{names[-1][-1]}"]'
    common = {
        "a prediction made afterwards": f"{guess} += 1 if {guess} < {most} else -1",
        "a prediction out of range": f"{guess} = {most + 1}",
        "no prediction": f"del {guess}",
        "the prediction alone": f'{value} = {{"prediction": {guess}}}',
        "as a text": f"{value} = str({value})",
    }
    end, kept = "# END SOLUTION", sum(points for _, points, _ in parts[:-1])
    every = [Wrong("the last number left out", kept, {end: f"{last} = None"})]
    every += [Wrong(name, 0, {end: change}) for name, change in common.items()]
    return Question(checks=checks, wrong=[*every, *wrong], value=value, typed=True)
