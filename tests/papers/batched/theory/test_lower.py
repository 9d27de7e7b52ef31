import dataclasses
import itertools
import math

import numpy as np
import pytest
from scipy import stats
from tolerances import BEST_EPSILON_RTOL, FORMULA_RTOL, PRINTED_3_DIGITS

from companion.core.errors import AssumptionError, ParameterError
from companion.core.randomness import stream
from companion.gp.kernels import Matern, SquaredExponential
from companion.papers.batched.method.sizes import reference_times
from companion.papers.batched.problems.hard_class import BumpFamily, leakage_constant
from companion.papers.batched.theory import lower

ROUGH = BumpFamily(Matern(1.5, 0.2), 1)
SMOOTH = BumpFamily(SquaredExponential(0.1), 1)
PLANE = BumpFamily(Matern(1.5, 0.3), 2)
HORIZONS = [10**k for k in range(3, 9)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("family", "start"),
    [(ROUGH, 80), (ROUGH, 2000), (SMOOTH, 80), (SMOOTH, 2000), (PLANE, 80)],
    ids=["rough", "rough later", "smooth", "smooth later", "plane"],
)
def test_epsilon_is_the_largest_hidden_one(family, start):
    batches, noise_sd, leakage = 3, 1.0, leakage_constant(family.dim)
    chosen = lower.hidden_epsilon(family, start, batches, noise_sd)

    def admissible(epsilon):
        size = family.build(epsilon).size
        visible = math.sqrt(leakage * start / size) * epsilon
        return size >= 4 and visible <= noise_sd / (2 * batches)

    assert admissible(chosen)
    # a scan of all larger heights, fine near the optimum and coarse beyond
    near = chosen * (1 + BEST_EPSILON_RTOL) ** np.arange(1, 6)
    far = np.geomspace(chosen * 1.0001, family.largest_epsilon, 150)
    assert not any(admissible(epsilon) for epsilon in [*near, *far])


def test_first_class_is_as_high_as_four_functions_allow():
    for family in (ROUGH, SMOOTH, PLANE):
        epsilon = lower.hidden_epsilon(family, 0, 3, 1.0)
        assert family.build(epsilon).size >= 4
        larger = epsilon * (1 + BEST_EPSILON_RTOL)
        assert larger > family.largest_epsilon or family.build(larger).size < 4


@pytest.mark.parametrize("family", [ROUGH, SMOOTH, PLANE], ids=["rough", "smooth", "plane"])
@pytest.mark.parametrize("batches", [2, 3])
def test_value_is_the_smallest_of_the_batches(family, batches):
    bound = lower.regret_lower_bound(family, 10**5, batches, 0.5)
    times = (0, *reference_times(10**5, batches, family.smoothness, family.dim))
    assert [(c.start, c.end) for c in bound.classes] == list(itertools.pairwise(times))
    assert all(c.size == c.cells**family.dim == family.build(c.epsilon).size >= 4 for c in bound.classes)
    terms = [3 * c.epsilon * (c.end - c.start) / (8 * batches) for c in bound.classes]
    assert bound.value == pytest.approx(min(terms), rel=FORMULA_RTOL)
    # averaging (96) over the classes with any probabilities that add up to one gives no less
    for probabilities in (np.full(batches, 1 / batches), np.eye(batches)[0], np.eye(batches)[-1]):
        averaged = np.maximum(bound.class_bounds(probabilities, 0.5, family.dim), 0).mean()
        assert averaged >= bound.value * (1 - FORMULA_RTOL)


@pytest.mark.parametrize(
    ("family", "batches", "slope", "rate"),
    [(ROUGH, 2, 0.741, 0.727), (ROUGH, 3, 0.707, 0.660), (SMOOTH, 2, 0.684, 0.667), (SMOOTH, 3, 0.619, 0.571)],
)
def test_growth_of_the_explicit_bound(family, batches, slope, rate):
    values = [lower.regret_lower_bound(family, horizon, batches, 1.0).value for horizon in HORIZONS]
    fitted = np.polyfit(np.log(HORIZONS), np.log(values), 1)[0]
    assert fitted == pytest.approx(slope, abs=PRINTED_3_DIGITS)
    theory, _ = lower.lower_bound_exponents(batches, family.smoothness, 1)
    assert theory == pytest.approx(
        {0.741: 0.727, 0.707: 0.660, 0.684: 0.667, 0.619: 0.571}[slope], abs=PRINTED_3_DIGITS
    )
    # drift towards the theory from above, and far from the exponent for unlimited batches, 1 - eta
    assert 0 < fitted - theory < 0.06
    assert fitted - (0.5 if family is SMOOTH else 0.625) > 0.06


def test_exponents():
    assert lower.lower_bound_exponents(2, 1.5, 1) == (pytest.approx(0.625 / (1 - 0.375**2)), 0.0)
    power, logs = lower.lower_bound_exponents(3, math.inf, 2)
    assert (power, logs) == (pytest.approx(4 / 7), pytest.approx(2 * 0.5 * (0.5 - 0.125) / 0.875))


def test_known_instance():
    # T = 2000, three batches, unit noise and norm
    assert lower.regret_lower_bound(ROUGH, 2000, 3, 1.0).value == pytest.approx(1.94, abs=0.005)


def test_per_class_bound_against_the_printed_formula():
    epsilon, size, start, end, noise_sd, chance = 0.05, 20, 100, 900, 0.7, 0.4
    inner = 19 / 20 * chance - 3 * math.sqrt(leakage_constant(1)) * epsilon / (4 * noise_sd) * math.sqrt(start / size)
    got = lower.class_regret_bound(epsilon, size, start, end, noise_sd, chance, 1)
    assert got == pytest.approx(epsilon * 800 * inner, rel=FORMULA_RTOL)


def test_an_oracle_that_knows_the_function_violates_the_per_class_bound():
    # Its regret is 0; with one batch bad for certain, (96) demands more for the class of that batch.
    bound = lower.regret_lower_bound(ROUGH, 2000, 3, 1.0)
    for i in range(3):
        assert bound.class_bounds(np.eye(3)[i], 1.0, 1)[i] > 0
    # and where the batch is never bad, nothing is demanded
    assert np.all(bound.class_bounds([0, 0, 0], 1.0, 1) <= 0)


def uniform(hard, rounds):
    return stream(3, "uniform").uniform(size=(rounds, hard.family.dim))


def single_cell(hard, rounds):
    return np.tile(hard.centres()[hard.size // 2], (rounds, 1))


def all_cells(hard, rounds):
    return hard.centres()[np.arange(rounds) % hard.size]


@pytest.mark.parametrize("design", [uniform, single_cell, all_cells])
@pytest.mark.parametrize("rounds", [10, 100, 1000])
@pytest.mark.parametrize("family", [ROUGH, SMOOTH, PLANE], ids=["rough", "smooth", "plane"])
def test_average_total_variation(design, rounds, family):
    hard = family.build(0.1)
    exact = lower.design_total_variations(hard, design(hard, rounds), 1.0).mean()
    assert 0 < exact <= lower.average_total_variation_bound(0.1, hard.size, rounds, 1.0, family.dim)


def test_total_variation_of_two_normals():
    hard = ROUGH.build(0.1)
    design = hard.centres()[:3]
    shift = np.linalg.norm(hard.values(design)[0]) / 0.5
    expected = 2 * stats.norm.cdf(shift / 2) - 1
    assert lower.design_total_variations(hard, design, 0.5)[0] == pytest.approx(expected, rel=FORMULA_RTOL)


def test_dividing_by_m_outside_the_root_would_be_wrong():
    hard = ROUGH.build(0.1)
    exact = lower.design_total_variations(hard, all_cells(hard, 10), 1.0).mean()
    wrong = lower.average_total_variation_bound(0.1, hard.size, 10, 1.0, 1) / math.sqrt(hard.size)
    assert exact > wrong


def test_reverse_markov_is_sharp():
    # two values, cL and 4L, with mean L
    for share in (0.03, 0.5, 0.9):
        chance = (1 - share) / (4 - share)
        assert share * (1 - chance) + 4 * chance == pytest.approx(1)
        assert lower.reverse_markov(share, 4) == pytest.approx(chance)
        assert chance < (1 - share) / (3 - share)


def test_corollary_1():
    for batches in range(2, 30):
        for share in (1 / 33, 0.5):
            probability = lower.corollary1_probability(share, batches)
            assert probability > (1 - share) / (11 * batches - share)
            assert probability == pytest.approx((1 - share) / (32 / 3 * batches - share))
        assert lower.corollary1_probability(1 / 33, batches) > 1 / (11 * batches)


def test_violated_assumptions_are_refused():
    bound = lower.regret_lower_bound(ROUGH, 2000, 3, 1.0)
    first, second, third = bound.classes
    with pytest.raises(AssumptionError):
        lower.theorem2_value([first, dataclasses.replace(second, epsilon=1.01 * second.epsilon), third], 1.0, 1)
    with pytest.raises(AssumptionError):
        lower.theorem2_value([dataclasses.replace(first, size=3), second, third], 1.0, 1)
    with pytest.raises(AssumptionError, match=r"consecutive reference times"):
        lower.theorem2_value([second, third], 1.0, 1)
    with pytest.raises(ParameterError, match=r"^probabilities"):
        bound.class_bounds([1.0], 1.0, 1)
    with pytest.raises(ParameterError, match=r"^start"):
        lower.class_regret_bound(0.1, 10, 20, 20, 1.0, 0.5, 1)
    with pytest.raises(ParameterError, match=r"^horizon:"):
        lower.regret_lower_bound(BumpFamily(SquaredExponential(0.1), 1), 20, 12, 1.0)
