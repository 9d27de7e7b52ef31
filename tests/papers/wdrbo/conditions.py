"""How the experiments are set up and what the theory assumes, for the tests that every paper has to pass."""

#: Small sizes, used where an experiment has the parameter.
SMALL = {
    "horizon": 2,
    "initial": 4,
    "noise": 0.3,
    "samples": 16,
    "robust_samples": 32,
    "discrepancy_nodes": 16,
    "minmax_nodes": 25,
    "data": "stand-in",
}
#: For every parameter: the experiment and method that has to notice, what it needs beside it, another value.
REACHES = [
    ("camel", "wdrbo", {}, {"radius": 2.0}),
    ("camel", "wdrbo", {}, {"schedule": "constant"}),
    ("camel", "wdrbo", {"radius": 1.0}, {"lipschitz_region": "atoms"}),
    ("camel", "erbo", {}, {"width": 0.1}),
    ("camel", "sbo-kde", {}, {"samples": 4}),
    ("camel", "drbo-kde", {}, {"robust_samples": 8}),
    ("camel", "drbo-mmd", {}, {"discrepancy_nodes": 3}),
    ("camel", "drbo-mmd-minmax", {}, {"minmax_nodes": 4}),
    ("camel", "drbo-mmd", {}, {"confidence": 0.01}),
    ("camel", "wdrbo", {}, {"reading": "code"}),
    ("general", "erbo", {}, {"spread": "variance"}),
    ("general", "erbo", {}, {"told_nodes": 2}),
    ("general", "wdrbo", {}, {"clipped": False}),
    ("shift", "erbo", {}, {"shift": 0.3}),
    ("shift", "erbo", {}, {"problem": "newsvendor"}),
]
#: Settings under which the methods of an experiment decide differently, and methods that are left out as slow.
APART = [("camel", {"horizon": 3, "radius": 2.0}, set())]
#: Runs of a second or less in which one array is large.
MEASURED = [
    ("branin", "drbo-mmd", {"discrepancy_nodes": 1200, "horizon": 8}),
    ("branin", "drbo-mmd-minmax", {"minmax_nodes": 4000, "horizon": 2}),
    ("branin", "sbo-kde", {"samples": 10_000, "horizon": 1, "initial": 40}),
    ("branin", "drbo-kde", {"robust_samples": 10_000, "horizon": 1, "initial": 40}),
    ("branin", "stableopt", {"horizon": 2, "initial": 40, "reading": "code"}),
]
#: What decides where to evaluate next, or how good a choice is, in ``method/``.
RULES = ("acquisitions.penalised", "inner.wasserstein")
BALL = {"log_det": 2.0, "noise": 0.1, "norm": 1.0, "lam": 0.5, "delta": 0.1}
GAIN = {"gain": 2.0, "noise": 0.1, "norm": 1.0, "lam": 0.5, "delta": 0.1}
RUN = {"beta": 1.5, "rounds": 9, "log_det": 2.0, "lam": 1.0, "delta": 0.1}
#: Function of ``theory/``, arguments that it takes, and the one change by which an assumption fails.
ASSUMED = [
    ("bounds.width", BALL, {"log_det": -1.0}),
    ("bounds.mean_norm", BALL, {"noise": -1.0}),
    ("bounds.mean_norm_printed", GAIN, {"lam": 1.5}),
    ("bounds.mean_norm_simple", GAIN, {"gain": -1.0}),
    (
        "bounds.one_round",
        {"beta": 2.0, "mean_width": 0.5, "radius": 0.1, "lipschitz": 3.0},
        {"radius": -0.1},
    ),
    (
        "bounds.one_round_data",
        {"beta": 2.0, "mean_width": 0.5, "radius": 0.1, "lipschitz": 3.0, "slack": 0.1},
        {"slack": -0.1},
    ),
    ("bounds.conditional_mean", {"observed": 3.0, "largest": 1.0, "delta": 0.1}, {"observed": -1.0}),
    ("bounds.conditional_mean_cited", {"observed": 3.0, "delta": 0.1}, {"observed": -1.0}),
    ("bounds.cumulative", RUN, {"lam": 0.01}),
    ("bounds.cumulative", RUN, {"lam": 0.397}),
    ("bounds.cumulative", RUN, {"reading": "main"}),  # which no proof gives
    ("bounds.cumulative", RUN | {"reading": "ours"}, {"penalty": -1.0}),
    (
        "bounds.corollary_6",
        {
            "gains": [0.0, 4.0],
            "radii": [0.3, 0.2],
            "noise": 0.1,
            "norm": 1.5,
            "lam": 0.5,
            "delta": 0.1,
            "lipschitz": 3.0,
        },
        {"lam": 0.3},
    ),
    (
        "bounds.corollary_6",
        {
            "gains": [0.0, 4.0],
            "radii": [0.3, 0.2],
            "noise": 0.1,
            "norm": 1.5,
            "lam": 0.5,
            "delta": 0.1,
            "lipschitz": 3.0,
        },
        {"gains": [4.0, 0.0]},
    ),
    ("bounds.covering_points", {"diameter": 1.0, "rho": 0.1, "dim": 2}, {"diameter": -1.0}),
    ("bounds.radius", {"contexts": 9, "diameter": 1.0, "delta": 0.1}, {"scale": 0.4}),
    ("bounds.covering_slack", {"contexts": 9, "lipschitz": 3.0, "norm_bound": 2.0}, {"norm_bound": -1.0}),
]
#: Functions that assume nothing but the range of an argument, which is refused like any other faulty argument.
RANGES = [
    ("bounds.small_width_factor", {"lam": 0.5}, {"lam": 0.0}),
    ("bounds.union_delta", {"delta": 0.1, "rounds": 3}, {"delta": 1.0}),
]
#: No bounds on their own: look-ups, constants, and what runs or builds an instance.
OTHERS = {"bounds": ["crossing"]}
