"""``companion errata``: each confirmed error of a paper as its authors would want it, or all of them as a letter."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from companion import registry
from companion.cli.arguments import APaper, text
from companion.cli.show import TEXT, Output, require_none, say, say_json
from companion.core.errors import ParameterError
from companion.core.files import strict_json, write_atomic

WIDTH = 100
#: What ends a sentence or a title already.
_ENDS = (".", "!", "?")


def execute(
    paper: APaper,
    /,
    *,
    only: Annotated[str | None, text("ID", "one erratum only", name="--id")] = None,
    form: Annotated[
        Literal["markdown", "letter", "json"], text("FORM", "how it is written (default: markdown)")
    ] = "markdown",
    out: Annotated[str | None, text("FILE", "write into a new file instead of the screen")] = None,
    output: Output = TEXT,
) -> int:
    """Each confirmed error of a paper for its authors, with ten lines that show it.

    What holds comes first. The exit code is 1 where a file is no erratum, its suspected error is not confirmed, or its
    program does not end as it should.

    Example: companion errata batched --form letter
    """
    paper = registry.slug_of(paper)
    registry.declaring("leads", paper)
    from companion.exports import errata

    told, faults = errata.document(paper, only=only)
    if out:
        _write(Path(out), FORMS[form](told))
    if output.json or (form == "json" and not out):
        say_json(told)
    else:
        say(out or FORMS[form](told).rstrip())
    require_none(faults)
    return 0


def _write(path: Path, text: str) -> None:
    """Write a new file; a letter that somebody has gone on writing is not replaced."""
    if path.is_dir() or (path.exists() and path.read_bytes() != text.encode()):
        raise ParameterError(
            "out", f"{path} is there, and is something else", "a new file", "Choose another name, or remove it"
        )
    write_atomic(path, text.encode())


def _markdown(told: Mapping[str, Any]) -> str:
    """A page: what holds, the errata, how to answer."""
    from companion.exports import errata

    parts = [
        f"# For the authors of *{told['title']}*",
        f"{_list(told['authors'])}.",
        "## What holds",
        _points(errata.what_holds(told)),
        "## Errata",
        *_errata(told),
        "## How to answer",
        _filled(" ".join(errata.how_to_answer(told))),
        "What is ours, and ours to be proved wrong:",
        _points(errata.what_is_ours(told)),
    ]
    return "\n\n".join(parts) + "\n"


def _letter(told: Mapping[str, Any]) -> str:
    """The same as a letter."""
    from companion.exports import errata

    parts = [
        f"Dear {_list(told['authors'])},",
        _filled(
            f"we have read *{told['title']}* closely: we checked its statements by programs, ran its experiments again, and "
            "tested every place that looked wrong to us. First what holds."
        ),
        _points(errata.what_holds(told)),
        _filled(
            "Below are the places that we believe need a correction, of substance first, each with a program that shows it, "
            "the smallest repair that we know, and what is not affected."
        ),
        *_errata(told),
        "## How to answer",
        _filled(" ".join(errata.how_to_answer(told))),
        "What is ours, and ours to be proved wrong:",
        _points(errata.what_is_ours(told)),
        "With regards,\nthe companion's authors",
    ]
    return "\n\n".join(parts) + "\n"


def _json(told: Mapping[str, Any]) -> str:
    return strict_json(told, indent=1) + "\n"


FORMS: dict[str, Callable[[Mapping[str, Any]], str]] = {"markdown": _markdown, "letter": _letter, "json": _json}


def _errata(told: Mapping[str, Any]) -> list[str]:
    """Every erratum, numbered; and which are not written yet."""
    parts = [_erratum(entry) for entry in told["errata"]]
    if told["lacking"]:
        parts.append(_filled(f"Confirmed, and not written down in this form yet: {_list(told['lacking'])}."))
    return parts or ["None: no error of substance or of constants was confirmed."]


def _erratum(entry: Mapping[str, Any]) -> str:
    title = entry["title"][:1].upper() + entry["title"][1:]
    parts = [
        f"### {entry['number']}. {title} ({entry['id']})",
        _filled(f"{entry['place'].rstrip('.')}. Of {entry['consequence']}."),
        _filled(f"**Printed.** {entry['printed']}"),
        _filled(f"**Wrong.** {entry['wrong']}"),
        f"```python\n{entry['program']}\n```",
        "prints",
        "\n".join(["```text", *entry["prints"], "```"]),
        _filled(f"**Repair.** {entry['repair']}"),
    ]
    if said := entry["answer"]:
        parts.append(_filled(f"**Answer**, {said['from']}, {said['date']}: {said['answer']}"))
        parts += [_filled(f"**Our reply:** {said['reply']}")] if "reply" in said else []
    return "\n\n".join(parts)


def _list(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _points(sentences: Iterable[str]) -> str:
    points = (sentence if sentence.endswith(_ENDS) else f"{sentence}." for sentence in sentences)
    return "\n".join(textwrap.indent(_filled(point), "  ").replace("  ", "- ", 1) for point in points)


def _filled(text: str) -> str:
    """A paragraph in lines of which none begins as a list or a heading of Markdown would."""
    bound = re.sub(r" (?=[-+*=>#|]|\d+[.)])", "\0", text)
    return textwrap.fill(bound, WIDTH, break_long_words=False, break_on_hyphens=False).replace("\0", " ")
