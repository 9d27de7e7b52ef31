"""The proof of Theorems 1 and 3, evaluated inequality by inequality on a run.

Input are the batch records of a run and the true values, nothing else of the policy. The chain runs

    measured R_T  <=  worst active point in every batch  <=  four widths times the largest sd of the batch before
    <=  Lemma 9 with the realised gains  <=  with certified upper bounds on gamma  <=  T1b  <=  T1c,

where the last two are replaced by what the batch-size rule offers. Needs k(x, x) <= 1 and lambda = sigma^2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from companion.checks.chain import Chain, Step
from companion.core.arrays import Floats
from companion.core.errors import AssumptionError, ParameterError
from companion.papers.batched.method.policy import BatchRecord
from companion.papers.batched.method.sizes import eta
from companion.papers.batched.theory.bounds import (
    ROBUST_PRINTED,
    STANDARD,
    GainEnvelope,
    batch_bounds,
    lemma1_bound,
    theorem1_closed,
    theorem1_summed,
)
from companion.problems import FiniteProblem


def coverage(history: Sequence[BatchRecord], values: Floats) -> dict[str, Any]:
    """Error of the posterior: max |f - mu^i| / sigma^i in every batch.

    Parameters
    ----------
    history : records of a run
    values : (N,) true values of f

    Returns
    -------
    ``worst``, the largest standardised error over the modelled points of each batch (the active points; with their
    neighbours in the robust setting), and ``valid``, whether it stayed within the width in all of them (Props. 1, 6)
    """
    worst = [float((np.abs(np.asarray(values)[r.modelled] - r.mean) / r.sd).max()) for r in history]
    return {"worst": worst, "valid": all(w <= r.width for w, r in zip(worst, history, strict=True))}


def check_assumptions(history: Sequence[BatchRecord], problem: FiniteProblem) -> float:
    """The common width of all batches, after checking what Propositions 2 and 6 assume of a run.

    Raises
    ------
    AssumptionError
        if a confidence bound failed, the widths of the batches differ, or |f| exceeds the width somewhere (then the
        width is below the norm bound, and 2 widths do not cover the regret of the first batch)
    """
    widths = {record.width for record in history}
    if len(widths) != 1:
        raise AssumptionError(f"the batches have {len(widths)} different widths; Prop. 2 is stated for one")
    width = widths.pop()
    found = coverage(history, problem.values)
    if not found["valid"]:
        worst = max(found["worst"])
        raise AssumptionError(
            f"a confidence bound failed: |f - mu| is {worst:.4g} sd somewhere, the width is {width:.4g}"
        )
    height = float(np.abs(problem.values).max())
    if height > width:
        raise AssumptionError(f"|f| reaches {height:.4g}, above the width {width:.4g}")
    return width


def per_batch(
    history: Sequence[BatchRecord],
    problem: FiniteProblem,
    *,
    gain_upper: Mapping[int, float] | None = None,
    require_valid: bool = True,
) -> list[dict[str, Any]]:
    """Proposition 2 (in the robust setting eq. 162) batch by batch, measured regret beside its bounds.

    Parameters
    ----------
    history : records of a run
    problem : the true function; its robust regret is used when it has neighbourhoods
    gain_upper : upper bounds on gamma_n at n = N_1..N_{B-1} (more are welcome)
    require_valid : refuse runs that break the assumptions, see :func:`check_assumptions`

    Returns
    -------
    one record per batch with ``batch``, ``size``, ``measured`` = R^i, ``worst_active`` = N_i max r over X_i, ``widths``
    = 2 N_1 width, then 4 N_i width (largest sd after batch i-1), ``realised`` (Lemma 9 with I_{i-1}), and ``certified``
    (with ``gain_upper``; None without). In the robust setting ``printed`` and ``certified`` have the 6 of Lemma 10 for
    the 4 of the shorter argument
    """
    regret, sizes = problem.robust_regret, [record.size for record in history]
    width = check_assumptions(history, problem) if require_valid else max(record.width for record in history)
    robust = problem.neighbours is not None
    factor = ROBUST_PRINTED if robust else STANDARD
    gains = [record.gain for record in history[:-1]]
    realised = batch_bounds(sizes, gains, width, problem.noise_sd, elimination=STANDARD)
    printed = batch_bounds(sizes, gains, width, problem.noise_sd, elimination=factor)
    certified: Sequence[Any] = [None] * len(sizes)
    if gain_upper is not None:
        upper = _monotone(gain_upper, sizes[:-1])
        certified = batch_bounds(sizes, upper, width, problem.noise_sd, elimination=factor).tolist()
    rows = []
    for place, record in enumerate(history):
        per_round = STANDARD * width * history[place - 1].largest_sd if place else 2 * width
        rows.append(
            {
                "batch": record.number,
                "size": record.size,
                "measured": float(regret[record.charged].sum()),
                "worst_active": record.size * float(regret[record.active].max()),
                "widths": record.size * per_round,
                "realised": float(realised[place]),
                "printed": float(printed[place]),
                "certified": certified[place],
            }
        )
    return rows


def regret_chain(
    history: Sequence[BatchRecord],
    problem: FiniteProblem,
    *,
    gain_upper: Mapping[int, float] | None = None,
    schedule: str = "constant",
    a: float | None = None,
    nu: float = math.inf,
    dim: int = 1,
    trivial: float | None = None,
    require_valid: bool = True,
) -> Chain:
    """Theorem 1 (Theorem 3 for a problem with neighbourhoods) taken apart on one run.

    Parameters
    ----------
    history, problem, require_valid : as :func:`per_batch`
    gain_upper : upper bounds on gamma_n at n = N_1..N_{B-1} and n = T; without them the chain ends with realised gains
    schedule : how the sizes were chosen. ``"power"`` continues to T1b and T1c, where a > 1/2 is Case 1 and
        eta < a <= 1/2 with a finite ``nu`` Case 2 (its envelope c' t^(1-2 eta) is fitted to ``gain_upper``);
        ``"original"`` ends at Lemma 1; any other ends at the sum of Prop. 2
    a, nu, dim : of the power rule and the kernel (``nu`` = inf for SE)
    trivial : what nobody can lose more than, a side value

    Raises
    ------
    AssumptionError
        for runs that break the assumptions, unless ``require_valid`` is off
    ParameterError
        if ``gain_upper`` lacks a count, or ``a`` is missing
    """
    rows = per_batch(history, problem, gain_upper=gain_upper, require_valid=require_valid)
    totals = {
        key: sum(row[key] for row in rows) for key in ("measured", "worst_active", "widths", "realised", "printed")
    }
    robust = problem.neighbours is not None
    steps = [*_measured_steps(totals, robust), *_gain_steps(totals, robust)]
    if gain_upper is not None:
        certified = sum(row["certified"] for row in rows)
        constant = r"6\sqrt{C\beta}" if robust else r"2\sqrt{C_1\beta}"
        latex = rf"2N_1\sqrt\beta+\sum_{{i\ge2}}{constant}\,N_i\sqrt{{\gamma_{{N_{{i-1}}}}/N_{{i-1}}}}"
        reason = "realised gains are at most the maximum information gain; its certified upper end is used"
        steps.append(Step("certified gain", certified, latex, reason, "theorem-3" if robust else "prop-2"))
        width = max(record.width for record in history)
        facts = _Facts(tuple(row["size"] for row in rows), width, problem.noise_sd, robust)
        if schedule == "original":
            steps += _lemma1_step(facts, gain_upper)
        elif schedule == "power":
            steps += _theorem1_steps(facts, gain_upper, a, nu, dim)
    side = {} if trivial is None else {"trivial": trivial}
    return Chain("robust regret" if robust else "regret", tuple(steps), side)


def _measured_steps(totals: Mapping[str, float], robust: bool) -> list[Step]:
    regret = r"r_\xi" if robust else "r"
    return [
        Step("measured", totals["measured"], rf"\sum_t {regret}(x_t)", "regret of the run"),
        Step(
            "worst active point",
            totals["worst_active"],
            rf"\sum_i N_i\max_{{x\in\mathcal X_i}} {regret}(x)",
            "only active points are charged",
        ),
        Step(
            "four widths",
            totals["widths"],
            r"2N_1\sqrt\beta+\sum_{i\ge2}4N_i\sqrt\beta\,\max_x\sigma^{i-1}(x)",
            "valid confidence bounds: a survivor is within four widths of the optimum",
            "lemma-10" if robust else "prop-2",
        ),
    ]


def _gain_steps(totals: Mapping[str, float], robust: bool) -> list[Step]:
    latex = r"2N_1\sqrt\beta+\sum_{i\ge2}%s\sqrt{C\beta}\,N_i\sqrt{I_{i-1}/N_{i-1}}"
    reason = "the last variance is at most the average one, which the information gain bounds"
    steps = [Step("realised gain", totals["realised"], latex % "4", reason, "lemma-9")]
    if robust:
        text = "the paper's argument takes six widths where four suffice"
        steps.append(Step("six widths", totals["printed"], latex % "6", text, "lemma-10"))
    return steps


@dataclass(frozen=True)
class _Facts:
    """Quantities of a run that the closing steps need."""

    sizes: tuple[int, ...]
    width: float
    noise_sd: float
    robust: bool

    @property
    def horizon(self) -> int:
        return sum(self.sizes)


def _lemma1_step(facts: _Facts, gain_upper: Mapping[int, float]) -> list[Step]:
    if facts.robust:
        return []  # Lemma 1 is about the standard setting
    gain = _monotone(gain_upper, [facts.horizon])[0]
    value = lemma1_bound(facts.horizon, gain, facts.width, facts.noise_sd, batches=len(facts.sizes))
    latex = r"4\sqrt{\beta T}+4(B-1)\sqrt{C_1\beta T\gamma_T}"
    return [Step("with factor B", value, latex, "a size is at most twice the root of T times the last one", "lemma-1")]


def _theorem1_steps(facts: _Facts, gain_upper: Mapping[int, float], a: float | None, nu: float, dim: int) -> list[Step]:
    """T1b and T1c, in the case of Theorem 1 that covers ``a``; nothing where none does."""
    if a is None:
        raise ParameterError("a", "is missing", "the a of the power rule")
    exponent = 0.5 if a > 0.5 else eta(nu, dim)
    if a <= exponent:
        return []
    counts = facts.sizes[:-1]
    case1 = a > 0.5
    gain: float | GainEnvelope = (
        _monotone(gain_upper, [facts.horizon])[0]
        if case1
        else GainEnvelope.fitted(counts, _monotone(gain_upper, counts), exponent)
    )
    elimination = ROBUST_PRINTED if facts.robust else STANDARD
    arguments = (facts.horizon, a, gain, facts.width, facts.noise_sd)
    summed = theorem1_summed(*arguments, elimination=elimination, batches=len(facts.sizes))
    closed = theorem1_closed(*arguments, elimination=elimination)
    constant = r"12\sqrt{C" if facts.robust else r"4\sqrt{C_1"
    gamma, power = (r"\gamma_T", "1/2") if case1 else (r"\bar\gamma_T", r"\eta")
    front = rf"4\sqrt\beta\,T^{{1-a}}+{constant}\beta T{gamma}}}"
    factor = r"\tfrac{2^b}{2^b-1}"
    last = (
        rf"\max\{{4\gamma_T^{{-1/2}},{constant}}}\}}\,{factor}\sqrt{{\beta T\gamma_T}}"
        if case1
        else rf"{front}\,{factor}"
    )
    statement = "theorem-3" if facts.robust else "theorem-1"
    rounding = "sizes of rule (6) are at most twice the powers that they round up"
    series = "the sum is below a geometric series, whatever B is"
    return [
        Step("T1b: in terms of T", summed, rf"{front}\sum_{{i\ge2}}T^{{a^{{i-1}}({power}-a)}}", rounding, statement),
        Step("T1c: closed form", closed, last, series, statement),
    ]


def _monotone(gain_upper: Mapping[int, float], counts: Sequence[int]) -> list[float]:
    """The best upper bound on gamma_n at every count: gamma grows with n, so bounds at larger n count as well.

    Raises
    ------
    ParameterError
        if nothing is known at or above a count
    """
    found = []
    for count in counts:
        known = [float(value) for n, value in gain_upper.items() if n >= count]
        if not known:
            raise ParameterError(
                "gain_upper", f"has no entry at or above {count}", "upper bounds at all batch sizes and T"
            )
        found.append(min(known))
    return found
