r"""Appendix A.1, the display before the notation $\mathcal G$ is introduced.

Printed: $\sqrt{2\log t+\log\mathcal G}\le\sqrt{2\log t}+\sqrt{\log\mathcal G}$; in the next display the last root is
$\sqrt{\mathcal G}$.

Wrong: Where $\mathcal G<1$, as for payoffs that depend little on the law, $\log\mathcal G$ is negative and has no root.

Repair: Go to the next display in one step: $\sqrt{2\log t+\log\mathcal G}\le\sqrt{2\log t}+\sqrt{\mathcal G}$, since
$\log\mathcal G<\mathcal G$, wherever the left side is real. This is a slip: the displays that follow and the theorem are not
affected.
"""

import numpy as np

n, a, b, t = 30, 2, 0.1, 2
slope = b * (np.log(a * n) + np.sqrt(np.pi) / 2)
left, first = np.sqrt(2 * np.log(t) + np.log(slope)), np.sqrt(2 * np.log(t))
print(f"printed: {left:.3f} <= {first:.3f} + sqrt({np.log(slope):.3f})")
print(f"repaired: {left:.3f} <= {first + np.sqrt(slope):.3f}")
assert np.log(slope) < 0 < left
