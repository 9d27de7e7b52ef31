r"""Appendix C, the text on resampling, against Lemma 1.

Printed: That a sampled maximum lies below the largest mean does not affect the theoretical
convergence; the experiments resample $\tilde f^*_{t,i}$ until it lies above.

Wrong: Lemma 1 needs $\tilde f^*_{t,i}$ to have the law of $f^*$ given the data, and a resampled
maximum has not: it is larger in expectation. Theorem 1 is about another algorithm than the one in
Section 6. Below, two independent arms in the first batch.

Repair: The expected regret is at most the expected sampled regret, and at least half of the draws
are accepted, so that probabilities at most double. Lemma 1 with $\le$, and $4|\mathcal X|Tm/\delta$
in the logarithm of (9), cover the resampled algorithm. Theorem 1 for Algorithm 1 as printed is not
affected.
"""

import math

import numpy as np

u = np.linspace(-10, 10, 20_001)
below = np.array([0.5 * math.erfc(-v / 2**0.5) for v in u]) ** 2  # P(max <= u)
step, up = u[1] - u[0], u > 0  # the means are 0
best = (1 - below)[up].sum() * step - below[~up].sum() * step  # E f*
accepted = 1 - 0.5**2
resampled = (1 - below)[up].sum() * step / accepted  # E of f~* given f~* > 0
print(f"printed: E f~* = {resampled:.3f} equals E f* = {best:.3f}")
print(f"repaired: {best:.3f} <= {resampled:.3f}; accepted {accepted:.2f} >= 0.5")
assert resampled > best + 0.3
