r"""Section 5.1, Lemma 2, (6): step (ii) of the proof.

Printed: For every run, $\tilde R\le\sum(\mu_t-f)+\bar\Psi\sqrt{Tm\sum\sigma_t^2}$, where $\bar\Psi$
is the largest ratio of the run; step (ii) is Cauchy-Schwarz,
$\bar\Psi\sum\sigma_t\le\bar\Psi\sqrt{Tm\sum\sigma_t^2}$.

Wrong: Where every sampled maximum lies below the mean of the chosen point, $\bar\Psi$ is negative,
and multiplying Cauchy-Schwarz by it turns the inequality around. Below, one batch of $m=2$ with
both ratios $-1$.

Repair: Put $\max(\bar\Psi,0)$ for $\bar\Psi$ in (6). Theorem 1 is not affected: its proof bounds
$\bar\Psi$ from above by a positive number. Nor are the experiments: with the resampling of Appendix C
no ratio is negative.
"""

import numpy as np

ratio, sigma = np.array([-1.0, -1.0]), np.array([1.0, 0.1])
left = (ratio * sigma).sum()  # the sampled regret, less the sum of mu - f
root = np.sqrt(len(sigma) * (sigma**2).sum())
print(f"printed: {left:.4f} <= {ratio.max() * root:.4f}")
print(f"repaired: {left:.4f} <= {max(ratio.max(), 0.0) * root:.4f}")
assert left > ratio.max() * root
