"""The papers' experiments, and one's own policies in them: one run, many seeds, many settings, kept in a folder or not.

:class:`Experiment` adds to :class:`companion.simulate.Experiment` what needs tables and pictures, as
:class:`~companion.api.trajectory.Trajectory` adds a picture to the run's own class: stored results rest on those of
``simulate``, and are not to rest on how something is drawn.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from companion import registry
from companion.api.runs import Runs
from companion.api.trajectory import Trajectory
from companion.api.world import Ready
from companion.core.errors import ParameterError, ResultError, nearest
from companion.core.optional_libraries import with_advice
from companion.simulate import experiment as base
from companion.simulate.plan import Plan, RunRequest, combinations, parse_seeds, read_plan
from companion.simulate.replicate import parallel_map, workers
from companion.simulate.sweep import TASKS, Shard, progress, run_sweep, run_trial
from companion.simulate.task_store import finished

if TYPE_CHECKING:
    import pandas as pd

#: ``make(setup, seed)``: a fresh policy for one run. ``setup.world`` has ``problem``, ``noise_sd`` and ``covariance``, see
#: :class:`companion.api.world.World`; ``setup`` also has what the paper's own set-up has, ``policy`` its rule. ``seed`` opens
#: streams of one's own.
MakePolicy = Callable[[Any, int], Any]


@dataclass(frozen=True, repr=False)
class Experiment(base.Experiment[Any]):
    """One experiment of one paper, see :class:`companion.simulate.Experiment`; :func:`experiment` gives it.

    Examples
    --------
    >>> import companion as cp
    >>> experiment = cp.experiment("batched", "appendix-e")
    >>> experiment
    batched/appendix-e: bpe; parameters: 13
    >>> runs = experiment.run("bpe", seeds=range(2), horizon=[20, 40], points_per_axis=8)
    >>> runs.trials[["horizon", "seed", "evaluations"]].to_numpy().tolist()
    [[20, 0, 20], [20, 1, 20], [40, 0, 40], [40, 1, 40]]
    """

    @classmethod
    def of(cls, declared: base.Experiment[Any]) -> Experiment:
        """The same experiment."""
        return cls(**vars(declared))

    @overload
    def run(
        self, method: str, seed: int, values: Mapping[str, object] | None = None, **settings: Any
    ) -> Trajectory: ...
    @overload
    def run(
        self,
        method: str | Sequence[str] | Mapping[str, Mapping[str, Any]],
        seed: None = None,
        values: Mapping[str, object] | None = None,
        *,
        seeds: str | Iterable[int],
        jobs: int | None = None,
        folder: str | Path | None = None,
        **settings: Any,
    ) -> Runs: ...
    def run(
        self,
        method: str | Sequence[str] | Mapping[str, Mapping[str, Any]],
        seed: int | None = None,
        values: Mapping[str, object] | None = None,
        *,
        seeds: str | Iterable[int] | None = None,
        jobs: int | None = None,
        folder: str | Path | None = None,
        **settings: Any,
    ) -> Trajectory | Runs:
        """One run, or with ``seeds`` many; everything is checked before any work.

        A budget counts what its paper counts. In chapter 2 ``horizon=100`` are 102 evaluations, as two initial points come
        first, and in chapter 1 most experiments have an initial design of 15; ``trials.evaluations`` says how many a run had.

        Parameters
        ----------
        method : one of :attr:`method_names`; with ``seeds``, several; on a problem of one's own also with settings of their own
        seed : of the one run
        values : parameters by name; those that are not given have their defaults
        seeds : ``range(5)``, a list, or text such as ``"0-4,10"``
        jobs : worker processes, -1 for one a core; one by default. The results are the same
        folder : keeps each finished run; whoever asks again with this folder, here or elsewhere, computes what is missing
        settings : parameters by name, too; with ``seeds``, a list asks for each of its values

        Returns
        -------
        :class:`Trajectory` for one seed, :class:`Runs` for several

        Raises
        ------
        ParameterError
            for an unknown method or parameter, a refused value, or both of ``seed`` and ``seeds``
        TaskError
            if a run fails, naming it; finished ones stay in ``folder``
        """
        given: Any = {**(values or {}), **settings} if settings or not values else values
        if seeds is None:
            if seed is None:
                raise ParameterError("seed", "not given", "seed=0 for one run, or seeds=range(5) for several")
            for name, other in (("jobs", jobs), ("folder", folder)):
                if other is not None:
                    raise ParameterError(name, "is given for one run", "seeds=..., too")
            if not isinstance(method, str):
                raise ParameterError("method", f"got {method!r}", "one name; several go with seeds=...")
            return Trajectory.of(super().run(method, seed, self._checked(method, seed, given)))
        if seed is not None:
            raise ParameterError("seed", "is given beside seeds", "one of the two")
        wanted = {name: _listed(value) for name, value in given.items()}
        plan = self._plan(method, _seeds(seeds), wanted)
        return _run(plan, self._command(method, plan, wanted), jobs, folder)

    def _plan(self, method: Any, seeds: Sequence[int], wanted: Mapping[str, Any]) -> Plan:
        if isinstance(method, Mapping):
            raise ParameterError("method", "is a mapping", "names: a paper's methods share their settings")
        methods = (method,) if isinstance(method, str) else tuple(method)
        return Plan.of([RunRequest(self, methods, seeds, tuple(combinations(wanted, self.parameters)))])

    def with_policy(self, name: str, make: MakePolicy, summary: str = "", version: int = 1) -> Experiment:
        """The experiment with one method more, which plays in the same world: function, noise, contexts.

        It plays every evaluation of a run itself, also those that the paper's methods give to an initial design.

        Parameters
        ----------
        name : of the method; not yet taken
        make : ``make(setup, seed)`` gives a fresh policy for a run, see :data:`MakePolicy`
        summary : one sentence
        version : of the numbers. Runs kept in a folder are named by it and not by your code: who changes ``make`` takes
            the next version

        Raises
        ------
        ParameterError
            if the name is taken

        Examples
        --------
        >>> import companion as cp
        >>> class Middle:
        ...     def __init__(self, setup, seed):
        ...         self.place = len(setup.world.problem.points) // 2
        ...     def ask(self, remaining):
        ...         return cp.Batch.plain(self.place)
        ...     def tell(self, values):
        ...         pass
        ...     def recommend(self):
        ...         return self.place
        ...     def diagnostics(self):
        ...         return {}
        >>> experiment = cp.experiment("batched", "appendix-e").with_policy("middle", Middle)
        >>> experiment.run(["middle", "bpe"], seeds=range(2), horizon=20, points_per_axis=8).methods
        ('middle', 'bpe')
        """
        if name in self.method_names:
            raise ParameterError("name", f"{name!r} is taken", "a name of your own")
        own = base.Method(name, summary or "a policy of one's own")
        setup = self.setup if isinstance(self.setup, _Own) else _Own(self.setup, self.method_names, self.version)
        setup = replace(setup, policies={**setup.policies, name: (make, version)})
        return replace(self, methods=(*self.methods, own), setup=setup, version=setup.version)

    def ready(self, method: str, seed: int, values: Mapping[str, object] | None = None) -> Any:
        """World and policy of one seeded trial, with every argument checked before any work; errors as of :meth:`run`.

        Examples
        --------
        >>> import companion as cp
        >>> setup = cp.experiment("batched", "appendix-e").ready("bpe", seed=0, values={"horizon": 20})
        >>> type(setup.policy).__name__
        'BPE'
        """
        return super().ready(method, seed, self._checked(method, seed, values or {}))

    def _checked(self, method: str, seed: int, given: Mapping[str, object]) -> Any:
        """The parameters; refuse a method that no set-up knows, and sizes that do not fit."""
        setup, own = self._parts
        declared = (
            registry.experiments(self.paper).get((self.paper, self.name)) if self.paper in registry.chapters() else None
        )
        if declared is not None and declared.setup is setup and method in self.method_names:
            # One that was put into the experiment by its name alone is one that nothing can set up.
            known = (*declared.method_names, *own)
            if method not in known:
                problem = f"got {method!r}, which nothing here can set up"
                remedy = nearest(method, known) or "A policy of your own goes in by with_policy(name, make)"
                raise ParameterError("method", problem, f"one of {', '.join(known)}", remedy)
        self.check_method(method)
        parameters = self.parameters.typed(given)
        registry.check_memory(self.tasks((method,), (seed,), parameters))
        return parameters

    @property
    def _parts(self) -> tuple[Callable[[str, int, Any], Any], Mapping[str, tuple[MakePolicy, int]]]:
        """The set-up without policies of the user's, and those."""
        return (self.setup.setup, self.setup.policies) if isinstance(self.setup, _Own) else (self.setup, {})

    @property
    def _call(self) -> str:
        """What gives the experiment, without policies of the user's."""
        return f"cp.experiment({self.paper!r}, {self.name!r})"

    def _command(self, method: Any, plan: Plan, wanted: Mapping[str, Any]) -> str:
        methods = dict(method) if isinstance(method, Mapping) else [method] if isinstance(method, str) else list(method)
        given = "".join(f", {name}={value!r}" for name, value in wanted.items())
        order = list(dict.fromkeys(task.seed for task in plan.tasks))
        seeds = f"{order[0]}-{order[-1]}"
        if order != list(range(order[0], order[-1] + 1)):
            seeds = ",".join(map(str, order))
        policies = self._parts[1].items()
        own = "".join(
            f".with_policy({name!r}, {getattr(make, '__qualname__', repr(make))})" for name, (make, _) in policies
        )
        return f"{self._call}{own}.run({methods!r}, seeds={seeds!r}{given})"


@dataclass(frozen=True)
class _Own:
    """A set-up that also knows policies of the user's, with their versions; a class, as workers have to receive it."""

    setup: Callable[[str, int, Any], Any]
    known: tuple[str, ...]
    versions: Callable[[str, Any], int] | None
    policies: Mapping[str, tuple[MakePolicy, int]] = field(default_factory=dict)

    def __call__(self, method: str, seed: int, parameters: Any) -> Any:
        if method not in self.policies:
            return self.setup(method, seed, parameters)
        # The seed alone decides about the world, so any of the paper's methods sets it up.
        ready = self.setup(self.known[0], seed, parameters)
        if "policy" not in {entry.name for entry in fields(ready)}:
            problem = f"is put where the rules are parts of one simulator ({', '.join(self.known)})"
            raise ParameterError("policy", problem, "a policy in an experiment whose set-up has one of its own")
        return replace(ready, policy=self.policies[method][0](Ready(ready), seed))

    def version(self, method: str, parameters: Any) -> int:
        """Of the numbers of a run."""
        if method in self.policies:
            return self.policies[method][1]
        return 1 if self.versions is None else self.versions(method, parameters)


def _seeds(given: str | Iterable[int]) -> tuple[int, ...]:
    return parse_seeds(given if isinstance(given, str) else ",".join(str(seed) for seed in given))


def _listed(value: Any) -> Any:
    """Lists of any kind as lists, which is what parameters and plans know."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    return list(value) if isinstance(value, tuple | range) else value


def _run(plan: Plan, command: str, jobs: int | None, folder: str | Path | None) -> Runs:
    how = workers(jobs)
    registry.check_memory(plan.tasks, how)
    began = time.monotonic()
    if folder is not None:
        run_sweep(plan, folder, None, how.jobs)
        runs = _stored(plan, Path(folder), command, time.monotonic() - began)
        if len(runs) < len(plan.tasks):
            raise ResultError(_failures(plan, Path(folder)))
        return runs
    work = partial(run_trial, experiments=plan.experiments)
    records = parallel_map(work, plan.tasks, [task.label for task in plan.tasks], how, "runs")
    return Runs(plan, tuple(records), command, time.monotonic() - began)


def _stored(plan: Plan, folder: Path, command: str, seconds: float) -> Runs:
    """Those runs of a plan that are finished."""
    found = finished(plan.tasks, folder / TASKS)
    tasks, records = zip(*found, strict=True) if found else ((), ())
    return Runs(replace(plan, tasks=tasks), records, command, seconds)


def _failures(plan: Plan, folder: Path) -> str:
    cells, failures = progress(plan, folder)
    lacking = sum(cell.missing + cell.failed for cell in cells)
    first = f": {failures[0].task}: {failures[0].error} ({failures[0].where})" if failures else ""
    return f"{lacking} of {len(plan.tasks)} runs failed{first}. The next call tries them again"


def sweep(
    plan: str | Path, folder: str | Path | None = None, *, shard: str | None = None, jobs: int | None = None
) -> Runs:
    """The runs of a plan in a TOML file, each kept as soon as it is finished; what is there already is not computed again.

    ``companion sweep`` does the same, and has ``status`` and ``merge``. Any number of processes may share the folder.

    Parameters
    ----------
    plan : the file, see :mod:`companion.simulate.plan`
    folder : the file's name without its ending by default
    shard : ``"1/4"`` computes one of four parts; the whole by default
    jobs : worker processes, -1 for one a core; one by default

    Returns
    -------
    the runs that are finished, also those of other shards

    Raises
    ------
    ParameterError
        naming the file, the block and what is wrong with it
    ResultError
        if a run of this shard failed, naming the first; the others are kept

    Examples
    --------
    >>> import companion as cp, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "plan.toml")
    >>> _ = path.write_text('''
    ... seeds = "0-1"
    ... [[runs]]
    ... experiment = "batched/appendix-e"
    ... settings = {horizon = [20, 30], points_per_axis = 8}
    ... ''')
    >>> cp.sweep(path)
    4 runs of batched/appendix-e: bpe; 2 seeds
    """
    path = Path(plan)
    asked = read_plan(path, experiment)
    place = path.with_suffix("") if folder is None else Path(folder)
    part = Shard() if shard is None else Shard.parse(shard)
    began = time.monotonic()
    how, mine = workers(jobs), replace(asked, tasks=tuple(task for task in asked.tasks if part.holds(task)))
    registry.check_memory(mine.tasks, how)
    if run_sweep(asked, place, part, how.jobs).failed:
        raise ResultError(_failures(mine, place))
    return _stored(asked, place, f"cp.sweep({str(plan)!r})", time.monotonic() - began)


def experiment(paper: str | int, name: str) -> Experiment:
    """One experiment of a paper.

    Parameters
    ----------
    paper : its slug, or its chapter: ``batched``, ``3``, ``ch3``
    name : as :func:`experiments` lists it

    Raises
    ------
    ParameterError
        with the nearest known name

    Examples
    --------
    >>> import companion as cp
    >>> cp.experiment("tsrsr", "theory").method_names
    ('ts-rsr', 'bucb', 'ucbpe', 'ts', 'dpp-ts', 'random')
    """
    return Experiment.of(registry.experiment(registry.slug_of(str(paper)), name))


@with_advice()
def experiments(paper: str | int | None = None) -> pd.DataFrame:
    """Table of experiments, one a row, of one paper or of all.

    Returns
    -------
    with the columns ``paper``, ``experiment``, ``methods`` (names with commas), ``parameters`` (how many can be set), ``summary``
    and ``source`` (where the paper describes it)

    Raises
    ------
    ParameterError
        if there is no such paper

    Examples
    --------
    >>> import companion as cp
    >>> list(cp.experiments("batched").experiment)
    ['appendix-e', 'known-norm', 'robust', 'hard-class']
    """
    import pandas as pd

    found = registry.experiments(None if paper is None else registry.slug_of(str(paper)))
    return pd.DataFrame(
        {
            "paper": one.paper,
            "experiment": one.name,
            "methods": ", ".join(one.method_names),
            "parameters": len(one.parameters.describe()),
            "summary": one.summary,
            "source": one.source,
        }
        for one in found.values()
    )
