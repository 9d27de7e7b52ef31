"""Suspected errors: Appendix C, Appendix D, Remark 9 and the experiments of Appendix E."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from companion.bounds.confidence import FixedBeta, UnionBoundWidth
from companion.checks.cases import rejects
from companion.checks.suspected_error import Finding, suspected_error
from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.gp import gp_draw, grid, kernel_by_name
from companion.judge.reported import load_tables
from companion.papers.batched.experiments.conclusions_claims import at_the_end
from companion.papers.batched.experiments.printed import PAPER, BatchedResults, printed_frame
from companion.papers.batched.experiments.runs import CHECKPOINTS, RULES
from companion.papers.batched.method.sizes import constant_sizes, original_sizes, power_sizes
from companion.papers.batched.problems.catalogue import KERNEL_TITLES, ModelledProblem
from companion.papers.batched.theory.robust_runs import RobustSetting, runs
from companion.papers.batched.theory.runs import play
from companion.papers.batched.theory.three_arms import VARIANTS, appendix_c_study
from companion.problems import FiniteProblem

_HORIZON = 1000
#: Failure probability at which a printed "with probability 1 - delta" is judged.
_DELTA = 0.1


@suspected_error("E1", teeth={"the repaired version": {"variant": "repaired"}})
def smaller_sampling_set(*, variant: str = "printed") -> Finding:
    r"""dropping pairs $(x,\delta)$ with $LCB_{i-1}(x+\delta)>\min_{\delta'}UCB_{i-1}(x+\delta')$ from the sampling set
    leaves Lemma 10 and Theorem 3 as they are

    Three independent arms; violations of Lemma 10 under Algorithm 1, Appendix C, and its repair.
    """
    study = appendix_c_study(0, seeds=4)
    counts = study.violations.set_index("variant")
    broken = counts["Lemma 10 violated"].to_dict()
    valid = counts["runs with valid bounds"].to_dict()
    second = study.batches[study.batches.batch == 2].set_index("variant")
    names = {"none": VARIANTS["none"], "printed": VARIANTS[variant], "repaired": VARIANTS["repaired"]}
    regret = {key: float(second.at[name, "worst regret alive"]) for key, name in names.items()}
    allowed = float(second.at[names["printed"], "Lemma 10 allows"])
    confirmed = broken[names["printed"]] > 0 and broken[names["none"]] == broken[names["repaired"]] == 0
    values = {"violations": broken, "valid runs": valid, "worst regret alive": regret, "allowed": allowed}
    return Finding(
        confirmed,
        values,
        printed_broken=broken[names["printed"]],
        printed_runs=valid[names["printed"]],
        plain_broken=broken[names["none"]],
        plain_runs=valid[names["none"]],
        repaired_broken=broken[names["repaired"]],
        repaired_runs=valid[names["repaired"]],
    )


def _slope_residual(sizes: tuple[int, ...], printed: dict[int, float]) -> float:
    """Largest error when the regret between the printed rounds is fitted with one constant per batch."""
    ends = np.cumsum((0, *sizes))
    edges = np.array((0, *CHECKPOINTS))
    overlap = np.minimum(edges[1:, None], ends[None, 1:]) - np.maximum(edges[:-1, None], ends[None, :-1])
    rounds = np.maximum(overlap, 0).astype(float)
    increments = np.diff([0.0, *(printed[t] for t in CHECKPOINTS)])
    slopes = np.linalg.lstsq(rounds, increments, rcond=None)[0]
    return float(np.abs(rounds @ slopes - increments).max())


def _printed_rows() -> dict[tuple[str, str], dict[int, float]]:
    frame = printed_frame(load_tables(PAPER))
    return {
        (str(kernel), str(rule)): {int(t): float(v) for t, v in zip(part.t, part.value, strict=True)}
        for (kernel, rule), part in frame.groupby(["kernel", "rule"])
    }


@suspected_error("E4", teeth={"Matérn 3/2, whose number is right": {"kernel": "matern32"}})
def batches_of_table_3(*, kernel: str = "matern52") -> Finding:
    """$B=3$ for $a=0.5$ (Matérn 5/2)

    The number of batches of a = 0.5, from the rule and from the bends of the printed regret.
    """
    rows, sizes = _printed_rows(), power_sizes(_HORIZON, 0.5)
    here, there = rows[kernel, "a=0.5"], rows["matern32", "a=0.5"]
    residuals = {}
    for (name, rule), printed in rows.items():
        rule_sizes = original_sizes(_HORIZON) if rule == "orig" else power_sizes(_HORIZON, float(rule[2:]))
        # With five or more batches five increments are fitted whatever they are.
        if len(rule_sizes) < len(CHECKPOINTS):
            residuals[f"{name} {rule}"] = _slope_residual(rule_sizes, printed)
    three = _slope_residual((*sizes[:2], _HORIZON - sum(sizes[:2])), here)
    values = {"sizes": list(sizes), "printed": here[0], "residual, three batches": three, "residuals": residuals}
    return Finding(
        here[0] != len(sizes) and three > 10 * max(residuals.values()),
        values,
        batches=len(sizes),
        printed_there=there,
        rows=len(residuals),
        largest_residual=max(residuals.values()),
    )


@suspected_error("E5", teeth={"a = 0.6 in place of 0.5": {"a": 0.6}})
def fewer_batches_and_less_regret(*, a: float = 0.5) -> Finding:
    """for Matérn kernels $a=0.4$ (and $0.36$) has less regret than the original sizes despite fewer batches; means over
    ten trials without a spread, one function per kernel shown

    An A/A comparison inside the printed tables, and the Matérn claims over many functions.
    """
    evidence, rows = BatchedResults.read(), _printed_rows()
    first, second = original_sizes(_HORIZON), power_sizes(_HORIZON, a)
    apart = max(abs(old - new) for old, new in zip(first, second, strict=False))
    gaps = {kernel: _gaps(rows, kernel) for kernel in ("matern32", "matern52")}
    fewer = [row for _, row in evidence.judged.iterrows() if row.claim.says == "smaller" and row.claim.kernel != "se"]
    outcomes = {f"{row.claim.kernel} {row.claim.rule}": str(row.outcome) for row in fewer}
    same = _aa(evidence)
    end = at_the_end(evidence.frame[evidence.frame.kernel != "se"])
    fewest, orig = end[end.fewer == 1], end[end.rule == "orig"]
    better = fewest[fewest.high < 0]
    # Means over ten runs, unpaired: on a function each, or all on one.
    noise = {k: [math.sqrt(0.2) * sd for sd in evidence.spread_between_functions(k)] for k in gaps}
    values = {
        "gaps": gaps,
        "outcomes": outcomes,
        "noise": noise,
        "difference at 200": same,
        "one batch fewer": _by_rule(fewest, "kept"),
        "original sizes": _by_rule(orig, "kept"),
        "better at the end": _by_rule(better, "difference"),
        "kept": {
            "fewer": [float(fewest["kept"].min()), float(fewest["kept"].max())],
            "original": [float(orig["kept"].min()), float(orig["kept"].max())],
        },
    }
    confirmed = apart <= 3 and "holds" not in outcomes.values()
    return Finding(
        confirmed,
        values,
        apart=apart,
        functions=evidence.frame.seed.nunique(),
        fewer=len(fewer),
        holding=_count(outcomes, "holds"),
        contradicted=_count(outcomes, "contradicted"),
        undecided=_count(outcomes, "undecided"),
        better=len(better),
        rows=len(fewest),
    )


def _by_rule(rows: pd.DataFrame, column: str) -> dict[str, float]:
    return {
        f"{kernel} {rule}": float(value)
        for kernel, rule, value in zip(rows.kernel, rows.rule, rows[column], strict=True)
    }


def _gaps(rows: dict[tuple[str, str], dict[int, float]], kernel: str) -> dict[str, float]:
    orig, half, fewer = (rows[kernel, rule] for rule in ("orig", "a=0.5", "a=0.4"))
    return {
        "200": abs(orig[200] - half[200]),
        "1000": abs(orig[1000] - half[1000]),
        "advantage": orig[1000] - fewer[1000],
    }


def _aa(evidence: BatchedResults) -> float:
    """Largest difference at round 200 between Orig and a = 0.5, over kernels and functions, with common noise."""
    frame = evidence.frame[evidence.frame.kernel != "se"]
    wide = frame.pivot(index=["kernel", "seed"], columns="rule", values="R200")
    return float((wide["orig"] - wide["a=0.5"]).abs().max())


def _count(outcomes: dict[str, str], outcome: str) -> int:
    return sum(value == outcome for value in outcomes.values())


@suspected_error("E6", teeth={"in one dimension": {"dim": 1}})
def overflow(*, dim: int = 3) -> Finding:
    """fixing the ends of the batches avoids batch sizes that overflow the horizon

    End points of App. D.1.2 that decrease, and from which horizon on they cannot.
    """
    sizes = constant_sizes(_HORIZON, 4, math.inf, dim, allow_invalid=True)
    ends = np.cumsum(sizes)

    def excess(log_t: float, d: int) -> float:
        return log_t - (d + 1) * math.log(log_t)

    # log T - (d + 1) log log T has its minimum at log T = d + 1 and grows from there on.
    thresholds = {d: math.exp(brentq(excess, d + 1, 100.0, args=(d,))) for d in range(2, 6)}
    listed = ", ".join(f"{value:.2g} ($d={d}$)" for d, value in thresholds.items())
    return Finding(min(sizes) <= 0, {"sizes": list(sizes), "thresholds": thresholds}, ends=ends, listed=listed)


@suspected_error("E12", teeth={"ten times the mean": {"factor": 10.0}})
def last_point(*, factor: float = 1.0) -> Finding:
    r"""$r_\xi(x_T)\le R_{\xi,T}/T$ with probability at least $1-\delta$

    How often the last point's regret exceeds the mean regret, in plain and in robust runs.
    """
    counts = {}
    for robust in (False, True):
        for kernel, dim in (("matern52", 1), ("matern32", 2)):
            setting = RobustSetting(kernel, dim, 0.3, 100, a=0.6, robust=robust)
            above = sum(bool(run.last_base > factor * run.base.sum() / sum(run.sizes)) for run in runs(setting))
            counts[f"{KERNEL_TITLES[kernel]}, d={dim}, {'robust-BPE' if robust else 'BPE'}"] = (
                above,
                len(runs(setting)),
            )
    listed = "; ".join(f"{above} of {total} ({name})" for name, (above, total) in counts.items())
    confirmed = any(rejects(above, total, _DELTA) for above, total in counts.values())
    return Finding(confirmed, {name: list(pair) for name, pair in counts.items()}, listed=listed, delta=_DELTA)


#: Points per axis, where the paper has 50: a quarter of the candidates, and seconds instead of minutes.
_COARSE = 25


@suspected_error("E21", teeth={"a width that the theorem allows": {"used": 14.0}})
def width_of_the_experiment(*, used: float = 2.0) -> Finding:
    r"""$\beta=2$ instead of its theoretical value; whether $\sqrt2$ or 2 multiplies $\sigma$ is not said

    The width the theorem asks for in Appendix E, from below, and runs with it beside runs with the one used.
    """
    points, delta, batches = grid(_COARSE, 2, -5.0, 5.0), 0.1, len(original_sizes(_HORIZON))
    norms: dict[str, Floats] = {}
    for kernel in RULES:
        draws = gp_draw(kernel_by_name(kernel, 2.0), points, stream(0, "batched", "experiment-width", kernel), count=20)
        covariance = kernel_by_name(kernel, 0.5)(points)
        norms[kernel] = np.sqrt(np.sum(draws * np.linalg.solve(covariance, draws.T).T, axis=1))
        if kernel == "matern32":
            theory = [UnionBoundWidth(float(n), len(points), batches, delta).width() for n in norms[kernel][:5]]
            pairs = [_coarse_run(covariance, f, w) for f, w in zip(draws, theory, strict=False)]
            own = [_coarse_run(covariance, f, FixedBeta(2.0).width()) for f in draws[:5]]
    # The norm of the restriction to a part of the grid is a lower bound on the norm.
    least = {k: UnionBoundWidth(float(n.min()), 2500, batches, delta).width() for k, n in norms.items()}
    frame = BatchedResults.read().frame
    lost = 1.0 - frame.groupby("kernel").maximiser_kept.mean()
    by_rule = 1.0 - frame.groupby(["rule", "kernel"]).maximiser_kept.mean()
    orig, others = by_rule["orig"], by_rule.drop("orig")
    ratio = sum(regret for _, regret in pairs) / sum(regret for _, regret in own)
    alive = [float(np.mean([share for share, _ in part])) for part in (pairs, own)]
    values = {
        "least width": least,
        "alive, theory and used": alive,
        "regret ratio": ratio,
        "maximiser lost": {str(kernel): float(share) for kernel, share in lost.items()},
        "maximiser lost by rule": {f"{kernel} {rule}": float(share) for (rule, kernel), share in by_rule.items()},
    }
    return Finding(
        min(least.values()) > used,
        values,
        least_norm=min(n.min() for n in norms.values()),
        largest_norm=max(n.max() for n in norms.values()),
        least_width=min(least.values()),
        delta=delta,
        used_width=FixedBeta(2.0).width(),
        least_lost=orig.min(),
        most_lost=orig.max(),
        least_lost_elsewhere=others.min(),
        most_lost_elsewhere=others.max(),
    )


def _coarse_run(covariance: Floats, function: Floats, width: float) -> tuple[float, float]:
    """Share of candidates alive and regret after a run of Appendix E on the coarse grid, original sizes."""
    problem = FiniteProblem("coarse", grid(_COARSE, 2, -5.0, 5.0), function, 0.02, "draw (App. E)")
    noise = problem.noise_sd * stream(0, "batched", "experiment-width", "noise").standard_normal(_HORIZON)
    modelled = ModelledProblem(problem, covariance, None)
    run = play(modelled, problem.noise_sd**2, original_sizes(_HORIZON), width, noise)
    return float(run.history[-1].survivors.mean()), run.regret
