"""Are the outputs of a page made again those that are committed? Every table, caption, sentence and key number is compared.

A page is executed as for its commit, nothing is written, and the readable text of each output (plain text, HTML, Markdown,
what was printed) has to come out the same, word for word. What may differ, and why:

* the last shown digit of a decimal number, by one (:data:`LAST_DIGIT`): another processor adds in another order, and
  where the exact value lies between two roundings the shown digit tips. Whole numbers are counts and get no such
  allowance, nor do the cells tagged :data:`EXACT`, whose key numbers were chosen with few enough digits;
* the pixels of a picture, for the same reason: it has to be there and of the same size. What it shows stands in its
  caption and key numbers. As only sizes are looked at, a figure is drawn once, not for light and dark pages each; both
  committed pictures have to have that size;
* blanks in plain text, where columns are as wide as their widest number;
* versions in the run record: they are those of the environment at hand.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from nbformat import NotebookNode

from companion.notebook.document import Chapter, NotebookError, Problem, read_notebook
from companion.notebook.execution import CELL_TIMEOUT, first_line, run_cells
from companion.notebook.pairing import code_cells
from companion.reproduce.provenance import versions

#: Cells with this tag print key numbers; they are compared without any allowance.
EXACT = "nbval-check-output"

#: Units in the last shown place by which a decimal number may differ.
LAST_DIGIT = 1

_PICTURE = re.compile(r"data:image/(?P<kind>[a-z.+-]+);base64,(?P<code>[A-Za-z0-9+/=\s]+)")
_NUMBER = re.compile(r"(?<![\w.])\d+\.\d+(?:e[+-]?\d+)?(?![\w.]*\d)|(?<![\w.])\d+e[+-]?\d+\b")
# A figure's picture for light pages and its twin for dark ones, once both are sizes; see COMPANION_DRAFT in companion.report.
_TWINS = re.compile(r'<img class="only-light"(?P<rest>[^>]*)><img class="only-dark"(?P=rest)>')
_VERSION = re.compile(r"\b\d+\.\d+\.\d+\w*")
_RUN_RECORD = ".run_record"
_AROUND = 30


def compare(chapter: Chapter, timeout: int = CELL_TIMEOUT, *, exactly: bool = True) -> list[Problem]:
    """Execute ``chapter`` and list where its outputs differ from the committed ones; nothing is written.

    Without ``exactly`` it has to run, and outputs are not compared.

    Raises
    ------
    NotebookError
        when there is no committed notebook
    """
    from companion.report.figures import DRAFT  # loads a drawing library, which checking a page does without

    stored = read_notebook(chapter.notebook)
    try:
        made = run_cells(chapter, timeout, {DRAFT: "1"})
    except NotebookError as error:
        return [Problem(chapter.notebook, None, f"cannot be executed again: {error}")]
    found = differences(stored, made) if exactly else ()
    return [Problem(chapter.notebook, cell, f"{text}; run: {chapter.mend}") for cell, text in found]


def due(chosen: Sequence[Chapter], commit: str) -> list[Chapter]:
    """Those that ``make test`` executes again: one by turn, and every one that was made with other versions.

    A page that is not stale was executed with this very code, and its seal keeps what came out. To execute it again tells
    whether another environment shows the same, or whether somebody has typed over page and seal. For the first, versions are
    compared; for the second, each commit draws a page that nobody chooses. Without version control all are due.

    Parameters
    ----------
    chosen : the chapters that are there
    commit : of the checkout, in hexadecimal digits; anything else stands for "unknown"
    """
    if not re.fullmatch(r"[0-9a-f]{7,}", commit):
        return list(chosen)
    turn = int(commit, 16) % max(1, len(chosen))
    return [one for place, one in enumerate(chosen) if place == turn or not _made_with(one, versions())]


def _made_with(chapter: Chapter, here: Mapping[str, str]) -> bool:
    """Are the versions in its record those? Not without one, which :func:`~companion.notebook.checking.check` reports."""
    try:
        record = json.loads(chapter.record.read_text(encoding="utf-8"))["record"]
        # Torch is in one of the two only where one has had no use for it.
        return all(here.get(name, version) == version for name, version in dict(record["versions"]).items())
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return False


def differences(stored: NotebookNode, made: NotebookNode) -> Iterator[tuple[int | None, str]]:
    """(index of the cell among the stored ones, difference), at most one per cell.

    Parameters
    ----------
    stored : the committed notebook
    made : the same cells, executed again
    """
    old, new = code_cells(stored), code_cells(made)
    if len(old) != len(new):
        yield None, f"has {len(old)} code cells, its source {len(new)}"
        return
    for (index, before), (_, after) in zip(old, new, strict=True):
        found = _of_cell(before, after)
        if found is not None:
            yield index, f"({first_line(after)}) {found}"


def _of_cell(before: NotebookNode, after: NotebookNode) -> str | None:
    """The first difference between the outputs of one cell."""
    if len(before.outputs) != len(after.outputs):
        return f"has {len(before.outputs)} outputs, {len(after.outputs)} when executed again"
    exact = EXACT in after.metadata.get("tags", [])
    for old, new in zip(map(_texts, before.outputs), map(_texts, after.outputs), strict=True):
        if old.keys() != new.keys():
            return f"holds {', '.join(old)}; executed again, {', '.join(new)}"
        own = any(f'{_RUN_RECORD}"' in text for text in new.values())
        for kind, text in old.items():
            found = different(_without_versions(text, own), _without_versions(new[kind], own), exact=exact)
            if found is not None:
                return f"holds {found[0]!r}; executed again, {found[1]!r} ({kind})"
    return None


def _texts(output: NotebookNode) -> dict[str, str]:
    """What an output holds by kind, a picture as its size; kinds in the order of their names."""
    if output.output_type == "stream":
        return {str(output.name): str(output.text)}
    data: Mapping[str, object] = output.get("data", {})
    texts = {kind: str(data[kind]) for kind in sorted(data)}
    return {
        kind: f"data:{kind};base64,{text}" if kind.startswith("image/") and kind != "image/svg+xml" else text
        for kind, text in texts.items()
    }


def _without_versions(text: str, run_record: bool) -> str:
    return _VERSION.sub("(version)", text) if run_record else text


def different(stored: str, made: str, *, exact: bool = False) -> tuple[str, str] | None:
    """The first place where two texts differ by more than the module allows, with some text around; or ``None``.

    Parameters
    ----------
    stored, made : texts of the same output
    exact : allow no digit to differ
    """
    old, new = (" ".join(_one_mode(_PICTURE.sub(_sized, text)).split()) for text in (stored, made))
    if old == new:
        return None
    here = there = 0
    pairs = () if exact else zip(_NUMBER.finditer(old), _NUMBER.finditer(new), strict=False)
    for left, right in pairs:
        if old[here : left.start()] != new[there : right.start()] or not _close(left[0], right[0]):
            break
        here, there = left.end(), right.end()
    if old[here:] == new[there:]:
        return None
    letters = enumerate(zip(old[here:], new[there:], strict=False))
    offset = next((n for n, (a, b) in letters if a != b), min(len(old) - here, len(new) - there))
    return _shown(old, here + offset), _shown(new, there + offset)


def _close(old: str, new: str) -> bool:
    """Are two decimal numbers shown with the same digits, up to the last?"""
    numbers = Decimal(old), Decimal(new)
    places = {int(number.as_tuple().exponent) for number in numbers}
    return len(places) == 1 and abs(numbers[0] - numbers[1]) <= LAST_DIGIT * Decimal(1).scaleb(places.pop())


def _sized(picture: re.Match[str]) -> str:
    """A picture as its width and height, which a PNG holds in bytes 16 to 24."""
    head = base64.b64decode("".join(picture["code"][:64].split())[:32])
    if picture["kind"] != "png" or len(head) < 24:
        return f"[picture {picture['kind']}]"
    return f"[picture {int.from_bytes(head[16:20])} × {int.from_bytes(head[20:24])}]"


def _one_mode(text: str) -> str:
    """A figure that was drawn for both modes in one size, as a draft has it, which is drawn for one."""
    return _TWINS.sub(r'<img class="both-modes"\g<rest>>', text)


def _shown(text: str, place: int) -> str:
    return text[max(0, place - _AROUND) : place + _AROUND]
