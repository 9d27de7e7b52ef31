r"""Table 1, and the rule $d_A+|A||C|\le Md_A$ in the text before it.

Printed: Each row has the factor $\beta_T$ and a power of $\iota=\log T$; the powers are compared.

Wrong: $\beta_T$ is not the same number in all rows. That of MF-GP-UCB grows like $4(n+1)\log T$ with $n=|A||C|$, that of
GP-UCB on the $|A|^M$ joint actions like $4\log T$. With $T=250$ and $a=b=2$ the former is larger in the swarm and the arena,
and smaller in the other five problems.

Repair: Give each $\beta_T$ its row's index, and say that $\beta_T=O(n\log(nT))$ for MF-GP-UCB. The ratio tends to $n+1$ as $T$
grows, so that in the limit the powers of $\iota$ decide, as printed. Each row by itself and the independence of $M$ are not
affected.
"""

import numpy as np


def betas(log_t, n=30, agents=50, a=2, b=2):
    """beta_T of MF-GP-UCB and of GP-UCB on all joint actions; sizes of the swarm."""
    slope = b * (np.log(a * n) + np.sqrt(np.pi) / 2)
    last = 2 * log_t - np.log(2 * np.pi) / 2
    points = n * (np.log(n * slope) + 2 * log_t)
    return 2 * (np.log(n) + points + last), 2 * (agents * np.log(n) + last)


own, joint = betas(np.log(250))
print(f"printed: beta_T of MF-GP-UCB {own:.0f} = beta_T of GP-UCB {joint:.0f}")
ratios = np.array([np.divide(*betas(log_t)) for log_t in (np.log(250), 500, 5e5)])
print("repaired: their ratio for growing T, towards n + 1 = 31:", ratios.round(1))
assert own > 2 * joint
