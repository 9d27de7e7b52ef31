"""Information gain: of a set, of greedy picks, and a certified two-sided bound on its maximum."""

from companion.information.gain import cumulative_information_gain, information_gain
from companion.information.gain_bounds import (
    UPPER_BOUNDS,
    GainBracket,
    gain_bracket,
    gain_bracket_curve,
    maximum_gain_of_grid,
)
from companion.information.greedy import GreedyGain, exchange, greedy_gain

__all__ = [
    "UPPER_BOUNDS",
    "GainBracket",
    "GreedyGain",
    "cumulative_information_gain",
    "exchange",
    "gain_bracket",
    "gain_bracket_curve",
    "greedy_gain",
    "information_gain",
    "maximum_gain_of_grid",
]
