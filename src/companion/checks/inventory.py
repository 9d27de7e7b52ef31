"""A paper's inventories: every statement, and every suspected error, with its title and where it stands.

``data/reported/<paper>/inventory.csv`` lists the statements in the order of the paper, ``leads.csv`` the leads. Both have the
columns id, title and location; statements have ``anchor`` as well, the label of the place in the chapter that speaks of
them, their ``role`` and whether they are ``numbered``, and leads what else is said of them, see :data:`COLUMNS`. The sentences of
their findings stand in ``findings.toml`` by the leads' ids, one for each, or a table of several by name. The checks
stand in the modules of the paper's room ``checks``; :func:`collect` finds them there and sets them beside the inventory, so
that no entry can be forgotten on either side.
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

STATEMENTS, LEADS, FINDINGS = "inventory.csv", "leads.csv", "findings.toml"

E = TypeVar("E", Statement, Lead)


#: What ``numbered`` may say.
NUMBERED = {"yes": True, "no": False}

COLUMNS = {
    Statement: ("id", "title", "location", "anchor", "role", "numbered"),
    Lead: ("id", "severity", "statement", "title", "location", "consequence", "outcome"),
}


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


def sentences(path: Path, ids: Iterable[str]) -> dict[str, dict[str, str]]:
    """What the findings of every lead say, by name, from ``findings.toml``; an only sentence has the name ``""``.

    Raises
    ------
    CompanionError
        if the file is missing, lacks a lead, has one that is not there, or anything but sentences
    """
    try:
        listed = read_toml(path)
    except FileNotFoundError:
        raise CompanionError(f"{path} is missing; expected what is found of each lead") from None
    by_lead = {name: told if isinstance(told, dict) else {"": told} for name, told in listed.items()}
    for words, names in (("lacks", set(ids) - set(listed)), ("has sentences of no lead:", set(listed) - set(ids))):
        if names:
            raise CompanionError(f"{path} {words} {', '.join(sorted(names))}")
    for name, told in by_lead.items():
        if not told or not all(isinstance(text, str) and text.strip() for text in told.values()):
            raise CompanionError(f"{path}: {name} is no sentence, nor a table of sentences")
    return {name: {key: " ".join(text.split()) for key, text in told.items()} for name, told in by_lead.items()}


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
    if kind is Lead:
        for name, told in sentences(inventory.with_name(FINDINGS), places).items():
            places[name]["sentences"] = told
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
