r"""Appendix 8.1, Lemma 23.

Printed: A global $\kappa$ has
$\log\mathcal N_\infty(\rho,\mathcal U(m,b,s))\le \kappa(1+\log\frac m\rho)^{1+d}+\kappa(1+\log\frac1\rho)^{1+2d}$,
for every $b$.

Wrong: The right side does not contain $b$. The multiples $\beta\sigma$, $|\beta|\le b$,
of one width need about $b/(\rho\sqrt s)$ balls, which exceeds it for large $b$,
whatever $\kappa$ is.

Repair: $\log\frac b\rho$ for $\log\frac1\rho$ in the second term, $|\beta|\le b$, and
$\kappa$ dependent on kernel, domain, $d$ and $s$. In Corollary 10, $b=m=\bar B_t$ is a
power of a logarithm: its order is not affected.
"""

import numpy as np

m, s, rho, d, kappa = 1.0, 0.5, 0.1, 2, 1000.0
first = kappa * (1 + np.log(m / rho)) ** (1 + d)
printed = first + kappa * (1 + np.log(1 / rho)) ** (1 + 2 * d)
log_b = printed + 1  # some b; for another kappa there is another
needed = log_b - np.log(rho * np.sqrt(s))  # log of b / (rho sqrt(s)), where k(z, z) = 1
repaired = first + kappa * (1 + log_b - np.log(rho)) ** (1 + 2 * d)
print(f"printed: {needed:.1f} <= {printed:.1f}")
print(f"repaired: {needed:.1f} <= {repaired:.3g}")
assert needed > printed
