"""What a figure or table is called in addresses: after the function that draws it, so that moving it breaks no link.

The name is read off the code of the cell: ``show(theory.one_run(shown), ...)`` is ``one-run``, and ``curves(evidence, 2)`` is
``curves-2``. A caption may be rewritten and a figure may move to another section; its address stays.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from docutils import nodes

#: Calls that only dress what they are given.
_DRESSES = frozenset({"show", "Table", "Figure", "display"})
#: Begins the name of a function whose figure is called as the study that it draws.
_DRAWN = "draw_"
#: Methods of data frames, which say nothing about what is in them.
_METHODS = frozenset(
    {"rename", "head", "tail", "drop", "assign", "reset_index", "set_index", "round", "sort_values", "query"}
)


def of_section(section: nodes.section) -> str:
    """The id that a section has from its title, and not from a label in front of it.

    Which of the two stands first differs between versions of docutils.
    """
    title = next(iter(section.findall(nodes.title)), None)
    own = nodes.make_id(title.astext()) if title is not None else ""
    return own if own in section["ids"] else str(section["ids"][0])


def name_of(source: str) -> str:
    """Name of what a cell displays last; empty where its code does not say.

    Parameters
    ----------
    source : code of the cell
    """
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return ""
    if not body or not isinstance(body[-1], ast.Expr):
        return ""
    assigned = {
        target.id: line.value
        for line in body
        if isinstance(line, ast.Assign)
        for target in line.targets
        if isinstance(target, ast.Name)
    }
    return nodes.make_id(_spoken(body[-1].value, assigned))


def _spoken(node: ast.expr, assigned: Mapping[str, ast.expr]) -> str:
    if isinstance(node, ast.Name):
        rest = {name: value for name, value in assigned.items() if name != node.id}
        return _spoken(assigned[node.id], rest) if node.id in assigned else node.id
    if isinstance(node, ast.Subscript | ast.Starred):
        return _spoken(node.value, assigned)
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Lambda):
        return _spoken(node.body, assigned)
    if not isinstance(node, ast.Call):
        return ""
    called = _spoken(node.func, {})
    if called in _DRESSES:
        return _spoken(node.args[0], assigned) if node.args else ""
    if called in _METHODS and isinstance(node.func, ast.Attribute):
        return _spoken(node.func.value, assigned)
    given = [
        str(value.value)
        for value in [*node.args, *(keyword.value for keyword in node.keywords)]
        if isinstance(value, ast.Constant) and isinstance(value.value, int | str) and not isinstance(value.value, bool)
    ]
    return " ".join([called.removeprefix(_DRAWN), *given])
