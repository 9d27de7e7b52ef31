r"""Appendix 7, between (7.10) and (7.12): radius of the packing in the proof of Theorem 3.1.

Printed: Points are kept at a distance above $e^\epsilon$ from the span, so $\nu=e^\epsilon$ in
$M\le Y\nu^{-p}$, (7.11); the next line has $\sigma^2(e^{2\epsilon}-1)$ for $\nu$.

Wrong: With $\nu=e^\epsilon$ the bound stays bounded as $\epsilon\to0$, while the number of points
grows like the inverse of the squared distance.

Repair: $\nu=\sigma^2(e^{2\epsilon}-1)$, the squared distance of (7.9); this is what (7.12) uses, so
(7.12) does not change. (3.1) drops the factor $\sigma^{-2p}$ of (7.12). That the algorithm tests
another distance is a matter of its own (S6).
"""

import numpy as np

x, noise = np.linspace(0, 1, 300), 0.25
rest, peaks = np.exp(-4 * np.abs(x[:, None] - x)), []  # exponential kernel, p = 1
while rest.diagonal().max() > 0.05:  # squared distances to the span of those before
    i = rest.diagonal().argmax()
    peaks.append(rest[i, i])
    rest = rest - np.outer(rest[i], rest[i]) / rest[i, i]
nu = np.array([0.4, 0.05])
few, many = (np.sum(np.array(peaks) > v) for v in nu)
radius = np.sqrt(1 + nu / noise)  # the printed one, exp(epsilon)
print(f"printed: {many} / {few} = {many / few:.2f} <= {radius[0] / radius[1]:.2f}")
print(f"repaired: {many} / {few} = {many / few:.2f} <= {nu[0] / nu[1]:.2f}")
assert radius[0] / radius[1] < many / few <= nu[0] / nu[1]
