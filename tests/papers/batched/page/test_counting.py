"""Counts, sums and classes that need no run."""

import numpy as np
import pytest

from companion.papers.batched.page import counting
from companion.papers.batched.theory.counts import power_batch_count_log2


def test_crossover_of_the_factor_b_is_where_the_count_first_exceeds_the_constant():
    for row in counting.factor_against_constant().itertuples():
        b = (1 - row.a) * (row.a - 0.5)
        assert row.constant == pytest.approx(2**b / (2**b - 1))
        assert power_batch_count_log2(row.crossover, row.a) > row.constant
        assert power_batch_count_log2(row.crossover - 1, row.a) <= row.constant


def test_the_sum_that_replaces_b_is_not_taken_for_its_multiple_of_the_last_term():
    n = counting.sum_numbers(counting.factor_against_constant(), counting.batch_counts())
    terms = [1000 ** (0.6**i * (0.5 - 0.6)) for i in range(n.batches_at)]
    assert n.sum_at == pytest.approx(sum(terms))
    assert sum(terms) < 0.95 * sum(terms) / terms[-1]


def test_small_horizons_lists_every_failure_of_the_lower_bound_without_its_proviso():
    """Batches by the rule in integers, the bound from its formula."""
    found = {(row.horizon, row.a) for row in counting.small_horizons().itertuples()}
    expected = set()
    for a in counting.SMALL_RATIOS:
        for horizon in range(3, counting.SMALL_HORIZON + 1):
            left, batches = horizon, 0
            while left > 0:
                batches += 1
                left -= min(left, int(np.ceil(horizon ** (1 - a**batches) - 1e-9)))
            if batches < np.floor(np.log(np.log(horizon) / np.log(np.log(horizon))) / np.log(1 / a)):
                expected.add((horizon, a))
    assert found == expected
    n = counting.count_numbers(counting.batch_counts(), counting.small_horizons())
    assert (n.first, n.last) == (min(expected)[0], max(expected)[0])
    assert {(n.last, a) for a in n.last_a} == {pair for pair in expected if pair[0] == n.last}
