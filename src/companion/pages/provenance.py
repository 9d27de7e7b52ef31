"""Provenance of a number on a page: the command, profile, seeds and study behind it, shown small beside it.

A study is a function of a paper whose result feeds figures, tables and sentences. :func:`recorded` marks it: its result
then carries a :class:`Provenance`, and :func:`provenance_of` hands that on to whatever shows the result. Only facts that are the
same on every rerun are part of a page's output. What differs, date and seconds, is kept in the record beside the notebook
and filled in when the book is built; for stored results it is known and shown at once. Commits are those of version control.
"""

from __future__ import annotations

import functools
import hashlib
import html
import inspect
import json
import os
import pickle
import sys
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import pandas as pd

from companion.core.errors import ParameterError, SeedError
from companion.core.randomness import seeds_opened
from companion.stored.results import StoredSet

#: Environment variables of a notebook run: the command that was given, its profile, and a file for the studies' times.
COMMAND, PROFILE, TIMES = "COMPANION_COMMAND", "COMPANION_PROFILE", "COMPANION_TIMES"
#: The profile whose values are the defaults in the parameters cell.
BOOK = "book"

P = ParamSpec("P")
R = TypeVar("R")

_PLAIN = (bool, int, float, str)


@dataclass(frozen=True)
class Source:
    """One run behind a number.

    Attributes
    ----------
    command : what to type to get the number again
    profile : parameter set
    seeds : integer seeds in order; empty where nothing is random
    study : dotted name of the function that computed it
    call : the call, with its plain arguments
    run : for stored results date and seconds; empty for a live run, whose record lies beside the notebook
    made : when a stored result was made, as its record says: the book finds the record's commit by it
    """

    command: str
    profile: str
    seeds: tuple[int, ...]
    study: str
    call: str
    run: str = ""
    made: str = ""

    @property
    def key(self) -> str:
        """Twelve hexadecimal digits that stand for the study and its arguments; the record is looked up by them."""
        return hashlib.sha256(f"{self.study}\n{self.call}".encode()).hexdigest()[:12]

    def text(self) -> str:
        """One line of plain text."""
        parts = [self.command, f"profile {self.profile}", seeds_in_words(self.seeds), self.call, self.run]
        return ", ".join(part for part in parts if part)

    def html(self) -> str:
        """The same as HTML; ``data-study`` and ``data-key`` are what the book's build fills the record in by."""
        made = f' data-made="{self.made}"' if self.made else ""
        run = (
            f'<span class="run"{made}>{html.escape(self.run)}</span>'
            if self.run
            else f'<span class="run" data-key="{self.key}"></span>'
        )
        parts = [
            f'<code class="command">{html.escape(self.command)}</code>',
            f"profile {html.escape(self.profile)}",
            seeds_in_words(self.seeds),
            f'<code class="call" data-study="{html.escape(self.study)}">{html.escape(self.call)}</code>',
        ]
        return f'<span class="source">{" · ".join(parts)}{" · " if self.run else ""}{run}</span>'


@dataclass(frozen=True)
class Provenance:
    """The sources of a figure, table or sentence, each once, in order."""

    sources: tuple[Source, ...] = field(default=())

    def __add__(self, other: Provenance) -> Provenance:
        return Provenance(tuple(dict.fromkeys(self.sources + other.sources)))

    def text(self) -> str:
        """Plain text, one source a line."""
        return "\n".join(source.text() for source in self.sources)

    def html(self) -> str:
        """A folded line of HTML without line breaks; empty without sources."""
        if not self.sources:
            return ""
        body = "".join(source.html() for source in self.sources)
        return f'<details class="companion-where"><summary>where from</summary>{body}</details>'


def seeds_in_words(seeds: tuple[int, ...]) -> str:
    """``seed 3``, ``seeds 0 to 199``, ``seeds 0, 2, 5 to 7`` or ``nothing random``."""
    if not seeds:
        return "nothing random"
    runs: list[list[int]] = []
    for seed in seeds:
        if runs and seed == runs[-1][-1] + 1:
            runs[-1].append(seed)
        else:
            runs.append([seed])
    named = [f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs]
    return f"seed{'s' if len(seeds) > 1 else ''} {', '.join(named)}"


def recorded(
    *,
    first: str | int | None = None,
    count: str | int | tuple[str, ...] = 1,
    fixed: tuple[int, ...] = (),
    random: bool = True,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Mark a function as a study: its result carries where it comes from.

    Parameters
    ----------
    first : the first seed, or the name of the parameter that holds it
    count : how many consecutive seeds are used, or the name of the parameter that says so; of several the largest
    fixed : further seeds, the same whatever the arguments: of an instance, say
    random : ``False`` where nothing is random, in place of ``first``; one of the two has to be said

    Returns
    -------
    a decorator. Sources that arguments carry are passed on, so a study of stored results names both. Where the
    environment variable :data:`TIMES` names a file, the seconds of each call are appended to it. A call that opens a
    stream of a seed that is not stated raises :class:`~companion.core.errors.SeedError`.
    """
    if random == (first is None):
        raise ParameterError("first", f"got {first!r} with random={random}", "the seeds, or random=False")

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)
        for name in (first, *(count if isinstance(count, tuple) else (count,))):
            if isinstance(name, str) and name not in signature.parameters:
                problem = f"{function.__qualname__} has no parameter {name!r}"
                raise ParameterError("first, count", problem, f"one of: {', '.join(signature.parameters)}")

        @functools.wraps(function)
        def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            seeds = () if first is None else tuple(dict.fromkeys(_seeds(first, count, bound.arguments) + fixed))
            began = time.perf_counter()
            with seeds_opened() as opened:
                result = function(*args, **kwargs)
            seconds = time.perf_counter() - began
            own = _source(_name(function), _call(function, bound.arguments), seeds)
            if not opened <= set(seeds):
                raise SeedError(f"{own.study} states {seeds_in_words(seeds)}, and drew from {_listed(opened)}")
            _note_time(own, seconds, result)
            return _attach(result, Provenance((own,)) + provenance_of(*bound.arguments.values()))

        # For tests: what was stated, of every study.
        wrapper.__dict__["stated"] = (first, count)
        return wrapper

    return decorate


def _listed(seeds: set[int]) -> str:
    return seeds_in_words(tuple(sorted(seeds)))


def here(function: Callable[..., Any]) -> Provenance:
    """Provenance of an output of ``function`` about the run as a whole, which no study computed."""
    source = _source(_name(function), f"{function.__name__}()", ())
    _note_time(source, None)
    return Provenance((source,))


def stored(
    record: Mapping[str, Any],
    maker: Callable[..., Any] | StoredSet,
    call: str = "",
    *,
    whole: bool = False,
) -> Provenance:
    """Provenance of a stored result.

    Parameters
    ----------
    record : :meth:`companion.stored.record.Record.to_dict` of the result
    maker : function that computes and stores it, or class that does, or the set of tables
    call : what is called, where that is not plainly the maker
    whole : one call computed all of it, as of sets that say so: its seconds are the cost. Other tables grow over many
        calls, and the seconds of the last one would read as the cost of all; their cost is shown where the record has it.
    """
    whole = whole or (isinstance(maker, StoredSet) and maker.whole)
    seconds = seconds_in_words(float(record["seconds"])) if whole else cost_in_words(record)
    run = " · ".join(filter(None, (record["date"][:10], seconds)))
    name = f"{maker.module}.store" if isinstance(maker, StoredSet) else _name(maker)
    call = call or f"{name.rpartition('.')[2]}()"
    seeds = tuple(record["seeds"])
    return Provenance((Source(record["command"], record["profile"], seeds, name, call, run, record["date"]),))


def cost_in_words(record: Mapping[str, Any]) -> str:
    """``10102 s on one core, all 1780 runs together``, and those made later; empty where the record does not know."""
    settings = record.get("settings", {})
    if not (cost := settings.get("cost")):
        return ""
    later = (each["cost"] for each in settings.get("renewed", []))
    words = [f"{cost['core_seconds']:.0f} s on one core, all {cost['runs']} runs together"]
    return "; ".join([*words, *(f"{each['core_seconds']:.0f} s for {each['runs']} made later" for each in later)])


def seconds_in_words(seconds: float) -> str:
    """Two significant digits below ten seconds, whole seconds above."""
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.2g} s" if seconds >= 0.1 else "under 0.1 s"


def provenance_of(*results: Any) -> Provenance:
    """What :func:`recorded` attached to results, or what they say of themselves; empty for anything else.

    Stored runs (:class:`~companion.judge.stored_runs.StoredRuns`) say it by their record; those made up on the spot have none.
    """
    where = Provenance()
    for result in results:
        if isinstance(made := getattr(result, "STORED", None), StoredSet):
            found: Any = stored(result.record, made) if result.record else None
        else:
            found = result.attrs.get("where") if isinstance(result, pd.DataFrame) else getattr(result, "where", None)
        where += found if isinstance(found, Provenance) else Provenance()
    return where


def _attach(result: R, where: Provenance) -> R:
    if isinstance(result, pd.DataFrame):
        result.attrs["where"] = where
    else:
        # Results of studies are frozen; where they come from is no part of their value.
        object.__setattr__(result, "where", where)
    return result


def _name(function: Callable[..., Any]) -> str:
    return f"{function.__module__}.{function.__qualname__}"


def _seeds(first: str | int, count: str | int | tuple[str, ...], arguments: Mapping[str, Any]) -> tuple[int, ...]:
    counts = count if isinstance(count, tuple) else (count,)
    start, *numbers = (int(arguments[x]) if isinstance(x, str) else x for x in (first, *counts))
    return tuple(range(start, start + max(numbers)))


def _call(function: Callable[..., Any], arguments: Mapping[str, Any]) -> str:
    """The call with the arguments that can be typed; results of other studies are sources of their own."""
    shown = [f"{name}={value!r}" for name, value in arguments.items() if isinstance(value, _PLAIN)]
    return f"{function.__name__}({', '.join(shown)})"


def _source(name: str, call: str, seeds: tuple[int, ...]) -> Source:
    command = os.environ.get(COMMAND) or _chapter_command(name)
    return Source(command, os.environ.get(PROFILE) or BOOK, seeds, name, call)


def _chapter_command(study_name: str) -> str:
    """The command that executes the chapter of the study's paper: the package it stands in says which that is."""
    words = study_name.split(".")
    package = sys.modules.get(".".join(words[: 3 if words[1:2] == ["papers"] else 2]))
    paper = getattr(package, "PAPER", None)
    return f"make notebooks CH={paper.number}" if paper else "make notebooks"


def _note_time(source: Source, seconds: float | None, result: Any = None) -> None:
    path = os.environ.get(TIMES)
    if path:
        import joblib

        line = {"key": source.key, "study": source.study, "call": source.call, "seconds": seconds}
        try:
            line["digest"] = joblib.hash(result)
        except (pickle.PicklingError, TypeError, AttributeError):  # a result that cannot be hashed is never the same
            line["digest"] = uuid.uuid4().hex
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
