"""One protocol for all methods: ask, tell and recommend on a black box of your own, with the same answers to every slip.

A :class:`Session` holds a policy and does what policies leave to their callers: it counts, checks every value before the
policy sees it, keeps what was told, asks a failed evaluation again, and can be saved between any two calls. It decides
nothing: the points are those of the policy inside.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from companion.core.arrays import Floats
from companion.core.errors import ParameterError, whole_number
from companion.core.optional_libraries import with_advice
from companion.policies import session_files
from companion.policies.observation import LARGEST, MEAN, Best, Observation, checked_values
from companion.problems import Candidates

if TYPE_CHECKING:
    from companion.policies.stopping_certificate import Certificate

if TYPE_CHECKING:
    import pandas as pd

#: What a policy is told to be left of the horizon where there is none.
UNLIMITED = 2**31

FAILURES = ("again", "worst")


class Player(Protocol):
    """A policy as a session sees it: arrays whose first axis counts evaluations.

    One whose model is of the values themselves may also have ``posterior_mean(recommended)``, a number or ``None``.
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
    ``initial``, the size of a design that is drawn before any value is known and asked first, and :meth:`player`.
    """

    #: Whether it asks for ``neighbours`` in the problem, where points may be displaced to.
    robust: ClassVar[bool] = False
    name: ClassVar[str]
    problem_type: ClassVar[tuple[type, ...]]

    def player(self, problem: Any, seed: int) -> Player:
        """A fresh policy; the seed is that of all its draws."""
        raise NotImplementedError

    def for_problem(self, problem: Any, *, seed: int) -> Session:
        """Start the method.

        Parameters
        ----------
        problem : what is known of the black box, e.g. :class:`companion.problems.Candidates`
        seed : of everything random, a non-negative integer; the same seed and values give the same points

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
            raise ParameterError("problem", f"is of type {type(problem).__name__}", f"{names} for {self.name}")
        return Session(self, problem, int(seed), self.player(problem, int(seed)), getattr(self, "horizon", None))


class Session:
    """A method at work on a black box; made by :meth:`Optimiser.for_problem` or :func:`session_of`.

    What is asked is an array whose first axis counts evaluations: indices (n,) of candidates, points (n, d) of a box,
    decisions (1, d_x), laws (1, C, A). ``tell`` takes as many values, in the same order. Values are maximised.

    Parameters
    ----------
    optimiser : the method, ``None`` for a policy of your own
    problem, seed : what it was started with
    player : the policy
    horizon : evaluations in all, ``None`` for no end

    Attributes
    ----------
    history : list of :class:`Observation`, one for every batch that was told completely
    failures : how many evaluations were said to have failed

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
    """

    def __init__(
        self, optimiser: Optimiser | None, problem: Any, seed: int, player: Player, horizon: int | None = None
    ) -> None:
        self.optimiser, self.problem, self.seed, self.horizon = optimiser, problem, seed, horizon
        self.history: list[Observation] = []
        self.failures = 0
        self._player = player
        self._open: Observation | None = None  # asked, not told completely; NaN where a value is missing

    # -- the protocol ----------------------------------------------------------------------------------------------

    def ask(self) -> NDArray[Any]:
        """Next points to evaluate, (n, ...).

        What was asked and not yet told, or said to have failed, is asked again; nothing is drawn and nothing changes then.

        Raises
        ------
        ParameterError
            where the horizon is used up
        """
        if self._open is None:
            if self.remaining == 0:
                raise ParameterError("ask", f"all {self.told} evaluations of the horizon are made", "recommend()")
            left = UNLIMITED if self.remaining is None else self.remaining
            asked = np.array(self._player.ask(left))
            self._open = Observation(asked, np.full(len(asked), math.nan), [None] * len(asked))
        return self._open.asked[np.isnan(self._open.values)]

    def tell(self, values: Any, play: Any = None, *, failed: str = "again") -> None:
        """Values at the points requested last.

        Parameters
        ----------
        values : a number, or (n,) numbers in the order asked; ``None`` in the place of an evaluation that failed
        play : what ``problem.play(...)`` returned, where a play is more than a point: one, or a list of n
        failed : what becomes of a failed evaluation. ``"again"``: the next :meth:`ask` returns it once more, and the policy
            waits. ``"worst"``: it counts as the smallest value told so far, and the policy goes on

        Raises
        ------
        ParameterError
            before the first :meth:`ask` and after a batch was told, for another number or shape of values, NaN or infinity,
            a missing or needless play. Nothing was changed then
        """
        if self._open is None:
            raise ParameterError("tell", "nothing has been asked", "a call of ask() first")
        if failed not in FAILURES:
            raise ParameterError("failed", f"got {failed!r}", f"one of {', '.join(FAILURES)}")
        waiting = np.flatnonzero(np.isnan(self._open.values))
        given = checked_values(values, len(waiting))
        plays = self._checked_plays(play, len(waiting))
        missing = np.isnan(given)
        count = int(missing.sum())
        if count and failed == "worst":
            given = np.where(missing, self._worst(given), given)
        now = Observation(self._open.asked, self._open.values.copy(), list(self._open.plays))
        for place, value, made in zip(waiting, given, plays, strict=True):
            now.values[place] = value
            now.plays[place] = made if math.isfinite(value) else None
        if np.isfinite(now.values).all():
            now.plays = now.plays if self._player.play_type is not None else []
            self._player.tell(now.values.copy(), now.plays)  # if it refuses, nothing is lost: the batch is still open
            self.history.append(now)
            self._open = None
        else:
            self._open = now
        self.failures += count

    def recommend(self) -> Any:
        """Recommendation of the policy: an index, a point (d,), a law (C, A).

        Raises
        ------
        ParameterError
            before any batch was told
        """
        if not self.history:
            raise ParameterError("recommend", "nothing has been told", "ask(), and tell() what it gave")
        return self._player.recommend()

    def diagnostics(self) -> dict[str, Any]:
        """Diagnostics of the policy, with the numbers of observed and failed evaluations.

        ``design`` says how many first evaluations are drawn before any value is known, where there are such.

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
        note = {"design": self._design} if self.design else {}
        return {**self._player.diagnostics(), **note, "told": self.told, "failures": self.failures}

    def certificate(self, epsilon: float, delta: float = 0.1, **more: Any) -> Certificate:
        """Whether one may stop now: :func:`companion.policies.stopping_certificate.certificate` of what was told.

        Parameters
        ----------
        epsilon, delta : what the recommended candidate may lose, and with which probability it may lose more
        more : ``norm``, ``rule`` and so on, as there

        Raises
        ------
        ParameterError
            for a problem other than :class:`companion.problems.Candidates`

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

        if not isinstance(self.problem, Candidates):
            problem = f"is of type {type(self.problem).__name__}"
            raise ParameterError(
                "problem", problem, "Candidates: a certificate needs the posterior of all that may be best"
            )
        known, told = self.problem, self.asked.astype(np.int64)
        return certificate(
            known.points, known.kernel, known.noise_sd, told, self.values, epsilon=epsilon, delta=delta, **more
        )

    # -- where it stands -------------------------------------------------------------------------------------------

    @property
    def told(self) -> int:
        """Evaluations told, of batches that are complete."""
        return sum(len(batch.values) for batch in self.history)

    @property
    def remaining(self) -> int | None:
        """Evaluations left of the horizon; ``None`` without one."""
        return None if self.horizon is None else self.horizon - self.told

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
        """(t, ...) everything told, in order."""
        return np.concatenate([batch.asked for batch in self.history]) if self.history else np.empty(0)

    @property
    def values(self) -> Floats:
        """(t,) the values told, in order."""
        return np.concatenate([batch.values for batch in self.history]) if self.history else np.empty(0)

    @property
    def design(self) -> int:
        """Size of the initial design, drawn before any value is known; the method's setting ``initial``."""
        drawn = getattr(self.optimiser, "initial", 0)
        return drawn if self.horizon is None else min(drawn, self.horizon)

    @property
    def _design(self) -> str:
        """The design in words."""
        of = "" if self.horizon is None else f" of {self.horizon}"
        return f"the first {self.design}{of} are drawn before any value is known (initial=)"

    @property
    def best(self) -> Best:
        """The recommended point with its posterior mean or, where the policy has none, the largest value told.

        Errors are those of :meth:`recommend`.
        """
        found = self.recommend()
        index = int(found) if np.ndim(found) == 0 else None
        point = np.asarray(found if index is None else self.problem.at(index))
        mean = getattr(self._player, "posterior_mean", lambda recommended: None)(found)
        return Best(point, float(self.values.max()), LARGEST, index) if mean is None else Best(point, mean, MEAN, index)

    @with_advice()
    def frame(self) -> pd.DataFrame:
        """Observations, one row an evaluation.

        Returns
        -------
        with the columns ``evaluation`` and ``batch`` (from 1), ``candidate`` (its index, where there are candidates), the
        coordinates ``x1``, ``x2``, ... (of a law, its entries row by row), ``c1``, ... (of a context), and ``value``

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

        asked, sizes = self.asked, [len(batch.values) for batch in self.history]
        listed = bool(self.history) and asked.ndim == 1
        points = (
            np.reshape(self.problem.at(asked) if listed else asked, (self.told, -1))
            if self.history
            else np.empty((0, 0))
        )
        contexts = [play.context for batch in self.history for play in batch.plays if np.ndim(play.context)]
        return pd.DataFrame(
            {
                "evaluation": np.arange(1, self.told + 1),
                "batch": np.repeat(np.arange(1, len(sizes) + 1), sizes),
                **({"candidate": asked} if listed else {}),
                **{f"x{k}": column for k, column in enumerate(points.T, 1)},
                **{f"c{k}": column for k, column in enumerate(np.array(contexts).T, 1)},
                "value": self.values,
            }
        )

    def __repr__(self) -> str:
        method = "a policy of your own" if self.optimiser is None else self.optimiser.name
        size, dim = (getattr(self.problem, name, None) for name in ("size", "dim"))
        kind = type(self.problem).__name__
        where = f"{size:,} candidates" if size else f"{kind} of dimension {dim}" if dim else kind
        counts = [f"{self.told} told"]
        counts += [] if self.remaining is None else [f"{self.remaining} left"]
        counts += [f"{self.waiting} open"] if self.waiting else []
        design = f"; {self._design}" if self.design else ""
        return f"{method} on {where}: {', '.join(counts)}{design}"

    def save(self, path: str | Path) -> None:
        """Write the session to a file of data, see :func:`companion.policies.session_files.save`."""
        session_files.save(self, path)

    # -- checks ----------------------------------------------------------------------------------------------------

    def _worst(self, given: Floats) -> float:
        now = np.concatenate([given, np.empty(0) if self._open is None else self._open.values, self.values])
        known = now[np.isfinite(now)]
        if not known.size:
            raise ParameterError("failed", "is 'worst' before any value was told", "'again'")
        return float(known.min())

    def _checked_plays(self, play: Any, count: int) -> list[Any]:
        kind = self._player.play_type
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
        in one line, for what is no such file, for another format, and where the present code asks for other points

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
