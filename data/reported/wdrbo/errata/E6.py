r"""Section 4.2, Lemma 7 (Lemma 20), and Appendix 8.1, the paragraph before Lemma 18.

Printed: $\mathrm{UCB}_t\in\mathcal U(\bar B_t,\bar B_t,\lambda)$, as
$\beta_t\le\bar B_t$, and $L_x=2\bar B_tL$ for the class, so that
$\rho_t=(1+2L\bar B_t)/t$.

Wrong: $\beta_t=\sqrt\lambda\bar B_t$ exceeds $\bar B_t$ for $\lambda>1$, where the
acquisition need not be in the class. For $\lambda<1$ the class has members of slope
$\bar B_t(1+\lambda^{-1/2})L$.

Repair: $\mathcal U(\bar B_t,\beta_t,\lambda)$. It contains the acquisition, and its
members have slope at most $2\bar B_tL$, for every $\lambda$. With it $\rho_t$ and the
argument of Lemma 7 stand, and so does the order in Corollary 10. At $\lambda=1$ the
printed class is right.
"""

import numpy as np

R, B, delta, arms = 1.0, 1.0, 0.1, 9  # t = 1; orthogonal arms with k = 1 have L = 1


def norm(lam):
    """The bound on the norm of the mean, before any data, and UCB_1 on every arm."""
    return R * np.sqrt(2 * np.log(1 / delta) / lam) + B


big, small = norm(4.0), norm(0.01)
mean = np.sqrt(arms) * (big - big / np.sqrt(4.0))  # what beta sigma <= big / 2 leaves
slope = small + small / np.sqrt(0.01)  # small (z + |z| / sqrt(lam)), k(z, z') = z z'
repaired = small + np.sqrt(0.01) * small / np.sqrt(0.01)
print(f"printed: norm {mean:.2f} <= {big:.2f}; slope {slope:.1f} <= {2 * small:.1f}")
print(f"repaired: norm {0.0:.2f} <= {big:.2f}; slope {repaired:.1f} <= {2 * small:.1f}")
assert mean > big
assert slope > 2 * small
