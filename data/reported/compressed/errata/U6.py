r"""Section 3, Theorem 3.4, (3.6).

Printed: Under EI on a finite set, (3.6) holds with probability at least $1-\delta$.

Wrong: On $10^9$ independent arms with $\sigma=0.01$, the first may be worth 2.8 to 3.3 and another
above 5.7. EI then stays with the first until it is rejected, and for ever. All states are known, so
is $R$; the regret exceeds (3.6) with probability above $\delta$.

Repair: The root of the logarithm, as in (9.27) (S11): no run tried contradicts the bound then, but
its proof needs (9.26), which is false (S13). Proved is the bound with
$\sqrt{\beta_T}\sum_t\sigma_{t-1}(x^*)$ as its second part. On few arms (3.6) was never exceeded.
"""

from math import erfc, exp, log, pi, sqrt


def _q(z):
    return erfc(z / sqrt(2)) / 2


arms, sd, T, delta, low, high, top = 1e9, 0.01, 1000, 1e-4, 2.8, 3.3, 5.7
chance = (_q(low) - _q(high)) * (1 - 2 * _q(0.5)) ** 2 * (1 - exp(1 - arms * _q(top)))
R, s = high + sd / 2, sd / sqrt(2 + sd**2)  # two errors of up to sd / 2; then
scores = (sd / 2 + R * sd**2 / 2) / s, low - sd / 2  # rejected: s^2 <= sd^2 T^-0.1
own, other = (exp(-z * z / 2) / sqrt(2 * pi) - z * _q(z) for z in scores)
regret = T * (top - high) * (s * own > other)  # EI takes the first arm every time
beta, L = 2 * log(arms * T**2 * pi**2 / 6 / delta), log(1 + sd**-2)
bound = sqrt(2 * T * L) + T * sqrt(log(1 + T**-0.1))  # gain of two arms: L
bound *= sqrt(3 * (beta + 1 + R**2)) + sqrt(beta)
print(f"printed: {regret:.0f} <= {bound / L:.0f} but for {chance:.5f} <= {delta:.5f}")
print(f"repaired: {regret:.0f} <= {bound / sqrt(L):.0f}")
assert min(chance / delta, regret * L / bound) > 1
