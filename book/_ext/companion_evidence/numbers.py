"""Numbers in prose, read from the stored evidence: the sentence stands on its page, the number in its record.

Two roles. ``{number}`` shows one: ``tsrsr/verdicts/first-in-eleven/firsts/text/count`` follows a paper's entry (a
statement or lead by its id, a claim by its cell) down its fields; ``#`` at the end counts what stands there; ``:.2f`` formats
it, and ``:~2`` rounds to two digits; and ``batched/ledger?status=fails`` counts the entries with these fields. ``{true-if}``
shows nothing and compares such a number with a value: ``compressed/ledger/theorem-3.4/status = fails``. Where it does not hold,
the build says that the sentence beside it is no longer true; a result that has changed needs an author.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from companion.core.errors import ResultError
from companion.core.files import results_folder
from companion_evidence.data import NAMES, read

COMPARED: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
}


def number(root: Path, reference: str) -> str:
    """What ``{number}`` shows; whole numbers with a narrow space between thousands.

    Raises
    ------
    ResultError
        if there is no such number
    """
    path, _, form = reference.partition(":")
    found = value(root, path.strip())
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise ResultError(f"{path.strip()} is {found!r} and no number")
    if form.startswith("~"):
        rounded = float(f"{found:.{int(form[1:]) - 1}e}")
        found, form = (int(rounded) if rounded.is_integer() else rounded), ""
    if form:
        return format(found, form)
    return f"{found:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def holds(root: Path, condition: str) -> bool:
    """Whether the condition of ``{true-if}`` holds; errors as of :func:`number`."""
    parts = re.fullmatch(r"(.+?) (=|!=|<|>) (.+)", condition.strip())
    if parts is None:
        raise ResultError(f"{condition!r} is no condition: it has the form REFERENCE {'|'.join(COMPARED)} VALUE")
    reference, sign, wanted = parts.groups()
    found = value(root, reference)
    return COMPARED[sign](found, wanted if isinstance(found, str) else float(wanted))


def value(root: Path, path: str) -> Any:
    """What stands at ``paper/file/entry/field/...``, or how many entries ``paper/file?field=value&...`` has."""
    place, _, wanted = path.partition("?")
    paper, name, *steps = place.split("/")
    if name not in NAMES:
        raise ResultError(f"{path!r}: {name!r} is none of {', '.join(NAMES)}")
    entries = read(results_folder(paper, root), name, f"companion evidence {paper}").entries
    if wanted:
        conditions = [part.split("=", 1) for part in wanted.split("&")]
        return sum(all(_has(entry, field.split("/"), text) for field, text in conditions) for entry in entries)
    key = "cell" if name == "verdicts" else "id"
    found = [entry for entry in entries if entry[key] == steps[0] and entry.get("kind") != "cell"]
    if len(found) != 1:
        raise ResultError(f"{path!r}: {name} of {paper} has {len(found)} entries {steps[0]!r}")
    return follow(found[0], steps[1:], path)


def follow(start: Any, steps: Sequence[str], path: str) -> Any:
    """Down the fields of an entry; with ``#`` behind the last, how many things stand there."""
    for step in steps:
        name = step.removesuffix("#")
        known = start if isinstance(start, Mapping) else {str(place): item for place, item in enumerate(start)}
        if name not in known:
            raise ResultError(f"{path!r}: there is no {name!r} among {', '.join(known)}")
        start = known[name]
    return len(start) if steps and steps[-1].endswith("#") else start


def _has(entry: Mapping[str, Any], fields: Sequence[str], text: str) -> bool:
    for field in fields:
        entry = entry.get(field, {}) if isinstance(entry, Mapping) else {}
    return str(entry) == text
