"""An experiment for the command line and the chapters: its methods, parameters and trials."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Generic, Protocol, TypeVar

from companion.core.errors import ParameterError, nearest, whole_number
from companion.core.parameters import ParameterSet
from companion.problems.datasets import DataUsed
from companion.simulate.loop import Trajectory
from companion.simulate.task_store import Task


@dataclass(frozen=True)
class Method:
    """A method that an experiment compares."""

    name: str
    summary: str


class Setup(Protocol):
    """One run, ready to start: its world (problem, noise, design, streams) and its policy, apart.

    What a paper gives is a frozen dataclass. ``dataclasses.replace(setup, policy=mine).run()`` lets another policy play in
    the same world, with the same function, noise and contexts as the paper's methods at this seed.
    """

    @property
    def policy(self) -> Any:
        """Fresh; asked and told by :meth:`run`."""
        ...

    def run(self) -> Trajectory:
        """Let the policy play; once, since a policy remembers."""
        ...


#: What an experiment sets up.
S = TypeVar("S", bound=Setup)


@dataclass(frozen=True)
class Experiment(Generic[S]):
    """One experiment of one paper.

    Parameters
    ----------
    paper : slug of the paper's package, e.g. ``batched``
    name : name on the command line, e.g. ``appendix-e``
    summary : one sentence
    methods : what can be run, in the order of tables
    parameters : everything adjustable; defaults are the paper's setting unless their source says otherwise
    setup : ``setup(method, seed, parameters)`` with parameters of the declared kind: world and fresh policy. The seed alone
        decides about the world, so that methods run at one seed share it.
    source : where the paper describes it
    data : ``data(parameters)``, which data a run with these parameters uses; ``None`` for an experiment that uses none
    version : ``version(method, parameters)``, the version of the numbers that such a run gives, from 1. Whoever changes
        the numbers takes the next one, and stored runs of the version before are not used any more.

    Raises
    ------
    ParameterError
        if two methods share a name

    Examples
    --------
    >>> import companion as cp
    >>> from companion.core.parameters import Parameter, ParameterSet
    >>> from companion.simulate import Experiment, Method, PlainSetup
    >>> def setup(method, seed, parameters):
    ...     points, kernel = cp.grid(20, dim=1), cp.Matern(2.5, 0.2)
    ...     values = cp.gp_draw(kernel, points, cp.stream(seed, "f"))
    ...     problem = cp.FiniteProblem("line", points, values, noise_sd=0.1, source="a draw of the prior")
    ...     policy = cp.GPUCB(kernel(points), noise_variance=0.01, width=2.0)
    ...     return PlainSetup(problem, policy, 0.1 * cp.stream(seed, "noise").standard_normal(parameters["horizon"]))
    >>> experiment = Experiment(
    ...     paper="mine",
    ...     name="line",
    ...     summary="GP-UCB on a line.",
    ...     methods=(Method("gp-ucb", "largest upper confidence bound"),),
    ...     parameters=ParameterSet([Parameter("horizon", "int", 10, "evaluations", "ours", low=1)]),
    ...     setup=setup,
    ...     source="ours",
    ... )
    >>> run = experiment.run("gp-ucb", seed=0, values={"horizon": 5})
    >>> len(run), run.meta["parameters"]
    (5, {'horizon': 5})
    >>> type(experiment.ready("gp-ucb", seed=0)).__name__, experiment.data_used()
    ('PlainSetup', None)
    >>> [task.label for task in experiment.tasks(["gp-ucb"], seeds=[0, 1])]
    ['mine/line gp-ucb seed 0 (horizon=10)', 'mine/line gp-ucb seed 1 (horizon=10)']
    >>> experiment.check_method("gp-ucb"), experiment.describe()["methods"]
    (None, ['gp-ucb'])
    """

    paper: str
    name: str
    summary: str
    methods: tuple[Method, ...]
    parameters: ParameterSet
    setup: Callable[[str, int, Any], S]
    source: str
    data: Callable[[Any], DataUsed] | None = None
    version: Callable[[str, Any], int] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "methods", tuple(self.methods))
        if len(set(self.method_names)) < len(self.methods):
            raise ParameterError("methods", f"a name occurs twice in {', '.join(self.method_names)}")

    def __repr__(self) -> str:
        names = ", ".join(self.method_names[:6]) + f" and {len(self.methods) - 6} more" * (len(self.methods) > 6)
        return f"{self.paper}/{self.name}: {names}; parameters: {len(self.parameters.names)}"

    @property
    def method_names(self) -> tuple[str, ...]:
        """Names of the methods, in order."""
        return tuple(method.name for method in self.methods)

    def check_method(self, method: str) -> None:
        """Refuse what is none of the methods."""
        if method not in self.method_names:
            known = ", ".join(self.method_names)
            raise ParameterError("method", f"got {method!r}", f"one of {known}", nearest(method, self.method_names))

    def ready(self, method: str, seed: int, values: Any = None) -> S:
        """World and policy of one seeded trial, with every argument checked before any work; as :meth:`run`."""
        return self._ready(method, seed, self.parameters.typed(values or {}))

    def _ready(self, method: str, seed: int, parameters: Any) -> S:
        self.check_method(method)
        return self.setup(method, whole_number("seed", seed, 0, 2**63 - 1), parameters)

    def run(self, method: str, seed: int, values: Any = None) -> Trajectory:
        """One seeded trial, with every argument checked before any work.

        Parameters
        ----------
        method, seed : of the trial
        values : parameters by name, or all of them as an object that ``parameters.typed`` gave, which has been checked

        Returns
        -------
        Trajectory
            whose ``meta`` has paper, experiment, method, seed, parameters (all of them), source and, where the experiment
            uses data, ``data_used``, besides what the trial itself recorded

        Raises
        ------
        ParameterError
            for an unknown method, a seed that is not a non-negative integer, or a refused parameter
        """
        parameters = self.parameters.typed(values or {})
        trajectory = self._ready(method, seed, parameters).run()
        used = self.data_used(parameters)
        return trajectory.with_meta(
            **({} if used is None else {"data_used": asdict(used)}),
            paper=self.paper,
            experiment=self.name,
            method=method,
            seed=int(seed),
            parameters=self.parameters.plain(parameters),
            source=self.source,
        )

    def data_used(self, values: Any = None) -> DataUsed | None:
        """Data used by a run with these parameters on this machine; ``None`` if the experiment uses none."""
        return None if self.data is None else self.data(self.parameters.typed(values or {}))

    def tasks(
        self,
        methods: Iterable[str],
        seeds: Iterable[int],
        values: Any = None,
        labels: Mapping[str, Any] | None = None,
    ) -> list[Task]:
        """Runs as units of work that can be stored, all methods of one seed together.

        Parameters
        ----------
        methods, seeds, values : as for :meth:`run`
        labels : further parameters of the tasks, which :meth:`run` does not know; they stand first
        """
        parameters = self.parameters.typed(values or {})
        used = self.data_used(parameters)
        data = "" if used is None else used.label
        versions = {name: 1 if self.version is None else self.version(name, parameters) for name in methods}
        shown = {**(labels or {}), **self.parameters.plain(parameters)}
        name = f"{self.paper}/{self.name}"
        return [
            Task(name, method, shown, int(seed), versions[method], data, parameters)
            for seed in seeds
            for method in versions
        ]

    def describe(self) -> dict[str, Any]:
        """JSON record: paper, experiment, summary, source, methods, parameters, data used with the defaults."""
        used = self.data_used()
        return {
            "paper": self.paper,
            "experiment": self.name,
            "summary": self.summary,
            "source": self.source,
            "methods": list(self.method_names),
            "method_summaries": {method.name: method.summary for method in self.methods},
            "parameters": self.parameters.describe(),
            "data": None if used is None else asdict(used),
        }
