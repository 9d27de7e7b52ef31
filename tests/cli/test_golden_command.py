"""A module's answers beside golden values: which pass, what others look like, and how a mistake is told."""

import json

import pytest

RIGHT = """
import companion as cp
import numpy as np

def ucb(mean, sd, width):
    return mean + width * sd

def gain(X, noise_sd, kernel, lengthscale, variance):
    covariance = cp.kernel(kernel, lengthscale, variance)(np.array(X)) if X else np.eye(1)
    return cp.information_gain(covariance, np.arange(len(X)), noise_sd**2)

def sample(seed):
    return cp.stream(seed, "golden").normal(size=3)
"""
WRONG = """
import numpy as np
import companion as cp

def log_marginal_likelihood(X, y, noise_sd, kernel, lengthscale, variance):
    matrix = cp.kernel(kernel, lengthscale, variance)(np.array(X)) + noise_sd**2 * np.eye(len(X))
    return (np.dot(y, np.linalg.solve(matrix, y)) + np.linalg.slogdet(matrix)[1] + len(y) * np.log(2 * np.pi)) / 2

def ucb(mean, sd, width):
    return None if mean < 0 else [][0]

def sample(seed):
    return 4
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    def written(text, name="mine.py"):
        monkeypatch.syspath_prepend(str(tmp_path))
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return written


def test_what_is_right_passes(module, command):
    code, out, err = command("golden", module(RIGHT))
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[-1] == f"{len(lines) - 1} pass"
    assert {line.split("/")[0] for line in lines[:-1]} == {"pass  gain", "pass  ucb", "pass  sample"}


def test_what_is_wrong_is_shown_beside_the_right_number_with_a_likely_reason(module, command):
    path = module(WRONG)
    code, out, _ = command("golden", path)
    assert code == 1
    assert "\nall of log_marginal_likelihood: sign-turned, the negative: a loss to make small" in out
    out = " ".join(out.split())
    assert "wrong log_marginal_likelihood/one-point-itself log_marginal_likelihood[0] is 4.63" in out
    assert "should be -4.63" in out
    assert "looks like sign-turned" in out
    assert "fail ucb/ahead raised IndexError: list index out of range" in out
    assert "skip ucb/negative" in out
    assert "fail sample/two-seeds seeds 1 and 2 give one draw: the seed does not reach the sampler" in out
    code, out, _ = command("golden", path, "--json")  # the fixture holds it against its schema
    content = json.loads(out)
    assert code == 1
    assert content["counts"] == {"wrong": 11, "fail": 2, "skip": 1, "pass": 1}
    assert content["explained"] == ["log_marginal_likelihood: sign-turned"]


def test_a_module_by_its_name(module, command):
    module(RIGHT, "asked_by_name.py")
    assert command("golden", "asked_by_name")[0] == 0


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        ("x = 1\n", 2, "has no function to ask; expected one of posterior"),
        ("pi = 3.14\n", 2, "has no function to ask"),
        ("import nothing_like_this\n", 1, "does not run: ModuleNotFoundError: No module named 'nothing_like_this'"),
        ("def ucb(:\n", 1, "does not run: SyntaxError"),
        ("raise ValueError('no')\n", 1, "does not run: ValueError: no"),
    ],
)
def test_a_module_that_cannot_be_asked_is_one_line(module, command, text, code, told):
    got, out, err = command("golden", module(text))
    assert (got, out, err.count("\n")) == (code, "", 1)
    assert told in err


@pytest.mark.parametrize("name", ["nowhere.py", "nowhere_at_all", "."])
def test_a_module_that_is_not_there_is_named(command, name):
    code, out, err = command("golden", name)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert f"{name}; expected a Python file, or a module that can be imported" in err
