"""How the experiments are set up and what the theory assumes, for the tests that every paper has to pass."""

#: Small sizes, used where an experiment has the parameter.
SMALL = {"batch_size": 2, "batches": 2, "candidates": 30, "ascent_steps": 3, "noise": 0.3, "model_noise": 0.4}
#: Sizes with at least 500 evaluations, where the usual ones have fewer.
LONG = {"batch_size": 5, "batches": 100}
#: For every parameter: the experiment and method that has to notice, what it needs beside it, another value.
REACHES = [
    ("gp-2d", "bucb", {}, {"width": "theory"}),
    ("gp-2d", "bucb", {"width": "theory"}, {"delta": 0.9}),
    ("gp-2d", "bucb", {"width": "constant"}, {"multiplier": 0.1}),
    ("gp-2d", "ts-rsr", {}, {"function": 7}),
    ("gp-2d", "random", {}, {"warm_up": 2}),
    ("theory", "ts-rsr", {"batches": 8, "noise": 0.05}, {"resample": True}),
    ("theory", "dpp-ts", {}, {"steps": 30}),
    ("theory", "ucbpe", {"width": "constant", "multiplier": 0.05, "noise": 0.05}, {"region": False}),
    ("theory", "ts-rsr", {}, {"kernel": "matern32"}),
    ("ackley-2d", "ts-rsr", {}, {"reading": "code"}),
    ("ackley-2d", "bucb", {}, {"reading": "code"}),
    ("ackley-2d", "bucb", {"multiplier": 1e-06, "width": "constant"}, {"ascent_steps": 60}),
    ("ackley-2d", "ts-rsr", {}, {"lengthscale": 0.1}),
    ("ackley-2d", "ts-rsr", {}, {"candidates": 60}),
    ("ackley-2d", "ts-rsr", {}, {"precision": "single"}),
    ("ackley-2d", "ts-rsr", {}, {"smoothness": 2.5}),
    ("ackley-2d", "ts-rsr", {}, {"prior_variance": 0.2}),
    ("ackley-2d", "ts-rsr", {}, {"redraw": True}),
    ("ackley-2d", "ts-rsr", {}, {"refine": 10}),
    ("ackley-2d", "bucb", {}, {"shift": 0}),
]
#: Settings under which the methods of an experiment decide differently, and methods that are left out as slow.
APART = [("theory", {"batches": 8, "noise": 0.1}, set()), ("ackley-2d", {"batches": 3}, set())]
#: Runs of a second or less in which one array is large.
MEASURED = [
    ("ackley-2d", "ts-rsr", {"candidates": 2000, "batches": 1, "batch_size": 2, "ascent_steps": 2}),
    ("ackley-2d", "bucb", {"candidates": 2000, "batches": 1, "batch_size": 2, "ascent_steps": 2}),
    ("gp-2d", "bucb", {"batches": 5, "batch_size": 30}),
    ("theory", "ts-rsr", {"dim": 2, "points_per_axis": 40, "batches": 2, "batch_size": 5}),
]
#: What decides where to evaluate next, or how good a choice is, in ``method/``.
RULES = ("rules.regret_to_sigma", "rules.least_ratio")
SHAPE = {"candidates": 10, "rounds": 4, "batch": 3, "noise_variance": 0.1, "gain": 5.0}
#: Function of ``theory/``, arguments that it takes, and the one change by which an assumption fails.
ASSUMED = [
    ("bounds.theorem1", SHAPE, {"gain": -1.0}),
    ("bounds.theorem1", SHAPE, {"ratio": 0.9}),
    ("bounds.theorem1_one_term", SHAPE, {"gain": 0.1}),  # c gamma < 1
    ("bounds.theorem1_sharp", SHAPE, {"ratio": 0.9}),
    ("bounds.good_event_bound", SHAPE | {"delta": 0.1}, {"ratio": 0.9}),
    ("bounds.variance_sum_bound", {"noise_variance": 0.1, "gain": 1.0}, {"gain": -1.0}),
    ("bounds.initial_ratio_bound", {"batch": 3, "initial": 9, "gain": 2.0}, {"gain": -1.0}),
    ("bounds.initial_ratio_sharp", {"batch": 3, "initial": 9, "gain": 2.0}, {"gain": -1.0}),
    ("bounds.corollary1", SHAPE | {"initial": 9, "initial_gain": 2.0}, {"initial": 5}),
]
#: Functions that assume nothing but the range of an argument, which is refused like any other faulty argument.
RANGES = [
    ("bounds.gain_factor", {"noise_variance": 0.1}, {"noise_variance": 0.0}),
    ("bounds.variance_ratio", {"extra": 3, "noise_variance": 0.1}, {"extra": -1}),
    ("bounds.trivial_bound", {"candidates": 10, "evaluations": 12}, {"candidates": 1}),
    ("bounds.mean_ratio", {"batch": 3, "noise_variance": 0.1}, {"batch": 0}),
    ("bounds.linear_gain_bound", {"dim": 2, "points": 9, "noise_variance": 0.1}, {"dim": 0}),
]
