"""Exponents of regret."""

import numpy as np
import pandas as pd
import pytest

from companion.papers.batched.page import rate


def test_rate_study_recovers_a_planted_exponent():
    horizons = np.array([250, 500, 1000, 2000])
    frame = pd.DataFrame(
        [
            {"kernel": "se", "rule": "orig", "horizon": t, "seed": s, "regret": (s + 1) * t**0.37}
            for t in horizons
            for s in (0, 1)
        ]
    )
    gains = pd.DataFrame([{"kernel": "se", "horizon": t, "lower": 1.0, "upper": t**0.2} for t in horizons])
    slopes = rate._slopes(frame, gains).iloc[0]
    assert slopes.slope == pytest.approx(0.37)
    assert slopes.bound == pytest.approx(0.6)
    n = rate.rate_numbers(rate.RateStudy(frame, gains, rate._slopes(frame, gains)))
    assert (n.above_bound, n.above_agreed) == pytest.approx((0.37 - 0.6, 0.37 - rate.LARGEST_SLOPE))
    assert (n.functions, n.reach) == (2, pytest.approx(slopes.high - 0.6))
