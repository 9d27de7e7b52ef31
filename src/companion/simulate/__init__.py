"""Seeded runs: one trial, many replicates, regret accounting, and results that survive an interruption."""

from companion.simulate.box import run_box_policy
from companion.simulate.experiment import Experiment, Method
from companion.simulate.loop import PlainSetup, Trajectory, run_policy
from companion.simulate.plan import Plan, RunRequest, read_plan
from companion.simulate.replicate import TaskError, by_seed, replicate
from companion.simulate.sweep import Shard, progress, run_sweep
from companion.simulate.task_store import Task, assemble, run_tasks

__all__ = [
    "Experiment",
    "Method",
    "PlainSetup",
    "Plan",
    "RunRequest",
    "Shard",
    "Task",
    "TaskError",
    "Trajectory",
    "assemble",
    "by_seed",
    "progress",
    "read_plan",
    "replicate",
    "run_box_policy",
    "run_policy",
    "run_sweep",
    "run_tasks",
]
