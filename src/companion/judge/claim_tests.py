"""Tested parts of a claim, each by one function; the claims of a paper are put together from them.

"Ours has less regret than its rival on Swarm, in every run that has both" is then, with ``results`` the stored runs::

    @needs("Swarm", "swarm", OURS, RIVAL)
    def less_regret(results: Results) -> Parts:
        ours, theirs = (results.values("swarm", name, "regret") for name in (OURS, RIVAL))
        return [paired(results, "regret", ours, theirs, "smaller", reproduced=summary(ours))], {}

    TESTS = {"less-regret": less_regret}

Where nothing here fits, a plain function makes its own :class:`~companion.judge.verdict.Part`. Numbers that a part shows
besides (``reported``, ``reproduced``, ``extra``, ``interval_of``, ``opponent``) are given by the names of that class.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from companion.core.arrays import Floats
from companion.judge.claims import ABSENT, Parts, Test, absent
from companion.judge.intervals import Interval, mean_interval, slope_interval
from companion.judge.stored_runs import StoredRuns
from companion.judge.verdict import Judgement, Part, decided, exact_claim, exponent_claim, paired_claim, shifted

Results = TypeVar("Results", bound=StoredRuns)
#: Of our number beside a printed one; the other words are ``outside`` and ``undecided``.
WITHIN = "within"


def paired(
    results: StoredRuns, what: str, first: Floats, second: Floats, says: str, factor: float = 1.0, **more: Any
) -> Part:
    """Whether the mean of ``first`` is smaller or larger than ``factor`` times that of ``second``, seed by seed.

    Parameters
    ----------
    first, second : (seeds,), of common seeds
    says : ``smaller`` or ``larger``
    """
    return Part(what, paired_claim(results.paired(first, second, factor), says), **more)


def beyond(what: str, found: Interval, bound: float, says: str, told: str = "", **more: Any) -> Part:
    """Whether an estimate is smaller or larger than a fixed bound.

    Parameters
    ----------
    told : the reason; without it that of the difference from the bound

    Examples
    --------
    >>> from companion.judge.claim_tests import beyond
    >>> from companion.judge.intervals import Interval
    >>> beyond("the exponent", Interval(0.4, 0.35, 0.45, 20), 0.5, "smaller").judgement.verdict
    'holds'
    >>> beyond("the exponent", Interval(0.4, 0.35, 0.55, 20), 0.5, "smaller").judgement.verdict
    'undecided'
    """
    judged = paired_claim(shifted(found, bound), says)
    return Part(what, Judgement(judged.verdict, told or judged.reason, judged.difference), **more)


def power_law(
    results: StoredRuns,
    what: str,
    x: ArrayLike,
    y: ArrayLike,
    claimed: float,
    *,
    reported: float | None = None,
    **more: Any,
) -> Part:
    """Whether y grows like x^claimed, up to the frozen allowance ``exponent``.

    Parameters
    ----------
    x, y : (n,), positive
    """
    slope = log_slope(results, x, y)
    judged = exponent_claim(slope, claimed, results.margins.claims["exponent"])
    return Part(what, judged, reported, slope.estimate, **more)


def log_slope(results: StoredRuns, x: ArrayLike, y: ArrayLike) -> Interval:
    """Exponent of y in x with its interval at the frozen level; at least three positive points."""
    return slope_interval(np.log(x), np.log(y), results.margins.confidence)


def every(what: str, right: ArrayLike, told: str, **more: Any) -> Part:
    """Whether a fact holds in every case; one truth value is one case.

    Parameters
    ----------
    right : (n,) truth values
    told : what is counted; how often it holds follows

    Examples
    --------
    >>> from companion.judge.claim_tests import every
    >>> judged = every("in every run", [True, True, False], "runs below the bound").judgement
    >>> judged.verdict, judged.reason
    ('contradicted', 'runs below the bound: 2 of 3')
    """
    cases = np.atleast_1d(np.asarray(right, dtype=bool))
    return Part(what, exact_claim(int((~cases).sum()), len(cases), told), **more)


def ruled(what: str, holds: bool, fails: bool, reason: str, **more: Any) -> Part:
    """A part with a rule of its own, undecided where neither side is shown."""
    return Part(what, Judgement(decided(holds, fails), reason), **more)


def needs(
    title: str, problem: str, *methods: str, reason: str = ABSENT, **where: str
) -> Callable[[Test[Results]], Test[Results]]:
    """A test that is ``absent`` where these runs are lacking.

    Parameters
    ----------
    title : what is said to be absent
    problem, methods, where : as in :meth:`companion.judge.stored_runs.StoredRuns.has`
    """

    def of(test: Test[Results]) -> Test[Results]:
        @wraps(test)
        def guarded(results: Results) -> Parts:
            if not results.has(problem, *methods, **where):
                return [absent(title, reason)], {}
            return test(results)

        return guarded

    return of


def beside_printed(values: Floats, printed: float, margin: float, confidence: float) -> Mapping[str, Any]:
    """Our mean with its interval, and whether that lies ``within`` a margin of a printed number, ``outside``, or neither.

    Parameters
    ----------
    values : (seeds,)

    Examples
    --------
    >>> import numpy as np
    >>> from companion.judge.claim_tests import beside_printed
    >>> found = beside_printed(np.array([9.8, 10.1, 10.0, 10.3]), printed=10.0, margin=1.0, confidence=0.95)
    >>> found["verdict"], round(found["mean"], 2)
    ('within', 10.05)
    """
    found = mean_interval(values, confidence)
    low, high = found.low - printed, found.high - printed
    within, apart = low >= -margin and high <= margin, low > margin or high < -margin
    return {
        "mean": found.estimate,
        "sd": float(np.std(values, ddof=1)),
        "n": found.count,
        "ci95": found.ends,
        "verdict": WITHIN if within else "outside" if apart else "undecided",
    }
