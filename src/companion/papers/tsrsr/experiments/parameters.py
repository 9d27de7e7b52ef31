"""What may be set in chapter 1's experiments and in its notebook: default, range, meaning and source of each."""

from __future__ import annotations

from companion.core.profiles import Parameter, ParameterSet, choice, count, number, whole
from companion.papers.tsrsr.problems.catalogue import READINGS, Setting

OURS = "companion"


MULTIPLIER = number("multiplier", 2.0, "width of bucb and ucbpe with width=constant, standard deviations", OURS, 1e-6)

_RULES = (
    choice(
        "width",
        "published",
        ("published", "theory", "constant"),
        "width of bucb and ucbpe: published is 0.2 log(N (t+1)^2 pi^2 / 0.06), theory its square-root form for a finite set",
        "the paper does not say; published: the authors' code with t + 1 for t",
    ),
    MULTIPLIER,
    number("delta", 0.01, "failure probability in width=theory", "the authors' code", 0.0, 1.0),
    Parameter(
        "resample", "bool", True, "ts-rsr draws again until the sampled maximum exceeds the largest mean", "App. C"
    ),
    whole("steps", 2, "steps of the Markov chain of dpp-ts", "the authors' code", 0, 10_000),
    Parameter("region", "bool", True, "ucbpe explores inside the relevant region only", "Contal et al. (2013)"),
)

_READING = (
    Parameter(
        "precision",
        "str",
        None,
        "arithmetic of the model on a box; left out, the reading's: double in the text's, single in the code's",
        "the authors' code",
        choices=("double", "single"),
    ),
    Parameter(
        "smoothness",
        "float",
        None,
        "nu of the Matern kernel on a box; left out, the reading's: 1.5 in the text's, 2.5 in the code's",
        "App. C; the authors' code",
        low=1.5,
        high=2.5,
    ),
    Parameter(
        "prior_variance",
        "float",
        None,
        "prior variance of the model on a box; left out, the reading's: 1 in the text's, mostly ln 2 in the code's",
        "Algorithm 1; the authors' code",
        low=1e-6,
        high=1e3,
    ),
    Parameter(
        "redraw",
        "bool",
        None,
        "noise is added to all standardised targets anew in every round; left out, the reading's: in the code's only",
        "the authors' code",
    ),
    Parameter(
        "refine",
        "int",
        None,
        "Adam steps of ts-rsr off the candidates, from the second point of a batch on; left out, the reading's: 0 and 10",
        "the authors' code",
        low=0,
        high=1000,
    ),
    Parameter(
        "shift",
        "int",
        None,
        "s in the published width 0.2 log(N (t+s)^2 pi^2 / 0.06); left out, the reading's: 1 in the text's, 0 in the code's",
        "the authors' code",
        low=0,
        high=1,
    ),
)
"""What one reading does and the other does not, one setting each."""

ON_A_BOX = ("precision", "smoothness", "prior_variance", "redraw", "refine")
"""Those that concern a model on a box; the text's gp-2d and gp-3d have a finite set."""


def for_column(column: Setting) -> ParameterSet:
    """Parameters of one column of Tables 1 to 4; defaults are the paper's."""
    table = f"Sec. 6, Table {column.table}"
    parameters = [
        choice(
            "reading", "text", READINGS, "text: as the paper describes it; code: as its published code runs", "Sec. 6"
        ),
        whole("batch_size", column.batch_size, "points in a batch m", table, 1, 100),
        whole("batches", column.batches, "batches T after the 15 points of the design", table, 1, 1000),
        Parameter(
            "function",
            "int",
            None,
            f"number of the function or goal, 0 to {column.functions - 1}; left out, the seed's remainder",
            table,
            low=0,
            high=column.functions - 1,
        ),
        Parameter(
            "noise",
            "float",
            None,
            "noise standard deviation of an evaluation, units of f; left out, the reading's: 0.001, and none in the code",
            "App. C",
            low=0.0,
            high=1e3,
        ),
        number("model_noise", 1e-3, "noise standard deviation of the model, units of its targets", "App. C", 1e-6),
        number(
            "lengthscale",
            None,
            "length-scale of the model on a box, units of the coordinates; left out, the reading's",
            table,
        ),
        whole("candidates", 1000, "uniform candidates of a round on a box", "the authors' code", 10, 20_000),
        whole(
            "ascent_steps",
            200,
            "steps of the ascents on the posterior mean; 0 leaves them out",
            "the authors' code",
            0,
            5000,
        ),
        whole("warm_up", 0, "maximum-variance points after the design, on a finite set", "App. B.1", 0, 10_000),
        *_RULES,
        *_READING,
    ]
    if column.name == "boston-4d":
        parameters.append(
            choice(
                "data",
                "auto",
                ("auto", "boston", "diabetes"),
                "data set; auto takes boston where it is found",
                "Sec. 6.3",
            )
        )
    return ParameterSet(tuple(parameters))


THEORY = ParameterSet(
    (
        choice("kernel", "se", ("se", "matern32", "matern52"), "kernel of the draw and of the model", OURS),
        number("lengthscale", 0.2, "length-scale, units of the unit cube", OURS, 1e-3),
        whole("dim", 1, "dimension d", OURS, 1, 3),
        whole("points_per_axis", 25, "grid points per axis", OURS, 2, 2000),
        whole("batch_size", 5, "points in a batch m", OURS, 1, 200),
        whole("batches", 20, "batches T", OURS, 1, 2000),
        number("noise", 1.0, "noise standard deviation, units of f; the model uses its square", OURS, 1e-4),
        whole("warm_up", 0, "maximum-variance points before the first batch", "App. B.1", 0, 10_000),
        *(parameter for parameter in _RULES if parameter.name != "resample"),
        Parameter(
            "resample", "bool", False, "ts-rsr draws again until the sampled maximum exceeds the largest mean", "App. C"
        ),
    )
)

#: Mirrors the notebook's parameters cell, where meanings and units stand; a test compares names and defaults.
CHAPTER = ParameterSet(
    (
        count("seed", 0, 0, 2**31),
        count("batch_size", 5, 1, 200),
        count("batches", 20, 4, 500),
        Parameter(
            "noise",
            "float",
            1.0,
            "",
            "companion",
            low=0.0,
            high=10.0,
            low_open=True,
        ),
        count("functions", 300, 10, 100_000),
        count("evaluations", 120, 20, 2000),
        count("instances", 8, 1, 1000),
        count("posteriors", 100, 2, 10_000),
        count("rule_runs", 40, 2, 10_000),
        count("live_runs", 2, 1, 10),
        count("live_batches", 10, 1, 50),
    )
)
