"""Every tolerance used in the tests, by name, with the reason for its size."""

# -- information gain --------------------------------------------------------------------------------------------------

#: Brute force and certificate are both float64 sums of fewer than 100 terms of size below 100.
GAIN_ROUNDING = 1e-9
#: A perturbed bound counts as caught when it is violated by more than this, far above rounding and below any real bug.
GAIN_TEETH = 1e-6
#: Agreement with a generic constrained optimiser (SLSQP, ftol 1e-12) on concave problems of up to 5 variables.
GAIN_OPTIMISER = 1e-5
#: Relative agreement with 60-digit arithmetic where noise variances are 1e-9 of the prior variance.
GAIN_NEAR_SINGULAR = 1e-6
#: The bracket demanded on the 900-point grid is 1.25; the certificate stays below 1.03, and this guards its method.
GAIN_BRACKET_RATIO = 1.05
