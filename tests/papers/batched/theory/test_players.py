"""Players who know the class, against a simulation round by round and closed forms."""

import numpy as np
import pytest
from tolerances import PLAY_RTOL, ROUNDING_SLACK

from companion.papers.batched.theory import players
from companion.papers.batched.theory.lower import design_total_variations


def play_by_rounds(plan, generator):
    """One run of the player ``commit`` against every function, round by round."""
    hard, (start, end) = plan.hard, plan.range
    values = hard.values(hard.centres())
    total, inside = np.zeros(hard.size), np.zeros(hard.size)
    for m in range(hard.size):
        sums, counts = np.zeros(hard.size), np.zeros(hard.size)
        best = None
        for t in range(1, plan.horizon + 1):
            if t <= start - 1:
                cell = (t - 1) % hard.size
                sums[cell] += values[m, cell] + plan.noise * generator.standard_normal()
                counts[cell] += 1
            elif best is None:
                best = cell = int(np.argmax(sums / np.maximum(counts, 1)))
            else:
                cell = best
            regret = 2 * hard.epsilon - values[m, cell]
            total[m] += regret
            inside[m] += regret * (start < t <= end)
    return total, inside


def test_play_agrees_with_a_simulation_round_by_round():
    # a class that is easy to tell apart, so that the player's choice matters
    plan = players.Play("Matérn 5/2", 1, 0.02, 300, 2, 2, "commit", epsilon=0.1)
    fast = players.play(plan, 400)
    generator = np.random.default_rng(1)
    slow = np.array([play_by_rounds(plan, generator) for _ in range(4)])
    assert np.all(fast.inside <= fast.total * (1 + ROUNDING_SLACK))
    # both find the bump in nearly every run; what is left is the exploration, the same in both
    assert np.median(slow[:, 0]) == pytest.approx(np.median(fast.total), rel=PLAY_RTOL)
    assert np.median(slow[:, 1]) == pytest.approx(np.median(fast.inside), abs=PLAY_RTOL * fast.total.mean())
    blind = players.play(players.Play("Matérn 5/2", 1, 50.0, 300, 2, 2, "commit", epsilon=0.1), 50)
    assert blind.total.mean() > 2 * fast.total.mean()


def test_uniform_and_stubborn_players_in_closed_form():
    base = ("SE", 1, 1.0, 1000, 2, 2)
    hard = players.Play(*base, "uniform").hard
    values = hard.values(hard.centres())
    stubborn = players.play(players.Play(*base, "stubborn"), 8).total
    assert stubborn[0] == pytest.approx(1000 * (2 * hard.epsilon - values[:, 0]))
    assert stubborn[0, 0] == pytest.approx(0, abs=ROUNDING_SLACK * 1000)
    uniform = players.play(players.Play(*base, "uniform"), 8).total[0]
    visits = np.bincount(np.arange(1000) % hard.size)
    assert uniform == pytest.approx(2 * hard.epsilon * 1000 - values @ visits)


def test_adaptive_variation_against_a_fixed_design():
    # in a single round every centre is as good as another: the exact value is that of one observation at a random centre
    point = players.ClassPoint("SE", 1, 0.1)
    mean, error = players.adaptive_variation(point, 1, 0.2)
    hard = point.build()
    exact = np.mean([design_total_variations(hard, c[None, :], 0.2).mean() for c in hard.centres()])
    assert abs(mean - exact) < 4 * error
    longer, _ = players.adaptive_variation(point, 80, 0.2)
    assert longer > 3 * mean


def test_the_halving_player_in_closed_form_without_noise():
    """It sees all cells, spends the batch on the better half in turn, and then stays at the best."""
    plan = players.Play("Matérn 5/2", 1, 1e-9, 300, 2, 2, "halving", epsilon=0.1)
    hard, (start, end) = plan.hard, plan.range
    before, size = start - 1, hard.size
    assert before >= size
    gap = 2 * hard.epsilon - hard.values(hard.centres())
    explored = np.bincount(np.arange(before) % size, minlength=size)
    turns = np.bincount(np.arange(end - before) % (size // 2), minlength=size // 2)
    half = np.sort(gap, axis=1, kind="stable")[:, : size // 2]
    found = players.play(plan, 8)
    for m in range(size):
        inside = half[m] @ turns
        total = gap[m] @ explored + inside + (300 - end) * gap[m].min()
        assert found.total[:, m] == pytest.approx(np.full(8, total))
        assert found.inside[:, m] == pytest.approx(np.full(8, inside * (end - start) / (end - start + 1)))
