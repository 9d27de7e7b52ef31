"""Numbers are read from sentences as they are shown there, and a change of words is told from one of numbers."""

import pytest
from sentences import bold, numbers, turned


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("No number here.", []),
        ("It grows by 2.0 and 0.55, then .5.", [2.0, 0.55, 0.5]),
        ("Theorem 3.2. In 10, 20 and 40 runs", [3.2, 10, 20, 40]),
        ("more than 4% (or 12.5 %)", [4, 12.5]),
        ("5 000 points, 1,234,567 or 12\u202f345 or 1\u2009000.5 or 7\u00a0000", [5000, 1234567, 12345, 1000.5, 7000]),
        ("$12\\,345$ and $6{,}789$", [12345, 6789]),
        ("up to 3 of 3 runs, 20 1000", [3, 3, 20, 1000]),
        ("+0.12 to -0.30, \u22121.5, $-3$", [0.12, -0.3, -1.5, -3]),
        ("from 9-12 or 9\u201312, $1-0.5$, $T-1$, $(a)-2$", [9, 12, 9, 12, 1, 0.5, 1, 2]),
        ("1e-05 and 2.5E+3", [1e-5, 2500]),
        ("$10^{-3}$, $10^4$, $2.5\\cdot10^{-3}$, $3 \\times 10^{\u22122}$", [1e-3, 1e4, 2.5e-3, 0.03]),
        ("$\\rho_5=708$ at $\\sigma^{-2}$ and $\\tfrac12\\log2$", [5, 708, -2, 1, 2, 2]),
        ("$m=20$, $T\\ge30$, 4$\\sqrt2$", [20, 30, 4, 2]),
        ("GP-RBF-prior-2D and Ackley-3D have 8 (E5, C12b)", [8]),
        ("1.7 ± 1.1 [1]", [1.7, 1.1, 1]),
        ("- 3 of 4", [3, 4]),
        ("```{solution} ch1-ex-ratio\n7", [7]),
    ],
)
def test_numbers_are_read_as_shown(text, found):
    assert numbers(text) == pytest.approx(found)


@pytest.mark.parametrize(
    ("before", "after", "differ"),
    [
        ("It holds on 3 of 4.", "It holds on 12 of 40.", False),
        ("It holds on 3 of 4.", "It fails on 3 of 4.", True),
        ("by up to 20.0%", "by up to 1 000%", False),
        ("a factor of $10^{-3}$", "a factor of 0.2", False),
        ("**It holds.**", "It holds.", False),
        ("holds as printed", "It holds as printed", True),
        ("a change of -3", "a change of 4", False),
        ("lowest on GP-RBF-prior-2D", "lowest on Ackley-3D", False),
        ("", "A warning.", True),
    ],
)
def test_words_decide_whether_a_sentence_has_turned(before, after, differ):
    assert turned(before, after) == differ
    assert turned(after, before) == differ
    assert not turned(before, before)


def test_passages_in_bold_are_counted():
    assert bold("All are equal.") == 0
    assert bold("- **Runs.** 3 repeated; **not all are equal**, *some* are.") == 2
