"""A posterior with points that wait, and functions made inside functions, which cannot be pickled as they are.

That runs go on identically is tested for the policies of all papers in ``tests/papers/test_setup.py``.
"""

import copy
import pickle
import sys
from types import ModuleType

import numpy as np
import pytest

from companion.gp import FinitePosterior, Matern
from companion.policies import pickling
from companion.problems import Candidates

LINE = np.linspace(0.0, 1.0, 12)[:, None]

INNER = """
class Keeper:
    def __init__(self, *kept):
        self.first, self.second = kept

def pair(base):
    step = base + 1
    return (lambda x, by=2: base * x * by), (lambda x: step - x)
"""


def told(posterior):
    posterior.condition(3)
    posterior.tell(posterior.mean[:, :1] + 1.0)
    posterior.condition(5)
    return posterior


@pytest.mark.parametrize("again", [lambda p: pickle.loads(pickle.dumps(p)), copy.deepcopy])
def test_a_posterior_is_restored_with_points_that_wait_for_their_values(again):
    first = told(FinitePosterior(Matern(2.5, 0.2)(LINE), 0.01, capacity=1))
    other = again(first)
    for posterior in (first, other):
        posterior.tell(np.array([[0.3]]))
        posterior.select_max_variance(3)
    assert np.array_equal(first.mean, other.mean)
    assert np.array_equal(first.variance, other.variance)
    assert np.array_equal(first.indices, other.indices)


@pytest.fixture
def keeper(monkeypatch):
    module = ModuleType("companion.kept_for_a_test")
    exec(INNER, module.__dict__)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    pickling.share(module.Keeper)
    return module


def test_functions_made_inside_a_function_are_restored_each_with_what_it_remembers(keeper):
    restored = pickle.loads(pickle.dumps(keeper.Keeper(*keeper.pair(5))))
    assert (restored.first(3), restored.first(3, by=1), restored.second(1)) == (30, 15, 5)
    again = pickle.loads(pickle.dumps(restored))
    assert (again.first(3), again.second(1)) == (30, 5)


def test_a_pickle_of_other_code_is_refused(keeper):
    content = pickle.dumps(keeper.Keeper(*keeper.pair(5)))
    exec(INNER.replace("step - x", "step + x * x"), keeper.__dict__)
    with pytest.raises(pickle.UnpicklingError, match=r"pair.<locals>.<lambda>: this pickle was made by other code"):
        pickle.loads(content)


def test_a_problem_keeps_its_arrays_from_being_changed():
    problem = Candidates(LINE, Matern(2.5, 0.2), 0.1)
    with pytest.raises(ValueError, match="read-only"):
        problem.points[0] = 1.0
