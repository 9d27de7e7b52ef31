"""The papers. Each is one package ``companion.papers.<slug>``; what it offers is discovered, not listed.

A paper's module ``experiments`` has ``EXPERIMENTS``, a sequence of :class:`~companion.simulate.Experiment`; its module
``chapter`` has ``NOTEBOOK`` (e.g. ``"ch3_batched"``) and ``PARAMETERS``, a :class:`~companion.profiles.ParameterSet`.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import re
from types import ModuleType
from typing import TYPE_CHECKING

from companion.errors import CompanionError, ParameterError, nearest

if TYPE_CHECKING:
    from companion.simulate import Experiment


def slugs() -> tuple[str, ...]:
    """Names of the papers' packages, sorted."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg))


def module(slug: str, name: str) -> ModuleType | None:
    """Module ``companion.papers.<slug>.<name>``, or ``None`` when the paper has no such module."""
    path = f"{__name__}.{slug}.{name}"
    return importlib.import_module(path) if importlib.util.find_spec(path) else None


def experiments(paper: str | None = None) -> dict[tuple[str, str], Experiment]:
    """Experiments by (paper, name), of all papers or of one, sorted by paper and in the paper's own order.

    Raises
    ------
    ParameterError
        if there is no such paper
    CompanionError
        if a paper declares an experiment under another paper's name, or one name twice
    """
    known = slugs()
    if paper is not None and paper not in known:
        names = ", ".join(known) or "none: no paper is installed"
        raise ParameterError("paper", f"got {paper!r}", f"one of {names}", nearest(paper, known))
    found: dict[tuple[str, str], Experiment] = {}
    for slug in known if paper is None else (paper,):
        declared = getattr(module(slug, "experiments"), "EXPERIMENTS", ())
        for experiment in declared:
            key = (experiment.paper, experiment.name)
            if experiment.paper != slug or key in found:
                raise CompanionError(f"companion.papers.{slug}.experiments declares {'/'.join(key)} wrongly or twice")
            found[key] = experiment
    return found


def experiment(paper: str, name: str) -> Experiment:
    """One experiment; :class:`ParameterError` with the nearest known name when there is none."""
    known = {key[1]: value for key, value in experiments(paper).items()}
    if name not in known:
        names = ", ".join(known) or f"none: paper {paper!r} declares no experiments"
        raise ParameterError("experiment", f"got {name!r}", f"one of {names}", nearest(name, known))
    return known[name]


def chapter(name: str) -> tuple[str, ModuleType]:
    """Slug and ``chapter`` module of the chapter called by slug, number or notebook name.

    ``chapter("batched")``, ``chapter("3")`` and ``chapter("ch3_batched")`` are the same chapter.

    Raises
    ------
    ParameterError
        if there is no such chapter
    """
    aliases: dict[str, tuple[str, ModuleType]] = {}
    notebooks = []
    for slug in slugs():
        declared = module(slug, "chapter")
        if declared is None:
            continue
        notebook = str(declared.NOTEBOOK)
        notebooks.append(notebook)
        aliases[slug] = aliases[notebook] = (slug, declared)
        number = re.match(r"ch(\d+)_", notebook)
        if number:
            aliases[number.group(1)] = (slug, declared)
    if name not in aliases:
        names = ", ".join(sorted(notebooks)) or "none: no chapter is installed"
        raise ParameterError("chapter", f"got {name!r}", f"one of {names}", nearest(name, aliases))
    return aliases[name]
