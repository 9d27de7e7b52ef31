r"""Section 4.2 and Appendix 8.1: definition of $\mathcal U(m,b,s)$, Lemma 19, Lemma 23.

Printed: $\beta\le b$ in the definition; $\log\mathcal N_\infty(\rho,\mathcal U)$ is at
most $\kappa(1+\log\frac m\rho)^{1+d}+\kappa(1+\log\frac1\rho)^{1+2d}$ with a global
constant $\kappa$.

Wrong: With $\beta=0,-1,-2,\dots$ the class holds any number of functions further than
$2\rho$ apart, so that no cover is finite, and (16) is infinite. With $\beta\ge0$, Lemma
19's $-h\in\mathcal U$ fails. The bound does not contain $b$ either (see lemma-23).

Repair: $|\beta|\le b$, $\log\frac b\rho$ in the second term, and a $\kappa$ that may
depend on kernel, domain, $d$ and $s$. The corollary takes $m=b=\bar B_t$, a power of a
logarithm, so that its order stands.
"""

import numpy as np

m, b, s, rho, d, kappa = 1.0, 1.0, 0.5, 0.1, 2, 1.0
first = kappa * (1 + np.log(m / rho)) ** (1 + d)
printed = first + kappa * (1 + np.log(1 / rho)) ** (1 + 2 * d)
repaired = first + kappa * (1 + np.log(b / rho)) ** (1 + 2 * d)
gap = 1 / np.sqrt(s)  # between the members beta / sqrt(s) for beta = 0, -1, ..., -n
log_n = 2 * printed  # any n will do
bounded = np.log(1 + b / (rho * np.sqrt(s)))  # members 2 rho apart with |beta| <= b
print(f"printed: log N >= {log_n:.1f}, log N <= {printed:.1f}")
print(f"repaired: log N >= {bounded:.1f}, log N <= {repaired:.1f}")
assert gap > 2 * rho
assert log_n > printed
