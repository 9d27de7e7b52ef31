"""Statements on bad batches: one of them always occurs, and early enough one knows which (Lemma 4)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise

from companion.checks.cases import Case, none_of
from companion.checks.instance import Instance
from companion.checks.statement import need, statement
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp import grid
from companion.papers.batched.method.policy import AdaptivePlayer
from companion.papers.batched.method.sizes import reference_times
from companion.papers.batched.theory.players import KERNEL, family

# -- bad events and Lemma 4 --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Schedules:
    """All schedules of B batches up to T against one vector of reference times, or against all of them."""

    horizon: int
    reference: tuple[int, ...] | None
    batches: int


def bad_batches(ends: Sequence[int], reference: Sequence[int]) -> list[bool]:
    """Eqs. (62), (63): whether A_1 = {t_1 ≥ T_1} and A_i = {t_{i-1} < T_{i-1}, t_i ≥ T_i} occurred."""
    first = ends[0] >= reference[0]
    later = [s < rs and e >= re for (s, e), (rs, re) in zip(pairwise(ends), pairwise(reference), strict=True)]
    return [first, *later]


def schedules(horizon: int, batches: int) -> Iterator[tuple[int, ...]]:
    """All 0 < t_1 < … < t_B = T."""
    for inner in combinations(range(1, horizon), batches - 1):
        yield (*inner, horizon)


@statement(
    "bad-events",
    "identity",
    lambda: (
        *(Schedules(t, None, b) for t, b in ((6, 2), (8, 3), (9, 4), (8, 5))),
        Schedules(8, (2, 4, 8), 3),
        Schedules(30, (3, 10, 30), 3),
        Schedules(24, (2, 6, 14, 24), 4),
    ),
    need("$B\\le T$, so that a schedule exists", lambda item: item.batches <= item.horizon, Schedules(3, None, 4)),
    teeth={"exactly one occurs": {"most": 1}, "at least two occur": {"least": 2}},
)
def bad_events(instance: Schedules, *, least: int = 1, most: float = math.inf) -> Case:
    r"""$A_1=\{t_1\ge T_1\}$, $A_i=\{t_{i-1}<T_{i-1},\,t_i\ge T_i\}$: at least one of $A_1,\dots,A_B$ occurs, hence
    $\sum_i\P_0(A_i)\ge1$
    """
    references = [instance.reference] if instance.reference else list(schedules(instance.horizon, instance.batches))
    checked = broken = 0
    for ends in schedules(instance.horizon, instance.batches):
        for reference in references:
            checked += 1
            broken += not least <= sum(bad_batches(ends, reference)) <= most
    return none_of(broken, checked, f"T={instance.horizon}, B={instance.batches}, {checked} pairs of schedules")


class AdaptiveRule(Instance):
    """An algorithm with adaptive batches under the zero function.

    ``kernel`` is ``"mean"``, ``"sign"`` or ``"count"`` for rules that look at the values only, else one of the kernels:
    then batches are those of the adaptive player of :mod:`companion.papers.batched.method.policy`, begun two rounds early.
    """

    words = "{self.kernel}, d={self.dim}, noise {self.noise:g}, reference times {self.reference}"

    kernel: str
    dim: int
    noise: float
    reference: tuple[int, ...]
    runs: int = 60

    def ends(self, values: Floats) -> list[int]:
        """t_1..t_B for the observations y_1..y_T."""
        if self.kernel in KERNEL:
            return _player_ends(self, values)
        horizon, known, ends = self.reference[-1], self.reference[0] - 2, []
        for number in range(1, len(self.reference)):
            ends.append(known)
            past = values[:known]
            state = {
                "mean": float(past.mean()),
                "sign": float(past[-1]),
                "count": float((past > 0).mean()) - 0.5,
            }[self.kernel]
            # two rounds before the next reference time, or one after it, as the values say
            target = self.reference[number] - 2 if state < 0 else self.reference[number] + 1
            known = min(max(target, known + 1), horizon - len(self.reference) + number + 1)
        return [*ends, horizon]


@lru_cache(maxsize=16)
def _domain(kernel: str, dim: int) -> Floats:
    return KERNEL[kernel](grid(30 if dim == 1 else 6, dim))


def _player_ends(rule: AdaptiveRule, values: Floats) -> list[int]:
    """Batch ends of the adaptive player, whose batch is halved once less than half of the domain is alive."""
    times = (rule.reference[0] - 2, *rule.reference[1:])
    policy = AdaptivePlayer(_domain(rule.kernel, rule.dim), rule.noise**2, times, 0.6)
    done, ends = 0, []
    while done < len(values):
        size = len(policy.ask(len(values) - done).query)
        policy.tell(values[done : done + size])
        done += size
        ends.append(done)
    # A batch that reaches the horizon leaves nothing for the later ones.
    return [*ends, *[done] * (len(times) - len(ends))]


@lru_cache(maxsize=64)
def _coupled(rule: AdaptiveRule, number: int, known: int) -> tuple[int, int]:
    """In how many runs A_i occurs, and in how many it changes when the values after the first ``known`` change."""
    generator = stream(0, "batched", "lemma-4", rule.where, str(number))
    occurred = changed = 0
    for _ in range(rule.runs):
        values = rule.noise * generator.standard_normal(rule.reference[-1])
        other = rule.noise * generator.standard_normal(rule.reference[-1])
        other[:known] = values[:known]
        first = bad_batches(rule.ends(values), rule.reference)[number - 1]
        second = bad_batches(rule.ends(other), rule.reference)[number - 1]
        occurred, changed = occurred + first, changed + (first != second)
    return occurred, changed


def _lemma_4_instances() -> Iterable[AdaptiveRule]:
    for kind, noise in (("mean", 1.0), ("sign", 0.3), ("count", 3.0)):
        yield AdaptiveRule(kind, 1, noise, (10, 40, 100), 200)
        yield AdaptiveRule(kind, 1, noise, (12, 30, 70, 150), 200)
    for kernel, dim, noise in (("SE", 1, 0.3), ("Matérn 3/2", 1, 1.0), ("Matérn 5/2", 2, 0.3), ("Matérn 1/2", 1, 1.0)):
        yield AdaptiveRule(kernel, dim, noise, reference_times(120, 3, family(kernel, dim).smoothness, dim), 40)


@statement(
    "lemma-4",
    "identity",
    _lemma_4_instances,
    need(
        "the reference times increase and leave two rounds before the first",
        lambda item: item.reference[0] > 2 and all(s < e for s, e in pairwise(item.reference)),
        AdaptiveRule("mean", 1, 1.0, (10, 10, 100)),
    ),
    teeth={"decided five rounds earlier": {"lag": 5}},
    depends="bad-events",
)
def lemma_4(instance: AdaptiveRule, *, lag: int = 0) -> Iterator[Case]:
    r"""for $t\ge T_{i-1}$: $\P_0^t(A_i)=\P_0(A_i)$

    Two runs with the same values in rounds 1..T_{i-1}-1 and independent ones afterwards agree on A_i.
    """
    for number in range(2, len(instance.reference) + 1):
        known = max(0, instance.reference[number - 2] - 1 - lag)
        _, changed = _coupled(instance, number, known)
        yield none_of(changed, instance.runs, f"{instance.where}: A_{number} changed by later values")
