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
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from companion.checks.lead import Lead
from companion.checks.statement import ROLES, Statement
from companion.core.errors import CompanionError
from companion.core.files import read_rows, read_toml

STATEMENTS, LEADS = "inventory.csv", "leads.csv"

E = TypeVar("E", Statement, Lead)


#: What ``numbered`` may say.
NUMBERED = {"yes": True, "no": False}

COLUMNS = {
    Statement: ("id", "title", "location", "anchor", "role", "numbered"),
    Lead: ("id", "severity", "statement", "title", "location", "consequence", "outcome"),
}

#: What stands as sentences beside them, by id, and the file.
SENTENCES = {Statement: ("note", "notes.toml"), Lead: ("sentence", "findings.toml")}


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


def collect(package: ModuleType, kind: type[E], inventory: Path) -> tuple[E, ...]:
    """The statements, or the leads, that the modules of a package declare, in the order of the inventory.

    Raises
    ------
    CompanionError
        if an id is declared twice, if one is not in the inventory, or one of the inventory is not declared
    """
    places: dict[str, dict[str, Any]] = {row.pop("id"): {**row} for row in read(inventory, kind)}
    for row in places.values():
        if "numbered" in row:
            row["numbered"] = NUMBERED[row["numbered"]]
    field, file = SENTENCES[kind]
    for name, text in sentences(inventory.with_name(file), places, every=kind is Lead).items():
        places[name][field] = text
    found: dict[str, E] = {}
    stands: dict[str, str] = {}
    absent: list[ModuleNotFoundError] = []
    for place, entry in _declared(package, kind, absent):
        if found.setdefault(entry.id, entry) is not entry:
            raise CompanionError(f"{package.__name__}: {entry.id} is declared twice")
        stands.setdefault(entry.id, place)
    unplaced, unchecked = sorted(set(found) - set(places)), sorted(set(places) - set(found))
    if unplaced:
        raise CompanionError(f"{package.__name__} declares {', '.join(unplaced)}, which {inventory} lacks")
    if unchecked and absent:
        raise absent[0]
    if unchecked:
        raise CompanionError(
            f"{inventory} lists {', '.join(unchecked)}, which no module of {package.__name__} declares"
        )
    return tuple(
        replace(found[name], declared=stands[name], **place, **_own_assumptions(found[name]))
        for name, place in places.items()
    )


def _own_assumptions(entry: Statement | Lead) -> dict[str, Any]:
    """Of a statement on several kinds of instances: what one declared by ``on`` violates is asked of that kind alone."""
    if not isinstance(entry, Statement):
        return {}
    kinds = [(each, type(each.violated_by)) for each in entry.assumptions]
    asked = (replace(each, holds=_of(kind, each.holds)) if kind in entry.parts else each for each, kind in kinds)
    return {"assumptions": tuple(asked)}


def _of(kind: type, holds: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda instance: not isinstance(instance, kind) or holds(instance)


def _declared(package: ModuleType, kind: type[E], absent: list[ModuleNotFoundError]) -> Iterator[tuple[str, E]]:
    """Entries that stand at the top of a package's modules, or of a single module, or in tuples there: ``module:name``, entry.

    A module that needs a library that is not installed is passed over and noted in ``absent``: statements ask
    for less than leads.
    """
    inside = pkgutil.iter_modules(package.__path__) if hasattr(package, "__path__") else ()
    names = [f"{package.__name__}.{info.name}" for info in inside] or [package.__name__]
    for name in names:
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            absent.append(error)
            continue
        for variable, value in vars(module).items():
            several = value if isinstance(value, tuple) else (value,)
            yield from ((f"{name}:{variable}", one) for one in several if isinstance(one, kind))
