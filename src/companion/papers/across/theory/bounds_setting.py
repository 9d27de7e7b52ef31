"""The setting that bounds are asked for: checked, with its candidates, kernel and game."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from companion.bounds.bound import BoundSetting, KernelUsed
from companion.core.arrays import Floats
from companion.core.errors import ParameterError, nearest, positive_number, whole_number
from companion.core.tables import read_table
from companion.gp._validation import NOISE_FLOOR
from companion.gp.candidates import looks_like_covariance, points_of, scales_for
from companion.gp.kernels import Kernel, kernel_by_name, kernel_name
from companion.gp.matrix import KernelMatrix
from companion.gp.sampling import grid
from companion.information.box import MAX_DIM, UnitBox
from companion.information.gain import check_covariance
from companion.information.gain_bounds import MAX_CANDIDATES, MAX_HORIZON
from companion.information.large_sets import MAX_CANDIDATES as MANY
from companion.papers.across.problems import common
from companion.papers.across.theory.conventions import check_delta, refuse

SMOOTHNESS = {"se": math.inf, "matern12": 0.5, "matern32": 1.5, "matern52": 2.5}


def _number(
    name: str, low: float, high: float = math.inf, *, open_low: bool = False, optional: bool = False
) -> Callable[[Any], float | None]:
    def check(value: Any) -> float | None:
        if value is None and optional:
            return None
        number = _real(name, value)
        if not low <= number <= high or (open_low and number == low):
            ends = f"above {low:g}" if open_low else f"of at least {low:g}"
            raise ParameterError(
                name, f"got {value!r}", f"a number {ends}" + ("" if high == math.inf else f", at most {high:g}")
            )
        return number

    return check


def _real(name: str, value: Any) -> float:
    if isinstance(value, bool | str | bytes) or np.ndim(value):
        raise ParameterError(name, f"got {value!r}", "one number")
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ParameterError(name, f"got {value!r}", "one number") from None
    if not math.isfinite(number):
        raise ParameterError(name, f"got {value!r}", "a finite number")
    return number


def _whole(name: str, low: int, high: int | None = None) -> Callable[[Any], int | None]:
    return lambda value: None if value is None else whole_number(name, value, low, high)


_CHECKS: Mapping[str, Callable[[Any], Any]] = {
    "noise_sd": lambda value: positive_number("noise_sd", _real("noise_sd", value)),
    "horizon": _whole("horizon", 1, MAX_HORIZON),
    "delta": lambda value: _real("delta", value),
    "norm": _number("norm", 0.0, open_low=True, optional=True),
    "batch": _whole("batch", 1),
    "batches": _whole("batches", 2),
    "initial": _whole("initial", 0),
    "alpha": _number("alpha", 0.0),
    "ratio": _number("ratio", 0.0, 1.0, open_low=True),
    "regulariser": _number("regulariser", 0.0, open_low=True, optional=True),
    "radius": _number("radius", 0.0),
    "lipschitz": _number("lipschitz", 0.0, optional=True),
    "realised_gain": _number("realised_gain", 0.0, optional=True),
    "actions": _whole("actions", 2),
    "contexts": _whole("contexts", 1),
    "parts": _whole("parts", 1),
    "agents": _whole("agents", 1),
    "farthest": _whole("farthest", 1, MAX_HORIZON),
}
#: Optional keys of a setting besides the candidates, and their defaults.
DEFAULTS: Mapping[str, Any] = {
    "delta": common.DELTA,
    "norm": None,
    "batch": BoundSetting.batch,
    "batches": None,
    "initial": 0,
    "alpha": BoundSetting.alpha,
    "ratio": BoundSetting.ratio,
    "regulariser": None,
    "radius": BoundSetting.radius,
    "lipschitz": None,
    "realised_gain": None,
    "actions": None,
    "contexts": 1,
    "parts": None,
    "agents": None,
    "farthest": None,
}
PLACE = ("kernel", "lengthscale", "dim", "points", "candidates", "covariance", "domain")
#: All arguments of a setting.
NAMES = (*PLACE, "noise_sd", "horizon", *DEFAULTS)


@dataclass(frozen=True, eq=False)
class Conditions:
    """A setting whose every argument has been checked.

    Parameters
    ----------
    covariance : (N, N) prior covariance of the candidates; above 8,000 of them not formed, with the same ``diagonal()``; of a
        box its kernel
    kernel : where the covariance comes from one
    place : how the candidates were given, for people and records
    values : ``noise``, ``horizon`` and :data:`DEFAULTS`, each checked; the regulariser is the noise variance by default
    """

    covariance: Floats | KernelMatrix | UnitBox
    kernel: KernelUsed | None
    place: Mapping[str, Any]
    values: Mapping[str, Any]

    @classmethod
    def of(cls, arguments: Mapping[str, Any]) -> Conditions:
        """The setting with these arguments, those of :data:`NAMES`; ``None`` counts as not given.

        ``noise`` is another name of ``noise_sd``: that of chapters and stored settings.

        Raises
        ------
        ParameterError
            for an argument that is unknown, in another convention, out of range, missing, or against another one
        """
        given = {name: value for name, value in arguments.items() if value is not None}
        if "noise" in given:
            if "noise_sd" in given:
                raise ParameterError("noise", "is given beside noise_sd", "one of the two")
            given["noise_sd"] = given.pop("noise")
        for name in given:
            if name not in NAMES:
                raise refuse(name, NAMES)
        for name in ("noise_sd", "horizon"):
            if name not in given:
                what = "standard deviation of the noise" if name == "noise_sd" else "number of evaluations"
                raise ParameterError(name, "is missing", f"the {what}")
        values = {name: check(given.get(name, DEFAULTS.get(name))) for name, check in _CHECKS.items()}
        values = {"noise": values.pop("noise_sd"), **values}
        check_delta(values["delta"])
        _together(values)
        values["regulariser"] = values["regulariser"] or common.regulariser_of(values["noise"])
        values["farthest"] = max(values["farthest"] or 1, values["horizon"])
        covariance, kernel, place = _place(given)
        _enough_noise(values["noise"], float(covariance.diagonal().max()))
        return cls(covariance, kernel, place, values)

    @property
    def size(self) -> int | None:
        """N; None on a box."""
        return None if isinstance(self.covariance, UnitBox) else self.covariance.shape[0]

    def meta(self) -> dict[str, Any]:
        """Everything in JSON types."""
        return {**self.place, "size": self.size, **self.values}


def _enough_noise(noise: float, variance: float) -> None:
    least = math.sqrt(NOISE_FLOOR * variance)
    if noise < least:
        problem = f"got {noise:g}, too little beside the prior standard deviation {math.sqrt(variance):.4g} for float64"
        raise ParameterError("noise_sd", problem, f"at least {least:.2g}")


def _together(values: Mapping[str, Any]) -> None:
    if values["batch"] > values["horizon"]:
        problem = f"got {values['batch']}, more than all {values['horizon']} evaluations"
        raise ParameterError("batch", problem, "evaluations in a batch", "A number of batches is called batches")
    if values["batches"] is not None and values["batches"] > values["horizon"]:
        raise ParameterError("batches", f"got {values['batches']}", f"at most the {values['horizon']} evaluations")
    if values["initial"] >= values["horizon"]:
        raise ParameterError("initial", f"got {values['initial']}", f"fewer than the {values['horizon']} evaluations")
    if values["actions"] is None and values["agents"] is not None:
        raise ParameterError("actions", "is missing", "the number of actions of an agent, beside agents")


def _place(given: Mapping[str, Any]) -> tuple[Floats | KernelMatrix | UnitBox, KernelUsed | None, dict[str, Any]]:
    ways = [name for name in ("points", "candidates", "covariance") if name in given]
    if (domain := given.get("domain", "grid")) == "box":
        return _box(given, ways)
    if domain != "grid":
        raise ParameterError("domain", f"got {domain!r}", "grid or box", nearest(str(domain), ("grid", "box")))
    if len(ways) != 1:
        problem = "not given" if not ways else f"are given together: {', '.join(ways)}"
        raise ParameterError(
            "candidates",
            problem,
            "dim and points for a grid, candidates, or covariance: one of the three",
            "Or domain box",
        )
    if ways == ["covariance"]:
        for name in ("kernel", "lengthscale", "dim"):
            if name in given:
                raise ParameterError(name, "is given beside covariance", "one of the two: a covariance needs no kernel")
        matrix = check_covariance(read_table(given["covariance"], "covariance").numbers)
        _few(len(matrix), MAX_CANDIDATES)
        return matrix, None, {"covariance": "given"}
    _kernel_given(given)
    points, place = _points(given, ways[0])
    kernel, used, shown = _kernel(given, points.shape[1], float(np.ptp(points, axis=0).max()))
    _few(len(points), MANY)
    few = len(points) <= MAX_CANDIDATES
    return np.asarray(kernel(points)) if few else KernelMatrix(kernel, points), used, {**shown, **place}


def _box(given: Mapping[str, Any], ways: list[str]) -> tuple[UnitBox, KernelUsed, dict[str, Any]]:
    if ways:
        raise ParameterError(ways[0], "is given beside a box", "one of the two: a box is all its points")
    _kernel_given(given)
    if "dim" not in given and np.size(given["lengthscale"]) == 1:
        raise ParameterError("dim", "is missing", "the number of coordinates of the box")
    dim = whole_number("dim", given.get("dim", np.size(given["lengthscale"])), 1, MAX_DIM)
    kernel, used, shown = _kernel(given, dim)
    return UnitBox(kernel, dim), used, {**shown, "dim": dim, "domain": "box"}


def _kernel_given(given: Mapping[str, Any]) -> None:
    for name in ("kernel", "lengthscale"):
        if name not in given:
            raise ParameterError(name, "is missing", "kernel and lengthscale, or a covariance")


def _kernel(
    given: Mapping[str, Any], dim: int, side: float = KernelUsed.side
) -> tuple[Kernel, KernelUsed, dict[str, Any]]:
    """The kernel, its properties used by bounds, and its entries for display."""
    name, scales = kernel_name(given["kernel"]), scales_for(given["lengthscale"], dim)
    shown = list(scales) if isinstance(scales, tuple) else scales
    used = KernelUsed(name, SMOOTHNESS[name], float(np.min(scales)), dim, side)
    return kernel_by_name(name, scales), used, {"kernel": name, "lengthscale": shown}


def _points(given: Mapping[str, Any], way: str) -> tuple[Floats, dict[str, Any]]:
    if way == "points":
        per_axis, dim = whole_number("points", given["points"], 2), whole_number("dim", given.get("dim", 1), 1, 20)
        if dim * math.log(per_axis) > math.log(MANY) + 1e-9:
            fitting = int((MANY + 0.5) ** (1 / dim))
            problem = f"{per_axis} an axis in dimension {dim} are {per_axis**dim:,} grid points"
            raise ParameterError("points", problem, f"at most {MANY:,} in all, {fitting} an axis")
        return grid(per_axis, dim), {"dim": dim, "points": per_axis}
    table = read_table(given["candidates"], "candidates")
    points = points_of(table.numbers)
    if looks_like_covariance(points):
        raise ParameterError(
            "candidates", "are a symmetric matrix like a covariance", "points (N, d)", "Give it as covariance"
        )
    if given.get("dim", points.shape[1]) != points.shape[1]:
        raise ParameterError("dim", f"got {given['dim']}", f"{points.shape[1]}, the columns of candidates, or nothing")
    named = {"coordinates": list(table.coordinates)} if table.coordinates else {}
    return points, {"dim": points.shape[1], "candidates": "given", **named}


def _few(size: int, most: int) -> None:
    if size > most:
        raise ParameterError("candidates", f"are {size:,}", f"at most {most:,}")
