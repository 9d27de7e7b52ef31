"""Declared parameters: every value is checked before any work starts.

A :class:`ParameterSet` is the list of everything an experiment or a chapter lets its reader change. An experiment declares it
as the fields of a frozen dataclass (:meth:`ParameterSet.of`), whose objects its set-ups are given. It refuses unknown
names, wrong types (a bool is not an integer, a string is not a number), NaN and infinity, values outside the declared
range, empty lists and unknown choices, always with a message that names the parameter, what would be accepted, and the
nearest known name. Profiles, files of values held to the same declaration, are read by :mod:`companion.core.profile_files`.
"""

from __future__ import annotations

import math
import re
import reprlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

import numpy as np

from companion.core.errors import ParameterError, nearest

#: What a resolved parameter can be; ``None`` only where the declared default is ``None``.
Value = int | float | str | bool | list[int] | list[float] | list[str] | None

TYPES = ("int", "float", "str", "bool", "list[int]", "list[float]", "list[str]")

_NOUNS = {"int": "integer", "float": "number", "str": "string", "bool": "true or false"}


@dataclass(frozen=True)
class Parameter:
    """One adjustable value: its type, default, meaning, origin and allowed range.

    Parameters
    ----------
    name : a Python identifier
    type : one of :data:`TYPES`
    default : value used when none is given; ``None`` marks a parameter that may stay unset
    help : meaning and unit, one sentence; of a chapter's parameter empty, since its cell in the notebook says it
    source : where the default comes from (paper, section; or "ours")
    choices : allowed values, for strings and lists of strings (and integers where only a few make sense)
    low, high : ends of the allowed range, of each element for lists; ``None`` is no limit
    low_open, high_open : whether that end is excluded

    Raises
    ------
    ParameterError
        if the declaration contradicts itself, for example a default outside its own range

    Examples
    --------
    >>> from companion.core.parameters import Parameter
    >>> horizon = Parameter("horizon", "int", 100, "number of evaluations", "Sec. 5", low=1, high=1000)
    >>> horizon.check(20), horizon.parse("20"), horizon.range
    (20, 20, '[1, 1000]')
    >>> try:
    ...     horizon.check(0)
    ... except ValueError as error:
    ...     print(error)
    horizon: got 0, which is out of range; expected an integer in [1, 1000]
    """

    name: str
    type: str
    default: Any
    help: str
    source: str
    choices: tuple[Any, ...] | None = None
    low: float | None = None
    high: float | None = None
    low_open: bool = False
    high_open: bool = False

    def __post_init__(self) -> None:
        if not self.name.isidentifier():
            raise ParameterError(self.name, "is not a valid parameter name", "a Python identifier")
        if self.type not in TYPES:
            raise ParameterError(self.name, f"is declared with type {self.type!r}", f"one of {', '.join(TYPES)}")
        if self.choices is not None:
            object.__setattr__(self, "choices", tuple(self.choices))
        if isinstance(self.default, list):
            object.__setattr__(self, "default", tuple(self.default))
        self.check(self.default)

    @property
    def is_list(self) -> bool:
        """Whether the value is a list."""
        return self.type.startswith("list[")

    @property
    def item_type(self) -> str:
        """Type of the value, or of one element of a list."""
        return self.type[5:-1] if self.is_list else self.type

    @property
    def range(self) -> str:
        """Allowed range as text: ``[1, 1000]``, ``(0, 1)``, ``'se' or 'matern32'``; empty when there is no limit."""
        if self.choices is not None:
            return " or ".join(repr(choice) for choice in self.choices)
        if self.low is None and self.high is None:
            return ""
        left = ("(" if self.low_open else "[") + _end(self.low) if self.low is not None else "(-inf"
        right = _end(self.high) + (")" if self.high_open else "]") if self.high is not None else "inf)"
        return f"{left}, {right}"

    @property
    def expected(self) -> str:
        """Accepted values, as a phrase for error messages."""
        noun = _NOUNS[self.item_type]
        if self.choices is not None:
            text = f"one of {', '.join(repr(choice) for choice in self.choices)}"
            return f"a non-empty list, each {text}" if self.is_list else text
        if self.item_type == "bool":
            return noun
        article = "an" if noun[0] == "i" else "a"
        text = f"a non-empty list of {noun}s" if self.is_list else f"{article} {noun}"
        return f"{text} in {self.range}" if self.range else text

    def check(self, value: object) -> Value:
        """The value in its declared type, or :class:`ParameterError`."""
        if value is None and self.default is None:
            return None
        if not self.is_list:
            return self._check_item(value, "")
        if isinstance(value, np.ndarray):
            value = value.tolist()
        if not isinstance(value, list | tuple):
            raise self._refused(f"got {_shown(value)}, not a list")
        if not value:
            raise self._refused("is an empty list")
        return [self._check_item(item, f" at position {place}") for place, item in enumerate(value)]

    def parse(self, text: str) -> Value:
        """The value written as ``text`` on a command line; lists are comma-separated, with or without brackets."""
        if not self.is_list:
            return self.check(_from_text(text, self.item_type))
        inner = text.strip()
        if inner.startswith("[") and inner.endswith("]"):
            inner = inner[1:-1]
        items = [item.strip() for item in inner.split(",")] if inner.strip() else []
        return self.check([_from_text(item, self.item_type) for item in items])

    def _check_item(self, value: object, where: str) -> Any:
        converted = _convert(value, self.item_type)
        if converted is None:
            raise self._refused(f"got {_shown(value)}{where}")
        if isinstance(converted, float) and not math.isfinite(converted):
            raise self._refused(f"got {_shown(value)}{where}, which is not finite")
        if self.choices is not None and converted not in self.choices:
            text = [str(choice) for choice in self.choices]
            hint = nearest(converted, text) if isinstance(converted, str) else ""
            raise self._refused(f"got {_shown(value)}{where}", hint)
        if not self._in_range(converted):
            raise self._refused(f"got {_shown(value)}{where}, which is out of range")
        return converted

    def _in_range(self, value: Any) -> bool:
        if isinstance(value, str | bool):
            return True
        if self.low is not None and (value < self.low or (self.low_open and value == self.low)):
            return False
        return not (self.high is not None and (value > self.high or (self.high_open and value == self.high)))

    def _refused(self, problem: str, remedy: str = "") -> ParameterError:
        return ParameterError(self.name, problem, self.expected, remedy)


@dataclass(frozen=True)
class ParameterSet:
    """An ordered, closed set of parameters.

    Parameters
    ----------
    parameters : in the order in which they are listed
    kind : of what :meth:`typed` gives: a dictionary, or the dataclass whose fields these are

    Raises
    ------
    ParameterError
        if two parameters share a name

    Examples
    --------
    >>> from companion.core.parameters import Parameter, ParameterSet
    >>> known = ParameterSet(
    ...     [
    ...         Parameter("horizon", "int", 100, "number of evaluations", "Sec. 5", low=1),
    ...         Parameter("kernel", "str", "se", "prior covariance", "Sec. 5", choices=("se", "matern52")),
    ...     ]
    ... )
    >>> known.resolve({"horizon": 20})
    {'horizon': 20, 'kernel': 'se'}
    >>> known.parse(["kernel=matern52"]), known.check({"horizon": 5})
    ({'kernel': 'matern52'}, {'horizon': 5})
    >>> try:
    ...     known.resolve({"horizn": 20})
    ... except ValueError as error:
    ...     print(error)
    horizn: is not a known parameter; expected one of horizon, kernel. Did you mean 'horizon'?
    >>> known.plain(known.typed({"horizon": 20}))
    {'horizon': 20, 'kernel': 'se'}
    >>> [record["range"] for record in known.describe()]
    ['[1, inf)', "'se' or 'matern52'"]
    """

    parameters: Sequence[Parameter]
    kind: type = dict
    _by_name: Mapping[str, Parameter] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", tuple(self.parameters))
        by_name: dict[str, Parameter] = {}
        for parameter in self.parameters:
            if parameter.name in by_name:
                raise ParameterError(parameter.name, "is declared twice")
            by_name[parameter.name] = parameter
        object.__setattr__(self, "_by_name", MappingProxyType(by_name))

    def __reduce__(self) -> tuple[Any, ...]:
        # A mapping proxy cannot be pickled, and worker processes receive experiments by pickling.
        return (ParameterSet, (self.parameters, self.kind))

    @classmethod
    def of(
        cls, kind: type, *, first: Sequence[str] = (), without: Sequence[str] = (), **changes: Mapping[str, Any]
    ) -> ParameterSet:
        """The fields of a frozen dataclass, made by :func:`setting` and its like.

        Parameters
        ----------
        kind : has annotations such as ``float``, or ``float | None`` for what may stay unset
        first : fields that stand before those of a base
        without : fields that cannot be set here and keep their defaults
        changes : what a field has here instead of what it declares, for example ``horizon={"default": 50, "source": "Sec. 5"}``

        Raises
        ------
        ParameterError
            for a name that is none of the fields

        Examples
        --------
        >>> from dataclasses import dataclass
        >>> from companion.core.parameters import ParameterSet, whole
        >>> @dataclass(frozen=True)
        ... class Setting:
        ...     horizon: int = whole(100, "number of evaluations", "Sec. 5", 1, 1000)
        >>> parameters = ParameterSet.of(Setting, horizon={"default": 50})
        >>> parameters.typed({}), parameters.typed({"horizon": 20})
        (Setting(horizon=50), Setting(horizon=20))
        """
        declared = {}
        for entry in sorted(fields(kind), key=lambda entry: entry.name not in first):
            written = entry.type.__name__ if isinstance(entry.type, type) else str(entry.type)
            limits = {"default": entry.default, **entry.metadata, **changes.get(entry.name, {})}
            declared[entry.name] = Parameter(entry.name, written.removesuffix(" | None"), **limits)
        for name in (*first, *without, *changes):
            if name not in declared:
                raise ParameterError(name, f"is no field of {kind.__name__}", remedy=nearest(name, declared))
        return cls([entry for name, entry in declared.items() if name not in without], kind)

    @property
    def names(self) -> tuple[str, ...]:
        """Parameter names in declared order."""
        return tuple(self._by_name)

    def __getitem__(self, name: str) -> Parameter:
        try:
            return self._by_name[name]
        except KeyError:
            known = ", ".join(self.names) or "none: there are no parameters"
            raise ParameterError(
                name, "is not a known parameter", f"one of {known}", nearest(name, self.names)
            ) from None

    def check(self, values: Mapping[str, object]) -> dict[str, Value]:
        """The given values, each checked and converted; nothing is filled in."""
        return {name: self[_as_name(name)].check(value) for name, value in values.items()}

    def resolve(self, values: Mapping[str, object]) -> dict[str, Value]:
        """All parameters in declared order: the given values where given, checked, and the defaults elsewhere.

        Raises
        ------
        ParameterError
            naming the first offending parameter, the allowed range and the nearest known name
        """
        given = self.check(values)
        return {p.name: given[p.name] if p.name in given else p.check(p.default) for p in self.parameters}

    def typed(self, values: Any) -> Any:
        """An object of the declared kind: the given values, resolved, or ``values`` itself where it is one already."""
        if self.kind is not dict and isinstance(values, self.kind):
            return values
        return self.kind(**self.resolve(values))

    def plain(self, typed: Any) -> dict[str, Value]:
        """Values as :meth:`resolve` gave them, from the object that :meth:`typed` made."""
        return typed if self.kind is dict else {name: getattr(typed, name) for name in self.names}

    def parse(self, assignments: Iterable[str]) -> dict[str, Value]:
        """Checked values of command-line assignments ``name=value``; only the names that were given.

        Raises
        ------
        ParameterError
            if an assignment has no ``=``, names a parameter twice, or its value is refused
        """
        values: dict[str, Value] = {}
        for assignment in assignments:
            name, equals, text = assignment.partition("=")
            name = name.strip()
            if not equals or not name:
                raise ParameterError(name or "name=value", f"got {_shown(assignment)}", "name=value")
            parameter = self[name]
            if name in values:
                raise ParameterError(name, "is given twice", "each parameter at most once")
            values[name] = parameter.parse(text)
        return values

    def describe(self) -> list[dict[str, Any]]:
        """One record per parameter: name, type, default, range, help, source (JSON types only)."""
        return [
            {
                "name": p.name,
                "type": p.type,
                "default": p.check(p.default),
                "range": p.range,
                "help": p.help,
                "source": p.source,
            }
            for p in self.parameters
        ]


def _end(value: float) -> str:
    """An end of a range: a whole number in full, any other with six digits."""
    return f"{value:g}" if value != int(value) else str(int(value))


def _as_name(name: object) -> str:
    if not isinstance(name, str):
        raise ParameterError(_shown(name), "is not a parameter name", "a string")
    return name


def _convert(value: object, kind: str) -> int | float | str | bool | None:
    """``value`` as ``kind`` when its type fits, else ``None``. No lossy or guessed conversion."""
    if isinstance(value, bool | np.bool_):
        return bool(value) if kind == "bool" else None
    if kind == "int" and isinstance(value, int | np.integer):
        return int(value)
    if kind == "float" and isinstance(value, int | float | np.integer | np.floating):
        try:
            return float(value)
        except OverflowError:
            return math.inf
    if kind == "str" and isinstance(value, str):
        return value
    return None


def _from_text(text: str, kind: str) -> object:
    """The value a command-line string denotes; the string itself when it does not denote one of this kind."""
    word = text.strip()
    if kind == "int" and re.fullmatch(r"[+-]?[0-9]+", word) and len(word) < 100:
        return int(word)
    if kind == "float" and "_" not in word:
        try:
            return float(word)
        except ValueError:
            return text
    if kind == "bool" and word.lower() in {"true", "false"}:
        return word.lower() == "true"
    return word if kind == "str" else text


def _shown(value: object) -> str:
    plain = value.item() if isinstance(value, np.generic) else value
    # Of a long or deep value only the beginning is written: all of it can be larger than the memory.
    text = repr(plain[:100]) if isinstance(plain, str) else reprlib.repr(plain)
    return text if len(text) <= 60 else f"{text[:57]}..."


def count(name: str, default: int, low: int, high: int) -> Parameter:
    """A whole number between ``low`` and ``high`` that a notebook may be called with; its meaning stands in the notebook."""
    return Parameter(name, "int", default, "", "companion", low=low, high=high)


def setting(default: Any, text: str, source: str, **limits: Any) -> Any:
    """A field of a dataclass that an experiment is called with, as :class:`Parameter`; its name and type stand before it.

    Classes that have it under the same name may share it.
    """
    return field(default=default, metadata={"help": text, "source": source, **limits})


def number(default: Any, text: str, source: str, low: float = 0.0, high: float = 1e3, **limits: Any) -> Any:
    """A number above zero, or of at least ``low`` when that is not zero, as :func:`setting`."""
    return setting(default, text, source, **{"low": low, "high": high, "low_open": low == 0.0, **limits})


def whole(default: Any, text: str, source: str, low: int, high: int) -> Any:
    """A whole number between ``low`` and ``high``, as :func:`setting`."""
    return setting(default, text, source, low=low, high=high)


def choice(default: Any, choices: tuple[str, ...], text: str, source: str) -> Any:
    """One of a few words, as :func:`setting`."""
    return setting(default, text, source, choices=choices)


def positive(name: str, default: float, high: float, *, high_open: bool = False) -> Parameter:
    """A number above zero and up to ``high`` (below it if ``high_open``) that a notebook may be called with, as :func:`count`."""
    return Parameter(name, "float", default, "", "companion", low=0.0, high=high, low_open=True, high_open=high_open)
