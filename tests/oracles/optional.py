"""Libraries of extras: where one is not installed, the tests that use it are skipped, and no others of their module."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

import pytest


class _Skipping:
    """Base of classes of a test that derive from one of the library's."""

    def __init__(self, *arguments: object, **more: object) -> None:
        pytest.skip("a library is not installed")


class _Absent:
    """Stands for a library, and whatever it has; calling any of it skips the test."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> _Absent:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        return _Absent(f"{self._name}.{attribute}")

    def __call__(self, *arguments: object, **more: object) -> Any:
        pytest.skip(f"{self._name.partition('.')[0]} is not installed")

    def __mro_entries__(self, bases: tuple[object, ...]) -> tuple[type, ...]:
        return (_Skipping,)

    def __bool__(self) -> bool:
        return False


def optional(name: str, library: str = "") -> Any:
    """The module, or what stands for it where it, or the ``library`` that it needs, is not installed."""
    with warnings.catch_warnings():
        # linear_operator still calls torch.jit.script when imported, which torch has deprecated.
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if str(error.name).partition(".")[0] not in (name.partition(".")[0], *library.split()):
                raise
            return _Absent(library.split()[0] if library else name)
