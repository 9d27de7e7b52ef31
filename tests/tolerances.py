"""Every tolerance the tests use, with its reason. Grouped by the part of the package it serves."""

# --- policies and simulation ----------------------------------------------------------------------------------------
DIRECT_SOLVE_ATOL = 1e-7  # posterior ends by a dense solve (condition number up to 1e4) against rank-one updates
DIRECT_SOLVE_RTOL = 1e-9  # a log-determinant of the same matrices
ROUNDED_SUM_ATOL = 1e-12  # sums of three terms of size one, taken in different orders
PRINTED_RTOL = 1e-4  # sums of numbers printed with six significant digits
