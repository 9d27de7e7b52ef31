"""The confined half of :mod:`companion.classroom.submission_checks`: a process for each student, which parses its files."""

from __future__ import annotations

import ast
import base64
import codecs
import contextlib
import functools
import hashlib
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import IO, Any

from companion.classroom import archives, similarity
from companion.classroom.notebook_text import UnreadableError, notebook
from companion.classroom.submission_checks import (
    MANY,
    MEMORY,
    MOST_NOTEBOOKS,
    MOST_SAID,
    OTHER,
    SECONDS,
    WAITING,
    Look,
    hidden,
    seconds,
)
from companion.classroom.submitted_files import Piece


def main() -> None:
    """Answer every request on standard input by a process of its own."""
    # Nothing can be loaded any more where a file is read: the encodings of names and notebooks, the time zone.
    for name in ("cp437", "utf-8-sig"):
        codecs.lookup(name)
    time.localtime()
    for line in sys.stdin:
        request, (reading, writing) = json.loads(line), os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            try:
                with os.fdopen(writing, "w") as out:
                    _answer(request, functools.partial(_say, out))
                os._exit(0)
            finally:  # whatever happened, here is no second reader of requests
                os._exit(1)
        os.close(writing)
        with os.fdopen(reading, "rb") as answers:
            said = answers.read(MOST_SAID)
        ended = os.waitpid(child, 0)[1] != 0
        # Of an answer that was cut off, whole lines are kept.
        whole = said.decode("utf-8", "replace").rpartition("\n")[0]
        _say(sys.stdout, [ended or len(said) == MOST_SAID, whole])


def _say(out: IO[str], said: Any) -> None:
    out.write(json.dumps(said) + "\n")
    out.flush()


def _answer(request: Any, tell: Callable[[Any], None]) -> None:
    """Members of an archive, bytes of one, or looks at what a student handed in: within a budget, confined to these files."""
    import resource  # these three are not everywhere where assignments are made
    import signal

    from companion.classroom import confine

    verb, files = request
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    signal.alarm(WAITING * SECONDS)
    with contextlib.suppress(OSError):  # where one cannot be had, the other and the limits remain
        confine.confine_files(sorted({path for path, *_ in files}), (), os.devnull)
    with contextlib.suppress(OSError):
        confine.deny_calls()
    left = MOST_NOTEBOOKS
    for place, (path, inner, name) in enumerate(files):
        piece = Piece(Path(path), tuple(inner))
        try:
            if verb == "list":
                tell(archives.listed(piece.path))
            elif verb == "read":
                tell({"content": base64.b64encode(archives.read(piece)).decode()})
        except UnreadableError as error:
            tell({"problem": str(error)})
        if verb == "look":
            tell([place])
            for one in _looks(piece, name):
                left -= one.problem != OTHER
                tell([place, asdict(one if left >= 0 else replace(one, problem=MANY, prints=[]))])


def _looks(piece: Piece, name: str) -> Iterator[Look]:
    """Looks at a file, or at an archive's notebooks; other members of it are told, but for those of archives in it."""
    empty = name.lower().endswith(".zip")
    for found in archives.contents(piece, name, lambda inside: _wanted(inside) and not hidden(inside)):
        when = seconds(found.date) if found.date else os.stat(piece.path).st_mtime
        called = found.names[-1] if found.names else name
        if found.names and hidden(called):
            continue
        if isinstance(found.content, UnreadableError):
            yield Look(found.inner, found.names, when, problem=str(found.content))
            empty = False
        elif _wanted(called):
            yield _notebook(found.content, found.inner, found.names, when)
            empty = False
        elif len(found.names) == 1:
            yield Look(found.inner, found.names, problem=OTHER)
    if empty:
        yield Look(piece.inner, problem="the archive holds no notebook")


def _wanted(name: str) -> bool:
    return name.lower().endswith((".ipynb", ".zip"))


def _notebook(content: bytes, inner: tuple[int, ...], names: tuple[str, ...], when: float) -> Look:
    digest = hashlib.sha256(content).hexdigest()
    try:
        cells, noted = notebook(content)
    except UnreadableError as error:
        return Look(inner, names, when, str(error), digest)
    assignment, series = (str(noted.get(name) or "")[:80] for name in ("assignment", "series"))
    return Look(
        inner, names, when, "", digest, assignment, series, *_said(cells), sorted(similarity.fingerprints(cells))
    )


def _said(cells: list[str]) -> tuple[str | None, list[str]]:
    """The id typed, and the names that something was done about; read from the syntax tree, as data."""
    typed, done = None, Counter[str]()
    for node in (node for tree in similarity.parsed(cells) for node in ast.walk(tree)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "student":
            typed = next((str(given.value)[:80] for given in node.args if isinstance(given, ast.Constant)), typed)
        elif isinstance(node, ast.FunctionDef):
            done[node.name] += not isinstance(node.body[-1], ast.Raise | ast.Pass) or len(node.body) > 2
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            done[node.id] += 1
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and node.value.value is None:
            done.subtract(name.id for name in node.targets if isinstance(name, ast.Name))
    return typed, sorted(name for name, times in done.items() if times > 0)[:1000]


if __name__ == "__main__":
    main()
