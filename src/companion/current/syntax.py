"""Small questions about syntax trees."""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable
from typing import Any

_EXCEPTION = re.compile(r"(Error|Exception|Warning)$")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
#: What binds nothing beyond its own name in the scope that it stands in, or is seen to apart.
_CLOSED = frozenset(
    {
        *FUNCTIONS,
        *COMPREHENSIONS,
        ast.ClassDef,
        ast.Lambda,
        ast.Import,
        ast.ImportFrom,
        ast.Global,
        ast.Nonlocal,
        ast.Constant,
    }
)


def is_private(name: str) -> bool:
    """Whether an attribute is its class's own: one underscore in front, none behind, which frameworks look for."""
    return name[0] == "_" and name[:2] != "__" and name[-1] != "_"


def names_exception(name: str) -> bool:
    """Whether a class is an exception, by its name."""
    return bool(_EXCEPTION.search(name))


def digest(*parts: str) -> str:
    """SHA-256 of texts that have no line breaks."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def is_for_types(node: ast.If) -> bool:
    """Whether this is for type checkers alone."""
    return last(node.test) == "TYPE_CHECKING"


def is_text(node: ast.AST) -> bool:
    """Whether this is a bare string, a docstring for example."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def last(node: ast.expr) -> str:
    """The last name of ``a.b.c``."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def chain_of(node: ast.expr) -> list[str] | None:
    """``a.b.c`` as names."""
    path: list[str] = []
    while isinstance(node, ast.Attribute):
        path.append(node.attr)
        node = node.value
    return [node.id, *reversed(path)] if isinstance(node, ast.Name) else None


def bound_in(body: Iterable[Any]) -> list[str]:
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
            if kind in (*FUNCTIONS, ast.ClassDef):
                found[node.name] = None
            elif kind in (ast.Global, ast.Nonlocal):
                outside.update(node.names)
            elif kind in COMPREHENSIONS:
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
