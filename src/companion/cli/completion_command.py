"""``companion completion``: TAB completes commands, options, and the names of papers, experiments, methods and parameters."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from typing import Any

from companion import papers
from companion.cli.show import give, known_as
from companion.core.files import results_folder

Completer = Callable[..., Iterable[str]]


def execute(options: argparse.Namespace) -> int:
    """Print the function that asks :func:`complete`, by argcomplete."""
    from argcomplete.shell_integration import shellcode

    code = shellcode(["companion"], shell=known_as("SHELL", options.shell, ("bash", "zsh", "fish")))
    return give(options, {"shell": options.shell, "code": code}, lambda: code.strip("\n"))


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
        "set": _parameters,
        "id": _ids,
        "profile": lambda **_: ("smoke", "book", "paper"),
        "kernel": lambda **_: ("se", "matern12", "matern32", "matern52"),
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


def _parameters(parsed_args: argparse.Namespace, **_: Any) -> list[str]:
    """Of an experiment, or of a chapter."""
    if hasattr(parsed_args, "chapter"):
        known = papers.chapter_parameters(papers.slug_of(parsed_args.chapter))
    else:
        known = papers.experiment(papers.slug_of(parsed_args.paper), parsed_args.experiment).parameters
    return [f"{name}=" for name in known.names]


def _ids(parsed_args: argparse.Namespace, **_: Any) -> list[str]:
    """Of the stored entries of a paper: statements, suspected errors, cells and claims."""
    from companion.reproduce.stored import load_entries

    paper = papers.slug_of(parsed_args.paper)
    entries = load_entries(results_folder(paper), parsed_args.command, f"companion evidence {paper}").entries
    return list(dict.fromkeys(str(entry.get("id", entry.get("cell"))) for entry in entries))
