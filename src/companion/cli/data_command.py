"""``companion data status|fetch|path [NAME]``: real data sets, where they are and whether they are the right ones."""

from __future__ import annotations

import argparse
import os
from typing import Any

from companion.cli.show import give, known_as, say, table
from companion.core import sources
from companion.core.errors import DataError, ParameterError

ACTIONS = ("status", "fetch", "path")


def execute(options: argparse.Namespace) -> int:
    """Do one of :data:`ACTIONS`; ``status`` returns 1 when a file has another content than it should."""
    if known_as("ACTION", options.action, ACTIONS) == "status":
        return _status(options)
    if options.name is None:
        raise ParameterError("NAME", "not given", f"one of {', '.join(sources.data_sets())}")
    return (_fetch if options.action == "fetch" else _path)(options)


def _status(options: argparse.Namespace) -> int:
    chosen = sources.data_sets().values() if options.name is None else (sources.data_set(options.name),)
    found = [(one, sources.examine(one)) for one in chosen]
    rows = [(one.name, state.state, one.title) for one, state in found]
    overview = f"{table(('set', 'state', 'what it is'), rows)}\n{_where()}"
    described = [_described(one, state) for one, state in found]
    give(options, described, lambda: overview if options.name is None else _text(*found[0]))
    return 1 if any(state.state == sources.DAMAGED for _, state in found) else 0


def _fetch(options: argparse.Namespace) -> int:
    chosen = sources.data_set(options.name)
    if not options.json:
        say(f"{chosen.title}. {chosen.publisher}. Licence: {chosen.licence or 'none stated'}.")
    fetched, state = sources.fetch(chosen)
    lacking = [file for file, status in state.files.items() if status not in (sources.OK, sources.REPLACED)]
    content = {"name": chosen.name, "folder": str(state.folder), "state": state.state, "fetched": fetched}
    lines = [f"{', '.join(fetched) or 'nothing to fetch'}: {state.state}, in {state.folder}"]
    lines += [f"not fetched: {', '.join(lacking)} ({chosen.by_hand or chosen.address})"] if lacking else []
    lines += [] if _used() else [f"set {sources.VARIABLE}={state.folder.parent} to have it used"]
    give(options, {**content, "lacking": lacking, "used": _used()}, lambda: "\n".join(lines))
    return 1 if lacking else 0


def _path(options: argparse.Namespace) -> int:
    chosen = sources.data_set(options.name)
    state = sources.examine(chosen)
    if state.state in (sources.ABSENT, sources.DAMAGED):
        raise DataError(
            f"{chosen.name} is {state.state} in {state.folder}; 'companion data fetch {chosen.name}' gets what has an "
            f"address, and {sources.VARIABLE} may point at another folder"
        )
    content = {"name": chosen.name, "folder": str(state.folder), "state": state.state, "used": _used()}
    return give(options, content, lambda: str(state.folder))


def _used() -> bool:
    """Whether readers look at the folder: they do not look into the cache."""
    return bool(os.environ.get(sources.VARIABLE))


def _where() -> str:
    folder = sources.data_folder()
    if _used():
        return f"in {folder} ({sources.VARIABLE})"
    return f"in {folder}, which is not used until {sources.VARIABLE} is set to it: experiments run on stand-ins"


def _text(chosen: sources.DataSet, state: sources.SetState) -> str:
    rows = [(file, status, "yes" if file in chosen.urls else "no") for file, status in state.files.items()]
    facts = [
        f"{chosen.name}: {chosen.title} ({state.state})",
        f"publisher: {chosen.publisher}",
        f"licence: {chosen.licence or 'none stated'}",
        f"address: {chosen.address}",
        *([f"note: {chosen.note}"] if chosen.note else []),
        *([f"by hand: {chosen.by_hand}"] if chosen.by_hand else []),
    ]
    return "\n".join([*facts, table(("file", "state", "can be fetched"), rows), _where()])


def _described(chosen: sources.DataSet, state: sources.SetState) -> dict[str, Any]:
    return {
        "name": chosen.name,
        "title": chosen.title,
        "publisher": chosen.publisher,
        "licence": chosen.licence or None,
        "address": chosen.address,
        "note": chosen.note or None,
        "by_hand": chosen.by_hand or None,
        "state": state.state,
        "folder": str(state.folder),
        "used": _used(),
        "files": [
            {"file": file, "state": status, "sha256": chosen.files[file], "url": chosen.urls.get(file)}
            for file, status in state.files.items()
        ],
    }
