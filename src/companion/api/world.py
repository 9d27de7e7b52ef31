"""Set-up that a policy of one's own receives from an experiment: the same names for every paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from companion.core.arrays import Floats
from companion.gp.matrix import KernelMatrix


@dataclass(frozen=True, eq=False)
class World:
    """The problem of a run, and how the paper models it.

    Parameters
    ----------
    problem : on candidates (:class:`~companion.problems.FiniteProblem`, with ``points`` (N, d)), or as the experiment has it
    noise_sd : standard deviation of the noise, in the units of f
    covariance : (N, N) prior covariance of the candidates, or a :class:`~companion.gp.KernelMatrix`; ``None`` without candidates

    Examples
    --------
    >>> import companion as cp
    >>> from companion.api.world import Ready
    >>> Ready(cp.experiment("tsrsr", "theory").ready("bucb", seed=0)).world.covariance.shape
    (25, 25)
    """

    problem: Any
    noise_sd: float
    covariance: Floats | KernelMatrix | None

    def __repr__(self) -> str:
        size = "" if self.covariance is None else f", {self.covariance.shape[0]} candidates"
        return f"World({type(self.problem).__name__} {self.problem.name!r}{size}, noise_sd={self.noise_sd:g})"


class Ready:
    """A set-up as ``make(setup, seed)`` receives it: all that the paper's own has, and its :class:`World`."""

    def __init__(self, setup: Any) -> None:
        inner = next((getattr(setup, name) for name in ("modelled", "chapter") if hasattr(setup, name)), setup)
        # A policy on candidates has the prior, if nothing else has.
        posterior = getattr(getattr(setup.policy, "_band", setup.policy), "_posterior", None)
        covariance = getattr(inner, "covariance", getattr(posterior, "_prior", None))
        self._setup, self.world = setup, World(inner.problem, inner.problem.noise_sd, covariance)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._setup, name)

    def __repr__(self) -> str:
        return f"{self.world!r}, {type(self.policy).__name__}"
