"""Syntax trees as texts that leave out what cannot change a number, and the names that stand in them.

See :mod:`companion.current.fingerprint` for what is left out and why.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from companion.current.syntax import (
    COMPREHENSIONS,
    FUNCTIONS,
    bound_in,
    chain_of,
    digest,
    is_for_types,
    is_private,
    is_text,
    last,
)

#: Calls that declare what may be set or run: of their strings, those with a blank describe and never compute.
DECLARATIONS = frozenset({"Parameter", "Method", "Experiment", "number", "whole", "choice", "_number", "_choice"})

#: Annotations that do something in a dataclass.
_EFFECTIVE = ("InitVar", "KW_ONLY")
#: Calls that take an attribute's name, and its place among the arguments.
_LOOKUPS = {"getattr": 1, "hasattr": 1, "setattr": 1, "delattr": 1, "attrgetter": 0, "methodcaller": 0}
#: Calls that do with an exception no more than to show it.
_SHOWING = ("str", "repr", "type", "isinstance", "print", "format")
_SKIPPED = frozenset({"ctx", "kind", "type_comment", "type_params", "lineno"})
_PATH = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_IN_BRACES = re.compile(r"\{\w+((?:\.\w+)+)")


@dataclass(frozen=True)
class Known:
    """Names that a module binds, and those that it imports."""

    bound: frozenset[str]
    imports: frozenset[str]


@dataclass(eq=False)
class Own:
    """Private names of a class in the order in which they come, and those that it binds."""

    named: dict[str, None] = field(default_factory=dict)
    binds: set[str] = field(default_factory=set)


class Writer:
    """Writes trees as texts that leave out what cannot matter; on the way, the names that it meets."""

    def __init__(self, known: Known, binds: Sequence[str], text: bool, own: Own | None) -> None:
        self._known, self._text, self._own = known, text, own
        self._binds = {name: place for place, name in enumerate(binds)} if own is None else {}
        self._out: list[str] = []
        self._local: list[dict[str, str]] = []
        self._caught: set[str] = set()
        self._refs: list[str] = []
        self._mentions: set[str] = set()
        self._private: set[str] = set()
        self.file = self.described = False
        self._in_class = own is not None

    def found(self) -> tuple[str, list[str], list[str], list[str]]:
        """Form, refs, mentions and private."""
        return digest(*self._out), self._refs, sorted(self._mentions), sorted(self._private)

    def top(self, node: ast.stmt) -> None:
        """A statement of a module."""
        if isinstance(node, FUNCTIONS):
            self._function(node, "")
        else:
            self._node(node)

    def head(self, node: ast.ClassDef, body: list[ast.stmt], fields: bool, exception: bool) -> None:
        """What always counts of a class."""
        self._out.append(f"Exception {node.name}" if exception else "Class")
        for part in (node.bases, node.keywords, node.decorator_list):
            self._value(part)
        self._body(body, fields)

    def member(self, nodes: list[ast.stmt]) -> None:
        """Statements of a class that bind one name."""
        self._body(nodes, False)

    def _body(self, nodes: list[ast.stmt], fields: bool) -> None:
        for node in nodes:
            if isinstance(node, FUNCTIONS):
                self._function(node, "def")
                self._attribute_name(node.name)
            elif isinstance(node, ast.AnnAssign) and fields and "ClassVar" not in ast.dump(node.annotation):
                words = ast.dump(node.annotation)
                self._out.append("Field" + next((word for word in _EFFECTIVE if word in words), ""))
                self._value([node.target, *([] if node.value is None else [node.value])])
            elif not _passes(node):
                self._node(node)

    def _node(self, node: ast.AST) -> None:
        special = _SPECIAL.get(type(node))
        if special is None:
            self._plain(node)
        else:
            special(self, node)

    def _value(self, value: Any) -> None:
        if isinstance(value, list):
            self._out.append("[")
            for item in value:
                if not isinstance(item, ast.AST):
                    self._out.append(repr(item))
                elif not _passes(item):
                    self._node(item)
            self._out.append("]")
        elif isinstance(value, ast.AST):
            self._node(value)
        else:
            self._out.append(repr(value))

    def _plain(self, node: ast.AST) -> None:
        self._out.append(f"({type(node).__name__}")
        for name in node._fields:
            value = getattr(node, name, None)
            # Empty fields are left out, so that a version of Python that adds one gives the same.
            if value is None or value == [] or name in _SKIPPED:
                continue
            self._out.append(name)
            self._value(value)
        self._out.append(")")

    def _functiondef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._function(node, self._place(node.name))

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> None:
        self._out.append(f"({type(node).__name__} {name}")
        self._value(node.decorator_list)
        self._scope(node.args, node.body)

    def _lambda(self, node: ast.Lambda) -> None:
        self._out.append("(Lambda")
        self._scope(node.args, [node.body])

    def _scope(self, arguments: ast.arguments, body: Sequence[ast.AST]) -> None:
        """Arguments and body of a function; a name that it binds is its own, not the module's, and stands for its place."""
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        extra = [argument.arg for argument in (arguments.vararg, arguments.kwarg) if argument is not None]
        given = [value is not None for value in arguments.kw_defaults]
        names = [argument.arg for argument in every]
        self._out.append(f"{names} {len(arguments.posonlyargs)} {len(arguments.args)} {extra} {given}")
        self._out.append(f"{arguments.vararg is not None} {arguments.kwarg is not None}")
        self._value([*arguments.defaults, *(value for value in arguments.kw_defaults if value is not None)])
        own = {name: f"#{place}" for place, name in enumerate(bound_in(body))}
        self._local.append(own | {name: name for name in (*names, *extra)})
        self._value(list(body))
        self._local.pop()
        self._out.append(")")

    def _comprehended(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        targets = (child for part in node.generators for child in ast.walk(part.target))
        own = dict.fromkeys(child.id for child in targets if isinstance(child, ast.Name))
        self._local.append({name: f"#{place}" for place, name in enumerate(own)})
        self._plain(node)
        self._local.pop()

    def _classdef(self, node: ast.ClassDef) -> None:
        """A class within a function or a class: it counts whole."""
        self._out.append(f"(ClassDef {self._place(node.name)}")
        own, self._own = self._own, None
        local, self._local = self._local, [*self._local, {}]
        for part in (node.bases, node.keywords, node.decorator_list):
            self._value(part)
        self._body(node.body, bool(node.decorator_list) or bool(node.bases) or bool(node.keywords))
        self._own, self._local = own, local
        self._out.append(")")

    def _annassign(self, node: ast.AnnAssign) -> None:
        """``x: int = 0`` is ``x = 0``."""
        if node.value is not None:
            self._plain(ast.Assign([node.target], node.value))

    def _excepthandler(self, node: ast.ExceptHandler) -> None:
        self._out.append("(ExceptHandler")
        if node.name:
            self._caught.add(node.name)
        self._value([] if node.type is None else [node.type])
        self._value(node.body)
        self._out.append(")")

    def _raise(self, node: ast.Raise) -> None:
        thrown = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        self._out.append(f"(Raise {'' if thrown is None else last(thrown)})")

    def _assert(self, node: ast.Assert) -> None:
        self._out.append("(Assert")
        self._node(node.test)
        self._out.append(")")

    def _constant(self, node: ast.Constant) -> None:
        value = node.value
        self._out.append(f"({type(value).__name__} {value!r})")
        if isinstance(value, str) and value:
            if _PATH.fullmatch(value):
                self._words(value.split("."))
            elif "{" in value:
                self._words(word for path in _IN_BRACES.findall(value) for word in path[1:].split("."))

    def _joinedstr(self, node: ast.JoinedStr) -> None:
        """The parts of a composed text are no names by themselves."""
        self._out.append("(JoinedStr")
        for part in node.values:
            if isinstance(part, ast.Constant):
                self._out.append(repr(part.value))
            else:
                self._node(part)
        self._out.append(")")

    def _words(self, words: Iterable[str]) -> None:
        for word in words:
            self._mentions.add(word)
            if is_private(word):
                self._private.add(f"'{word}")

    def _call(self, node: ast.Call) -> None:
        name = last(node.func)
        first = node.args[0] if node.args else None
        if name == "import_module" and isinstance(first, ast.Constant):
            self._refs.append(f"m:{first.value!s}")
        elif name == "split" and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Constant):
            self._words(re.findall(r"[A-Za-z_]\w*", str(node.func.value.value)))
        elif name in _LOOKUPS and len(node.args) > _LOOKUPS[name]:
            for asked in node.args[_LOOKUPS[name] : _LOOKUPS[name] + 1 if name != "attrgetter" else None]:
                self._composed(asked)
        self._out.append("(Call")
        self._node(node.func)
        if name != "warn":
            silent = not self._text and name in DECLARATIONS
            for part in (*node.args, *node.keywords):
                value = part.value if isinstance(part, ast.keyword) else part
                described = name in DECLARATIONS and _describes(value)
                self.described |= described
                if isinstance(part, ast.keyword):
                    self._out.append(f"{part.arg}=")
                    self._words([part.arg] if part.arg else [])
                self._out.append("''") if silent and described else self._node(value)
                if isinstance(value, ast.Name) and value.id in self._caught and name not in _SHOWING:
                    self._mentions.add("!*")
        self._out.append(")")

    def _composed(self, node: ast.expr) -> None:
        """The name of an attribute that is put together from several texts."""
        if isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "*" for part in node.values)
            self._mentions.add("".join(map(str, parts)))
        elif isinstance(node, ast.BinOp | ast.Call):
            self._mentions.add("*")

    def _place(self, name: str) -> str:
        """A name that is bound where it stands: its place among a function's own."""
        if self._local:
            return self._local[-1].get(name, name)
        return f"={self._binds[name]}" if name in self._binds else name

    def _name(self, node: ast.Name) -> None:
        name = node.id
        for depth, names in enumerate(reversed(self._local)):
            if name in names:
                self._out.append(f"L{depth}{names[name]}")
                return
        if self._in_class and not self._local:
            if isinstance(node.ctx, ast.Store):
                self._attribute_name(name)
                return
            self._words([name])  # it may be one of the class's own
        if name in self._binds and not isinstance(node.ctx, ast.Load):
            self._out.append(f"={self._binds[name]}")
        elif name in self._known.bound or name in self._known.imports:
            self._out.append("@")
            self._refs.append(f"n:{name}")
        else:
            self.file |= name == "__file__"
            self._out.append(f"N{name}")

    def _is_imported(self, name: str) -> bool:
        known = self._known
        return name in known.imports and name not in known.bound and not any(name in own for own in self._local)

    def _attribute(self, node: ast.Attribute) -> None:
        """``module.name``, however deep: a reference; anything else: an attribute of an object."""
        path = chain_of(node)
        if path is not None and self._is_imported(path[0]):
            self._out.append("@")
            self._refs.append(f"a:{'.'.join(path)}")
            self._private.update(step for step in path[1:] if is_private(step))
            return
        base = node.value
        self._out.append("(.")
        self._node(base)
        own = isinstance(base, ast.Name) and base.id in ("self", "cls") and bool(self._local)
        self._attribute_name(node.attr, own, not isinstance(node.ctx, ast.Load))
        self._mentions.add(node.attr)
        if isinstance(base, ast.Name) and base.id in self._caught:
            self._mentions.add(f"!{node.attr}")

    def _attribute_name(self, name: str, own: bool = True, binds: bool = True) -> None:
        if not is_private(name):
            self._out.append(f".{name}")
            return
        self._out.append("@")
        self._refs.append(f"p:{name}")
        if own and self._own is not None:
            self._own.named[name] = None
            if binds:
                self._own.binds.add(name)
        else:
            self._private.add(name)

    def _matchclass(self, node: ast.MatchClass) -> None:
        self._words(node.kwd_attrs)
        self._plain(node)

    def _bound_name(self, node: ast.MatchAs | ast.MatchStar) -> None:
        self._out.append(f"({type(node).__name__} {self._place(node.name) if node.name else ''}")
        self._value([part] if (part := getattr(node, "pattern", None)) is not None else [])
        self._out.append(")")


_SPECIAL: dict[type, Callable[[Any, Any], None]] = {
    **dict.fromkeys(FUNCTIONS, Writer._functiondef),
    **dict.fromkeys(COMPREHENSIONS, Writer._comprehended),
    ast.Lambda: Writer._lambda,
    ast.ClassDef: Writer._classdef,
    ast.AnnAssign: Writer._annassign,
    ast.ExceptHandler: Writer._excepthandler,
    ast.Raise: Writer._raise,
    ast.Assert: Writer._assert,
    ast.Constant: Writer._constant,
    ast.Call: Writer._call,
    ast.JoinedStr: Writer._joinedstr,
    ast.Name: Writer._name,
    ast.Attribute: Writer._attribute,
    ast.MatchClass: Writer._matchclass,
    ast.MatchAs: Writer._bound_name,
    ast.MatchStar: Writer._bound_name,
}


def _passes(node: ast.AST) -> bool:
    """Whether a statement does nothing here: names are resolved, so that imports and declarations of scope have no effect."""
    if isinstance(node, ast.Import | ast.ImportFrom | ast.Pass | ast.Global | ast.Nonlocal):
        return True
    if isinstance(node, ast.If) and not node.orelse and is_for_types(node):
        return True
    return is_text(node) or (isinstance(node, ast.AnnAssign) and node.value is None)


def _describes(node: ast.AST) -> bool:
    """Whether an argument is a text with a blank in it."""
    if not isinstance(node, ast.Constant | ast.JoinedStr | ast.BinOp):
        return False
    parts = (n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str))
    return any(" " in part for part in parts)
