"""Bike sharing in Louisville (Section 5.3.1): spread bicycles over stations as riders ask for them.

The trips behind the paper's demand are not to be had as the paper used them. **The demand here is synthetic**: it is drawn
on real station coordinates where these are found, and on made-up ones otherwise. The recipe: log shares from a Gaussian
process over the stations, plus independent noise, falling with the distance from the centre; twenty Saturdays with
overdispersed totals, each normalised, then averaged, as the paper does with the counted trips.
"""

from __future__ import annotations

import csv
import io
import math
from typing import Any, NamedTuple

import numpy as np

from companion.core.arrays import Floats
from companion.core.errors import DataError, ParameterError, nearest, whole_number
from companion.papers.meanfield.problems.divergence import demand_problem
from companion.papers.meanfield.problems.mean_field import MeanFieldProblem
from companion.problems.datasets import VARIABLE, DataUsed, data_file, data_used

DATA = ("auto", "stations", "synthetic")
DATASET, FILE, ARRAY = "louvelo", "louvelo_station_coords_43.csv", "LouVelo_centroids_coords.npy"
SOURCE = "Section 5.3.1, Figure 2(c)"
STATIONS, AGENTS = 41, 300
#: Of the recipe: the demand is part of the problem and the same for every method and seed.
SEED = 2025
#: Latitude and longitude of downtown Louisville.
CENTRE = (38.256, -85.748)
SATURDAYS, MEAN_TRIPS, SD_TRIPS = 20, 120.0, 40.0


class StationMap(NamedTuple):
    """Stations in the plane.

    Parameters
    ----------
    places : (S, 2) km east and north of the centre
    name, label, stand_in, remark : for the problem's ``meta``
    """

    places: Floats
    name: str
    label: str
    stand_in: bool
    remark: str


def station_map(data: str = "auto") -> StationMap:
    """The 41 stations: real coordinates where the file is found, else made-up ones.

    Two of the 43 listed coordinates, those farthest from the coordinate-wise median, are left out, to have as many as the
    paper's text says.

    Raises
    ------
    ParameterError
        for an unknown ``data``
    DataError
        if ``"stations"`` is asked for and the file is absent, or it is not the one it should be
    """
    if data not in DATA:
        raise ParameterError("data", f"got {data!r}", ", ".join(DATA), nearest(str(data), DATA))
    degrees = None if data == "synthetic" else _degrees()
    if degrees is None and data == "stations":
        raise DataError(f"{DATASET}/{FILE} is not there: set {VARIABLE} to the folder that holds it (data/README.md)")
    if degrees is None:
        remark = "synthetic demand on made-up stations, a stand-in for LouVelo"
        return StationMap(_made_up_places(), "synthetic stations and demand", "synthetic", True, remark)
    remark = "synthetic demand on the coordinates of LouVelo's stations; no trips were available"
    return StationMap(_real_places(degrees), "LouVelo stations, synthetic demand", "semi-synthetic", True, remark)


def bikes_data(asked: str) -> DataUsed:
    """Stations that ``data`` stands for; the demand is synthetic on either."""
    other = DataUsed("synthetic", "synthetic demand on made-up stations, a stand-in for LouVelo", False)
    title = "LouVelo's stations, with synthetic demand: no trips were available"
    if asked == "auto" and data_file(DATASET, FILE) is None and data_file(DATASET, ARRAY) is not None:
        return data_used("stations", "stations", title, DATASET, ARRAY, other)
    return data_used(asked, "stations", title, DATASET, FILE, other)


def _degrees() -> Floats | None:
    """Latitude and longitude of the listed stations (43, 2), from the table or the array; ``None`` without either."""
    table = data_file(DATASET, FILE)
    if table is not None:
        rows = csv.DictReader(io.StringIO(table.decode("ascii")))
        return np.array([[float(row["latitude"]), float(row["longitude"])] for row in rows])
    array = data_file(DATASET, ARRAY)
    return None if array is None else np.asarray(np.load(io.BytesIO(array), allow_pickle=False), dtype=np.float64)


def _real_places(degrees: Floats) -> Floats:
    east = (degrees[:, 1] - CENTRE[1]) * 111.32 * math.cos(math.radians(CENTRE[0]))
    north = (degrees[:, 0] - CENTRE[0]) * 111.0
    places = np.column_stack([east, north])
    far = np.linalg.norm(places - np.median(places, axis=0), axis=1)
    return places[np.sort(np.argsort(far, kind="stable")[:STATIONS])]


def _made_up_places() -> Floats:
    """A dense centre and a longer tail to the south, about as wide as the real network: 4 by 6 km."""
    generator = np.random.default_rng(SEED)
    places = generator.standard_normal((STATIONS, 2)) * np.array([0.9, 1.3])
    return np.asarray(places + np.array([0.3, -0.8]))


def station_demand(places: Floats, generator: np.random.Generator) -> Floats:
    """Average of twenty normalised Saturdays drawn at ``places`` (S, 2), shape (S,); every station is used.

    log share = GP(squared exponential, length 1 km, variance 1/2) + N(0, 1/4) - distance from the centre / 2; totals are
    negative binomial with mean 120 and standard deviation 40, and the counts multinomial.
    """
    count = len(places)
    distance = np.linalg.norm(places[:, None] - places[None], axis=2)
    covariance = 0.5 * np.exp(-0.5 * distance**2) + 1e-9 * np.eye(count)
    smooth = np.linalg.cholesky(covariance) @ generator.standard_normal(count)
    logit = smooth + 0.5 * generator.standard_normal(count) - 0.5 * np.linalg.norm(places, axis=1)
    share = np.exp(logit - logit.max())
    share /= share.sum()
    size = MEAN_TRIPS**2 / (SD_TRIPS**2 - MEAN_TRIPS)
    totals = generator.negative_binomial(size, size / (size + MEAN_TRIPS), SATURDAYS)
    # A day without trips has no histogram, and a station without trips would be no action.
    counts = np.array([generator.multinomial(max(int(total), 1), share) for total in totals], dtype=np.float64)
    demand = (counts / counts.sum(axis=1, keepdims=True)).mean(axis=0)
    demand = np.maximum(demand, 1e-6)
    return np.asarray(demand / demand.sum())


def bikes(agents: int = AGENTS, actions: int = STATIONS, data: str = "auto", noise_sd: float = 0.0) -> MeanFieldProblem:
    """Bike sharing.

    Parameters
    ----------
    agents : M bicycles
    actions : stations kept, those with the largest demand; the text says 41 and the caption of Figure 2(c) 36
    data : see :data:`DATA`; ``"auto"`` takes the real coordinates where they are found
    noise_sd : of one observation; the paper adds none

    Raises
    ------
    ParameterError
        for an unknown ``data`` or more stations than there are
    DataError
        see :func:`station_map`
    """
    whole_number("agents", agents)
    whole_number("actions", actions, 2, STATIONS)
    found = station_map(data)
    demand = station_demand(found.places, np.random.default_rng(SEED))
    kept = np.sort(np.argsort(-demand, kind="stable")[:actions])
    places, demand = found.places[kept], demand[kept] / demand[kept].sum()
    extent = (places.max(axis=0) - places.min(axis=0)).max()
    meta: dict[str, Any] = {
        "data": found.name,
        "label": found.label,
        "stand_in": found.stand_in,
        "remark": found.remark,
    }
    features = (places - places.min(axis=0)) / extent
    return demand_problem("bikes", agents, demand, features, SOURCE, noise_sd, meta, {"places": places})
