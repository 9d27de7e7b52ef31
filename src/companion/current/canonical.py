"""Definitions of a file as hashes of canonical forms, without the parts that cannot change a number, and the names in them.

See :mod:`companion.current.fingerprint` for what is left out and why. What a file is read to depends on its text alone.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

#: Calls that declare what may be set or run: of their strings, those with a blank describe and never compute.
DECLARATIONS = frozenset({"Parameter", "Method", "Experiment", "number", "whole", "choice", "_number", "_choice"})

#: Decorators with which a member of a class is still reached by its name alone.
_BY_NAME = {"property", "cached_property", "classmethod", "staticmethod", "abstractmethod"}
_BY_NAME |= {"cache", "lru_cache", "override", "setter", "getter"}
#: Decorators of a class that name none of its members, and bases that do nothing with its annotations.
_DATACLASS, _ORDINARY = {"dataclass", "total_ordering"}, {"object", "ABC", "Generic"}
#: Members of an exception that only say what it says, and calls that do no more with one than to show it.
_SAYING = ("__init__", "__str__", "__repr__", "__reduce__")
_SHOWING = ("str", "repr", "type", "isinstance", "print", "format")
#: Annotations that do something in a dataclass.
_EFFECTIVE = ("InitVar", "KW_ONLY")
#: Calls that take an attribute's name, and where it stands among the arguments.
_LOOKUPS = {"getattr": 1, "hasattr": 1, "setattr": 1, "delattr": 1, "attrgetter": 0, "methodcaller": 0}
_SKIPPED = frozenset({"ctx", "kind", "type_comment", "type_params"})
_EXCEPTION = re.compile(r"(Error|Exception|Warning)$")
_WORD, _PATH = re.compile(r"[A-Za-z_]\w*"), re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_IN_BRACES = re.compile(r"\{\w+((?:\.\w+)+)")

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
#: What binds its own name, and what binds no name within it, or is seen to apart.
_NAMED = (*_FUNCTIONS, ast.ClassDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping)
_CLOSED = {
    *_FUNCTIONS,
    *_COMPREHENSIONS,
    ast.ClassDef,
    ast.Lambda,
    ast.alias,
    ast.Constant,
    ast.Name,
    ast.Global,
    ast.Nonlocal,
}


@dataclass(eq=False)
class Unit:
    """A top-level statement, a member of a class that counts where its name is mentioned, or descriptions.

    Parameters
    ----------
    names : that it binds
    form : hash of its canonical form
    refs : what the form leaves open, in order: ``n:name`` of the module, ``a:name.path`` below an import, ``p:_attribute``
    mentions : names of attributes; ``raw_*`` for a composed one, ``!name`` for one that is read from a caught exception
    private : attributes with a leading underscore that it mentions otherwise than through ``self`` in a class, ``'_name``
        where a text does
    file : whether it asks for ``__file__``
    marks : decorators of a function
    owner : place in the file of a member's class, or of the unit that these words describe
    triggers : of a member, the mentions for which it counts
    bases : of a class, as references; ``?`` where its members may be reached otherwise than by name
    named : private names of a class by their places, and whether it binds them
    """

    names: list[str]
    form: list[str] = field(default_factory=list)
    refs: list[str] = field(default_factory=list)
    mentions: list[str] = field(default_factory=list)
    private: list[str] = field(default_factory=list)
    file: bool = False
    marks: list[str] = field(default_factory=list)
    owner: int | None = None
    triggers: list[str] | None = None
    bases: list[str] | None = None
    named: dict[str, bool] = field(default_factory=dict)


@dataclass(eq=False)
class Source:
    """Units of a file, and ``module:attribute`` behind every imported name, whichever function imports it."""

    units: list[Unit]
    imports: dict[str, list[str]]


def read(text: bytes, piece: bool = False) -> Source:
    """Units of a module; of a ``piece`` of Python that is none, all statements as one unit."""
    tree = ast.parse(text)
    imports: dict[str, list[str]] = {}
    for node in _running(tree.body):
        for alias in node.names if isinstance(node, ast.Import | ast.ImportFrom) else ():
            module = node.module if isinstance(node, ast.ImportFrom) else ""
            whole = alias.name if alias.asname else alias.name.partition(".")[0]
            target = f"{module}:{alias.name}" if module else f"{whole}:"
            targets = imports.setdefault(alias.asname or (alias.name if module else whole), [])
            targets += [target] * (target not in targets)
    statements = [part for node in tree.body if _counts(node) for part in _apart(node)]
    groups = [statements] * bool(statements) if piece else [[node] for node in statements]
    bound = [list(_bound(group)) for group in groups]
    writer = _Writer(frozenset(chain(*bound)), frozenset(imports), piece)
    for group, names in zip(groups, bound, strict=True):
        if isinstance(group[0], ast.ClassDef) and not piece:
            writer.of_class(group[0])
        else:
            writer.begin(Unit(names, marks=_marks(group[0])))
            writer.write(group)
    for unit in writer.units:
        unit.form, unit.mentions = [digest(*unit.form)], sorted(set(unit.mentions))
        unit.private = sorted(set(unit.private))
    return Source(writer.units, imports)


class _Writer:
    """Writes trees as texts that leave out what cannot matter; on the way, the names that it meets."""

    def __init__(self, bound: frozenset[str], imports: frozenset[str], piece: bool) -> None:
        self._bound, self._imports, self._piece = bound, imports, piece
        self._known = bound | imports
        self.units: list[Unit] = []
        self._methods: dict[type, Any] = {}
        self._class: dict[str, bool] | None = None
        self._fields = False
        #: Names that functions bind, and what stands for them: for an argument itself, for others their place.
        self._scopes: list[tuple[Iterable[str], dict[str, str]]] = []

    def begin(self, unit: Unit) -> int:
        """Write to another unit."""
        self._unit, self._words, self._caught = unit, Unit([], owner=len(self.units)), set[str]()
        self.units.append(unit)
        return len(self.units) - 1

    def _out(self, *parts: str) -> None:
        self._unit.form.extend(parts)

    # -- nodes

    def visit(self, node: ast.AST) -> None:
        """A node; methods are looked up once."""
        kind = type(node)
        if kind not in self._methods:
            self._methods[kind] = getattr(self, f"visit_{kind.__name__}", self.generic_visit)
        self._methods[kind](node)

    def write(self, values: Sequence[Any]) -> None:
        """Nodes and constants."""
        out = self._unit.form
        out.append("[")
        for value in values:
            if isinstance(value, ast.AST):
                self.visit(value)
            else:
                out.append(repr(value))
        out.append("]")

    def generic_visit(self, node: ast.AST) -> None:
        out = self._unit.form
        out.append(f"({type(node).__name__}")
        for name in node._fields:
            value = getattr(node, name, None)
            # Empty fields are left out, so that a version of Python that adds one gives the same.
            if value is None or value == [] or name in _SKIPPED:
                continue
            out.append(name)
            if isinstance(value, ast.AST):
                self.visit(value)
            elif isinstance(value, list):
                self.write(value)
            else:
                out.append(repr(self._place(value) if name in ("name", "rest") else value))
        out.append(")")

    def _nothing(self, node: ast.AST) -> None:
        """Names are resolved, so that imports and declarations of scope have no effect."""

    visit_Import = visit_ImportFrom = visit_Pass = visit_Global = visit_Nonlocal = _nothing  # noqa: N815

    def visit_Expr(self, node: ast.Expr) -> None:
        if not _is_text(node):
            self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        if not _is_for_types(node):
            self.generic_visit(node)
        elif node.orelse:
            self.write(node.orelse)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if self._fields and _is_field(node):
            words = ast.dump(node.annotation)
            self._out("Field", *(word for word in _EFFECTIVE if word in words))
            self.write([node.target, *([] if node.value is None else [node.value])])
        elif node.value is not None:  # ``x: int = 0`` is ``x = 0``
            self.generic_visit(ast.Assign([node.target], node.value))

    def visit_Raise(self, node: ast.Raise) -> None:
        thrown = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        self._out(f"(Raise {'' if thrown is None else _last(thrown)})")

    def visit_Assert(self, node: ast.Assert) -> None:
        self._out("Assert")
        self.visit(node.test)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self._caught.update([node.name] if node.name else [])
        self._out("(ExceptHandler")
        self.write([node.type, *node.body])

    def visit_MatchClass(self, node: ast.MatchClass) -> None:
        self._mention(node.kwd_attrs)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        self._out(repr(value))
        if isinstance(value, str):
            if _PATH.fullmatch(value):
                self._mention(value.split("."))
            elif "{" in value:
                self._mention(_WORD.findall(" ".join(_IN_BRACES.findall(value))))

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """The parts of a composed text are no names by themselves."""
        self.write([part.value if isinstance(part, ast.Constant) else part for part in node.values])

    # -- functions and classes

    def _visit_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._out(self._place(node.name))
        self._function(node)

    visit_FunctionDef = visit_AsyncFunctionDef = _visit_function  # noqa: N815

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._function(node)

    def visit_arg(self, node: ast.arg) -> None:
        self._out(node.arg)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        """A name that a function binds is its own, not the module's, and stands for its place."""
        self._out(f"({type(node).__name__}")
        self.write([*getattr(node, "decorator_list", ()), node.args])
        body = node.body if isinstance(node.body, list) else [node.body]
        arguments = {child.arg: child.arg for child in ast.walk(node.args) if isinstance(child, ast.arg)}
        fields, self._fields = self._fields, False
        self._scopes.append((_bound(body) | arguments.keys(), arguments))
        self.write(body)
        self._scopes.pop()
        self._fields = fields

    def _comprehension(self, node: Any) -> None:
        self.visit(node.generators[0].iter)  # outside
        targets = (child for part in node.generators for child in ast.walk(part.target))
        self._scopes.append(({child.id for child in targets if isinstance(child, ast.Name)}, {}))
        self.generic_visit(node)
        self._scopes.pop()

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = _comprehension  # noqa: N815

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """A class within a function, a class or a piece: it counts whole."""
        self._out(f"(ClassDef {self._place(node.name)}")
        outer, self._class = self._class, None
        fields, self._fields = self._fields, bool(node.decorator_list or node.bases or node.keywords)
        self._scopes.append(((), {}))
        self._body(node, node.body)
        self._scopes.pop()
        self._class, self._fields = outer, fields

    def of_class(self, node: ast.ClassDef) -> None:
        """A class of a module: what always counts, and its members that count where they are named."""
        bases = [base.value if isinstance(base, ast.Subscript) else base for base in node.bases]
        exception = any(map(is_exception, map(_last, bases)))
        hooks = any(isinstance(part, ast.FunctionDef) and part.name == "__init_subclass__" for part in node.body)
        whole = bool(node.keywords) or hooks or not _DATACLASS.issuperset(_marks(node))
        unit = Unit([node.name], bases=[*filter(None, map(self._base, bases)), *(["?"] * whole)])
        place, self._class = self.begin(unit), unit.named
        ordinary = not node.keywords and not _marks(node) and _ORDINARY.issuperset(map(_last, bases))
        self._fields = not exception and not ordinary
        annotated = {_target(part) for part in node.body if isinstance(part, ast.AnnAssign)}
        parts: dict[str, list[ast.stmt]] = {"": []}
        for part in node.body:
            parts.setdefault(self._by_name(part, annotated, exception), []).append(part)
        self._out(f"Exception {node.name}" if exception else "Class")
        self._body(node, parts.pop(""))
        self._fields = False
        for name, nodes in parts.items():
            triggers = [name]
            if exception and name in _SAYING:
                stored = (n for part in nodes for n in ast.walk(part) if isinstance(n, ast.Attribute))
                triggers = sorted({f"!{n.attr}" for n in stored if isinstance(n.ctx, ast.Store)})
            self.begin(Unit([name], owner=place, triggers=triggers))
            self._body(None, nodes)
        self._class = None

    def _body(self, node: ast.ClassDef | None, body: Sequence[ast.stmt]) -> None:
        self.write([] if node is None else [*node.bases, *node.keywords, *node.decorator_list])
        for part in body:
            if isinstance(part, _FUNCTIONS):
                self._attribute_name(part.name)
                self._function(part)
            else:
                self.visit(part)

    def _base(self, base: ast.expr) -> str:
        path = _chain(base)
        if path and path[0] in self._known:
            return ("n:" if len(path) == 1 or path[0] in self._bound else "a:") + ".".join(path)
        return "" if path and (path == ["object"] or is_exception(path[0])) else "?"

    def _by_name(self, node: ast.stmt, annotated: set[str], exception: bool) -> str:
        """Name of what counts where it is named; empty for what always counts."""
        if isinstance(node, _FUNCTIONS):
            name, named = node.name, _BY_NAME.issuperset(_marks(node))
        elif isinstance(node, ast.Assign):
            name = _target(node)
            named = name not in annotated
        elif isinstance(node, ast.AnnAssign):
            name, named = _target(node), node.value is not None and not (self._fields and _is_field(node))
        else:
            return ""
        if self._class is not None and _is_private(name):
            self._class[name] = True
        special = name[:2] == "__" or (name[:1] == "_" and name[-1] == "_")
        return name if named and (not special or (exception and name in _SAYING)) else ""

    # -- names

    def _mention(self, words: Iterable[str]) -> None:
        for word in words:
            self._unit.mentions.append(word)
            if _is_private(word):
                if self._piece:
                    self._unit.refs.append(f"p:{word}")
                self._unit.private.append(f"'{word}")

    def _place(self, name: str) -> str:
        """Placeholder of a bound name."""
        for depth, (names, places) in enumerate(reversed(self._scopes)):
            if name in names:
                return f"L{depth}{places.setdefault(name, f'#{len(places)}')}"
        return f"={self._unit.names.index(name)}" if self._class is None and name in self._unit.names else name

    def visit_Name(self, node: ast.Name) -> None:
        name = node.id
        if any(name in names for names, _ in self._scopes):
            self._out(self._place(name))
            return
        if self._class is not None and not self._scopes:
            if isinstance(node.ctx, ast.Store):
                self._attribute_name(name)
                return
            self._mention([name])  # it may be one of the class's own
        if name in self._known and (isinstance(node.ctx, ast.Load) or name not in self._unit.names):
            self._out("@")
            self._unit.refs.append(f"n:{name}")
        else:
            self._unit.file |= name == "__file__"
            self._out(f"N{self._place(name)}")

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """``module.name``, however deep: a reference; anything else: an attribute of an object."""
        path, base = _chain(node), node.value
        imported = bool(path) and path[0] in self._imports and path[0] not in self._bound
        if imported and not any(path[0] in names for names, _ in self._scopes):
            self._out("@")
            self._unit.refs.append(f"a:{'.'.join(path)}")
            self._unit.private += filter(_is_private, path[1:])
            return
        self._out("(.")
        self.visit(base)
        own = isinstance(base, ast.Name) and base.id in ("self", "cls") and bool(self._scopes)
        self._attribute_name(node.attr, own, not isinstance(node.ctx, ast.Load))
        self._unit.mentions.append(node.attr)
        if isinstance(base, ast.Name) and base.id in self._caught:
            self._unit.mentions.append(f"!{node.attr}")

    def _attribute_name(self, name: str, own: bool = True, binds: bool = True) -> None:
        if not _is_private(name):
            self._out(f".{name}")
            return
        self._out("@")
        self._unit.refs.append(f"p:{name}")
        if own and self._class is not None:
            self._class[name] = self._class.get(name, False) or binds
        else:
            self._unit.private.append(name)

    def visit_Call(self, node: ast.Call) -> None:
        name, first = _last(node.func), node.args[0] if node.args else None
        if name == "import_module" and isinstance(first, ast.Constant):
            self._unit.refs.append(f"m:{first.value!s}")
        elif name == "split" and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Constant):
            self._mention(_WORD.findall(str(node.func.value.value)))
        elif name in _LOOKUPS:
            for asked in node.args[_LOOKUPS[name] :][: None if name == "attrgetter" else 1]:
                self._composed(asked)
        self._out("(Call")
        self.visit(node.func)
        for part in (*node.args, *node.keywords) if name != "warn" else ():
            value = part.value if isinstance(part, ast.keyword) else part
            if isinstance(part, ast.keyword):
                self._out(f"{part.arg}=")
                self._mention([part.arg] if part.arg else [])
            if name in DECLARATIONS and _describes(value):
                self._describe(value)
            else:
                self.visit(value)
            if isinstance(value, ast.Name) and value.id in self._caught and name not in _SHOWING:
                self._unit.mentions.append("!*")
        self._out(")")

    def _composed(self, node: ast.expr) -> None:
        """The name of an attribute that is put together from several texts."""
        if isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "*" for part in node.values)
            self._unit.mentions.append("".join(map(str, parts)))
        elif isinstance(node, ast.BinOp | ast.Call):
            self._unit.mentions.append("*")

    def _describe(self, value: ast.AST) -> None:
        """Words count by themselves, for those who ask for them."""
        if not self._words.form:
            self.units.append(self._words)
        self._out("''")
        self._unit, unit = self._words, self._unit
        self.visit(value)
        self._unit = unit


# -- small questions about syntax trees -----------------------------------------------------------------------------------


def digest(*parts: str) -> str:
    """SHA-256 of texts that have no line breaks."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def is_exception(name: str) -> bool:
    """Whether a class is an exception, by its name."""
    return bool(_EXCEPTION.search(name))


def _is_private(name: str) -> bool:
    """Whether an attribute is its class's own: one underscore in front, none behind, which frameworks look for."""
    return name[:1] == "_" and name[:2] != "__" and name[-1] != "_"


def _is_for_types(node: ast.If) -> bool:
    return _last(node.test) == "TYPE_CHECKING"


def _is_text(node: ast.AST) -> bool:
    """Whether this is a bare string, a docstring for example."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _is_field(node: ast.AnnAssign) -> bool:
    return isinstance(node.target, ast.Name) and "ClassVar" not in ast.dump(node.annotation)


def _last(node: ast.expr) -> str:
    """The last name of ``a.b.c``."""
    return getattr(node, "attr", "") or getattr(node, "id", "")


def _chain(node: ast.expr) -> list[str]:
    """``a.b.c`` as names; empty for anything else."""
    path: list[str] = []
    while isinstance(node, ast.Attribute):
        path.append(node.attr)
        node = node.value
    return [node.id, *reversed(path)] if isinstance(node, ast.Name) else []


def _marks(node: ast.stmt) -> list[str]:
    """Decorators."""
    marks = getattr(node, "decorator_list", ())
    return [_last(mark.func if isinstance(mark, ast.Call) else mark) for mark in marks]


def _target(node: ast.Assign | ast.AnnAssign) -> str:
    """The one name that is assigned to."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else ""


def _describes(node: ast.AST) -> bool:
    """Whether an argument is a text with a blank in it."""
    parts = ast.walk(node) if isinstance(node, ast.Constant | ast.JoinedStr | ast.BinOp) else ()
    return any(isinstance(part, ast.Constant) and isinstance(part.value, str) and " " in part.value for part in parts)


def _counts(node: ast.stmt) -> bool:
    """Whether a top-level statement can matter: no import, assertion or bare string, nothing for type checkers or scripts."""
    if isinstance(node, ast.If):
        return bool(node.orelse) if _is_for_types(node) else "__name__" not in ast.unparse(node.test)
    bare = isinstance(node, ast.AnnAssign) and node.value is None
    return not (isinstance(node, ast.Import | ast.ImportFrom | ast.Assert) or _is_text(node) or bare)


def _apart(node: ast.stmt) -> list[ast.stmt]:
    """``A, B = 1, C.b`` as two statements, where neither value can depend on the other's name or on a call."""
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(targets) == len(values):
            inside = list(ast.walk(node.value))
            plain = (ast.Constant, ast.Name, ast.Attribute, ast.expr_context)
            names = {child.id for child in targets if isinstance(child, ast.Name)}
            used = {child.id for child in inside if isinstance(child, ast.Name)}
            if len(names) == len(targets) and not names & used and all(isinstance(n, plain) for n in inside[1:]):
                return [ast.Assign([one], value) for one, value in zip(targets, values, strict=True)]
    return [node]


def _running(body: Sequence[Any]) -> Iterator[Any]:
    """Every statement below, in the order of the text, without the bodies of ``if TYPE_CHECKING``."""
    for node in body:
        if not (isinstance(node, ast.If) and _is_for_types(node)):
            yield node
            yield from _running(getattr(node, "body", ()))
        for part in ("cases", "handlers", "orelse", "finalbody"):
            yield from _running(getattr(node, part, ()))


def _bound(body: Sequence[ast.AST]) -> dict[str, None]:
    """Names bound in a scope, not in functions, classes or comprehensions within it, in an order that does not depend on them."""
    found: dict[str, None] = {}
    outside: set[str] = set()
    waiting: list[Any] = list(body)
    while waiting:
        node = waiting.pop()
        kind: Any = type(node)  # the most frequent first: every body is walked once more for this
        if kind is ast.Name:
            if type(node.ctx) is not ast.Load:
                found[node.id] = None
        elif kind in _COMPREHENSIONS:
            waiting += (child.target for child in ast.walk(node) if isinstance(child, ast.NamedExpr))
        elif kind in (ast.Global, ast.Nonlocal):
            outside.update(node.names)
        elif kind in _NAMED:
            found.update({name: None for part in ("name", "rest") if (name := getattr(node, part, None))})
        if kind not in _CLOSED:
            for name in node._fields:
                value = getattr(node, name, None)
                if isinstance(value, list):
                    waiting += [child for child in value if isinstance(child, ast.AST)]
                elif isinstance(value, ast.AST):
                    waiting.append(value)
    return {name: None for name in found if name not in outside}
