"""How the experiments are set up and what the theory assumes, for the tests that every paper has to pass."""

#: Small sizes, used where an experiment has the parameter.
SMALL = {
    "points": 60,
    "points_per_axis": 8,
    "configurations": 60,
    "horizon": 20,
    "noise_variance": 0.09,
    "data": "digits",
}
#: For every parameter: the experiment and method that has to notice, what it needs beside it, another value.
REACHES = [
    ("example-function", "gp-ucb", {}, {"delta": 0.9}),
    ("example-function", "gp-ucb", {}, {"lengthscale": 0.5}),
    ("example-function", "cgp-ucb", {}, {"epsilon": 0.05}),
    ("example-function", "cgp-ucb", {}, {"reading": "raw"}),
    ("example-function", "cgp-ucb", {"reading": "info-horizon"}, {"alpha": 0.1}),
    ("example-function", "bkb-ucb", {}, {"oversampling": 0.2}),
    ("example-function", "bkb-ucb", {}, {"bkb_width": "own"}),
    ("example-function", "gp-ei", {}, {"low": -5.0}),
    ("rosenbrock", "gp-ei", {}, {"high": 1.0}),
]
#: Settings under which the methods of an experiment decide differently, and methods that are left out as slow.
APART = [("rosenbrock", {"reading": "unit", "epsilon": 0.02, "horizon": 60, "oversampling": 0.3}, set())]
#: Runs of a second or less in which one array is large.
MEASURED = [
    ("example-function", "gp-ucb", {"points": 1500, "horizon": 300}),
    ("example-function", "gp-ucb", {"points": 1500, "horizon": 60, "posterior": "refit"}),
    ("rosenbrock", "bkb-ucb", {"points_per_axis": 40, "horizon": 40}),
]
#: What decides where to evaluate next, or how good a choice is, in ``method/``.
RULES = ("policy.scores", "admission.Admission")
CUBE = {"rounds": [1.0, 2.0], "dim": 1, "side": 1.0, "a": 2.0, "b": 2.0, "delta": 0.1}
#: Function of ``theory/``, arguments that it takes, and the one change by which an assumption fails.
ASSUMED = [
    ("bounds.union_terms", {"rounds": [1.0]}, {"rounds": [0.0]}),
    ("bounds.finite_beta", {"rounds": [1.0], "size": 5, "delta": 0.1}, {"rounds": [0.0]}),
    ("bounds.grid_per_axis", CUBE, {"rounds": [0.0, 1.0]}),
    ("bounds.compact_beta", CUBE | {"form": "theorem"}, {"side": 0.01}),
    ("bounds.compact_beta", CUBE | {"form": "lemma"}, {"side": 0.01}),
    (
        "bounds.squared_regret_bound",
        {"beta": 2.0, "noise_variance": 0.1, "gain": 1.0, "rejected": 0.5},
        {"rejected": -0.5},
    ),
    (
        "bounds.root_bound",
        {"horizon": 9, "beta": 2.0, "noise_variance": 0.1, "gain": 1.0, "rejected": 0.5},
        {"gain": -1.0},
    ),
    (
        "bounds.split_bound",
        {"horizon": 9, "beta": 2.0, "noise_variance": 0.1, "gain": 1.0, "epsilon": 0.5},
        {"epsilon": -0.5},
    ),
    (
        "bounds.theorem_32",
        {"horizon": 9, "beta": 2.0, "noise_variance": 0.1, "gain": 1.0, "alpha": 0.5},
        {"alpha": -0.5},
    ),
    ("bounds.second_term", {"horizon": 9, "alpha": 0.5}, {"alpha": -0.5}),
    (
        "bounds.corollary_33",
        {"horizon": 9, "beta": 2.0, "noise_variance": 0.1, "size": 5},
        {"beta": -1.0},
    ),
    (
        "bounds.model_order_limits",
        {"horizon": 9, "alpha": 0.5, "noise_variance": 0.1, "size": 5},
        {"alpha": -0.5},
    ),
    (
        "bounds.variance_sum_bound",
        {"noise_variance": 0.1, "gain": 1.0, "rejected": 0.5},
        {"gain": -1.0},
    ),
    (
        "bounds.theorem_34",
        {"horizon": 9, "beta": 2.0, "noise_variance": 0.1, "gain": 1.0, "alpha": 0.5, "score": 1.0},
        {"score": -1.0},
    ),
    (
        "bounds.improvement_bound",
        {"horizon": 9, "beta": 2.0, "noise_variance": 0.1, "gain": 1.0, "rejected": 0.5}
        | {"score": 1.0, "optimum_sd": 1.0},
        {"score": -1.0},
    ),
    (
        "order.mean_variance_floor",
        {"eigenvalues": [1.5, 0.5], "order": 3, "noise_variance": 0.1},
        {"eigenvalues": [1.5, 1.5]},  # not of unit variance
    ),
    (
        "order.circulant_least_order",
        {"eigenvalues": [1.5, 0.5], "noise_variance": 0.1, "threshold": 0.1},
        {"eigenvalues": [1.5, 1.5]},
    ),
    (
        "order.circle_variance_floor",
        {"order": 3, "lengthscale": 0.2, "noise_variance": 0.1},
        {"order": -1},
    ),
]
#: Functions that assume nothing but the range of an argument, which is refused like any other faulty argument.
RANGES = [
    ("bounds.derivative_tail", {"lengthscale": 0.2}, {"smoothness": 2.0}),
    ("bounds.gain_constant", {"noise_variance": 0.1}, {"noise_variance": 0.0}),
    ("bounds.z_one", {"noise_variance": 0.1, "trace": 5.0}, {"trace": 0.0}),
    ("bounds.trivial_bound", {"values": [0.0, 1.0], "horizon": 9}, {"horizon": 0}),
    ("order.copies_kept", {"u": 0.1, "noise_variance": 0.1}, {"u": 0.0}),
    ("order.order_sandwich", {"u": 0.1, "noise_variance": 0.1, "size": 5, "horizon": 9}, {"size": 0}),
    (
        "order.circle_least_order",
        {"lengthscale": 0.2, "noise_variance": 0.1, "threshold": 0.1},
        {"threshold": 0.0},
    ),
]
#: No bounds on their own: look-ups, constants, and what runs or builds an instance.
OTHERS = {
    "bounds": ["table_exponent", "table_order"],
    "order": [
        "FrozenRun",
        "covering_number",
        "covering_order",
        "exploration_peaks",
        "feature_radius",
        "order_at",
        "torus_covariance",
        "torus_eigenvalues",
        "torus_row",
        "ucb_to_the_end",
    ],
}
