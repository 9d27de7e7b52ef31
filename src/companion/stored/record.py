"""Provenance of a number: what ran, with which code, on which machine. A record travels beside every stored result."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from companion.core.errors import ResultError
from companion.stored.provenance import checkout_commit, linear_algebra, machine, versions

#: Fields of records written by earlier versions, which are passed over.
_FORMER = {"package", "dirty"}


@dataclass(frozen=True)
class Record:
    """Provenance of one stored result.

    Attributes
    ----------
    command : what a reader types to get the result again
    profile : ``smoke``, ``book``, ``paper`` or the name of another parameter set
    seeds : integer seeds used, in order
    versions, machine : see the functions of these names
    blas : :func:`linear_algebra`
    date : UTC, ISO 8601 to the second
    seconds : wall-clock duration of the work
    settings : further facts, e.g. parameters or the data set used
    commit : of the checkout, for results that leave it; of a file of the repository, version control knows
        (:mod:`companion.current.origin`)

    Examples
    --------
    >>> from companion.stored.record import Record
    >>> record = Record.now("companion trial batched appendix-e bpe --seed 0", profile="own", seeds=[0], seconds=0.1)
    >>> record.seeds, Record.from_dict(record.to_dict()) == record
    ((0,), True)
    """

    command: str
    profile: str
    seeds: tuple[int, ...]
    versions: Mapping[str, str]
    blas: Sequence[str]
    machine: Mapping[str, Any]
    date: str
    seconds: float
    settings: Mapping[str, Any] = field(default_factory=dict)
    commit: str = ""

    @classmethod
    def now(
        cls,
        command: str,
        *,
        profile: str,
        seeds: Iterable[int],
        seconds: float,
        settings: Mapping[str, Any] | None = None,
        outside: bool = False,
    ) -> Record:
        """Record of work that ended just now in this process and on this machine.

        ``outside`` says that its result leaves the repository.
        """
        return cls(
            command=command,
            profile=profile,
            seeds=tuple(int(seed) for seed in seeds),
            versions=versions(),
            blas=linear_algebra(),
            machine=machine(),
            date=datetime.datetime.now(datetime.UTC).replace(microsecond=0).isoformat(),
            seconds=round(float(seconds), 3),
            settings=dict(settings or {}),
            commit=checkout_commit() if outside else "",
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain dictionary for JSON; :meth:`from_dict` gives the record back."""
        plain = {entry.name: getattr(self, entry.name) for entry in dataclasses.fields(self)}
        if not self.commit:
            del plain["commit"]
        return plain | {
            "seeds": list(self.seeds),
            "versions": dict(self.versions),
            "blas": list(self.blas),
            "machine": dict(self.machine),
            "settings": dict(self.settings),
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Record:
        """Record from :meth:`to_dict`; unknown or missing fields raise :class:`ResultError` naming them."""
        known = {entry.name for entry in dataclasses.fields(cls)}
        stored = {name: value for name, value in stored.items() if name not in _FORMER}
        missing = sorted(known - {"settings", "commit"} - set(stored))
        unknown = sorted(set(stored) - known)
        if missing or unknown:
            parts = [f"lacks {', '.join(missing)}"] if missing else []
            parts += [f"has unknown {', '.join(unknown)}"] if unknown else []
            raise ResultError(f"a stored record {' and '.join(parts)}: another version of the package wrote it")
        return cls(**{**stored, "seeds": tuple(stored["seeds"]), "blas": list(stored["blas"])})
