r"""Section 3, Theorem 3.1, (3.1).

Printed: $M_T\le O((e^{2\epsilon}-1)^{-p})$ for all $T$, by a packing bound on points that are apart
from the span of the others.

Wrong: The algorithm tests a distance regularised by the noise, which is not 0 at a stored point;
points are stored repeatedly. Under (2.4) with the exponential kernel, $p=1$, the order grows like
$(e^{2\epsilon}-1)^{-2}$. UCB gets there too, after astronomically many rounds.

Repair: The order is finite, as stated. The exponent is $1+p/(2\nu)$ for Matérn kernels, above $p$
in one dimension. For the squared exponential kernel (3.1) is true up to logarithms.
Theorem 3.2 does not change, as $M_T$ stands in it; nor does $O(\sqrt T)$ in Corollary 3.3, where
the set is finite.
"""

import numpy as np

x, noise = np.linspace(0, 1, 301), 0.25
cov, peaks = np.exp(-4 * np.abs(x[:, None] - x)), []
while cov.diagonal().max() > 0.1 * noise:  # observe where the variance is largest
    i = cov.diagonal().argmax()
    peaks.append(cov[i, i])
    cov = cov - np.outer(cov[i], cov[i]) / (cov[i, i] + noise)
u = np.array([0.4, 0.2, 0.1])  # exp(2 epsilon) - 1
order = np.array([np.sum(np.array(peaks) > noise * v) for v in u])
print(f"printed: order times u, to be bounded as u falls: {order * u}")
print(f"repaired: order times u^2: {order * u**2}")
assert np.all(np.diff(order * u) > 10)
