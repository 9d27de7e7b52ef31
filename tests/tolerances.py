"""Every tolerance the tests use, with its reason. Grouped by the part of the package it serves."""

# --- many seeds at once -----------------------------------------------------------------------------------------------
REPLICATES_ATOL = 1e-10  # sums of up to 300 products in another order; the largest difference seen is 2e-11, of a gain

# --- policies and simulation ----------------------------------------------------------------------------------------
DIRECT_SOLVE_ATOL = 1e-7  # posterior ends by a dense solve (condition number up to 1e4) against rank-one updates
DIRECT_SOLVE_RTOL = 1e-9  # a log-determinant of the same matrices
ROUNDED_SUM_ATOL = 1e-12  # sums of three terms of size one, taken in different orders
PRINTED_RTOL = 1e-4  # sums of numbers printed with six significant digits

# -- information gain --------------------------------------------------------------------------------------------------

#: Brute force and certificate are both float64 sums of fewer than 100 terms of size below 100.
GAIN_ROUNDING = 1e-9
#: What a lower end may leave of its own gain to rounding, relative, for noise sd from 0.01 of the prior's.
GAIN_ALLOWANCE = 1e-6
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

# --- the finite-candidate engine --------------------------------------------------------------------------------------
EPS = 2.220446049250313e-16  # float64: the distance from 1 to the next number
KERNEL_ATOL = 1e-14  # the same closed formula of numbers of size one, in another order of operations
#: GPyTorch squares distances as |x|^2 + |y|^2 - 2xy; in Matern kernels the square root of eps survives.
KERNEL_EXPANDED_ATOL = 1e-7
BESSEL_RTOL = 2e-12  # scipy's K_nu, a few hundred roundings in logarithms of size up to 700
TRANSFORM_RTOL = 1e-6  # numerical Fourier integrals; they are asked for 1e-8 of the integral at zero frequency
POSTERIOR_ATOL = 1e-9  # against another library or a fresh Cholesky, well conditioned, prior variance one
LIBRARY_AGREEMENT = 1e-10  # the same operations in products of other shapes: replicates at once and alone
GAIN_RTOL = 1e-10  # a sum of logarithms against one log-determinant, noise variance 1e-4 of the prior variance
# Near-singular problems. A backward-stable method returns the exact posterior of a problem whose entries are perturbed
# by a few eps; to first order that moves the variance at x by eps (1 + |w(x)|_1)^2 and the mean by
# eps (1 + |w(x)|_1) |alpha|_1, with w and alpha as in oracles.gp_reference.ExactPosterior and prior variance one. The
# factors are what 1,000 roundings in a row may add: sqrt(1000) when they are independent, and 3 for the spread; the
# bound on the mean is crude for that many observations, as |alpha|_1 grows with them already.
BACKWARD_VARIANCE = 100 * EPS
BACKWARD_MEAN = 3 * EPS
FIRST_VISIT = 10 * EPS  # over lambda: K - K^2 / (K + lambda) leaves a variance of lambda with an error of a few eps
KNOWN_NORM_RTOL = 1e-9  # sqrt(f' K^-1 f) by a dense solve, condition number of K up to 1e6
NORM_BY_CUT_OFF_RTOL = (
    1e-6  # the same by a pseudo-inverse that leaves out the directions of eigenvalues below 1e-8 to 1e-12
)
SIGNIFICANCE = 1e-4  # tests of a law on fixed seeds: they pass or fail for good, and a wrong law fails by far
FINITE_DIFFERENCE = 1e-6  # central difference quotients with step 1e-5 of means of size one

# --- test problems ----------------------------------------------------------------------------------------------------
CHECK_VALUE_ATOL = 6e-7  # values quoted with six decimals: half a unit of the last one, and rounding of the quote
OBJECTIVE_RTOL = 1e-12  # the same closed formula in float64 and in 30-digit arithmetic, sines of arguments up to 30
FIVE_DECIMALS, FOUR_DECIMALS = 6e-6, 6e-5  # the same for values quoted with five and with four decimals
CENTRED_ATOL = 1e-12  # the mean of some hundred standardised numbers: rounding only
CERTIFIED_WIDTH = 1.1e-9  # the brackets are asked for 1e-9
GRADIENT_RTOL = 1e-6  # central differences with step 1e-6 of functions of size 100
EIGEN_ATOL = 1e-9  # eigenpairs of a covariance whose largest eigenvalue is about 300
TRAINING_RTOL = 1e-9  # hundreds of optimiser steps in two libraries, each rounding differently
# A training magnifies rounding, and other processors round otherwise; a defect changes the loss by far more.
RETRAINED_RTOL = 1e-2
PUSH_ATOL = 5e-6  # Box2D computes in single precision; values quoted with six decimals

# --- verdicts -----------------------------------------------------------------------------------------------------------
SUMMARY_RTOL = 1e-9  # a test from mean, sd and n against the same test on the raw sample: sums of a few dozen numbers
LIMIT_RTOL = 1e-6  # a margin found by bisecting the test, to the bisection's own width
FOUR_ERRORS = 4.0  # binomial standard errors that a simulated rate may lie off its nominal value

# --- statements on the lower bounds -----------------------------------------------------------------------------------
PLAY_RTOL = 0.05  # medians over four and 400 runs of players who find the bump nearly always; the rest is exploration
SLOPE_OF_THREE_ATOL = 0.02  # three points over four decades, classes of whole numbers of cells
EXACT_AGAINST_FLOAT_RTOL = 1e-9  # exact fractions against powers in float64, exponents up to 1e9


# --- ledger of chapter 3: Section 3 -------------------------------------------------------------------------------------
PSEUDO_NORM_RTOL = 1e-3  # f' K^+ f, which leaves out directions below 1e-10 of the largest eigenvalue
TIGHTEST_BOUND = 5.0  # bound over regret on uncorrelated points, norm 100: twice the largest gap, and later batches
JUST_BESIDE = 1e-6  # relative distance from a threshold at which a check must have changed its mind

# --- statements of paper 1, Sections 1 to 4 ---------------------------------------------------------------------------
PRINTED_9_DIGITS = 1e-8  # a value quoted with nine decimals

# --- problems of paper 5 ------------------------------------------------------------------------------------------------
EXPECTATION_ATOL = 1e-12  # expectations of size up to 20 by quadrature in 18 digits: the accuracy the problems state
CLOSED_FORM_ATOL = 1e-14  # probabilities and moments of size one, a handful of roundings
REGRESSION_ATOL = 1e-7  # posterior means of size 20 from two factorisations, condition number of K + noise up to 1e4
PORTFOLIO_ATOL = 1e-6  # the same for 3,000 points, whose weights add up to 3e4, and their integral by quadrature
SEARCH_ATOL = 1e-7  # a local search with numerical gradients, near a smooth maximum
# --- chapter 5: inner problems, model and acquisition functions ---------------------------------------------------------
INNER_AGREEMENT = 1e-6  # the accuracy demanded; HiGHS stops at 1e-7, SLSQP at about 1e-8
INNER_ROUNDING = 1e-10  # sums of a few dozen weights and values of size one; interior points keep sums to 1e-11
INNER_TEETH = 1e-3  # by how much a wrong solver is off in the median, far above agreement and below any real change
DISCREPANCY_GAP = 2e-7  # two values of one problem, each certified to 1e-7 of the range of its values
TABLE_AGREEMENT = 1e-7  # of the range of U: variances interpolated to about 1e-9, whose roots are a few hundredths
TABLE_TEETH = 1e-6  # by how much a residual of 1e-5 is off
SLOPE_DIFFERENCE = 1e-6  # central differences with step 1e-6 of piecewise smooth functions of size one
LIBRARY_PRIOR_ATOL = 1e-7  # log densities of priors whose parameters GPyTorch stores in single precision, over n
FITTED_RTOL = 2e-3  # two L-BFGS-B runs of one objective in other coordinates; each stops at a relative change of 2e-9
ACQUISITION_GRADIENT = 2e-6  # central differences with step 1e-5 of functions whose third derivatives reach 1e4
CERTIFIED_GRADIENT = 2e-3  # step 1e-3, as values are certified to 1e-9; the third derivative leaves 1e-3
SCREENED_ATOL = 2e-5  # values certified to 1e-6 of a range of up to ten; elsewhere the search is far finer
FORWARD_DIFFERENCE = 1e-5  # forward differences with step 1e-7 of a loss with second derivatives of size ten
CONTEXT_SCALING = 1e-4  # decisions on two scalings of one box: rounding moves a fit, and golden sections end at 4e-6
MIDPOINT_RTOL = 5e-3  # logarithms of Mercer eigenvalues from a midpoint rule with 30 nodes an axis

# --- chapter 5: laws, samples and experiments ---------------------------------------------------------------------------
QUADRATURE_DISTANCE = 1e-7  # trapezoidal rule with 200,001 points on an interval of up to 40, integrand of slope one
CELL_DISTANCE = 2e-4  # midpoints of 64 cells of probability 1/448 and of 200,000 cells, quantile unbounded at the ends
SINGLE_ATOM_DISTANCE = 1e-3  # the same with 64 cells of probability 1/64
MIDPOINT_EXPECTATION = 2e-5  # midpoints of 100,000 cells of probability, rewards of Lipschitz constant up to ten
EQUAL_DECISIONS = 1e-9  # two formulas for one acquisition function, maximised on one grid
# --- chapter 5: the page ------------------------------------------------------------------------------------------------
CURVE_DIGITS_RTOL = 5e-3  # a mean shown with three digits
FINE_GRID_OPTIMUM = 1e-3  # a maximiser on a grid of spacing 5e-4, expectations from 20,000 quantiles
SAMPLED_LOSS = 1e-4  # a difference of rewards whose expectations come from 20,000 quantiles
# --- model order of the compressed paper ------------------------------------------------------------------------------
CIRCLE_SERIES_RTOL = 1e-9  # mpmath's extrapolated sum of a series with terms of order 1 / k^2, against its closed form
SKIPPED_REGRET_RTOL = 1e-9  # 1,500 regrets added one by one, against stretches times their lengths
SECOND_DIFFERENCE = 2e-3  # mixed central differences with step 1e-3 of kernels with length-scale 0.3, relatively
# --- paper 2: compressed models -----------------------------------------------------------------------------------------
KERNEL_DISTANCE_ATOL = (
    1e-10  # a ridge problem by least squares against rank-one updates, a few dozen points, noise 1e-2
)
SKETCH_ATOL = (
    1e-10  # eigendecomposition of the kernel on the dictionary against Cholesky; no eigenvalue is lost at noise 0.1
)
SKETCH_FORMULA_ATOL = 1e-7  # the same posterior from normal equations, whose condition number is the kernel's squared
ACQUISITION_RTOL = 1e-6  # scikit-learn's predictive deviations carry an error of 1e-8 near a variance of zero
MISJUDGED_IMAGES = 3  # validation images that another linear-algebra library may classify otherwise
# --- mean-field problems ------------------------------------------------------------------------------------------------
MEAN_FIELD_ATOL = 1e-11  # sums of some thousand terms of size up to 30, in another order
BOUND_SLACK = 1e-12  # a reward may reach its bound; rounding of rewards of size one, relative for larger ones
#: L-BFGS on softmax logits stops when steps of size 1e-9 gain nothing; an optimum on the boundary is approached so far.
CLIMBED_RTOL = 1e-3
ARENA_STALL = 0.02  # a dozen climbs in the arena end in local optima this far below the best, relative
FREE_SOLVER_ATOL = 1e-7  # SLSQP with ftol 1e-14 on concave programs of up to 150 variables
RESPONSE_ATOL = 1e-13  # Lambert's W, put back into the equation it solves
SHARES_ATOL = 2e-4  # demand that a quoted value was computed from, where bin edges may round otherwise
#: Root mean square over draws falls like 1/sqrt(M): over four decades by 100, halved here for the draws' own spread.
LIMIT_FACTOR = 50.0
# --- the mean-field method ----------------------------------------------------------------------------------------------
LAW_KERNEL_ATOL = (
    1e-12  # distances expanded as |x|^2 + |y|^2 - 2xy, in units of length-scales of .3 and features of size one
)
MIXED_DIFFERENCE_RTOL = (
    1e-4  # second differences with step 1e-4 of a kernel of size one: 1e-16 / 1e-8, against slopes of 10
)
PRINTED_INTEGER_ATOL = 1.0  # a number quoted without decimals
ACQUISITION_GAP = 1e-3  # share of the best value, and of the range, by which a maximiser may miss brute force
PROJECTION_ATOL = 1e-6  # a projection against SLSQP, which is asked for 1e-15 of a squared distance
# --- the mean-field proof -----------------------------------------------------------------------------------------------
LAW_ATOL_EXACT = 1e-12  # sums and differences of a handful of multiples of 1/tau
SPECTRAL_ATOL = 0.02  # mean of 40 000 cosines with deviation below one: four standard errors
ADAM_RTOL = (
    1e-9  # a few steps of Adam: the small constant in the denominator, 1e-8, against slopes of .1, once more rounded
)

# --- statements of paper 4: setting, theorem, experiments -----------------------------------------------------------------
GAME_ATOL = 1e-11  # sums of a few payoffs of size one, and radial functions of squared distances up to 10
QUOTED_3_DIGITS = 6e-3  # relative, a number quoted with two or three digits

# --- single precision, as in the published code of TS-RSR -------------------------------------------------------------
SINGLE_ATOL = 5e-5  # 2^-24 times a condition number of up to 1e3, between two orders of the same operations
SINGLE_GRADIENT_RTOL = 1e-3  # differences of kernel values with as many digits fewer as the length-scale has points

# --- stored evidence --------------------------------------------------------------------------------------------------
STORED_RTOL = 1e-6  # numbers of a lead computed again: the same program, with another order of sums at most
STORED_ATOL = 1e-9  # differences that are rounding themselves, of terms of size one to a hundred

# --- figures to drag ----------------------------------------------------------------------------------------------------
FIGURES_ATOL = 1e-9  # the same recursion in two languages, values of size one, noise of at least .05
FIGURES_DRAW_ATOL = 1e-7  # L z for a covariance whose smallest eigenvalue is 2e-9: digits that the factor itself lacks

CERTIFICATES_RTOL = 1e-2  # two certified upper ends of one gain, computed with different effort
LINES_RTOL = 2e-3  # a trivial bound from 8 scramblings of 4,096 points: its standard error is at most half a thousandth
SAME_MAXIMUM = 1e-6  # nats of a log posterior at its maximum, found by two searches; of its arguments the root of it
