"""``companion data status|fetch|path [NAME]``: real data sets, where they are and whether they are the right ones."""

from __future__ import annotations

import os
from typing import Annotated, Any, Literal

from companion.cli.arguments import text
from companion.cli.show import TEXT, Output, table
from companion.core import data_sources
from companion.core.errors import DataError, ParameterError


def execute(
    action: Annotated[Literal["status", "fetch", "path"], text("ACTION", "what to do", name="ACTION")],
    name: Annotated[str | None, text("NAME", "one data set, as 'companion data status' lists it")] = None,
    /,
    *,
    output: Output = TEXT,
) -> int:
    """Real data sets: where they are, whether they are the right ones, and fetching them.

    The exit code of status is 1 when a file has another content than it should.

    Example: companion data status
    """
    if action == "status":
        return _status(name, output)
    if name is None:
        raise ParameterError("NAME", "not given", f"one of {', '.join(data_sources.data_sets())}")
    return (_fetch if action == "fetch" else _path)(data_sources.data_set(name), output)


def _status(name: str | None, output: Output) -> int:
    chosen = data_sources.data_sets().values() if name is None else (data_sources.data_set(name),)
    found = [(one, data_sources.examine(one)) for one in chosen]
    rows = [(one.name, state.state, one.title) for one, state in found]
    overview = f"{table(('set', 'state', 'what it is'), rows)}\n{_where()}"
    described = [_described(one, state) for one, state in found]
    output.give(described, lambda: overview if name is None else _text(*found[0]))
    return 1 if any(state.state == data_sources.DAMAGED for _, state in found) else 0


def _fetch(chosen: data_sources.DataSet, output: Output) -> int:
    output.say(f"{chosen.title}. {chosen.publisher}. Licence: {chosen.licence or 'none stated'}.")
    fetched, state = data_sources.fetch(chosen)
    lacking = [file for file, status in state.files.items() if status not in (data_sources.OK, data_sources.REPLACED)]
    content = {"name": chosen.name, "folder": str(state.folder), "state": state.state, "fetched": fetched}
    lines = [f"{', '.join(fetched) or 'nothing to fetch'}: {state.state}, in {state.folder}"]
    lines += [f"not fetched: {', '.join(lacking)} ({chosen.by_hand or chosen.address})"] if lacking else []
    lines += [] if _used() else [f"set {data_sources.VARIABLE}={state.folder.parent} to have it used"]
    output.give({**content, "lacking": lacking, "used": _used()}, lambda: "\n".join(lines))
    return 1 if lacking else 0


def _path(chosen: data_sources.DataSet, output: Output) -> int:
    state = data_sources.examine(chosen)
    if state.state in (data_sources.ABSENT, data_sources.DAMAGED):
        raise DataError(
            f"{chosen.name} is {state.state} in {state.folder}; 'companion data fetch {chosen.name}' gets what has an "
            f"address, and {data_sources.VARIABLE} may point at another folder"
        )
    content = {"name": chosen.name, "folder": str(state.folder), "state": state.state, "used": _used()}
    return output.give(content, lambda: str(state.folder))


def _used() -> bool:
    """Whether readers look at the folder: they do not look into the cache."""
    return bool(os.environ.get(data_sources.VARIABLE))


def _where() -> str:
    folder = data_sources.data_folder()
    if _used():
        return f"in {folder} ({data_sources.VARIABLE})"
    return f"in {folder}, which is not used until {data_sources.VARIABLE} is set to it: experiments run on stand-ins"


def _text(chosen: data_sources.DataSet, state: data_sources.SetState) -> str:
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


def _described(chosen: data_sources.DataSet, state: data_sources.SetState) -> dict[str, Any]:
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
