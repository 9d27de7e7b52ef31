"""What code means for a result: a hash of the definitions that a computation can reach, and of nothing else.

A stored result outlives a refactoring when the question "may this change have moved a number?" has a finer answer than
"a file has changed". The *fingerprint* of a function is made from the definitions (functions, classes, module constants)
that it reaches, directly or through others, by the names in their syntax trees. Left out is what cannot change a number:

* docstrings, comments, annotations and the layout of the text; an annotation counts where it makes a field of a class,
* what is said when something is refused: the arguments of ``raise``, the messages of ``assert`` and of warnings,
* the module a definition stands in, the names under which it is imported, and those of a function's own variables,
* names of private members of a class: they count by their place in it, unless code elsewhere could mean another one's,
* members of a class whose name nothing reached mentions, as an attribute, a keyword, or a constant text that is a name,
* what an experiment says about itself: words in the calls of :data:`~companion.current.canonical.DECLARATIONS`; a
  page shows them, so for a page they count.

Classes count by their name, functions and constants do not. A class counts whole where its members may be reached
otherwise: with a base from elsewhere, a decorator that is not known, keywords of a class; so do special methods, and fields.
The name for ``getattr`` has to stand somewhere as a constant; of one that is composed in the call its constant parts are
compared. An exception counts by name and bases: ``__init__`` and what it says only where an attribute that they set is read
from a caught exception, or a caught one is handed on; its other members as those of any class.

A module used as a value, not for one of its attributes, counts whole, as does one that a constant string names in
``import_module``. Statements of a module that define nothing (a call, a loop) count with every definition of that module.
The versions of NumPy and SciPy are part of the fingerprint, those of
:data:`~companion.current.reach.NUMERICAL` where a definition names them, and so
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
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import companion
from companion.core.errors import ResultError
from companion.core.files import write_atomic
from companion.current.definitions import Source
from companion.current.names import PACKAGE, Table
from companion.current.reach import NUMERICAL, Graph, Reach
from companion.current.syntax import digest

_ALWAYS = ("numpy", "scipy")

#: Data beside a module.
DATA_SUFFIXES = (".json", ".csv", ".toml", ".npz")

#: Folder of what is kept, in the checkout.
KEPT = ".fingerprints"


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
    text : whether the words of :data:`~companion.current.canonical.DECLARATIONS` count

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
        self._graphs: dict[tuple[bool, str], Graph] = {}

    @cached_property
    def _table(self) -> Table:
        found = {}
        for path, text in self._texts.items():
            parts = path.relative_to(self.root).with_suffix("").parts
            name = ".".join((PACKAGE, *(parts[:-1] if parts[-1] == "__init__" else parts)))
            found[name] = (self._kept.source(text), path)
        return Table(found)

    def _graph(self, text: bool, cut: str) -> Graph:
        if (text, cut) not in self._graphs:
            self._graphs[text, cut] = Graph(self._table, text, cut)
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

        def reach() -> Reach:
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

    def _reach(self, roots: Sequence[str], parts: Sequence[str], sources: Sequence[str], text: bool, cut: str) -> Reach:
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
        return Reach(graph, start, [self._kept.source(source.encode()) for source in sources])


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
    """What files were read to, by their hash, and fingerprints by the state of the package: a cache for any process."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._made: dict[str, Source] = {}
        self._new: set[str] = set()
        programs = (path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
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
