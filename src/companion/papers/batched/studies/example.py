"""The run that the chapter shows as code to copy, batch by batch."""

from __future__ import annotations

import numpy as np
import pandas as pd

from companion.gp import Matern, gp_draw, grid
from companion.papers.batched.method.policy import BPE
from companion.papers.batched.method.sizes import power_sizes
from companion.report import recorded


@recorded(first="seed")
def copied_run(seed: int) -> pd.DataFrame:
    """Per batch: size, mean regret of its evaluations, survivors, and whether the maximiser is one of them."""
    rng, kernel, points, left = np.random.default_rng(seed), Matern(nu=2.5, lengthscale=0.1), grid(200, dim=1), 500
    f = gp_draw(kernel, points, rng)
    policy = BPE(kernel(points), noise_variance=0.1**2, sizes=power_sizes(left, a=0.6), width=2.0)
    rows = []
    while left > 0:
        x = policy.ask(left).query
        policy.tell(f[x] + 0.1 * rng.standard_normal(len(x)))
        left -= len(x)
        alive = policy.active
        rows.append((len(x), float(np.mean(f.max() - f[x])), int(alive.sum()), bool(alive[f.argmax()])))
    return pd.DataFrame(rows, columns=["size", "regret", "survivors", "maximiser"])
