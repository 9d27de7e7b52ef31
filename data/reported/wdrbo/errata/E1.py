r"""Lemma 3 (Lemma 14 in the appendix), (28), second inequality.

Printed:
$\bar B_t\le\lambda^{-1/2}\bigl(R\sqrt{2\log\frac1\delta}+R\sqrt{2\gamma_t}+B\bigr)$ for
every $\lambda>0$.

Wrong: $B$ is not divided by $\sqrt\lambda$ in $\bar B_t$. For $\lambda>1$ the
inequality fails before any data; for $\lambda\le1$ it is true.

Repair: Put $B$ outside the bracket:
$\bar B_t\le\lambda^{-1/2}R\bigl(\sqrt{2\log\frac1\delta}+\sqrt{\gamma_t}\bigr)+B$. This
$\gamma_t$ carries no factor one half, so that $\sqrt{\gamma_t}$ is enough. The
Lipschitz constants (i) to (iii) are stated with $\bar B_t$ and stand, and so does the
order in Corollary 6.
"""

import numpy as np

R, B, delta, lam = 1.0, 1.0, 0.1, 4.0
log_det = gain = 0.0  # t = 1: there are no data
left = R / np.sqrt(lam) * np.sqrt(log_det + 2 * np.log(1 / delta)) + B
noise = np.sqrt(2 * np.log(1 / delta))
printed = (R * noise + R * np.sqrt(2 * gain) + B) / np.sqrt(lam)
repaired = R * (noise + np.sqrt(gain)) / np.sqrt(lam) + B
print(f"printed: {left:.3f} <= {printed:.3f}")
print(f"repaired: {left:.3f} <= {repaired:.3f}")
assert left > printed
