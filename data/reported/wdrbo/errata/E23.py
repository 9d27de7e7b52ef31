r"""Section 4.2 and Appendix 8.1, proof of Corollaries 10 and 24.

Printed: The order holds for every $\lambda>0$, by Theorem 9 with (59), Lemma 7 with
$\mathcal U(\bar B_t,\bar B_t,\lambda)$, and Lemma 23 for $0<s<1$ at $s=\lambda$.

Wrong: (59) is argued for $\sigma^2\le1$, so $\lambda\ge1$; the class takes
$\beta_t\le\bar B_t$, so $\lambda\le1$; Lemma 23 takes $\lambda<1$. No $\lambda$
satisfies all three.

Repair: $C_\lambda\log(1+\sigma^2)$ in (59), $\mathcal U(\bar B_t,\beta_t,\lambda)$, and
a covering bound for every $s$. The order then holds for every $\lambda$. At $\lambda=1$
it follows from these steps as printed, as the class for $s=1$ lies in that for
$s=\frac12$.
"""

import numpy as np

R, B, delta, tiny = 1.0, 1.0, 0.1, 1e-12
lam = np.append(np.geomspace(1e-3, 1e2, 50), 1.0)
width = 1 / lam  # the largest squared width, where k(z, z) = 1
beta = R * np.sqrt(2 * np.log(1 / delta)) + np.sqrt(lam) * B  # t = 1
printed = (width <= 1) & (beta <= beta / np.sqrt(lam) + tiny) & (lam < 1)
factor = (1 / lam) / np.log(1 + 1 / lam)  # the other two steps then take any lam > 0
repaired = (width <= factor * np.log(1 + width) * (1 + tiny)) & (lam > 0)
print(f"printed: {len(lam)} regularisers = {printed.sum()} for which the steps hold")
print(f"repaired: {len(lam)} regularisers = {repaired.sum()} for which the steps hold")
assert not printed.any()
