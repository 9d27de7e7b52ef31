r"""Section 3, Table 1, rows CGP-UCB1 and CGP-UCB2.

Printed: The second term of the regret is $O(T^{1-1/(4p)})$ at $\alpha=1/p$ and $O(T^{1-1/(2p)})$ at
$\alpha=1/(2p)$.

Wrong: The term is $T\sqrt{\log(1+T^{-\alpha})}$, of order $T^{1-\alpha/2}$: the two exponents stand
in each other's columns. The entry at $\alpha=1/p$ is still true, being too large; the other is
too small.

Repair: Interchange the two entries, and the one at $\alpha=1/p$ in the row of EI with
$T^{1-1/(2p)}$. The trade-off that the caption describes stands; regret at $\alpha=1/(2p)$ remains
sublinear, with the larger exponent. Theorem 3.2 is not affected.
"""

import numpy as np

T, p = np.array([1e8, 1e12]), 1
alpha = np.array([1 / p, 1 / (2 * p)])
term = T * np.sqrt(np.log1p(T ** -alpha[:, None]))
exponent = np.log(term[:, 1] / term[:, 0]) / np.log(T[1] / T[0])
table = np.array([1 - 1 / (4 * p), 1 - 1 / (2 * p)])
print(f"printed: {table} for the exponents {exponent.round(3)}")
print(f"repaired: {table[::-1]} for the exponents {exponent.round(3)}")
assert exponent[1] > table[1] + 0.2
