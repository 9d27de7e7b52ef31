"""One protocol for all methods: ask, tell and recommend on a black box of your own, with the same answers to every slip.

A :class:`Session` holds a policy and does what policies leave to their callers: it counts, checks every value before the
policy sees it, keeps what was told, asks a failed evaluation again, and can be saved between any two calls. It decides
nothing: the points are those of the policy inside.

One policy goes through the whole run where every batch is told before the next one is asked. With earlier data, points asked
while others are open, points left aside, a fitted or a standardised model every call of ``ask`` makes a fresh policy of all that
is known (:mod:`companion.policies.conditioned`), with a seed of its own; nothing then depends on the order of the calls before.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import replace
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from companion.core.arrays import Floats, Indices
from companion.core.errors import (
    CompanionError,
    CompanionWarning,
    ExhaustedError,
    ParameterError,
    nearest,
    whole_number,
)
from companion.core.optional_libraries import with_advice
from companion.core.randomness import stream
from companion.policies import session_files
from companion.policies.conditioned import FittedModel, left_over, modelled
from companion.policies.observation import (
    LARGEST,
    MEAN,
    SAME,
    SMALLEST,
    Best,
    Observation,
    checked_points,
    checked_values,
)
from companion.problems import Box, Candidates

if TYPE_CHECKING:
    from companion.policies.stopping_certificate import Certificate

if TYPE_CHECKING:
    import pandas as pd

#: What a policy is told to be left of the horizon where there is none.
UNLIMITED = 2**31

FAILURES = ("again", "worst", "aside")
#: What of the model was learnt from the values, where they are standardised.
STANDARDISED = "standardised"
#: Failures in a row after which a warning says so, and whenever there are twice as many.
IN_A_ROW = 5
#: Up to so many values each is compared with the model, then after every tenth more.
EVERY_VALUE = 32


class Player(Protocol):
    """A policy as a session sees it: arrays whose first axis counts evaluations.

    One whose model is of the values themselves may also have ``posterior_mean(recommended)``, a number or ``None``. Where the
    method says ``from_data``, a fresh player has ``add(points, values, plays)``, which conditions it on all of these at once and
    shortens its design by as many, and, unless a play is more than a point, ``believed(points)``, the posterior mean (n,).
    """

    #: What :meth:`tell` needs besides a value, one for each evaluation; ``None`` where a point is all there is to say.
    play_type: type | None

    def ask(self, remaining: int) -> NDArray[Any]:
        """Between 1 and ``remaining`` things to evaluate, (n, ...)."""
        ...

    def tell(self, values: Floats, plays: Sequence[Any]) -> None:
        """Values (n,) of what was asked last, and a play for each where plays are needed."""
        ...

    def recommend(self) -> Any:
        """Recommendation."""
        ...

    def diagnostics(self) -> dict[str, Any]:
        """Diagnostics of the policy."""
        ...


class Optimiser:
    """A method with its settings, to be started on a problem: the base of the frozen dataclasses that name the methods.

    A subclass has a ``name``, the type of ``problem_type`` that it can be started on, perhaps a field ``horizon``, perhaps one
    ``initial``, the size of a design that is drawn before any value is known and asked first, and :meth:`player`. ``from_data``
    says whether its players can start from values that they did not ask for.
    """

    #: Whether it asks for ``neighbours`` in the problem, where points may be displaced to.
    robust: ClassVar[bool] = False
    name: ClassVar[str]
    problem_type: ClassVar[tuple[type, ...]]
    from_data: ClassVar[bool] = True

    def player(self, problem: Any, seed: int) -> Player:
        """A fresh policy; the seed is that of all its draws."""
        raise NotImplementedError

    def for_problem(self, problem: Any, *, seed: int, minimise: bool = False, standardise: bool = False) -> Session:
        """Start the method.

        Parameters
        ----------
        problem : what is known of the black box, e.g. :class:`companion.problems.Candidates`
        seed : of everything random, a non-negative integer; the same seed and values give the same points
        minimise : whether smaller values are better; values are told, and answers given, as they are measured
        standardise : whether mean and variance of the values told so far are those of the model on candidates: the kernel's
            variance is in units of their variance, and ``noise_sd`` in units of the values. On a box, for laws and with
            contexts values are standardised anyway

        Raises
        ------
        ParameterError
            for a problem that the method cannot be started on, or settings that do not fit it

        Examples
        --------
        >>> import companion as cp
        >>> from companion.policies import GPUCBOptimiser
        >>> line = cp.Candidates(cp.grid(9, dim=1), cp.Matern(2.5, 0.3), noise_sd=0.01)
        >>> GPUCBOptimiser(width=2.0).for_problem(line, seed=0)
        gp-ucb on 9 candidates: 0 told
        """
        whole_number("seed", seed, 0, 2**63 - 1)
        if not isinstance(problem, self.problem_type):
            names = " or ".join(kind.__name__ for kind in self.problem_type)
            others = _methods(problem)
            remedy = f"On {type(problem).__name__} work {others}" if others else ""
            raise ParameterError("problem", f"is of type {type(problem).__name__}", f"{names} for {self.name}", remedy)
        for name, value in (("minimise", minimise), ("standardise", standardise)):
            if not isinstance(value, bool):
                raise ParameterError(name, f"got {value!r}", "True or False")
        fitted = str(getattr(problem, "fitted", ""))
        if standardise and fitted:
            raise ParameterError("standardise", f"is True, and the model is {fitted}", "one of the two")
        player, horizon = self.player(problem, int(seed)), getattr(self, "horizon", None)
        return Session(self, problem, int(seed), player, horizon, minimise=minimise, standardise=standardise)


def _methods(problem: Any, from_data: bool = False) -> str:
    """Names of the known methods that work on the problem, or of those that also start from data."""
    kinds, names = [Optimiser], set()
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        if isinstance(problem, getattr(kind, "problem_type", ())) and (kind.from_data or not from_data):
            names.add(getattr(kind, "name", ""))
    return ", ".join(sorted(names - {""}))


#: What goes on in a restored session besides the observations.
_STATE = ("failures", "contradiction", "_from_data", "_asks", "_aside", "_row", "_looked", "_fit", "_refits")


class Session:
    """A method at work on a black box; made by :meth:`Optimiser.for_problem` or :func:`session_of`.

    What is asked is an array whose first axis counts evaluations: indices (n,) of candidates, points (n, d) of a box,
    decisions (1, d_x), laws (1, C, A). ``tell`` takes as many values, in the same order, or some of them with ``of=``.

    Parameters
    ----------
    optimiser : the method, ``None`` for a policy of your own
    problem, seed : what it was started with
    player : the policy
    horizon : evaluations in all, ``None`` for no end
    minimise, standardise : as of :meth:`Optimiser.for_problem`

    Attributes
    ----------
    history : list of :class:`Observation`, one for every batch that was told completely; one for every call of :meth:`tell`
        where points were open while others were asked
    earlier : the same of :meth:`add`
    failures : how many evaluations were said to have failed
    contradiction : what the values contradict in the model, in one line, "" where nothing; on candidates only. It is looked for
        after each of the first values and then after every tenth more, see :mod:`companion.policies.model_check`

    Examples
    --------
    >>> import numpy as np
    >>> from companion.gp import Matern
    >>> from companion.policies import GPUCBOptimiser
    >>> from companion.problems import Candidates
    >>> line = Candidates(np.linspace(0, 1, 21), Matern(2.5, 0.3), noise_sd=0.01)
    >>> session = GPUCBOptimiser(width=2.0).for_problem(line, seed=0)
    >>> for _ in range(8):
    ...     x = line.at(session.ask())[0, 0]
    ...     session.tell(-((x - 0.7) ** 2))
    >>> line.at(session.recommend())
    array([0.7])
    >>> session
    gp-ucb on 21 candidates: 8 told
    >>> session.best.point, session.best.what
    (array([0.7]), 'posterior mean')

    Costs, to be minimised, of which three were known before:

    >>> costs = Candidates(np.linspace(0, 1, 21), Matern(2.5, 0.3), noise_sd=0.01, prior_mean=5.0)
    >>> session = GPUCBOptimiser(width=2.0).for_problem(costs, seed=0, minimise=True)
    >>> session.add([0, 10, 20], [5.49, 5.04, 5.09])
    >>> for _ in range(5):
    ...     x = costs.at(session.ask())[0, 0]
    ...     session.tell(5 + (x - 0.7) ** 2)
    >>> session, session.best.point, round(session.best.value, 1)
    (gp-ucb on 21 candidates: 5 told, 3 earlier, array([0.7]), 5.0)
    """

    def __init__(
        self,
        optimiser: Optimiser | None,
        problem: Any,
        seed: int,
        player: Player,
        horizon: int | None = None,
        *,
        minimise: bool = False,
        standardise: bool = False,
    ) -> None:
        self.optimiser, self.problem, self.seed, self.horizon = optimiser, problem, seed, horizon
        self.minimise, self.standardise = minimise, standardise
        self.history: list[Observation] = []
        self.earlier: list[Observation] = []
        self.failures = 0
        self.contradiction = ""
        self._sign = -1.0 if minimise else 1.0
        self._starts_from_data = optimiser is not None and optimiser.from_data
        self._play_type = player.play_type
        self._player: Player | None = player  # from data: one that knows all of them, made when it is needed
        self._open: Observation | None = None  # asked, not told completely; NaN where a value is missing
        self._from_data = False
        self._asks = 0
        self._aside: list[Any] = []  # points that failed and are not asked again
        self._row = 0  # failures in a row
        self._looked = 0  # values that were compared with the model
        self._fit: FittedModel | None = None
        self._refits: tuple[Any, bool, int | None] | None = None
        if standardise and isinstance(problem, Candidates):
            self._go_from_data("standardise")

    # -- the protocol ----------------------------------------------------------------------------------------------

    def ask(self, *, new: bool = False) -> NDArray[Any]:
        """Next points to evaluate, (n, ...).

        What was asked and not yet told, or said to have failed, is asked again; nothing is drawn and nothing changes then.

        Parameters
        ----------
        new : ask for further points although others are open, as several workers do. Those that are open are believed to have
            their posterior mean (Desautels et al., 2014)

        Raises
        ------
        ParameterError
            where the horizon is used up, and with ``new`` for a method that needs its batches whole
        ExhaustedError
            where the method has nothing left to ask, see :attr:`finished`

        Examples
        --------
        Three workers, of whom the last one is the first to be done:

        >>> import companion as cp
        >>> line = cp.Candidates(cp.grid(9, dim=1), cp.Matern(2.5, 0.3), noise_sd=0.01)
        >>> session = cp.for_problem("gp-ucb", line, seed=0)
        >>> first, second, third = (int(session.ask(new=True)[0]) for _ in range(3))
        >>> session.tell(0.4, of=third)
        >>> session.tell([0.1, 0.2], of=[second, first])
        >>> session, session.values.tolist()
        (gp-ucb on 9 candidates: 3 told, [0.4, 0.2, 0.1])
        """
        if self._open is not None and not new:
            return self._open.asked[np.isnan(self._open.values)]
        left = UNLIMITED if self.remaining is None else self.remaining - self.waiting
        if left <= 0:
            others = f", or {self.waiting} of them open" if self.waiting else ""
            got = f"all {self.told + len(self._aside) + self.waiting} evaluations of the horizon are made{others}"
            raise ParameterError("ask", got, "recommend()")
        if self._open is not None:
            if self._play_type is not None:
                raise ParameterError("new", "is True, and how the open point is played is not known", "tell() first")
            self._go_from_data("new")
        if self._from_data:
            if self._aside and isinstance(self.problem, Candidates) and self._kept is None:
                raise ExhaustedError("every candidate was left aside: there is nothing left to ask")
            kernel, ard, every = self._refits or ("", False, None)
            if every is not None and self._fit and len(self._observed()[1]) - self._fit.values >= every:
                self._fit, self._player = self._fitted(kernel, ard), None
        player = self._fresh(believing=True) if self._from_data else self._now
        asked = np.array(player.ask(left))
        asked = asked if self._kept is None else self._kept[asked]
        self._asks += 1
        batch = Observation(asked, np.full(len(asked), math.nan), [None] * len(asked))
        self._open = batch if self._open is None else Observation.joined([self._open, batch])
        return asked

    def tell(self, values: Any, play: Any = None, *, of: Any = None, failed: str | float = "again") -> None:
        """Values at the points requested last, or at some of those that are open.

        Parameters
        ----------
        values : a number, or (n,) numbers in the order asked; ``None`` in the place of an evaluation that failed
        play : what ``problem.play(...)`` returned, where a play is more than a point: one, or a list of n
        of : the points of these values among the open ones, in any order: indices or coordinates. A point that is open twice is
            told once for each time it is named
        failed : what becomes of a failed evaluation. ``"again"``: the next :meth:`ask` returns it once more, and the policy
            waits. ``"worst"``: it counts as the worst value told so far, and the policy goes on; before any value as the prior
            mean less two prior standard deviations, on a box as -2. A number: it counts as that. ``"aside"``: the point is left
            out, and another is asked in its place; a candidate is then neither asked nor recommended any more. But for
            ``"again"`` it counts against the horizon; no such number counts as an observation in :meth:`certificate`

        Raises
        ------
        ParameterError
            before the first :meth:`ask` and after a batch was told, for another number or shape of values, NaN or infinity,
            a missing or needless play, a point that is not open. Nothing was changed then

        Notes
        -----
        A warning says where the values come to contradict the model (:attr:`contradiction`), and that five in a row failed.
        """
        if self._open is None:
            remedy = "Values measured before: add(points, values)"
            raise ParameterError("tell", "nothing has been asked", "a call of ask() first", remedy)
        self._check_failed(failed)
        waiting = np.flatnonzero(np.isnan(self._open.values))
        places = waiting if of is None else self._places(of, waiting)
        given = checked_values(values, len(places), "point" if of is not None else "open point; of= names some of them")
        plays = self._checked_plays(play, len(places))
        missing = np.isnan(given)
        now = self._open.part(slice(None))
        now.values[places] = given
        if missing.any() and failed not in ("again", "aside"):
            now.values[places[missing]] = failed if not isinstance(failed, str) else self._worst(now, places[missing])
            now.counted[places[missing]] = True
        for place, made in zip(places, plays, strict=True):
            now.plays[place] = made if math.isfinite(now.values[place]) else None
        gone = places[missing & (failed == "aside")]
        if self._from_data or len(gone):
            self._from_data, self._open = True, now
            self._move(gone)
        else:
            self.accept(now)
        self._count(missing, now.asked[places], failed)
        self._look()

    def accept(self, batch: Observation) -> None:
        """Take what is known of the batch that is open, checked, and tell the policy when it is complete."""
        if np.isfinite(batch.values).all():
            batch.plays = batch.plays if self._play_type is not None else []
            self._now.tell(self._inner(batch.values, self.problem), batch.plays)  # if refused, the batch is still open
            self.history.append(batch)
        self._open = None if np.isfinite(batch.values).all() else batch

    def add(self, points: Any, values: Any, play: Any = None) -> None:
        """Values that were measured before, or without being asked for.

        They count as part of an initial design and not against the horizon.

        Parameters
        ----------
        points : indices (n,) or coordinates (n, d) of candidates, points (n, d) of a box, decisions (n, d_x), laws (n, C, A)
        values : (n,) numbers
        play : as in :meth:`tell`

        Raises
        ------
        ParameterError
            for points that the problem does not have, values that do not fit, and a method that needs its batches whole. Nothing
            was changed then
        """
        self._check_from_data("add")
        asked = checked_points(self.problem, "points", points)
        given = checked_values(values, len(asked))
        if np.isnan(given).any():
            raise ParameterError("values", f"entry {int(np.argmax(np.isnan(given)))} is None", "a number")
        self.earlier.append(Observation(asked, given, [made for made in self._checked_plays(play, len(asked)) if made]))
        try:
            self._fresh()  # the policy has its own conditions on what it is told
        except CompanionError:
            self.earlier.pop()
            raise
        self._go_from_data("add")
        self._look()

    def refit(self, kernel: Any = "matern52", ard: bool = True, every: int | None = None) -> None:
        """Fit the model to the values told so far by :func:`companion.gp.fitting.fit`, and go on from the data with it.

        No theorem covers a model that was fitted to the values it is used with: what rests on it says so.

        Parameters
        ----------
        kernel, ard : family of the kernel, and whether each coordinate has a length-scale of its own
        every : fit again in :meth:`ask` after so many further values; ``None`` never

        Raises
        ------
        ParameterError
            for another problem than candidates or a box, a method that needs its batches whole, or equal values
        """
        self._check_from_data("refit")
        if not isinstance(self.problem, Candidates | Box):
            got = f"on {type(self.problem).__name__}, where the method fits a model of its own"
            raise ParameterError("refit", got, "Candidates or Box")
        if every is not None:
            whole_number("every", every)
        self._fit = self._fitted(kernel, ard)
        self._refits = (kernel, ard, every)
        self._go_from_data("refit")
        self._player, self.contradiction, self._looked = None, "", 0
        self._look()

    def recommend(self) -> Any:
        """Recommendation of the policy: an index, a point (d,), a law (C, A).

        Raises
        ------
        ParameterError
            before any batch was told
        """
        if not self.history and not self.earlier:
            raise ParameterError("recommend", "nothing has been told", "ask(), and tell() what it gave")
        found = self._now.recommend()
        return found if self._kept is None else int(self._kept[found])

    def diagnostics(self) -> dict[str, Any]:
        """Diagnostics of the policy, with the numbers of observed and failed evaluations.

        ``design`` says how many first evaluations are drawn before any value is known, where there are such; ``model`` what of
        the model was learnt from the values, ``counted`` how many failed evaluations count as values, before any value as the
        prior mean less two prior standard deviations, and ``aside`` the points left out.

        Examples
        --------
        >>> import companion as cp
        >>> line = cp.Candidates(cp.grid(9, dim=1), cp.Matern(2.5, 0.3), noise_sd=0.01)
        >>> session = cp.for_problem("gp-ucb", line, seed=0)
        >>> _ = session.ask()
        >>> session.tell([None])  # the evaluation failed
        >>> session.diagnostics()["failures"]
        1
        """
        notes = {
            "design": self._design if self.design else "",
            "model": self.model,
            "earlier": sum(len(batch.values) for batch in self.earlier),
            "counted": int(self._all.counted.sum()),
            "aside": np.array(self._aside).tolist(),
            "contradiction": self.contradiction,
        }
        known = {name: note for name, note in notes.items() if note}
        return {**self._now.diagnostics(), **known, "told": self.told, "failures": self.failures}

    def certificate(self, epsilon: float, delta: float = 0.1, **more: Any) -> Certificate:
        """Whether one may stop now: :func:`companion.policies.stopping_certificate.certificate` of what was told.

        Parameters
        ----------
        epsilon, delta : what the recommended candidate may lose, and with which probability it may lose more
        more : ``norm``, ``rule`` and so on, as there; on a box ``noise_sd`` as well, as its model is of standardised values

        Raises
        ------
        ParameterError
            for a problem other than :class:`companion.problems.Candidates` and :class:`companion.problems.Box`

        Examples
        --------
        >>> import companion as cp
        >>> line = cp.Candidates(cp.grid(9, dim=1), cp.Matern(2.5, 0.3), noise_sd=0.01)
        >>> session = cp.for_problem("gp-ucb", line, seed=0)
        >>> for _ in range(12):
        ...     session.tell(-((line.at(session.ask())[0, 0] - 0.5) ** 2))
        >>> found = session.certificate(epsilon=0.1, delta=0.1)
        >>> found.stop, found.point
        (True, (0.5,))
        """
        from companion.policies.stopping_certificate import certificate

        if not isinstance(self.problem, Candidates | Box):
            problem = f"is of type {type(self.problem).__name__}"
            raise ParameterError("problem", problem, "Candidates or Box: a certificate needs a posterior of all points")
        known, (asked, values) = self._modelled()[1], self._observed()
        if isinstance(known, Box):
            signed = self._sign * values
            more = {"noise_sd": None, "standardise": True, **more, "evaluated": asked, "values": signed}
            found = certificate(None, known.kernel, epsilon=epsilon, delta=delta, domain=known, **more)
            return replace(found, fitted=found.fitted or self.model)
        if self.model == STANDARDISED:
            known, more = self.problem, {**more, "standardise": True}
        elif known.prior_mean:
            more = {**more, "prior_mean": self._sign * known.prior_mean}
        told, signed = asked.astype(np.int64), self._sign * values
        found = certificate(
            known.points, known.kernel, known.noise_sd, told, signed, epsilon=epsilon, delta=delta, **more
        )
        return replace(found, fitted=found.fitted or self.model)

    # -- where it stands -------------------------------------------------------------------------------------------

    @property
    def told(self) -> int:
        """Evaluations told, of batches that are complete; earlier ones are not among them."""
        return sum(len(batch.values) for batch in self.history)

    @property
    def remaining(self) -> int | None:
        """Evaluations left of the horizon; ``None`` without one. A point left aside was one, an earlier value is none."""
        return None if self.horizon is None else self.horizon - self.told - len(self._aside)

    @property
    def finished(self) -> bool:
        """Whether nothing is left to ask: the horizon is used up, or the method has no further point.

        Only the method knows the latter, so that this asks where nothing is open; :meth:`ask` then returns what it asked::

            while not session.finished:
                session.tell(measure(session.ask()))
        """
        if self._open is None and self.remaining != 0:
            try:
                self.ask()
            except ExhaustedError:
                return True
        return self._open is None

    @property
    def waiting(self) -> int:
        """Number of evaluations requested and not yet observed."""
        return 0 if self._open is None else int(np.isnan(self._open.values).sum())

    @property
    def open(self) -> Observation | None:
        """The batch that is being evaluated, with NaN for the values that are missing; ``None`` between batches."""
        return self._open

    @property
    def asked(self) -> NDArray[Any]:
        """(t, ...) everything told, earlier ones first and in order."""
        return self._all.asked

    @property
    def values(self) -> Floats:
        """(t,) the values told, earlier ones first and in order."""
        return self._all.values

    @property
    def design(self) -> int:
        """Size of the initial design, drawn before any value is known; the method's setting ``initial``, less earlier values."""
        drawn = max(getattr(self.optimiser, "initial", 0) - sum(len(batch.values) for batch in self.earlier), 0)
        return drawn if self.horizon is None else min(drawn, self.horizon)

    @property
    def _design(self) -> str:
        """The design in words."""
        of = "" if self.horizon is None else f" of {self.horizon}"
        return f"the first {self.design}{of} are drawn before any value is known (initial=)"

    @property
    def best(self) -> Best:
        """The recommended point with its posterior mean or, where the policy has none, the best value told.

        Errors are those of :meth:`recommend`.
        """
        found = self.recommend()
        index = int(found) if np.ndim(found) == 0 else None
        point = np.asarray(found if index is None else self.problem.at(index))
        place = found if self._kept is None else int(np.searchsorted(self._kept, found))
        mean = getattr(self._now, "posterior_mean", lambda recommended: None)(place)
        if mean is not None:
            value, what = getattr(self._modelled()[1], "prior_mean", 0.0) + self._sign * mean, MEAN
        else:
            value, what = (self.values.min(), SMALLEST) if self.minimise else (self.values.max(), LARGEST)
        names, coordinates = (getattr(self.problem, kind, None) for kind in ("names", "coordinates"))
        name = names[index] if names and index is not None else None
        return Best(point, float(value), what, index, name, coordinates, self.model)

    @property
    def model(self) -> str:
        """What of the model was learnt from the values, in words; "" where it is as told."""
        if self._fit is not None:
            return f"model fitted to {self._fit.values} values"
        told = getattr(self.problem, "fitted", "")
        return STANDARDISED if self.standardise else told and f"model {told}"

    @with_advice()
    def frame(self) -> pd.DataFrame:
        """Observations, one row an evaluation.

        Returns
        -------
        with the columns ``evaluation`` and ``batch`` (from 1, both 0 of earlier values), ``candidate`` (its index, where there
        are candidates), ``name`` (where they have names), the coordinates by their names, or else ``x1``, ``x2``, ... (of a
        law, its entries row by row), ``c1``, ... (of a context), ``value`` and, where there are such, ``failed``, which marks
        what a failed evaluation counts as

        Raises
        ------
        LibraryError
            where pandas is not installed

        Examples
        --------
        >>> import companion as cp
        >>> line = cp.Candidates(cp.grid(9, dim=1), cp.Matern(2.5, 0.3), noise_sd=0.01)
        >>> session = cp.for_problem("gp-ucb", line, seed=0)
        >>> session.tell([0.3] * len(session.ask()))
        >>> session.frame().columns.tolist()
        ['evaluation', 'batch', 'candidate', 'x1', 'value']
        """
        import pandas as pd

        every = self._all
        asked, count = every.asked, len(every.values)
        listed = bool(count) and asked.ndim == 1
        points = np.reshape(self.problem.at(asked) if listed else asked, (count, -1)) if count else np.empty((0, 0))
        contexts = [play.context for play in every.plays if np.ndim(getattr(play, "context", 0))]
        numbers = [0] * len(self.earlier) + list(range(1, len(self.history) + 1))
        sizes = [len(batch.values) for batch in (*self.earlier, *self.history)]
        names, labels = getattr(self.problem, "names", None), getattr(self.problem, "coordinates", None)
        if labels is None or set(labels) & {"evaluation", "batch", "candidate", "name", "value", "failed"}:
            labels = [f"x{k}" for k in range(1, points.shape[1] + 1)]
        return pd.DataFrame(
            {
                "evaluation": np.maximum(np.arange(1 - count, 1) + self.told, 0),
                "batch": np.repeat(np.array(numbers, dtype=np.int64), sizes),
                **({"candidate": asked} if listed else {}),
                **({"name": [names[k] for k in asked]} if listed and names else {}),
                **dict(zip(labels, points.T, strict=False)),
                **{f"c{k}": column for k, column in enumerate(np.array(contexts).T, 1)},
                "value": every.values,
                **({"failed": every.counted} if every.counted.any() else {}),
            }
        )

    def __repr__(self) -> str:
        method = "a policy of your own" if self.optimiser is None else self.optimiser.name
        size, dim = (getattr(self.problem, name, None) for name in ("size", "dim"))
        kind = type(self.problem).__name__
        where = f"{size:,} candidates" if size else f"{kind} of dimension {dim}" if dim else kind
        earlier = sum(len(batch.values) for batch in self.earlier)
        numbers = {"earlier": earlier, "left": self.remaining, "open": self.waiting, "aside": len(self._aside)}
        counts = [f"{n} {what}" for what, n in numbers.items() if n or (n == 0 and what == "left")]
        notes = [self._design if self.design else "", self.model, "contradicted" if self.contradiction else ""]
        said = "".join(f"; {note}" for note in notes if note)
        return f"{method} on {where}: {', '.join([f'{self.told} told', *counts])}{said}"

    def save(self, path: str | Path) -> None:
        """Write the session to a file of data, see :func:`companion.policies.session_files.save`."""
        session_files.save(self, path)

    # -- from data -------------------------------------------------------------------------------------------------

    @property
    def _now(self) -> Player:
        """The policy that knows everything told."""
        if self._player is None:
            self._player = self._fresh()
        return self._player

    @property
    def _all(self) -> Observation:
        return Observation.joined([*self.earlier, *self.history])

    def _inner(self, values: Floats, problem: Any) -> Floats:
        """Values as the policy takes them: to be maximised, and of prior mean 0."""
        return self._sign * (values - getattr(problem, "prior_mean", 0.0))

    def _observed(self) -> tuple[NDArray[Any], Floats]:
        """Points and values of all evaluations that were made."""
        every = self._all
        return every.asked[~every.counted], every.values[~every.counted]

    def _modelled(self) -> tuple[Any, Any]:
        """Method and problem as they are modelled at the moment."""
        scaled = self.standardise and isinstance(self.problem, Candidates)
        return modelled(self.optimiser, self.problem, self._fit, self._observed()[1] if scaled else None)

    @property
    def _kept(self) -> Indices | None:
        """Candidates that were not left aside; ``None`` where none was, or all."""
        if not self._aside or not isinstance(self.problem, Candidates):
            return None
        kept = np.setdiff1d(np.arange(self.problem.size), self._aside)
        return kept if len(kept) else None

    def _fresh(self, believing: bool = False) -> Any:
        """A policy of all data and, to choose by, of what is believed of open points; it counts the kept candidates."""
        optimiser, problem = self._modelled()
        seed = int(stream(self.seed, "from data", self._asks).integers(2**63 - 1))
        every, kept = self._all, self._kept
        values = self._inner(every.values, problem)
        player = optimiser.player(problem if kept is None else left_over(problem, kept, self._aside, believing), seed)
        waiting = [self._open.asked] if believing and self._open is not None else []
        waiting += [np.array(self._aside)] if believing and self._aside and kept is None else []
        for points, told, plays in [(every.asked, values, every.plays), *((each, None, []) for each in waiting)]:
            inside = np.ones(len(points), dtype=bool) if kept is None else np.isin(points, kept)
            place = points if kept is None else np.searchsorted(kept, points[inside])
            if len(place):
                player.add(place, player.believed(place) if told is None else told[inside], plays)
        return player

    def _check_from_data(self, what: str) -> None:
        if not self._starts_from_data:
            method = "a policy of your own" if self.optimiser is None else self.optimiser.name
            got = f"is not possible with {method}, which goes on from its own batches only"
            raise ParameterError(what, got, f"one of {_methods(self.problem, from_data=True)}")

    def _go_from_data(self, what: str) -> None:
        self._check_from_data(what)
        self._from_data = True
        self._move()

    def _move(self, gone: Any = ()) -> None:
        """Of the open points those that were told to the history, and those that are gone aside."""
        self._player = None
        if self._open is None:
            return
        now, told = self._open, np.isfinite(self._open.values)
        if told.any():
            self.history.append(now.part(np.flatnonzero(told), self._play_type is not None))
        self._aside += list(now.asked[list(gone)])
        left = np.setdiff1d(np.flatnonzero(~told), gone)
        self._open = now.part(left) if len(left) else None

    def _fitted(self, kernel: Any, ard: bool) -> FittedModel:
        from companion.gp.fitting import fit

        asked, values = self._observed()
        if len(np.unique(values)) < 2:
            raise ParameterError("refit", f"{len(values)} values are known", "two distinct ones at least")
        points = self.problem.at(asked) if isinstance(self.problem, Candidates) else asked
        if isinstance(self.problem, Box):
            values = (values - values.mean()) / values.std()
        found = fit(points, values, kernel=kernel, ard=ard)
        return FittedModel(found.kernel, float(found.mean), float(found.noise_sd), len(values))

    def state(self) -> dict[str, Any]:
        """What a file keeps besides the observations, see :mod:`companion.policies.session_files`."""
        return {name: getattr(self, name) for name in _STATE}

    def resume(self, state: dict[str, Any], batches: Sequence[Observation] | None = None, earlier: int = 0) -> None:
        """Go on where a file stands; from data with these observations, the first ``earlier`` added and what is open last."""
        vars(self).update({name: state[name] for name in _STATE if name in state})
        if batches is not None:
            self._check_from_data("restore")
            self.earlier, self.history, self._from_data = list(batches[:earlier]), [], True
            for self._open in batches[earlier:]:
                self._move()

    # -- checks ----------------------------------------------------------------------------------------------------

    def _check_failed(self, failed: Any) -> None:
        if type(failed) is not bool and isinstance(failed, Real) and math.isfinite(failed):
            return
        if failed not in FAILURES:
            hint = nearest(str(failed), FAILURES)
            raise ParameterError("failed", f"got {failed!r}", f"one of {', '.join(FAILURES)}, or a number", hint)
        if failed == "aside":
            self._check_from_data("failed='aside'")
            if self._play_type is not None:
                raise ParameterError("failed", "is 'aside' for a play, which is more than a point", "another way")

    def _places(self, of: Any, waiting: NDArray[Any]) -> NDArray[Any]:
        """Places of these points among the open ones, each once."""
        assert self._open is not None
        free, found = list(waiting), []
        for point in checked_points(self.problem, "of", of):
            same = [np.allclose(self._open.asked[place], point, rtol=SAME, atol=SAME) for place in free]
            if not any(same):
                shown = np.array2string(self._open.asked[free], separator=", ", threshold=20).replace("\n", "")
                raise ParameterError("of", f"has {point}, which is not open", f"of what is open, {shown}")
            found.append(free.pop(same.index(True)))
        return np.array(found, dtype=np.intp)

    def _worst(self, now: Observation, places: Any) -> Any:
        """What failed evaluations count as: the worst value, or what the prior makes of it."""
        known = np.concatenate([now.values, self.values])
        known = self._sign * known[np.isfinite(known)]
        if known.size:
            return self._sign * known.min()
        problem = self._modelled()[1]
        if not isinstance(problem, Candidates):
            return -2.0 * self._sign
        return problem.prior_mean - 2.0 * self._sign * np.sqrt(problem.subset(now.asked[places]).covariance.diagonal())

    def _count(self, missing: Any, points: Any, failed: Any) -> None:
        """Count failures, and say so where they are many in a row."""
        said = False
        for each in missing:
            self._row = self._row + 1 if each else 0
            times, rest = divmod(self._row, IN_A_ROW)
            said = said or (rest == 0 and times.bit_count() == 1)
        self.failures += int(np.sum(missing))
        if said:
            shown = ", ".join(list(dict.fromkeys(str(point) for point in points[missing]))[:IN_A_ROW])
            where = f"candidate {shown}" if isinstance(self.problem, Candidates) else shown
            aside = (
                ", failed='aside' leaves such points out" if self._starts_from_data and self._play_type is None else ""
            )
            advice = f": failed='worst' counts them as bad{aside}" if failed == "again" else ""
            message = f"{self._row or IN_A_ROW} evaluations in a row failed, at {where}{advice}"
            warnings.warn(message, CompanionWarning, stacklevel=3)

    def _look(self) -> None:
        """Compare the values with the model after each of the first ones, then after every tenth more."""
        if not isinstance(self.problem, Candidates) or (self.contradiction and not self.model):
            return
        asked, values = self._observed()
        due = self._looked + 1 if self._looked < EVERY_VALUE else 1.1 * self._looked
        if len(values) < max(due, 2) or (self.model and np.ptp(values) == 0):
            return
        from companion.policies.model_check import contradiction

        self._looked = len(values)
        known = self._modelled()[1].subset(asked.astype(np.intp))
        points = None if isinstance(known.kernel, np.ndarray) else known.points
        before, mean = self.contradiction, known.prior_mean
        self.contradiction = contradiction(known.kernel, points, values, known.noise_sd, prior_mean=mean)
        if self.contradiction and not before:
            warnings.warn(f"the values contradict the model: {self.contradiction}", CompanionWarning, stacklevel=3)

    def _checked_plays(self, play: Any, count: int) -> list[Any]:
        kind = self._play_type
        if kind is None:
            if play is not None:
                raise ParameterError("play", "is given", "none: here a play is its point, and the values say all")
            return [None] * count
        plays = list(play) if isinstance(play, list | tuple) and not isinstance(play, kind) else [play]
        if len(plays) != count or not all(isinstance(item, kind) for item in plays):
            got = "is missing" if play is None else f"is {type(play).__name__}"
            raise ParameterError("play", got, f"what problem.play(...) returned, {count} of type {kind.__name__}")
        return plays


def restore(path: str | Path) -> Session:
    """The session that was saved: the rest of its run is the one that it would have had.

    Raises
    ------
    ResultError
        in one line, for what is no such file or another format, and where the present code asks for other points and the method
        cannot go on from data

    Warns
    -----
    CompanionWarning
        where the present code asks for other points, and the session goes on from the data

    Examples
    --------
    >>> import companion as cp, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "today.zip")
    >>> session = cp.for_problem("bpe", cp.Candidates(cp.grid(9, dim=1), cp.Matern(2.5, 0.3), noise_sd=0.1), seed=0, horizon=20)
    >>> session.tell([0.0] * len(session.ask()))
    >>> session.save(path)
    >>> (cp.restore(path).ask() == session.ask()).all()
    np.True_
    """
    session: Session = session_files.restored(path)
    return session
