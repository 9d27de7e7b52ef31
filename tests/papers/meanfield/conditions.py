"""How the experiments are set up and what the theory assumes, for the tests that every paper has to pass."""

from companion.papers.meanfield.theory.bounds import Pieces

#: Small sizes, used where an experiment has the parameter.
SMALL = {"horizon": 6, "initial": 3, "candidates": 20, "restart": 3, "noise": 0.3, "data": "synthetic"}
#: For every parameter: the experiment and method that has to notice, what it needs beside it, another value.
REACHES = [
    ("swarm", "turbo", {"horizon": 6}, {"restart": 5}),
    ("swarm", "turbo", {}, {"candidates": 400}),
    ("swarm", "mf-gp-ucb", {}, {"beta": 0.1}),
    ("swarm", "gp-ucb", {"agents": 2}, {"beta": 0.01}),
    ("swarm", "mf-gp-ucb", {}, {"width": "corrected"}),
    ("swarm", "mf-gp-ucb", {"width": "corrected"}, {"a": 9.0}),
    ("swarm", "mf-gp-ucb", {"width": "corrected"}, {"b": 0.1}),
    ("swarm", "mf-gp-ucb", {}, {"search": "paper"}),
    ("swarm", "mf-gp-ucb", {}, {"told_law": "empirical"}),
    ("swarm", "mf-gp-ucb", {}, {"initial": 5}),
    ("swarm", "gp-ucb", {}, {"initial": 4}),
    ("swarm", "random", {}, {"play": "quota"}),
    ("swarm", "random", {}, {"observation": "agent"}),
    ("swarm", "random", {}, {"penalty": "printed"}),
    ("arena", "mf-gp-ucb", {}, {"kernel": "joint"}),
    ("arena", "random", {}, {"contexts": "fixed"}),
    ("arena", "sa", {}, {"contexts": "redrawn"}),
]
#: Settings under which the methods of an experiment decide differently, and methods that are left out as slow.
APART = [
    ("arena", {"horizon": 60, "agents": 10}, {"mf-gp-ucb", "gp-ucb", "turbo"}),
    ("swarm", {"agents": 3}, {"ga-scaled", "sa-scaled"}),
]
#: Runs of a second or less in which one array is large.
MEASURED = [
    ("swarm", "turbo", {"candidates": 8000, "horizon": 30}),
    ("swarm", "ga", {"agents": 100_000, "horizon": 15}),
]
#: What decides where to evaluate next, or how good a choice is, in ``method/``.
RULES = ("acquisition.optimistic", "acquisition.averaged")
PIECES = Pieces(3, 2, 1.0, 1.0)
#: Function of ``theory/``, arguments that it takes, and the one change by which an assumption fails.
ASSUMED = [
    ("bounds.Pieces", {"actions": 3, "contexts": 2, "a": 1.0, "b": 1.0}, {"a": 0.1}),
    ("bounds.own_display", {"pieces": PIECES, "horizon": 5}, {"pieces": Pieces(2, 1, 0.5, 0.01)}),
    (
        "bounds.printed_bound",
        {"pieces": PIECES, "horizon": 5, "noise_variance": 0.1, "gain": 3.0},
        {"pieces": Pieces(3, 2, 1.0, 1.0, variance=3.0)},
    ),
]
#: Functions that assume nothing but the range of an argument, which is refused like any other faulty argument.
RANGES = [
    ("bounds.gain_factor", {"variance": 1.0, "noise_variance": 0.1}, {"noise_variance": 0.0}),
    ("bounds.corrected_discretisation", {"pieces": PIECES, "horizon": 5}, {"horizon": 0}),
    (
        "bounds.corrected_bound",
        {"pieces": PIECES, "horizon": 5, "noise_variance": 0.1, "gain": 3.0},
        {"gain": -3.0},
    ),
]
#: No bounds on their own: look-ups, constants, and what runs or builds an instance.
OTHERS = {"bounds": ["Bound", "printed_discretisation", "printed_prefactor", "roundings"]}
