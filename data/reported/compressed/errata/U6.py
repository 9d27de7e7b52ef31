r"""Section 3, Theorem 3.4, (3.6).

Printed: Under EI on a finite set, (3.6) holds with probability at least $1-\delta$.

Wrong: On $10^9$ independent arms with $\sigma=0.01$, the first may be worth 2.8 to 3.3 and another
above 5.7. EI then stays with the first until it is rejected, and for ever. All states are known, so
is $R$; the regret exceeds (3.6) with probability above $\delta$.

Repair: The root of the logarithm, as in (9.27) (S11): no run tried contradicts the bound then, but
its proof needs (9.26), which is false (S13). Proved is the bound with
$\sqrt{\beta_T}\sum_t\sigma_{t-1}(x^*)$ as its second part. On few arms (3.6) was never exceeded.
"""

from math import erfc, exp, expm1, log, pi, sqrt


def _tail(z):
    return erfc(z / sqrt(2)) / 2


arms, sd, T, delta, low, high, top = 1e9, 0.01, 1000, 1e-4, 2.8, 3.3, 5.7
near = 1 - 2 * _tail(sqrt(0.5)) - 4 * _tail(3)  # errors up to 3 sd, one sd apart
chance = (_tail(low) - _tail(high)) * near * -expm1(-(arms - 1) * _tail(top))
R, s = high + 3 * sd, sd / sqrt(2 + sd**2)  # rejected next: s^2 <= sd^2 T^-0.1
scores = (sd / 2 + R * sd**2 / 2) / s, low - 3 * sd  # of the first arm and the others
own, other = (exp(-z * z / 2) / sqrt(2 * pi) - z * _tail(z) for z in scores)
beta, logarithm = 2 * log(arms * T**2 * pi**2 / 6 / delta), log(1 + sd**-2)
bound = sqrt(2 * T * logarithm) + T * sqrt(log(1 + T**-0.1))  # gain of two arms
bound *= sqrt(3 * (beta + 1 + R**2)) + sqrt(beta)
regret = T * (top - high) * (s * own > other)  # the first arm every time
print(f"printed: {regret:.0f} <= {bound / logarithm:.0f}; {chance:.4f} <= {delta}")
print(f"repaired: {regret:.0f} <= {bound / sqrt(logarithm):.0f}")
assert min(chance / delta, regret * logarithm / bound) > 1
