"""``companion list``: what can be run, and what may be changed."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterable
from typing import Any

from companion import papers
from companion.cli.show import data_line, say, say_json, table
from companion.core.errors import ParameterError, nearest
from companion.simulate.experiment import Experiment

#: Characters of a line that name methods.
METHODS_WIDTH = 96


def execute(options: argparse.Namespace) -> int:
    """Names of all experiments and methods; of one paper, or one experiment, everything. As JSON always everything."""
    slug = options.paper and papers.slug_of(options.paper)
    found = list(papers.experiments(slug).values())
    if options.experiment is not None:
        found = [_named(found, options.experiment)]
    if options.json:
        say_json([experiment.describe() for experiment in found])
    elif not found:
        say("no experiments")
    elif options.names or slug is None:
        say(_names(found))
        say("\nparameters, defaults, ranges and sources: companion list PAPER [EXPERIMENT]")
    else:
        say("\n\n".join(_text(experiment) for experiment in found))
    return 0


def _named(found: Iterable[Experiment[Any]], name: str) -> Experiment[Any]:
    known = {experiment.name: experiment for experiment in found}
    if name not in known:
        raise ParameterError("experiment", f"got {name!r}", f"one of {', '.join(known)}", nearest(name, known))
    return known[name]


def _names(found: Iterable[Experiment[Any]]) -> str:
    rows = [
        (e.paper, e.name, textwrap.shorten(", ".join(e.method_names), METHODS_WIDTH, placeholder=" ...")) for e in found
    ]
    return table(("paper", "experiment", "methods"), rows)


def _text(experiment: Experiment[Any]) -> str:
    rows = [
        (p["name"], p["type"], "-" if p["default"] is None else p["default"], p["range"] or "-", p["help"], p["source"])
        for p in experiment.parameters.describe()
    ]
    used = experiment.data_used()
    return "\n".join(
        [
            f"{experiment.paper} {experiment.name}: {experiment.summary} ({experiment.source})",
            table(("method", ""), [(method.name, method.summary) for method in experiment.methods]),
            *([] if used is None else [data_line(used)]),
            table(("parameter", "type", "default", "range", "meaning", "source"), rows),
        ]
    )
