"""Exponents of regret."""

import numpy as np
import pandas as pd
import pytest

from companion.papers.batched.page import rate


def test_rate_study_recovers_a_planted_exponent():
    horizons = np.array([250, 500, 1000, 2000])
    frame = pd.DataFrame(
        [{"rule": "orig", "horizon": t, "seed": s, "regret": (s + 1) * t**0.37} for t in horizons for s in (0, 1)]
    )
    slopes = rate._slopes(frame)
    assert slopes.slope.iloc[0] == pytest.approx(0.37)
    n = rate.rate_numbers(rate.RateStudy(frame, slopes, bound=0.6))
    assert n.above_agreed == pytest.approx(0.37 - rate.LARGEST_SLOPE)
    assert (n.repeats, n.reach) == (2, pytest.approx(slopes.high.iloc[0] - 0.6))


def test_rules_differ_in_their_sizes_and_share_their_noise():
    study = rate.rate_study(0, 1000, 2, 0.1, 0.1)
    assert list(study.runs.horizon.unique()) == [250, 500, 1000]
    at = study.runs.set_index(["rule", "horizon", "seed"]).regret
    assert at["orig", 250, 0] != at["a=0.6", 250, 0] != at["a=0.6", 250, 1]
