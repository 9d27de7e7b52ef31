r"""Appendix B.1, Definition 1 and Remark 11.

Printed: $\alpha_{N_i}=O(\alpha_T)$ for all $i\in[B]$; it remains true for
$\alpha_t=(\log t)^{c''}$ with $c''<0$.

Wrong: The last batch of (6) is what is left of the horizon and can be a single round, where
$\log t=0$ and $\alpha_t$ is not finite.

Repair: $i\le B-1$ in the definition. The proof of Theorem 1 uses $\alpha_{N_{i-1}}$ for $i\le B$
only, and stands.
"""

import numpy as np

T, a, sizes = 100, 0.5, []
while sum(sizes) < T:
    full = np.ceil(T ** (1 - a ** (len(sizes) + 1)))
    sizes.append(int(min(full, T - sum(sizes))))
with np.errstate(divide="ignore"):
    ratio = np.log(T) / np.log(sizes)  # alpha_t = 1 / log t
print(f"printed: alpha_(N_i) / alpha_T is bounded, {ratio.max()} at sizes {sizes}")
print(f"repaired: {ratio[:-1].max():.2f} over all batches but the last")
assert np.isinf(ratio[-1])
