"""Similar code: fingerprints of syntax trees, in which names and numbers do not count, and their comparison.

Every statement of a notebook becomes the sequence of its tree's nodes, without the names that a student chooses, without
literals, docstrings and annotations; what cannot be renamed stays: attributes, built-in names and imported ones. Of the
hashes of its runs of :data:`RUN` nodes those are kept that winnowing chooses (Schleimer, Wilkerson and Aiken, SIGMOD 2003):
the least of every :data:`WINDOW` in a row, so that every common run of ``RUN + WINDOW - 1`` nodes is found. Fingerprints
are a set: the order of functions says nothing. What stands in the notebook as it was handed out is taken away.

The result is a list for somebody who reads both texts, never a verdict: short tasks have few good answers.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from itertools import combinations

RUN, WINDOW = 10, 4
#: Fingerprints kept of a notebook, and those below which two are not compared.
MOST, FEWEST = 20_000, 6
BUILTIN = frozenset(dir(builtins))
Prints = Set[int]


def parsed(cells: Iterable[str]) -> Iterator[ast.Module]:
    """Syntax trees of cells, without lines of magics and of the shell; a cell that is no Python is left out."""
    for text in cells:
        lines = ("" if line.lstrip().startswith(("%", "!")) else line for line in text.splitlines())
        try:
            yield ast.parse("\n".join(lines))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue


def fingerprints(cells: Iterable[str]) -> Prints:
    """Fingerprints of code cells: 60-bit numbers, the same on every machine."""
    found: set[int] = set()
    trees = list(parsed(cells))
    fixed = BUILTIN | {
        (name.asname or name.name).partition(".")[0]
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in node.names
    }
    for tree in trees:
        for statement in tree.body:
            found.update(_winnowed(list(_nodes(statement, fixed))))
            if len(found) > MOST:
                return found
    return found


def _nodes(root: ast.AST, fixed: Set[str]) -> Iterator[str]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.expr_context | ast.Expr) and (
            not isinstance(node, ast.Expr) or isinstance(node.value, ast.Constant)
        ):
            continue
        label = type(node).__name__
        if isinstance(node, ast.Attribute):
            label += "." + node.attr
        elif isinstance(node, ast.Name) and node.id in fixed:
            label += "." + node.id
        elif isinstance(node, ast.Constant):
            label += "." + type(node.value).__name__
        yield label
        below = [
            child
            for name, child in ast.iter_fields(node)
            if name not in ("annotation", "returns", "type_comment")
            for child in (child if isinstance(child, list) else [child])
            if isinstance(child, ast.AST)
        ]
        waiting.extend(reversed(below))


def _winnowed(nodes: list[str]) -> Iterator[int]:
    hashes = [
        int.from_bytes(hashlib.blake2b(" ".join(nodes[at : at + RUN]).encode(), digest_size=8).digest(), "big") >> 4
        for at in range(len(nodes) - RUN + 1)
    ]
    for at in range(max(1, len(hashes) - WINDOW + 1)) if hashes else ():
        yield min(hashes[at : at + WINDOW])


def pairs(prints: Mapping[str, Prints], template: Prints) -> list[tuple[float, str, str, int]]:
    """All pairs with something in common, the most similar first: (similarity from 0 to 1, one, other, shared fingerprints).

    With ``w(f) = log(1 + n / n(f))`` for a fingerprint that ``n(f)`` of ``n`` have, it is twice the weight of what both
    have over the sum of their weights. Equal sets give 1; what the whole class has counts little. Those with fewer than
    :data:`FEWEST` fingerprints of their own are in no pair.
    """
    own = {name: found - template for name, found in prints.items()}
    own = {name: found for name, found in own.items() if len(found) >= FEWEST}
    times = Counter(one for found in own.values() for one in found)
    weight = {one: math.log1p(len(own) / count) for one, count in times.items()}
    whole = {name: math.fsum(weight[one] for one in sorted(found)) for name, found in own.items()}
    found = []
    for first, second in combinations(sorted(own), 2):
        common = own[first] & own[second]
        if common:
            share = 2 * math.fsum(weight[one] for one in sorted(common)) / (whole[first] + whole[second])
            found.append((round(share, 3), first, second, len(common)))
    return sorted(found, key=lambda one: (-one[0], one[1:3]))
