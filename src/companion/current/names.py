"""What the names in a package's definitions stand for: other definitions, modules from elsewhere, private members.

See :mod:`companion.current.fingerprint`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from companion.current.definitions import Source, Unit
from companion.current.syntax import names_exception

PACKAGE = "companion"

#: Bases from elsewhere that call no member by name.
_PLAIN_BASES = {"abc.ABC", "typing.Protocol", "typing.Generic", "typing.NamedTuple", "typing.TypedDict", "b:object"}

Referred = tuple[str, list[int], frozenset[str], list[str]]
"""What a reference stands for: its form, units, modules from elsewhere, and attributes that are left."""


@dataclass(eq=False)
class Module:
    """A source of the package with the numbers of its units."""

    name: str
    path: Path | None
    source: Source
    units: list[int]
    bound: dict[str, list[int]]


class Table:
    """Units of all modules by number, and what their names stand for."""

    def __init__(self, sources: Mapping[str, tuple[Source, Path]]) -> None:
        self.units: list[Unit] = []
        self.home: list[Module] = []
        self.members: dict[int, list[int]] = {}
        self.modules: dict[str, Module] = {}
        self._found: dict[tuple[str, str], Referred] = {}
        for name, (source, path) in sources.items():
            module = self.modules[name] = Module(name, path, source, [], {})
            for unit in source.units:
                number = self._add(unit, module)
                module.units.append(number)
                for bound in unit.names:
                    module.bound.setdefault(bound, []).append(number)
                if unit.owner is not None:
                    self.members[number] = [self._add(member, module) for member in unit.members]
        self.class_of = {member: owner for owner, members in self.members.items() for member in members}
        names = [self.units[number].names[0] for number in self.members]
        self._twice = {name for name in names if names.count(name) > 1}
        self._inherit()
        self.private = self._places()
        self.any_private: dict[str, tuple[str, list[int]]] = {}
        for (_, name), (place, owner) in sorted(self.private.items()):
            form, owners = self.any_private.get(name, (name, []))
            self.any_private[name] = (f"{form} {place}", [*owners, owner])

    def _add(self, unit: Unit, module: Module) -> int:
        self.units.append(unit)
        self.home.append(module)
        return len(self.units) - 1

    def name(self, number: int) -> str:
        """Where a unit stands."""
        unit = self.units[number]
        owner = f"{self.units[self.class_of[number]].names[0]}." if number in self.class_of else ""
        return f"{self.home[number].name}.{owner}{unit.names[0] if unit.names else f'line {unit.line}'}"

    def class_name(self, number: int) -> str:
        """A class's name, with its module where there are several of that name."""
        name = self.units[number].names[0]
        return f"{self.home[number].name}.{name}" if name in self._twice else name

    # -- references

    def resolve(self, module: str, name: str) -> list[int]:
        """Units behind ``module.name``, through re-exports; none for a module or for what is not of the package."""
        seen = set()
        while (module, name) not in seen:
            seen.add((module, name))
            here = self.modules.get(module)
            if here is None or name in here.bound:
                return [] if here is None else here.bound[name]
            source, attribute = here.source.imports.get(name, [[module, name]])[0]
            if attribute is None or source is None:
                return []
            module, name = source, attribute
        return []

    def refer(self, module: Module, ref: str) -> Referred:
        """What a reference stands for: its form, units, third-party modules, and attributes that are left."""
        key = (module.name, ref)
        if key not in self._found:
            self._found[key] = self._refer(module, ref)
        return self._found[key]

    def _refer(self, module: Module, ref: str) -> Referred:
        kind, _, rest = ref.partition(":")
        if kind == "m":
            whole = self.modules.get(rest)
            return "Module", [] if whole is None else whole.units, frozenset(), []
        name, *path = rest.split(".")
        if kind == "p":
            place = self.private.get((module.name, name))
            return (f".{name}", [], frozenset(), []) if place is None else (f".{place[0]}", [place[1]], frozenset(), [])
        forms, units, third, left = [], list[int](), set[str](), list[str]()
        if name in module.bound:
            forms.append(self._several(module.bound[name], name))
            units += module.bound[name]
        for source, attribute in module.source.imports.get(name, ()):
            steps = [*([] if attribute is None else [attribute]), *path]
            form, found, others, left = self._imported(str(source), steps)
            forms.append("".join([form, *(f".{step}" for step in left)]))
            units += found
            third |= others
        return " ".join(forms), units, frozenset(third), left

    def _several(self, units: list[int], name: str) -> str:
        """A definition; where its statement has several names, which one."""
        return "R" + "".join(f"={self.units[u].names.index(name)}" for u in units if len(self.units[u].names) > 1)

    def _imported(self, here: str, steps: list[str]) -> tuple[str, list[int], set[str], list[str]]:
        if here.partition(".")[0] != PACKAGE:
            return f"I {here} {steps[0] if steps else ''}", [], {here.partition(".")[0]}, steps[1:]
        while steps:
            if units := self.resolve(here, steps[0]):
                name = next(
                    (n for u in units for n in self.units[u].names if n == steps[0]), self.units[units[0]].names[0]
                )
                return self._several(units, name), units, set(), steps[1:]
            if f"{here}.{steps[0]}" not in self.modules:
                break
            here, steps = f"{here}.{steps[0]}", steps[1:]
        if not steps:
            return "Module", self.modules[here].units if here in self.modules else [], set(), []
        known = self.modules[here].source.imports.get(steps[0]) if here in self.modules else None
        if known is None:
            return f"I  {steps[0]}", [], set(), steps[1:]
        source, attribute = known[0]
        again = [*([] if attribute is None else [attribute]), *steps[1:]]
        if (source, again) == (here, steps):
            return f"I  {steps[0]}", [], set(), steps[1:]
        return self._imported(str(source), again)

    # -- classes

    def _inherit(self) -> None:
        """Families of classes, and which count whole because a base is not known."""
        self.whole: set[int] = set()
        self._family = {number: number for number in self.members}
        bases: dict[int, list[int]] = {}
        for number in self.members:
            owner: Any = self.units[number].owner
            bases[number] = []
            known = not owner["whole"]
            for ref in owner["bases"]:
                form, units, _, _ = (
                    ("", [], frozenset[str](), []) if ref[0] in "b?" else self.refer(self.home[number], ref)
                )
                bases[number] += [unit for unit in units if unit in self.members]
                plain = form.removeprefix("I ").strip().replace(" ", ".")
                error = ref[0] == "b" and names_exception(ref)
                known &= bool(units) or plain in _PLAIN_BASES or ref in _PLAIN_BASES or error
            if not known:
                self.whole.add(number)
        for number, parents in bases.items():
            for parent in parents:
                self._family[self._root(number)] = self._root(parent)
        grown = True
        while grown:
            more = {number for number, parents in bases.items() if self.whole & set(parents)} - self.whole
            self.whole |= more
            grown = bool(more)

    def _root(self, number: int) -> int:
        while self._family[number] != number:
            number = self._family[number]
        return number

    def _places(self) -> dict[tuple[str, str], tuple[str, int]]:
        """Private names that count by place: by module and name, the place and the class that has it.

        One name is one place wherever it may mean the same: it is mentioned in this module alone; or it is mentioned through
        ``self`` alone, and the classes of this module that do have no relatives elsewhere that do. No string may name it.
        """
        inside: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        outside: dict[str, set[str]] = defaultdict(set)
        binds: set[tuple[int, str]] = set()
        patterns: set[str] = set()
        for number, unit in enumerate(self.units):
            for name in unit.private:
                outside[name].add(self.home[number].name)
            patterns.update(name for name in unit.mentions if "*" in name and name[0] != "!")
            if unit.owner is not None:
                for name in unit.owner["named"]:
                    inside[name][self.home[number].name].append(number)
                binds.update((number, name) for name in unit.owner["binds"])
        foreign = {self._root(number) for number in self.whole}
        found: dict[tuple[str, str], tuple[str, int]] = {}
        for name, homes in inside.items():
            if f"'{name}" in outside or any(fnmatchcase(name, pattern) for pattern in patterns):
                continue
            for home, owners in homes.items():
                kin = {self._root(number) for number in owners}
                alone = len(homes) == 1 and outside.get(name, set()) <= {home}
                related = any(self._root(n) in kin for other, others in homes.items() if other != home for n in others)
                if not (alone or (name not in outside and not related)) or kin & foreign:
                    continue
                owner = next((number for number in owners if (number, name) in binds), None)
                if owner is not None:
                    found[home, name] = (f"#{self.units[owner].owner['named'].index(name)}", owner)  # type: ignore[index]
        return found
