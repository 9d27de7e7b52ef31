r"""Section 3.2 and Theorem 16, definition of $\gamma_t$; (59), step (iii).

Printed: $\gamma_T=\sup\log\det(I+\lambda^{-1}K_{T-1})$, and the sum of
$\log(1+\sigma_{t-1}^2(x_t,c_t))$ over $T$ rounds is at most $\gamma_T$.

Wrong: The sum equals $\log\det(I+\lambda^{-1}K_T)$, the gain of $T$ observations;
$\gamma_T$ has one fewer.

Repair: Read $\gamma_{T+1}$. The bound (57) is not affected for $\lambda\ge0.4$: step
(iii) also doubles the logarithm, which pays for one observation. The same slip of
index: $\bar B_t$ in (38) for $\bar B_{t+1}$, and $\beta_t$ in (60) and (61) for
$\beta_T$.
"""

import numpy as np

lam, T = 1.0, 3  # one arm with k = 1, so that K_n is the matrix of ones
widths = 1 / (np.arange(T) + lam)
left = np.log(1 + widths).sum()


def gain(n):
    """Log determinant of I + K_n / lambda."""
    return np.linalg.slogdet(np.eye(n) + np.ones((n, n)) / lam)[1]


print(f"printed: {left:.3f} <= {gain(T - 1):.3f}")
print(f"repaired: {left:.3f} <= {gain(T):.3f}")
assert left > gain(T - 1) + 1e-9
