"""``companion list``: what can be run, and what may be changed."""

from __future__ import annotations

import argparse

from companion import papers
from companion.cli.show import data_line, say, say_json, table
from companion.simulate.experiment import Experiment


def execute(options: argparse.Namespace) -> int:
    """Print every experiment, or those of one paper."""
    found = papers.experiments(options.paper and papers.slug_of(options.paper))
    if options.json:
        say_json([experiment.describe() for experiment in found.values()])
    elif not found:
        say("no experiments")
    else:
        say("\n\n".join(_text(experiment) for experiment in found.values()))
    return 0


def _text(experiment: Experiment) -> str:
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
