"""Where the paper's text and the authors' code differ on the problems of Section 6, on their models and on the methods."""

from __future__ import annotations

from typing import NamedTuple


class Difference(NamedTuple):
    """What the text and the code say about one item of a problem; ``"all"`` for what concerns every problem.

    Items that start with ``"method"`` are about one method only; all others concern the methods alike, but for numbers of
    runs.
    """

    problem: str
    item: str
    text: str
    code: str


DIFFERENCES = (
    Difference(
        "all",
        "noise",
        "N(0, 0.001^2) once for each evaluation",
        "values without noise; N(0, 0.001^2) added to all standardised targets anew in every round",
    ),
    Difference(
        "all",
        "targets",
        "standardisation not mentioned",
        "standardised to mean 0 and population sd 1 in every round",
    ),
    Difference(
        "all",
        "regret",
        "max f minus the best value; with or without noise and design points is not said",
        "without noise, design points included",
    ),
    Difference(
        "all",
        "prior variance",
        "at most 1",
        "ln 2 unless listed below",
    ),
    Difference(
        "all",
        "smoothness",
        "Matern, nu = 1.5",
        "Matern, nu = 2.5 (squared exponential for gp-2d and gp-3d)",
    ),
    Difference(
        "all",
        "box",
        "the whole box or a finite set",
        "about 1000 random candidates in each round",
    ),
    Difference(
        "all",
        "arithmetic",
        "exact",
        "single precision; squared distances by an expansion that is off by up to 1e-5 of the squared length-scale; up to "
        "1e-4 added to the diagonal where a factorisation fails; variances below 1e-6 raised to it",
    ),
    Difference(
        "all",
        "posterior draws",
        "joint draws of f",
        "by a singular value decomposition in double precision, which adds noise of the size of the rounding errors",
    ),
    Difference(
        "all",
        "a failed factorisation",
        "not mentioned",
        "every exception makes the batch m uniform random points",
    ),
    Difference(
        "all",
        "method TS-RSR",
        "minimises the ratio",
        "on candidates, and from the second point of a batch on ten Adam steps of rate 0.01, begun anew where one leaves the "
        "box, leave the candidates; no other method refines its points",
    ),
    Difference(
        "all",
        "method qEI",
        "name and references only; here targets and believed values in one unit",
        "from the second point of a batch on the model has raw targets, the incumbent and the first believed value stay "
        "standardised",
    ),
    Difference(
        "all",
        "method BUCB",
        "name and reference only; here the code's width with t + 1 for t",
        "width minus infinity in the first batch, all of whose points are then one random candidate",
    ),
    Difference(
        "all",
        "method UCBPE",
        "name and reference only; here the same width, and exploration within the relevant region",
        "width minus infinity in the first batch, whose first point is then a random candidate; no relevant region",
    ),
    Difference(
        "gp-2d",
        "function",
        "drawn from a Gaussian process; here an exact draw on 100^2 points",
        "256 random cosine features with weights uniform on (0, 1): standard deviation 0.57 instead of 1",
    ),
    Difference(
        "gp-2d",
        "optimum",
        "not said; here exact, as the domain is finite",
        "best of 200^2 grid points, or of what any method reached; the grid stops up to 0.012 short of the maximum",
    ),
    Difference(
        "gp-3d",
        "function",
        "drawn from a Gaussian process; here an exact draw on 26^3 points",
        "draw of rank at most 100 on 26^3 points, nearest-point lookup; files not published, here the best "
        "approximation of rank 100",
    ),
    Difference(
        "gp-3d",
        "prior variance",
        "1",
        "10, of the function as of the model, whose targets are standardised",
    ),
    Difference(
        "gp-3d",
        "runs",
        "5 for each function",
        "15 for TS and TS-RSR, 5 for the others",
    ),
    Difference(
        "ackley-2d",
        "runs",
        "10",
        "30 for DPPTS, BUCB and TS-RSR, 10 for the others",
    ),
    Difference(
        "bird-2d",
        "optimum",
        "not said; here certified",
        "value at a rounded minimiser, 2e-9 below the maximum",
    ),
    Difference(
        "hartmann-6d",
        "length-scale",
        "ln 2 (Table 6)",
        "0.2",
    ),
    Difference(
        "hartmann-6d",
        "runs",
        "10",
        "20 for qEI and TS-RSR, some with 100 candidates instead of 1000",
    ),
    Difference(
        "griewank-8d",
        "divisor in the cosines",
        "formula not given; the standard one has sqrt(i)",
        "i, which makes a smoother function",
    ),
    Difference(
        "michalewicz-10d",
        "optimum",
        "not said; here certified",
        "9.66015, which is 1.7e-6 below the maximum",
    ),
    Difference(
        "michalewicz-10d",
        "runs",
        "10",
        "20 for SP, qEI and TS-RSR",
    ),
    Difference(
        "boston-4d",
        "hidden nodes",
        "1 to 100; here rounded",
        "integer part of 10 x, x in [1, 10]",
    ),
    Difference(
        "boston-4d",
        "weight decay",
        "0 to 0.5 (text), 0.1 to 0.5 (Table 7); here the former",
        "0.1 to 0.9",
    ),
    Difference(
        "boston-4d",
        "momentum",
        "0 to 0.5 (text), 0.1 to 0.5 (Table 7); here the former",
        "0 to 0.5",
    ),
    Difference(
        "boston-4d",
        "network",
        "one hidden layer; here rectified linear",
        "two linear layers without activation",
    ),
    Difference(
        "boston-4d",
        "weights",
        "the same in all evaluations",
        "new in every evaluation, which makes the objective random",
    ),
    Difference(
        "boston-4d",
        "loss",
        "L2 on the validation rows; here the root mean squared error after 50 epochs",
        "root mean squared error after the first epoch",
    ),
    Difference(
        "boston-4d",
        "split and scaling",
        "not said; here 80 % of the rows, inputs and targets standardised by these, loss in raw units",
        "456 of 506 rows; inputs standardised by all rows, targets raw",
    ),
    Difference(
        "boston-4d",
        "optimum",
        "best loss found by any method in any run; here by a longer search",
        "4.1025343",
    ),
    Difference(
        "boston-4d",
        "runs",
        "10",
        "20 for BUCB and TS-RSR",
    ),
    Difference(
        "robot-3d",
        "length-scale",
        "ln 2 (Table 7)",
        "1, 1, 0.1",
    ),
    Difference(
        "robot-3d",
        "prior variance",
        "at most 1",
        "0.2",
    ),
    Difference(
        "robot-3d",
        "noise",
        "none in the simulation",
        "N(0, 0.1^2) on each component of the push velocity",
    ),
    Difference(
        "robot-3d",
        "goals",
        "ten, not listed; here those of the code",
        "uniform on [-5, 5]^2 from seed 0",
    ),
    Difference(
        "robot-3d",
        "optimum",
        "not said; here the best of a search",
        "0",
    ),
    Difference(
        "robot-4d",
        "angle",
        "0 to 2 pi (Table 7)",
        "0 to pi",
    ),
    Difference(
        "robot-4d",
        "noise",
        "none in the simulation",
        "N(0, 0.1^2) on each component of the push velocity",
    ),
    Difference(
        "robot-4d",
        "goals",
        "ten, not listed; here those of the code",
        "uniform on [-5, 5]^2, other ones than in 3-D",
    ),
    Difference(
        "robot-4d",
        "optimum",
        "not said; here the best of a search",
        "0",
    ),
    Difference(
        "robot-4d",
        "runs",
        "10",
        "20 for BUCB and TS-RSR",
    ),
)
"""All but the numbers of runs separate the two readings; there every method has as many runs as the others."""

LEFT = (
    Difference(
        "all",
        "uninitialised memory",
        "the code raises TS-RSR's sampled maxima to an array that it never filled",
        "left out: what stands there is undefined",
    ),
    Difference(
        "all",
        "plots",
        "in two dimensions the first of ten runs has 900 grid points among its candidates in rounds 0, 30 and T",
        "left out: it depends on whether plots were asked for",
    ),
    Difference(
        "all",
        "random numbers",
        "one stream runs through all runs and draws; methods share designs, and no other draws",
        "a stream for each seed and use; methods share the candidates too",
    ),
    Difference(
        "all",
        "selection of runs",
        "methods have 10 to 30 runs; the plots cut runs of 150 or 50 batches at T",
        "as many runs for every method, of T batches, which are the beginning of longer ones",
    ),
    Difference(
        "all",
        "covariance of the draws",
        "not symmetric in its last bits",
        "made symmetric before the decomposition",
    ),
    Difference(
        "all",
        "edge of the box",
        "coordinates in single precision may lie beyond it by one part in 10^7",
        "clipped",
    ),
    Difference(
        "all",
        "version of the library",
        "that of early 2024 (the code names none)",
        "the operations of GPyTorch 1.15",
    ),
    Difference(
        "gp-3d",
        "functions",
        "draws by a Lanczos root, whose files are not published",
        "the best approximation of rank 100",
    ),
    Difference(
        "hartmann-6d",
        "candidates",
        "100 in the second ten runs of TS-RSR",
        "1000 in all",
    ),
)
"""Where the companion's reading of the code still is not the code: here ``text`` is what the code does, ``code`` ours."""


def differences(name: str) -> tuple[Difference, ...]:
    """The rows of :data:`DIFFERENCES` that concern one problem: its own, and those of all."""
    return tuple(row for row in DIFFERENCES if row.problem in ("all", name))
