"""Sessions as files of data: what the method was started with, and everything it was told.

A policy's memory is not written down. It follows from the seed, the settings and the values, so a restored session is
started afresh and told all of them again; every point it asks for on the way has to be the one in the file. Therefore

* a file holds numbers and names, and reading one runs nothing from it, where a pickle runs what it says;
* data stay readable whatever becomes of the code: the file is a zip archive of one JSON text and NumPy arrays;
* code that would go on differently is found out, whatever its version says: one line says from which evaluation on, and the
  session goes on from the data, or is refused where its method needs its batches whole.

A session that goes on from data anyway has no other memory. A fitted model is kept as numbers and not fitted again.

The price is the time that the method has spent on its choices, once more. Between processes that live at the same time a
pickle of the session is quicker, see :mod:`companion.policies.pickling`.
"""

from __future__ import annotations

import importlib
import io
import json
import math
import warnings
import zipfile
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

import companion
from companion.core.errors import CompanionError, CompanionWarning, ParameterError, ResultError
from companion.core.files import read_patiently, write_atomic
from companion.policies.conditioned import FittedModel
from companion.policies.observation import SAME, Observation

FORMAT = 2
_TEXT = "session.json"
_INLINE = 16


def save(session: Any, path: str | Path) -> None:
    """Write a :class:`~companion.policies.Session` to ``path``, replacing what is there in one step; between any two calls of its
    methods.

    Raises
    ------
    ParameterError
        for a session of a policy of your own, which no file can make again

    Examples
    --------
    >>> import companion as cp, pathlib, tempfile
    >>> from companion.policies import save
    >>> line = cp.Candidates(cp.grid(5, dim=1), cp.Matern(2.5, 0.3), noise_sd=0.1)
    >>> session = cp.for_problem("gp-ucb", line, seed=0)
    >>> path = pathlib.Path(tempfile.mkdtemp(), "today.zip")
    >>> save(session, path)
    >>> cp.restore(path)
    gp-ucb on 5 candidates: 0 told
    """
    if session.optimiser is None:
        raise ParameterError("session", "holds a policy of your own, which no file can make again", "a pickle of it")
    box = _Packed()
    batches = [*session.earlier, *session.history, *([] if session.open is None else [session.open])]
    content = {
        "format": FORMAT,
        "companion": companion.__version__,
        "optimiser": box.packed(session.optimiser),
        "problem": box.packed(session.problem),
        "seed": session.seed,
        "how": {"minimise": session.minimise, "standardise": session.standardise},
        "earlier": len(session.earlier),
        "sizes": [len(batch.values) for batch in batches],
        "asked": box.packed(np.concatenate([batch.asked for batch in batches]) if batches else None),
        "values": [None if math.isnan(v) else v for batch in batches for v in batch.values.tolist()],
        "counted": [flag for batch in batches for flag in batch.counted.tolist()],
        "plays": [box.packed(play) for batch in batches for play in batch.plays],
        "state": {name: box.packed(value) for name, value in session.state().items()},
    }
    write_atomic(Path(path), box.archive(json.dumps(content, allow_nan=False, indent=1)))


def restored(path: str | Path) -> Any:
    """The session that was saved, see :func:`companion.policies.restore`."""
    where = Path(path)
    content, arrays = _read(where)
    if content.get("format") not in (1, FORMAT):
        got = f"has format {content.get('format')}, and this version reads 1 to {FORMAT}"
        raise ResultError(f"{where}: {got}; restore it with companion {content.get('companion')}")
    try:
        optimiser, problem = _unpacked(content["optimiser"], arrays), _unpacked(content["problem"], arrays)
        # Format 1 had failures only, and no other mode.
        state = content.get("state", {"failures": content.get("failures")})
        state = {name: _unpacked(value, arrays) for name, value in state.items()}
        if state.get("_fit") is not None:
            state["_fit"] = FittedModel(*state["_fit"])
        batches = _batches(content, arrays)
        session = optimiser.for_problem(problem, seed=content["seed"], **content.get("how", {}))
    except (KeyError, TypeError, AttributeError, ValueError) as fault:
        raise ResultError(f"{where}: does not fit this version ({fault}); {_made_by(content)}") from fault
    from_data = bool(state.get("_from_data"))
    try:
        other = None if from_data else _replayed(session, batches)
    except CompanionError as fault:
        got = f"evaluation {session.told + 1} is refused ({fault})"
        raise ResultError(f"{where}: {got}; {_made_by(content)}") from fault
    got = f"{where}: this version asks for another point at evaluation {other}"
    if from_data or other is not None:
        try:
            session.resume(state, batches, content.get("earlier", 0))
        except ParameterError as fault:
            raise ResultError(f"{got} ({fault}); {_made_by(content)}") from fault
    else:
        session.resume(state)
    if other is not None:
        warnings.warn(f"{got} and goes on from the data; {_made_by(content)}", CompanionWarning, stacklevel=3)
    return session


def _batches(content: dict[str, Any], arrays: dict[int, Any]) -> list[Observation]:
    """Observations of a file, batch by batch."""
    asked, values = _unpacked(content["asked"], arrays), content["values"]
    plays = [_unpacked(play, arrays) for play in content["plays"]]
    plays = plays if any(play is not None for play in plays) else [None] * len(values)
    counted = content.get("counted", [False] * len(values))
    ends = np.cumsum([0, *content["sizes"]]).tolist()
    found = []
    for part in map(slice, ends, ends[1:]):
        told = np.array([math.nan if value is None else value for value in values[part]])
        found.append(Observation(asked[part], told, plays[part], np.array(counted[part], dtype=bool)))
    return found


def _replayed(session: Any, batches: list[Observation]) -> int | None:
    """Ask for every batch, compare, and tell what of it is known; the evaluation from which on another point is asked."""
    for batch in batches:
        found = session.ask()
        if found.shape != batch.asked.shape or not np.allclose(found, batch.asked, rtol=SAME, atol=SAME):
            return int(session.told) + 1
        session.accept(batch)
    return None


def _made_by(content: dict[str, Any]) -> str:
    return f"the file is of companion {content.get('companion')}, this is {companion.__version__}"


# -- values as JSON, larger arrays beside it ---------------------------------------------------------------------------


class _Packed:
    """JSON forms of values, and the arrays that they refer to."""

    def __init__(self) -> None:
        self._arrays: list[Any] = []

    def packed(self, value: Any) -> Any:
        """``value`` in JSON types; :class:`ParameterError` for what is neither data nor a dataclass of the package."""
        if value is None or isinstance(value, bool | int | str):
            return value
        if isinstance(value, float | np.generic):
            plain = value.item() if isinstance(value, np.generic) else value
            return plain if math.isfinite(plain) else {"number": repr(float(plain))}
        if isinstance(value, tuple):
            return {"tuple": [self.packed(item) for item in value]}
        if isinstance(value, list):
            return [self.packed(item) for item in value]
        if isinstance(value, np.ndarray):
            return self._array(value)
        kind = type(value)
        if is_dataclass(value) and kind.__module__.startswith("companion."):
            kept = {field.name: getattr(value, field.name) for field in fields(value) if _saved(field)}
            name = f"{kind.__module__}:{kind.__qualname__}"
            return {"class": name, "fields": {field: self.packed(item) for field, item in kept.items()}}
        got = f"was started with {value!r}, which no file can make again"
        raise ParameterError("session", got, "numbers, arrays and objects of the package", "Pickle the session instead")

    def _array(self, value: Any) -> Any:
        if value.dtype.kind not in "biuf":
            raise ParameterError("session", f"holds an array of type {value.dtype}", "numbers or booleans")
        if value.size <= _INLINE and value.dtype.kind == "f" and np.isfinite(value).all():
            return {"floats": value.tolist(), "shape": list(value.shape)}
        self._arrays.append(value)
        return {"array": len(self._arrays) - 1}

    def archive(self, text: str) -> bytes:
        """The file's bytes."""
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(_TEXT, text)
            for number, array in enumerate(self._arrays):
                part = io.BytesIO()
                np.lib.format.write_array(part, np.ascontiguousarray(array), allow_pickle=False)
                archive.writestr(f"{number}.npy", part.getvalue())
        return buffer.getvalue()


def _saved(field: Any) -> bool:
    return bool(field.init and field.metadata.get("saved", True))


def _read(path: Path) -> tuple[dict[str, Any], dict[int, Any]]:
    try:
        with zipfile.ZipFile(io.BytesIO(read_patiently(path))) as archive:
            content = json.loads(archive.read(_TEXT))
            arrays = {
                int(name.removesuffix(".npy")): np.lib.format.read_array(
                    io.BytesIO(archive.read(name)), allow_pickle=False
                )
                for name in archive.namelist()
                if name.endswith(".npy")
            }
    except FileNotFoundError:
        raise ResultError(f"{path}: there is no such file") from None
    except (zipfile.BadZipFile, KeyError, ValueError, OSError, EOFError) as fault:
        raise ResultError(f"{path}: is damaged or not a saved session ({fault})") from fault
    if not isinstance(content, dict):
        raise ResultError(f"{path}: is not a saved session")
    return content, arrays


def _unpacked(value: Any, arrays: dict[int, Any]) -> Any:
    if isinstance(value, list):
        return [_unpacked(item, arrays) for item in value]
    if not isinstance(value, dict):
        return value
    if "number" in value:
        return float(value["number"])
    if "tuple" in value:
        return tuple(_unpacked(item, arrays) for item in value["tuple"])
    if "floats" in value:
        return np.array(value["floats"], dtype=np.float64).reshape(value["shape"])
    if "array" in value:
        return arrays[value["array"]]
    kind = _class(value["class"])
    return kind(**{name: _unpacked(item, arrays) for name, item in value["fields"].items()})


def _class(name: str) -> Any:
    """A dataclass of the package by its name; nothing else can be named by a file."""
    module, _, attribute = name.partition(":")
    if not module.startswith("companion.") or not attribute.isidentifier():
        raise ValueError(f"it names {name}")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except ImportError as fault:
        raise ValueError(f"there is no {name}") from fault
    if not (isinstance(found, type) and is_dataclass(found) and found.__module__.startswith("companion.")):
        raise ValueError(f"{name} is no dataclass")
    return found
