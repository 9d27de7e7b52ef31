r"""Appendix A.2, Lemma 9: the last step, by Cauchy-Schwarz.

Printed: $\tilde R^2\le(Tm)^2\sum_{t,i}(\tilde f^*_{t,i}-f(x_{t,i}))^2$, and so $\mathbb E\tilde
R^2\le24\log|\mathcal X|\,(Tm)^3$.

Wrong: The bound is true, with a power more than needed: Cauchy-Schwarz over $n=Tm$ terms gives
$(\sum a_i)^2\le n\sum a_i^2$, with equality for equal terms. The cube carries over to the second
term of Theorem 1's proof.

Repair: Write $Tm\sum(\cdot)^2$ and $24\log|\mathcal X|\,(Tm)^2$. The second term in Section 5.5
becomes $\sqrt{24\log|\mathcal X|}$ in place of $\sqrt{24\log|\mathcal X|\,Tm}$. The order in
Theorem 1 is not affected.
"""

import numpy as np

n, candidates = 100, 25
a = np.ones(n)
left, squares = a.sum() ** 2, (a**2).sum()
second = np.sqrt(24 * np.log(candidates) * np.array([n, 1]))
print(f"printed: {left:.0f} <= {n**2 * squares:.0f}, second term {second[0]:.2f}")
print(f"repaired: {left:.0f} <= {n * squares:.0f}, second term {second[1]:.2f}")
assert left == n * squares < n**2 * squares
