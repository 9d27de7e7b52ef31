"""Values that cross the border between a student's process and the grader, as JSON: never as pickles.

Used on both sides: a copy of this file lies beside the worker, which has no companion. Plain numbers, strings, booleans,
None, lists, dicts with string keys and NumPy arrays of real numbers cross; everything else is refused where it is.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

#: An array is sent as one of these kinds, by the letter of its NumPy kind; the wider one of each is what arrives.
ARRAYS = {"b": "bool", "i": "int64", "u": "int64", "f": "float64"}
DEEPEST = 20
#: Entries of an array, where an empty axis counts as one: a shape of (10**9, 0) is a billion lists.
MOST_ENTRIES = 10**6
#: Python itself refuses to read longer ones.
LARGEST_INTEGER = 10**4000


class NotPlainError(TypeError):
    """A value that has no plain form."""


def pack(value: Any, depth: int = 0) -> Any:
    """``value`` as what JSON can say.

    Raises
    ------
    NotPlainError
        for any other type, anything nested too deeply, or an integer too long to be read again
    """
    if depth > DEEPEST:
        raise NotPlainError(f"it is nested more than {DEEPEST} deep")
    kind = type(value)
    if value is None or kind in (bool, str, float):
        return value
    if kind is int:
        if abs(value) >= LARGEST_INTEGER:
            raise NotPlainError("an integer of more than 4000 digits")
        return value
    if kind is np.longdouble:  # its own item() is itself
        return float(value)
    if isinstance(value, np.generic) and value.dtype.kind in ARRAYS:
        return pack(value.item(), depth + 1)
    if kind is np.ndarray and value.dtype.kind in ARRAYS:
        _of_bounded_shape(value.shape)
        if value.dtype.type is np.longdouble:
            value = value.astype(np.float64)
        return {"array": value.ravel().tolist(), "shape": list(value.shape), "type": ARRAYS[value.dtype.kind]}
    if kind in (list, tuple):
        return [pack(item, depth + 1) for item in value]
    if kind is dict and all(type(name) is str for name in value):
        return {"dict": {name: pack(item, depth + 1) for name, item in value.items()}}
    raise NotPlainError(f"a {kind.__name__} is no plain number, string, list, dict or array of real numbers")


def unpack(value: Any, depth: int = 0) -> Any:
    """Inverse of :func:`pack`; any other JSON is refused.

    Raises
    ------
    NotPlainError
        for an object that :func:`pack` does not make, or one nested more deeply
    """
    if depth > DEEPEST:
        raise NotPlainError(f"it is nested more than {DEEPEST} deep")
    if isinstance(value, list):
        return [unpack(item, depth + 1) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"dict"} and isinstance(value["dict"], dict):
        return {str(name): unpack(item, depth + 1) for name, item in value["dict"].items()}
    try:
        if set(value) == {"array", "shape", "type"} and value["type"] in ARRAYS.values():
            flat = value["array"]
            _of_bounded_shape([int(size) for size in value["shape"]])
            if all(isinstance(item, int | float) for item in flat):
                return np.array(flat, dtype=value["type"]).reshape([int(size) for size in value["shape"]])
    except (TypeError, ValueError, OverflowError) as error:
        raise NotPlainError(f"a damaged array: {type(error).__name__}") from None
    raise NotPlainError("an object that is neither dict nor array")


def _of_bounded_shape(shape: Sequence[int]) -> None:
    if len(shape) > DEEPEST or math.prod(size or 1 for size in shape) > MOST_ENTRIES:
        raise NotPlainError("an array of more than a million entries, or of more than 20 axes")


def line(message: Any) -> bytes:
    """One message as a line of JSON."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"
