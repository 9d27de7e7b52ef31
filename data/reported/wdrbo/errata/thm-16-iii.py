r"""Appendix 8, proof of Theorem 16, (59), step (iii).

Printed:
$4\sum_{t\le T}\log(1+\sigma_{t-1}^2)+8\log\frac6\delta\le4\gamma_T+16\log\frac6\delta$,
with $\gamma_T=\sup\log\det(I+\lambda^{-1}K_{T-1})$.

Wrong: The sum is a gain of $T$ observations, and $\gamma_T$ one of $T-1$. The doubled
logarithm pays for the one that is missing unless $\lambda<1/((6/\delta)^2-1)$.

Repair: $\gamma_{T+1}$ for $\gamma_T$; the logarithm then need not be doubled. With
$\lambda\ge0.03$ the step holds as printed for every $\delta$. The order in $T$ is not
affected.
"""

import numpy as np

lam, delta, T = 0.001, 0.5, 1
log_widths = np.log(1 + 1 / lam)  # one round, k = 1
short, full = 0.0, np.log(1 + 1 / lam)  # gains of T - 1 and of T observations
left = 4 * log_widths + 8 * np.log(6 / delta)
printed = 4 * short + 16 * np.log(6 / delta)
repaired = 4 * full + 8 * np.log(6 / delta)
print(f"printed: {left:.2f} <= {printed:.2f}")
print(f"repaired: {left:.2f} <= {repaired:.2f}")
assert left > printed
