r"""Section 4.2, Theorem 8; Theorem 21 in the appendix.

Printed: With probability $1-2\delta$, for all $t\ge1$, by Lemma 7.

Wrong: Lemma 7 is about one $t$. A radius that fails in each round with probability at
most $\delta$ may fail in some round with a larger one. Also $\bar B_t$ contains the
realised log determinant, while Lemma 18 takes a fixed class.

Repair: $6\delta/(\pi^2t^2)$ for $\delta$ in (16), and $\gamma_t$ for the log
determinant. The theorem's form and all orders are not affected. With decisions in
$[0,1]$ the radius (16) suffices even without the union, as it is twice what is needed
(see E10).
"""

import numpy as np


def in_some_round(share, rounds=200):
    """Chance that fair coins leave, in some round t, a set of chance 1 - share(t)."""
    law = alive = np.ones(1)
    for t in range(1, rounds + 1):
        law, alive = (np.convolve(p, [0.5, 0.5]) for p in (law, alive))
        far = np.abs(np.arange(t + 1) - t / 2)
        tail = np.array([law[far >= limit].sum() for limit in far])
        alive[tail <= share(t)] = 0.0
    return 1 - alive.sum()


delta = 0.1
printed = in_some_round(lambda t: delta)
repaired = in_some_round(lambda t: 6 * delta / (np.pi * t) ** 2)
print(f"printed: {printed:.3f} <= {delta:.3f}")
print(f"repaired: {repaired:.3f} <= {delta:.3f}")
assert printed > delta
