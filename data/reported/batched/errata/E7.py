r"""Appendix B.2.1, Proposition 5, property 1, (55) to (57).

Printed: $T_i-T_{i-1}=\Theta(T_i)$ for every $i$, in a setting where $B$ is constant or grows with
$T$.

Wrong: (55) is for a fixed $i$. With $B=2\log_{1/\eta}\log_2T$ the last two reference times are so
close that $(T_B-T_{B-1})/T_B$ tends to 0. (55) to (57) also lack a factor $\eta$ in the power of
$\log T$, which does no harm.

Repair: Ask for $B\le\lceil\log_{1/\eta}\log_2T\rceil$. Theorem 2 stands for every $B$: with more
batches the bound for sequential algorithms is of the same order (Remark 6).
"""

import numpy as np

log_t, d, eta = np.log(10) * np.array([20, 60, 200]), 2, 0.5  # SE kernel
least = []
for factor in (2, 1):
    B = np.ceil(factor * np.log2(log_t / np.log(2)))
    i = np.arange(2, 25)[:, None]
    power = (eta ** (i - 1) - eta**i) / (1 - eta**B)
    length = 1 - np.exp(-power * (log_t - d * eta * np.log(log_t)))
    least.append(np.min(np.where(i <= B, length, 1), axis=0))
print(f"printed: least (T_i - T_(i-1)) / T_i, to stay up: {least[0].round(5)}")
print(f"repaired: half as many batches: {least[1].round(2)}")
assert np.all(np.diff(least[0]) < 0)
