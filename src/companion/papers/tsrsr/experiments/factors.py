"""Differences between text and code that make TS-RSR first: one setting at a time, from either reading.

From the text's reading one of the code's ways is switched on, from the code's reading the same one is switched off; all
else stays. Both ends are needed, since one setting may matter only together with another. The seeds, and with them the
design, the candidates and the noise, are those of the tables, so that a change is compared seed by seed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

PROBLEMS = ("bird-2d", "rosenbrock-2d", "ackley-3d")
#: TS-RSR and its closest rivals in the printed tables of these problems.
METHODS = ("ts-rsr", "ts", "dpp-ts", "bucb")

#: As many as the paper has of these problems, fixed before the first run.
SEEDS = 10


class Factor(NamedTuple):
    """One difference between the readings.

    ``on`` brings the code's way into the text's reading, ``off`` takes it out of the code's; ``methods`` are those that
    it concerns.
    """

    name: str
    meaning: str
    on: Mapping[str, Any]
    off: Mapping[str, Any]
    methods: tuple[str, ...] = METHODS

    def changes(self, reading: str) -> Mapping[str, Any]:
        """The parameters that are set, from one reading."""
        return self.on if reading == "text" else self.off


#: All differences of ``data/reported/tsrsr/text_and_code.csv`` that concern these problems and methods, but for the plots.
FACTORS = (
    Factor("smoothness", "Matern kernel with nu = 2.5 instead of 1.5", {"smoothness": 2.5}, {"smoothness": 1.5}),
    Factor("prior variance", "ln 2 instead of 1", {"prior_variance": math.log(2.0)}, {"prior_variance": 1.0}),
    Factor(
        "noise",
        "noise added to the standardised targets anew in every round, instead of once to an evaluation",
        {"noise": 0.0, "redraw": True},
        {"noise": 1e-3, "redraw": False},
    ),
    Factor("precision", "single precision instead of double", {"precision": "single"}, {"precision": "double"}),
    Factor("refinement", "ten Adam steps off the candidates, TS-RSR only", {"refine": 10}, {"refine": 0}, ("ts-rsr",)),
    Factor("first batch", "m copies of one random candidate, BUCB only", {"shift": 0}, {"shift": 1}, ("bucb",)),
)

#: In both readings the candidates have ascents; the text has a box or a finite set and says nothing of them.
ASCENTS = Factor(
    "ascents", "no ascents on the posterior mean among the candidates", {"ascent_steps": 0}, {"ascent_steps": 0}
)
