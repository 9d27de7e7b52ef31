"""Test problems: an objective on a finite set or a box, with its optimum, noise and origin."""

from companion.problems.box import BoxProblem
from companion.problems.finite import FiniteProblem, Neighbourhood, ball_neighbours

__all__ = ["BoxProblem", "FiniteProblem", "Neighbourhood", "ball_neighbours"]
