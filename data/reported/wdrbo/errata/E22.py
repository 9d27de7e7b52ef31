r"""Section 4, (13) and Algorithm 1; the code that Appendix 9 cites.

Printed: $x_t$ maximises
$\mathbb E_{\hat{\mathcal P}_t}[\mathrm{UCB}_t(x,c)]-\varepsilon_tL^{\mathrm{UCB}_t}(x)$.

Wrong: In the code, as we read it, the penalty has no gradient: the search climbs ERBO's
function, and the penalty only chooses among starts and end points. Followed from its
source, it returned less than the best of its own raw points in 16 of 18 situations.

Repair: Keep the graph when $L$ is differentiated, or search (13) without gradients, and
run again. Whether the curves of WDRBO change has to be measured; the theorems, which
assume a maximiser, are not affected.
"""

import numpy as np

# A known f(x, c) = x - x^2 + x c, c = -1 and 1 seen equally often: L(x) = |x|.
radius = 0.3


def objective(x):
    """The acquisition (13)."""
    return x - x**2 - radius * np.abs(x)


blind = full = 0.1  # two searches from one start
for _ in range(1000):
    blind = blind + 0.02 * (1 - 2 * blind)  # the gradient of E f(x, c) alone
    full = full + 0.02 * (1 - 2 * full - radius)
best = objective(np.linspace(0, 1, 101)).max()
print(f"printed: {objective(blind):.4f} >= {best:.4f}")
print(f"repaired: {objective(full):.4f} >= {best:.4f}")
assert objective(blind) < best - 0.01
