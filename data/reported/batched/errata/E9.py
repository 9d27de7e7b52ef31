r"""Proposition 3, (7) and (20); text after its proof.

Printed: $B\ge\lfloor\log_{1/a}(\log T/\log\log T)\rfloor$, without a condition on $T$; line (23),
$a^B\log T\ge\log 2B$, is said to hold for $T\ge3$ when $a$ is near $\frac12$.

Wrong: At short horizons the bound fails: $a=0.5$ at $T=3$, $a=0.9$ up to $T=60$. Line (23) is not
satisfied at $T=3$ and 4 for $a=0.5$.

Repair: State (20) for $T$ with line (23), or for large $T$, as the proof does. The count
$B=(\log_{1/a}\log T)(1+o(1))$ is asymptotic and not affected.
"""

import numpy as np

shown, spare = [], []
for T, a in ((3, 0.5), (60, 0.9), (10**6, 0.5)):
    B, rest = 0, T
    while rest > 0:  # the sizes of (6)
        B += 1
        rest -= np.ceil(T ** (1 - a**B))
    least = int(np.log(np.log(T) / np.log(np.log(T))) / np.log(1 / a))
    left, right = a**least * np.log(T), np.log(2 * least)
    shown.append(f"T = {T}, {B} >= {least}, (23) is {left:.2f} >= {right:.2f}")
    spare.append(B - least)
print(f"printed: {shown[0]}; {shown[1]}")
print(f"repaired: {shown[2]}")
assert max(spare[:2]) < 0 <= spare[2]
