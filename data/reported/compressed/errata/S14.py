r"""Appendix 8.2, Lemmas 8.7 and 8.8, exploration parameters.

Printed: $\beta_t=2\log(2\pi_t/\delta)+4d\log(dtbr\sqrt{\log(2da/\delta)})$ covers a union over
a grid of $\tau_t^d$ points, $\tau_t=t^2rdb\sqrt{\log(2da/\delta)}$.

Wrong: The union needs $2d\log\lceil\tau_t\rceil$. The printed term is smaller where
$dbr\sqrt{\log(2da/\delta)}<1$, that is for functions that hardly change; $\beta_t$ may even be
negative.

Repair: $2d\log\lceil\tau_t\rceil$ for the last term; in Lemma 8.8 also $\log(4da/\delta)$ in
$\tau_t$. For rougher functions the printed term is the larger one, and both lemmas hold as
printed. Theorem 3.2(ii) has $2d\log\tau_t$ already and needs the rounding up only.
"""

import numpy as np

t, d, r, a, b, delta = 1, 1, 1.0, 1.0, 0.1, 0.1
root = np.sqrt(np.log(2 * d * a / delta))
points = np.ceil(t**2 * r * d * b * root)  # one grid point
first = 2 * np.log(2 * (np.pi**2 * t**2 / 6) / delta)  # what a single point needs
last, needed = 4 * d * np.log(d * t * b * r * root), 2 * d * np.log(points)
print(f"printed: beta = {first + last:.2f} >= {first + needed:.2f}")
print(f"repaired: beta = {first + needed:.2f} >= {first + needed:.2f}")
assert first + last < 0 < first + needed
