"""Jensen-Shannon divergence to a known demand, the reward of Sections 5.3.1 and 5.3.2.

    g(p) = -D_JS(p || Q) = -1/2 KL(p || H) - 1/2 KL(Q || H),  H = (p + Q) / 2,  0 log 0 = 0,

with natural logarithms (the paper does not name the base). D_JS lies between 0 and log 2 and is 0 only for p = Q, so that
the optimum is 0 at the demand itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import rel_entr

from companion.core.arrays import Floats, Integers
from companion.core.errors import ParameterError
from companion.papers.meanfield.problems.mean_field import MeanFieldProblem

#: Share below which an action counts as this rare in the payoff, which has no limit at share 0. Rewards are not affected.
RAREST = 1e-12


def jensen_shannon(p: Floats, demand: Floats) -> Floats:
    """D_JS of each law in ``p`` (..., A) and ``demand`` (A,), in nats, shape (...); rounding does not make it negative."""
    mixture = 0.5 * (p + demand)
    return np.maximum(0.5 * (rel_entr(p, mixture) + rel_entr(demand, mixture)).sum(axis=-1), 0.0)


def demand_problem(
    name: str,
    agents: int,
    demand: ArrayLike,
    features: ArrayLike,
    source: str,
    noise_sd: float,
    meta: dict[str, Any],
    details: dict[str, Any],
) -> MeanFieldProblem:
    """The problem of matching ``demand`` with one context.

    The payoff of one agent is f(x, p) = -1/2 log(p_x / H_x) - 1/2 KL(Q || H), whose average under p is g.

    Parameters
    ----------
    name, agents, source, noise_sd, meta, details : see :class:`~companion.papers.meanfield.problems.mean_field.MeanFieldProblem`
    demand : (A,) the law Q
    features : (A, d) coordinates of the actions

    Raises
    ------
    ParameterError
        if ``demand`` is no law or has a zero: places nobody asks for are no actions
    """
    law = np.array(demand, dtype=np.float64)
    if law.ndim != 1 or not (law > 0).all() or abs(law.sum() - 1.0) > 1e-9:
        raise ParameterError("demand", f"adds up to {law.sum()}, least {law.min()}", "positive shares, sum one")
    law.flags.writeable = False

    def mean_field(p: Floats) -> Floats:
        return 0.0 - jensen_shannon(p[:, 0], law)  # 0.0 and not -0.0 at the demand

    def payoffs(p: Floats) -> Floats:
        share = np.maximum(p[:, 0], RAREST)
        mixture = 0.5 * (share + law)
        common = 0.5 * rel_entr(law, 0.5 * (p[:, 0] + law)).sum(axis=1)
        return (-0.5 * np.log(share / mixture) - common[:, None])[:, None]

    def of_counts(counts: Integers) -> Floats:
        return mean_field(counts / counts.sum(axis=(1, 2))[:, None, None])

    return MeanFieldProblem(
        name=name,
        agents=agents,
        action_features=np.asarray(features, dtype=np.float64),
        context_features=np.zeros((1, 1)),
        context_weights=np.ones(1),
        mean_field=mean_field,
        payoffs=payoffs,
        of_counts=of_counts,
        optimal=law[None] / law.sum(),
        upper_bound=0.0,
        certified="closed form: a divergence is at least 0",
        source=source,
        noise_sd=noise_sd,
        exact_contexts=True,
        meta=meta,
        details={"demand": law, **details},
    )
