r"""Theorem 4.1, and Appendix A, last display before its order.

Printed: For any $a,b>0$ of Assumption 3.1, with $n=|A||C|$,
$\mathbb E[R_T]\le\frac{\pi^2}3+|A|\sqrt{2n}\min\{\frac1{\mathcal G},n\}\max\{2\zeta'(2),\frac{\pi^2}6\}
+\beta_T\sqrt{TD\gamma_T}$.

Wrong: If $b$ is small, $\tau_T<1$ and $\beta_T<0$; then the right side can be negative, which no regret is. In such rounds
the algorithm avoids what it does not know.

Repair: Put $\max\{2,\tau_t\}$ for $\tau_t$, so that $\beta_t>0$ for $n\ge2$; this amounts to a larger $b$, which satisfies
Assumption 3.1 too. The order in $T$ and the independence of $M$ are not affected.
"""

import numpy as np

# |A| = 2, |C| = 1, f(1) and f(2) independent N(0, 1), the same at every law; R = 1
n, a, b, T = 2, 2, 1e-6, 50
slope = b * (np.log(a * n) + np.sqrt(np.pi) / 2)
tau = n * T**2 * slope
spread = np.sqrt(T * 2 / np.log(2) * np.log1p(T / 2))  # gamma_T = log(1 + T / 2)
rest = np.pi**2 / 3 + n * np.sqrt(2 * n) * min(1 / slope, n) * np.pi**2 / 6
betas = [2 * np.log(n * p**n * T**2 / np.sqrt(2 * np.pi)) for p in (tau, max(2, tau))]
printed, repaired = (rest + beta * spread for beta in betas)
most = T * 2 / np.sqrt(np.pi)  # T times the mean of |f(1) - f(2)|
print(f"printed: 0 <= E R_T <= {printed:.1f} (beta_T = {betas[0]:.2f})")
print(f"repaired: E R_T <= {most:.1f} <= {repaired:.1f} (beta_T = {betas[1]:.2f})")
assert printed < 0 < most < repaired
