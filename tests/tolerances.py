"""Every tolerance the tests use, with its reason. Grouped by the part of the package it serves."""

# --- batched policies and their chain of bounds -----------------------------------------------------------------------
POOLED_RTOL = 1e-9  # rank-one updates against a dense solve, condition numbers up to 1e6
CHAIN_RTOL = 1e-12  # the same sum of a handful of products, written down twice
RKHS_NORM_RTOL = 1e-6  # f' K^{-1} f with a condition number of K up to 1e9
PROBLEM_DIGITS = 5e-4  # numbers quoted with three decimals
