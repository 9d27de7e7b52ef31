"""The papers. Each is one package ``companion.papers.<slug>``; what it offers is discovered, not listed.

A paper's module ``experiments`` has ``EXPERIMENTS``, a sequence of :class:`~companion.simulate.Experiment`; its module
``chapter`` has ``PARAMETERS``, a :class:`~companion.profiles.ParameterSet` that mirrors its notebook's parameters cell.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from collections.abc import Iterable
from types import ModuleType
from typing import TYPE_CHECKING

from companion.errors import CompanionError, ParameterError, nearest

if TYPE_CHECKING:
    from companion.profiles import ParameterSet
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
        raise _unknown("paper", paper, known, "no paper is installed")
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
        raise _unknown("experiment", name, known, f"paper {paper!r} declares none")
    return known[name]


def chapter_parameters(paper: str) -> ParameterSet:
    """What a reader may change in the paper's chapter.

    Raises
    ------
    ParameterError
        if there is no such paper or it declares no chapter
    """
    known = slugs()
    declared = module(paper, "chapter") if paper in known else None
    if declared is None:
        raise _unknown("chapter", paper, [slug for slug in known if module(slug, "chapter")], "no chapter is declared")
    return declared.PARAMETERS


def _unknown(argument: str, name: str, known: Iterable[str], otherwise: str) -> ParameterError:
    names = list(known)
    if not names:
        return ParameterError(argument, f"got {name!r}, but {otherwise}")
    return ParameterError(argument, f"got {name!r}", f"one of {', '.join(names)}", nearest(name, names))
