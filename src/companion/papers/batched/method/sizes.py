"""The five batch-size rules of the paper, with exact ceilings.

========== ============================================ =============================================================
rule       source                                       formula (η = 1/2 for SE, ν/(2ν+d) for Matérn)
========== ============================================ =============================================================
original   Sec. 3.1, eq. (5)                            N_0 = 1,  N_i = min{⌈√(T N_{i-1})⌉, rest}
power      Sec. 3.2, eq. (6)                            N_i = min{⌈T^{1-a^i}⌉, rest}
older      App. D.1.1 (Li and Scarlett, fixed B)        N_i = ⌈T^{(1-η^i)/(1-η^B)} (log T)^{p(η^i-η^B)/(1-η^B)}⌉, i < B;
                                                        N_B = rest;  p = d (SE), 0 (Matérn)
constant   App. D.1.2 (fixed B by end points)           t_i by the same formula, i ≤ B;  p = d+1 (SE), 1 (Matérn)
reference  App. B.2.1, Prop. 5 (analysis only)          T_i by the same formula, i ≤ B;  p = dη (SE), 0 (Matérn)
========== ============================================ =============================================================

Sizes and times are counts of rounds. The horizon T is an integer of any length; logarithms are natural. The smoothness
is the Matérn ν, or ``inf`` for the squared-exponential (SE) kernel.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

from companion.bounds.checks import smoothness
from companion.core.errors import ParameterError, nearest, whole_number
from companion.papers.batched.method.exact import as_fraction, ceil_power, float_ceiling

SCHEDULES = ("original", "power", "constant", "older")
#: Beyond it a rule is no batching any more, and exact rational exponents get slow.
MAX_BATCHES = 10_000


def eta_fraction(nu: Any, dim: int) -> Fraction:
    """η as an exact fraction: 1/2 for SE (``nu = inf``), ν/(2ν+d) for Matérn (Sec. 4.1, Prop. 5).

    Raises
    ------
    ParameterError
        if ν is not positive or the dimension is not a positive integer
    """
    dim = whole_number("dim", dim, 1)
    if smoothness(nu) == math.inf:
        return Fraction(1, 2)
    exact = as_fraction("smoothness", nu)
    return exact / (2 * exact + dim)


def eta(nu: Any, dim: int) -> float:
    """η = 1/2 (SE, ``nu = inf``) or ν/(2ν+d) (Matérn): regret T^{1-η} up to logarithms is the best possible."""
    return float(eta_fraction(nu, dim))


def power_ratio(a: Any) -> Fraction:
    """The parameter a of eq. (6) as the fraction that was written (0.6 is 3/5).

    Raises
    ------
    ParameterError
        unless 0 < a < 1 (a = 0 would be one single batch, a = 1 one round per batch)
    """
    ratio = as_fraction("a", a)
    if not 0 < ratio < 1:
        raise ParameterError("a", f"got {a!r}", "a number strictly between 0 and 1")
    return ratio


def _fill(horizon: int, proposals: Iterable[int]) -> Iterator[int]:
    """Cut a sequence of proposed sizes off where the horizon is used up: N_i = min{proposal, rest}."""
    rest = horizon
    for proposal in proposals:
        yield min(proposal, rest)
        rest -= proposal
        if rest <= 0:
            return


def _original_proposals(horizon: int) -> Iterator[int]:
    size = 1
    while True:
        size = math.isqrt(horizon * size - 1) + 1  # the exact ceiling of the square root
        yield size


def _power_proposals(horizon: int, ratio: Fraction) -> Iterator[int]:
    log_t, decay_rate, power = math.log(horizon), float(ratio), 0
    while True:
        power += 1
        decay = decay_rate**power
        # a^i carries i roundings of a and one of the power; 1 - a^i one more.
        quick = float_ceiling(log_t, 1.0 - decay, power * decay + 2.0)
        yield ceil_power(horizon, 1 - ratio**power) if quick is None else quick


def original_sizes(horizon: int) -> tuple[int, ...]:
    """Batch sizes of eq. (5): N_0 = 1, N_i = min{⌈√(T N_{i-1})⌉, T - N_1 - … - N_{i-1}}.

    Parameters
    ----------
    horizon : T, an integer of at least 2

    Raises
    ------
    ParameterError
        for a horizon that is not such an integer
    """
    horizon = whole_number("horizon", horizon, 2)
    return tuple(_fill(horizon, _original_proposals(horizon)))


def iter_power_sizes(horizon: int, a: Any) -> Iterator[int]:
    """The sizes of eq. (6) one after the other; see :func:`power_sizes`."""
    horizon, ratio = whole_number("horizon", horizon, 2), power_ratio(a)
    expected = math.log(max(math.log2(horizon), 1.0)) / -math.log(float(ratio)) if float(ratio) < 1.0 else math.inf
    if expected > MAX_BATCHES:  # eq. (19) bounds the number of batches by about this
        raise ParameterError(
            "a", f"{a!r} may need about {expected:.3g} batches at T = {horizon}", f"at most {MAX_BATCHES}", "Lower a"
        )
    return _fill(horizon, _power_proposals(horizon, ratio))


def power_sizes(horizon: int, a: Any) -> tuple[int, ...]:
    """Batch sizes of eq. (6): N_i = min{⌈T^{1-a^i}⌉, T - N_1 - … - N_{i-1}}.

    Parameters
    ----------
    horizon : T, an integer of at least 2
    a : strictly between 0 and 1; a float counts as the decimal it prints as, a ``Fraction`` as itself

    Raises
    ------
    ParameterError
        for a horizon or an ``a`` out of range, or an ``a`` so close to 1 that there would be over 10,000 batches
    """
    return tuple(iter_power_sizes(horizon, a))


def _fixed_points(horizon: int, batches: int, nu: Any, dim: int, log_power: Fraction, last: int) -> list[int]:
    """⌈T^{(1-η^i)/(1-η^B)} (log T)^{p(η^i-η^B)/(1-η^B)}⌉ for i = 1..last."""
    exponent = eta_fraction(nu, dim)
    scale = 1 - exponent**batches
    return [
        ceil_power(horizon, (1 - exponent**i) / scale, log_power * (exponent**i - exponent**batches) / scale)
        for i in range(1, last + 1)
    ]


def _fixed_arguments(horizon: Any, batches: Any) -> tuple[int, int]:
    horizon = whole_number("horizon", horizon, 2)
    batches = whole_number("batches", batches, 2)
    if batches > min(horizon, MAX_BATCHES):
        raise ParameterError("batches", f"got {batches}", f"at most min(horizon, {MAX_BATCHES})")
    return horizon, batches


def older_constant_sizes(
    horizon: int, batches: int, nu: Any, dim: int, *, allow_invalid: bool = False
) -> tuple[int, ...]:
    """The fixed-B sizes of Li and Scarlett (App. D.1.1), whose last batch takes the rest.

    Parameters
    ----------
    horizon, batches : T and B, integers with 2 ≤ B ≤ T
    nu, dim : smoothness (``inf`` for SE) and dimension
    allow_invalid : return the raw numbers although the last one is not positive (footnote 10: -604)

    Raises
    ------
    ParameterError
        for arguments out of range, and when the first B-1 batches already exceed the horizon
    """
    horizon, batches = _fixed_arguments(horizon, batches)
    log_power = Fraction(whole_number("dim", dim, 1)) if smoothness(nu) == math.inf else Fraction(0)
    sizes = _fixed_points(horizon, batches, nu, dim, log_power, batches - 1)
    sizes.append(horizon - sum(sizes))
    if sizes[-1] <= 0 and not allow_invalid:
        raise ParameterError(
            "horizon",
            f"T = {horizon} with B = {batches} overflows: the rule of App. D.1.1 gives the sizes {_listed(sizes)}",
            "a horizon at which the first B-1 batches leave something over",
            "Raise the horizon, lower the number of batches, or use the end-point rule of App. D.1.2",
        )
    return tuple(sizes)


def end_times(horizon: int, batches: int, nu: Any, dim: int, *, allow_invalid: bool = False) -> tuple[int, ...]:
    """End points t_1..t_B of App. D.1.2 (Lemmas 12 and 13).

    Parameters
    ----------
    horizon, batches : T and B, integers with 2 ≤ B ≤ T
    nu, dim : smoothness (``inf`` for SE) and dimension
    allow_invalid : return the raw numbers although they do not increase

    Raises
    ------
    ParameterError
        for arguments out of range, and unless 0 < t_1 < … < t_B = T. For SE that needs T well above (log T)^{d+1}
    """
    horizon, batches = _fixed_arguments(horizon, batches)
    log_power = Fraction(whole_number("dim", dim, 1) + 1 if smoothness(nu) == math.inf else 1)
    times = _fixed_points(horizon, batches, nu, dim, log_power, batches)
    if not allow_invalid:
        _require_increasing(times, horizon, batches, log_power, "end points of App. D.1.2")
    return tuple(times)


def constant_sizes(horizon: int, batches: int, nu: Any, dim: int, *, allow_invalid: bool = False) -> tuple[int, ...]:
    """Batch sizes N_i = t_i - t_{i-1} from :func:`end_times`; same arguments and errors."""
    times = end_times(horizon, batches, nu, dim, allow_invalid=allow_invalid)
    return tuple(end - start for start, end in pairwise((0, *times)))


def reference_times(horizon: int, batches: int, nu: Any, dim: int, *, allow_invalid: bool = False) -> tuple[int, ...]:
    """Reference times T_1..T_B of Prop. 5, used by the lower bounds only.

    Parameters
    ----------
    horizon, batches : T and B, integers with 2 ≤ B ≤ T
    nu, dim : smoothness (``inf`` for SE) and dimension
    allow_invalid : return the raw numbers although they do not increase

    Raises
    ------
    ParameterError
        for arguments out of range, and unless 0 < T_1 < … < T_B = T
    """
    horizon, batches = _fixed_arguments(horizon, batches)
    log_power = Fraction(whole_number("dim", dim, 1), 2) if smoothness(nu) == math.inf else Fraction(0)
    times = _fixed_points(horizon, batches, nu, dim, log_power, batches)
    if not allow_invalid:
        _require_increasing(times, horizon, batches, log_power, "reference times of Prop. 5")
    return tuple(times)


def _require_increasing(times: list[int], horizon: int, batches: int, log_power: Fraction, what: str) -> None:
    if all(start < end for start, end in pairwise([0, *times])):
        return
    threshold = math.log(horizon) ** float(log_power)
    reason = (
        f"T = {horizon} is not above (log T)^{log_power} = {threshold:.4g}"
        if horizon <= threshold
        else "at this horizon so many batches leave some of them empty"
    )
    raise ParameterError(
        "horizon",
        f"the {what} for B = {batches} are {_listed(times)} and do not increase: {reason}",
        f"0 < t_1 < ... < t_{batches} = T",
        "Raise the horizon or lower the number of batches",
    )


def _listed(values: Iterable[int]) -> str:
    return ", ".join(str(value) for value in values)


def batch_sizes(
    schedule: str, horizon: int, *, a: Any = None, batches: int | None = None, nu: Any = None, dim: int | None = None
) -> tuple[int, ...]:
    """Batch sizes of a rule chosen by name.

    Parameters
    ----------
    schedule : ``"original"`` (eq. 5), ``"power"`` (eq. 6), ``"constant"`` (App. D.1.2) or ``"older"`` (App. D.1.1)
    horizon : T
    a : for ``"power"`` only
    batches, nu, dim : B, smoothness (``inf`` for SE) and dimension, for ``"constant"`` and ``"older"``

    Raises
    ------
    ParameterError
        for an unknown rule, a missing argument, or whatever the rule itself refuses
    """
    if schedule == "original":
        return original_sizes(horizon)
    if schedule == "power":
        if a is None:
            raise ParameterError("a", "is missing", "a number strictly between 0 and 1 for the power rule")
        return power_sizes(horizon, a)
    if schedule in ("constant", "older"):
        if batches is None or nu is None or dim is None:
            raise ParameterError("batches", "batches, nu or dim is missing", "all three for a fixed number of batches")
        rule = constant_sizes if schedule == "constant" else older_constant_sizes
        return rule(horizon, batches, nu, dim)
    raise ParameterError(
        "schedule", f"got {schedule!r}", "one of " + ", ".join(SCHEDULES), nearest(str(schedule), SCHEDULES)
    )
