r"""Section 3, Theorem 3.2(ii), exploration parameter.

Printed: $\beta_t=2\log(Xt^2\pi^2/(3\delta))+2d\log(t^2dbr\sqrt{\log(4da/\delta)})$ for a continuous
set $\mathcal X$, where $X$ is the number of candidates.

Wrong: A continuous set has infinitely many, so that $\beta_t=\infty$ and the rule is undefined. For
a grid in its place $\beta_t$ would grow with the grid without limit.

Repair: Put 2 for $X$: the first part then is $2\log(4\pi_t/\delta)$ with $\pi_t=\pi^2t^2/6$, as in
Lemma 8.8. The proof is about this one, and the bound (3.4) stands (for nearly constant functions
with the rounding up of S14).
"""

import numpy as np

t, delta = 10, 0.1
X = np.array([1e2, 1e4, 1e8, np.inf])
first = 2 * np.log(X * t**2 * np.pi**2 / (3 * delta))
two = 2 * np.log(2 * t**2 * np.pi**2 / (3 * delta))
lemma = 2 * np.log(4 * (np.pi**2 * t**2 / 6) / delta)
print(f"printed: {first.round(1)} = {lemma:.1f}, X = {X}")
print(f"repaired: {two:.1f} = {lemma:.1f}")
assert abs(two - lemma) < 1e-9 < np.min(first - lemma)
