"""Parameters of chapter 1's experiments and of its notebook: default, range, meaning and source of each."""

from __future__ import annotations

from dataclasses import MISSING, dataclass
from typing import ClassVar

from companion.core.parameters import Parameter, ParameterSet, choice, count, number, setting, whole
from companion.papers.tsrsr.problems.catalogue import READINGS, TableColumn

OURS = "companion"
_CODE = "the authors' code"
_RESAMPLE = "ts-rsr draws again until the sampled maximum exceeds the largest mean"

_WIDTH = choice(
    "published",
    ("published", "theory", "constant"),
    "width of bucb and ucbpe: published is 0.2 log(N (t+1)^2 pi^2 / 0.06), theory its square-root form for a finite set",
    "the paper does not say; published: the authors' code with t + 1 for t",
)
_MULTIPLIER = number(2.0, "width of bucb and ucbpe with width=constant, standard deviations", OURS, 1e-6)
_DELTA = number(0.01, "failure probability in width=theory", _CODE, high=1.0)
_STEPS = whole(2, "steps of the Markov chain of dpp-ts", _CODE, 0, 10_000)
_REGION = setting(True, "ucbpe explores inside the relevant region only", "Contal et al. (2013)")


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column of Tables 1 to 4.

    Each difference between the readings has one setting, the last seven except ``data``.
    """

    reading: str = choice(
        "text", READINGS, "text: as the paper describes it; code: as its published code runs", "Sec. 6"
    )
    batch_size: int = whole(MISSING, "points in a batch m", "Sec. 6", 1, 100)
    batches: int = whole(MISSING, "batches T after the 15 points of the design", "Sec. 6", 1, 1000)
    function: int | None = whole(
        None, "number of the function or goal, from 0; left out, the seed's remainder", "Sec. 6", 0, 0
    )
    noise: float | None = number(
        None,
        "noise standard deviation of an evaluation, units of f; left out, the reading's: 0.001, and none in the code",
        "App. C",
        low_open=False,
    )
    model_noise: float = number(1e-3, "noise standard deviation of the model, units of its targets", "App. C", 1e-6)
    lengthscale: float | None = number(
        None, "length-scale of the model on a box, units of the coordinates; left out, the reading's", "Sec. 6"
    )
    candidates: int = whole(1000, "uniform candidates of a round on a box", _CODE, 10, 20_000)
    ascent_steps: int = whole(200, "steps of the ascents on the posterior mean; 0 leaves them out", _CODE, 0, 5000)
    warm_up: int = whole(0, "maximum-variance points after the design, on a finite set", "App. B.1", 0, 10_000)
    width: str = _WIDTH
    multiplier: float = _MULTIPLIER
    delta: float = _DELTA
    resample: bool = setting(True, _RESAMPLE, "App. C")
    steps: int = _STEPS
    region: bool = _REGION
    precision: str | None = choice(
        None,
        ("double", "single"),
        "arithmetic of the model on a box; left out, the reading's: double in the text's, single in the code's",
        _CODE,
    )
    smoothness: float | None = number(
        None,
        "nu of the Matern kernel on a box; left out, the reading's: 1.5 in the text's, 2.5 in the code's",
        "App. C; the authors' code",
        1.5,
        2.5,
    )
    prior_variance: float | None = number(
        None,
        "prior variance of the model on a box; left out, the reading's: 1 in the text's, mostly ln 2 in the code's",
        "Algorithm 1; the authors' code",
        1e-6,
    )
    redraw: bool | None = setting(
        None,
        "noise is added to all standardised targets anew in every round; left out, the reading's: in the code's only",
        _CODE,
    )
    refine: int | None = whole(
        None,
        "Adam steps of ts-rsr off the candidates, from the second point of a batch on; left out, the reading's: 0 and 10",
        _CODE,
        0,
        1000,
    )
    shift: int | None = whole(
        None,
        "s in the published width 0.2 log(N (t+s)^2 pi^2 / 0.06); left out, the reading's: 1 in the text's, 0 in the code's",
        _CODE,
        0,
        1,
    )
    data: str = choice(
        "auto", ("auto", "boston", "diabetes"), "data set; auto takes boston where it is found", "Sec. 6.3"
    )


#: Those that concern a model on a box; the text's gp-2d and gp-3d have a finite set.
ON_A_BOX = ("precision", "smoothness", "prior_variance", "redraw", "refine")


def for_column(column: TableColumn) -> ParameterSet:
    """Parameters of one column of Tables 1 to 4; defaults are the paper's."""
    table, last = {"source": f"Sec. 6, Table {column.table}"}, column.functions - 1
    numbered = f"number of the function or goal, 0 to {last}; left out, the seed's remainder"
    return ParameterSet.of(
        Column,
        without=() if column.name == "boston-4d" else ("data",),
        batch_size={"default": column.batch_size, **table},
        batches={"default": column.batches, **table},
        function={"help": numbered, "high": last, **table},
        lengthscale=table,
    )


@dataclass(frozen=True)
class Theory:
    """The setting of Theorem 1; its rules are those of the text's reading."""

    reading: ClassVar[str] = "text"
    shift: ClassVar[int | None] = None

    kernel: str = choice("se", ("se", "matern32", "matern52"), "kernel of the draw and of the model", OURS)
    lengthscale: float = number(0.2, "length-scale, units of the unit cube", OURS, 1e-3)
    dim: int = whole(1, "dimension d", OURS, 1, 3)
    points_per_axis: int = whole(25, "grid points per axis", OURS, 2, 2000)
    batch_size: int = whole(5, "points in a batch m", OURS, 1, 200)
    batches: int = whole(20, "batches T", OURS, 1, 2000)
    noise: float = number(1.0, "noise standard deviation, units of f; the model uses its square", OURS, 1e-4)
    warm_up: int = whole(0, "maximum-variance points before the first batch", "App. B.1", 0, 10_000)
    width: str = _WIDTH
    multiplier: float = _MULTIPLIER
    delta: float = _DELTA
    steps: int = _STEPS
    region: bool = _REGION
    resample: bool = setting(False, _RESAMPLE, "App. C")


#: Mirrors the notebook's parameters cell, where meanings and units stand; a test compares names and defaults.
CHAPTER = ParameterSet(
    (
        count("seed", 0, 0, 2**31),
        count("batch_size", 5, 1, 200),
        count("batches", 20, 4, 500),
        Parameter(
            "noise",
            "float",
            0.1,
            "",
            "companion",
            low=0.0,
            high=10.0,
            low_open=True,
        ),
        count("functions", 200, 10, 100_000),
        count("evaluations", 100, 20, 2000),
        count("instances", 8, 1, 1000),
        count("posteriors", 100, 2, 10_000),
        count("rule_runs", 40, 2, 10_000),
        count("live_runs", 2, 1, 10),
        count("live_batches", 10, 1, 50),
    )
)
