"""Every tolerance the tests use, with its reason. Grouped by the part of the package it serves."""

# --- closed formulas ------------------------------------------------------------------------------------------------
FORMULA_RTOL = 1e-12  # the same formula in float64 and in 30-digit arithmetic: a few dozen roundings
SERIES_RTOL = 1e-9  # sums of powers whose exponents are themselves rounded: 1e-16 times a logarithm of up to 1e5
QUADRATURE_RTOL = 1e-9  # Gauss-Legendre norm of a bump against adaptive integration, whose own error is about 1e-10
ROUNDING_SLACK = 1e-12  # a quantity that may equal its bound, compared after two different orders of operations

# --- the batched paper ----------------------------------------------------------------------------------------------
PRINTED_3_DIGITS = 6e-4  # a number quoted with three decimals: half a unit of the last one, and rounding of the quote
SLOPE_ATOL = 0.005  # log-log slopes of integer-valued step functions, fitted on a few decades
BEST_EPSILON_RTOL = 2e-6  # the best of a geometric grid of heights with ratio 1 + 1e-6, against the exact optimum
