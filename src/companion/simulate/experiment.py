"""What the command line and the chapters know about an experiment: its methods, parameters and how to run a trial."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from companion.errors import ParameterError, nearest, whole_number
from companion.profiles import ParameterSet
from companion.simulate.loop import Trajectory


@dataclass(frozen=True)
class Method:
    """A method that an experiment compares."""

    name: str
    summary: str


@dataclass(frozen=True)
class Experiment:
    """One experiment of one paper.

    Parameters
    ----------
    paper : slug of the paper's package, e.g. ``batched``
    name : name on the command line, e.g. ``appendix-e``
    summary : one sentence
    methods : what can be run, in the order of tables
    parameters : everything adjustable; defaults are the paper's setting unless their source says otherwise
    trial : ``trial(method, seed, parameters) -> Trajectory`` with resolved parameters. The seed alone decides about
        the problem and the noise, so that methods run at one seed share both.
    source : where the paper describes it

    Raises
    ------
    ParameterError
        if two methods share a name
    """

    paper: str
    name: str
    summary: str
    methods: tuple[Method, ...]
    parameters: ParameterSet
    trial: Callable[[str, int, dict[str, Any]], Trajectory]
    source: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "methods", tuple(self.methods))
        if len(set(self.method_names)) < len(self.methods):
            raise ParameterError("methods", f"a name occurs twice in {', '.join(self.method_names)}")

    @property
    def method_names(self) -> tuple[str, ...]:
        """Names of the methods, in order."""
        return tuple(method.name for method in self.methods)

    def run(self, method: str, seed: int, values: Mapping[str, object] | None = None) -> Trajectory:
        """One seeded trial, with every argument checked before any work.

        Returns
        -------
        Trajectory
            whose ``meta`` has paper, experiment, method, seed, parameters (all of them) and source, besides what the
            trial itself recorded

        Raises
        ------
        ParameterError
            for an unknown method, a seed that is not a non-negative integer, or a refused parameter
        """
        if method not in self.method_names:
            known = ", ".join(self.method_names)
            raise ParameterError("method", f"got {method!r}", f"one of {known}", nearest(method, self.method_names))
        whole_number("seed", seed, 0, 2**63 - 1)
        parameters = self.parameters.resolve(values or {})
        trajectory = self.trial(method, int(seed), parameters)
        return trajectory.with_meta(
            paper=self.paper,
            experiment=self.name,
            method=method,
            seed=int(seed),
            parameters=parameters,
            source=self.source,
        )

    def describe(self) -> dict[str, Any]:
        """JSON record: paper, experiment, summary, source, methods, parameters."""
        return {
            "paper": self.paper,
            "experiment": self.name,
            "summary": self.summary,
            "source": self.source,
            "methods": list(self.method_names),
            "method_summaries": {method.name: method.summary for method in self.methods},
            "parameters": self.parameters.describe(),
        }
