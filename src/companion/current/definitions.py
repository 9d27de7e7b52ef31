"""What a source file defines, written once for :mod:`companion.current.fingerprint`, without what cannot change a number.

A file is read by itself: of every top-level statement, and of every member of a class that counts only where it is named, a
:class:`Unit` has the hash of its canonical form and what the form leaves open, the names behind which definitions stand.
What a file is read to depends on its text alone, so it is kept by the text's hash.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from companion.current.canonical import Known, Own, Writer
from companion.current.syntax import FUNCTIONS, chain_of, is_for_types, is_private, is_text, last, names_exception

#: Decorators with which a member of a class is still reached by its name alone.
_BY_NAME = frozenset(
    {"property", "cached_property", "classmethod", "staticmethod", "abstractmethod"}
    | {"cache", "lru_cache", "override", "setter", "getter"}
)
#: Decorators of a class that name none of its members, and bases that do nothing with its annotations.
_DATACLASS, _ORDINARY = ("dataclass", "total_ordering"), ("object", "ABC", "Generic")
#: Members of an exception that only say what it says.
_SAYING = ("__init__", "__str__", "__repr__", "__reduce__")


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
        known = Known(frozenset(chain(*bound)), frozenset(imports))
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


# -- statements of a module ---------------------------------------------------------------------------------------------


def _counts(node: ast.stmt) -> bool:
    """Whether a top-level statement can matter: no import, assertion or bare string, nothing for type checkers or scripts."""
    if isinstance(node, ast.Import | ast.ImportFrom | ast.Assert) or is_text(node):
        return False
    if isinstance(node, ast.If):
        return bool(node.orelse) if is_for_types(node) else "__name__" not in ast.unparse(node.test)
    return not (isinstance(node, ast.AnnAssign) and node.value is None)


def _apart(node: ast.stmt) -> list[ast.stmt]:
    """``A, B = 1, C.b`` as two statements, where neither value can depend on the other's name or on a call."""
    if not (isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Tuple)):
        return [node]
    targets, value = node.targets[0].elts, node.value
    if not isinstance(value, ast.Tuple) or len(value.elts) != len(targets):
        return [node]
    names = {target.id if isinstance(target, ast.Name) else "" for target in targets}
    plain = (ast.Constant, ast.Name, ast.Attribute, ast.expr_context)
    inside = [part for one in value.elts for part in ast.walk(one)]
    used = {part.id for part in inside if isinstance(part, ast.Name)}
    if "" in names or names & used or not all(isinstance(part, plain) for part in inside):
        return [node]
    return [ast.copy_location(ast.Assign([t], v), node) for t, v in zip(targets, value.elts, strict=True)]


def _running(node: ast.AST) -> Iterator[ast.AST]:
    """Every statement below, in the order of the text, without the bodies of ``if TYPE_CHECKING``."""
    for part in ("body", "cases", "handlers", "orelse", "finalbody"):
        inner = getattr(node, part, ())
        for child in inner if isinstance(inner, list) else ():  # a lambda's body is an expression
            if isinstance(child, ast.If) and is_for_types(child):
                for other in child.orelse:
                    yield from (other, *_running(other))
                continue
            yield child
            yield from _running(child)


def _binds(node: ast.stmt) -> list[str]:
    """Names that a top-level statement binds."""
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        return [node.name]
    names = [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store | ast.Del)]
    if isinstance(node, ast.If | ast.Try | ast.With | ast.For | ast.While):
        names += [n.name for n in ast.walk(node) if isinstance(n, (*FUNCTIONS, ast.ClassDef))]
    return list(dict.fromkeys(names))


def _unit(node: ast.stmt, names: list[str], known: Known) -> Unit:
    made = Unit(names, node.lineno)
    if isinstance(node, ast.ClassDef):
        _Class(node, known, made).write()
    else:
        _written(made, known, lambda writer: writer.top(node))
    if isinstance(node, FUNCTIONS):
        made.marks = [last(mark.func if isinstance(mark, ast.Call) else mark) for mark in node.decorator_list]
    return made


def _written(unit: Unit, known: Known, write: Callable[[Writer], None], own: Own | None = None) -> None:
    """Write a unit, once more without descriptions where it has some."""
    writer = Writer(known, unit.names, True, own)
    write(writer)
    unit.form, unit.refs, unit.mentions, unit.private = writer.found()
    unit.file = writer.file
    if writer.described:
        writer = Writer(known, unit.names, False, own)
        write(writer)
        unit.silent = list(writer.found())


class _Class:
    """A class: what always counts, and its members that count where they are named."""

    def __init__(self, node: ast.ClassDef, known: Known, unit: Unit) -> None:
        self._node, self._known, self._unit, self._own = node, known, unit, Own()
        bases = [base.value if isinstance(base, ast.Subscript) else base for base in node.bases]
        marks = [last(mark.func if isinstance(mark, ast.Call) else mark) for mark in node.decorator_list]
        names = [last(base) for base in bases]
        self._exception = any(names_exception(name) for name in names)
        self._bases = [self._base(base) for base in bases]
        self._fields = bool(node.keywords) or bool(marks) or any(name not in _ORDINARY for name in names)
        self._fields &= not self._exception
        hooks = (part.name == "__init_subclass__" for part in node.body if isinstance(part, ast.FunctionDef))
        self._whole = bool(node.keywords) or any(mark not in _DATACLASS for mark in marks) or any(hooks)

    def _base(self, base: ast.expr) -> str:
        path = chain_of(base)
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
        if isinstance(node, FUNCTIONS):
            marks = [last(mark.func if isinstance(mark, ast.Call) else mark) for mark in node.decorator_list]
            if not all(mark in _BY_NAME for mark in marks):
                self._bind(node.name)
                return ""
            name = node.name
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            name = node.target.id
        else:
            return "-" if isinstance(node, ast.Pass) or is_text(node) else ""
        self._bind(name)
        always = name in fields or name[:2] == "__" or (name[0] == "_" and name[-1] == "_")
        return "" if always and not (self._exception and name in _SAYING) else name

    def _bind(self, name: str) -> None:
        if is_private(name):
            self._own.named[name] = None
            self._own.binds.add(name)
