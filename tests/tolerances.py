"""Every tolerance the tests use, with its reason. Grouped by the part of the package it serves."""

# --- policies and simulation ----------------------------------------------------------------------------------------
DIRECT_SOLVE_ATOL = 1e-7  # posterior ends by a dense solve (condition number up to 1e4) against rank-one updates
DIRECT_SOLVE_RTOL = 1e-9  # a log-determinant of the same matrices
ROUNDED_SUM_ATOL = 1e-12  # sums of three terms of size one, taken in different orders
PRINTED_RTOL = 1e-4  # sums of numbers printed with six significant digits

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

# --- closed formulas ------------------------------------------------------------------------------------------------
FORMULA_RTOL = 1e-12  # the same formula in float64 and in 30-digit arithmetic: a few dozen roundings
SERIES_RTOL = 1e-9  # sums of powers whose exponents are themselves rounded: 1e-16 times a logarithm of up to 1e5
QUADRATURE_RTOL = 1e-9  # Gauss-Legendre norm of a bump against adaptive integration, whose own error is about 1e-10
ROUNDING_SLACK = 1e-12  # a quantity that may equal its bound, compared after two different orders of operations

# --- the batched paper ----------------------------------------------------------------------------------------------
PRINTED_3_DIGITS = 6e-4  # a number quoted with three decimals: half a unit of the last one, and rounding of the quote
SLOPE_ATOL = 0.005  # log-log slopes of integer-valued step functions, fitted on a few decades
BEST_EPSILON_RTOL = 2e-6  # the best of a geometric grid of heights with ratio 1 + 1e-6, against the exact optimum

# --- batched policies and their chain of bounds -----------------------------------------------------------------------
POOLED_RTOL = 1e-9  # rank-one updates against a dense solve, condition numbers up to 1e6
CHAIN_RTOL = 1e-12  # the same sum of a handful of products, written down twice
RKHS_NORM_RTOL = 1e-6  # f' K^{-1} f with a condition number of K up to 1e9
PROBLEM_DIGITS = 5e-4  # numbers quoted with three decimals
