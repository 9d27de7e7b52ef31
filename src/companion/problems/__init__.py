"""Test problems: an objective on a finite set or a box, with its optimum, noise and origin."""

from companion.problems.benchmarks import BENCHMARKS, certify
from companion.problems.blackbox import Box, Candidates
from companion.problems.box import BoxProblem
from companion.problems.branch_and_bound import MaximumBracket, branch_and_bound
from companion.problems.finite import FiniteProblem, Neighbourhood, ball_neighbours

__all__ = [
    "BENCHMARKS",
    "Box",
    "BoxProblem",
    "Candidates",
    "FiniteProblem",
    "MaximumBracket",
    "Neighbourhood",
    "ball_neighbours",
    "branch_and_bound",
    "certify",
]
