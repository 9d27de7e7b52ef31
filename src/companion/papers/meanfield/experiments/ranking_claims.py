"""Standing of MF-GP-UCB among other methods on the stored runs: by best reward, and by the regret that Theorem 4.1 bounds.

Both measures are taken so that larger is better. Regret is cumulative, over the number of evaluations, in shares of the
uniform law's; the best reward is that of one lucky population, the regret that of all laws played.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from companion.core.arrays import Floats
from companion.judge.columns import taken
from companion.judge.intervals import Interval
from companion.papers.meanfield.experiments.printed import OURS, PLAIN, RIVALS, MeanFieldResults
from companion.papers.meanfield.experiments.runs import CONTROLS
from companion.papers.meanfield.problems.catalogue import SETTINGS

AHEAD, BEHIND, OPEN = "ahead", "behind", "not told apart"
BEST, REGRET = "best reward", "regret"
MEASURES = (BEST, REGRET)
#: MF-UCB maximised by Adam at the paper's rate; its steps and starts are the companion's.
SEARCH = "search=paper"
BLOCKS_WITH_VARIANTS = ("searches", "quota", "variants")


@dataclass(frozen=True)
class Standing:
    """MF-GP-UCB on one problem, by one measure.

    Attributes
    ----------
    verdict : ``ahead`` of every other method, ``behind`` one at least, each by a paired interval; else ``not told apart``
    other : the strongest other method by its mean
    difference : paired interval of MF-GP-UCB minus ``other``; above zero MF-GP-UCB is better
    beaten_by : methods that it is behind
    """

    verdict: str
    other: str
    difference: Interval
    beaten_by: tuple[str, ...]


def share_of_uniform(
    results: MeanFieldResults, problem: str, method: str, block: str = "figures", variant: str = PLAIN
) -> Floats:
    """Mean regret of the laws played in shares of the uniform law's (seeds,)."""
    rows = results.of(problem, method, block=block, variant=variant)
    uniform = (rows.upper_bound - rows.uniform).to_numpy(dtype=float)
    return np.asarray(results.mean_regret(problem, method, block, variant) / uniform)


def level(
    results: MeanFieldResults, problem: str, method: str, measure: str, block: str = "figures", variant: str = PLAIN
) -> Floats:
    """Best reward, or minus :func:`share_of_uniform` (seeds,)."""
    if measure == BEST:
        return results.values(problem, method, "best", block, variant)
    return -share_of_uniform(results, problem, method, block, variant)


def block_of(results: MeanFieldResults, problem: str, variant: str) -> str | None:
    """The block of the plan in which MF-GP-UCB ran with a setting changed; ``None`` where it did not."""
    blocks = ("figures",) if variant == PLAIN else BLOCKS_WITH_VARIANTS
    return next((block for block in blocks if results.has(problem, OURS, block=block, variant=variant)), None)


def against(
    results: MeanFieldResults, problem: str, measure: str, other: str, variant: str = PLAIN, theirs: str = "figures"
) -> Interval:
    """MF-GP-UCB with a setting minus another method of block ``theirs``, paired by the seeds that both have.

    Raises
    ------
    KeyError
        where one of them did not run
    """
    block = block_of(results, problem, variant) or "figures"
    own_seeds = results.of(problem, OURS, block=block, variant=variant).seed.to_numpy()
    other_seeds = results.of(problem, other, block=theirs).seed.to_numpy()
    _, first, second = np.intersect1d(own_seeds, other_seeds, return_indices=True)
    own = level(results, problem, OURS, measure, block, variant)
    return results.paired(taken(own, first), taken(level(results, problem, other, measure, theirs), second))


def standing(
    results: MeanFieldResults,
    problem: str,
    measure: str,
    variant: str = PLAIN,
    others: Sequence[str] = RIVALS,
    theirs: str = "figures",
) -> Standing | None:
    """MF-GP-UCB with a setting against other methods with theirs; ``None`` where any of them did not run.

    Parameters
    ----------
    measure : one of :data:`MEASURES`
    variant : the setting of MF-GP-UCB
    others, theirs : methods, and the block of the plan that has their runs
    """
    if block_of(results, problem, variant) is None or not results.has(problem, *others, block=theirs):
        return None
    found = {name: against(results, problem, measure, name, variant, theirs) for name in others}
    strongest = max(others, key=lambda name: level(results, problem, name, measure, theirs).mean())
    beaten = tuple(name for name, interval in found.items() if interval.high < 0)
    ahead = all(interval.low > 0 for interval in found.values())
    return Standing(AHEAD if ahead else BEHIND if beaten else OPEN, strongest, found[strongest], beaten)


def groups(
    results: MeanFieldResults,
    measure: str,
    variant: str = PLAIN,
    others: Sequence[str] = RIVALS,
    theirs: str = "figures",
    problems: Sequence[str] = tuple(SETTINGS),
) -> dict[str, list[str]]:
    """The problems on which MF-GP-UCB is ahead, behind and not told apart; those that did not run are left out."""
    found: dict[str, list[str]] = {AHEAD: [], BEHIND: [], OPEN: []}
    for problem in problems:
        here = standing(results, problem, measure, variant, others, theirs)
        if here is not None:
            found[here.verdict].append(problem)
    return found


def standings(results: MeanFieldResults) -> dict[str, dict[str, dict[str, list[str]]]]:
    """:func:`groups` by measure, and there as run, with the search nearest to the paper's, and against fairer opponents."""
    return {
        measure: {
            "as run": groups(results, measure),
            SEARCH: groups(results, measure, SEARCH),
            "fairer opponents": groups(results, measure, others=CONTROLS, theirs="controls"),
        }
        for measure in MEASURES
    }
