"""``companion list``: what can be run, and what may be changed."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from companion import registry
from companion.cli.arguments import OneExperiment, OnePaper, switch
from companion.cli.show import TABLE, TableOutput, data_line, table
from companion.core.errors import known_as
from companion.core.files import repository_root

if TYPE_CHECKING:
    from companion.simulate.experiment import Experiment

#: Characters of a line that name methods.
METHODS_WIDTH = 96


def execute(
    paper: OnePaper = None,
    experiment: OneExperiment = None,
    /,
    *,
    names: Annotated[bool, switch("names of experiments and methods only")] = False,
    output: TableOutput = TABLE,
) -> int:
    """List experiments and their methods; of one paper also parameters, defaults, ranges, sources.

    As JSON or CSV it is always everything.

    Example: companion list batched appendix-e
    """
    slug = paper and registry.slug_of(paper)
    found = list(registry.experiments(slug).values())
    if experiment is not None:
        known_as("experiment", experiment, (one.name for one in found))
        found = [one for one in found if one.name == experiment]
    short, chapter = names or slug is None, None if experiment else slug
    content = [one.describe() for one in found]
    return output.give(content, lambda: _names(found) if short else _whole(found, chapter), _rows(found, chapter))


def _whole(found: Sequence[Experiment[Any]], chapter: str | None) -> str:
    texts = [_text(experiment) for experiment in found]
    if chapter is not None and registry.declares(chapter, "parameters"):
        use = f"{chapter}, the chapter: companion run {registry.get(chapter).number} -p name=value"
        texts.append(f"{use}\n{_parameters(_of_chapter(chapter))}")
    return "\n\n".join(texts)


def _names(found: Sequence[Experiment[Any]]) -> str:
    if not found:
        return "no experiments"
    rows = [
        (e.paper, e.name, textwrap.shorten(", ".join(e.method_names), METHODS_WIDTH, placeholder=" ...")) for e in found
    ]
    listed = table(("paper", "experiment", "methods"), rows)
    return f"{listed}\n\nparameters, defaults, ranges and sources: companion list PAPER [EXPERIMENT]"


def _text(experiment: Experiment[Any]) -> str:
    used = experiment.data_used()
    return "\n".join(
        [
            f"{experiment.paper} {experiment.name}: {experiment.summary} ({experiment.source})",
            table(("method", ""), [(method.name, method.summary) for method in experiment.methods]),
            *([] if used is None else [data_line(used)]),
            _parameters(experiment.parameters.describe()),
        ]
    )


def _of_chapter(slug: str) -> list[dict[str, Any]]:
    """The chapter's parameters; what they mean stands in the parameters cells of its pages."""
    pages = (repository_root() / "notebooks").glob(f"ch*_{registry.get(slug).notebook}*.py")
    lines = [line for page in sorted(pages) for line in page.read_text(encoding="utf-8").splitlines()]
    found = (re.fullmatch(r"(\w+) = .*?  # (.+)", line) for line in reversed(lines))
    meant = {line[1]: line[2] for line in found if line}
    return [entry | {"help": meant.get(entry["name"], "")} for entry in registry.chapter_parameters(slug).describe()]


def _parameters(known: Iterable[Mapping[str, Any]]) -> str:
    rows = [
        (p["name"], p["type"], "-" if p["default"] is None else p["default"], p["range"] or "-", p["help"], p["source"])
        for p in known
    ]
    return table(("parameter", "type", "default", "range", "meaning", "source"), rows)


def _rows(found: Iterable[Experiment[Any]], chapter: str | None) -> Iterator[dict[str, Any]]:
    """One a parameter: of every experiment, then of the chapter, whose experiment has no name."""
    for one in found:
        methods = list(one.method_names)
        for entry in one.parameters.describe():
            yield {"paper": one.paper, "experiment": one.name, "methods": methods, **entry}
    if chapter is not None and registry.declares(chapter, "parameters"):
        for entry in _of_chapter(chapter):
            yield {"paper": chapter, "experiment": "", "methods": [], **entry}
