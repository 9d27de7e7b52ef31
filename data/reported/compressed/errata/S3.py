r"""Section 4, settings; Figures 1 to 3 and Tables 2 to 4.

Printed: Budget $\epsilon=10^{-4}$ and noise variance $\sigma^2=0.001$ under the rule (2.12), with
a model order that settles to a constant in all three experiments.

Wrong: Any $n$ observations leave a variance of at least $\sigma^2/(n+\sigma^2)$, and a point is
rejected at $\sigma^2(e^{2\epsilon}-1)$ or below: with these constants not before 5000 points
are stored. Until then the rule keeps every point. The number of rounds is not printed.

Repair: Say which rule and which constants made the figures. The words "entropy above $\epsilon$"
(S4), or (2.12) without $\sigma^2$, do compress within a few hundred rounds. The theorems are not
affected.
"""

import numpy as np

epsilon, noise = 1e-4, 1e-3
threshold = noise * np.expm1(2 * epsilon)
lowest = [noise / (n + noise) for n in range(10_000)]  # after n observations
first = next(n for n, variance in enumerate(lowest) if variance <= threshold)
print(f"printed: a rejection in 300 rounds, {lowest[300]:.2g} <= {threshold:.2g}")
print(f"repaired: none before {first} points, {lowest[first]:.5g} <= {threshold:.5g}")
assert lowest[300] > threshold >= lowest[first]
