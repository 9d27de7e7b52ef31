"""Adam's step: PyTorch's, row by row where rows start afresh, in the precision of what moves."""

import numpy as np
import pytest
from oracles.optional import optional
from tolerances import FORMULA_RTOL

from companion.gp.optimise import Adam

torch = optional("torch")


def climbed(moments, start, steps, rate, gradient):
    """The way of one climb, (steps, ...)."""
    way, x = [], start
    for _ in range(steps):
        x = x + moments.step(gradient(x), rate)
        way.append(x)
    return np.array(way)


def gradient(x):
    return np.cos(3.0 * x) - x


@pytest.mark.parametrize("fresh", [(0.1, 0.001), (1.0 - 0.9, 1.0 - 0.999)])
@pytest.mark.parametrize("each", [False, True])
def test_steps_are_those_of_pytorch(fresh, each):
    start = np.linspace(-2.0, 2.0, 12).reshape(4, 3)
    found = climbed(Adam(start, each, fresh), start, 50, 0.05, gradient)
    x = torch.tensor(start, requires_grad=True)
    optimiser = torch.optim.Adam([x], lr=0.05, maximize=True)
    for there in found:
        optimiser.zero_grad()
        (torch.sin(3.0 * x) / 3.0 - 0.5 * x**2).sum().backward()
        optimiser.step()
        np.testing.assert_allclose(there, x.detach().numpy(), rtol=FORMULA_RTOL, atol=FORMULA_RTOL)


def test_a_row_that_forgets_goes_on_like_a_new_one_and_the_others_do_not_notice():
    start = np.linspace(-1.0, 1.0, 6).reshape(3, 2)
    moments = Adam(start, each=True)
    x = climbed(moments, start, 5, 0.1, gradient)[-1]
    moments.forget(np.array([False, True, False]))
    after = climbed(moments, x, 4, 0.1, gradient)
    undisturbed = climbed(Adam(start, each=True), start, 9, 0.1, gradient)[5:]
    np.testing.assert_array_equal(after[:, [0, 2]], undisturbed[:, [0, 2]])
    np.testing.assert_array_equal(after[:, [1]], climbed(Adam(x[[1]], each=True), x[[1]], 4, 0.1, gradient))
    assert not np.array_equal(after[:, 1], undisturbed[:, 1])


def test_single_precision_stays_single():
    point = np.array([0.5, -0.5], dtype=np.float32)
    moments = Adam(point)
    assert moments.step(gradient(point), 0.01).dtype == np.float32
    assert moments.first.dtype == moments.second.dtype == np.float32
