r"""Appendix 9.2, (9.26), in the proof of Theorem 3.4.

Printed: By Lemma 9.5,
$\sum_t\sigma_{t-1}^2(x^*)\le\frac2{\log(1+\sigma^{-2})}[\gamma_{M_T}+\epsilon|\mathcal M_T^c|]$.

Wrong: Lemma 9.5 is about the chosen points $x_t$. The maximiser need never be sampled, and then its
variance stays 1.

Repair: Lemma 9.5 stands. In the theorem keep $\sqrt{\beta_T}\sum_t\sigma_{t-1}(x^*)$ as the second
part. That $x_t$ maximises the acquisition does not bound $\sigma_{t-1}(x^*)$ by a useful
multiple of $\sigma_{t-1}(x_t)$, so sublinear regret of compressed EI is not proved.
"""

from math import erfc

import numpy as np

f, noise, u, T = np.array([2.5, 2.6]), 1e-4, 0.5, 100  # u = exp(2 epsilon) - 1
count, at_star, at_choice = np.array([1, 0]), 0.0, 0.0
for _ in range(T):  # two independent arms, arm 0 observed once, no error
    var = noise / (count + noise)
    z = (count * f / (count + noise) - f[0]) / np.sqrt(var)
    cdf = np.array([erfc(-s / 2**0.5) / 2 for s in z])
    x = np.argmax(np.sqrt(var) * (z * cdf + np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)))
    at_star, at_choice = at_star + var[1], at_choice + var[x]
    count[x] += var[x] > noise * u
right = count.sum() + np.log1p(u) / np.log1p(1 / noise) * (T + 1 - count.sum())
print(f"printed: at the maximiser {at_star:.1f} <= {right:.1f}")
print(f"repaired: at the chosen points {at_choice:.4f} <= {right:.1f}")
assert at_choice <= right < at_star
