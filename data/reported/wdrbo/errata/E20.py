r"""Section 4.2, the paragraph after Corollary 10; (16).

Printed: The analysis gives a principled way to choose the radii $\varepsilon_t$, which
makes the algorithm practical.

Wrong: Even with a lower bound for the covering number, (16) exceeds the diameter of the
contexts after 100 rounds, with decisions and contexts in two dimensions. The ball then
holds all laws.

Repair: Say that (16) gives the order of the radius, and that experiments use another of
that order ($0.3/\sqrt t$ in the code). Half of (16) can be proved (see E10), which here
is still above the diameter. Lemma 7 and Corollary 10 are not affected, as they are
about large $t$.
"""

import numpy as np

scale, B, delta, t, dims = 0.3, 1.0, 0.1, 100, 2  # [0, 1]^2 for x and for c
z = (np.arange(60) + 0.5) / 60
kernel = np.exp(-((z[:, None] - z) ** 2) / (2 * scale**2))
one = np.maximum(np.linalg.eigvalsh(kernel / 60)[-15:], 0)
axes = np.ones(1)
for _ in range(2 * dims):
    axes = np.outer(axes, one).ravel()
# The ball of radius B of the kernel's space, in mean square on the grid, against 1 / t.
cover = np.log(np.maximum(B * np.sqrt(axes) * t, 1)).sum()
diameter = np.sqrt(dims)
count = np.log(1 / delta) + dims * np.log(1 + 2 * t * diameter) + cover
printed = np.sqrt(2 * diameter**2 * count / t)
print(f"printed: {printed:.2f} <= {diameter:.2f}")
print(f"repaired: order only; {0.3 / np.sqrt(t):.2f} <= {diameter:.2f} as used")
assert printed > diameter
