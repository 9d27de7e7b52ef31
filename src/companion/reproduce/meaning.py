"""What code means for a result: a hash of the definitions that a computation can reach, and of nothing else.

A stored result outlives a refactoring when the question "may this change have moved a number?" has a finer answer than
"a file has changed". The *meaning* of a function is made from the definitions (functions, classes, module constants) that
it reaches, directly or through others, by the names in their syntax trees. Left out is what cannot change a number:

* docstrings, comments, annotations and the layout of the text,
* what is said when something is refused: the arguments of ``raise``, the messages of ``assert`` and of warnings,
* the module a definition stands in, the names under which it is imported, and those of a function's own variables,
* what an experiment says about itself: words in the calls of :data:`~companion.reproduce.definitions.DECLARATIONS`; a
  page shows them, so for a page they count.

A class counts whole, since a method may be called through any object. A module used as a value, not for one of its
attributes, counts whole too, as does one that a constant string names in ``import_module``. Attributes looked up by
``getattr`` are those of an object whose class counts whole. Statements of a module that define nothing (a call, a loop)
count with every definition of that module. The versions of NumPy and SciPy are part of the meaning, those of
:data:`NUMERICAL` where a definition names them, and so is the content of the data files beside a module of which a
definition asks for ``__file__``.
"""

from __future__ import annotations

import ast
import importlib.metadata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import companion
from companion.core.errors import ResultError
from companion.reproduce.definitions import Module, Reader, Unit, digest

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

#: Times that a definition's hash takes in those of the definitions it names; two definitions that differ only in what
#: they reach in more steps than this still change the whole, whose hash covers every definition.
_ROUNDS = 4


@dataclass(frozen=True)
class Meaning:
    """Meaning of some code.

    Parameters
    ----------
    digest : SHA-256 in hexadecimal
    definitions : hash of each reached definition by where it stands now, ``companion.gp.finite.FiniteGP``; for messages
    versions : of the third-party packages that count
    """

    digest: str
    definitions: Mapping[str, str]
    versions: Mapping[str, str]

    def changed(self, other: Mapping[str, str]) -> list[str]:
        """Definitions, by name without their module, whose hash is not among those of ``other``; sorted."""
        known = set(other.values())
        return sorted({name.rpartition(".")[2] for name, value in self.definitions.items() if value not in known})


def meaning(*roots: str, package: Path | None = None, text: bool = False) -> Meaning:
    """Meaning of definitions named ``module:name``, ``companion.papers.batched.experiments.store:compute``.

    Parameters
    ----------
    roots : where to start
    package : folder of the package; the imported one by default
    text : whether the words of :data:`~companion.reproduce.definitions.DECLARATIONS` count

    Raises
    ------
    ResultError
        if there is no such definition
    """
    reader = _reader(package)
    start = []
    for root in roots:
        module, _, name = root.partition(":")
        found = reader.resolve(module, name)
        if not found:
            raise ResultError(f"there is no definition {root} below {reader.root}")
        start += found
    return _Reach(reader, text).meaning(start)


def meaning_of_source(source: str, *, package: Path | None = None, text: bool = True) -> Meaning:
    """Meaning of a piece of Python, for example the code cells of a page: its own statements, and all they reach.

    Parameters
    ----------
    source : Python; magics and shell lines are not understood
    package, text : see :func:`meaning`
    """
    reader = _reader(package)
    page = Module.of(ast.parse(source), "<source>", None)
    return _Reach(reader, text).meaning([(page, unit) for unit in page.units])


def meaning_of_modules(*parts: str, sources: Iterable[str] = (), package: Path | None = None) -> Meaning:
    """Meaning of all definitions of parts of the package, and of pieces of Python, tests for example, with all they reach.

    Parameters
    ----------
    parts : modules or folders of modules below the package, ``papers.batched``
    sources, package : see :func:`meaning_of_source`
    """
    reader = _reader(package)
    pages = [Module.of(ast.parse(source), "<source>", None) for source in sources]
    modules = [module for part in parts for module in reader.modules(part)]
    return _Reach(reader, False).meaning([(module, unit) for module in (*modules, *pages) for unit in module.units])


def _reader(package: Path | None) -> Reader:
    root = Path(companion.__file__).parent if package is None else package
    if package is None:
        return _imported_reader(root)  # an imported package does not change while the process runs
    return Reader(root)


@cache
def _imported_reader(root: Path) -> Reader:
    return Reader(root)


class _Reach:
    """The closure of definitions, each with its hash."""

    def __init__(self, reader: Reader, text: bool) -> None:
        self._reader = reader
        self._text = text
        self._own: dict[int, str] = {}
        self._links: dict[int, list[int]] = {}
        self._names: dict[int, str] = {}
        self._third: set[str] = set()
        self._files: dict[str, str] = {}

    def meaning(self, start: Iterable[tuple[Module, Unit]]) -> Meaning:
        """Hash everything reached from ``start``."""
        waiting = list(start)
        kept = []  # the units whose ids are keys stay alive
        while waiting:
            module, unit = waiting.pop()
            if id(unit) in self._own:
                continue
            kept.append(unit)
            own, canonical = self._reader.canonical(module, unit, self._text)
            self._own[id(unit)] = own
            self._names[id(unit)] = f"{module.name}.{unit.names[0] if unit.names else f'line {unit.node.lineno}'}"
            found = canonical.reached + ([(module, effect) for effect in module.effects] if unit.names else [])
            self._links[id(unit)] = [id(other) for _, other in canonical.reached]
            self._third |= canonical.third_party
            self._files |= canonical.files
            waiting += found
        hashes = dict(self._own)
        for _ in range(_ROUNDS):
            hashes = {key: digest([self._own[key], [hashes[other] for other in self._links[key]]]) for key in hashes}
        found_versions = _versions(self._third)
        whole = digest([sorted(hashes.values()), sorted(found_versions.items()), sorted(self._files.items())])
        definitions = {self._names[key]: self._own[key] for key in hashes}
        return Meaning(whole, dict(sorted(definitions.items())), found_versions)


def _versions(modules: Iterable[str]) -> dict[str, str]:
    """Public versions (``2.13.0`` for ``2.13.0+cpu``) of the packages that compute."""
    found = {}
    for module in sorted({*_ALWAYS, *modules} & set(NUMERICAL)):
        try:
            found[module] = importlib.metadata.version(NUMERICAL[module]).partition("+")[0]
        except importlib.metadata.PackageNotFoundError:
            found[module] = "absent"
    return found
