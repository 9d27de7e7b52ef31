r"""Appendix B.3, proof of Corollary 1: the regret of the first $T_{init}$ steps.

Printed: Differences $f(x)-f(x')$ are taken as $N(0,2)$, and the maximal inequality for $|\mathcal
X|^2$ Gaussians of variance at most 1 gives $\mathbb E\max_{x,x'}(f(x)-f(x'))\le\sqrt{4\log|\mathcal
X|}$.

Wrong: The inequality is quoted for variances of at most 1, and the differences have 2, or up to 4
where $k(x,x')<0$. For nine independent standard normals the left side is already the larger one.

Repair: Write $\sqrt{8\log|\mathcal X|}$, true whenever $k\le1$. As the design ignores the
observations, its regret is $T_{init}\,\mathbb Ef^*\le T_{init}\sqrt{2\log|\mathcal X|}$: the first
term of the corollary is not affected, and holds with a smaller constant.
"""

import math

import numpy as np

n, u = 9, np.linspace(-10, 10, 4001)
below = np.array([0.5 * math.erfc(-v / 2**0.5) for v in u])
spread = (1 - below**n - (1 - below) ** n).sum() * (u[1] - u[0])  # E(max - min)
print(f"printed: {spread:.4f} <= {math.sqrt(4 * math.log(n)):.4f}")
print(f"repaired: {spread:.4f} <= {math.sqrt(8 * math.log(n)):.4f}")
assert spread > math.sqrt(4 * math.log(n))
