"""Completion in the shell, by argcomplete: commands, options, and the names of papers, experiments and methods."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from typing import Any

from companion import papers

Completer = Callable[..., Iterable[str]]


def complete(parser: argparse.ArgumentParser, commands: Iterable[argparse.ArgumentParser]) -> None:
    """Answer the shell, which asks by a variable, and end the process."""
    import argcomplete

    for action in (action for command in commands for action in command._actions):
        if (words := _words(action)) is not None:
            action.completer = words  # type: ignore[attr-defined]
    argcomplete.autocomplete(parser)


def _words(action: argparse.Action) -> Completer | None:
    """What an argument may be: what its name asks for, or the words its help shows; otherwise files."""
    named: dict[str, Completer] = {
        "paper": _papers,
        "chapter": _papers,
        "experiment": _experiments,
        "method": _methods,
    }
    shown = [word for part in str(action.metavar or "").split() for word in part.strip("[]").split("|")]
    return named.get(action.dest) or ((lambda **_: shown) if "|" in str(action.metavar or "") else None)


def _papers(**_: Any) -> tuple[str, ...]:
    return papers.chapters()


def _experiments(parsed_args: argparse.Namespace, **_: Any) -> list[str]:
    return [name for _, name in papers.experiments(papers.slug_of(parsed_args.paper))]


def _methods(parsed_args: argparse.Namespace, **_: Any) -> list[str]:
    paper = papers.slug_of(parsed_args.paper)
    return [method.name for method in papers.experiment(paper, parsed_args.experiment).methods]
