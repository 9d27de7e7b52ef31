"""Registry of the papers. Each is one package ``companion.papers.<slug>``, whose ``PAPER`` declares its parts.

Papers are found by their folders and listed nowhere. A chapter that compares papers is one of :data:`CROSS_PAPER`: a package
beside theirs with the same rooms, which may import several papers. By name it answers like a paper; it is not among all papers.
An unknown paper, or a part that a paper lacks, is a :class:`~companion.core.errors.ParameterError` with the known ones.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import MISSING, fields
from inspect import signature
from typing import TYPE_CHECKING, Any

from companion.core.errors import CompanionError, ParameterError, nearest
from companion.core.files import reported_folder

if TYPE_CHECKING:
    from companion.checks.statement import Statement
    from companion.checks.suspected_error import SuspectedError
    from companion.core.parameters import ParameterSet
    from companion.policies import Optimiser, Session
    from companion.registry.paper import Lazy, Paper, Part
    from companion.simulate import Experiment
    from companion.simulate.replicate import Workers
    from companion.simulate.task_store import Task
    from companion.stored.runs import PaperRuns

#: The rooms of a paper from the ground up: a module imports from its own room and from those before it.
ROOMS = (
    "problems",  # objectives, domains, optima, data
    "method",  # the algorithm, its model, its rivals
    "theory",  # bounds, the proof as a chain of numbers, simulated runs in the theory's setting
    "experiments",  # what may be set, what is run and stored, and the paper's claims on it, judged
    "checks",  # what the paper states and what is suspected to be wrong, each decided by a computation
    "page",  # what a page computes and draws
)

#: The package of which each paper is one.
PAPERS = "companion.papers"

#: What the notebook of a chapter's second page, its record, adds to the name of the first.
RECORD = "_record"

#: Chapters about several papers: packages beside the papers' own, which may import these.
CROSS_PAPER = ("across",)


def slugs() -> tuple[str, ...]:
    """Names of the papers' packages, sorted.

    Examples
    --------
    >>> from companion import registry
    >>> "batched" in registry.slugs()
    True
    """
    return tuple(name for name in _packages() if name not in CROSS_PAPER)


def chapters() -> tuple[str, ...]:
    """All that has a chapter: the papers, then what stands above them, if there are any.

    Examples
    --------
    >>> from companion import registry
    >>> set(registry.slugs()) < set(registry.chapters())
    True
    """
    return tuple(sorted(_packages(), key=CROSS_PAPER.__contains__))


def _packages() -> list[str]:
    return sorted(
        module.name for module in pkgutil.iter_modules(importlib.import_module(PAPERS).__path__) if module.ispkg
    )


def get(slug: str) -> Paper:
    """Declaration of a paper, or of the chapter across papers.

    Examples
    --------
    >>> get("batched").number, get("across").notebook
    (3, 'side_by_side')
    """
    if slug not in chapters():
        raise _unknown("paper", slug, chapters(), "no paper is installed")
    found: Paper = importlib.import_module(f"{PAPERS}.{slug}").PAPER
    return found


def is_draft(slug: str | None) -> bool:
    """Whether this is a chapter that may still lack what every chapter must have."""
    return slug in chapters() and get(str(slug)).draft


def slug_of_page(name: str) -> str:
    """Slug of the chapter one of whose notebooks is ``ch<number>_<name>``."""
    name = name.removesuffix(RECORD)
    return next((slug for slug in chapters() if get(slug).notebook == name), name)


def slug_of(name: str) -> str:
    """Slug of the chapter that is called by its slug, its number (``3``, ``ch3``) or a notebook of it (``ch3_batched``).

    Letters may be small or capital, and words of the paper's title will do where no other paper has them.

    Examples
    --------
    >>> from companion import registry
    >>> registry.slug_of("3"), registry.slug_of("ch3"), registry.slug_of("TS-RSR"), registry.slug_of("Wasserstein")
    ('batched', 'batched', 'tsrsr', 'wdrbo')
    """
    known = chapters()
    if name in known:
        return name
    if called := re.fullmatch(r"(?:ch)?([0-9]+)(?:_([a-z0-9_]+))?", name):
        for slug in known:
            if str(get(slug).number) == called[1] and (called[2] is None or slug_of_page(called[2]) == slug):
                return slug
    letters, words = re.sub(r"[\W_]", "", name).lower(), {*re.findall(r"[a-z]{4,}", "" if called else name.lower())}
    found = [slug for slug in known if letters == slug]
    found = found or [s for s in slugs() if words and words <= {*re.findall("[a-z]+", get(s).title.lower())}]
    if len(found) == 1:
        return found[0]
    raise _unknown("paper", name, known, "no paper is installed")


def declares(slug: str, name: Part) -> bool:
    """Whether there is such a paper, or chapter above, and it has the part.

    Examples
    --------
    >>> from companion import registry
    >>> registry.declares("batched", "bounds"), registry.declares("nobody", "bounds")
    (True, False)
    """
    return slug in chapters() and getattr(get(slug), name) is not None


def declaring(name: Part, paper: str | None = None) -> tuple[str, ...]:
    """Papers that have a part: all of them, or the given paper or chapter above.

    Examples
    --------
    >>> from companion import registry
    >>> "batched" in registry.declaring("optimisers"), registry.declaring("bounds", "batched")
    (True, ('batched',))
    """
    known = tuple(slug for slug in (slugs() if paper is None else chapters()) if declares(slug, name))
    if paper is not None and paper not in known:
        raise _unknown("paper", paper, known, f"no paper declares {name}")
    return known if paper is None else (paper,)


def part(paper: str, name: Part) -> Lazy[Any]:
    """A part of a paper, or of the chapter across papers, and its place."""
    declaring(name, paper)
    found: Lazy[Any] = getattr(get(paper), name)
    return found


def experiments(paper: str | None = None) -> dict[tuple[str, str], Experiment[Any]]:
    """Experiments by (paper, name), of all papers, or of one paper or chapter above; by paper and in its own order.

    Raises
    ------
    CompanionError
        if a paper declares an experiment under another paper's name, or one name twice

    Examples
    --------
    >>> from companion import registry
    >>> [name for _, name in registry.experiments("batched")]
    ['appendix-e', 'known-norm', 'robust', 'hard-class']
    """
    found: dict[tuple[str, str], Experiment[Any]] = {}
    for slug in slugs() if paper is None else (paper,):
        if (declared := get(slug).experiments) is None:
            continue
        for experiment in declared.value:
            key = (experiment.paper, experiment.name)
            if experiment.paper != slug or key in found:
                raise CompanionError(f"{declared.place.partition(':')[0]} declares {'/'.join(key)} wrongly or twice")
            found[key] = experiment
    return found


def experiment(paper: str, name: str) -> Experiment[Any]:
    """One experiment; :class:`ParameterError` with the nearest known name when there is none.

    Examples
    --------
    >>> from companion import registry
    >>> registry.experiment("batched", "appendix-e").method_names
    ('bpe',)
    """
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
    from companion.core.memory import check_need
    from companion.simulate.replicate import spread

    if how is not None and how.scheduler:
        return  # the workers are other machines
    together = 1 if how is None else spread(how, len(tasks)).jobs
    # Seeds of one setting share their parameters.
    for task in {(task.experiment, task.method, id(task.parameters)): task for task in tasks}.values():
        paper, _, name = task.experiment.partition("/")
        if paper in chapters() and (need := get(paper).need) is not None:
            check_need(need.value(name, task.method, task.values), task.parameters, together)


def startable(problem: Any) -> dict[str, type[Optimiser]]:
    """Methods that can be started on this very problem, by name; the robust ones where it has neighbours."""
    displaced = getattr(problem, "neighbours", None) is not None
    fitting = (kind for kind in _kinds() if isinstance(problem, kind.problem_type))
    return {kind.name: kind for kind in fitting if displaced or not kind.robust}


def _kinds() -> list[type[Optimiser]]:
    """Methods that can be started: the shared baselines, then those of every paper."""
    from companion.policies.optimisers import OPTIMISERS

    return [*OPTIMISERS, *(kind for slug in declaring("optimisers") for kind in part(slug, "optimisers").value)]


class Methods(dict[str, Any]):
    """Classes of methods by name; printing it shows the settings of each, and the problems that it takes."""

    def __repr__(self) -> str:
        return f"<{len(self)} methods: {', '.join(self)}>"

    def __str__(self) -> str:
        lines = []
        for kind in _kinds():
            settings = (str(one.replace(annotation=one.empty)) for one in signature(kind).parameters.values())
            problems = " or ".join(one.__name__ for one in kind.problem_type)
            lines.append(f"{kind.name} on {problems}: {', '.join(settings)}")
        return "\n".join(lines)


def optimisers() -> Methods:
    """Methods that can be started on a problem of your own, by name: a name's first class, where a box has one of its own.

    ``print(cp.optimisers())`` shows the settings of each.

    Examples
    --------
    >>> import companion as cp
    >>> sorted(cp.optimisers())[:3]
    ['bpe', 'bucb', 'compressed']
    """
    found = Methods()
    startable: set[tuple[str, type]] = set()
    for kind in _kinds():
        named = {(kind.name, problem) for problem in kind.problem_type}
        if named & startable:
            raise CompanionError("two methods that can be started on a problem have the same name")
        startable |= named
        found.setdefault(kind.name, kind)
    return found


def for_problem(
    method: str, problem: Any, *, seed: int, minimise: bool = False, standardise: bool = False, **settings: Any
) -> Session:
    """Start a method by name on a problem of your own.

    Parameters
    ----------
    method : one of :func:`optimisers`
    problem : :class:`~companion.problems.Candidates`, :class:`~companion.problems.Box`, or the paper's own kind of problem
    seed : of everything random
    minimise : whether smaller values are better
    standardise : whether the model's mean and variance are those of the values told, see
        :meth:`companion.policies.Optimiser.for_problem`
    settings : fields of the method's class, e.g. ``horizon``, or ``initial``, the size of an initial design where there is one

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
    fitting = (kind for kind in _kinds() if kind.name == method and isinstance(problem, kind.problem_type))
    chosen = next(fitting, known[method])
    named = {field.name: field for field in fields(chosen)}  # type: ignore[arg-type]
    for name in settings:
        if name not in named:
            every = [*named, "minimise", "standardise"]
            near = nearest(name, [other for other in every if other in named or other[:3] == name[:3]])
            raise ParameterError(name, f"got {name!r}", f"one of {', '.join(every)}", near)
    for name, field in named.items():
        if name not in settings and field.default is field.default_factory is MISSING:
            raise ParameterError(name, f"is missing, and {method} needs it")
    return chosen(**settings).for_problem(problem, seed=seed, minimise=minimise, standardise=standardise)


def statements(paper: str, only: Collection[str] | None = None) -> tuple[Statement, ...]:
    """The paper's statements, in the order of its inventory; ``only`` those of some ids, and no module is imported for others.

    Raises
    ------
    CompanionError
        if declarations and inventory do not fit together, or a statement rests on one that is not there

    Examples
    --------
    >>> from companion import registry
    >>> [statement.id for statement in registry.statements("batched")][:2]
    ['setup', 'eq-1']
    """
    # Checks need SciPy's statistics, which take longer to load than all of ``companion list``.
    from companion.checks.inventory import STATEMENTS, collect
    from companion.checks.statement import Statement

    declared = collect(part(paper, "statements").value, Statement, reported_folder(paper) / STATEMENTS, only)
    known = {statement.id for statement in declared}
    for statement in declared if only is None else ():
        lacking = [other for other in statement.depends if other not in known]
        if lacking:
            raise CompanionError(f"{statement.id} of {paper} rests on {', '.join(lacking)}, which is not declared")
    return declared


def leads(paper: str, only: Collection[str] | None = None) -> tuple[SuspectedError, ...]:
    """The paper's suspected errors, in the order of their inventory; ``only`` and errors as of :func:`statements`.

    Examples
    --------
    >>> from companion import registry
    >>> [lead.id for lead in registry.leads("batched")][:2]
    ['E1', 'E2']
    """
    from companion.checks.inventory import LEADS, collect
    from companion.checks.suspected_error import SuspectedError

    return collect(part(paper, "leads").value, SuspectedError, reported_folder(paper) / LEADS, only)


def stored_runs(paper: str) -> PaperRuns[Any]:
    """The runs behind the paper's stored tables.

    Examples
    --------
    >>> from companion import registry
    >>> sorted(registry.stored_runs("batched").tables)
    ['appendix_e', 'appendix_e_repeats', 'appendix_e_ties']
    """
    found: PaperRuns[Any] = part(paper, "stored_runs").value
    return found.of()


def every_set_of_runs(paper: str) -> tuple[PaperRuns[Any], ...]:
    """All sets of runs that ``make paper`` computes, on the data found here."""
    several = get(paper).every_set
    return (stored_runs(paper),) if several is None else several.value()


def compared_sets(paper: str) -> tuple[PaperRuns[Any], ...]:
    """All stored sets whose digits are compared: the runs, further ones of their own record, and tables made in parts."""
    tables = get(paper).table_sets
    runs = (stored_runs(paper),) if tables is None or declares(paper, "stored_runs") else ()
    further = every_set_of_runs(paper) if runs else ()
    names = {one.name for one in runs}
    return (*runs, *(one for one in further if one.name not in names), *(tables.value() if tables else ()))


def chapter_parameters(paper: str) -> ParameterSet:
    """Parameters of the paper's chapter."""
    known = [slug for slug in chapters() if declares(slug, "parameters")]
    if paper not in known:
        raise _unknown("chapter", paper, known, "no chapter is declared")
    found: ParameterSet = part(paper, "parameters").value
    return found


def _unknown(argument: str, name: str, known: Iterable[str], otherwise: str) -> ParameterError:
    names = list(known)
    if not names:
        return ParameterError(argument, f"got {name!r}, but {otherwise}")
    return ParameterError(argument, f"got {name!r}", f"one of {', '.join(names)}", nearest(name, names))
