r"""Appendix A.2: the positive part of a Gaussian variable, and the law of $f-U_t$.

Printed: $\mathbb E[Z^+]\le\frac s{\sqrt{2\pi}}e^{-m^2/(2s^2)}$ for $Z\sim\mathcal N(m,s^2)$; $f-U_t$ has mean
$-\beta_t\sigma_{t-1}^2$; and $e^{-\beta_t/2}$ follows.

Wrong: The lemma needs $m\le0$. With $U_t=\mu_{t-1}+\beta_t\sigma_{t-1}$ the mean is $-\beta_t\sigma_{t-1}$ and the exponent
$\beta_t^2/2$, which does not give $e^{-\beta_t/2}$ where $\beta_t<1$.

Repair: The bound on $R_T^C$ stands for $\beta_t\ge0$, since
$\varphi(\beta)-\beta\Phi(-\beta)\le\varphi(0)e^{-\beta/2}$: the left side is log-concave, with logarithmic slope
$-\sqrt{\pi/2}$ at 0. With $U_t=\mu_{t-1}+\sqrt{\beta_t}\sigma_{t-1}$ the printed exponent is right, and $\beta_T$ in the
theorem becomes $\sqrt{\beta_T}$.
"""

import math
from statistics import NormalDist

normal, beta = NormalDist(), 0.5
positive_part = normal.pdf(1) + normal.cdf(1)  # of N(1, 1)
route = math.exp(-(beta**2) / 2), math.exp(-beta / 2)
exact = normal.pdf(beta) - beta * normal.cdf(-beta)
bound = normal.pdf(0) * math.exp(-beta / 2)
lemma = normal.pdf(1)
print(f"printed: {positive_part:.3f} <= {lemma:.3f}, {route[0]:.3f} <= {route[1]:.3f}")
print(f"repaired: {exact:.3f} <= {bound:.3f}")
assert positive_part > lemma
assert route[0] > route[1]
