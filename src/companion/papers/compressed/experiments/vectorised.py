"""Methods of chapter 2 that run at many seeds at once: all but BKB, whose dictionary is drawn anew every round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from companion.bounds.confidence import SrinivasDrawsWidth
from companion.core.arrays import Floats, Indices
from companion.gp.replicates import ReplicatePosterior
from companion.papers.compressed.experiments.definitions import CompressedSetup, admission_of
from companion.papers.compressed.experiments.parameters import Common
from companion.papers.compressed.method.vectorised import Seeds
from companion.simulate.vectorised import Opening, Played, Vectorised, World

#: Points of a dictionary for which memory is reserved; it grows when needed.
DICTIONARY = 64


def reason(experiment: str, method: str, p: Common) -> str:
    """Why the seeds of a method go one after the other."""
    if method.startswith("bkb-"):
        return "because every round draws a new dictionary and factorises it"
    if p.posterior != "engine":
        return f"because posterior={p.posterior} is there to be timed alone"
    return ""


def lean(setup: CompressedSetup, first: CompressedSetup) -> CompressedSetup:
    """A seed has its own initial points and noise; problem and covariance are the first one's."""
    initial = Opening(setup.policy.ask(len(setup.noise)).query)
    return replace(setup, chapter=first.chapter, policy=initial)  # type: ignore[arg-type]


def play(world: World) -> list[Played]:
    """The choices at every seed."""
    p, setups = world.parameters, world.setups
    model, acquisition = world.method.split("-")
    chapter, rounds = setups[0].chapter, len(setups[0].noise)
    posterior = ReplicatePosterior(
        chapter.covariance,
        p.noise_variance,
        len(setups),
        rounds if model == "gp" else min(rounds, DICTIONARY),
        world.device,
        world.check,
    )
    initial = np.stack([setup.policy.query for setup in setups])
    width = SrinivasDrawsWidth(chapter.problem.size, p.delta)
    observe = _Values(setups)
    rule = admission_of(world.method, p)
    return Seeds(posterior, acquisition, rule, width, initial, rounds - initial.shape[1], observe).play()


class _Values:
    """Values as the loop would tell them: f and the evaluation's noise, or the stored training that is seen."""

    def __init__(self, setups: Sequence[CompressedSetup]) -> None:
        chapter = setups[0].chapter
        self._values = chapter.problem.values
        self._noise = np.stack([setup.noise for setup in setups])
        self._picks = None
        if setups[0].picks is not None:
            assert chapter.residuals is not None
            self._picks = np.stack([setup.picks for setup in setups if setup.picks is not None])
            self._values = chapter.problem.values[:, None] + chapter.residuals

    def __call__(self, index: Indices, n: int) -> Floats:
        if self._picks is not None:
            return np.asarray(self._values[index, self._picks[:, n]])
        return np.asarray(self._values[index] + self._noise[:, n])


TOGETHER = Vectorised(reason, lean, play)
