r"""Sections 1 and 3.2, after (8); Remark 5, last paragraph.

Printed: With $a$ sufficiently close to $\eta$, the sizes (6) need the optimal number of batches to
within $1+o(1)$, and the regret has no factor $B$.

Wrong: Necessary are $\log_{1/\eta}\log_2T$ batches, and Theorem 1 is for a fixed $a>\eta$. However
close $a$ is, the quotient tends to $\log(1/\eta)/\log(1/a)$, which is above 1.

Repair: With $a=\eta$ the counts match to $1+o(1)$, and the regret has its factor $B$ again, which
"to within $\log T$ factors" allows. Both theorems stand; the two claims need two choices of $a$, or
an $a$ that falls to $\eta$ with $T$ and a constant that grows.
"""

import numpy as np

log2_t, eta, a = 1e300, 0.3, 0.31  # Matern 3/2 in two dimensions
log_t = log2_t * np.log(2)
necessary = np.log(log2_t) / np.log(1 / eta)
at_a = np.floor(np.log(log_t / np.log(log_t)) / np.log(1 / a))  # at least, (20)
at_eta = np.ceil(necessary) + 1  # at most, (19)
limit = np.log(eta) / np.log(a)
print(f"printed: {at_a / necessary:.3f}, with limit {limit:.3f}, tends to 1")
print(f"repaired: at a = eta {at_eta / necessary:.3f}")
assert at_a / necessary > 1.01 > at_eta / necessary
