r"""Appendix A.1, the display in which $\log\tau_t$ is written out.

Printed: $\log\tau_t\le2\log t+\log\mathcal G$, although $\tau_t=nt^2\mathcal G$ with $n=|A||C|$.

Wrong: A term $\log n$ is lost.

Repair: $\log\tau_t=2\log t+\log\mathcal G+\log n$, which adds a term with $\sqrt{\log n}$ to the second part of $R_T^A$ and to
$\mathcal B$. The order in $T$ and the independence of $M$ are not affected.
"""

import numpy as np

n, a, b, t = 30, 1, 1, 1
slope = b * (np.log(a * n) + np.sqrt(np.pi) / 2)
left = np.log(n * t**2 * slope)
printed = 2 * np.log(t) + np.log(slope)
repaired = printed + np.log(n)
print(f"printed: log tau_t = {left:.3f} <= {printed:.3f}")
print(f"repaired: log tau_t = {left:.3f} <= {repaired:.3f}")
assert left > printed + 1
