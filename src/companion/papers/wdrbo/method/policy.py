"""Ask/tell policies with contexts: a decision is asked for, then told back with its context and its value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from companion.core.arrays import Floats
from companion.core.errors import ParameterError
from companion.papers.wdrbo.method.acquisitions import Acquisition, BallAcquisition
from companion.papers.wdrbo.method.context_table import DiscrepancyAcquisition
from companion.papers.wdrbo.method.maximiser import GridAndAscent, Maximiser, PublishedAdam
from companion.papers.wdrbo.method.methods import ContextMethod, Settings, Situation, method_by_name
from companion.papers.wdrbo.method.model import MapRegression, Regression, Surrogate

Streams = Callable[[str, int], np.random.Generator]


class ContextPolicy(Protocol):
    """A policy whose rewards depend on contexts that are revealed after the decision."""

    def ask(self) -> Floats:
        """The next decision (d_x,), in the problem's coordinates."""
        ...

    def tell(self, x: Floats, context: Floats, value: float) -> None:
        """The context (d_c,) that came up at ``x`` (d_x,) and the noisy value; without a preceding ask for designs."""
        ...

    def recommend(self) -> Floats:
        """The decision (d_x,) reported as the best."""
        ...

    def diagnostics(self) -> dict[str, Any]:
        """Measurements of the policy about itself: JSON types only."""
        ...


class AcquisitionPolicy:
    """Fits the model to all data, builds the method's acquisition function and maximises it, in every round (Alg. 1).

    Parameters
    ----------
    method : see :data:`~companion.papers.wdrbo.method.methods.METHODS`
    low, high : (d_x,) corners of the decisions
    context_low, context_high : (d_c,) corners of the contexts; both boxes are mapped to [0, 1] for the model
    streams : ``streams(name, t)`` gives a generator for round t (from 1), or for the whole run at t = 0
    settings : see :class:`~companion.papers.wdrbo.method.methods.Settings`
    regression : the model; :class:`~companion.papers.wdrbo.method.model.MapRegression` by default
    maximiser : the search; by default the same for all methods, and with ``reading="code"`` the published one
    centre : (m, d_c) equally weighted contexts, in the problem's coordinates, of the ball that the learner is given
        (general setting); left out, the observed contexts

    Raises
    ------
    ParameterError
        if a corner or a centre does not fit
    """

    def __init__(
        self,
        method: ContextMethod | str,
        low: ArrayLike,
        high: ArrayLike,
        context_low: ArrayLike,
        context_high: ArrayLike,
        streams: Streams,
        settings: Settings | None = None,
        regression: Regression | None = None,
        maximiser: Maximiser | None = None,
        centre: ArrayLike | None = None,
    ) -> None:
        self.method = method_by_name(method) if isinstance(method, str) else method
        self.settings = settings or Settings()
        self._box = _Box.of("low, high", low, high)
        self._context_box = _Box.of("context_low, context_high", context_low, context_high)
        self._streams, self._regression = streams, regression or MapRegression()
        self._maximiser = maximiser or self._default_maximiser()
        self._centre = None if centre is None else self._context_box.to_unit(np.asarray(centre, dtype=np.float64))
        self._x = np.zeros((0, self._box.dim))
        self._contexts = np.zeros((0, self._context_box.dim))
        self._values = np.zeros(0)
        self._round = 0
        self._last: tuple[Surrogate, Acquisition] | None = None
        self._records: dict[str, list[float]] = {
            "acquisition": [],
            "noise_variance": [],
            "gap": [],
            "fallbacks": [],
        }

    def _default_maximiser(self) -> Maximiser:
        if self.settings.reading == "text":
            return GridAndAscent()
        return PublishedAdam(raw=64, starts=5) if self.method.cheap_search else PublishedAdam()

    @property
    def model_order(self) -> int:
        """Observations in the model: all of them."""
        return len(self._values)

    def situation(self) -> Situation:
        """Model of the data so far and the method's other input."""
        if len(self._values) == 0:
            raise ParameterError("ask", "there are no data", "a design told first, of at least one point")
        inputs = np.concatenate([self._x, self._contexts], axis=1) if self.method.uses_context else self._x
        atoms = self._contexts if self._centre is None else self._centre
        number = self._round
        return Situation(
            self._regression.fit(inputs, self._values),
            self._contexts,
            atoms,
            np.full(len(atoms), 1.0 / len(atoms)),
            self.settings,
            lambda name, whole=None: self._streams(name, number if whole is None else whole),
        )

    def ask(self) -> Floats:
        """The maximiser (d_x,) of the method's acquisition function.

        Raises
        ------
        ParameterError
            if nothing was told yet
        """
        self._round += 1
        view = self.situation()
        acquisition = self.method.build(view)
        point, value = self._maximiser(acquisition, self._box.dim, self._streams("search", self._round))
        self._last = (view.surrogate, acquisition)
        self._records["acquisition"].append(float(value))
        self._records["noise_variance"].append(view.surrogate.hyperparameters.noise_variance)
        if isinstance(acquisition, BallAcquisition):
            self._records["gap"].append(max(acquisition.gaps))
        if isinstance(acquisition, DiscrepancyAcquisition):
            self._records["fallbacks"].append(acquisition.ball.fallbacks)
        return self._box.from_unit(point)

    def tell(self, x: ArrayLike, context: ArrayLike, value: float) -> None:
        """Add an observation.

        Raises
        ------
        ParameterError
            for a point outside its box or a value that is not finite
        """
        decision = self._box.inside("x", x)
        seen = self._context_box.inside("context", context)
        if not np.isfinite(value):
            raise ParameterError("value", f"got {value!r}", "a finite number")
        self._x = np.vstack([self._x, decision])
        self._contexts = np.vstack([self._contexts, seen])
        self._values = np.append(self._values, float(value))

    @property
    def last(self) -> tuple[Surrogate, Acquisition] | None:
        """Model and acquisition function of the last ask, for figures."""
        return self._last

    def recommend(self) -> Floats:
        """The told decision with the largest posterior mean, averaged over the observed contexts; the first on ties.

        Also in the general setting, where the contexts of the given centre play no part: what a run is said to recommend
        is not the choice that the method would make at its centre. No figure or claim of the chapter uses it.
        """
        view = self.situation()
        contexts = view.contexts if self.method.uses_context else np.zeros((1, 0))
        means = view.surrogate.table(self._x, contexts, 0.0).mean(axis=1)
        return self._box.from_unit(self._x[int(means.argmax())])

    def diagnostics(self) -> dict[str, Any]:
        """By round: acquisition value at the choice (standardised units), fitted noise variance, largest certified gap.

        With a discrepancy ball also ``fallbacks``, the inner problems that went to the interior-point method.
        """
        return {name: list(values) for name, values in self._records.items() if values}


class _Box:
    """A box and its map to the unit cube."""

    def __init__(self, low: Floats, high: Floats) -> None:
        self.low, self.width, self.dim = low, high - low, len(low)
        self.high = high

    @classmethod
    def of(cls, name: str, low: ArrayLike, high: ArrayLike) -> _Box:
        a, b = np.atleast_1d(np.asarray(low, dtype=np.float64)), np.atleast_1d(np.asarray(high, dtype=np.float64))
        if a.ndim != 1 or a.shape != b.shape or not (a < b).all() or not np.isfinite([a, b]).all():
            raise ParameterError(name, f"got {a}, {b}", "equally long, finite, low < high everywhere")
        return cls(a, b)

    def to_unit(self, points: Floats) -> Floats:
        return (points - self.low) / self.width

    def from_unit(self, points: Floats) -> Floats:
        return np.clip(self.low + self.width * points, self.low, self.high)

    def inside(self, name: str, point: ArrayLike) -> Floats:
        found = np.asarray(point, dtype=np.float64)
        if found.shape != (self.dim,) or not ((found >= self.low) & (found <= self.high)).all():
            raise ParameterError(name, f"got {found}", f"{self.dim} coordinates in {self.low} to {self.high}")
        return self.to_unit(found)
