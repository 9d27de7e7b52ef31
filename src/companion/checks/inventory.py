"""A paper's inventories: every statement, and every suspected error, with its title and where it stands.

``data/reported/<paper>/inventory.csv`` lists the statements in the order of the paper, ``leads.csv`` the leads. Both have the
columns id, title and location; statements have ``anchor`` as well, the label of the place in the chapter that speaks of
them, their ``role`` and whether they are ``numbered``, and leads what else is said of them, see :data:`COLUMNS`. Longer
sentences stand beside them by id: in ``notes.toml`` what a check showed besides its statement, in ``findings.toml`` what is
found of every lead, with ``[[names]]`` where the check puts numbers. The checks stand in the modules of the paper's room
``checks``; :func:`collect` finds them there and sets them beside the inventory, so that no entry can be forgotten on either
side.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from companion.checks.statement import ROLES, Statement
from companion.checks.suspected_error import SuspectedError
from companion.core.errors import CompanionError, known_as
from companion.core.files import read_rows, read_toml

STATEMENTS, LEADS = "inventory.csv", "leads.csv"

E = TypeVar("E", Statement, SuspectedError)


#: What ``numbered`` may say.
NUMBERED = {"yes": True, "no": False}

COLUMNS = {
    Statement: ("id", "title", "location", "anchor", "role", "numbered"),
    SuspectedError: ("id", "severity", "statement", "title", "location", "consequence", "outcome"),
}

#: What stands as sentences beside them, by id, and the file.
SENTENCES = {Statement: ("note", "notes.toml"), SuspectedError: ("sentence", "findings.toml")}


def read(path: Path, kind: type[E]) -> list[dict[str, str]]:
    """The rows of an inventory; :class:`~companion.core.errors.CompanionError` if it has other columns or an id twice."""
    header, lines = read_rows(path)
    if header != list(COLUMNS[kind]):
        raise CompanionError(f"{path}: the columns are {', '.join(header)}; expected {', '.join(COLUMNS[kind])}")
    for line, row in lines:
        if None in row or None in row.values():
            raise CompanionError(f"{path}, line {line}: has not the {len(header)} fields of the header")
        for name, known in (("role", ROLES), ("numbered", NUMBERED)):
            if row.get(name, next(iter(known))) not in known:
                raise CompanionError(
                    f"{path}, line {line}: {name} is {row[name]!r}; expected one of {', '.join(known)}"
                )
    rows = [row for _, row in lines]
    names = [row["id"] for row in rows]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise CompanionError(f"{path}: {', '.join(twice)} stands there twice")
    return rows


def sentences(path: Path, ids: Iterable[str], every: bool = False) -> dict[str, str]:
    """Sentences by id: ``findings.toml``, which has one for ``every`` lead, or ``notes.toml``, which a paper may lack.

    Raises
    ------
    CompanionError
        if the file lacks a lead, has an id that is not there, or anything but sentences
    """
    listed = read_toml(path) if path.is_file() else {}
    if every and (lacking := sorted(set(ids) - set(listed))):
        raise CompanionError(f"{path} lacks {', '.join(lacking)}")
    if unknown := sorted(set(listed) - set(ids)):
        raise CompanionError(f"{path} has {', '.join(unknown)}, which the inventory beside it lacks")
    for name, text in listed.items():
        if not isinstance(text, str) or not text.strip():
            raise CompanionError(f"{path}: {name} is {text!r:.40}; expected a sentence")
    return {name: " ".join(text.split()) for name, text in listed.items()}


def collect(package: ModuleType, kind: type[E], inventory: Path, only: Collection[str] | None = None) -> tuple[E, ...]:
    """The statements, or the leads, that the modules of a package declare, in the order of the inventory.

    Parameters
    ----------
    only : ids of the entries wanted, in their order; the modules that declare these are imported, and no others

    Raises
    ------
    CompanionError
        if an id is declared twice, if one is not in the inventory, or one of the inventory is not declared
    ParameterError
        for a wanted id that is not in the inventory, with the nearest one
    """
    places: dict[str, dict[str, Any]] = {row.pop("id"): {**row} for row in read(inventory, kind)}
    for row in places.values():
        if "numbered" in row:
            row["numbered"] = NUMBERED[row["numbered"]]
    field, file = SENTENCES[kind]
    for name, text in sentences(inventory.with_name(file), places, every=kind is SuspectedError).items():
        places[name][field] = text
    wanted = list(places) if only is None else [known_as("id", identifier, places) for identifier in only]
    modules, absent = _modules(package), list[ModuleNotFoundError]()
    found = _declared(package, kind, modules if only is None else _naming(modules, wanted), absent)
    if only is not None and not set(wanted) <= set(found):
        found = _declared(package, kind, modules, absent)  # an id that is put together, and stands nowhere as one word
    unplaced, unchecked = sorted(set(found) - set(places)), sorted(set(wanted) - set(found))
    if unplaced:
        raise CompanionError(f"{package.__name__} declares {', '.join(unplaced)}, which {inventory} lacks")
    if unchecked and absent:
        raise absent[0]
    if unchecked:
        raise CompanionError(
            f"{inventory} lists {', '.join(unchecked)}, which no module of {package.__name__} declares"
        )
    entries = ((found[name], places[name]) for name in wanted)
    return tuple(replace(entry, declared=place, **row, **_own_assumptions(entry)) for (place, entry), row in entries)


def _own_assumptions(entry: Statement | SuspectedError) -> dict[str, Any]:
    """Of a statement on several kinds of instances: what one declared by ``on`` violates is asked of that kind alone."""
    if not isinstance(entry, Statement):
        return {}
    kinds = [(each, type(each.violated_by)) for each in entry.assumptions]
    asked = (replace(each, holds=_of(kind, each.holds)) if kind in entry.parts else each for each, kind in kinds)
    return {"assumptions": tuple(asked)}


def _of(kind: type, holds: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda instance: not isinstance(instance, kind) or holds(instance)


def _modules(package: ModuleType) -> dict[str, Path]:
    """The modules of a package, or a single module, and their files."""
    if not hasattr(package, "__path__"):
        return {package.__name__: Path(getattr(package, "__file__", ""))}
    folder, inside = Path(package.__path__[0]), pkgutil.iter_modules(package.__path__)
    return {f"{package.__name__}.{info.name}": folder / f"{info.name}.py" for info in inside}


def _naming(modules: Mapping[str, Path], ids: Iterable[str]) -> list[str]:
    """The modules in which one of the ids stands as the first argument of a call, or as ``id``."""
    named = re.compile(rf'(\(\s*|\bid=)"({"|".join(map(re.escape, ids))})"')
    return [name for name, path in modules.items() if path.is_file() and named.search(path.read_text(encoding="utf-8"))]


def _declared(
    package: ModuleType, kind: type[E], modules: Iterable[str], absent: list[ModuleNotFoundError]
) -> dict[str, tuple[str, E]]:
    """Entries that stand at the top of modules, or in tuples there, by their id: ``module:name``, entry.

    A module that needs a library that is not installed is passed over and noted in ``absent``: statements ask
    for less than leads.
    """
    found: dict[str, tuple[str, E]] = {}
    for name in modules:
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            absent.append(error)
            continue
        for variable, value in vars(module).items():
            for one in value if isinstance(value, tuple) else (value,):
                if isinstance(one, kind) and found.setdefault(one.id, (f"{name}:{variable}", one))[1] is not one:
                    raise CompanionError(f"{package.__name__}: {one.id} is declared twice")
    return found
