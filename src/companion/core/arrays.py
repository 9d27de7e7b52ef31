"""Types of arrays, written once, and arrays of what a user gives."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.core.errors import ParameterError

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Indices = NDArray[np.intp]
Flags = NDArray[np.bool_]


def floats_of(name: str, values: Any, expected: str = "an array of numbers") -> Floats:
    """A float64 array of finite numbers, copied; tensors are taken without their gradient.

    Raises
    ------
    ParameterError
        for dates and complex numbers, which NumPy would make other numbers of, for what is no number, NaN and infinity
    """
    kinds = {"M": "dates", "m": "durations", "c": "complex numbers"}
    try:
        given = np.asarray(values.detach() if hasattr(values, "detach") else values)
        kind = kinds.get(given.dtype.kind)
        array: Floats = np.array([] if kind else given, dtype=np.float64)
    except (TypeError, ValueError, RuntimeError):
        raise ParameterError(name, "do not convert to numbers", expected) from None
    if kind:
        raise ParameterError(name, f"are {kind}", expected)
    if not np.isfinite(array).all():
        raise ParameterError(name, "contain NaN or infinity", "finite numbers")
    return array
