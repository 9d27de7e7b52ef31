r"""Section 6.3 and Table 7: model and objective of the Boston problem.

Printed: Length-scale 0.1 on the number of hidden nodes, from 1 to 100; initial weights set to be
the same.

Wrong: With it, networks that differ by one node have correlation below $10^{-6}$: the model learns
nothing of one size from another. In the published code (commit a5cc6f7) the axis is a tenth of
that, and every evaluation has new initial weights, so that the objective is random.

Repair: Give the scaled axis, and say that the objective is random and what it is: the validation
error after one epoch. The comparison of methods in Table 4 is not affected, as all had the same
model and objective; the level of regret is.
"""

import math


def correlation(distance, length=0.1):  # Matern, nu = 1.5
    r = math.sqrt(3) * distance / length
    return (1 + r) * math.exp(-r)


print(f"printed: one node more, correlation {correlation(1.0):.0e}")
print(f"repaired: one node more on a tenth of the axis, {correlation(0.1):.2f}")
assert correlation(1.0) < 1e-6 < 0.1 < correlation(0.1)
