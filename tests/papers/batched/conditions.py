"""How the experiments are set up and what the theory assumes, for the tests that every paper has to pass."""

import numpy as np

from companion.papers.batched.theory.bounds import GainEnvelope

#: Small sizes, used where an experiment has the parameter.
SMALL = {"points_per_axis": 10, "horizon": 60, "noise": 0.3, "points_per_cell": 1}
#: Sizes with at least 500 evaluations, where the usual ones have fewer.
LONG = {"horizon": 500}
#: For every parameter: the experiment and method that has to notice, what it needs beside it, another value.
REACHES = [
    ("appendix-e", "bpe", {}, {"draw_lengthscale": 1.0}),
    ("appendix-e", "bpe", {}, {"model_lengthscale": 1.5}),
    ("appendix-e", "bpe", {}, {"kernel": "se"}),
    ("appendix-e", "bpe", {}, {"ties": "random"}),
    ("appendix-e", "bpe", {}, {"function_seed": 9}),
    ("appendix-e", "bpe", {}, {"beta": 0.01}),
    ("appendix-e", "bpe", {"beta": 0.01}, {"reading": "multiplier"}),
    ("known-norm", "bpe", {}, {"delta": 0.5}),
    ("known-norm", "bpe", {}, {"norm": 3.0}),
    ("known-norm", "bpe", {}, {"lengthscale": 0.4}),
    ("known-norm", "bpe", {}, {"construction": "eigen"}),
    ("known-norm", "bpe", {"width": "fixed"}, {"multiplier": 0.1}),
    ("robust", "robust-bpe", {"horizon": 400, "multiplier": 0.3, "width": "fixed"}, {"base_point": "lowest"}),
    ("robust", "robust-bpe", {}, {"xi": 0.1}),
    ("robust", "robust-bpe", {}, {"delta": 0.5}),
    ("robust", "stableopt", {}, {"delta": 0.5}),
    ("robust", "stableopt", {"width": "fixed"}, {"multiplier": 0.5}),
    ("robust", "bpe", {}, {"a": 0.4}),
    ("hard-class", "bpe-reference", {"horizon": 400}, {"class_number": 2}),
    ("hard-class", "bpe-reference", {"horizon": 400}, {"member": 1}),
    ("hard-class", "bpe-reference", {"horizon": 400}, {"batches": 2}),
    ("hard-class", "bpe-early", {"horizon": 400}, {"delta": 0.5}),
]
#: Settings under which the methods of an experiment decide differently, and methods that are left out as slow.
APART = [
    ("robust", {"horizon": 400, "width": "fixed", "multiplier": 0.2, "noise": 0.1}, set()),
    ("hard-class", {"horizon": 2000, "noise": 0.05}, set()),
]
#: Runs of a second or less in which one array is large.
MEASURED = [
    ("known-norm", "bpe", {"points_per_axis": 1000, "horizon": 60, "construction": "eigen"}),
    ("appendix-e", "bpe", {"points_per_axis": 30, "horizon": 60}),
]
#: What decides where to evaluate next, or how good a choice is, in ``method/``.
RULES = ("policy.BPE", "policy.RobustBPE")
SIZES = {"sizes": [4, 8, 16], "gains": [1.0, 1.5], "width": 2.0, "noise_sd": 0.5}
#: Function of ``theory/``, arguments that it takes, and the one change by which an assumption fails.
ASSUMED = [
    (
        "bounds.lemma1_bound",
        {"horizon": 100, "gain": 3.0, "width": 2.0, "noise_sd": 0.5},
        {"batches": 1},
    ),
    (
        "bounds.theorem1_summed",
        {"horizon": 100, "a": 0.75, "gain": 3.0, "width": 2.0, "noise_sd": 0.5},
        {"a": 0.5},
    ),
    (
        "bounds.theorem1_closed",
        {"horizon": 100, "a": 0.4, "gain": GainEnvelope(1.0, 0.25), "width": 2.0, "noise_sd": 0.5},
        {"a": 0.2},
    ),
    ("bounds.simple_regret_bounds", SIZES | {"sizes": [400, 800, 1600]}, {"gains": [1.0, 20.0]}),
]
#: Functions that assume nothing but the range of an argument, which is refused like any other faulty argument.
RANGES = [
    ("bounds.variance_sum_constant", {"noise_sd": 0.5}, {"noise_sd": 0.0}),
    ("bounds.elimination_constant", {"noise_sd": 0.5}, {"noise_sd": 0.0}),
    ("bounds.trivial_bound", {"horizon": 9, "norm": 1.0, "covariance": np.eye(2)}, {"norm": 0.0}),
    ("bounds.per_round_bounds", SIZES, {"gains": [1.0, -1.0]}),
    ("bounds.batch_bounds", SIZES, {"gains": [1.0]}),
    ("bounds.GainEnvelope", {"scale": 1.0, "exponent": 0.5}, {"exponent": 0.6}),
]
