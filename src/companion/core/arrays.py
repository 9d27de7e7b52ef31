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

    Examples
    --------
    >>> import numpy as np
    >>> from companion.core.arrays import floats_of
    >>> from companion.core.errors import ParameterError
    >>> try:
    ...     floats_of("points", np.array(["2026-01-31"], dtype="datetime64[D]"))
    ... except ParameterError as error:
    ...     print(error)
    points: are dates; expected an array of numbers
    """
    kinds = {"M": "dates", "m": "durations", "c": "complex numbers"}
    try:
        given = np.asarray(values.detach() if hasattr(values, "detach") else values)
        if given.dtype.kind in kinds:
            raise ParameterError(name, f"are {kinds[given.dtype.kind]}", expected)
        array: Floats = np.array(given, dtype=np.float64)
    except (TypeError, ValueError, RuntimeError) as error:
        if isinstance(error, ParameterError):
            raise
        raise ParameterError(name, "do not convert to numbers", expected) from None
    if not np.isfinite(array).all():
        raise ParameterError(name, "contain NaN or infinity", "finite numbers")
    return array
