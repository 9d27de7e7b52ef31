r"""Appendix 9.2, (9.27) to (9.28); Section 3, Theorem 3.4, (3.6).

Printed: After $\epsilon=\frac12\log(1+T^{-\alpha})$ is put in, the bound is divided by
$\log(1+\sigma^{-2})$.

Wrong: (9.27) divides by $\sqrt{\log(1+\sigma^{-2})}$; the root is lost in the next line. For
$\log(1+\sigma^{-2})>1$ the printed bound is smaller than what was derived, by a factor of 0.38 at
$\sigma^2=0.001$.

Repair: The root of the logarithm in (9.28) and (3.6). The dependence on $T$ does not change. As
printed, (3.6) fails on very many arms with little noise (U6). Steps (9.21) and (9.26) need
repairs of their own (S12, S13).
"""

import numpy as np

noise, T, beta, R = 0.001, 100, 10.0, 1.0
log = np.log1p(1 / noise)
gain, epsilon = log, 0.5 * np.log1p(T**-0.5)  # of two arms, once each
front = np.sqrt(3 * (beta + 1 + R**2)) + np.sqrt(beta)
derived = front * np.sqrt(2 * T * (gain + epsilon * T) / log)  # (9.27)
inner = np.sqrt(2 * T * gain) + T * np.sqrt(2 * epsilon)
print(f"printed: {derived:.1f} <= {front * inner / log:.1f}")
print(f"repaired: {derived:.1f} <= {front * inner / np.sqrt(log):.1f}")
assert front * inner / log < derived <= front * inner / np.sqrt(log)
