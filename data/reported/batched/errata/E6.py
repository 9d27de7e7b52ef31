r"""Appendix D.1.2, end points for a constant number of batches; Lemmas 12 and 13.

Printed: Fixing the ends $t_i$ of the batches first, and $N_i=t_i-t_{i-1}$, avoids sizes that
overflow the horizon.

Wrong: For the SE kernel the end points decrease where $T\le(\log T)^{d+1}$, and sizes are negative:
at $T=1000$ in three dimensions.

Repair: Ask for $T>(\log T)^{d+1}$ in both lemmas, for the SE kernel: $T$ above about 93 for $d=2$,
5500 for $d=3$, and every $T$ for $d=1$. The rates, which are for large $T$, stand, and so does
the improvement on the older sizes.
"""

import numpy as np

B, d, i = 4, 3, np.arange(1, 5)
ends = []
for T in (1000, 10_000):
    power = (0.5**i - 0.5**B) / (1 - 0.5**B)
    t = np.ceil(T ** (1 - power) * np.log(T) ** ((d + 1) * power))
    ends.append(t.astype(int))
print(f"printed: t_1 < t_2 < t_3 < t_4 = T, {ends[0]}")
print(f"repaired: with T = 10000, above (log T)^4, {ends[1]}")
assert np.all(np.diff(ends[0]) < 0)
