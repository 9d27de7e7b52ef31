"""What code means for a result: a hash of the definitions that a computation can reach, and of nothing else.

A stored result outlives a refactoring when the question "may this change have moved a number?" has a finer answer than
"a file has changed". The *fingerprint* of a function is made from the definitions (functions, classes, module constants)
that it reaches, directly or through others, by the names in their syntax trees. Left out is what cannot change a number:

* docstrings, comments, annotations and the layout of the text; an annotation counts where it makes a field of a class,
* what is said when something is refused: the arguments of ``raise``, the messages of ``assert`` and of warnings,
* the module a definition stands in, the names under which it is imported, and those of a function's own variables,
* names of private members of a class: they count by their place in it, unless code elsewhere could mean another one's,
* members of a class whose name nothing reached mentions, as an attribute, a keyword, or a constant text that is a name,
* what an experiment says about itself: words in the calls of :data:`~companion.current.definitions.DECLARATIONS`; a
  page shows them, so for a page they count.

Classes count by their name, functions and constants do not. A class counts whole where its members may be reached
otherwise: with a base from elsewhere, a decorator that is not known, keywords of a class; so do special methods, and fields.
The name for ``getattr`` has to stand somewhere as a constant; of one that is composed in the call its constant parts are
compared. An exception counts by name and bases: ``__init__`` and what it says only where an attribute that they set is read
from a caught exception, or a caught one is handed on; its other members as those of any class.

A module used as a value, not for one of its attributes, counts whole, as does one that a constant string names in
``import_module``. Statements of a module that define nothing (a call, a loop) count with every definition of that module.
The versions of NumPy and SciPy are part of the fingerprint, those of :data:`NUMERICAL` where a definition names them, and so
is the content of the data files beside a module of which a definition asks for ``__file__``.
"""

from __future__ import annotations

import atexit
import hashlib
import importlib.metadata
import json
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import companion
from companion.core.errors import ResultError
from companion.core.files import write_atomic
from companion.current import definitions
from companion.current.definitions import Source, Unit, digest

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
_ALWAYS = ("numpy", "scipy")

#: Data beside a module.
DATA_SUFFIXES = (".json", ".csv", ".toml", ".npz")

#: Folder of what is kept, in the checkout.
KEPT = ".fingerprints"

#: Bases from elsewhere that call no member by name.
_PLAIN_BASES = {"abc.ABC", "typing.Protocol", "typing.Generic", "typing.NamedTuple", "typing.TypedDict", "b:object"}

#: Times that definitions which reach each other take in each other's hashes.
_ROUNDS = 6


@dataclass(frozen=True)
class Fingerprint:
    """Fingerprint of some code.

    Parameters
    ----------
    digest : SHA-256 in hexadecimal
    versions : of the third-party packages that count
    list_definitions : see :attr:`definitions`
    """

    digest: str
    versions: Mapping[str, str]
    list_definitions: Callable[[], dict[str, str]]

    @cached_property
    def definitions(self) -> Mapping[str, str]:
        """Hash of each reached definition by where it stands now, ``companion.gp.finite.FiniteGP``; for messages."""
        return self.list_definitions()

    def changed(self, other: Mapping[str, str]) -> list[str]:
        """Definitions, by name without their module, whose hash is not among those of ``other``; sorted."""
        known = set(other.values())
        return sorted({name.rpartition(".")[2] for name, value in self.definitions.items() if value not in known})


def fingerprint(*roots: str, package: Path | None = None, text: bool = False) -> Fingerprint:
    """Fingerprint of definitions named ``module:name``, ``companion.papers.batched.experiments.store:compute``.

    Parameters
    ----------
    roots : where to start
    package : folder of the package; the imported one by default
    text : whether the words of :data:`~companion.current.definitions.DECLARATIONS` count

    Raises
    ------
    ResultError
        if there is no such definition
    """
    return Definitions.of(package).fingerprint(roots, text=text)


def fingerprint_of_source(source: str, *, package: Path | None = None, text: bool = True, cut: str = "") -> Fingerprint:
    """Fingerprint of a piece of Python, for example the code cells of a page: its own statements, and all they reach.

    Parameters
    ----------
    source : Python; magics and shell lines are not understood
    package, text : see :func:`fingerprint`
    cut : functions of the package with this decorator, ``recorded``, count by name only, and what they reach does not
    """
    return Definitions.of(package).fingerprint(sources=[source], text=text, cut=cut)


def fingerprint_of_modules(*parts: str, sources: Iterable[str] = (), package: Path | None = None) -> Fingerprint:
    """Fingerprint of all definitions of parts of the package, and of pieces of Python, tests for example, with all they reach.

    Parameters
    ----------
    parts : modules or folders of modules below the package, ``papers.batched``
    sources, package : see :func:`fingerprint_of_source`
    """
    return Definitions.of(package).fingerprint(parts=parts, sources=tuple(sources))


def studies_reached(source: str, *, package: Path | None = None, cut: str = "recorded") -> list[str]:
    """Functions with a decorator that a piece of Python reaches otherwise than through another one, ``module:name``; sorted."""
    return Definitions.of(package).studies(source, cut)


class Definitions:
    """All definitions of a package, read once; what was found before is kept in the checkout."""

    @staticmethod
    def of(package: Path | None = None) -> Definitions:
        """Those of a package's folder; an imported package, the default, does not change while the process runs."""
        return _imported() if package is None else Definitions(package)

    def __init__(self, root: Path) -> None:
        self.root = root
        folder = root.parent.parent
        self._kept = _Kept(folder / KEPT if (folder / "pyproject.toml").is_file() else None)
        self._texts = {path: path.read_bytes() for path in sorted(root.rglob("*.py"))}
        data = [path for path in sorted(root.rglob("*")) if path.suffix in DATA_SUFFIXES]
        self._data: dict[Path, dict[str, str]] = defaultdict(dict)
        for path in data:
            self._data[path.parent][path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
        places = (f"{path.relative_to(root)} {hashlib.sha256(text).hexdigest()}" for path, text in self._texts.items())
        beside = (f"{path.relative_to(root)} {self._data[path.parent][path.name]}" for path in data)
        self._state = digest(*places, *beside, *(f"{name} {version(name)}" for name in NUMERICAL))
        self._graphs: dict[tuple[bool, str], _Graph] = {}

    @cached_property
    def _table(self) -> _Table:
        found = {}
        for path, text in self._texts.items():
            parts = path.relative_to(self.root).with_suffix("").parts
            name = ".".join((PACKAGE, *(parts[:-1] if parts[-1] == "__init__" else parts)))
            found[name] = (self._kept.source(text), path)
        return _Table(found)

    def _graph(self, text: bool, cut: str) -> _Graph:
        if (text, cut) not in self._graphs:
            self._graphs[text, cut] = _Graph(self._table, text, cut)
        return self._graphs[text, cut]

    def fingerprint(
        self,
        roots: Sequence[str] = (),
        *,
        parts: Sequence[str] = (),
        sources: Sequence[str] = (),
        text: bool = False,
        cut: str = "",
    ) -> Fingerprint:
        """Of everything reached from definitions, parts of the package and pieces of Python; see :func:`fingerprint`."""
        key = digest(repr((tuple(roots), tuple(parts), text, cut)), *(digest(source) for source in sources))
        known = self._kept.result(self._state, key)

        def reach() -> _Reach:
            return self._reach(roots, parts, sources, text, cut)

        if known is None:
            found = reach()
            versions = {name: version(name) for name in sorted({*_ALWAYS, *found.third_party} & set(NUMERICAL))}
            files = sorted(item for path in found.asking for item in self._data[path.parent].items())
            whole = digest(*sorted(found.hashes), repr(sorted(versions.items())), repr(files))
            known = self._kept.remember(self._state, key, (whole, versions))
        return Fingerprint(known[0], known[1], lambda: reach().definitions)

    def studies(self, source: str, cut: str) -> list[str]:
        """See :func:`studies_reached`."""
        reach = self._reach((), (), [source], True, cut)
        return sorted(name for unit in reach.units if (name := reach.graph.studies.get(unit)))

    def _reach(
        self, roots: Sequence[str], parts: Sequence[str], sources: Sequence[str], text: bool, cut: str
    ) -> _Reach:
        graph = self._graph(text, cut)
        start: list[int] = []
        for root in roots:
            module, _, name = root.partition(":")
            found = self._table.resolve(module, name)
            if not found:
                raise ResultError(f"there is no definition {root} below {self.root}")
            start += found
        for part in parts:
            place = ".".join(filter(None, (PACKAGE, part)))
            start += [
                u for m in self._table.modules if f"{m}.".startswith(f"{place}.") for u in self._table.modules[m].units
            ]
        return _Reach(graph, start, [self._kept.source(source.encode()) for source in sources])


@cache
def _imported() -> Definitions:
    return Definitions(Path(companion.__file__).parent)


@cache
def version(module: str) -> str:
    """Public version (``2.13.0`` for ``2.13.0+cpu``) of a package that computes."""
    try:
        return importlib.metadata.version(NUMERICAL[module]).partition("+")[0]
    except importlib.metadata.PackageNotFoundError:
        return "absent"


# -- what is kept between processes ---------------------------------------------------------------------------------------


class _Kept:
    """What files were read to, by their hash, and fingerprints by the state of the package; a cache that any process may write."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._made: dict[str, Source] = {}
        self._new: set[str] = set()
        programs = (Path(definitions.__file__).read_bytes(), Path(__file__).read_bytes())
        self._version = digest(str(sys.version_info[:2]), *(hashlib.sha256(p).hexdigest() for p in programs))
        if folder is not None:
            atexit.register(self._write, os.getpid())

    @cached_property
    def _sources(self) -> dict[str, Any]:
        return self._read("sources")

    @cached_property
    def _results(self) -> dict[str, Any]:
        return self._read("results")

    def _read(self, name: str) -> dict[str, Any]:
        if self._folder is None:
            return {}
        try:
            content = json.loads((self._folder / f"{name}.json").read_bytes())
            return dict(content["found"]) if content["version"] == self._version else {}
        except (OSError, ValueError, TypeError, KeyError):  # missing, or damaged
            return {}

    def source(self, text: bytes) -> Source:
        """A file, read anew or as it was kept."""
        key = hashlib.sha256(text).hexdigest()
        if key not in self._made:
            if key not in self._sources:
                self._made[key] = Source.read(text)
                self._sources[key] = self._made[key].to_plain()
                self._new.add("sources")
            else:
                self._made[key] = Source.from_plain(self._sources[key])
        return self._made[key]

    def result(self, state: str, key: str) -> tuple[str, dict[str, str]] | None:
        """A fingerprint of the package as it is."""
        if self._results.get("state") != state:
            self._results.clear()
            self._results["state"] = state
        return self._results.get(key)

    def remember(self, state: str, key: str, result: tuple[str, dict[str, str]]) -> tuple[str, dict[str, str]]:
        """Keep a fingerprint."""
        self._results[key] = result
        self._new.add("results")
        return result

    def _write(self, process: int) -> None:
        """At the end of the process that began, add to what others have written meanwhile."""
        if self._folder is None or os.getpid() != process:
            return
        for name in self._new:
            found, others = self._results if name == "results" else self._sources, self._read(name)
            if others.get("state") == found.get("state"):
                found = others | found
            content = json.dumps({"version": self._version, "found": found}, separators=(",", ":"))
            try:
                self._folder.mkdir(exist_ok=True)
                write_atomic(self._folder / f"{name}.json", content.encode())
            except OSError:  # a folder that cannot be written to costs time, nothing else
                return


# -- names ----------------------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class _Module:
    name: str
    path: Path | None
    source: Source
    units: list[int]
    bound: dict[str, list[int]]


class _Table:
    """Units of all modules by number, and what their names stand for."""

    def __init__(self, sources: Mapping[str, tuple[Source, Path]]) -> None:
        self.units: list[Unit] = []
        self.home: list[_Module] = []
        self.members: dict[int, list[int]] = {}
        self.modules: dict[str, _Module] = {}
        self._found: dict[tuple[str, str], tuple[str, list[int], frozenset[str], list[str]]] = {}
        for name, (source, path) in sources.items():
            module = self.modules[name] = _Module(name, path, source, [], {})
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
            self.any_private[name] = (f"{form} {place}", owners + [owner])

    def _add(self, unit: Unit, module: _Module) -> int:
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

    def refer(self, module: _Module, ref: str) -> tuple[str, list[int], frozenset[str], list[str]]:
        """What a reference stands for: its form, units, third-party modules, and attributes that are left."""
        key = (module.name, ref)
        if key not in self._found:
            self._found[key] = self._refer(module, ref)
        return self._found[key]

    def _refer(self, module: _Module, ref: str) -> tuple[str, list[int], frozenset[str], list[str]]:
        kind, _, rest = ref.partition(":")
        if kind == "m":
            whole = self.modules.get(rest)
            return "Module", [] if whole is None else whole.units, frozenset(), []
        name, *path = rest.split(".")
        if kind == "p":
            place = self.private.get((module.name, name))
            return (f".{name}", [], frozenset(), []) if place is None else (f".{place[0]}", [place[1]], frozenset(), [])
        forms, units, third, left = [], [], set(), []
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
                form, units, third, _ = (
                    ("", [], frozenset[str](), []) if ref[0] in "b?" else self.refer(self.home[number], ref)
                )
                bases[number] += [unit for unit in units if unit in self.members]
                plain = form.removeprefix("I ").strip().replace(" ", ".")
                error = ref[0] == "b" and definitions.names_exception(ref)
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


# -- reach ----------------------------------------------------------------------------------------------------------------


class _Graph:
    """Units with their hashes and all they reach, whoever asks: as bits of whole numbers."""

    def __init__(self, table: _Table, text: bool, cut: str) -> None:
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

    def written(
        self, unit: Unit, refer: Callable[[str], tuple[str, list[int], frozenset[str], list[str]]]
    ) -> tuple[str, list[int], int, frozenset[str]]:
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


class _Reach:
    """All that is reached from a start, members by their names until there are no more."""

    def __init__(self, graph: _Graph, start: Sequence[int], sources: Sequence[Source]) -> None:
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
        module = _Module("", None, source, [], {name: [] for name in places})

        def refer(ref: str) -> tuple[str, list[int], frozenset[str], list[str]]:
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
