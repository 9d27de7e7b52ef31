r"""Appendix A.1, bound on $\mathbb E L_{\max}$, citing Lemma H.1 of Takeno et al.

Printed: $\mathbb E L_{\max}\le b(\log(an)+\sqrt\pi/2)$, where $n=|A||C|$; this number is called $\mathcal G$ below.

Wrong: Integrating the tail of Assumption 3.1 gives the roots of $b$ and of the logarithm. For small $b$ the printed number
is too small: the payoff $\sqrt s\,W^\top\xi$ with standard normal $W$ satisfies the assumption with $a=2$, $b=2s$, and for
$n=2$ the mean of its largest slope is $2\sqrt{s/\pi}$.

Repair: Put $L^\ast=\sqrt b(\sqrt{\log(an)}+\sqrt\pi/2)$ for $\mathcal G$ here and in $\tau_t$, $|\Xi_t|$, $\beta_t$ and
$\mathcal B$. The order in $T$ and the independence of $M$ are not affected; where $b\ge1$ and $an\ge e$, the printed number
is an upper bound too.
"""

import numpy as np

n, s = 2, 0.001
a, b = 2, 2 * s
mean = 2 * np.sqrt(s / np.pi)  # of the larger of two independent slopes sqrt(s) |W|
printed = b * (np.log(a * n) + np.sqrt(np.pi) / 2)
repaired = np.sqrt(b) * (np.sqrt(np.log(a * n)) + np.sqrt(np.pi) / 2)
print(f"printed: E L_max = {mean:.4f} <= {printed:.4f}")
print(f"repaired: E L_max = {mean:.4f} <= {repaired:.4f}")
assert printed < mean <= repaired
