r"""Section 4.2 and Appendix 8.1, definition of $\mathcal U(m,b,s)$; Lemma 19.

Printed: $h=\mu+\beta\sigma$ with $\|\mu\|_k\le m$, $\beta\le b$,
$\sigma\in\boldsymbol\sigma_s$; with $h$, $-h$ belongs to the class (Lemma 19), and its
covering number is finite (Lemma 23).

Wrong: $\beta$ has no lower bound. The class is unbounded below, has no finite cover,
and is not closed under the change of sign. With $0\le\beta\le b$ it would not be closed
either.

Repair: $|\beta|\le b$, which gives a bounded class with the sign of $h$ free. Lemma 19
then follows from Lemma 18 as printed. For the acquisition take $b=\beta_t$ (see E6),
with $\gamma_t$ for the realised log determinant, so that the class is fixed. The order
in Corollary 10 is not affected.
"""

import numpy as np

m, b, s = 1.0, 1.0, 0.5
largest = m + b / np.sqrt(s)  # no member exceeds this where k(z, z) <= 1
sigma = 1 / np.sqrt(s)  # the operator s^(-1/2) I, where k(z, z) = 1
beta = -10.0
h = beta * sigma  # a member, as beta <= b
repaired = -max(beta, -b) * sigma
print(f"printed: -h = {-h:.3f} <= {largest:.3f}")
print(f"repaired: -h = {repaired:.3f} <= {largest:.3f}")
assert beta <= b
assert -h > largest
