r"""Section 4.1, Lemma 3 (Lemma 14 in the appendix): the norm of the mean, with (28).

Printed: With probability $1-\delta$, $\|\mu_{t-1}\|_k\le\bar B_t$, and $\bar B_t$ is at
most $\lambda^{-1/2}\bigl(R\sqrt{2\log\frac1\delta}+R\sqrt{2\gamma_t}+B\bigr)$.

Wrong: With little noise and $\lambda=4$ the norm of the mean itself exceeds the last
expression, as $B$ is divided by $\sqrt\lambda$ there.

Repair:
$\bar B_t\le\lambda^{-1/2}R\bigl(\sqrt{2\log\frac1\delta}+\sqrt{\gamma_t}\bigr)+B$. The
bound $\|\mu_{t-1}\|_k\le\bar B_t$ and the Lipschitz constants (i) to (iii) stand as
printed, on the event of Lemma 1 and without a failure probability of their own.
"""

import numpy as np

R, B, delta, lam, n = 0.01, 1.0, 0.1, 4.0, 100
gain = np.log(1 + n / lam)  # one arm with k = 1, observed n times
mean_norm = n * B / (n + lam)  # f = B k, and no noise came up
noise = np.sqrt(2 * np.log(1 / delta))
printed = (R * noise + R * np.sqrt(2 * gain) + B) / np.sqrt(lam)
repaired = R * (noise + np.sqrt(gain)) / np.sqrt(lam) + B
print(f"printed: {mean_norm:.3f} <= {printed:.3f}")
print(f"repaired: {mean_norm:.3f} <= {repaired:.3f}")
assert mean_norm > printed
