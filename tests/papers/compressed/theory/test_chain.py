"""Both proofs on single runs: every step by plain sums over the rounds, and where a chain breaks."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm
from tolerances import SERIES_RTOL

from companion.checks.cases import at_most
from companion.papers.compressed.checks import regret_games as games
from companion.papers.compressed.theory import chain as chain_of
from companion.papers.compressed.theory import instances


def rounds_of(runs, run):
    """Round by round: beta_t, sd and mean at x_t, sd at x*, incumbent, regret, whether kept, information."""
    for t in range(runs.horizon):
        sd = math.sqrt(runs.variance[run, t])
        information = 0.5 * math.log(1 + sd**2 / runs.noise_variance)
        yield (
            runs.beta[t],
            sd,
            runs.mean[run, t],
            math.sqrt(runs.optimum_variance[run, t]),
            runs.best[run, t],
            (runs.values[run].max() - runs.values[run, runs.chosen[run, t]]),
            runs.kept[run, t],
            information,
        )


def values(chain):
    return {step.name: step.value for step in chain.steps}


@pytest.mark.parametrize("game", [instances.A, games.SILENT], ids=["A", "nothing kept"])
def test_every_step_of_the_regret_chain_by_plain_sums(game):
    run = int(np.flatnonzero(instances.played(game).confident())[3])
    runs, found = instances.played(game), values(chain_of.regret_chain(game, run))
    regret = widths = variance = kept = rejected = budget = 0.0
    for beta, sd, _, _, _, lost, keep, information in rounds_of(runs, run):
        regret, widths, variance = regret + lost, widths + 2 * math.sqrt(beta) * sd, variance + sd**2
        kept, rejected = kept + keep * information, rejected + (not keep) * information
        budget += (not keep) * 0.5 * math.log(1 + game.horizon**-game.alpha)
    largest, horizon = runs.beta[-1], game.horizon
    front = 8 / math.log(1 + 1 / game.noise_variance) * horizon * largest
    gain = float(instances.gain_upper(game)[run])
    everything = horizon * 0.5 * math.log(1 + game.horizon**-game.alpha)
    expected = {
        "measured": regret,
        "widths": widths,
        "Cauchy-Schwarz": math.sqrt(4 * horizon * largest * variance),
        "information": math.sqrt(front * (kept + rejected)),
        "budget": math.sqrt(front * (kept + budget)),
        "certified gain": math.sqrt(front * (gain + budget)),
        "two roots": math.sqrt(front * gain) + math.sqrt(front * budget),
        "all rounds rejected": math.sqrt(front * gain) + math.sqrt(front * everything),
        "Theorem 3.2": math.sqrt(front * gain) + math.sqrt(front * 2 * everything),
    }
    assert found == pytest.approx(expected, rel=SERIES_RTOL)
    parts = chain_of.split(runs, run)
    assert parts["retained information"] == pytest.approx(kept, rel=SERIES_RTOL)
    assert parts["rejected information"] == pytest.approx(rejected, rel=SERIES_RTOL)
    assert parts["retained variance"] + parts["rejected variance"] == pytest.approx(variance, rel=SERIES_RTOL)


def test_every_step_of_the_improvement_chain_by_plain_sums():
    game = games.IMPROVING[0]
    run = int(np.flatnonzero(instances.played(game).confident())[0])
    runs, chain = instances.played(game), chain_of.improvement_chain(game, run)
    regret = parts = largest = kept = rejected = star = 0.0
    score = runs.score[run].max()
    for beta, sd, mean, sd_star, best, lost, keep, information in rounds_of(runs, run):
        z = -(mean - best) / sd
        parts += sd * (math.sqrt(beta) + z * norm.cdf(z) + norm.pdf(z)) + math.sqrt(beta) * sd_star
        largest += sd * (math.sqrt(beta) + 1 + score) + math.sqrt(beta) * sd_star
        regret, star = regret + lost, star + sd_star
        kept, rejected = kept + keep * information, rejected + (not keep) * information
    last, level = math.sqrt(runs.beta[-1]), math.log(1 + 1 / game.noise_variance)
    spread = math.sqrt(2 * game.horizon * (kept + rejected) / level)
    expected = {
        "measured": regret,
        "two parts": parts,
        "largest z-score": largest,
        "information": (last + 1 + score) * spread + last * star,
    }
    assert values(chain) == pytest.approx(expected, rel=SERIES_RTOL)
    gain = float(instances.gain_upper(game)[run])
    front = math.sqrt(3 * (last**2 + 1 + score**2)) + last
    tail = math.sqrt(2 * game.horizon * gain) + game.horizon * math.sqrt(math.log(1 + game.horizon**-game.alpha))
    assert chain.side["printed (3.6)"] == pytest.approx(front / level * tail, rel=SERIES_RTOL)
    assert chain.side["line (9.27)"] == pytest.approx(front / math.sqrt(level) * tail, rel=SERIES_RTOL)
    assert chain.side["R"] == score
    optimum = values(chain_of.improvement_chain(game, run, printed=True))
    variances = runs.optimum_variance[run]
    assert optimum["at the maximiser"] == pytest.approx(np.sum(np.sqrt(runs.beta * variances)), rel=SERIES_RTOL)
    assert optimum["Cauchy-Schwarz"] == pytest.approx(
        math.sqrt(game.horizon * runs.beta[-1] * variances.sum()), rel=SERIES_RTOL
    )


def test_the_chain_of_ucb_splits_the_regret_and_holds_on_the_event():
    for game in (instances.A, instances.B, games.SILENT, games.FEW):
        inside = instances.played(game).confident()
        for run in np.flatnonzero(inside)[:5]:
            chain = chain_of.regret_chain(game, int(run))
            assert chain.holds, [str(violation) for violation in chain.violations()]
            parts = chain.side
            assert parts["retained regret"] + parts["rejected regret"] == pytest.approx(
                chain["measured"].value, rel=SERIES_RTOL
            )
            assert parts["retained rounds"] + parts["rejected rounds"] == game.horizon
    chain = chain_of.regret_chain(games.SILENT)
    assert chain.side["retained rounds"] == 0
    assert chain["Theorem 3.2"].value == pytest.approx(
        chain["all rounds rejected"].value * math.sqrt(2), rel=SERIES_RTOL
    )


def test_a_shorter_theorem_breaks_the_chain():
    chain = chain_of.regret_chain(instances.B)
    assert not chain.scaled("certified gain", 0.99).holds
    assert not chain.scaled("widths", 0.1).holds


@pytest.mark.slow
def test_the_chain_of_improvement_holds_and_its_printed_part_breaks_at_lemma_9_5():
    for run in range(5):
        assert chain_of.improvement_chain(instances.E, run).holds
        (violation,) = chain_of.improvement_chain(instances.E, run, printed=True).violations()
        assert violation.larger.statement == "eq-9.26"
    game = games.IMPROVING[0]
    run = int(np.flatnonzero(instances.played(game).confident())[0])
    assert chain_of.improvement_chain(game, run).holds
    assert at_most(*[chain_of.improvement_chain(game, run).steps[k].value for k in (0, -1)], "here").holds


def test_chains_refuse_the_wrong_acquisition():
    with pytest.raises(ValueError, match="UCB"):
        chain_of.regret_chain(instances.E)
    with pytest.raises(ValueError, match="expected improvement"):
        chain_of.improvement_chain(instances.A)
    with pytest.raises(ValueError, match="run"):
        chain_of.regret_chain(instances.A, run=10**6)
    with pytest.raises(ValueError, match="UCB"):
        chain_of.regret_chain(replace(instances.C, runs=2))
