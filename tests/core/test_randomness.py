"""Named streams: what they depend on, what they do not, and that distinct names are distinct streams."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import stats
from tolerances import SIGNIFICANCE

from companion.core.errors import ParameterError
from companion.core.randomness import note_seeds, seeds_opened, stream


def draws(*address, count=4):
    return stream(*address).random(count)


def test_the_same_name_is_the_same_stream():
    np.testing.assert_array_equal(draws(7, "noise"), draws(7, "noise"))
    np.testing.assert_array_equal(draws(np.int64(7), "noise", 3), draws(7, "noise", 3))


def test_streams_do_not_depend_on_the_order_of_opening():
    expected = draws(7, "noise")
    stream(7, "function").random(1000)
    stream(8, "noise").random(1000)
    np.testing.assert_array_equal(draws(7, "noise"), expected)


def test_distinct_addresses_are_distinct_streams():
    """Also where a careless joining of the parts would make them one."""
    addresses = [
        (7, "noise"), (8, "noise"), (0, "noise"), (7, "nois", "e"), (7, "noise", 0), (7, "noise", 1), (7, "noise", "1"),
        (7, "noise", 11), (7, "noise", 1, 1), (7, "noise1"), (7, "", "noise"), (7, "function"), (7, "Noise"),
        (2**32 + 7, "noise"), (2**63 - 1, "noise"), (7, "a", "b"), (7, "ab"), (7, "b", "a"),
    ]  # fmt: skip
    first = [stream(*address).integers(2**63) for address in addresses]
    assert len(set(first)) == len(addresses)


def test_streams_are_the_same_in_another_process():
    """Python salts its hashes per process; the streams must not."""
    code = "from companion.core.randomness import stream; print(stream(7, 'noise', 3).integers(2**63))"
    elsewhere = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert [int(out) for out in elsewhere] == [stream(7, "noise", 3).integers(2**63)] * 2


def test_neighbouring_seeds_are_uncorrelated():
    table = np.stack([stream(seed, "noise").standard_normal(200) for seed in range(60)])
    correlation = np.corrcoef(table)
    statistic = 200 * np.sum(np.tril(correlation, -1) ** 2)
    assert stats.chi2(60 * 59 / 2).sf(statistic) > SIGNIFICANCE
    assert stats.kstest(table.ravel(), "norm").pvalue > SIGNIFICANCE
    assert stats.kstest(table[:, 0], "norm").pvalue > SIGNIFICANCE


def test_the_global_generator_is_left_alone():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    stream(7, "noise").random(100)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


@pytest.mark.parametrize("seed", [-1, 2**63, 1.0, "7", None, True, np.float64(3)])
def test_bad_seeds_are_refused(seed):
    with pytest.raises(ParameterError, match="seed"):
        stream(seed, "noise")


def test_an_empty_path_is_refused():
    with pytest.raises(ParameterError, match="path"):
        stream(7)


def test_seeds_of_opened_streams_are_seen_in_every_block_around_them():
    stream(1, "before")
    with seeds_opened() as outer:
        stream(2, "noise")
        with seeds_opened() as inner:
            stream(np.int64(3), "noise")
            note_seeds({9})
        stream(4, "noise")
    stream(5, "after")
    assert (outer, inner) == ({2, 3, 4, 9}, {3, 9})


def test_a_block_left_by_an_error_sees_no_more():
    with pytest.raises(ZeroDivisionError), seeds_opened() as seen:
        _ = 1 // 0
    stream(5, "after")
    assert seen == set()
