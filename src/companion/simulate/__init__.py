"""Seeded runs: one trial, many replicates, regret accounting, and results that survive an interruption."""

from companion.simulate.experiment import Experiment, Method
from companion.simulate.loop import Trajectory, run_policy

__all__ = ["Experiment", "Method", "Trajectory", "run_policy"]
