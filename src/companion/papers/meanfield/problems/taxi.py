"""Taxi repositioning in Manhattan (Section 5.3.2): spread taxis over the blocks of a grid as passengers ask for them.

The paper counts pickups on twenty Fridays from 15:00 to 18:00 in a region it does not name, on three grids whose blocks it
gives as "500, 400 and 300 square metres", which can only be the blocks' sides in metres. The region here is longitude
[-74.02, -73.95), latitude [40.70, 40.80), 5.9 by 11.1 km, whose blocks on the three grids have about these sides.

The pickups are real but another sample than the paper's: pooled from public extracts of 2009 to 2016, with all working days
in the default, since Fridays alone leave the map sparse. Without the file, demand is synthetic: a ridge along the island,
with a log-normal factor in each block.
"""

from __future__ import annotations

import csv
import datetime
import gzip
import io
import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from companion.core.arrays import Floats, Integers
from companion.core.errors import DataError, ParameterError, nearest, whole_number
from companion.papers.meanfield.problems.divergence import demand_problem
from companion.papers.meanfield.problems.mean_field import MeanFieldProblem
from companion.problems.datasets import VARIABLE, DataUsed, data_file, data_used

DATASET, FILE = "nyc_taxi", "nyc_taxi_pickups_pooled.csv.gz"
SOURCE = "Section 5.3.2, Figures 4 and 5"
AGENTS = 20_000
#: Blocks in longitude and latitude of the three grids, Figure 5.
GRIDS = {"a": (12, 20), "b": (15, 26), "c": (20, 36)}
#: |A| as printed: blocks with demand.
PRINTED_ACTIONS = {"a": 160, "b": 235, "c": 394}
WEST, EAST, SOUTH, NORTH = -74.02, -73.95, 40.70, 40.80
HOURS = (15, 18)
FRIDAY = 4
#: Days averaged, and mean number of pickups on one of them in the synthetic demand.
FRIDAYS, TRIPS = 20, 1200

DATA = ("auto", "working-days", "fridays", "tlc", "synthetic")
REMARKS = {
    "working-days": "pooled sample of real pickups, 2009-2016, Monday to Friday 15-18 h; not the paper's file",
    "fridays": "pooled sample of real pickups, 2009-2016, Fridays 15-18 h; not the paper's file",
    "tlc": "real pickups of January 2009 and January 2015, Monday to Friday 15-18 h; not the paper's file",
    "synthetic": "synthetic demand, a stand-in for taxi pickups",
}


class Pickups(NamedTuple):
    """Rows of the file: ``longitude``, ``latitude``, ``weekday`` (Monday 0), ``hour``, and whether ``tlc`` published it."""

    longitude: Floats
    latitude: Floats
    weekday: Integers
    hour: Integers
    tlc: NDArray[np.bool_]


def pickups() -> Pickups | None:
    """The pooled pickups, or ``None`` without the file; :class:`DataError` if it is not the one it should be."""
    content = data_file(DATASET, FILE)
    return None if content is None else _parsed(content)


@lru_cache(maxsize=2)
def _parsed(content: bytes) -> Pickups:
    with gzip.open(io.BytesIO(content), "rt", encoding="ascii", newline="") as file:
        rows = list(csv.DictReader(file))
    times = [datetime.datetime.fromisoformat(row["pickup_datetime"]) for row in rows]
    return Pickups(
        np.array([float(row["pickup_longitude"]) for row in rows]),
        np.array([float(row["pickup_latitude"]) for row in rows]),
        np.array([time.weekday() for time in times], dtype=np.int64),
        np.array([time.hour for time in times], dtype=np.int64),
        np.array([row["source"].startswith("tlc_") for row in rows]),
    )


def block_counts(rows: Pickups, grid: tuple[int, int], chosen: NDArray[np.bool_]) -> Integers:
    """Pickups of the chosen rows in each block of ``grid`` (nx, ny), shape (nx ny,); block = i ny + j, i from the west.

    Rows outside the region are left out, among them those with longitude 0, which are faulty.
    """
    across, along = grid
    inside = (
        chosen & (rows.longitude >= WEST) & (rows.longitude < EAST) & (rows.latitude >= SOUTH) & (rows.latitude < NORTH)
    )
    i = np.floor((rows.longitude[inside] - WEST) / (EAST - WEST) * across).astype(np.int64)
    j = np.floor((rows.latitude[inside] - SOUTH) / (NORTH - SOUTH) * along).astype(np.int64)
    # A coordinate within rounding of the upper edge may come out as one block too far.
    block = np.minimum(i, across - 1) * along + np.minimum(j, along - 1)
    return np.bincount(block, minlength=across * along).astype(np.int64)


def _real_demand(rows: Pickups, grid: tuple[int, int], data: str) -> Floats:
    chosen = (rows.hour >= HOURS[0]) & (rows.hour < HOURS[1]) & (rows.weekday <= FRIDAY)
    if data == "fridays":
        chosen &= rows.weekday == FRIDAY
    if data == "tlc":
        chosen &= rows.tlc
    counts = block_counts(rows, grid, chosen)
    return np.asarray(counts / counts.sum())


def synthetic_demand(grid: tuple[int, int], generator: np.random.Generator) -> Floats:
    """Average of twenty normalised Fridays of Poisson counts, 1,200 each on average, shape (nx ny,).

    In km around (40.754 N, 73.982 W), with v along the island (27 degrees east of north) and u across, the intensity is
    1{|u| < 1.6} exp(-(v / 2.6)^2 / 2), integrated over each block, times exp(N(0, 1/4)).
    """
    across, along = grid
    nodes = (np.arange(8) + 0.5) / 8.0  # midpoints of 8 x 8 parts of a block
    longitude = WEST + (EAST - WEST) * (np.arange(across)[:, None] + nodes).ravel() / across
    latitude = SOUTH + (NORTH - SOUTH) * (np.arange(along)[:, None] + nodes).ravel() / along
    east = (longitude + 73.982) * 111.32 * math.cos(math.radians(40.75)) - 0.10
    north = (latitude - 40.754) * 111.0 - 0.15
    turn = math.radians(27.0)
    v = east[:, None] * math.sin(turn) + north[None] * math.cos(turn)
    u = east[:, None] * math.cos(turn) - north[None] * math.sin(turn)
    density = np.where(np.abs(u) < 1.6, np.exp(-0.5 * (v / 2.6) ** 2), 0.0)
    intensity = density.reshape(across, 8, along, 8).mean(axis=(1, 3)).ravel()
    intensity = intensity * np.exp(0.5 * generator.standard_normal(across * along))
    days = generator.poisson(TRIPS * intensity / intensity.sum(), (FRIDAYS, across * along)).astype(np.float64)
    return np.asarray((days / days.sum(axis=1, keepdims=True)).mean(axis=0))


def block_demand(grid: tuple[int, int], data: str = "auto") -> tuple[Floats, str]:
    """Demand over all blocks of ``grid``, shape (nx ny,), and which of :data:`DATA` it is.

    Raises
    ------
    ParameterError
        for an unknown ``data``
    DataError
        if real pickups are asked for and the file is absent, or it is not the one it should be
    """
    if data not in DATA:
        raise ParameterError("data", f"got {data!r}", ", ".join(DATA), nearest(str(data), DATA))
    rows = None if data == "synthetic" else pickups()
    if rows is None:
        if data not in ("auto", "synthetic"):
            raise DataError(
                f"{DATASET}/{FILE} is not there: set {VARIABLE} to the folder that holds it (data/README.md)"
            )
        return synthetic_demand(grid, np.random.default_rng(0)), "synthetic"
    used = "working-days" if data == "auto" else data
    return _real_demand(rows, grid, used), used


def taxi_data(asked: str) -> DataUsed:
    """Pickups that ``data`` stands for."""
    choice = "working-days" if asked == "auto" else asked
    other = DataUsed("synthetic", REMARKS["synthetic"], False)
    return data_used(asked, choice, REMARKS[choice], DATASET, FILE, other)


def taxi(
    grid: str = "a", agents: int = AGENTS, actions: int | None = None, data: str = "auto", noise_sd: float = 0.0
) -> MeanFieldProblem:
    """Taxi repositioning.

    Parameters
    ----------
    grid : ``"a"``, ``"b"`` or ``"c"``, see :data:`GRIDS`
    agents : M taxis
    actions : blocks kept, those with the largest demand; all blocks with demand by default
    data : see :data:`DATA`; ``"auto"`` takes the pickups of working days where the file is found
    noise_sd : of one observation; the paper adds none

    Raises
    ------
    ParameterError
        for an unknown grid or ``data``, or more blocks than have demand
    DataError
        see :func:`block_demand`
    """
    if grid not in GRIDS:
        raise ParameterError("grid", f"got {grid!r}", ", ".join(GRIDS))
    whole_number("agents", agents)
    demand, used = block_demand(GRIDS[grid], data)
    blocks = np.flatnonzero(demand)
    if actions is not None:
        whole_number("actions", actions, 2, len(blocks))
        blocks = np.sort(blocks[np.argsort(-demand[blocks], kind="stable")[:actions]])
    law = demand[blocks] / demand[blocks].sum()
    across, along = GRIDS[grid]
    features = np.column_stack([(blocks // along + 0.5) / across, (blocks % along + 0.5) / along])
    meta = {
        "data": "pooled New York taxi pickups" if used != "synthetic" else "synthetic demand",
        "selection": used,
        "label": "synthetic" if used == "synthetic" else "real-sample",
        "stand_in": used == "synthetic",
        "remark": REMARKS[used],
        "grid": list(GRIDS[grid]),
    }
    return demand_problem(f"taxi-{grid}", agents, law, features, SOURCE, noise_sd, meta, {"blocks": blocks})
