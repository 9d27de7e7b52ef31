"""Distance of a sample's empirical law from the law it comes from, beside the radius of the experiments."""

from __future__ import annotations

from typing import Any

from companion.core.errors import ParameterError
from companion.core.randomness import stream
from companion.papers.wdrbo.problems.laws import BurrXII, ClippedNormal, ContextLaw, Uniform
from companion.papers.wdrbo.problems.newsvendor import SHAPE
from companion.papers.wdrbo.problems.transport import sample_distance, sample_distance_in_space

#: The laws of the seven problems' contexts.
LAWS = {
    "clipped normal": ContextLaw((ClippedNormal(0.5, 0.2),)),
    "uniform": ContextLaw((Uniform(),)),
    "burr": ContextLaw((BurrXII(2.0, SHAPE),)),
    "clipped normal, twice": ContextLaw((ClippedNormal(0.5, 0.2), ClippedNormal(0.5, 0.2))),
    "uniform, twice": ContextLaw((Uniform(), Uniform())),
}
COUNTS = (5, 10, 20, 50, 100)
#: Sample sizes in one coordinate and in two, where they have to divide 512.
PLANE_COUNTS = (4, 8, 16, 32, 64, 128)


def counts(law: str) -> tuple[int, ...]:
    """Sample sizes that are looked at for a law.

    Raises
    ------
    ParameterError
        for an unknown law
    """
    if law not in LAWS:
        raise ParameterError("law", f"got {law!r}", f"one of {', '.join(LAWS)}")
    return COUNTS if LAWS[law].dim == 1 else PLANE_COUNTS


def distances(law: str, seed: int, draws: int) -> dict[str, Any]:
    """Wasserstein distances of ``draws`` samples for each sample size: a list of lists, one list a size."""
    chosen, generator = LAWS[law], stream(seed, "wdrbo", "coverage")
    found = []
    for count in counts(law):
        samples = [chosen.sample(generator, count) for _ in range(draws)]
        if chosen.dim == 1:
            found.append([sample_distance(sample[:, 0], chosen.marginals[0]) for sample in samples])
        else:
            found.append([sample_distance_in_space(sample, chosen) for sample in samples])
    return {"distances": found}
