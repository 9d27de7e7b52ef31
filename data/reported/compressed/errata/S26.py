r"""Section 3, Theorem 3.2(i); Appendix 8.1, (8.21), (8.31), (8.32).

Printed: The second term is $T\sqrt{\log(1+T^{-\alpha})}\sqrt{C_1\beta_T}$, for
$\alpha\in(0,1/p)$; the bound $\kappa(x,x)\le1$ is not among the conditions.

Wrong: $\epsilon=\frac12\log(1+T^{-\alpha})$ in (8.31) gives a term smaller by $\sqrt2$. The range
of $\alpha$ is not used. $\kappa\le1$ is needed for (8.21).

Repair: $\frac12\log$ under the root, any $\epsilon\ge0$, and $\kappa\le1$ among the conditions (or
$C_1$ with the largest variance in it). The theorem is true as printed under $\kappa\le1$, with a
factor to spare. The range of $\alpha$ matters for Theorem 3.1 only.
"""

import numpy as np

noise, T, alpha = 0.1, 100, 0.5
left, right = (s / np.log1p(s) for s in (4 / noise, 1 / noise))
unit = T * np.sqrt(np.log1p(T**-alpha) / 2)  # (8.31), over the root of C_1 beta_T
term = T * np.sqrt(np.log1p(T**-alpha))
print(f"printed: (8.21) for a variance of 4, {left:.2f} <= {right:.2f}")
print(f"repaired: {right:.2f} <= {right:.2f}; in (8.32) {unit:.1f} for {term:.1f}")
assert left > right
