"""Maritime refuelling (Section 5.3.3): vessels of five regions choose a port, near their own and not too crowded.

    g(p) = -1/2 - sum_x P_x^2 / V_x + sum_c w_c sum_{x in region c} p[c, x],

with P_x the share of vessels in port x and V_x its normalised capacity. One vessel's payoff is
-1/2 - P_x / V_x + 1{its region is the port's}.

*The optimum.* g is concave. Within a region the best shares are proportional to capacity, so that only the masses s_r of the
regions are left: sum_r min(s_r, w_r) - s_r^2 / V_r over sum_r s_r = 1. For a multiplier lam, s_r is (1 - lam) V_r / 2 if that
is at most w_r, and max(w_r, -lam V_r / 2) otherwise. The collection found is certified by the gap of a concave function.

The paper draws thirty ports at random from a data base without saying which, and calls capacities "normalised" without
saying how. Here capacities are yearly calls divided by their sum over the thirty, and ports with less than one call a week
are not drawn: such a port would dominate the reward.
"""

from __future__ import annotations

import csv
import gzip
import io
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from companion.core.arrays import Floats, Integers
from companion.core.errors import DataError, ParameterError, nearest, whole_number
from companion.papers.meanfield.problems.certificates import concave_gap
from companion.papers.meanfield.problems.mean_field import MeanFieldProblem
from companion.problems.datasets import VARIABLE, DataUsed, data_file, data_used

DATASET = "portwatch"
SNAPSHOTS = ("2026-04-02", "2026-01-26")
DATA = ("auto", *SNAPSHOTS, "synthetic")
SOURCE = "Section 5.3.3, Figure 2(d)"
AGENTS, PORTS = 3000, 30
REGIONS = ("Africa", "Asia & Pacific", "Europe", "North America", "South America")
FEWEST_CALLS = 52
NORMALISATIONS = ("sum", "max")
#: The constant that the printed reward subtracts.
BASE = 0.5


class PortSample(NamedTuple):
    """Ports that vessels choose from.

    Parameters
    ----------
    names : of the ports
    degrees : (A, 2) latitude and longitude
    region : (A,) number of the region
    calls : (A,) port calls in a year
    regions : names of the regions
    """

    names: tuple[str, ...]
    degrees: Floats
    region: Integers
    calls: Floats
    regions: tuple[str, ...]


def real_ports(content: bytes, count: int, seed: int = 0, fewest: float = FEWEST_CALLS) -> PortSample:
    """``count`` ports drawn from a snapshot of the data base, from the first seed at or after ``seed`` with all regions.

    Ports with fewer than ``fewest`` calls a year are left out; the others are sorted by their id as text and drawn
    without replacement. ``content`` is the file, not compressed.
    """
    table = csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    rows = [row for row in table if float(row["vessel_count_total"]) >= fewest]
    rows.sort(key=lambda row: row["portid"])
    whole_number("actions", count, len(REGIONS), len(rows))
    while True:
        picks = np.random.default_rng(seed).choice(len(rows), count, replace=False)
        chosen = [rows[int(pick)] for pick in picks]
        if len({row["continent"] for row in chosen}) == len(REGIONS):
            break
        seed += 1
    return PortSample(
        tuple(row["portname"] for row in chosen),
        np.array([[float(row["lat"]), float(row["lon"])] for row in chosen]),
        np.array([REGIONS.index(row["continent"]) for row in chosen], dtype=np.int64),
        np.array([float(row["vessel_count_total"]) for row in chosen]),
        REGIONS,
    )


def made_up_ports(count: int, regions: int = 5, seed: int = 0) -> PortSample:
    """``count`` synthetic ports in ``regions`` regions around the globe, every region used; calls are log-normal."""
    whole_number("regions", regions, 1, 30)
    whole_number("actions", count, regions)
    generator = np.random.default_rng([seed, count, regions])
    region = np.sort(np.concatenate([np.arange(regions), generator.integers(0, regions, count - regions)]))
    centre = np.column_stack([np.zeros(regions), -180.0 + 360.0 * (np.arange(regions) + 0.5) / regions])
    degrees = centre[region] + generator.uniform(-0.4, 0.4, (count, 2)) * (100.0, 360.0 / regions)
    calls = np.rint(np.exp(generator.normal(6.0, 1.2, count))) + FEWEST_CALLS
    names = tuple(f"port {number}" for number in range(count))
    return PortSample(names, degrees, region.astype(np.int64), calls, tuple(f"region {r}" for r in range(regions)))


def region_masses(capacity: ArrayLike, weights: ArrayLike) -> Floats:
    """Masses s (R,) that maximise sum_r min(s_r, w_r) - s_r^2 / V_r over the simplex; see the module's text.

    Parameters
    ----------
    capacity : (R,) V_r, the capacities of the regions, positive
    weights : (R,) w_r, the shares of the vessels
    """
    v, w = np.asarray(capacity, dtype=np.float64), np.asarray(weights, dtype=np.float64)

    def masses(multiplier: float) -> Floats:
        inside = 0.5 * (1.0 - multiplier) * v
        return np.maximum(np.where(inside <= w, inside, np.maximum(w, -0.5 * multiplier * v)), 0.0)

    low, high = -2.0 / v.min(), 1.0  # above one in total, and nothing
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if masses(middle).sum() > 1.0 else (low, middle)
    found = masses(high)
    return np.asarray(found / found.sum())


def best_collection(capacity: Floats, region: Integers, weights: Floats) -> Floats:
    """A collection (C, A) that attains the optimum: vessels stay in their region as far as its mass allows."""
    total = np.bincount(region, capacity, minlength=len(weights))
    masses = region_masses(total, weights)
    within = capacity / total[region]
    staying = np.minimum(masses, weights) / weights
    guests = np.maximum(masses - weights, 0.0)
    collection = np.zeros((len(weights), len(capacity)))
    for c in range(len(weights)):
        own = region == c
        collection[c, own] = staying[c] * within[own]
        if guests.sum() > 0:
            collection[c] += (1.0 - staying[c]) * (guests / guests.sum())[region] * within
    return collection / collection.sum(axis=1, keepdims=True)


def ports(
    agents: int = AGENTS,
    actions: int = PORTS,
    regions: int = 5,
    data: str = "auto",
    normalisation: str = "sum",
    seed: int = 0,
    noise_sd: float = 0.0,
) -> MeanFieldProblem:
    """Maritime refuelling.

    Parameters
    ----------
    agents : M vessels, a multiple of the number of regions: each has exactly the same share
    actions : ports drawn
    regions : contexts; other numbers than five only for synthetic ports
    data : see :data:`DATA`; ``"auto"`` takes the newest snapshot that is found
    normalisation : capacities divided by their ``"sum"`` or their ``"max"``
    seed : of the draw of ports
    noise_sd : of one observation; the paper adds none

    Raises
    ------
    ParameterError
        for an unknown ``data`` or ``normalisation``, fewer ports than regions, or numbers out of range
    DataError
        if a snapshot asked for by name is absent, or a file is not the one it should be
    """
    if normalisation not in NORMALISATIONS:
        raise ParameterError("normalisation", f"got {normalisation!r}", "'sum' or 'max'")
    sample, used = _sample(data, actions, whole_number("regions", regions), seed)
    count = len(sample.regions)
    weights = np.full(count, 1.0 / count)
    capacity = sample.calls / (sample.calls.sum() if normalisation == "sum" else sample.calls.max())
    home = (sample.region[None] == np.arange(count)[:, None]).astype(np.float64)
    mean_field, payoffs = _rewards(capacity, home, weights)
    optimal = best_collection(capacity, sample.region, weights)
    share = weights @ optimal
    gap = concave_gap(optimal, weights[:, None] * (home - 2.0 * share / capacity))
    return MeanFieldProblem(
        name="ports",
        agents=agents,
        action_features=_unit_sphere(sample.degrees),
        context_features=np.eye(count),
        context_weights=weights,
        mean_field=mean_field,
        payoffs=payoffs,
        of_counts=lambda counts: _of_counts(counts, capacity, home),
        optimal=optimal,
        upper_bound=float(mean_field(optimal[None])[0]) + max(gap, 0.0),
        certified=f"concave; gap {max(gap, 0.0):.1e}",
        source=SOURCE,
        noise_sd=noise_sd,
        exact_contexts=True,
        meta=_meta(used, normalisation),
        details={
            "ports": sample.names,
            "regions": sample.regions,
            "region": sample.region,
            "degrees": sample.degrees,
            "capacity": capacity,
        },
    )


def ports_data(asked: str, regions: int) -> DataUsed:
    """Ports that ``data`` stands for; the real ones have five regions."""
    other = DataUsed("synthetic", "synthetic ports, a stand-in for PortWatch", False)
    if regions != len(REGIONS):
        return other
    for snapshot in SNAPSHOTS if asked == "auto" else (asked,):
        file = f"PortWatch_ports_database_{snapshot}.csv"
        if asked != "auto" or any(data_file(DATASET, name) is not None for name in (f"{file}.gz", file)):
            title = f"IMF PortWatch, snapshot of {snapshot}; the draw of ports is ours"
            return data_used(snapshot, snapshot, title, DATASET, f"{file}.gz", other)
    return other


def _sample(data: str, count: int, regions: int, seed: int) -> tuple[PortSample, str]:
    if data not in DATA:
        raise ParameterError("data", f"got {data!r}", ", ".join(DATA), nearest(str(data), DATA))
    if regions != len(REGIONS) and data in SNAPSHOTS:
        raise ParameterError("regions", f"got {regions}", "5 with real ports", "Ask for data='synthetic'")
    wanted = SNAPSHOTS if data == "auto" else (data,)
    for snapshot in wanted if data != "synthetic" and regions == len(REGIONS) else ():
        file = f"PortWatch_ports_database_{snapshot}.csv"
        packed = data_file(DATASET, f"{file}.gz")
        content = data_file(DATASET, file) if packed is None else gzip.decompress(packed)
        if content is not None:
            return real_ports(content, count, seed), snapshot
        if data == snapshot:
            raise DataError(
                f"{DATASET}/{file} is not there: set {VARIABLE} to the folder that holds it (data/README.md)"
            )
    return made_up_ports(count, regions, seed), "synthetic"


def _meta(used: str, normalisation: str) -> dict[str, Any]:
    real = used != "synthetic"
    return {
        "data": f"PortWatch ports, snapshot {used}" if real else "synthetic ports",
        "label": "full" if real else "synthetic",
        "stand_in": not real,
        "remark": (
            f"real ports and yearly calls, IMF PortWatch, snapshot of {used}; the draw of ports is ours"
            if real
            else "synthetic ports, a stand-in for PortWatch"
        ),
        "normalisation": normalisation,
    }


def _rewards(capacity: Floats, home: Floats, weights: Floats) -> tuple[Any, Any]:
    def payoffs(p: Floats) -> Floats:
        share = np.einsum("c,nca->na", weights, p)
        return -BASE - (share / capacity)[:, None] + home[None]

    def mean_field(p: Floats) -> Floats:
        return np.einsum("c,nca,nca->n", weights, p, payoffs(p))

    return mean_field, payoffs


def _of_counts(counts: Integers, capacity: Floats, home: Floats) -> Floats:
    agents = counts.sum(axis=(1, 2))
    share = counts.sum(axis=1) / agents[:, None]
    return np.asarray(-BASE - (share**2 / capacity).sum(axis=1) + (counts * home).sum(axis=(1, 2)) / agents)


def _unit_sphere(degrees: Floats) -> Floats:
    latitude, longitude = np.radians(degrees).T
    return np.column_stack(
        [np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)]
    )
