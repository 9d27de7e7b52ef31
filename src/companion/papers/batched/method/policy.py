"""Batched pure exploration: Algorithms 2 (BPE) and 1 (robust-BPE), the refinement of App. C, and adaptive batches.

All of them share one core. In batch i, with X_i the candidates still alive:

1. a fresh posterior, which knows nothing of earlier batches;
2. N_i times the point of largest posterior variance, without looking at any value;
3. all values at once; then a candidate survives if its upper confidence bound reaches the largest lower one.

They differ in which points may be sampled and in what "its bound" means; see :class:`BPE` and :class:`RobustBPE`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from companion.core.arrays import Flags, Floats, Indices
from companion.core.errors import CompanionError, ParameterError, nearest, non_negative, whole_number
from companion.gp import FinitePosterior
from companion.gp.ties import lowest_argmax
from companion.papers.batched.method.designs import Posterior, design
from companion.papers.batched.method.pooled import POOLED_FLOOR, PooledPosterior
from companion.policies import Batch
from companion.policies.widths import Width, scheduled
from companion.problems import Neighbourhood

READINGS = ("intended", "literal")
REFINEMENTS = ("none", "printed", "repaired")
BASE_POINTS = ("best", "lowest")


@dataclass(frozen=True, eq=False)
class BatchRecord:
    """Record of one batch; N candidates, n of them with a posterior.

    Parameters
    ----------
    number : i, from 1
    size : N_i
    width : multiplier of the posterior standard deviation
    active : (N,) bool, X_i, the candidates alive when the batch began
    sampled : (N,) bool, the points that could be sampled: X_i, or X_{xi,i} in the robust setting
    survivors : (N,) bool, X_{i+1}
    query, charged : (N_i,) indices of the evaluated points, and of the points whose regret is accounted
    modelled : (n,) indices of the points whose posterior was computed, a superset of ``active`` and ``sampled``
    mean, sd : (n,) posterior at ``modelled`` after the batch, from this batch's points only
    gain : I_i = 1/2 logdet(I + K/lambda) of the batch's points, in nats
    largest_sd : largest posterior standard deviation over ``sampled`` after the batch, which Lemma 9 bounds
    """

    number: int
    size: int
    width: float
    active: Flags
    sampled: Flags
    survivors: Flags
    query: Indices
    charged: Indices
    modelled: Indices
    mean: Floats
    sd: Floats
    gain: float
    largest_sd: float


@dataclass(frozen=True, eq=False)
class _Open:
    """A batch that was asked and not yet told."""

    posterior: Posterior
    modelled: Indices
    sampled: Flags
    query: Indices
    charged: Indices


class BPE:
    r"""Batched pure exploration, Algorithm 2 (App. A).

    .. math:: x_t=\arg\max_{x\in\mathcal X_i}\sigma^i_{j-1}(x),\qquad
       \mathcal X_{i+1}=\{x\in\mathcal X_i:\mu^i(x)+w\,\sigma^i(x)\ge
       \max_{x'\in\mathcal X_i}\mu^i(x')-w\,\sigma^i(x')\},

    where :math:`\mu^i,\sigma^i` know batch i only and :math:`w=\sqrt\beta` is the width. Ties go to the lowest index.

    Parameters
    ----------
    covariance : (N, N) prior covariance of the candidates
    noise_variance : lambda of the model; sigma^2 in the theorems
    sizes : N_1..N_B, positive integers; their sum is the horizon
    width : the multiplier w, non-negative, a schedule of :mod:`companion.bounds.confidence`, or a function
        ``width(t, gain)`` of the number of the evaluation after the batch and of the batch's gain

    Attributes
    ----------
    history : list of :class:`BatchRecord`, one per batch told
    active : (N,) bool, the candidates alive now
    model_order : points in the latest batch's posterior

    Raises
    ------
    ParameterError
        for sizes that are not positive integers, a negative or non-finite width, or what the posterior refuses
    """

    def __init__(
        self,
        covariance: Floats,
        noise_variance: float,
        sizes: Sequence[int],
        width: Width,
    ) -> None:
        if len(sizes) == 0:
            raise ParameterError("sizes", "is empty", "at least one batch size")
        self._covariance = covariance
        self._noise_variance = noise_variance
        self._sizes = tuple(whole_number("sizes", size) for size in sizes)
        self._width = width
        self.active: Flags = np.ones(len(covariance), dtype=bool)
        self.history: list[BatchRecord] = []
        self.model_order = 0
        self._open: _Open | None = None
        self._notes: tuple[str, ...] = ()
        non_negative("width", self._width_now(0.0))

    # -- ask and tell ----------------------------------------------------------------------------------------------

    def ask(self, remaining: int) -> Batch:
        """The next batch, chosen by maximum variance; ``remaining`` is what is left of the horizon.

        Raises
        ------
        ParameterError
            if the batch sizes do not add up to the horizon
        CompanionError
            if the last batch has not been told yet
        """
        if self._open is not None:
            raise CompanionError("the batch asked last still waits for its observations; call tell() first")
        size = self._next_size(remaining)  # N_i
        sampled = self._sampled()  # X_i; in the robust setting its neighbours too
        modelled = np.flatnonzero(self._modelled())
        # N_i times the largest variance; the posterior knows nothing of earlier batches, and no value is needed
        posterior, local = design(
            self._covariance, self._noise_variance, modelled, sampled[modelled], size, self._fresh_posterior
        )
        query = modelled[local]
        self._open = _Open(posterior, modelled, sampled, query, self._charged(query))
        return Batch(self._open.query, self._open.charged)

    def tell(self, observations: Floats) -> None:
        """Values of the batch asked last, in its order; eliminates candidates."""
        if self._open is None:
            raise CompanionError("there is no batch to tell about; call ask() first")
        batch, posterior = self._open, self._open.posterior
        posterior.tell(np.asarray(observations, dtype=np.float64)[None, :])
        mean, sd = np.asarray(posterior.mean[0]), np.asarray(posterior.sd[0])
        gain = float(posterior.gain[0])
        width = non_negative("width", self._width_now(gain))
        survivors = self._survivors(self._spread(batch, mean + width * sd), self._spread(batch, mean - width * sd))
        record = BatchRecord(
            number=len(self.history) + 1,
            size=len(batch.query),
            width=width,
            active=self.active,
            sampled=batch.sampled,
            survivors=survivors,
            query=batch.query,
            charged=batch.charged,
            modelled=batch.modelled,
            mean=mean,
            sd=sd,
            gain=gain,
            largest_sd=float(sd[batch.sampled[batch.modelled]].max()),
        )
        self.history.append(record)
        self._notes = tuple(dict.fromkeys((*self._notes, *posterior.notes)))
        self.active, self.model_order, self._open = survivors, len(batch.query), None

    def recommend(self) -> int:
        """Survivor with the largest posterior mean after the last batch; the paper leaves the reported point open.

        In the robust setting, the largest minimum of the mean over the neighbours. Index 0 before any batch.
        """
        if not self.history:
            return 0
        last = self.history[-1]
        mean = np.full(len(self.active), np.inf)
        mean[last.modelled] = last.mean
        alive = np.flatnonzero(self.active)
        return int(alive[lowest_argmax(self._guaranteed(mean)[alive])])

    def diagnostics(self) -> dict[str, Any]:
        """Per batch: size, survivors, gain (nats), largest sd, width; and the last point played (Remark 9)."""
        return {
            "sizes": [record.size for record in self.history],
            "survivors": [int(record.survivors.sum()) for record in self.history],
            "gain": [record.gain for record in self.history],
            "largest_sd": [record.largest_sd for record in self.history],
            "width": [record.width for record in self.history],
            "last_played": int(self.history[-1].charged[-1]) if self.history else None,
            "settings": {"ties": "lowest index", "posterior": "each batch on its own", **self._settings()},
            "notes": list(self._notes),
        }

    # -- what variants change --------------------------------------------------------------------------------------

    def _next_size(self, remaining: int) -> int:
        planned = self._sizes[len(self.history) :]
        if sum(planned) != remaining:
            problem = f"the {len(planned)} batches left add up to {sum(planned)}, the horizon leaves {remaining}"
            raise ParameterError("sizes", problem, "batch sizes that add up to the horizon")
        return planned[0]

    def _sampled(self) -> Flags:
        """The points that may be sampled in the next batch."""
        return self.active

    def _modelled(self) -> Flags:
        """The points whose posterior the next elimination needs."""
        return self.active

    def _charged(self, query: Indices) -> Indices:
        return query

    def _guaranteed(self, values: Floats) -> Floats:
        """The value that elimination compares, from values at all points."""
        return values

    def _settings(self) -> dict[str, Any]:
        return {}

    # -- the shared core -------------------------------------------------------------------------------------------

    def _survivors(self, upper: Floats, lower: Floats) -> Flags:
        """X_{i+1}, from the bounds at all points; the guaranteed value is the value itself but in the robust setting."""
        bar = self._guaranteed(lower)[self.active].max()
        return self.active & (self._guaranteed(upper) >= bar)  # Algorithm 2, line 12; Algorithm 1, line 13

    def _fresh_posterior(self, modelled: Indices, size: int) -> Posterior:
        """The cheaper of the two exact posteriors: rows cost O(size^2 n) in a batch, pooled points O(size n^2)."""
        count = len(modelled)
        part = self._covariance if count == len(self._covariance) else self._covariance[np.ix_(modelled, modelled)]
        pooled_is_accurate = self._noise_variance >= POOLED_FLOOR * float(part.diagonal().max())
        if size > 2 * count and pooled_is_accurate:
            return PooledPosterior(part, self._noise_variance)
        return FinitePosterior(part, self._noise_variance, capacity=size)

    def _spread(self, batch: _Open, values: Floats) -> Floats:
        """Values at the modelled points on all N; infinite elsewhere, where no active candidate looks."""
        full = np.full(len(self.active), np.inf)
        full[batch.modelled] = values
        return full

    def _width_now(self, gain: float) -> float:
        told = sum(record.size for record in self.history) + (0 if self._open is None else len(self._open.query))
        return float(scheduled(self._width)(told + 1, gain))


class AdaptivePlayer(BPE):
    """BPE whose batches depend on what survived: a player for the lower bound of Theorem 2.

    t_1 = T_1; batch i has ⌊T_i/2⌋ points if less than half of the domain is alive and T_i otherwise; the B-th takes
    what is left. T_1..T_B are the reference times of Prop. 5. The rule is the companion's, chosen as a plain example of
    the adaptive batches that Theorem 2 allows: a size is fixed when the batch before it has been revealed.

    Parameters
    ----------
    covariance, noise_variance, width : as :class:`BPE`
    reference_times : T_1 < ... < T_B = T
    """

    def _next_size(self, remaining: int) -> int:
        done = len(self.history)
        if done >= len(self._sizes) - 1:
            return remaining
        reference = self._sizes[done]
        few_alive = 2 * int(self.active.sum()) < len(self.active)
        size = reference // 2 if few_alive else reference
        return min(max(size, 1), remaining)

    def _settings(self) -> dict[str, Any]:
        return {"reference_times": list(self._sizes)}


class RobustBPE(BPE):
    r"""Robust-BPE, Algorithm 1 (Sec. 5.1), and its refinement (App. C).

    With nb[x] the points x may be displaced to, candidates are compared by their worst neighbour:

    .. math:: \mathcal X_{\xi,i}=\bigcup_{x\in\mathcal X_i}nb[x],\qquad
       \mathcal X_{i+1}=\{x\in\mathcal X_i:\min_{z\in nb[x]}UCB_i(z)\ge
       \max_{x'\in\mathcal X_i}\min_{z\in nb[x']}LCB_i(z)\}.

    Without displacement (nb[x] = {x}) it makes the same decisions as :class:`BPE`.

    Parameters
    ----------
    covariance, noise_variance, sizes, width : as :class:`BPE`
    neighbours : (N, N) bool, row x marks nb[x]
    reading : line 7 of Algorithm 1 picks a point z of X_{xi,i}, and Sec. 2.2 charges the regret of "x_t".
        ``"intended"``: z is evaluated as the displaced point, and an active base point x with z in nb[x] is charged, as
        the proof of Theorem 3 needs. ``"literal"``: z itself is charged, as printed; it may be a point that was
        eliminated long ago
    refinement : ``"none"``; ``"printed"``: the smaller sampling set (165), which keeps the pairs (x, z) with
        LCB_{i-1}(z) <= min over nb[x] of UCB_{i-1}, everything else unchanged; ``"repaired"``: elimination takes its
        two minima over the kept pairs too, without which a pair that was dropped, and so never sampled again, decides
        the minimum
    base_point : which base point is charged when several qualify. ``"best"``: z itself while it is active, else the
        one with the largest worst-neighbour LCB after the previous batch; ``"lowest"``: the lowest index
    """

    def __init__(
        self,
        covariance: Floats,
        noise_variance: float,
        sizes: Sequence[int],
        width: Width,
        neighbours: Flags,
        *,
        reading: str = "intended",
        refinement: str = "none",
        base_point: str = "best",
    ) -> None:
        super().__init__(covariance, noise_variance, sizes, width)
        options = (("reading", reading, READINGS), ("refinement", refinement, REFINEMENTS))
        for name, value, known in (*options, ("base_point", base_point, BASE_POINTS)):
            if value not in known:
                hint = nearest(value, known) if isinstance(value, str) else ""  # type: ignore[redundant-expr] # callers need not be typed
                raise ParameterError(name, f"got {value!r}", f"one of {', '.join(known)}", hint)
        self._neighbours = Neighbourhood(neighbours)
        if self._neighbours.size != len(covariance):
            raise ParameterError("neighbours", f"has {self._neighbours.size} rows", f"{len(covariance)}, as covariance")
        self._reading, self._refinement, self._base_point = reading, refinement, base_point
        self._kept = self._neighbours  # the pairs (x, z) that may be sampled in the next batch
        self._last_lower: Floats | None = None  # worst-neighbour LCB after the previous batch

    def _sampled(self) -> Flags:
        return self._kept.union(self.active)  # eq. (164); eq. (165) when refined

    def _modelled(self) -> Flags:
        # Neighbours that are not sampled still have bounds: line 13 as printed and the next eq. (165) look at them.
        return self._neighbours.union(self.active)

    def _guaranteed(self, values: Floats) -> Floats:
        return (self._kept if self._refinement == "repaired" else self._neighbours).minimum(values)

    def _survivors(self, upper: Floats, lower: Floats) -> Flags:
        survivors = super()._survivors(upper, lower)
        self._last_lower = self._guaranteed(lower)
        if self._refinement != "none":
            smallest_upper = self._neighbours.minimum(upper)
            relation = self._neighbours.relation
            # Every survivor keeps at least the neighbour of smallest UCB, since LCB <= UCB. Rows of the others are
            # never looked at again and are left whole.
            kept = relation & (lower[None, :] <= smallest_upper[:, None])
            self._kept = Neighbourhood(np.where(survivors[:, None], kept, relation))
        return survivors

    def _charged(self, query: Indices) -> Indices:
        if self._reading == "literal":
            return query
        points, places = np.unique(query, return_inverse=True)
        return np.array([self._base_of(int(z)) for z in points], dtype=np.intp)[places]

    def _base_of(self, z: int) -> int:
        """An active candidate that can be displaced to z."""
        if self._base_point == "best" and self.active[z]:
            return z
        bases = np.flatnonzero(self.active & self._kept.relation[:, z])
        if self._base_point == "lowest" or self._last_lower is None:
            return int(bases[0])
        return int(bases[lowest_argmax(self._last_lower[bases])])

    def _settings(self) -> dict[str, Any]:
        return {"reading": self._reading, "refinement": self._refinement, "base_point": self._base_point}
