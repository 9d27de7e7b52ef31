r"""Section 2.1, footnote 3, with Appendix A, Lemma 3 and Proposition 1.

Printed: The upper bounds extend trivially to $\sigma$-sub-Gaussian noise.

Wrong: Not with the printed $\beta$. Its $\log(|\mathcal X|B/\delta)$ covers two sides only because
a Gaussian has $P(|Z|>v)\le e^{-v^2/2}$. Sub-Gaussian noise may have up to twice that, and on
$-3,0,3$ nearly has.

Repair: $\log(2|\mathcal X|B/\delta)$ in $\beta$. The rates are the same. For Gaussian noise, as in
the setting itself, the printed $\beta$ is right.
"""

import numpy as np

v, sigma, norm, B = 3.0, 0.01, 0.001, 2  # one arm, f = 0, batches of one evaluation
theta = np.linspace(0.1, 6, 10_000)
p = np.min((np.exp(theta**2 / 2) - 1) / (np.cosh(theta * v) - 1))  # P(Z != 0), largest
delta = 1.1 * p
score = v / np.sqrt(1 + sigma**2)  # |f - mu| over the standard deviation if Z != 0
wide = [norm + np.sqrt(2 * np.log(sides * B / delta)) for sides in (1, 2)]
failure = [(1 - (1 - p) ** B) * (score > width) for width in wide]
print(f"printed: {failure[0]:.4f} <= {delta:.4f}")
print(f"repaired: {failure[1]:.4f} <= {delta:.4f}")
assert failure[1] <= delta < failure[0]
