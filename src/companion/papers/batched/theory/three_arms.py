"""The counterexample to the refinement of App. C: three arms on which an arm that Lemma 10 excludes stays alive."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from companion.bounds.confidence import UnionBoundWidth
from companion.core.randomness import stream
from companion.pages import recorded
from companion.papers.batched.method.policy import RobustBPE
from companion.papers.batched.problems.catalogue import three_arms
from companion.papers.batched.theory.bounds import ROBUST_PRINTED, per_round_bounds
from companion.papers.batched.theory.chain import coverage
from companion.simulate import replicate, run_policy


@dataclass(frozen=True, eq=False)
class AppendixCStudy:
    """Three arms, three variants: one row per variant and batch, and how often Lemma 10 was violated over seeds."""

    batches: pd.DataFrame
    violations: pd.DataFrame
    runs: int


VARIANTS = {"none": "Algorithm 1", "printed": "App. C as printed", "repaired": "App. C repaired"}
#: Values of the three arms; large against the noise, so that few evaluations suffice to see what goes wrong.
ARMS = (0.0, 20.0, -10.0)
SIZES, DELTA, NOISE = (30, 8_000, 100), 0.5, 1.0


@recorded(first="seed", count="seeds")
def appendix_c_study(seed: int, seeds: int = 8) -> AppendixCStudy:
    """The counterexample to App. C: survivors per batch, and violations of Lemma 10 in runs with valid bounds."""
    rows, counts = [], []
    for refinement, label in VARIANTS.items():
        outcomes = replicate(partial(_three_arms, refinement=refinement), range(seed, seed + seeds))
        rows += [{"variant": label} | row for row in outcomes[0]["batches"]]
        valid = [o for o in outcomes if o["valid"]]
        broken = sum(o["violated"] for o in valid)
        counts.append({"variant": label, "runs with valid bounds": len(valid), "Lemma 10 violated": broken})
    return AppendixCStudy(pd.DataFrame(rows), pd.DataFrame(counts), seeds)


def _three_arms(seed: int, refinement: str) -> dict[str, Any]:
    modelled = three_arms(*ARMS)
    problem = modelled.problem
    assert modelled.norm is not None  # the counterexample has a norm and neighbours
    assert problem.neighbours is not None
    width = UnionBoundWidth(modelled.norm, problem.size, len(SIZES), DELTA).width()
    policy = RobustBPE(modelled.covariance, NOISE**2, SIZES, width, problem.neighbours, refinement=refinement)
    run_policy(
        policy, problem, sum(SIZES), NOISE * stream(seed, "batched", "three-arms", "noise").standard_normal(sum(SIZES))
    )
    gains = [record.gain for record in policy.history]
    bounds = per_round_bounds(SIZES, gains, width, NOISE, elimination=ROBUST_PRINTED)
    batches, violated = [], False
    for record, bound in zip(policy.history, np.append(bounds[1:], np.inf), strict=True):
        worst = float(problem.robust_regret[record.survivors].max())
        # Lemma 10 bounds the regret of whatever survives a batch by that batch's own gain.
        violated |= worst > bound
        sampled = ", ".join(str(i) for i in np.unique(record.query))
        alive = ", ".join(str(i) for i in np.flatnonzero(record.survivors))
        batches.append(
            {
                "batch": record.number,
                "evaluations": record.size,
                "arms sampled": sampled,
                "arms alive afterwards": alive,
            }
            | {"worst regret alive": worst, "Lemma 10 allows": float(bound)}
        )
    return {
        "batches": batches[:-1],
        "valid": bool(coverage(policy.history, problem.values)["valid"]),
        "violated": violated,
    }
