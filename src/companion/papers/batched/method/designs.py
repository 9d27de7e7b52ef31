"""Designs of maximum variance, each found once.

A batch is chosen without looking at any value, so its design follows from the prior covariance, the noise variance, the
points that may be sampled and their number. Runs of one setting on other functions, or with other noise, ask for the same
design again until they have eliminated different candidates.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import Any

from companion.core.arrays import Flags, Floats, Indices
from companion.gp import FinitePosterior
from companion.papers.batched.method.pooled import PooledPosterior

Posterior = FinitePosterior | PooledPosterior

#: How many designs are kept, the latest ones.
KEPT = 64
#: The largest design that is kept, in numbers of its posterior: a megabyte. Where one step costs more, few are
#: repeated.
LARGEST = 1 << 17


@dataclass(frozen=True, eq=False)
class _Kept:
    """A design, the posterior that knows its points and no value, and the covariance, by whose identity it is found."""

    covariance: Floats
    posterior: Posterior
    points: Indices


_designs: OrderedDict[tuple[Any, ...], _Kept] = OrderedDict()


def design(
    covariance: Floats,
    noise_variance: float,
    modelled: Indices,
    allowed: Flags,
    size: int,
    fresh: Callable[[Indices, int], Posterior],
) -> tuple[Posterior, Indices]:
    """The greedy design of maximum variance: a posterior that waits for its values, and the ``size`` points.

    Kept for the next call if nobody can write to the covariance and the posterior is small.

    Parameters
    ----------
    covariance, noise_variance : of all N candidates; lambda
    modelled : (n,) the candidates that the posterior looks at
    allowed : (n,) which of them may be picked
    size : how many points
    fresh : makes the posterior at ``modelled`` that nothing has been asked of, with room for ``size`` points
    """
    lasting = covariance.flags.owndata and not covariance.flags.writeable
    lasting = lasting and len(modelled) * max(size, len(modelled)) <= LARGEST
    key = (id(covariance), noise_variance, modelled.tobytes(), allowed.tobytes(), size)
    kept = _designs.get(key) if lasting else None
    if kept is None:
        posterior = fresh(modelled, size)
        points = posterior.select_max_variance(size, None if allowed.all() else allowed)[0]
        if not lasting:
            return posterior, points
        kept = _designs[key] = _Kept(covariance, posterior, points)
        if len(_designs) > KEPT:
            _designs.popitem(last=False)
    _designs.move_to_end(key)
    return _untold(kept.posterior), kept.points


def _untold(posterior: Posterior) -> Posterior:
    """A copy that can be told values: what is shared is what :meth:`tell` does not write to."""
    return posterior.untold_copy() if isinstance(posterior, PooledPosterior) else copy(posterior)
