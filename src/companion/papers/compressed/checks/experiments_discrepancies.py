"""Leads on Section 4, decided from the printed tables, the stored runs and trainings, and short computations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import stats

from companion.checks.suspected_error import Finding, suspected_error
from companion.judge.verdict import CONTRADICTED, HOLDS
from companion.papers.compressed.checks.order_models import printed_improvement, printed_posterior
from companion.papers.compressed.checks.setting_rules import mpi_samples
from companion.papers.compressed.experiments import experiments_claims as claims
from companion.papers.compressed.experiments.parameters import READINGS
from companion.papers.compressed.experiments.printed import CompressedResults
from companion.papers.compressed.method.policy import ACQUISITIONS
from companion.papers.compressed.problems import tuning_table
from companion.papers.compressed.problems.catalogue import A, B, example
from companion.papers.compressed.theory import bounds
from companion.papers.compressed.theory.instances import A as INSTANCE_A
from companion.papers.compressed.theory.instances import played
from companion.policies.acquisition import expected_improvement

EXAMPLE, TUNING = "example-function", "logistic-mnist"
COMPRESSING = tuple(reading for reading in READINGS if reading != claims.PRINTED)


@suspected_error("S17", teeth={"the value in place of the point": {"by_point": False}})
def incumbent_of_the_third_acquisition(*, by_point: bool = True) -> Finding:
    r"""$\xi=\argmax_x\mu_D(x)$ in an acquisition called most probable improvement

    What the display of MPI chooses, with the value for the point, with the point, and as a probability.
    """
    apart, states, exploiting, on_a_line, other = 0.0, 0, 0, 0, 0
    for sample in mpi_samples():
        model = sample.model
        mean, variance = printed_posterior(model.covariance, *sample.data(), model.noise_variance)
        sd, place = np.sqrt(variance), int(np.argmax(mean))
        value = printed_improvement(sd, mean - mean[place])
        improvement = expected_improvement(mean, sd, float(mean[place]))
        apart = max(apart, float(np.abs(value - improvement).max()))
        states += 1
        exploiting += int(np.argmax(stats.norm.cdf((mean - mean[place]) / sd)) == place)
        if model.points.shape[1] == 1:
            shifted = expected_improvement(mean, sd, float(model.points[place, 0] if by_point else mean[place]))
            on_a_line += 1
            other += int(np.argmax(shifted) != np.argmax(value))
    return Finding(
        apart < 1e-9 and other > 0,
        {"difference": apart, "states": states, "on a line": on_a_line, "other": other, "exploiting": exploiting},
    )


@suspected_error("S19", teeth={"failing with probability 0.1": {"failing": 0.1}})
def confidence_and_failure(*, failing: float = 0.9) -> Finding:
    r"""the bounds hold with probability of at least $\delta=0.9$

    :math:`\beta_t` at failure levels 0.9 and 0.1, and how often functions leave the bounds under each.
    """
    size = example().problem.size
    betas = {level: float(bounds.finite_beta(1, size, level)) for level in (0.1, failing)}
    left = {level: 1.0 - float(played(replace(INSTANCE_A, delta=level)).confident().mean()) for level in betas}
    lower = betas[0.1] - betas[failing]
    return Finding(
        lower > 0,
        {"beta": {str(level): beta for level, beta in betas.items()}, "lower": lower, "left": left[failing]},
        size=size,
        beta_printed=betas[failing],
        beta_meant=betas[0.1],
        left_printed=left[failing],
        instance=INSTANCE_A,
        left_meant=left[0.1],
    )


@suspected_error("S20", teeth={"27 percent": {"share": 0.27}})
def share_of_the_time(*, share: float = 0.22) -> Finding:
    """the compressed method needs only 22 percent of the time of the dense one

    Compressed over uncompressed times of Table 4.
    """
    results = CompressedResults.read()
    ratios = results.compressed_ratios("Table 4")
    off = [name for name, ratio in ratios.items() if abs(ratio - share) > results.margins.claims["rounding"]]
    mean = float(np.mean(list(ratios.values())))
    listed = ", ".join(f"{ratio:.1%} ({name})" for name, ratio in ratios.items())
    return Finding(
        len(off) == len(ratios), {"ratios": ratios, "mean": mean}, listed=listed, rounded=len(ratios) - len(off)
    )


@suspected_error("S21", teeth={"the sign turned": {"sign": -1.0}})
def problems_as_described(*, sign: float = 1.0) -> Finding:
    """Rosenbrock's function, to be maximised; four hyper-parameters in the text and two in the caption

    Where the printed Rosenbrock function is largest, and what two and what four hyper-parameters explain.
    """
    axis = np.linspace(-2.0, 2.0, 401)
    x, y = np.meshgrid(axis, axis, indexing="ij")
    printed = sign * ((A - x) ** 2 + B * (y - x**2) ** 2)
    top, low = (np.unravel_index(place, printed.shape) for place in (printed.argmax(), printed.argmin()))
    corner, valley = (tuple(round(float(axis[i]), 2) for i in place) for place in (top, low))
    table = tuning_table.load(tuning_table.best_available())
    two, four = (_explained(table.points[:, columns], table.accuracy) for columns in ([0, 3], [0, 1, 2, 3]))
    return Finding(
        corner != (1.0, 1.0) and valley == (1.0, 1.0),
        {"largest at": corner, "least at": valley, "largest": float(printed.max()), "two": two, "four": four},
        table=table,
        points=len(table.points),
        two_axes=2**2,
        four_axes=2**4,
    )


def _explained(points: Any, accuracy: Any, degree: int = 3) -> float:
    """Share of the variance of the mean accuracy that a polynomial in the columns of ``points`` explains."""
    columns, target = [np.ones(len(points))], accuracy.mean(axis=1)
    for _ in range(degree):  # products of up to `degree` coordinates, some of them twice: least squares does not mind
        columns = [column * x for column in columns for x in (np.ones(len(points)), *points.T)]
    design = np.unique(np.stack(columns, axis=1).round(12), axis=1)
    fitted = design @ np.linalg.lstsq(design, target, rcond=None)[0]
    return 1.0 - float(np.var(target - fitted) / np.var(target))


@suspected_error("S23", teeth={"all of the time saved": {"share": 1.0}, "UCB in place of MPI": {"left_out": "UCB"}})
def words_of_section_4(*, share: float = 0.5, left_out: str = "MPI") -> Finding:
    """orders of magnitude less complexity; a good trade-off for UCB and EI but not for MPI; BKB grows without bound

    Printed times, model orders under every reading, growth of BKB's dictionary, and what saves the time of Table 4.
    """
    results = CompressedResults.read()
    ratios = {table: results.compressed_ratios(table) for table in ("Table 2", "Table 3")}
    saved = [1.0 - ratio for table in ratios.values() for ratio in table.values()]
    mpi, ucb = ratios["Table 2"][left_out], ratios["Table 2"]["UCB"]
    factors = {
        reading: [float(claims.order_ratios(results, EXAMPLE, name, reading).mean()) for name in ACQUISITIONS]
        for reading in READINGS
    }
    most, wanted = max(COMPRESSING, key=lambda reading: max(factors[reading])), results.margins.claims["orders"]
    rounds, sketches = results.tables["growth"].horizon.iloc[0], claims.growth(results, "growth", EXAMPLE)[1:]
    level = [part for part in sketches if part.judgement.verdict == CONTRADICTED]
    growing = [part for part in sketches if part.judgement.verdict == HOLDS]
    trained = _share_of_trainings(results)
    points = {
        "orders of magnitude": max(factors[claims.PRINTED]) < wanted,
        "MPI left out": mpi < ucb,
        "BKB grows without bound": bool(level),
        "skipped trainings": min(trained) > share,
    }
    return Finding(
        all(points.values()),
        {
            "saved": saved,
            "MPI": mpi,
            "UCB": ucb,
            "factors": factors,
            "slopes": {part.what: part.reproduced for part in sketches},
            "level": [part.what for part in level],
            "share of trainings": trained,
            "points": points,
        },
        least_saved=min(saved),
        most_saved=max(saved),
        printed=_listed(factors[claims.PRINTED]),
        largest=_listed(factors[most]),
        most=most,
        wanted=wanted,
        either="has" if min(factors[most]) >= wanted else "has not either",
        rounds=rounds,
        growing=_slopes(growing),
        level_in_words=_slopes(level),
        least_trained=min(trained),
    )


def _share_of_trainings(results: CompressedResults) -> list[float]:
    """Skipped training time over the whole time saved, for every acquisition and reading that rejects, with refits."""
    found = []
    for acquisition in ACQUISITIONS:
        for reading in COMPRESSING:
            rows = (f"gp-{acquisition}", claims.DENSE), (f"cgp-{acquisition}", reading)
            dense, ours = (
                [float(results.times(TUNING, *row, column=name).sum()) for name in (None, "objective_seconds")]
                for row in rows
            )
            found.append((dense[1] - ours[1]) / (dense[0] - ours[0]))
    return found


def _listed(values: list[float]) -> str:
    return ", ".join(f"{value:.1f}" for value in values)


def _slopes(parts: list[Any]) -> str:
    return ", ".join(f"{part.reproduced:.4f} ({part.what.partition(':')[0]})" for part in parts)
