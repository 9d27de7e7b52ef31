"""Resolution of the names in a package's definitions, and all that definitions reach.

See :mod:`companion.current.fingerprint`.
"""

from __future__ import annotations

import fnmatch
import importlib.metadata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain

from companion.current.canonical import Source, Unit, digest

PACKAGE = "companion"

#: Third-party packages that compute, by the name they are imported under, and their distributions.
NUMERICAL = {
    "numpy": "numpy",
    "scipy": "scipy",
    "torch": "torch",
    "gpytorch": "gpytorch",
    "sklearn": "scikit-learn",
    "Box2D": "box2d",
}
#: Bases from elsewhere that call no member by name.
_PLAIN_BASES = {"abc.ABC", "typing.Protocol", "typing.Generic", "typing.NamedTuple", "typing.TypedDict"}

#: How far definitions see along the names in them, see :meth:`Links.hash`.
_DEPTH = 8

#: What a reference stands for: its form, units, and attributes that are left.
Referred = tuple[str, Sequence[int], Sequence[str]]


@cache
def version(module: str) -> str:
    """Public version (``2.13.0`` for ``2.13.0+cpu``) of a package that computes; empty for any other."""
    try:
        return importlib.metadata.version(NUMERICAL[module]).partition("+")[0] if module in NUMERICAL else ""
    except importlib.metadata.PackageNotFoundError:
        return "absent"


@dataclass(eq=False)
class Module:
    """A source with the numbers of its statements, by the names that they bind, and a digest of the data beside it."""

    name: str
    imports: Mapping[str, Sequence[str]]
    data: str
    units: list[int]
    bound: dict[str, list[int]]


@dataclass(eq=False)
class Node:
    """A unit's own hash, the units that its names stand for in their order, all that come with it, and what it mentions."""

    own: str
    links: list[int]
    near: frozenset[int]
    mentions: frozenset[str]


class Links:
    """Units of all modules by number."""

    def __init__(self, sources: Mapping[str, tuple[Source, str]]) -> None:
        self.units: list[Unit] = []
        self.modules: dict[str, Module] = {}
        self._home: list[Module] = []
        self._owner: dict[int, int] = {}
        self._members: dict[int, list[int]] = defaultdict(list)
        self._words: dict[int, list[int]] = defaultdict(list)
        self.node, self.hash, self.refer = cache(self._node), cache(self._hash), cache(self._referred)
        for name, (source, data) in sources.items():
            self._add(name, source, data)
        self._triggers = {number: frozenset(self.units[number].triggers or ()) for number in self._owner}
        self._known = frozenset(chain(*self._triggers.values()))
        self._times = Counter(unit.names[0] for unit in self.units if unit.bases is not None)
        self._inherit()
        self._private = self._places()

    def piece(self, source: Source) -> list[int]:
        """Take in a piece of Python that is no module of the package; its unit."""
        return self._add(f"piece {len(self.units)}", source)

    def _add(self, name: str, source: Source, data: str = "") -> list[int]:
        first = len(self.units)
        module = self.modules[name] = Module(name, source.imports, data, [], {})
        for number, unit in enumerate(source.units, first):
            self.units.append(unit)
            self._home.append(module)
            if unit.owner is None:
                module.units.append(number)
                for bound in unit.names:
                    module.bound.setdefault(bound, []).append(number)
            elif unit.triggers is None:
                self._words[first + unit.owner].append(number)
            else:
                self._owner[number] = first + unit.owner
                self._members[first + unit.owner].append(number)
        return module.units

    def name(self, number: int) -> str:
        """Place of a unit, ``companion.gp.posterior.FiniteGP``."""
        owner = [self.units[self._owner[number]].names[0]] if number in self._owner else []
        return ".".join([self._home[number].name, *owner, *self.units[number].names[:1]])

    def is_effect(self, number: int) -> bool:
        """Whether a unit is a statement that defines nothing."""
        return not self.units[number].names

    # -- names

    def find(self, module: str, path: Sequence[str]) -> Referred:
        """Definition behind a path below a module, through re-exports."""
        here = self.modules.get(module)
        if here is None:
            return f"{'.'.join([module, *path])} {version(module.partition('.')[0])}".strip(), [], path[1:]
        if not path:
            return "Module", here.units, []
        name, *rest = path
        if name in here.bound:
            which = [self.units[u].names.index(name) for u in here.bound[name] if len(self.units[u].names) > 1]
            return f"R {which} {rest}", here.bound[name], rest
        for target in here.imports.get(name, ())[:1]:
            if target != f"{module}:{name}":
                return self.imported(target, rest)
        if f"{module}.{name}" in self.modules:
            return self.find(f"{module}.{name}", rest)
        return f"? {path}", [], rest

    def imported(self, target: str, path: Sequence[str]) -> Referred:
        """Definition behind a path below ``module:attribute``."""
        module, _, attribute = target.partition(":")
        return self.find(module, [*filter(None, [attribute]), *path])

    def _referred(self, home: str, ref: str) -> Referred:
        kind, _, rest = ref.partition(":")
        if kind == "m":
            return self.find(rest, [])
        if kind == "p":  # in a piece of Python, it may be that of any class
            homes = self._private.get(rest, {})
            places = [homes[home]] if home in homes else [] if home.startswith(PACKAGE) else sorted(homes.values())
            return f".{[place for place, _ in places] or rest}", [owner for _, owner in places], []
        name, *path = rest.split(".")
        found = [self.imported(target, path) for target in self.modules[home].imports.get(name, ())]
        if name in self.modules[home].bound:
            found.append(self.find(home, [name, *path]))
        return (
            " ".join(form for form, _, _ in found),
            [u for _, us, _ in found for u in us],
            [*chain(*(f[2] for f in found))],
        )

    # -- classes

    def _inherit(self) -> None:
        """Families of classes, and which count whole because a base is not known."""
        parents: dict[int, list[int]] = {}
        self._whole: set[int] = set()
        for number, unit in enumerate(self.units):
            if unit.bases is not None:
                found = [self.refer(self._home[number].name, base) for base in unit.bases if base != "?"]
                parents[number] = [u for _, units, _ in found for u in units if self.units[u].bases is not None]
                if "?" in unit.bases or any(not units and form not in _PLAIN_BASES for form, units, _ in found):
                    self._whole.add(number)
        while more := {n for n, above in parents.items() if not self._whole.isdisjoint(above)} - self._whole:
            self._whole |= more
        self._family = {number: number for number in parents}
        for number, above in parents.items():
            for parent in above:
                one, other = self._family[number], self._family[parent]
                self._family = {n: other if family == one else family for n, family in self._family.items()}

    def _places(self) -> dict[str, dict[str, tuple[int, int]]]:
        """Private names that count by place: by name and module, the place and the class that has it.

        One name is one place wherever it may mean the same: it is mentioned in this module alone; or it is mentioned through
        ``self`` alone, and the classes of this module that do have no relatives elsewhere that do. No string may name it.
        """
        inside: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        outside: dict[str, set[str]] = defaultdict(set)
        for number, unit in enumerate(self.units):
            for name in unit.private:
                outside[name].add(self._home[number].name)
            for name in unit.named:
                inside[name][self._home[number].name].append(number)
        composed = {name for unit in self.units for name in unit.mentions if "*" in name and name[0] != "!"}
        foreign = {self._family[number] for number in self._whole}
        found: dict[str, dict[str, tuple[int, int]]] = defaultdict(dict)
        for name, homes in inside.items():
            if f"'{name}" in outside or any(fnmatch.fnmatchcase(name, pattern) for pattern in composed):
                continue
            families = {home: {self._family[number] for number in owners} for home, owners in homes.items()}
            for home, owners in homes.items():
                others = foreign.union(*(family for other, family in families.items() if other != home))
                alone = outside[name] <= ({home} if len(homes) == 1 else set())
                binds = [number for number in owners if self.units[number].named[name]]
                if alone and binds and families[home].isdisjoint(others):
                    found[name][home] = [*self.units[binds[0]].named].index(name), binds[0]
        return found

    # -- reach

    def _node(self, number: int, text: bool, cut: str) -> Node:
        unit, module = self.units[number], self._home[number]
        if cut and cut in unit.marks:
            return Node(digest("cut", self.name(number)), [], frozenset(), frozenset())
        forms, links, mentions = [], list[int](), set[str]()
        for part in (unit, *(self.units[words] for words in self._words[number] if text)):
            found = [self.refer(module.name, ref) for ref in part.refs]
            forms += [*part.form, *(form for form, _, _ in found)]
            links += chain(*(units for _, units, _ in found))
            mentions.update(part.mentions, *(left for _, _, left in found))
        if unit.file:
            forms.append(module.data)
        if number in self._owner or unit.bases is not None:
            owner = self._owner.get(number, number)
            forms.append(
                self.name(owner) if self._times[self.units[owner].names[0]] > 1 else self.units[owner].names[0]
            )
            links += [owner] if owner != number else self._members[number] if number in self._whole else []
        patterns = [name for name in mentions if "*" in name]
        mentions.update(*(fnmatch.filter(self._known, pattern) for pattern in patterns))
        effects = filter(self.is_effect, module.units)
        return Node(digest(*forms), links, frozenset(links).union(effects), self._known & mentions)

    def _hash(self, number: int, text: bool, cut: str, depth: int = _DEPTH) -> str:
        """Hash of a unit with those behind its names, to some depth: which of two like functions another one calls.

        As all that is reached counts with its own hash, the depth has only to tell apart what stands behind equal texts.
        """
        node = self.node(number, text, cut)
        if not depth:
            return node.own
        return digest(node.own, *(self.hash(link, text, cut, depth - 1) for link in node.links))

    def reach(self, start: Iterable[int], text: bool, cut: str) -> set[int]:
        """Units that are reached: by names, and members of classes by what anything reached mentions, until there are no more."""
        reached, mentions, members = set[int](), set[str](), set[int]()
        new = set(start)
        while new:
            reached |= new
            nodes = [self.node(number, text, cut) for number in new]
            mentions.update(*(node.mentions for node in nodes))
            members.update(*(self._members[number] for number in new if number in self._members))
            members -= reached
            new = set().union(*(node.near for node in nodes)) - reached
            new = new or {member for member in members if not self._triggers[member].isdisjoint(mentions)}
        return reached
