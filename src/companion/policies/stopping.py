r"""Stopping rules as functions of the posterior of one run, (N,), or of many runs at once, (R, N).

Three kinds, each with a point r that it recommends and an upper bound on what r may lose:

* a **band**: r has the largest lower end, and :math:`\max_{x\ne r}(\mu+w\sigma)(x)-(\mu-w\sigma)(r)` bounds the regret of r
  wherever the width w covers all candidates, so at any stopping time if it covers in all rounds at once. (What is usually
  written takes the maximum over r as well, which is never smaller, and at the optimum r never needed);
* **differences**: r has the largest mean, and :math:`\max_x\mu(x)-\mu(r)+w\,\mathrm{sd}(f(x)-f(r))` bounds its regret
  where the width covers every linear functional of f, as the self-normalised one does;
* the **posterior probability** that some x is better than r by more than epsilon, for draws of the prior.

What libraries ship, which no theorem covers, is below.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import betainccinv, ndtr

from companion.bounds.confidence import union_bound_log
from companion.core.arrays import Floats, Indices
from companion.core.errors import ParameterError
from companion.gp.ties import lowest_argmaxes
from companion.policies.acquisition import log_expected_improvement

#: Of delta, what sampling may use up over all looks together, see :func:`level_of_look`.
ERROR_SHARE = 0.05
#: Of delta, the most that the candidates may add which are bounded one by one, and not sampled.
NEGLECTED = 0.01


def others(values: Floats, index: Any) -> Floats:
    """A copy of ``values`` (..., N) with minus infinity at ``index`` (...).

    Examples
    --------
    >>> import numpy as np
    >>> from companion.policies.stopping import others
    >>> others(np.array([3.0, 1.0, 2.0]), 0)
    array([-inf,   1.,   2.])
    """
    found = np.array(values, dtype=np.float64)
    np.put_along_axis(found, np.asarray(index)[..., None], -np.inf, axis=-1)
    return found


def at(values: Floats, index: Any) -> Floats:
    """The entries of ``values`` (..., N) at ``index`` (...).

    Examples
    --------
    >>> import numpy as np
    >>> from companion.policies.stopping import at
    >>> at(np.array([[3.0, 1.0], [5.0, 7.0]]), np.array([1, 0]))
    array([1., 5.])
    """
    return np.take_along_axis(np.asarray(values), np.asarray(index)[..., None], axis=-1)[..., 0]


def band(mean: Floats, sd: Floats, width: Floats | float) -> tuple[Indices, Floats]:
    """Recommended index (...) and, for every candidate (..., N), its upper end less the lower end of the recommended one.

    Parameters
    ----------
    mean, sd : posterior (..., N)
    width : a number, or one a run (...)

    Examples
    --------
    >>> import numpy as np
    >>> from companion.policies.stopping import band, regret_of
    >>> mean, sd = np.array([0.0, 1.0, 0.9]), np.array([0.1, 0.1, 0.3])
    >>> best, excess = band(mean, sd, width=2.0)
    >>> int(best), round(float(regret_of(excess)), 6)  # 0.9 + 0.6 - (1.0 - 0.2)
    (1, 0.7)
    """
    margin = np.asarray(width)[..., None] * sd
    lower = mean - margin
    best = lowest_argmaxes(lower)
    return best, others(mean + margin, best) - at(lower, best)[..., None]


def difference_sd(variance: Floats, cross: Floats, best: Any) -> Floats:
    """Posterior standard deviation (..., N) of f(x) - f(r), from the variances and the covariances with r.

    Examples
    --------
    >>> import numpy as np
    >>> from companion.policies.stopping import difference_sd
    >>> difference_sd(np.array([4.0, 9.0]), cross=np.array([4.0, 0.0]), best=0).round(3)
    array([0.   , 3.606])
    """
    return np.sqrt(np.maximum(variance + at(variance, best)[..., None] - 2.0 * cross, 0.0))


def differences(mean: Floats, variance: Floats, cross: Floats, best: Any, width: Floats | float) -> Floats:
    """(..., N) upper ends of f(x) - f(r), r = ``best``, by a width that covers linear functionals.

    Examples
    --------
    >>> import numpy as np
    >>> from companion.policies.stopping import differences
    >>> mean, variance, cross = np.array([1.0, 0.5]), np.array([0.04, 0.05]), np.array([0.04, 0.04])
    >>> differences(mean, variance, cross, best=0, width=3.0).round(3)
    array([-inf, -0.2])
    """
    margin = np.asarray(width)[..., None] * difference_sd(variance, cross, best)
    return others(mean - at(mean, best)[..., None] + margin, best)


def regret_of(excess: Floats) -> Floats:
    """(...) the bound on the regret: the largest excess (..., N) of another candidate, at least 0.

    Examples
    --------
    >>> import numpy as np
    >>> from companion.policies.stopping import regret_of
    >>> float(regret_of(np.array([-np.inf, -0.2, 0.3]))), float(regret_of(np.array([-np.inf, -0.2])))
    (0.3, 0.0)
    """
    return np.maximum(np.max(excess, axis=-1), 0.0)


def better_by(gap: Floats, sd: Floats, epsilon: Floats | float) -> Floats:
    """(..., N) probability that f(x) - f(r) exceeds ``epsilon``, from r's lead in the mean and the difference's sd.

    Examples
    --------
    >>> import numpy as np
    >>> from companion.policies.stopping import better_by
    >>> better_by(np.array([0.0, 0.5]), sd=np.array([0.0, 0.5]), epsilon=0.1).round(3)
    array([0.   , 0.115])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(sd > 0.0, ndtr(-(gap + epsilon) / sd), (gap + epsilon < 0.0).astype(float))


class Contest(NamedTuple):
    """r against the others for one posterior: r, its lead in the mean (N,), and the sd of the differences (N,), 0 at r.

    Examples
    --------
    >>> import numpy as np
    >>> from companion.policies.stopping import Contest
    >>> contest = Contest(best=0, gap=np.array([0.0, 1.0, 0.2]), sd=np.array([0.0, 0.3, 0.3]))
    >>> contest.each(epsilon=0.1).round(4)
    array([0.000e+00, 1.000e-04, 1.587e-01])
    >>> round(contest.union(epsilon=0.1), 3), round(contest.union_regret(delta=0.1), 3)
    (0.159, 0.185)
    >>> contenders, left = contest.contenders(epsilon=0.1, budget=0.01)
    >>> contenders.tolist(), round(left, 4)
    ([2], 0.0001)
    """

    best: int
    gap: Floats
    sd: Floats

    def union(self, epsilon: float) -> float:
        r"""Upper bound on the posterior probability that r loses more than epsilon, without sampling.

        .. math:: \Pr\big(\max_xf(x)-f(r)>\varepsilon\mid F\big)\le\sum_{x\ne r}
                  \Phi\Big(-\frac{\mu(r)+\varepsilon-\mu(x)}{\mathrm{sd}(f(x)-f(r)\mid F)}\Big)
        """
        return float(min(np.sum(self.each(epsilon)), 1.0))

    def each(self, epsilon: float) -> Floats:
        """(N,) terms of :meth:`union`."""
        return others(better_by(self.gap, self.sd, epsilon), self.best).clip(min=0.0)

    def contenders(self, epsilon: float, budget: float) -> tuple[Indices, float]:
        """The fewest candidates without which :meth:`union` is at most ``budget``, worst first, and what the others add."""
        return fewest(self.each(epsilon), budget)

    def union_regret(self, delta: float) -> float:
        """Smallest epsilon with :meth:`union` at most ``delta``; 0 where that holds already."""
        return least_epsilon(self.union, delta)


def fewest(terms: Floats, budget: float) -> tuple[Indices, float]:
    """The fewest of some terms (N,) without which their sum is at most ``budget``, largest first, and what the others add.

    Examples
    --------
    >>> import numpy as np
    >>> from companion.policies.stopping import fewest
    >>> fewest(np.array([0.25, 0.0, 0.5, 0.125]), budget=0.2)
    (array([2, 0]), 0.125)
    """
    order = np.argsort(-terms, kind="stable")
    left = np.concatenate([np.cumsum(terms[order][::-1])[::-1], [0.0]])
    count = int(np.argmax(left <= budget))
    return order[:count], float(left[count])


def least_epsilon(bound: Callable[[float], float], delta: float) -> float:
    """Smallest epsilon at which a bound that falls in it is at most ``delta``; 0 where that holds already.

    Examples
    --------
    >>> from companion.policies.stopping import least_epsilon
    >>> round(least_epsilon(lambda epsilon: 1.0 / (1.0 + epsilon), delta=0.1), 6)
    9.0
    """
    low, high = 0.0, 1.0
    if bound(low) <= delta:
        return 0.0
    while bound(high) > delta:
        low, high = high, 2.0 * high
    for _ in range(60):
        middle = (low + high) / 2.0
        low, high = (low, middle) if bound(middle) <= delta else (middle, high)
    return high


def level_of_look(delta: float, look: int) -> float:
    r"""Level of the exact limit at the j-th look, :math:`\alpha_j=\alpha\,6/(\pi^2j^2)` with :math:`\alpha` a twentieth of delta.

    The rule that samples looks at :math:`q_t`, the posterior probability that the recommended point loses more than epsilon,
    through draws that are independent given the data. :math:`U_j` is the exact (Clopper-Pearson) upper limit of level
    :math:`\alpha_j`, or the union bound, which needs no draws. It stops at the first look with
    :math:`U_j\le\delta-\alpha`. Then the promise is broken with probability at most delta:

    .. math:: \Pr(\text{bad at }\tau)=\E\,q_\tau\le\E\,U_\tau+\Pr(\exists j:q_j>U_j)\le(\delta-\alpha)+\sum_j\alpha_j=\delta .

    The first equality is that the draws say nothing of f beyond the data. No look may be taken twice with other draws: a
    second one on the same data counts as another look.

    Examples
    --------
    >>> from companion.policies.stopping import level_of_look
    >>> round(sum(level_of_look(0.1, look) for look in range(1, 10_000)), 5)
    0.005
    """
    return ERROR_SHARE * delta * 6.0 / (math.pi**2 * look**2)


def most_allowed(draws: int, limit: float, level: float) -> int:
    """Largest number of bad draws whose exact upper limit of this level is at most ``limit``; -1 where none is.

    Examples
    --------
    >>> from companion.policies.stopping import exact_upper, most_allowed
    >>> most = most_allowed(draws=1000, limit=0.1, level=0.001)
    >>> most, exact_upper(most, 1000, 0.001) <= 0.1 < exact_upper(most + 1, 1000, 0.001)
    (71, True)
    """
    if limit <= 0.0:
        return -1
    low, high = -1, draws
    while high - low > 1:  # the limit grows with the count
        middle = (low + high) // 2
        low, high = (middle, high) if exact_upper(middle, draws, level) <= limit else (low, middle)
    return low


def exact_upper(bad: int, draws: int, level: float) -> float:
    """Clopper and Pearson's upper limit of a share, ``bad`` of ``draws``.

    Examples
    --------
    >>> from companion.policies.stopping import exact_upper
    >>> print(f"{exact_upper(0, 60, 0.05):.4f}")
    0.0487
    """
    return 1.0 if bad >= draws else float(betainccinv(bad + 1, draws - bad, level))


# -- what libraries ship: no theorem covers any of it ------------------------------------------------------------------

#: Rules by name, with version and place; read there, not called. None knows delta, all but the first no epsilon.
SHIPPED = {
    "optuna": (
        "Optuna 5.0.0, optuna/terminator/improvement/evaluator.py, RegretBoundEvaluator and Terminator: from 20 trials on, the "
        "largest upper end less the largest lower end of an evaluated point, root of beta; threshold epsilon in place of an "
        "estimated error"
    ),
    "plateau-10": "tidymodels tune, R/control.R, control_bayes(no_improve = 10L): best value not exceeded in 10 evaluations",
    "plateau-30": "Optuna 5.0.0, the same file, BestValueStagnationEvaluator(max_stagnation_trials=30)",
    "ei": "Jones, Schonlau and Welch (1998): largest expected improvement below 1 % of the best value",
}
OPTUNA_FIRST, OPTUNA_DELTA, EI_SHARE = 20, 0.1, 0.01


def optuna_width(count: int, dim: int) -> float:
    r"""Root of :math:`2\log(d\,n^2\pi^2/(6\cdot0.1))/5`: d the dimension, n the better half of the trials, at least 20 or all.

    Examples
    --------
    >>> from companion.policies.stopping import optuna_width
    >>> print(f"{optuna_width(100, dim=2):.2f}")
    2.13
    """
    used = min(max(count // 2, OPTUNA_FIRST), count)
    return math.sqrt(2.0 * union_bound_log(max(used, 1), dim, OPTUNA_DELTA) / 5.0)


def optuna_bound(mean: Floats, sd: Floats, seen: Floats, width: float) -> Floats:
    """(...) Optuna's bound; ``seen`` (..., N) marks the evaluated candidates.

    Examples
    --------
    >>> import numpy as np
    >>> from companion.policies.stopping import optuna_bound
    >>> mean, sd, seen = np.array([1.0, 0.5]), np.array([0.1, 0.4]), np.array([True, False])
    >>> round(float(optuna_bound(mean, sd, seen, width=2.0)), 3)
    0.5
    """
    return np.max(mean + width * sd, axis=-1) - np.max(np.where(seen, mean - width * sd, -np.inf), axis=-1)


def plateau(values: Floats, window: int) -> bool:
    """Whether the best of the values (t,), in their order, was not exceeded in the last ``window`` of them.

    Examples
    --------
    >>> import numpy as np
    >>> from companion.policies.stopping import plateau
    >>> plateau(np.array([0.1, 0.9, 0.2, 0.8]), window=2), plateau(np.array([0.1, 0.2, 0.3, 0.9]), window=2)
    (True, False)
    """
    return len(values) > window and bool(np.max(values[-window:]) <= np.max(values[:-window]))


def improvement_left(mean: Floats, sd: Floats) -> Floats:
    """(...) largest expected improvement over the largest posterior mean, over the size of that mean.

    Examples
    --------
    >>> import numpy as np
    >>> from companion.policies.stopping import improvement_left
    >>> round(float(improvement_left(np.array([1.0, 0.8]), np.array([0.01, 0.2]))), 3)
    0.017
    """
    best = np.max(mean, axis=-1)
    log_left = np.max(log_expected_improvement(mean, np.maximum(sd, 1e-300), best[..., None]), axis=-1)
    return np.asarray(np.exp(log_left) / np.maximum(np.abs(best), 1e-300))


def window_of(rule: str) -> int:
    """Of a plateau rule."""
    try:
        return int(rule.removeprefix("plateau-"))
    except ValueError:
        raise ParameterError("rule", f"got {rule!r}", "plateau-10 or plateau-30") from None
