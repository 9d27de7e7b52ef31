"""One run, as a table and as a picture; and a policy let loose on a problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from companion.core.errors import known_as
from companion.core.optional_libraries import with_advice
from companion.core.randomness import stream
from companion.policies.base import BoxPolicy, Policy
from companion.problems import BoxProblem, FiniteProblem
from companion.simulate import loop
from companion.simulate.box import run_box_policy

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from companion.pages.figures import Figure


#: What a run has for every evaluation.
CURVES = ("cumulative_regret", "simple_regret", "instantaneous_regret")


@dataclass(frozen=True, eq=False)
class Trajectory(loop.Trajectory):
    """Trajectory of one run: arrays with one entry an evaluation, as :class:`companion.simulate.Trajectory` describes them.

    Examples
    --------
    >>> import companion as cp
    >>> run = cp.experiment("batched", "appendix-e").run("bpe", seed=0, horizon=20, points_per_axis=8)
    >>> run.to_frame()[["evaluation", "round", "query"]].to_numpy()[-2:].tolist()
    [[19, 2, 32], [20, 2, 59]]
    """

    def __repr__(self) -> str:
        run = " ".join(str(self.meta[name]) for name in ("problem", "method", "seed") if name in self.meta)
        ends = f"cumulative regret {self.cumulative_regret[-1]:.4g}, of the recommended point {self.recommended_regret:.4g}"
        return f"<Trajectory of {run or 'a run'}: {len(self.query)} evaluations, {ends}>"

    @classmethod
    def of(cls, run: loop.Trajectory) -> Trajectory:
        """The same run."""
        return cls(**vars(run))

    @with_advice()
    def to_frame(self) -> pd.DataFrame:
        """One row an evaluation.

        Returns
        -------
        with the columns ``evaluation`` (from 1), ``round`` (of the batch, from 1), ``query`` (index of the point that was
        evaluated; on a box its number, and the coordinates are ``x1``, ``x2``, ...), ``charged`` (index of the point whose
        regret counts), ``observation`` (noisy), ``instantaneous_regret``, ``cumulative_regret``, ``simple_regret`` (in the
        units of f), ``model_order`` (points that the policy's model kept)
        """
        import pandas as pd

        points = np.zeros((len(self), 0)) if self.points is None else self.points
        return pd.DataFrame(
            {
                "evaluation": np.arange(1, len(self) + 1),
                "round": self.batch,
                "query": self.query,
                **{f"x{k}": points[:, k - 1] for k in range(1, points.shape[1] + 1)},
                "charged": self.charged,
                "observation": self.observation,
                "instantaneous_regret": self.instantaneous_regret,
                "cumulative_regret": self.cumulative_regret,
                "simple_regret": self.simple_regret,
                "model_order": self.model_order,
            }
        )

    @with_advice()
    def plot(self, metric: str = "cumulative_regret", log: str = "", *, ax: Axes | None = None) -> Figure | Axes:
        """The course of a regret over evaluations; arguments as of :meth:`companion.api.runs.Runs.plot`."""
        from companion.api.charts import regret_chart  # Matplotlib is loaded when something is drawn

        name = str(self.meta.get("method", "run"))
        return regret_chart({name: getattr(self, known_as("metric", metric, CURVES))[None]}, metric, log, None, ax)


def run_policy(
    policy: Policy | BoxPolicy,
    problem: FiniteProblem | BoxProblem,
    horizon: int,
    *,
    seed: int = 0,
    noise: ArrayLike | None = None,
) -> Trajectory:
    """Let a policy make ``horizon`` evaluations of a problem whose values are known, and account its regret.

    Evaluation t observes f(x_t) + noise_t. The noise belongs to the evaluation's number, so that policies run at one seed
    meet the same noise.

    Parameters
    ----------
    policy : fresh; an object with ``ask``, ``tell``, ``recommend`` and ``diagnostics``, see
        :class:`~companion.policies.Policy` and :class:`~companion.policies.BoxPolicy`
    problem : candidates with their values, or a function on a box
    horizon : number T of evaluations
    seed : of the noise, Gaussian with the problem's standard deviation
    noise : (T,) in its place, in the units of f

    Raises
    ------
    ParameterError
        if the horizon, the seed or the noise does not fit
    CompanionError
        if the policy breaks the protocol

    Examples
    --------
    >>> import companion as cp
    >>> points, kernel = cp.grid(50, dim=1), cp.kernel("matern52", 0.2)
    >>> values = cp.gp_draw(kernel, points, cp.stream(0, "f"))
    >>> problem = cp.FiniteProblem("mine", points, values, noise_sd=0.1, source="a draw")
    >>> policy = cp.GPUCB(kernel(points), noise_variance=0.01, width=2.0)
    >>> run = cp.run_policy(policy, problem, horizon=15, seed=1)
    >>> len(run.to_frame()), bool(run.simple_regret[-1] < 0.2)
    (15, True)
    """
    if noise is None:
        noise = problem.noise_sd * stream(seed, "noise").standard_normal(horizon)
    meta = {"seed": seed, "problem": problem.name, "method": type(policy).__name__}
    if isinstance(problem, BoxProblem):
        return Trajectory.of(run_box_policy(policy, problem, horizon, noise, meta))  # type: ignore[arg-type]
    return Trajectory.of(loop.run_policy(policy, problem, horizon, noise, meta))  # type: ignore[arg-type]
