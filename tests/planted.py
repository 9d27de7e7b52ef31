"""Planted runs: what the tests of rules share. Six seeds whose deviations add up to zero, and the verdicts by a letter."""

import numpy as np

H, C, U, N = "holds", "contradicted", "undecided", "not-testable"
SEEDS = 6
#: Where two levels are equal, such deviations show nothing; a thousandth of them hides no difference.
WOBBLE = np.array([-2.0, 2.0, -1.0, 1.0, -0.5, 0.5])


def verdicts(parts):
    """Of tested parts, in their order."""
    return [part.judgement.verdict for part in parts]


def around(level, share=1e-3, turn=0):
    """One value a seed, (6,), with exactly this mean; ``turn`` gives another method other deviations."""
    return level + share * np.roll(WOBBLE, turn)


def with_t(statistic):
    """Differences (6,) whose one-sample t statistic is this number."""
    return statistic / np.sqrt(SEEDS) + WOBBLE / WOBBLE.std(ddof=1)
