"""A paper that exists only in these tests: package ``toy`` with one experiment and one chapter."""

import importlib
import sys

import pytest
from printed import printed_json_fits_its_schema  # noqa: F401 - a fixture for every test here

import companion.registry.paper  # noqa: F401 - to be there while the toy's folder stands in for that of the papers
from companion import papers
from companion.cli import main

PAPER = '''
"""Toy."""

from companion.registry.paper import Lazy, Paper

PAPER = Paper(
    slug="toy",
    number=0,
    parameters=Lazy("companion.papers.toy.experiments.parameters:CHAPTER"),
    experiments=Lazy("companion.papers.toy.experiments.definitions:EXPERIMENTS"),
)
'''

EXPERIMENTS = '''
"""A toy paper."""

import numpy as np

from dataclasses import dataclass

from companion.gp import grid
from companion.policies import GPUCB, UniformRandom
from companion.problems import FiniteProblem
from companion.core.parameters import Parameter, ParameterSet
from companion.core.randomness import stream
from companion.simulate import Experiment, Method, run_policy
from companion.gp import kernel_by_name

CALLS = []

PARAMETERS = ParameterSet((
    Parameter("kernel", "str", "se", "covariance", "ours", choices=("se", "matern32", "matern52")),
    Parameter("a", "float", 0.5, "exponent", "ours", low=0, high=1, low_open=True, high_open=True),
    Parameter("horizon", "int", 30, "evaluations", "ours", low=1, high=100_000),
    Parameter("noise", "float", 0.1, "noise sd", "ours", low=0, low_open=True),
    Parameter("batches", "int", None, "number of batches", "ours", low=1),
    Parameter("exponents", "list[float]", (0.4, 0.5), "several", "ours", low=0, high=1, high_open=True),
    Parameter("adaptive", "bool", False, "whether", "ours"),
))


@dataclass(frozen=True)
class Setup:
    problem: object
    noise: object
    policy: object

    def run(self):
        return run_policy(self.policy, self.problem, len(self.noise), self.noise, meta={"data": "synthetic"})


def setup(method, seed, parameters):
    CALLS.append((method, seed))
    points = grid(20, 1)
    covariance = kernel_by_name(parameters["kernel"], 0.2)(points)
    values = stream(seed, "function").normal(size=20)
    problem = FiniteProblem("toy", points, values, parameters["noise"], "ours")
    policy = (
        UniformRandom(20, stream(seed, "policy"), batch_size=4) if method == "random"
        else GPUCB(covariance, parameters["noise"] ** 2, 2.0)
    )
    horizon = parameters["horizon"]
    noise = parameters["noise"] * stream(seed, "noise").normal(size=horizon)
    return Setup(problem, noise, policy)


EXPERIMENTS = [
    Experiment("toy", "line", "points on a line", (Method("ucb", "GP-UCB"), Method("random", "uniform")),
               PARAMETERS, setup, "Section 9"),
    Experiment("toy", "plane", "points in the plane", (Method("ucb", "GP-UCB"),), PARAMETERS, setup, "Section 10"),
]
'''

CHAPTER = '''
"""The toy chapter."""

from companion.papers.toy.experiments.definitions import PARAMETERS as CHAPTER
'''


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """Install the toy paper; the value is its module ``plan.experiments``."""
    folder = tmp_path / "papers" / "toy"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(PAPER)
    (folder / "experiments").mkdir()
    (folder / "experiments" / "__init__.py").write_text('"""Experiments."""\n')
    (folder / "experiments" / "definitions.py").write_text(EXPERIMENTS)
    (folder / "experiments" / "parameters.py").write_text(CHAPTER)
    monkeypatch.setattr(papers, "__path__", [str(tmp_path / "papers")])
    monkeypatch.chdir(tmp_path)
    yield importlib.import_module("companion.papers.toy.experiments.definitions")
    for name in [name for name in sys.modules if name.startswith("companion.papers.toy")]:
        del sys.modules[name]
    if hasattr(papers, "toy"):
        delattr(papers, "toy")


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    """Tests read tables line by line: none is folded but where a test asks for it."""
    monkeypatch.setenv("COLUMNS", "10000")


@pytest.fixture
def command(capsys, request):
    """Run the command line; the value is (exit code, standard output, standard error). Complaints go to ``messages.md``."""

    def call(*arguments):
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        if code and err:
            said = err.splitlines()[-1] if err.startswith("Usage") else err
            request.config.pluginmanager.get_plugin("messages").record(f"exit code {code}", said)
        return code, out, err

    return call
