"""Fingerprint of code: a hash of the definitions that a computation can reach, and of nothing else.

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
:data:`~companion.current.references.NUMERICAL` where a definition names them, and so
is the content of the data files beside a module of which a definition asks for ``__file__``.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import companion
from companion.core.errors import ResultError
from companion.core.files import write_atomic
from companion.current.canonical import Source, Unit, digest, read
from companion.current.references import NUMERICAL, PACKAGE, Links, version

#: Data beside a module.
DATA_SUFFIXES = (".json", ".csv", ".toml", ".npz")

#: What is kept between processes, in the checkout; begun anew where it is larger than so many bytes.
KEPT, LARGEST = ".fingerprints/cache.json", 20_000_000


@dataclass(frozen=True)
class Fingerprint:
    """Fingerprint of some code: a SHA-256 in hexadecimal."""

    digest: str
    _reached: Callable[[], frozenset[str]]

    @cached_property
    def definitions(self) -> frozenset[str]:
        """Places of the reached definitions, ``companion.gp.posterior.FiniteGP``."""
        return self._reached()


def fingerprint(
    *roots: str,
    parts: Sequence[str] = (),
    sources: Sequence[str] = (),
    words: bool = False,
    cut: str = "",
    package: Path | None = None,
) -> Fingerprint:
    """Fingerprint of definitions, of whole modules, and of pieces of Python, with all that they reach.

    Parameters
    ----------
    roots : definitions, ``companion.papers.batched.experiments.store:compute``
    parts : modules or folders of modules below the package, ``papers.batched``
    sources : Python without magics, for example the code cells of a page
    words : whether the words of :data:`~companion.current.canonical.DECLARATIONS` count
    cut : functions of the package with this decorator, ``recorded``, count by name only, and what they reach does not
    package : folder of the package; the imported one by default, which does not change while the process runs

    Raises
    ------
    ResultError
        if there is no such definition
    """
    found = _imported() if package is None else _Definitions(package)
    return found.fingerprint(roots, tuple(parts), tuple(sources), words, cut)


class _Definitions:
    """All definitions of a package, read once; what was found before is kept in the checkout."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._kept = _Kept(root.parent.parent)
        self._texts = {path: path.read_bytes() for path in sorted(root.rglob("*.py"))}
        self._data: dict[Path, str] = defaultdict(str)
        for path in sorted(path for path in root.rglob("*") if path.suffix in DATA_SUFFIXES):
            self._data[path.parent] += f"{path.name} {_sha(path.read_bytes())} "
        places = (f"{path.relative_to(root)} {_sha(text)}" for path, text in self._texts.items())
        beside = (f"{folder.relative_to(root)} {files}" for folder, files in self._data.items())
        self._state = digest(*places, *beside, *map(version, NUMERICAL))

    @cached_property
    def _links(self) -> Links:
        found = {}
        for path, text in self._texts.items():
            parts = path.relative_to(self.root).with_suffix("").parts
            name = ".".join((PACKAGE, *(parts[:-1] if parts[-1] == "__init__" else parts)))
            found[name] = (self._source(text), self._data.get(path.parent, ""))
        return Links(found)

    def _source(self, text: bytes, piece: bool = False) -> Source:
        def plain() -> Any:
            source = read(text, piece)
            return [[[*vars(unit).values()] for unit in source.units], source.imports]

        units, imports = self._kept.get(f"{'piece' * piece} {_sha(text)}", plain)
        return Source([Unit(*unit) for unit in units], imports)

    def fingerprint(
        self, roots: Sequence[str], parts: Sequence[str], sources: Sequence[str], words: bool, cut: str
    ) -> Fingerprint:
        """See :func:`fingerprint`."""

        @cache
        def reached() -> tuple[set[int], set[int]]:
            start = {*self._start(roots, parts, sources)}
            return start, self._links.reach(start, words, cut)

        def hashes() -> str:
            start, every = reached()
            found = {number: self._links.hash(number, words, cut) for number in every}
            # What nothing refers to counts as often as it is there; of what is referred to, two that are alike are one.
            alone = (value for number, value in found.items() if number in start or self._links.is_effect(number))
            return digest(version("numpy"), version("scipy"), *sorted(alone), "", *sorted({*found.values()}))

        key = digest(self._state, repr((roots, parts, words, cut)), *map(digest, sources))
        return Fingerprint(self._kept.get(key, hashes), lambda: frozenset(map(self._links.name, reached()[1])))

    def _start(self, roots: Sequence[str], parts: Sequence[str], sources: Sequence[str]) -> Iterator[int]:
        for root in roots:
            found = self._links.imported(root, [])[1]
            if not found:
                raise ResultError(f"there is no definition {root} below {self.root}")
            yield from found
        for part in parts:
            place = ".".join(filter(None, (PACKAGE, part)))
            for name, module in self._links.modules.items():
                yield from module.units if f"{name}.".startswith(f"{place}.") else ()
        for source in sources:
            yield from self._links.piece(self._source(source.encode(), piece=True))


@cache
def _imported() -> _Definitions:
    return _Definitions(Path(companion.__file__).parent)


def _sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class _Kept:
    """Cache of parsed files and fingerprints, keyed by their sources, in the checkout, for any process."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / KEPT if (folder / "pyproject.toml").is_file() else None
        programs = (path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parent.glob("*.py")))
        self._version = digest(str(sys.version_info[:2]), *programs)
        self._found, self._new = self._read(), dict[str, Any]()

    def _read(self) -> dict[str, Any]:
        try:
            if self._path is not None and self._path.stat().st_size < LARGEST:
                version, found = json.loads(self._path.read_bytes())
                return dict(found) if version == self._version else {}
        except (OSError, ValueError, TypeError):  # missing, or damaged
            pass
        return {}

    def get(self, key: str, make: Callable[[], Any]) -> Any:
        """Stored value, or one made now."""
        if key not in self._found:
            if not self._new and self._path is not None:
                atexit.register(self._write, self._path)
            self._found[key] = self._new[key] = make()
        return self._found[key]

    def _write(self, path: Path) -> None:
        """At the end of the process, add to what others have written meanwhile."""
        content = json.dumps([self._version, {**self._read(), **self._new}], separators=(",", ":"))
        with contextlib.suppress(OSError):  # a folder that cannot be written to costs time, nothing else
            write_atomic(path, content.encode())
