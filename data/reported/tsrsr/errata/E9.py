r"""Appendix C, the text on resampling.

Printed: Where $\tilde f^*_{t,i}<\mu_t(x)$, the algorithm will simply pick the $x$ with the highest
$\mu_t(x)$.

Wrong: A negative numerator over a small standard deviation is the smallest ratio. What is picked is
the point whose mean exceeds the sampled maximum by most standard deviations: often one that is
known well already.

Repair: Write that. It is a reason for the resampling, beside the one given, since without it points
that are known are evaluated again. Algorithm 1, the theorem and the experiments, which resample,
are not affected.
"""

import numpy as np

mean, sd, sampled = np.array([1.0, 0.9]), np.array([1.0, 0.01]), 0.5
picked = np.argmin((sampled - mean) / sd)
above = np.argmax((mean - sampled) / sd)
print(f"printed: picks point {np.argmax(mean) + 1}, the one of the highest mean")
print(f"repaired: picks point {picked + 1}, the one most sds above ({above + 1})")
assert picked == above != np.argmax(mean)
