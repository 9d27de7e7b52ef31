r"""Tuning a small regression network (Section 6.3): how the validation loss depends on four settings of its training.

The inputs of the problem are the number of hidden nodes, and RMSProp's learning rate, weight decay and momentum. The
text leaves the split, epochs, batch size, activation and loss scaling open; what is chosen here stands in
:class:`Protocol` and in the chapter's table of differences.

Training is written out in NumPy, because a library's overhead per step exceeds the arithmetic of such a network several
times; the tests compare it with PyTorch's optimiser and automatic differentiation.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.core.arrays import Floats
from companion.core.errors import CompanionError, ParameterError
from companion.core.randomness import stream
from companion.problems import BoxProblem
from companion.problems.datasets import RegressionData

MOST_NODES = 100
BATCH = 50
#: RMSProp's averaging constant and guard, PyTorch's defaults.
SMOOTHING, EPSILON = 0.99, 1e-8
#: Seed of the split, the weights and the order of the batches in the reading of the text.
WEIGHT_SEED = 0
#: Loss of a training that diverged, in units of the targets' standard deviation.
WORST_LOSS = 1e6


@dataclass(frozen=True)
class Protocol:
    """Training and evaluation of a network.

    Parameters
    ----------
    low, high : corners of the box, in the order nodes, learning rate, weight decay, momentum
    epochs : passes over the training rows
    rectified : hidden nodes are rectified linear; otherwise the network is linear
    root_loss : the root of the mean squared error is minimised, instead of the mean squared error
    fixed : weights, batch order and split are the same in all evaluations, which makes the objective deterministic
    """

    low: tuple[float, ...]
    high: tuple[float, ...]
    epochs: int
    rectified: bool
    root_loss: bool
    fixed: bool

    def nodes(self, coordinate: float) -> int:
        """Hidden nodes for the first coordinate: rounded in the text's box, the integer part of ten times it else."""
        return round(coordinate) if self.fixed else int(10 * coordinate)


TEXT = Protocol((1.0, 0.001, 0.0, 0.0), (100.0, 0.1, 0.5, 0.5), 50, True, False, True)
CODE = Protocol((1.0, 0.001, 0.1, 0.0), (10.0, 0.1, 0.9, 0.5), 1, False, True, False)
PROTOCOLS = {"text": TEXT, "code": CODE}


@dataclass(frozen=True, eq=False)
class Split:
    """Rows for training and validation. Targets are in units of ``scale`` of the raw ones."""

    inputs: Floats
    targets: Floats
    held_inputs: Floats
    held_targets: Floats
    scale: float


def split(data: RegressionData, reading: str) -> Split:
    """The reading's split and scaling.

    ``text``: 80 % of the rows for training, drawn once; inputs and targets standardised by the training rows.
    ``code``: 456 of the 506 rows (nine tenths, rounded up) from PyTorch's permutation of seed 10; inputs standardised
    by all rows, so that the validation rows enter; raw targets.
    """
    size = len(data.targets)
    if reading == "text":
        order = stream(WEIGHT_SEED, "network", "split", data.name).permutation(size)
        train, held = np.split(order, [round(0.8 * size)])
        centre, spread = data.inputs[train].mean(axis=0), data.inputs[train].std(axis=0)
        shift, scale = float(data.targets[train].mean()), float(data.targets[train].std())
    else:
        import torch

        order = torch.randperm(size, generator=torch.Generator().manual_seed(10)).numpy()
        train, held = np.split(order, [size - size // 10])
        centre, spread = data.inputs.mean(axis=0), data.inputs.std(axis=0)
        shift, scale = 0.0, 1.0
    inputs, targets = (data.inputs - centre) / spread, (data.targets - shift) / scale
    return Split(inputs[train], targets[train], inputs[held], targets[held], scale)


class Network:
    """One hidden layer, p inputs, h nodes, one output; parameters in one vector, their gradient by the chain rule.

    Parameters
    ----------
    weights : (p, h) and (h,) of the hidden layer, (h,) and () of the output
    rectified : see :class:`Protocol`
    """

    def __init__(self, weights: tuple[Floats, Floats, Floats, float], rectified: bool) -> None:
        first, hidden_bias, second, bias = weights
        self._shape = first.shape
        self._rectified = rectified
        self.parameters = np.concatenate([first.ravel(), hidden_bias, second, [bias]])
        self.gradient = np.zeros_like(self.parameters)

    def _parts(self, vector: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        inputs, nodes = self._shape
        edge = inputs * nodes
        first = vector[:edge].reshape(inputs, nodes)
        return first, vector[edge : edge + nodes], vector[edge + nodes : edge + 2 * nodes], vector[edge + 2 * nodes :]

    def predict(self, inputs: Floats) -> Floats:
        """Outputs (n,) for ``inputs`` (n, p)."""
        return self._forward(inputs)[1]

    def _forward(self, inputs: Floats) -> tuple[Floats, Floats]:
        first, hidden_bias, second, bias = self._parts(self.parameters)
        hidden = inputs @ first + hidden_bias
        if self._rectified:
            np.maximum(hidden, 0.0, out=hidden)
        return hidden, hidden @ second + bias

    def backward(self, inputs: Floats, targets: Floats, root_loss: bool) -> None:
        """Set ``gradient`` to that of the mean squared error, or of its root."""
        hidden, output = self._forward(inputs)
        error = output - targets
        if root_loss:
            length = math.sqrt(float(error @ error) * len(error))
            error = error / length if length > 0 else error
        else:
            error *= 2.0 / len(error)
        _, _, second, _ = self._parts(self.parameters)
        first_slope, hidden_slope, second_slope, slope = self._parts(self.gradient)
        back = np.outer(error, second)
        if self._rectified:
            back[hidden <= 0.0] = 0.0
        np.matmul(inputs.T, back, out=first_slope)
        back.sum(axis=0, out=hidden_slope)
        np.matmul(error, hidden, out=second_slope)
        slope[0] = error.sum()


def train(
    network: Network,
    inputs: Floats,
    targets: Floats,
    batches: Iterator[NDArray[np.intp]],
    settings: tuple[float, float, float],
    root_loss: bool,
) -> None:
    r"""RMSProp with weight decay :math:`\lambda` and momentum :math:`\nu`, over the given batches of row numbers.

    .. math:: g\leftarrow\nabla L+\lambda\theta,\quad v\leftarrow0.99v+0.01g^2,\quad
        b\leftarrow\nu b+g/(\sqrt v+10^{-8}),\quad\theta\leftarrow\theta-\eta b

    ``settings`` are :math:`(\eta,\lambda,\nu)`.
    """
    rate, decay, momentum = settings
    theta, slope = network.parameters, network.gradient
    square, velocity, scratch = np.zeros_like(theta), np.zeros_like(theta), np.zeros_like(theta)
    for rows in batches:
        network.backward(inputs[rows], targets[rows], root_loss)
        np.multiply(theta, decay, out=scratch)
        slope += scratch
        square *= SMOOTHING
        np.multiply(slope, slope, out=scratch)
        scratch *= 1.0 - SMOOTHING
        square += scratch
        np.sqrt(square, out=scratch)
        scratch += EPSILON
        velocity *= momentum
        velocity += slope / scratch
        np.multiply(velocity, rate, out=scratch)
        theta -= scratch


def initial_weights(inputs: int, nodes: int, generator: np.random.Generator) -> tuple[Floats, Floats, Floats, float]:
    """Uniform on (-1/sqrt(p), 1/sqrt(p)) for the hidden layer, with its number of inputs p, and likewise for the output.

    One draw for the largest network, of which ``nodes`` columns are taken: networks of different size share weights.
    """
    draws = generator.uniform(-1.0, 1.0, size=(inputs + 2, MOST_NODES))
    bias = float(generator.uniform(-1.0, 1.0))
    near, far = 1.0 / math.sqrt(inputs), 1.0 / math.sqrt(nodes)
    return draws[:inputs, :nodes] * near, draws[inputs, :nodes] * near, draws[inputs + 1, :nodes] * far, bias * far


@dataclass(frozen=True, eq=False)
class NetworkObjective:
    """Maps settings (n, 4) to minus the validation RMSE (n,), in the unit of the raw targets.

    Parameters
    ----------
    rows : training and validation data
    protocol : how networks are trained
    name : of the data; addresses the fixed streams
    generator : of weights and batch order where the protocol does not fix them; every evaluation takes from it
    """

    rows: Split
    protocol: Protocol
    name: str
    generator: np.random.Generator | None = None

    def __call__(self, points: Floats) -> Floats:
        """Train one network for every point, one after another, so that a value does not depend on its company."""
        return np.array([-self.loss(point) for point in points])

    def loss(self, point: Floats) -> float:
        """Validation RMSE after training with one setting."""
        if self.protocol.fixed:
            weights, order = (stream(WEIGHT_SEED, "network", part, self.name) for part in ("weights", "batches"))
        elif self.generator is None:
            raise CompanionError("the published objective is random and needs a generator")
        else:
            weights = order = self.generator
        rows, size = self.rows, len(self.rows.targets)
        nodes = self.protocol.nodes(float(point[0]))
        start = initial_weights(rows.inputs.shape[1], nodes, weights)
        network = Network(start, self.protocol.rectified)
        batches = (
            shuffled[begin : begin + BATCH]
            for shuffled in (order.permutation(size) for _ in range(self.protocol.epochs))
            for begin in range(0, size, BATCH)
        )
        rate, decay, momentum = (float(value) for value in point[1:])
        with np.errstate(over="ignore", invalid="ignore"):
            train(network, rows.inputs, rows.targets, batches, (rate, decay, momentum), self.protocol.root_loss)
            error = network.predict(rows.held_inputs) - rows.held_targets
            loss = math.sqrt(float(error @ error) / len(error)) if np.isfinite(error).all() else WORST_LOSS
        return min(loss, WORST_LOSS) * rows.scale


def network_problem(
    data: RegressionData,
    reading: str,
    optimum: float,
    noise_sd: float,
    generator: np.random.Generator | None = None,
    certified: str = "",
) -> BoxProblem:
    """The tuning problem, as a maximisation of minus the validation RMSE.

    Parameters
    ----------
    data : see :func:`~companion.problems.datasets.regression_data`
    reading : ``"text"`` or ``"code"``, see :data:`PROTOCOLS`
    optimum : the value regret is measured against, minus the smallest loss known
    noise_sd : of the observations, in the unit of the targets
    generator : for ``"code"``, whose objective is random
    certified : how the optimum is known

    Raises
    ------
    ParameterError
        for another reading, or a missing generator
    """
    if reading not in PROTOCOLS:
        raise ParameterError("reading", f"got {reading!r}", "'text' or 'code'")
    protocol = PROTOCOLS[reading]
    if not protocol.fixed and generator is None:
        raise ParameterError("generator", "is missing", "a generator: the published objective is random")
    objective = NetworkObjective(split(data, reading), protocol, data.name, generator)
    source = f"tuning of a regression network; {data.remark}"
    low, high = np.array(protocol.low), np.array(protocol.high)
    return BoxProblem(f"network-{data.name}", low, high, objective, optimum, noise_sd, source, None, certified)
