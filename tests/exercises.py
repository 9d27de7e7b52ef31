"""The exercises of a chapter, as they stand in its source."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

from companion.core.files import repository_root
from companion.pages import reading_length
from companion.pages.document import chapters, read_source
from companion.pages.reading_length import ANSWER, CHECK

__all__ = [
    "ANSWER",
    "CHECK",
    "answers_of",
    "check_of",
    "judge",
    "parameters_of",
    "refusal",
    "spoiling",
    "tagged",
    "tried",
]

#: Functions by the words that say what is wrong or different in them, by the exercise for which they are.
Answers = Mapping[str, Mapping[str, Callable[..., Any]]]


@cache
def tagged(stem: str, tag: str) -> tuple[str, ...]:
    """Sources of the code cells of a page with a tag, in their order."""
    chapter = next(chapter for chapter in chapters(repository_root()) if chapter.stem == stem)
    return tuple(reading_length.tagged(read_source(chapter.source).cells, tag))


def check_of(stem: str, name: str) -> Callable[..., Any]:
    """The check of this name, made from its cell alone: a reader copies it without the rest of the page."""
    for source in tagged(stem, CHECK):
        if f"def {name}(" in source:
            namespace: dict[str, Any] = {}
            exec(compile(source, name, "exec"), namespace)
            return namespace[name]  # type: ignore[no-any-return]
    raise LookupError(name)


def answers_of(stem: str) -> dict[str, Callable[..., Any]]:
    """The book's answers by name, without the call of the check that ends their cells."""
    found = {}
    for source in tagged(stem, ANSWER):
        name = source.rstrip().splitlines()[-1].removeprefix("check_").partition("(")[0]
        namespace: dict[str, Any] = {f"check_{name}": lambda function: None, "np": np}  # ch3's cells have no import
        exec(compile(source, name, "exec"), namespace)
        found[name] = namespace[name]
    return found


def refusal(stem: str, name: str, function: Callable[..., Any]) -> str:
    """What the check of an exercise says of this answer; empty if it accepts it."""
    try:
        check_of(stem, f"check_{name}")(function)
    except AssertionError as error:
        return str(error)
    return ""


def tried(right: Answers, wrong: Answers) -> list[Any]:
    """Parameters of a test: name of the exercise, answer, and whether it is right."""
    return [
        pytest.param(name, answer, good, id=f"{name}: {words}")
        for listed, good in ((right, True), (wrong, False))
        for name, answers in listed.items()
        for words, answer in answers.items()
    ]


def judge(stem: str, name: str, function: Callable[..., Any], right: bool) -> None:
    """Fails unless the check accepts a right answer, and says in one line what a wrong one returned and what is right."""
    said = refusal(stem, name, function)
    if right:
        assert not said
        return
    assert said, "a wrong answer is accepted"
    assert "\n" not in said
    assert "returned" in said
    assert "right " in said
    given, _, wanted = said.partition("; right ")
    assert given.rpartition("returned ")[2] != wanted.partition("is ")[2], "too few digits to see the difference"


def spoiling(function: Callable[..., Any], place: int) -> Callable[..., Any]:
    """The same answer, which after its work changes an array or a list among its arguments."""

    def spoilt(*given: Any) -> Any:
        found = function(*given)
        changed = given[place]
        if isinstance(changed, list):
            changed.pop()
        else:
            changed.flat[-1] = not changed.flat[-1] if changed.dtype == bool else changed.flat[-1] + 1
        return found

    return spoilt


def parameters_of(function: Callable[..., Any]) -> list[str]:
    """Names of its arguments."""
    return list(inspect.signature(function).parameters)
