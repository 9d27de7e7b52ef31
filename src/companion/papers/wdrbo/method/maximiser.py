"""Maximising an acquisition function over the unit cube: the same for every method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from companion.core.arrays import Floats
from companion.core.errors import whole_number
from companion.gp.optimise import Adam
from companion.papers.wdrbo.method.acquisitions import Acquisition

#: Number of the best points on a line that are looked through for peaks.
_LINE_ROWS = 24
_GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0


class Maximiser(Protocol):
    """Finds the decision to evaluate next."""

    def __call__(self, acquisition: Acquisition, dim: int, generator: np.random.Generator) -> tuple[Floats, float]:
        """A point (d_x,) of the unit cube and the acquisition value there."""
        ...


@dataclass(frozen=True)
class GridAndAscent:
    """Raw points, then local searches from the best of them; the best of everything evaluated is returned.

    One coordinate: ``line`` equally spaced points and golden sections around the best ``starts`` local maxima. More:
    ``raw`` scrambled Sobol points and L-BFGS-B on the sum over the best ``starts`` of them, with exact gradients.

    Parameters
    ----------
    line, raw, starts : numbers of points; the spacing on a line is a sixth of the smallest length-scale
    sections : golden sections; 16 shrink two spacings to 4e-6
    iterations : limit of L-BFGS-B
    """

    line: int = 257
    raw: int = 1024
    starts: int = 3
    sections: int = 16
    iterations: int = 40

    def __post_init__(self) -> None:
        for name in ("line", "raw", "starts", "sections", "iterations"):
            whole_number(name, getattr(self, name), 3 if name == "line" else 1)

    def __call__(self, acquisition: Acquisition, dim: int, generator: np.random.Generator) -> tuple[Floats, float]:
        """A point (d_x,) of the unit cube and the acquisition value there."""
        if dim == 1:
            return self._on_line(acquisition)
        x = sobol(generator, self.raw, dim)
        values = acquisition.screen(x, self.starts)
        first = np.argsort(-values, kind="stable")[: self.starts]
        return self._ascend(acquisition, x[first], values[first])

    def _on_line(self, acquisition: Acquisition) -> tuple[Floats, float]:
        x = np.linspace(0.0, 1.0, self.line)
        values = acquisition.screen(x[:, None], _LINE_ROWS)
        padded = np.concatenate([[-np.inf], values, [-np.inf]])
        # Bounds stand below the best rows only, so what is a peak among these is one of the function on the line.
        least = np.sort(values)[-min(_LINE_ROWS, self.line)]
        peaks = np.flatnonzero((values >= padded[:-2]) & (values >= padded[2:]) & (values >= least))
        peaks = peaks[np.argsort(-values[peaks], kind="stable")[: self.starts]]
        best, value = x[peaks[0]], values[peaks[0]]
        low, high = x[np.maximum(peaks - 1, 0)], x[np.minimum(peaks + 1, self.line - 1)]
        inner = [high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)]
        found = list(np.split(acquisition(np.concatenate(inner)[:, None]), 2))
        for step in range(self.sections):
            for point, height in zip(inner, found, strict=True):
                top = int(height.argmax())
                if height[top] > value:
                    best, value = point[top], height[top]
            if step == self.sections - 1:
                break
            left = found[0] >= found[1]
            low, high = np.where(left, low, inner[0]), np.where(left, inner[1], high)
            fresh = np.where(left, high - _GOLDEN * (high - low), low + _GOLDEN * (high - low))
            kept, height = np.where(left, inner[0], inner[1]), np.where(left, found[0], found[1])
            at = acquisition(fresh[:, None])
            inner = [np.where(left, fresh, kept), np.where(left, kept, fresh)]
            found = [np.where(left, at, height), np.where(left, height, at)]
        return np.array([best]), float(value)

    def _ascend(self, acquisition: Acquisition, x: Floats, values: Floats) -> tuple[Floats, float]:
        best = {"x": x[0], "value": float(values[0])}

        def loss(flat: Floats) -> tuple[float, Floats]:
            points = np.clip(flat.reshape(x.shape), 0.0, 1.0)
            height, gradient = acquisition.with_gradient(points)
            top = int(height.argmax())
            if height[top] > best["value"]:
                best["x"], best["value"] = points[top].copy(), float(height[top])
            return -float(height.sum()), -gradient.ravel()

        options = {"maxiter": self.iterations, "maxfun": 2 * self.iterations}
        minimize(loss, x.ravel(), jac=True, method="L-BFGS-B", bounds=[(0.0, 1.0)] * x.size, options=options)
        return np.array(best["x"]), float(best["value"])


@dataclass(frozen=True)
class PublishedAdam:
    """The published code's search: starts drawn by their values, Adam on all together, the best last iterate.

    ``raw`` scrambled Sobol points; ``starts`` of them without replacement with weights exp(z-score), the best forced in;
    Adam at rate ``rate`` on the sum, evaluated at points clamped to the box while the iterates are not clamped; from
    the 11th evaluation on it stops once the average loss of the last ten, with weights proportional to exp of ten
    equally spaced numbers from -1 to 0, falls by less than 1e-5 relatively. Nothing compares the end with the start.
    """

    raw: int = 1024
    starts: int = 10
    rate: float = 0.025
    limit: int = 10_000

    def __call__(self, acquisition: Acquisition, dim: int, generator: np.random.Generator) -> tuple[Floats, float]:
        """A point (d_x,) of the unit cube and the acquisition value there."""
        raw = sobol(generator, self.raw, dim)
        values = acquisition(raw)
        x = raw[self._draw(values, generator)]
        moments, decay = Adam(x), np.exp(np.linspace(-1.0, 0.0, 10))
        losses: list[float] = []
        for _ in range(self.limit):
            inside = np.clip(x, 0.0, 1.0)
            height, gradient = acquisition.with_gradient(inside)
            losses.append(-float(height.sum()))
            if self._stalled(losses, decay / decay.sum()):
                break
            slope = np.where((x >= 0.0) & (x <= 1.0), -gradient, 0.0)
            x = x - moments.step(slope, self.rate)
        last = np.clip(x, 0.0, 1.0)
        ends = acquisition(last)
        return last[int(ends.argmax())], float(ends.max())

    def _draw(self, values: Floats, generator: np.random.Generator) -> NDArray[np.int64]:
        spread = float(values.std(ddof=1))
        score = (values - values.mean()) / spread if spread > 0 else np.zeros_like(values)
        weights = np.exp(score - score.max())
        chosen = generator.choice(len(values), self.starts, replace=False, p=weights / weights.sum())
        best = int(values.argmax())
        if best not in chosen:
            chosen[-1] = best
        return chosen

    @staticmethod
    def _stalled(losses: list[float], weights: Floats) -> bool:
        if len(losses) < 11:
            return False
        before, now = np.dot(losses[-11:-1], weights), np.dot(losses[-10:], weights)
        return bool((before - now) / max(abs(before), 1e-300) < 1e-5)


def sobol(generator: np.random.Generator, count: int, dim: int) -> Floats:
    """The first ``count`` points of a scrambled Sobol sequence in the unit cube, (count, dim)."""
    from scipy.stats import qmc  # a third of a second, which naming what can be run need not cost

    engine = qmc.Sobol(dim, scramble=True, rng=generator)
    # Drawn up to a power of two, which is what the sequence balances, and cut.
    return engine.random_base2(max(0, int(count - 1).bit_length()))[:count]
