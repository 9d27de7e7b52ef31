r"""Appendix 8.3, (8.61) to (8.63); Corollary 3.3, (3.5).

Printed: A sum $aT^x+bT^y$ is bounded by $\max\{a,b\}T^{\max\{x,y\}}$, which gives
$\sqrt{C_1\beta_T}\max\{\sqrt{Z_1},1\}T^{3/4}$; $M_T\le T^{\alpha p}$ is used with constant 1.

Wrong: The maximum of two terms is not above their sum; up to a factor 2 is lost. On $X$ candidates
$M_T$ may be $X$ times as large.

Repair: $\sqrt{Z_1}+1$ for the maximum; it covers $M_T\le X\lceil\sqrt T\rceil$ too, as
$\gamma_M\le M/(2\sigma^2)$. The orders $T^{3/4}$ and $\sqrt T$ stand. No run
contradicts the printed constant: it is not proved where $Z_1$ is small, and true from about 2.6 on.
"""

import numpy as np

T, Z = 10_000, 1.0  # both sides in units of the root of C_1 beta_T
summed = T**0.75 * np.sqrt(Z) + T**0.75  # (8.61) at p = 1, alpha = 1/2
print(f"printed: {summed:.0f} <= {max(np.sqrt(Z), 1) * T**0.75:.0f}")
print(f"repaired: {summed:.0f} <= {(np.sqrt(Z) + 1) * T**0.75:.0f}")
assert summed > max(np.sqrt(Z), 1) * T**0.75
