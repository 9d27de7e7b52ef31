"""Policies can be pickled: to go on in another process, or to be copied between two calls.

Some policies hold a function that was made inside another one, which cannot be pickled as it is: it is written as the name of
that other function and the values it remembers. The rules stand here and not in the classes because they cannot change a number.

Unpickling runs what the file says, and needs the code that pickled. Read pickles of your own only; for files that are kept or
passed on there is :mod:`companion.policies.session_files`, whose files are data.
"""

from __future__ import annotations

import copyreg
import importlib
import pickle
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from types import CellType, CodeType, FunctionType
from typing import Any

_INSIDE = ".<locals>."


@dataclass(frozen=True)
class _Inner:
    """A function that was made inside a function of the package.

    Parameters
    ----------
    module, name : where, with the names of all functions around it
    place : its number among those of this name, as several lambdas share one
    check : of its code
    defaults : of its arguments
    remembered : values of the names that it takes from around it
    """

    module: str
    name: str
    place: int
    check: int
    defaults: tuple[Any, ...] | None
    remembered: tuple[Any, ...]

    @classmethod
    def of(cls, function: FunctionType) -> _Inner:
        """Source form of ``function``."""
        found = list(_codes(function.__module__, function.__qualname__))
        place = found.index(function.__code__)
        cells = tuple(cell.cell_contents for cell in function.__closure__ or ())
        check = zlib.crc32(function.__code__.co_code)
        return cls(function.__module__, function.__qualname__, place, check, function.__defaults__, cells)

    def function(self) -> FunctionType:
        """The function again."""
        found = list(_codes(self.module, self.name))
        if self.place >= len(found) or zlib.crc32(found[self.place].co_code) != self.check:
            raise pickle.UnpicklingError(f"{self.module}.{self.name}: this pickle was made by other code")
        names = vars(importlib.import_module(self.module))
        cells = tuple(CellType(value) for value in self.remembered)
        made = FunctionType(found[self.place], names, self.name.rpartition(".")[2], self.defaults, cells)
        made.__module__, made.__qualname__ = self.module, self.name
        return made


def _codes(module: str, name: str) -> Iterator[CodeType]:
    """Code of the functions called ``name`` (``outer.<locals>.inner``), in the order in which they stand there."""
    found: Any = importlib.import_module(module)
    for step in name.partition(_INSIDE)[0].split("."):
        found = getattr(found, step, None)
    waiting = [found.__code__] if isinstance(found, FunctionType) else []
    while waiting:
        code = waiting.pop(0)
        inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
        yield from (constant for constant in inner if constant.co_qualname == name)
        waiting += inner


def share(kind: type, **instead: Any) -> None:
    """Let objects of exactly this class be pickled, with the functions among their attributes.

    Parameters
    ----------
    kind : a class whose objects keep everything in their attributes
    instead : attributes that are not kept, and what a restored object has in their place
    """

    copyreg.pickle(kind, partial(_reduced, instead))


def _reduced(instead: dict[str, Any], made: Any) -> tuple[Any, ...]:
    state = {**vars(made), **instead}
    inner = {name: _Inner.of(value) for name, value in state.items() if _is_inner(value)}
    return _restored, (type(made), {**state, **inner})


def _is_inner(value: Any) -> bool:
    return (
        isinstance(value, FunctionType) and _INSIDE in value.__qualname__ and value.__module__.startswith("companion.")
    )


def _restored(kind: type, state: dict[str, Any]) -> Any:
    made: Any = object.__new__(kind)
    vars(made).update({name: value.function() if isinstance(value, _Inner) else value for name, value in state.items()})
    return made
