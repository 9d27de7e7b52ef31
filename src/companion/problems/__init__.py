"""Test problems: an objective on a finite set with its optimum, noise and origin."""

from companion.problems.finite import FiniteProblem, Neighbourhood, ball_neighbours

__all__ = ["FiniteProblem", "Neighbourhood", "ball_neighbours"]
