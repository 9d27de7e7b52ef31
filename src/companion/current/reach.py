"""All that definitions reach: links followed once for a package, members of classes by the names that each start mentions.

See :mod:`companion.current.fingerprint`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from companion.current.definitions import Source, Unit
from companion.current.names import Module, Referred, Table
from companion.current.syntax import digest

#: Third-party packages that compute, by the name they are imported under, and their distributions.
NUMERICAL = {
    "numpy": "numpy",
    "scipy": "scipy",
    "torch": "torch",
    "gpytorch": "gpytorch",
    "sklearn": "scikit-learn",
    "Box2D": "box2d",
}

#: Times that definitions which reach each other take in each other's hashes.
_ROUNDS = 6


class Graph:
    """Units with their hashes and all they reach, whoever asks: as bits of whole numbers."""

    def __init__(self, table: Table, text: bool, cut: str) -> None:
        self.table, self.text = table, text
        triggers = sorted(
            {trigger for members in table.members.values() for m in members for trigger in table.units[m].triggers}
        )
        self._bits = {trigger: 1 << place for place, trigger in enumerate(triggers)}
        self._matching: dict[str, int] = {}
        size = len(table.units)
        self.studies = {
            number: f"{table.home[number].name}:{unit.names[0]}"
            for number, unit in enumerate(table.units)
            if cut and cut in unit.marks
        }
        self.own, self.links = [""] * size, [[] for _ in range(size)]  # type: ignore[var-annotated]
        self.names, self._third = [0] * size, [frozenset[str]()] * size
        for number in range(size):
            self.own[number], self.links[number], self.names[number], self._third[number] = self._unit(number)
        effects = {m.name: [u for u in m.units if not table.units[u].names] for m in table.modules.values()}
        self.more = [[] if n in self.studies else effects[table.home[n].name] for n in range(size)]
        self.effects = sum(1 << unit for units in effects.values() for unit in units)
        self.hashes, self.reach = [""] * size, [0] * size
        for component in _components([[*a, *b] for a, b in zip(self.links, self.more, strict=True)]):
            self._close(component)
        self.classes = sum(
            1 << number for number, members in table.members.items() if members and number not in table.whole
        )
        self.triggers = {m: self.mask(table.units[m].triggers) for m in table.class_of}
        self._naming: dict[str, int] = defaultdict(int)
        for number, third in enumerate(self._third):
            for name in third & NUMERICAL.keys():
                self._naming[name] |= 1 << number
        self._asking = [
            (1 << n, table.home[n].path) for n, u in enumerate(table.units) if u.file and n not in self.studies
        ]

    def mask(self, names: Iterable[str]) -> int:
        """Names of members as bits."""
        found = 0
        for name in names:
            found |= self._bits.get(name, 0) if "*" not in name else self._pattern(name)
        return found

    def _pattern(self, pattern: str) -> int:
        if pattern not in self._matching:
            self._matching[pattern] = self.mask(name for name in self._bits if fnmatchcase(name, pattern))
        return self._matching[pattern]

    def _unit(self, number: int) -> tuple[str, list[int], int, frozenset[str]]:
        table, unit = self.table, self.table.units[number]
        if number in self.studies:
            return digest("study", self.studies[number]), [], 0, frozenset()
        form, links, names, third = self.written(unit, lambda ref: table.refer(table.home[number], ref))
        if number in table.members:
            form = digest(form, table.class_name(number))
            links = [*links, *(table.members[number] if number in table.whole else ())]
        elif number in table.class_of:
            owner = table.class_of[number]
            form, links = digest(form, table.class_name(owner)), [*links, owner]
        return form, links, names, third

    def written(self, unit: Unit, refer: Callable[[str], Referred]) -> tuple[str, list[int], int, frozenset[str]]:
        """A unit's own hash, the units it names, the members it mentions, and third-party modules."""
        form, refs, mentions, _ = (
            (unit.form, unit.refs, unit.mentions, ()) if self.text or not unit.silent else unit.silent
        )
        forms, links, third, left = [form], [], set[str](), []
        for ref in refs:
            found, units, others, path = refer(ref)
            forms.append(found)
            links += units
            third |= others
            left += path
        return digest(*forms), links, self.mask(mentions) | self.mask(left), frozenset(third)

    def _close(self, component: list[int]) -> None:
        """Hash and reach of units that reach each other; all that they name is done."""
        inside = set(component)
        fixed = {
            u: digest(self.own[u], *("-" if v in inside else self.hashes[v] for v in self.links[u])) for u in component
        }
        if len(component) > 1:
            now = fixed
            for _ in range(min(len(component), _ROUNDS)):
                now = {u: digest(fixed[u], *(now[v] for v in self.links[u] if v in inside)) for u in component}
            everything = digest(*sorted(now.values()))
            fixed = {u: digest(now[u], everything) for u in component}
        reach, names = sum(1 << u for u in component), 0
        for u in component:
            names |= self.names[u]
            for v in (*self.links[u], *self.more[u]):
                if v not in inside:
                    reach |= self.reach[v]
                    names |= self.names[v]
        for u in component:
            self.hashes[u], self.reach[u], self.names[u] = fixed[u], reach, names

    def third_party(self, reached: int) -> set[str]:
        """Third-party modules that units name."""
        return {name for name, mask in self._naming.items() if reached & mask}

    def asking(self, reached: int) -> set[Path]:
        """Files that ask where they stand."""
        return {path for bit, path in self._asking if reached & bit and path is not None}


def bits(mask: int) -> Iterator[int]:
    """Places of the ones of a whole number."""
    text = bin(mask)[:1:-1]
    place = text.find("1")
    while place >= 0:
        yield place
        place = text.find("1", place + 1)


class Reach:
    """All that is reached from a start, members by their names until there are no more."""

    def __init__(self, graph: Graph, start: Sequence[int], sources: Sequence[Source]) -> None:
        self.graph, table = graph, graph.table
        self._reached = self._names = 0
        self.hashes = [graph.hashes[unit] for unit in dict.fromkeys(start)]
        self.third_party: set[str] = set()
        self._pieces: dict[str, str] = {}
        for unit in start:
            self._take(unit)
        for source in sources:
            self._piece(source)
        seen, waiting = 0, list[int]()
        while True:
            new = self._reached & graph.classes & ~seen
            seen |= new
            waiting += [member for owner in bits(new) for member in table.members[owner]]
            named = [member for member in waiting if graph.triggers[member] & self._names]
            if not named:
                break
            waiting = [member for member in waiting if not graph.triggers[member] & self._names]
            for member in named:
                self._take(member)
            self.hashes += [graph.hashes[member] for member in named]
        self.hashes += [graph.hashes[unit] for unit in bits(self._reached & graph.effects)]
        self.third_party |= graph.third_party(self._reached)
        self.asking = graph.asking(self._reached)

    def _take(self, unit: int) -> None:
        self._reached |= self.graph.reach[unit]
        self._names |= self.graph.names[unit]

    def _piece(self, source: Source) -> None:
        """A piece of Python: all of it counts, each statement by its place."""
        graph, table = self.graph, self.graph.table
        places: dict[str, int] = {name: place for place, unit in enumerate(source.units) for name in unit.names}
        module = Module("", None, source, [], {name: [] for name in places})

        def refer(ref: str) -> Referred:
            name = ref[2:]
            if ref[0] == "n" and name in places:
                return f"#{places[name]}", [], frozenset(), []
            if ref[0] == "p":  # it may be that of any class
                return *table.any_private.get(name, (name, [])), frozenset(), []
            return table.refer(module, ref) if ref[0] == "m" else table._refer(module, ref)

        for unit in source.units:
            for part in (unit, *unit.members):
                words = [f"p:{name[1:]}" for name in part.private if name[0] == "'"]
                own, links, names, third = graph.written(part, refer)
                said = [refer(word)[0] for word in words]
                self.hashes.append(digest(own, *said, *(graph.hashes[link] for link in links)))
                self._pieces[f".{part.names[0] if part.names else f'line {part.line}'}"] = own
                self._names |= names
                self.third_party |= third
                for link in links:
                    self._take(link)

    @property
    def units(self) -> Iterator[int]:
        """Units of the package that are reached."""
        return bits(self._reached)

    @property
    def definitions(self) -> dict[str, str]:
        """Own hash of each unit by its name."""
        found = {self.graph.table.name(unit): self.graph.own[unit] for unit in self.units}
        return dict(sorted({**found, **self._pieces}.items()))


def _components(links: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Strongly connected components, each after all that it reaches (Tarjan)."""
    index, low, stack, on = [0] * len(links), [0] * len(links), list[int](), [False] * len(links)
    count = 0
    for root in range(len(links)):
        if index[root]:
            continue
        work = [(root, iter(links[root]))]
        count += 1
        index[root] = low[root] = count
        stack.append(root)
        on[root] = True
        while work:
            node, rest = work[-1]
            for other in rest:
                if not index[other]:
                    count += 1
                    index[other] = low[other] = count
                    stack.append(other)
                    on[other] = True
                    work.append((other, iter(links[other])))
                    break
                if on[other]:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    place = stack.index(node) if len(stack) < 50 else len(stack) - 1 - stack[::-1].index(node)
                    component, stack[place:] = stack[place:], []
                    for other in component:
                        on[other] = False
                    yield component
