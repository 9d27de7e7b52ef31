r"""Appendix 8.3, (8.58).

Printed: The bound on $\gamma_M$ by the eigenvalues has the prefactor $\frac1{2((1-1/e)^{-1})}$.

Wrong: This is $\frac12(1-1/e)$, below $\frac12$: already a single arm observed once has a larger
gain than the right side.

Repair: $\frac1{2(1-1/e)}$, as the next line, (8.59), has it. $Z_1$ and Corollary 3.3 are built on
that line and are not affected. Even $\frac12$ is enough.
"""

import numpy as np

noise, eigenvalue, m = 0.5, 1.0, 1  # one arm, observed once
gain = 0.5 * np.log1p(1 / noise)
allocation, greedy = np.log1p(m * eigenvalue / noise), 1 - np.exp(-1)
print(f"printed: {gain:.3f} <= {greedy / 2 * allocation:.3f}")
print(f"repaired: {gain:.3f} <= {allocation / (2 * greedy):.3f}")
assert greedy / 2 * allocation < gain <= allocation / (2 * greedy)
