"""What a source file defines, written once for :mod:`companion.current.fingerprint`, without what cannot change a number.

A file is read by itself: of every top-level statement, and of every member of a class that counts only where it is named, a
:class:`Unit` has the hash of its canonical form and what the form leaves open, the names behind which definitions stand.
What a file is read to depends on its text alone, so it is kept by the text's hash.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

#: Calls that declare what may be set or run: of their strings, those with a blank describe and never compute.
DECLARATIONS = frozenset({"Parameter", "Method", "Experiment", "number", "whole", "choice", "_number", "_choice"})

#: Decorators with which a member of a class is still reached by its name alone.
_BY_NAME = frozenset(
    [
        "property",
        "cached_property",
        "classmethod",
        "staticmethod",
        "abstractmethod",
        "cache",
        "lru_cache",
        "override",
        "setter",
        "getter",
    ]
)
#: Decorators of a class that name none of its members, and bases that do nothing with its annotations.
_DATACLASS, _ORDINARY = ("dataclass", "total_ordering"), ("object", "ABC", "Generic")
#: Annotations that do something in a dataclass.
_EFFECTIVE = ("InitVar", "KW_ONLY")
_EXCEPTION = re.compile(r"(Error|Exception|Warning)$")
#: Members of an exception that only say what it says.
_SAYING = ("__init__", "__str__", "__repr__", "__reduce__")
#: Calls that take an attribute's name, and its place among the arguments.
_LOOKUPS = {"getattr": 1, "hasattr": 1, "setattr": 1, "delattr": 1, "attrgetter": 0, "methodcaller": 0}
#: Calls that do with an exception no more than to show it.
_SHOWING = ("str", "repr", "type", "isinstance", "print", "format")
_SKIPPED = frozenset({"ctx", "kind", "type_comment", "type_params", "lineno"})
_PATH = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_IN_BRACES = re.compile(r"\{\w+((?:\.\w+)+)")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
#: What binds nothing beyond its own name in the scope that it stands in, or is seen to apart.
_CLOSED = frozenset(
    {
        *_FUNCTIONS,
        *_COMPREHENSIONS,
        ast.ClassDef,
        ast.Lambda,
        ast.Import,
        ast.ImportFrom,
        ast.Global,
        ast.Nonlocal,
        ast.Constant,
    }
)


@dataclass(eq=False)
class Unit:
    """A top-level statement, or a member of a class that counts where its name is mentioned.

    Parameters
    ----------
    names : that it binds
    line : where it begins
    form : hash of its canonical form
    refs : what the form leaves open, in order: ``n:name`` of the module, ``a:name.path`` below an import, ``p:_attribute``
    mentions : names of attributes; ``raw_*`` for a composed one, ``!name`` for one that is read from a caught exception
    private : attributes with a leading underscore that it mentions otherwise than through ``self`` in a class
    file : whether it asks for ``__file__``
    marks : decorators of a function
    silent : form, refs, mentions and private without the words of :data:`DECLARATIONS`, where that makes a difference
    triggers : of a member, the mentions for which it counts
    owner : of a class its bases, the private names that it mentions and those that it binds, whether it counts whole
    members : of a class
    """

    names: list[str]
    line: int
    form: str = ""
    refs: list[str] = field(default_factory=list)
    mentions: list[str] = field(default_factory=list)
    private: list[str] = field(default_factory=list)
    file: bool = False
    marks: list[str] = field(default_factory=list)
    silent: list[Any] | None = None
    triggers: list[str] = field(default_factory=list)
    owner: dict[str, Any] | None = None
    members: list[Unit] = field(default_factory=list)


@dataclass(eq=False)
class Source:
    """A file: its statements, and module and attribute behind every imported name, whichever function imports it."""

    units: list[Unit]
    imports: dict[str, list[list[str | None]]]

    @classmethod
    def read(cls, text: bytes | str) -> Source:
        """Parse and write the canonical forms; what stands under TYPE_CHECKING is left out."""
        tree = ast.parse(text)
        imports: dict[str, list[list[str | None]]] = {}

        def note(name: str, module: str, attribute: str | None) -> None:
            found = imports.setdefault(name, [])
            if [module, attribute] not in found:
                found.append([module, attribute])

        for node in _running(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    first = alias.name.partition(".")[0]
                    note(alias.asname or first, alias.name if alias.asname else first, None)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for alias in node.names:
                    note(alias.asname or alias.name, node.module, alias.name)
        statements = [part for node in tree.body if _counts(node) for part in _apart(node)]
        bound = [_binds(node) for node in statements]
        known = _Known(frozenset(chain(*bound)), frozenset(imports))
        return cls([_unit(node, names, known) for node, names in zip(statements, bound, strict=True)], imports)

    @classmethod
    def from_plain(cls, plain: Any) -> Source:
        """From :meth:`to_plain`."""
        units, imports = plain
        return cls([Unit(*unit[:-1], members=[Unit(*member) for member in unit[-1]]) for unit in units], imports)  # type: ignore[misc]

    def to_plain(self) -> Any:
        """As JSON has it."""
        units = [[*list(vars(u).values())[:-1], [list(vars(m).values()) for m in u.members]] for u in self.units]
        return [units, self.imports]


@dataclass(frozen=True)
class _Known:
    bound: frozenset[str]
    imports: frozenset[str]


def is_private(name: str) -> bool:
    """Whether an attribute is its class's own: one underscore in front, none behind, which frameworks look for."""
    return name[0] == "_" and name[:2] != "__" and name[-1] != "_"


def names_exception(name: str) -> bool:
    """Whether a class is an exception, by its name."""
    return bool(_EXCEPTION.search(name))


def digest(*parts: str) -> str:
    """SHA-256 of texts that have no line breaks."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


# -- statements of a module ---------------------------------------------------------------------------------------------


def _counts(node: ast.stmt) -> bool:
    """Whether a top-level statement can matter: no import, assertion or bare string, nothing for type checkers or scripts."""
    if isinstance(node, ast.Import | ast.ImportFrom | ast.Assert) or _is_text(node):
        return False
    if isinstance(node, ast.If):
        return bool(node.orelse) if _for_types(node) else "__name__" not in ast.unparse(node.test)
    return not (isinstance(node, ast.AnnAssign) and node.value is None)


def _apart(node: ast.stmt) -> list[ast.stmt]:
    """``A, B = 1, 2`` as two statements, where neither value can depend on the other's name."""
    if not (isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Tuple)):
        return [node]
    names, values = node.targets[0].elts, node.value
    if not isinstance(values, ast.Tuple) or len(values.elts) != len(names):
        return [node]
    if not all(isinstance(name, ast.Name) for name in names) or not all(
        isinstance(v, ast.Constant) for v in values.elts
    ):
        return [node]
    pairs = zip(names, values.elts, strict=True)
    return [ast.copy_location(ast.Assign([name], value), node) for name, value in pairs]


def _for_types(node: ast.If) -> bool:
    return _last(node.test) == "TYPE_CHECKING"


def _is_text(node: ast.AST) -> bool:
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


def _binds(node: ast.stmt) -> list[str]:
    """Names that a top-level statement binds."""
    if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
        return [node.name]
    names = [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store | ast.Del)]
    if isinstance(node, ast.If | ast.Try | ast.With | ast.For | ast.While):
        names += [n.name for n in ast.walk(node) if isinstance(n, (*_FUNCTIONS, ast.ClassDef))]
    return list(dict.fromkeys(names))


def _unit(node: ast.stmt, names: list[str], known: _Known) -> Unit:
    made = Unit(names, node.lineno)
    if isinstance(node, ast.ClassDef):
        _Class(node, known, made).write()
    else:
        _written(made, known, lambda writer: writer.top(node))
    if isinstance(node, _FUNCTIONS):
        made.marks = [_last(mark.func if isinstance(mark, ast.Call) else mark) for mark in node.decorator_list]
    return made


def _written(unit: Unit, known: _Known, write: Callable[[_Writer], None], own: _Own | None = None) -> None:
    """Write a unit, once more without descriptions where it has some."""
    writer = _Writer(known, unit.names, True, own)
    write(writer)
    unit.form, unit.refs, unit.mentions, unit.private = writer.found()
    unit.file = writer.file
    if writer.described:
        writer = _Writer(known, unit.names, False, own)
        write(writer)
        unit.silent = list(writer.found())


# -- classes ------------------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class _Own:
    """Private names of a class in the order in which they come, and those that it binds."""

    named: dict[str, None] = field(default_factory=dict)
    binds: set[str] = field(default_factory=set)


class _Class:
    """A class: what always counts, and its members that count where they are named."""

    def __init__(self, node: ast.ClassDef, known: _Known, unit: Unit) -> None:
        self._node, self._known, self._unit, self._own = node, known, unit, _Own()
        bases = [base.value if isinstance(base, ast.Subscript) else base for base in node.bases]
        marks = [_last(mark.func if isinstance(mark, ast.Call) else mark) for mark in node.decorator_list]
        names = [_last(base) for base in bases]
        self._exception = any(_EXCEPTION.search(name) for name in names)
        self._bases = [self._base(base) for base in bases]
        self._fields = bool(node.keywords) or bool(marks) or any(name not in _ORDINARY for name in names)
        self._fields &= not self._exception
        hooks = (part.name == "__init_subclass__" for part in node.body if isinstance(part, ast.FunctionDef))
        self._whole = bool(node.keywords) or any(mark not in _DATACLASS for mark in marks) or any(hooks)

    def _base(self, base: ast.expr) -> str:
        path = _chain(base)
        if path is None:
            return "?"
        if path[0] in self._known.bound or path[0] in self._known.imports:
            return ("n:" if len(path) == 1 or path[0] in self._known.bound else "a:") + ".".join(path)
        return f"b:{path[0]}"

    def write(self) -> None:
        """Head and members."""
        head: list[ast.stmt] = []
        members: dict[str, list[ast.stmt]] = {}
        fields = {
            n.target.id for n in self._node.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)
        }
        for node in self._node.body:
            name = self._by_name(node, fields)
            if not name:
                head.append(node)
            elif name != "-":
                members.setdefault(name, []).append(node)
        _written(
            self._unit,
            self._known,
            lambda writer: writer.head(self._node, head, self._fields, self._exception),
            self._own,
        )
        for name, nodes in members.items():
            member = Unit([name], nodes[0].lineno, triggers=[name])
            if self._exception and name in _SAYING:
                stored = (n for part in nodes for n in ast.walk(part) if isinstance(n, ast.Attribute))
                member.triggers = sorted({f"!{n.attr}" for n in stored if isinstance(n.ctx, ast.Store)})
            _written(member, self._known, lambda writer, nodes=nodes: writer.member(nodes), self._own)  # type: ignore[misc]
            self._unit.members.append(member)
        self._unit.owner = {
            "bases": self._bases,
            "named": list(self._own.named),
            "binds": sorted(self._own.binds),
            "whole": self._whole,
        }

    def _by_name(self, node: ast.stmt, fields: set[str]) -> str:
        """Name of what counts where it is named; empty for what always counts, ``-`` for what never does."""
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            plain = not self._fields or "ClassVar" in ast.dump(node.annotation)
            if not plain:
                self._bind(node.target.id)
                return ""
            if node.value is None:
                return "-"
            fields = set()
        if isinstance(node, _FUNCTIONS):
            marks = [_last(mark.func if isinstance(mark, ast.Call) else mark) for mark in node.decorator_list]
            if not all(mark in _BY_NAME for mark in marks):
                self._bind(node.name)
                return ""
            name = node.name
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            name = node.target.id
        else:
            return "-" if isinstance(node, ast.Pass) or _is_text(node) else ""
        self._bind(name)
        always = name in fields or name[:2] == "__" or (name[0] == "_" and name[-1] == "_")
        return "" if always and not (self._exception and name in _SAYING) else name

    def _bind(self, name: str) -> None:
        if is_private(name):
            self._own.named[name] = None
            self._own.binds.add(name)


# -- canonical forms ----------------------------------------------------------------------------------------------------


class _Writer:
    """Writes trees as texts that leave out what cannot matter; on the way, the names that it meets."""

    def __init__(self, known: _Known, binds: Sequence[str], text: bool, own: _Own | None) -> None:
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
        if isinstance(node, _FUNCTIONS):
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
            if isinstance(node, _FUNCTIONS):
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
        own = {name: f"#{place}" for place, name in enumerate(_bound_in(body))}
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
        self._out.append(f"(Raise {'' if thrown is None else _last(thrown)})")

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
        name = _last(node.func)
        first = node.args[0] if node.args else None
        if name == "import_module" and isinstance(first, ast.Constant):
            self._refs.append(f"m:{first.value}")
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

    def _attribute(self, node: ast.Attribute) -> None:
        """``module.name``, however deep: a reference; anything else: an attribute of an object."""
        path = _chain(node)
        if path is not None and path[0] in self._known.imports and path[0] not in self._known.bound:
            if not any(path[0] in own for own in self._local):
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
    **dict.fromkeys(_FUNCTIONS, _Writer._functiondef),
    **dict.fromkeys(_COMPREHENSIONS, _Writer._comprehended),
    ast.Lambda: _Writer._lambda,
    ast.ClassDef: _Writer._classdef,
    ast.AnnAssign: _Writer._annassign,
    ast.ExceptHandler: _Writer._excepthandler,
    ast.Raise: _Writer._raise,
    ast.Assert: _Writer._assert,
    ast.Constant: _Writer._constant,
    ast.Call: _Writer._call,
    ast.JoinedStr: _Writer._joinedstr,
    ast.Name: _Writer._name,
    ast.Attribute: _Writer._attribute,
    ast.MatchClass: _Writer._matchclass,
    ast.MatchAs: _Writer._bound_name,
    ast.MatchStar: _Writer._bound_name,
}


def _passes(node: ast.AST) -> bool:
    """Whether a statement does nothing here: names are resolved, so that imports and declarations of scope have no effect."""
    if isinstance(node, ast.Import | ast.ImportFrom | ast.Pass | ast.Global | ast.Nonlocal):
        return True
    if isinstance(node, ast.If) and not node.orelse and _for_types(node):
        return True
    return _is_text(node) or (isinstance(node, ast.AnnAssign) and node.value is None)


def _last(node: ast.expr) -> str:
    """The last name of ``a.b.c``."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _chain(node: ast.expr) -> list[str] | None:
    """``a.b.c`` as names."""
    path: list[str] = []
    while isinstance(node, ast.Attribute):
        path.append(node.attr)
        node = node.value
    return [node.id, *reversed(path)] if isinstance(node, ast.Name) else None


def _describes(node: ast.expr) -> bool:
    """Whether an argument is a text with a blank in it."""
    if not isinstance(node, ast.Constant | ast.JoinedStr | ast.BinOp):
        return False
    parts = (n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str))
    return any(" " in part for part in parts)


def _bound_in(body: Iterable[Any]) -> list[str]:
    """Names bound in a function's own scope, in an order that does not depend on them.

    Not those of functions, classes or comprehensions within it, nor globals. What is only annotated comes last.
    """
    found: dict[str, None] = {}
    bare: dict[str, None] = {}
    outside: set[str] = set()
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        kind = type(node)
        if kind is ast.Name:
            if type(node.ctx) is ast.Store:
                found[node.id] = None
        elif kind in _CLOSED:
            if kind in (*_FUNCTIONS, ast.ClassDef):
                found[node.name] = None
            elif kind in (ast.Global, ast.Nonlocal):
                outside.update(node.names)
            elif kind in _COMPREHENSIONS:
                found.update(dict.fromkeys(n.target.id for n in ast.walk(node) if isinstance(n, ast.NamedExpr)))
        elif kind is ast.AnnAssign and node.value is None:
            bare.update({node.target.id: None} if isinstance(node.target, ast.Name) else {})
        else:
            if kind in (ast.ExceptHandler, ast.MatchAs, ast.MatchStar) and node.name:
                found[node.name] = None
            for name in node._fields:
                value = getattr(node, name, None)
                if type(value) is list:
                    waiting += [item for item in value if isinstance(item, ast.AST)]
                elif isinstance(value, ast.AST) and name != "annotation":
                    waiting.append(value)
    return [name for name in (found | bare) if name not in outside]
