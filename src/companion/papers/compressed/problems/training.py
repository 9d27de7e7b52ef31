r"""Multi-class logistic regression trained by plain stochastic gradient descent, and its tuning parameters.

Scores are :math:`xW+b`, the loss is the cross-entropy averaged over a batch, and a step is
:math:`W\leftarrow W-\eta(\nabla_W+\lambda W)`, the same for b. Inputs are dropped at random during training, and the kept
ones enlarged by 1/(1 - rate). Weights start at zero: the loss is convex, so the seed decides only about order and dropout.
The paper names the four hyper-parameters; ranges, epochs and split are the companion's.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from companion.core.errors import ParameterError
from companion.papers.compressed.problems.images import CLASSES, ImageData

EPOCHS = 5
AXES = ("log10 learning rate", "log2 batch size", "dropout rate", "log10 L2")
LOW, HIGH = (-3.0, 4.0, 0.0, -6.0), (0.0, 9.0, 0.5, -1.0)
#: Dropout is decided by random bytes, so its rate is a multiple of 1/256.
LEVELS = 256
#: Rows whose bytes are drawn at once; every batch size divides it.
CHUNK = 4096


@dataclass(frozen=True)
class Configuration:
    """Learning rate, batch size (a power of two), dropout rate of the inputs, constant of the L2 penalty."""

    rate: float
    batch_size: int
    dropout: float
    penalty: float


def configuration(point: ArrayLike) -> Configuration:
    """The configuration at a point of the unit cube, along :data:`AXES` from :data:`LOW` to :data:`HIGH`."""
    unit = np.asarray(point, dtype=np.float64)
    if unit.shape != (4,) or not ((unit >= 0) & (unit <= 1)).all():
        raise ParameterError("point", f"got {point!r}", "four numbers from 0 to 1")
    rate, size, dropout, penalty = np.asarray(LOW) + unit * (np.asarray(HIGH) - np.asarray(LOW))
    return Configuration(
        10.0 ** float(rate), 2 ** round(float(size)), round(float(dropout) * LEVELS) / LEVELS, 10.0 ** float(penalty)
    )


def train(
    chosen: Configuration, data: ImageData, generator: np.random.Generator, epochs: int = EPOCHS
) -> tuple[float, float]:
    """Accuracy on the validation images after training, and the CPU seconds that training and validation took."""
    began = time.thread_time()
    kind = data.images.dtype
    weights, offset = np.zeros((data.images.shape[1], CLASSES), kind), np.zeros(CLASSES, kind)
    targets = np.eye(CLASSES, dtype=kind)[data.labels]
    threshold = round(chosen.dropout * LEVELS)
    for _ in range(epochs):
        order = generator.permutation(len(data.images))
        for start in range(0, len(order), CHUNK):
            rows = order[start : start + CHUNK]
            kept = _kept(generator, (len(rows), data.images.shape[1]), threshold)
            for first in range(0, len(rows), chosen.batch_size):
                part = slice(first, first + chosen.batch_size)
                inputs = data.images[rows[part]]
                if kept is not None:
                    inputs *= kept[part]
                    inputs *= kind.type(LEVELS / (LEVELS - threshold))
                _step(weights, offset, inputs, targets[rows[part]], chosen)
    guessed = np.argmax(data.validation_images @ weights + offset, axis=1)
    return float(np.mean(guessed == data.validation_labels)), time.thread_time() - began


def _kept(generator: np.random.Generator, shape: tuple[int, int], threshold: int) -> NDArray[np.bool_] | None:
    """Mask of the inputs kept, each with probability 1 - threshold/256; the bytes are drawn in any case."""
    drawn = generator.integers(0, LEVELS, size=shape, dtype=np.uint8)
    return drawn >= threshold if threshold else None


def _step(
    weights: NDArray[Any], offset: NDArray[Any], inputs: NDArray[Any], targets: NDArray[Any], chosen: Configuration
) -> None:
    """One step, in place: the gradient of the mean cross-entropy is x'(softmax - target)/n."""
    scores = inputs @ weights
    scores += offset
    scores -= scores.max(axis=1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=1, keepdims=True)
    scores -= targets
    scores *= scores.dtype.type(chosen.rate / len(inputs))
    shrink = scores.dtype.type(1.0 - chosen.rate * chosen.penalty)
    weights *= shrink
    offset *= shrink
    weights -= inputs.T @ scores
    offset -= scores.sum(axis=0)
