"""Tests of the conclusions drawn from Tables 1-3, on the stored runs of Appendix E.

Every test takes the printed numbers beside our runs and returns the tested parts of the claim, and further fields. A
comparison between rules is paired: a seed draws the function and the noise, whatever the rule.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from companion.core.randomness import stream
from companion.judge.claim_tests import every
from companion.judge.claims import Parts, Test
from companion.judge.method_comparison import REPETITIONS
from companion.judge.reported import ReportedClaim
from companion.judge.verdict import Judgement, Part, combined, decided, paired_claim, shifted
from companion.papers.batched.experiments.conclusions_claims import CLAIMS, Claim, judge
from companion.papers.batched.experiments.printed import LAST, TABLE_OF, BatchedResults
from companion.papers.batched.experiments.runs import CHECKPOINTS, RULES, rule_label
from companion.papers.batched.experiments.store import CURVE
from companion.papers.batched.problems.catalogue import KERNEL_TITLES
from companion.papers.batched.theory.counts import original_batch_count, power_batch_count

#: Of the paper, per row.
TRIALS = 10

#: Not in ``claims.csv``: no sentence of the paper says it, but Tables 2 and 3 print it, as two rows of one method.
SAME_METHOD = ReportedClaim(
    id="same-method-twice",
    source="Tables 2 and 3",
    claim="The rows Orig and a=0.5 differ, although they are one method: their batch sizes differ by a few rounds",
    how_to_test="both rows run with common random numbers; the printed gap against the interval of the difference, and its "
    "probability under three readings of how the ten trials were drawn",
)


def _conclusion(results: BatchedResults, kernel: str, rule: str) -> Part:
    """One of the nine conclusions of Appendix E, judged on all seeds; the other tie rule stands beside it."""
    claim = next(c for c in CLAIMS if (c.kernel, c.rule) == (kernel, rule))
    outcome, tied = judge(results.frame, claim), judge(results.ties, claim)
    judgement = _judgement(results, claim)
    if tied["outcome"] != judgement.verdict:
        judgement = replace(judgement, reason=f"{judgement.reason}; with ties broken at random: {tied['outcome']}")
    return Part(
        f"{KERNEL_TITLES[kernel]}: {claim.wording}",
        judgement,
        reported=results.gap(kernel, rule),
        reproduced=outcome["difference"],
        extra={
            "relative": outcome["relative"],
            "share_of_seeds_with_less_regret": outcome["share_negative"],
            "share_of_ten_seed_means_that_agree": outcome["ten_agree"],
            "random_ties": {
                "verdict": tied["outcome"],
                "difference": {"mean": tied["difference"], "ci95": [tied["low"], tied["high"]]},
            },
        },
    )


def _judgement(results: BatchedResults, claim: Claim) -> Judgement:
    margin = results.margins.claims["comparable"] * results.summary(claim.kernel, "orig").mean
    return paired_claim(results.against(claim.kernel, claim.rule), claim.says, margin)


def _batches(results: BatchedResults, kernel: str, rule: str) -> Part:
    """Printed number of batches against the rule's own count."""
    printed, count = results.printed(kernel, rule, 0), _count(rule)
    what, told = (
        f"{KERNEL_TITLES[kernel]}, {rule}: number of batches",
        f"{rule}: printed B = {printed:g}, the rule gives {count}",
    )
    return every(what, printed == count, told, reported=printed, reproduced=float(count))


def _count(rule: str) -> int:
    return original_batch_count(LAST) if rule == "orig" else power_batch_count(LAST, float(rule.removeprefix("a=")))


def _few(kernel: str, rules: Sequence[str], *, batches: bool = True) -> Test[BatchedResults]:
    """Conclusions about ``rules``, with the batch counts they mention."""

    def test(results: BatchedResults) -> Parts:
        parts = [_conclusion(results, kernel, rule) for rule in rules]
        counted = [_batches(results, kernel, rule) for rule in ("orig", *rules)] if batches else []
        tied = [part.extra["random_ties"]["verdict"] for part in parts]
        tied += [part.judgement.verdict for part in counted]  # a count has no ties
        return [*parts, *counted], {"verdict_with_random_ties": combined(tied)}

    return test


def equal_rows(results: BatchedResults) -> Parts:
    """Table 2: the gap between the rows ``orig`` and ``a=0.5``, whose sizes differ by at most three points."""
    parts, extra = _same_rows(results, ("matern32",))
    here, there = results.sizes("matern32", "orig"), results.sizes("matern32", "a=0.5")
    most = max(abs(first - second) for first, second in zip(here, there, strict=True))
    told = f"sizes {_listed(here)} and {_listed(there)} differ by at most {most}"
    return [every("batch sizes", most <= 3, told), *parts], extra


def same_method(results: BatchedResults) -> Parts:
    """Tables 2 and 3: two printed rows that are one method, as a contrast of like with like."""
    return _same_rows(results, ("matern32", "matern52"))


def _same_rows(results: BatchedResults, kernels: Sequence[str]) -> Parts:
    """The printed gap counts as contradicted as a difference between rules when our interval leaves it out."""
    parts, readings = [], {}
    for kernel in kernels:
        gap, ours = results.gap(kernel, "a=0.5"), results.against(kernel, "a=0.5")
        reason = f"printed {gap:+.4g}, ours {ours.estimate:+.4g}, interval {ours.low:+.4g} to {ours.high:+.4g}"
        what = f"{KERNEL_TITLES[kernel]}: the printed gap at t = {LAST} is a difference between the rules"
        judged = Judgement(decided(gap in ours, gap not in ours), reason, shifted(ours, gap))
        of = "our difference minus the printed one"
        parts.append(Part(what, judged, gap, ours.estimate, interval_of=of))
        readings[kernel] = {f"t={t}": chance_of_gap(results, kernel, t) for t in (200, LAST)}
    return parts, {"chance_of_printed_gap": readings}


def chance_of_gap(results: BatchedResults, kernel: str, t: int) -> dict[str, Any]:
    """Probability that ten-trial means of the rows ``orig`` and ``a=0.5`` differ by as much as printed, if they share ...

    ... ``functions-and-noise``: the same ten functions and noise; ``functions``: the same ten functions, each row with
    noise of its own; ``one-function``: a single function, each trial with noise of its own; ``nothing``: each row draws
    ten functions of its own. The second and third need trials on fixed functions, which are stored for t = 1000 and the
    original rule; so close are both rules that these stand for either.

    Returns
    -------
    ``gap``, and for each reading the standard deviation of the difference and the probability of a gap at least, and at
    most, as large as printed
    """
    gap = abs(results.gap(kernel, "a=0.5", t))
    first, second = results.runs(kernel, "a=0.5", t), results.runs(kernel, "orig", t)
    generator = stream(0, "batched", "two equal rows", kernel, str(t))
    one, other = generator.integers(len(first), size=(2, REPETITIONS, TRIALS))  # new functions: with replacement
    found = {"functions-and-noise": (first - second)[one].mean(axis=1)}
    if t == LAST:
        found |= _own_noise(results, kernel, generator)
    found["nothing"] = first[one].mean(axis=1) - second[other].mean(axis=1)
    readings = {
        name: {
            "sd": float(values.std(ddof=1)),
            "at_least": float((np.abs(values) >= gap).mean()),
            "at_most": float((np.abs(values) <= gap).mean()),
        }
        for name, values in found.items()
    }
    return {"gap": results.gap(kernel, "a=0.5", t), **readings}


def _own_noise(results: BatchedResults, kernel: str, generator: np.random.Generator) -> dict[str, np.ndarray]:
    """Differences of two ten-trial means whose trials share functions but not noise, shape (10,000,) each."""
    table = results.repeats[results.repeats.kernel == kernel].pivot(index="function", columns="seed", values="R1000")
    trials = np.stack([row[~np.isnan(row)] for row in table.to_numpy()])
    functions, count = trials.shape
    # Drawn with replacement from n trials, values vary by (n - 1)/n of the true variance.
    wider = math.sqrt(count / (count - 1))
    single = np.broadcast_to(generator.integers(functions, size=(REPETITIONS, 1)), (REPETITIONS, TRIALS))
    several = np.argsort(generator.random((REPETITIONS, functions)), axis=1)[:, :TRIALS]
    found = {}
    for name, chosen in (("functions", several), ("one-function", single)):
        picks = generator.integers(count, size=(2, *chosen.shape))
        means = trials[chosen[None], picks].mean(axis=2)
        found[name] = (means[0] - means[1]) * wider
    return found


def same_design(results: BatchedResults) -> Parts:
    """Column t = 200: both rows have the same first batch, and a second one that ends after round 200."""
    parts, readings = [], {}
    for kernel in ("matern32", "matern52"):
        here, there = results.sizes(kernel, "orig"), results.sizes(kernel, "a=0.5")
        alike = here[0] == there[0] and min(sum(here[:2]), sum(there[:2])) >= 200
        equal = results.runs(kernel, "orig", 200) == results.runs(kernel, "a=0.5", 200)
        told = f"first batches {_listed(here[:2])} and {_listed(there[:2])}; seeds with equal regret at t = 200"
        what, gap = f"{KERNEL_TITLES[kernel]}: same design up to t = 200", results.gap(kernel, "a=0.5", 200)
        parts.append(every(what, equal & alike, told, reported=gap, reproduced=0.0))
        readings[kernel] = {"t=200": chance_of_gap(results, kernel, 200)}
    return parts, {"chance_of_printed_gap": readings}


def printed_batches(results: BatchedResults) -> Parts:
    """Table 3 prints B = 3 for a = 0.5; the rule, and the breaks of the printed row itself, say otherwise."""
    sizes = results.sizes("matern52", "a=0.5")
    merged = (*sizes[:-2], sum(sizes[-2:]))
    times, values = (0, *CHECKPOINTS), _printed_curve(results, "matern52", "a=0.5")
    fits = {len(chosen): float(np.abs(residuals(chosen, times[1:], values[1:])).max()) for chosen in (sizes, merged)}
    return [_batches(results, "matern52", "a=0.5")], {"largest_residual_of_printed_row_by_batches": fits}


def linear_in_batch(results: BatchedResults) -> Parts:
    """Within a batch the averaged regret grows linearly: printed rows, and our means with their intervals."""
    share = results.margins.claims["linear"]
    parts = []
    for kernel, rules in RULES.items():
        for rule in map(rule_label, rules):
            sizes, title = results.sizes(kernel, rule), f"{TABLE_OF[kernel]}, {rule}"
            worst = float(np.abs(residuals(sizes, CHECKPOINTS, _printed_curve(results, kernel, rule)[1:])).max())
            bound = share * results.printed(kernel, rule)
            curves = np.stack([results.runs(kernel, rule, t) for t in CURVE], axis=1)
            per_seed = np.stack([residuals(sizes, CURVE, curve) for curve in curves])
            # The fit is linear in the curve, so residuals of the mean are means of the residuals.
            column = int(np.argmax(np.abs(per_seed.mean(axis=0))))
            interval = results.mean(per_seed[:, column])
            judgement = paired_claim(interval, "comparable", share * results.summary(kernel, rule).mean)
            parts.append(Part(f"{title}, ours", judgement, worst, interval.estimate))
            told = f"largest residual {worst:.3g}, bound {bound:.3g}"
            parts.append(every(f"{title}, printed", worst <= bound, told, reported=worst))
    return parts, {}


def residuals(sizes: Sequence[int], times: Sequence[int], curve: Sequence[float] | np.ndarray) -> np.ndarray:
    """Residuals of the least-squares fit of a curve's increments by one slope per batch.

    An increment over (t_{k-1}, t_k] is Σ_i s_i |batch i ∩ (t_{k-1}, t_k]|.

    Parameters
    ----------
    sizes : N_1..N_B
    times : t_1 < t_2 < ..., shape (n,)
    curve : cumulative regret at those times, shape (n,)

    Returns
    -------
    shape (n - 1,); zero where the slopes can reproduce the increments exactly
    """
    ends = np.cumsum(sizes)
    starts = ends - np.asarray(sizes)
    before, after = np.asarray(times[:-1])[:, None], np.asarray(times[1:])[:, None]
    overlap = np.clip(np.minimum(after, ends) - np.maximum(before, starts), 0, None).astype(float)
    increments = np.diff(np.asarray(curve, dtype=float))
    slopes = np.linalg.lstsq(overlap, increments, rcond=None)[0]
    return np.asarray(increments - overlap @ slopes)


def _printed_curve(results: BatchedResults, kernel: str, rule: str) -> list[float]:
    return [0.0, *(results.printed(kernel, rule, t) for t in CHECKPOINTS)]


def _listed(sizes: Sequence[int]) -> str:
    return "/".join(map(str, sizes))


TESTS: dict[str, Test[BatchedResults]] = {
    "se-0.52-comparable": _few("se", ("a=0.52",)),
    "se-larger-a-smaller": _few("se", ("a=0.6", "a=0.65")),
    "matern32-0.4-smaller": _few("matern32", ("a=0.4",)),
    "matern32-0.31-worse": _few("matern32", ("a=0.31",), batches=False),
    "matern32-aa": equal_rows,
    "matern52-smaller": _few("matern52", ("a=0.36", "a=0.4")),
    "matern52-0.5-batches": printed_batches,
    "aa-t200": same_design,
    "linear-in-batch": linear_in_batch,
}
