"""The papers. Each is one package ``companion.papers.<slug>``; what it offers is discovered, not listed.

A paper has ``NUMBER``, that of its chapter, and the rooms of :data:`ROOMS`. ``plan.experiments`` has ``EXPERIMENTS``, a
sequence of :class:`~companion.simulate.Experiment`, and ``plan.store`` has ``stored_runs``, which declares the runs behind
the stored tables; the modules of ``statements`` and ``leads`` declare :class:`~companion.checks.statement.Statement` and
:class:`~companion.checks.lead.Lead`, and the inventories in ``data/reported`` say where each stands; ``claims.verdicts`` has
``VERDICTS``, the :class:`~companion.reproduce.claims.Verdicts` on what is reported; and ``parameters`` has ``CHAPTER``, a
:class:`~companion.profiles.ParameterSet` that mirrors the notebook's parameters cell.

A chapter that compares papers is one of :data:`ABOVE`, a package beside this one, which may import several papers and has what it
needs of the same rooms. It is found by its name. Asked for by name it answers like a paper; asked for all, only papers do.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, fields
from types import ModuleType
from typing import TYPE_CHECKING, Any

from companion.errors import CompanionError, ParameterError, nearest
from companion.files import reported_folder

if TYPE_CHECKING:
    from companion.checks.lead import Lead
    from companion.checks.statement import Statement
    from companion.policies import Optimiser, Session
    from companion.profiles import ParameterSet
    from companion.reproduce.runs import StoredRuns
    from companion.simulate import Experiment
    from companion.simulate.replicate import Workers
    from companion.simulate.store import Task

#: The rooms of a paper from the ground up: a module imports from its own room and from those before it.
ROOMS = (
    "problems",  # objectives, domains, optima, data
    "method",  # the algorithm, its model, its rivals
    "theory",  # bounds, the proof as a chain of numbers, simulated runs in the theory's setting
    "parameters",  # what may be set, in experiments and in the notebook
    "plan",  # experiments, and which of their runs are stored
    "statements",  # what the paper states, checked
    "claims",  # what it says of its experiments, judged on the stored runs
    "studies",  # what a page computes
    "leads",  # suspected errors, tested
    "figures",  # what it draws that report.charts has not
)

#: Packages of chapters about several papers, ``companion.<name>`` on a floor above this one: the names of their notebooks.
ABOVE: Mapping[str, str] = {"across": "side_by_side"}


def slugs() -> tuple[str, ...]:
    """Names of the papers' packages, sorted."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg))


def chapters() -> tuple[str, ...]:
    """All that has a chapter: the papers, then what stands above them, if there are any."""
    found = slugs()
    return (*found, *(ABOVE if found else ()))


def in_file(name: str) -> str:
    """Slug of the chapter whose notebook is ``ch<number>_<name>``."""
    return next((slug for slug, notebook in ABOVE.items() if notebook == name), name)


def declares(slug: str, name: str) -> bool:
    """Whether a paper, or a chapter above, has a module ``name``, or a room of that kind."""
    return slug in chapters() and (_has(slug, name) or _single(slug, name) is not None)


def package(slug: str) -> str:
    """Dotted name of a chapter's package.

    Examples
    --------
    >>> package("batched"), package("across")
    ('companion.papers.batched', 'companion.across')
    """
    return f"{__name__.rpartition('.')[0]}.{slug}" if slug in ABOVE else f"{__name__}.{slug}"


def slug_of(name: str) -> str:
    """Slug of the chapter that is called by its slug, its number (``3``, ``ch3``) or its notebook (``ch3_batched``).

    Raises
    ------
    ParameterError
        if no chapter is called so
    """
    known = chapters()
    if name in known:
        return name
    # Only where it can be a chapter: looking at every paper's number imports every paper.
    chapter = re.fullmatch(r"(?:ch)?([0-9]+)(?:_([a-z0-9_]+))?", name)
    for slug in known if chapter else ():
        number = getattr(importlib.import_module(package(slug)), "NUMBER", None)
        if chapter and str(number) == chapter[1] and (chapter[2] is None or in_file(chapter[2]) == slug):
            return slug
    raise _unknown("paper", name, known, "no paper is installed")


#: What others ask of a room, where it stands in a room of several modules.
ASKED = {"plan.experiments": "EXPERIMENTS", "plan.store": "stored_runs", "claims.verdicts": "VERDICTS"}


def module(slug: str, name: str) -> ModuleType | None:
    """Module ``companion.papers.<slug>.<name>``, or ``None`` when the paper (or chapter above) has no such module.

    Of a room that is a single module, this is the room, if it has what :data:`ASKED` names.
    """
    return importlib.import_module(f"{package(slug)}.{name}") if _has(slug, name) else _single(slug, name)


def _single(slug: str, name: str) -> ModuleType | None:
    """The room of what is asked for, where it is a single module that has it."""
    room = name.partition(".")[0]
    if name not in ASKED or not _has(slug, room):
        return None
    whole = importlib.import_module(f"{package(slug)}.{room}")
    return whole if not hasattr(whole, "__path__") and hasattr(whole, ASKED[name]) else None


def _has(slug: str, name: str) -> bool:
    """Whether the paper has such a module; its room may be lacking as well."""
    try:
        return importlib.util.find_spec(f"{package(slug)}.{name}") is not None
    except ModuleNotFoundError:
        return False


def experiments(paper: str | None = None) -> dict[tuple[str, str], Experiment]:
    """Experiments by (paper, name), of all papers, or of one paper or chapter above; by paper and in its own order.

    Raises
    ------
    ParameterError
        if there is no such paper
    CompanionError
        if a paper declares an experiment under another paper's name, or one name twice
    """
    if paper is not None and paper not in chapters():
        raise _unknown("paper", paper, chapters(), "no paper is installed")
    found: dict[tuple[str, str], Experiment] = {}
    for slug in slugs() if paper is None else (paper,):
        declared = getattr(module(slug, "plan.experiments"), "EXPERIMENTS", ())
        for experiment in declared:
            key = (experiment.paper, experiment.name)
            if experiment.paper != slug or key in found:
                raise CompanionError(f"{package(slug)}.plan.experiments declares {'/'.join(key)} wrongly or twice")
            found[key] = experiment
    return found


def experiment(paper: str, name: str) -> Experiment:
    """One experiment; :class:`ParameterError` with the nearest known name when there is none."""
    known = {key[1]: value for key, value in experiments(paper).items()}
    if name not in known:
        raise _unknown("experiment", name, known, f"paper {paper!r} declares none")
    return known[name]


def check_memory(tasks: Sequence[Task], how: Workers | None = None) -> None:
    """Refuse runs that need more memory than is free, as many at a time as there are workers here.

    Raises
    ------
    ParameterError
        naming the sizes, what they need, and what is there
    """
    from companion.simulate.needs import check_need
    from companion.simulate.replicate import spread

    if how is not None and how.scheduler:
        return  # the workers are other machines
    together = 1 if how is None else spread(how, len(tasks)).jobs
    seen: set[tuple[str, str, int]] = set()
    for task in tasks:
        # Seeds of one setting share their parameters.
        key = (task.experiment, task.method, id(task.parameters))
        paper, _, name = task.experiment.partition("/")
        room = None if key in seen else module(paper, "plan.memory")
        seen.add(key)
        if room is not None:
            check_need(room.need(name, task.method, task.parameters), task.parameters, together)


def optimisers() -> dict[str, type[Optimiser]]:
    """Methods that can be started on a problem of your own, by name: the shared baselines, then those of every paper.

    Examples
    --------
    >>> sorted(optimisers())[:3]
    ['bpe', 'bucb', 'compressed']
    """
    from companion.policies.optimisers import OPTIMISERS

    rooms = [module(slug, "method.optimiser") for slug in slugs()]
    declared = [kind for room in rooms for kind in getattr(room, "OPTIMISERS", ())]
    found = {kind.name: kind for kind in (*OPTIMISERS, *declared)}
    if len(found) < len(OPTIMISERS) + len(declared):
        raise CompanionError("two methods that can be started on a problem have the same name")
    return found


def for_problem(method: str, problem: Any, *, seed: int, **settings: Any) -> Session:
    """Start a method by name on a problem of your own.

    Parameters
    ----------
    method : one of :func:`optimisers`
    problem : :class:`~companion.problems.Candidates`, :class:`~companion.problems.Box`, or the paper's own kind of problem
    seed : of everything random
    settings : fields of the method's class, e.g. ``horizon``

    Raises
    ------
    ParameterError
        for an unknown method or setting, a problem of the wrong kind, or what the method refuses

    Examples
    --------
    >>> import numpy as np
    >>> from companion.gp import Matern
    >>> from companion.problems import Candidates
    >>> problem = Candidates(np.linspace(0, 1, 5), Matern(2.5, 0.3), noise_sd=0.1)
    >>> for_problem("bpe", problem, seed=0, horizon=12).ask()
    array([0, 4, 2, 1])
    """
    known = optimisers()
    if method not in known:
        raise _unknown("method", method, known, "no paper offers a method")
    names = [field.name for field in fields(known[method])]  # type: ignore[arg-type]
    for name in settings:
        if name not in names:
            raise _unknown(name, name, names, "the method has no settings")
    lacking = [name for name in names if name not in settings and not _has_default(known[method], name)]
    if lacking:
        raise ParameterError(lacking[0], f"is missing, and {method} needs it")
    return known[method](**settings).for_problem(problem, seed=seed)


def _has_default(kind: type, name: str) -> bool:
    found = next(field for field in fields(kind) if field.name == name)
    return found.default is not MISSING or found.default_factory is not MISSING


def having(name: str, paper: str | None = None) -> tuple[str, ...]:
    """Papers that have a module ``name``: all of them, or the given paper or chapter above.

    Raises
    ------
    ParameterError
        if there is no such paper, or the given one lacks the module
    """
    asked = slugs() if paper is None else chapters()
    known = tuple(slug for slug in asked if declares(slug, name))
    if paper is None:
        return known
    if paper not in known:
        raise _unknown("paper", paper, known, f"no paper declares {name}")
    return (paper,)


def statements(paper: str) -> tuple[Statement, ...]:
    """The paper's statements, in the order of its inventory.

    Raises
    ------
    ParameterError
        if there is no such paper or it declares none
    CompanionError
        if declarations and inventory do not fit together, or a statement rests on one that is not there
    """
    # Checks need SciPy's statistics, which take longer to load than all of ``companion list``.
    from companion.checks.inventory import STATEMENTS, collect
    from companion.checks.statement import Statement

    having("statements", paper)
    room = module(paper, "statements")
    assert room is not None  # having() has found it
    declared = collect(room, Statement, reported_folder(paper) / STATEMENTS)
    known = {statement.id for statement in declared}
    for statement in declared:
        lacking = [other for other in statement.depends if other not in known]
        if lacking:
            raise CompanionError(f"{statement.id} of {paper} rests on {', '.join(lacking)}, which is not declared")
    return declared


def leads(paper: str) -> tuple[Lead, ...]:
    """The paper's suspected errors, in the order of their inventory; errors as of :func:`statements`."""
    from companion.checks.inventory import LEADS, collect
    from companion.checks.lead import Lead

    having("leads", paper)
    room = module(paper, "leads")
    assert room is not None  # having() has found it
    return collect(room, Lead, reported_folder(paper) / LEADS)


def stored_runs(paper: str) -> StoredRuns:
    """The runs behind the paper's stored tables; :class:`ParameterError` if there is no such paper or it stores none."""
    having("plan.store", paper)
    declared = module(paper, "plan.store")
    assert declared is not None  # having() has found it
    found: StoredRuns = declared.stored_runs()
    return found


def every_set(paper: str) -> tuple[StoredRuns, ...]:
    """All sets of runs that ``make paper`` computes, on the data found here; errors as of :func:`stored_runs`."""
    having("plan.store", paper)
    several = getattr(module(paper, "plan.store"), "every_set", None)
    return (stored_runs(paper),) if several is None else several()


def compared_sets(paper: str) -> tuple[StoredRuns, ...]:
    """All stored sets whose digits are compared: the runs, and tables made in parts; errors as of :func:`stored_runs`."""
    tables = module(paper, "plan.tables") if declares(paper, "plan.tables") else None
    runs = () if tables is not None and not declares(paper, "plan.store") else (stored_runs(paper),)
    return runs if tables is None else (*runs, *tables.table_sets())


def chapter_parameters(paper: str) -> ParameterSet:
    """What a reader may change in the paper's chapter.

    Raises
    ------
    ParameterError
        if there is no such paper or it declares no chapter
    """
    known = chapters()
    declared = module(paper, "parameters") if paper in known else None
    if declared is None:
        raise _unknown(
            "chapter", paper, [slug for slug in known if module(slug, "parameters")], "no chapter is declared"
        )
    return declared.CHAPTER


def _unknown(argument: str, name: str, known: Iterable[str], otherwise: str) -> ParameterError:
    names = list(known)
    if not names:
        return ParameterError(argument, f"got {name!r}, but {otherwise}")
    return ParameterError(argument, f"got {name!r}", f"one of {', '.join(names)}", nearest(name, names))
