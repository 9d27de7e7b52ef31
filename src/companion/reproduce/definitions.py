"""Top-level definitions of the package's modules, and their syntax trees without what cannot change a number.

The parts of :mod:`companion.reproduce.meaning`, which says what is left out and why: :class:`Reader` finds the definition
behind a name, :class:`Canonical` writes one as nested lists and notes the definitions that it names.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PACKAGE = "companion"

#: Calls that declare what may be set or run: of their strings, those with a blank describe and never compute.
DECLARATIONS = frozenset({"Parameter", "Method", "Experiment", "number", "whole", "choice", "_number", "_choice"})

#: Data beside a module.
DATA_SUFFIXES = (".json", ".csv", ".toml", ".npz")

#: Annotations that do something in a dataclass.
_EFFECTIVE = ("ClassVar", "InitVar", "KW_ONLY")


@dataclass(eq=False)
class Unit:
    """A top-level statement: what it binds, and its tree."""

    names: tuple[str, ...]
    node: ast.stmt


@dataclass(eq=False)
class Module:
    """A parsed module: its top-level statements, what it imports and what it binds.

    Parameters
    ----------
    name : dotted
    path : of the source, ``None`` for a piece of text
    units : statements that count
    imports : module and attribute behind every imported name, whichever function imports it
    bound : statements behind every name that the module binds
    """

    name: str
    path: Path | None
    units: list[Unit]
    imports: dict[str, tuple[str, str | None]]
    bound: dict[str, list[Unit]] = field(default_factory=dict)

    @classmethod
    def of(cls, tree: ast.Module, name: str, path: Path | None) -> Module:
        """Units and imports of a parsed module; what stands under TYPE_CHECKING is left out."""
        imports: dict[str, tuple[str, str | None]] = {}
        for node in _running(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    first = alias.name.partition(".")[0]
                    imports[alias.asname or first] = (alias.name if alias.asname else first, None)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                imports |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
        units = [Unit(_binds(node), node) for node in tree.body if _counts(node)]
        module = cls(name, path, units, imports)
        for unit in units:
            for bound in unit.names:
                module.bound.setdefault(bound, []).append(unit)
        return module

    @property
    def effects(self) -> list[Unit]:
        """Statements that bind nothing."""
        return [unit for unit in self.units if not unit.names]


class Reader:
    """Modules of a package, parsed once; each definition written in its canonical form once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._modules: dict[str, Module | None] = {}
        self._written: dict[tuple[int, bool], tuple[str, Canonical]] = {}

    def canonical(self, module: Module, unit: Unit, text: bool) -> tuple[str, Canonical]:
        """SHA-256 of a definition's canonical form, and what writing it has met; ``text`` as in :class:`Canonical`."""
        known = self._written.get((id(unit), text))
        if known is not None:
            return known
        writer = Canonical(self, module, text)
        made = (digest(writer.of(unit.node)), writer)
        if module.path is not None:  # the modules live as long as the reader, a page's own statements do not
            self._written[id(unit), text] = made
        return made

    def module(self, name: str) -> Module | None:
        """A module by its dotted name; ``None`` for what is no module of the package."""
        if name not in self._modules:
            path = self._file(name)
            parsed = None if path is None else ast.parse(path.read_bytes())
            self._modules[name] = None if parsed is None else Module.of(parsed, name, path)
        return self._modules[name]

    def modules(self, part: str) -> list[Module]:
        """A module below the package, or all that stand in a folder of it."""
        place = self.root.joinpath(*part.split("."))
        paths = sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]
        names = [".".join((PACKAGE, *path.relative_to(self.root).with_suffix("").parts)) for path in paths]
        return [module for name in names if (module := self.module(name.removesuffix(".__init__"))) is not None]

    def resolve(self, module: str, name: str) -> list[tuple[Module, Unit]]:
        """Units behind ``module.name``, through re-exports; none for a module or for what is not of the package."""
        seen = set()
        while (module, name) not in seen:
            seen.add((module, name))
            here = self.module(module)
            if here is None:
                return []
            if name in here.bound:
                return [(here, unit) for unit in here.bound[name]]
            source, attribute = here.imports.get(name, (module, name))
            if attribute is None:
                return []
            module, name = source, attribute
        return []

    def _file(self, name: str) -> Path | None:
        first, *rest = name.split(".")
        if first != PACKAGE:
            return None
        place = self.root.joinpath(*rest)
        found = (place / "__init__.py", place.with_suffix(".py")) if rest else (place / "__init__.py",)
        return next((path for path in found if path.is_file()), None)


def _counts(node: ast.stmt) -> bool:
    """Whether a top-level statement can matter: no import, assertion or bare string, nothing for type checkers or scripts."""
    if isinstance(node, ast.Import | ast.ImportFrom | ast.Assert) or _is_text(node):
        return False
    if isinstance(node, ast.If):
        return bool(node.orelse) if _for_types(node) else "__name__" not in ast.unparse(node.test)
    return not (isinstance(node, ast.AnnAssign) and node.value is None)


def _for_types(node: ast.If) -> bool:
    return ast.unparse(node.test).endswith("TYPE_CHECKING")


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _running(node: ast.AST) -> Iterator[ast.AST]:
    """Every statement below, in the order of the text, without the bodies of ``if TYPE_CHECKING``."""
    for part in ("body", "cases", "handlers", "orelse", "finalbody"):
        inner = getattr(node, part, ())
        for child in inner if isinstance(inner, list) else ():  # a lambda's body is an expression
            if isinstance(child, ast.If) and _for_types(child):
                for other in child.orelse:
                    yield from (other, *_running(other))
                continue
            yield child
            yield from _running(child)


def _binds(node: ast.stmt) -> tuple[str, ...]:
    """Names that a top-level statement binds."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return (node.name,)
    names = [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store | ast.Del)]
    if isinstance(node, ast.If | ast.Try | ast.With | ast.For | ast.While):
        inner = (n for n in ast.walk(node) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef))
        names += [n.name for n in inner]
    return tuple(dict.fromkeys(names))


class Canonical:
    """A tree as nested lists that leave out what cannot matter; on the way, the definitions that it names."""

    def __init__(self, reader: Reader, module: Module, text: bool) -> None:
        self._reader = reader
        self._module = module
        self._text = text
        self._local: list[dict[str, str]] = []
        self.reached: list[tuple[Module, Unit]] = []
        self.third_party: set[str] = set()
        self.files: dict[str, str] = {}

    def of(self, node: Any) -> Any:
        """Canonical form of a node, of a list of nodes, or of a plain value."""
        if isinstance(node, list):
            return [self.of(item) for item in node if not self._skipped(item)]
        if not isinstance(node, ast.AST):
            return repr(node)
        special = getattr(self, f"_{type(node).__name__.lower()}", None)
        return self._plain(node) if special is None else special(node)

    def _plain(self, node: ast.AST) -> Any:
        parts: list[Any] = [type(node).__name__]
        for name, value in ast.iter_fields(node):
            # Empty fields are left out, so that a version of Python that adds one gives the same.
            if value is None or value == [] or name in ("ctx", "kind", "type_comment", "type_params"):
                continue
            parts.append([name, self.of(value)])
        return parts

    @staticmethod
    def _skipped(item: Any) -> bool:
        if isinstance(item, ast.Import | ast.ImportFrom | ast.Pass):
            return True
        if isinstance(item, ast.If) and _for_types(item) and not item.orelse:
            return True
        return isinstance(item, ast.stmt) and _is_text(item)

    def _functiondef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Any:
        decorators = self.of(node.decorator_list)
        return [type(node).__name__, decorators, *self._scope(node.args, node.body)]

    _asyncfunctiondef = _functiondef

    def _lambda(self, node: ast.Lambda) -> Any:
        return ["Lambda", *self._scope(node.args, [node.body])]

    def _scope(self, arguments: ast.arguments, body: Sequence[ast.AST]) -> list[Any]:
        """Arguments and body of a function; a name that it binds is its own, not the module's, and stands for its place."""
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        extra = [argument.arg for argument in (arguments.vararg, arguments.kwarg) if argument is not None]
        given = [value is not None for value in arguments.kw_defaults]
        defaults = self.of([*arguments.defaults, *(value for value in arguments.kw_defaults if value is not None)])
        names = [argument.arg for argument in every]
        own = {name: f"#{place}" for place, name in enumerate(_bound_in(body))}
        self._local.append(own | {name: name for name in (*names, *extra)})
        inner = self.of(list(body))
        self._local.pop()
        return [names, len(arguments.posonlyargs), len(arguments.args), extra, given, defaults, inner]

    def _comprehended(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Any:
        targets = [child for part in node.generators for child in ast.walk(part.target)]
        own = dict.fromkeys(child.id for child in targets if isinstance(child, ast.Name))
        self._local.append({name: f"#{place}" for place, name in enumerate(own)})
        parts = self._plain(node)
        self._local.pop()
        return parts

    _listcomp = _setcomp = _generatorexp = _dictcomp = _comprehended

    def _classdef(self, node: ast.ClassDef) -> Any:
        return ["ClassDef", *(self.of(part) for part in (node.bases, node.keywords, node.decorator_list, node.body))]

    def _annassign(self, node: ast.AnnAssign) -> Any:
        words = ast.dump(node.annotation)
        kind = next((word for word in _EFFECTIVE if word in words), "")
        return ["AnnAssign", kind, self.of(node.target), self.of(node.value)]

    def _excepthandler(self, node: ast.ExceptHandler) -> Any:
        return ["ExceptHandler", self.of(node.type), self.of(node.body)]

    def _raise(self, node: ast.Raise) -> Any:
        thrown = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        return ["Raise", "" if thrown is None else ast.unparse(thrown).rpartition(".")[2]]

    def _assert(self, node: ast.Assert) -> Any:
        return ["Assert", self.of(node.test)]

    def _constant(self, node: ast.Constant) -> Any:
        return ["Constant", type(node.value).__name__, repr(node.value)]

    def _call(self, node: ast.Call) -> Any:
        name = _last(node.func)
        if name == "import_module" and node.args and isinstance(node.args[0], ast.Constant):
            self._whole(str(node.args[0].value))
        if name == "warn":
            return ["Call", self.of(node.func)]
        silent = not self._text and name in DECLARATIONS
        arguments = ["" if silent and _describes(part) else self.of(part) for part in node.args]
        named = [[p.arg, "" if silent and _describes(p.value) else self.of(p.value)] for p in node.keywords]
        return ["Call", self.of(node.func), arguments, named]

    def _name(self, node: ast.Name) -> Any:
        for depth, names in enumerate(reversed(self._local)):
            if node.id in names:
                return ["Local", depth, names[node.id]]
        if node.id in self._module.bound:
            self.reached += [(self._module, unit) for unit in self._module.bound[node.id]]
            return ["Reference"]
        if node.id in self._module.imports:
            return self._imported(*self._module.imports[node.id])
        if node.id == "__file__" and self._module.path is not None:
            beside = (path for path in self._module.path.parent.iterdir() if path.suffix in DATA_SUFFIXES)
            self.files |= {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in beside}
        return ["Name", node.id]

    def _attribute(self, node: ast.Attribute) -> Any:
        """``module.name``, however deep: a reference; anything else: an attribute of an object."""
        path, base = [node.attr], node.value
        while isinstance(base, ast.Attribute):
            path, base = [base.attr, *path], base.value
        name = base.id if isinstance(base, ast.Name) else ""
        if name not in self._module.imports or name in self._module.bound or any(name in own for own in self._local):
            return ["Attribute", self.of(node.value), node.attr]
        source, attribute = self._module.imports[name]
        whole = source if attribute is None else f"{source}.{attribute}"
        while path and self._reader.module(f"{whole}.{path[0]}") is not None:
            whole, path = f"{whole}.{path[0]}", path[1:]
        if not path:
            return self._whole(whole)
        if whole.partition(".")[0] == PACKAGE and self._reader.module(whole) is not None:
            reached = self._imported(whole, path[0])
        else:
            reached = [*self._imported(source, attribute), path[0]]
        for step in path[1:]:
            reached = ["Attribute", reached, step]
        return reached

    def _imported(self, module: str, name: str | None) -> list[Any]:
        if module.partition(".")[0] != PACKAGE:
            self.third_party.add(module.partition(".")[0])
            return ["Import", module, name]
        if name is None:
            return self._whole(module)
        units = self._reader.resolve(module, name)
        if units:
            self.reached += units
            return ["Reference"]
        if self._reader.module(f"{module}.{name}") is not None:
            return self._whole(f"{module}.{name}")
        here = self._reader.module(module)
        source, attribute = (module, name) if here is None else here.imports.get(name, (module, name))
        if source.partition(".")[0] != PACKAGE:
            self.third_party.add(source.partition(".")[0])
        return ["Import", "", attribute]

    def _whole(self, module: str) -> list[Any]:
        found = self._reader.module(module)
        self.reached += [] if found is None else [(found, unit) for unit in found.units]
        return ["Module"]


def _last(node: ast.expr) -> str:
    """The last name of ``a.b.c``."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ast.unparse(node).rpartition(".")[2]


def digest(content: Any) -> str:
    """SHA-256 of nested lists of texts."""
    return hashlib.sha256(repr(content).encode()).hexdigest()


def _describes(node: ast.expr) -> bool:
    """Whether an argument is a text with a blank in it."""
    parts = [n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    plain = isinstance(node, ast.Constant | ast.JoinedStr | ast.BinOp)
    return plain and bool(parts) and any(" " in part for part in parts)


def _bound_in(body: Iterable[ast.AST]) -> list[str]:
    """Names bound in a function's own scope, in an order that does not depend on them.

    Not those of functions, classes or comprehensions within it, nor globals.
    """
    found: dict[str, None] = {}
    outside: set[str] = set()
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found[node.name] = None
        elif isinstance(node, ast.Global | ast.Nonlocal):
            outside |= set(node.names)
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
            found |= dict.fromkeys(n.target.id for n in ast.walk(node) if isinstance(n, ast.NamedExpr))
        elif not isinstance(node, ast.Lambda | ast.Import | ast.ImportFrom):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found[node.id] = None
            elif isinstance(node, ast.ExceptHandler) and node.name:
                found[node.name] = None
            waiting += ast.iter_child_nodes(node)
    return [name for name in found if name not in outside]
