"""The inner problem: the smallest expected value over a ball of distributions, solved exactly for many rows at once.

Given values u in R^m of a function on a support s_1..s_m and a centre p in the simplex, find min q.u over the
distributions q of a ball around p. Every solver takes many rows of values, with support, centre and radius in common,
and returns the value, a worst distribution and a dual value that certifies it.

Total variation is a closed form (sorting); Wasserstein is a concave, piecewise linear dual in one variable, climbed
along its supporting lines. The ball in maximum mean discrepancy has a module of its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from companion.core.arrays import Floats, Indices
from companion.core.errors import CompanionError, ParameterError, non_negative

#: The dual of the Wasserstein problem is climbed until its certified gap is this small, relative to the range of u.
_LINE_TOLERANCE = 1e-12
#: Every pass finds a linear piece that was not known before; more passes than this mean a defect.
_MOST_PASSES = 500
#: Atom-support pairs handled at once where no order of the support helps (64 MB of numbers).
_PAIRS = 8_000_000


@dataclass(frozen=True, eq=False)
class WorstCase:
    """Solutions of B inner problems.

    Parameters
    ----------
    value : (B,) value of the returned distribution, an upper bound of the minimum
    weights : (B, m) the distribution itself
    lower : (B,) value of a dual feasible point, a lower bound of the minimum
    outside : (B,) mass that sits outside the support, on the floor (total variation only; otherwise zero)
    """

    value: Floats
    weights: Floats
    lower: Floats
    outside: Floats

    @property
    def gap(self) -> Floats:
        """value - lower, shape (B,): how far the value may lie above the minimum, up to rounding."""
        return self.value - self.lower


def total_variation(values: ArrayLike, centre: ArrayLike, radius: float, floor: ArrayLike | None = None) -> WorstCase:
    """min q.u over the simplex with |q - p|_1 <= delta (a total-variation distance of delta / 2).

    Mass delta / 2 is taken from the largest values and put on the smallest one, or on a floor u_min outside the support.
    With tau the last value touched, the certificate is the dual value p.min(u, tau) - delta/2 (tau - u_min); every tau
    of at least u_min gives a lower bound.

    Parameters
    ----------
    values : (B, m) or (m,) values u
    centre : (m,) weights p, non-negative, sum 1
    radius : delta >= 0; from 2 on, everything may move
    floor : (B,) value u_min where removed mass goes, at most the smallest value of its row; by default that value itself

    Raises
    ------
    ParameterError
        if a size, a weight, the radius or the floor is impossible
    """
    u, p, delta = _checked(values, centre, radius)
    delta = min(delta, 2.0)
    inside = floor is None
    least = u.min(axis=1) if floor is None else np.broadcast_to(np.asarray(floor, dtype=np.float64), len(u))
    if not (least <= u.min(axis=1)).all():
        raise ParameterError("floor", "lies above a value of its row", "at most the smallest value")
    order = np.argsort(-u, axis=1, kind="stable")
    mass = p[order]
    above = np.cumsum(mass, axis=1) - mass
    taken = np.clip(delta / 2 - above, 0.0, mass)
    removed = np.zeros_like(u)
    np.put_along_axis(removed, order, taken, axis=1)
    weights = p - removed
    total = removed.sum(axis=1)
    if inside:
        weights[np.arange(len(u)), u.argmin(axis=1)] += total
    outside = np.zeros(len(u)) if inside else total
    touched = np.where(taken > 0, np.take_along_axis(u, order, axis=1), np.inf).min(axis=1)
    tau = np.where(np.isfinite(touched), touched, u.max(axis=1))
    # With all mass on the floor, tau = u_min is the dual solution.
    tau = np.where(delta / 2 >= 1.0, least, tau)
    lower = np.minimum(u, tau[:, None]) @ p - delta / 2 * (tau - least)
    value = np.sum(weights * u, axis=1) + outside * least
    return WorstCase(value, weights, lower, outside)


def wasserstein(values: ArrayLike, support: ArrayLike, centre: ArrayLike, radius: float) -> WorstCase:
    """min q.u over distributions on the support with W_1(q, p) <= epsilon; Euclidean ground distance.

    The dual is max over lambda >= 0 of g(lambda) = -lambda epsilon + sum_j p_j min_i (u_i + lambda |s_i - s_j|),
    concave and piecewise linear. Each lambda assigns every atom a target and so gives a supporting line a + lambda
    (k - epsilon), a the value and k the cost of the assignment. Two lines that enclose the maximum are intersected and
    replaced until the intersection lies on g; mixing their assignments to a cost of exactly epsilon gives q.

    Parameters
    ----------
    values : (B, m) or (m,) values u
    support : (m, d_c) or (m,) points s; the atoms of the centre are among them
    centre : (m,) weights p on the support, zero where there is no atom
    radius : epsilon >= 0, in units of the support

    Raises
    ------
    ParameterError
        if sizes, weights or the radius are impossible
    CompanionError
        if the certificate is not reached (a defect)
    """
    u, p, epsilon = _checked(values, centre, radius)
    points = np.asarray(support, dtype=np.float64)
    points = points[:, None] if points.ndim == 1 else points
    if points.ndim != 2 or len(points) != u.shape[1] or not np.isfinite(points).all():
        raise ParameterError("support", f"has shape {points.shape}", f"({u.shape[1]}, d_c) finite numbers")
    transport = _Transport(u, points, p)
    return _climb(transport, epsilon)


@dataclass(frozen=True, eq=False)
class _Lines:
    """One supporting line per row: value, cost and the target of every atom."""

    value: Floats
    cost: Floats
    target: Indices


class _Transport:
    """Assignments of atoms to support points at given multipliers."""

    def __init__(self, u: Floats, points: Floats, p: Floats) -> None:
        # Equal support points are sorted by index, which keeps every choice below deterministic.
        self.order = np.argsort(points[:, 0], kind="stable") if points.shape[1] == 1 else np.arange(len(points))
        self.u = u[:, self.order]
        self.points = points[self.order]
        weights = p[self.order]
        self.atoms = np.flatnonzero(weights > 0)
        self.p = weights[self.atoms]
        self.line = self.points[:, 0] if points.shape[1] == 1 else None
        self.distance = np.zeros((0, 0))
        if self.line is None:
            self.distance = np.linalg.norm(self.points[self.atoms][:, None, :] - self.points[None, :, :], axis=2)

    def stay(self) -> _Lines:
        target = np.broadcast_to(self.atoms, (len(self.u), len(self.atoms)))
        value = self.u[:, self.atoms] @ self.p
        return _Lines(value, np.zeros(len(self.u)), target)

    def nearest_minimum(self) -> _Lines:
        """Every atom goes to the nearest global minimiser of its row."""
        masked = np.where(self.u == self.u.min(axis=1, keepdims=True), 0.0, np.inf)
        return self._assign(np.arange(len(self.u)), masked, np.ones(len(self.u)))

    def at(self, rows: Indices, multiplier: Floats) -> _Lines:
        return self._assign(rows, self.u[rows], multiplier)

    def _assign(self, rows: Indices, cost: Floats, multiplier: Floats) -> _Lines:
        if self.line is not None:
            target = self._assign_on_line(cost, multiplier)
            moved = np.abs(self.line[target] - self.line[self.atoms])
        else:
            target = self._assign_by_distance(cost, multiplier)
            moved = self.distance[np.arange(len(self.atoms)), target]
        return _Lines(np.take_along_axis(self.u[rows], target, axis=1) @ self.p, moved @ self.p, target)

    def _assign_on_line(self, cost: Floats, multiplier: Floats) -> Indices:
        """min_i u_i + lambda |s_i - s| by two running minima: u - lambda s from the left, u + lambda s from the right."""
        assert self.line is not None
        slope = multiplier[:, None] * self.line
        left_value, left_index = _running_minimum(cost - slope)
        right_value, right_index = _running_minimum((cost + slope)[:, ::-1])
        right_value, right_index = right_value[:, ::-1], cost.shape[1] - 1 - right_index[:, ::-1]
        atom_slope = slope[:, self.atoms]
        go_left = left_value[:, self.atoms] + atom_slope <= right_value[:, self.atoms] - atom_slope
        return np.where(go_left, left_index[:, self.atoms], right_index[:, self.atoms])

    def _assign_by_distance(self, cost: Floats, multiplier: Floats) -> Indices:
        target = np.empty((len(cost), len(self.atoms)), dtype=np.intp)
        step = max(1, _PAIRS // self.distance.size)
        for start in range(0, len(cost), step):
            part = slice(start, start + step)
            target[part] = (cost[part, None, :] + multiplier[part, None, None] * self.distance).argmin(axis=2)
        return target

    def spread(self, target: Indices) -> Floats:
        """Weights (B, m) in the caller's order of an assignment."""
        rows, size = self.u.shape
        flat = (np.arange(rows)[:, None] * size + target).ravel()
        mass = np.bincount(flat, weights=np.tile(self.p, rows), minlength=rows * size).reshape(rows, size)
        weights = np.empty((rows, size))
        weights[:, self.order] = mass
        return weights


def _running_minimum(values: Floats) -> tuple[Floats, Indices]:
    """Minimum of values[:, :i+1] and where it is first attained, for every i."""
    running = np.minimum.accumulate(values, axis=1)
    fresh = np.ones(values.shape, dtype=bool)
    fresh[:, 1:] = running[:, 1:] < running[:, :-1]
    return running, np.maximum.accumulate(np.where(fresh, np.arange(values.shape[1]), 0), axis=1)


def _climb(transport: _Transport, epsilon: float) -> WorstCase:
    left, right = transport.nearest_minimum(), transport.stay()
    left_target, right_target = np.array(left.target), np.array(right.target)
    lowest = transport.u.min(axis=1)
    tolerance = _LINE_TOLERANCE * np.maximum(1.0, np.ptp(transport.u, axis=1))
    # Where the ball holds all nearest minimisers, or nothing but the centre, an end line is the solution.
    mix = np.where(left.cost <= epsilon, 1.0, 0.0)
    lower = np.where(left.cost <= epsilon, lowest, right.value)
    open_ = np.flatnonzero((left.cost > epsilon) & (epsilon > 0))
    al, kl, ar, kr = left.value.copy(), left.cost.copy(), right.value.copy(), right.cost.copy()
    for _ in range(_MOST_PASSES):
        if not open_.size:
            break
        multiplier = np.maximum((ar[open_] - al[open_]) / (kl[open_] - kr[open_]), 0.0)
        height = ar[open_] + multiplier * (kr[open_] - epsilon)
        new = transport.at(open_, multiplier)
        dual = new.value + multiplier * (new.cost - epsilon)
        lower[open_] = dual
        done = height - dual <= tolerance[open_]
        beyond, keep = ~done & (new.cost > epsilon), ~done & (new.cost <= epsilon)
        for side, a, k, targets in ((beyond, al, kl, left_target), (keep, ar, kr, right_target)):
            a[open_[side]], k[open_[side]] = new.value[side], new.cost[side]
            targets[open_[side]] = new.target[side]
        solved = open_[done]
        mix[solved] = (epsilon - kr[solved]) / (kl[solved] - kr[solved])
        open_ = open_[~done]
    if open_.size:
        raise CompanionError(f"the Wasserstein dual did not close its gap in {_MOST_PASSES} passes: a defect")
    share = mix[:, None]
    weights = share * transport.spread(left_target) + (1.0 - share) * transport.spread(right_target)
    value = mix * al + (1.0 - mix) * ar
    return WorstCase(value, weights, lower, np.zeros(len(value)))


def lipschitz_constant(values: ArrayLike, support: ArrayLike) -> Floats:
    """max over pairs of |u_i - u_k| / |s_i - s_k|, shape (B,): the exact constant of u on its finite support.

    In one dimension neighbouring points suffice. Pairs of equal points are left out, as their values agree.
    """
    u = np.atleast_2d(np.asarray(values, dtype=np.float64))
    points = np.asarray(support, dtype=np.float64)
    points = points[:, None] if points.ndim == 1 else points
    if points.shape[1] == 1:
        order = np.argsort(points[:, 0], kind="stable")
        gaps = np.diff(points[order, 0])
        apart = gaps > 0
        slopes = np.abs(np.diff(u[:, order], axis=1))[:, apart] / gaps[apart]
        return slopes.max(axis=1, initial=0.0)
    found = np.zeros(len(u))
    for i in range(len(points) - 1):
        distance = np.linalg.norm(points[i + 1 :] - points[i], axis=1)
        apart = distance > 0
        slopes = np.abs(u[:, i + 1 :] - u[:, [i]])[:, apart] / distance[apart]
        found = np.maximum(found, slopes.max(axis=1, initial=0.0))
    return found


def _checked(values: ArrayLike, centre: ArrayLike, radius: float) -> tuple[Floats, Floats, float]:
    u = np.atleast_2d(np.asarray(values, dtype=np.float64))
    p = np.asarray(centre, dtype=np.float64)
    if u.ndim != 2 or u.size == 0 or not np.isfinite(u).all():
        raise ParameterError("values", f"have shape {u.shape}", "(B, m) finite numbers, m >= 1")
    if p.shape != (u.shape[1],) or not (p >= 0).all() or not math.isclose(float(p.sum()), 1.0, abs_tol=1e-9):
        raise ParameterError("centre", f"has shape {p.shape}", f"({u.shape[1]},) non-negative weights of sum 1")
    return u, p, float(non_negative("radius", radius))
