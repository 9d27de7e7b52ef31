"""Stamps of artefacts known to be current: a line an artefact, in one file a kind. A lost line costs a comparison, nothing
else."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from companion.core.files import strict_json, write_atomic

#: Folder of the files, below the repository.
FOLDER = "data/current"
_DIGITS = 16


@dataclass(frozen=True)
class Stamp:
    """A result that was compared with what the code gives.

    Parameters
    ----------
    code : fingerprint of the code and data that the result rests on
    text : digest of the words shown with it, which need no computation
    result : digest of what is stored
    """

    code: str
    text: str
    result: str


class Stamps:
    """The stamps of one kind of artefact, by name."""

    def __init__(self, root: Path, kind: str) -> None:
        self.path = root / FOLDER / f"{kind}.json"
        self._known = self._read()
        self._before = dict(self._known)

    def _read(self) -> dict[str, Stamp]:
        try:
            content = json.loads(self.path.read_bytes())
            return {name: Stamp(*line.split(" ")) for name, line in content.items()}
        except (OSError, ValueError, TypeError, AttributeError):  # missing, damaged or half merged: compare again
            return {}

    def get(self, name: str) -> Stamp | None:
        """The stamp of an artefact."""
        return self._known.get(name)

    def holds(self, name: str, now: Stamp) -> bool:
        """Whether an artefact is current, but for its words."""
        known = self.get(name)
        return known is not None and (known.code, known.result) == (now.code, now.result)

    def set(self, name: str, stamp: Stamp) -> None:
        """Note that an artefact is current."""
        self._known[name] = stamp

    def drop(self, name: str) -> None:
        """Note that an artefact is not known to be current."""
        self._known.pop(name, None)

    def keep(self, names: Collection[str]) -> None:
        """Forget what there is no more."""
        self._known = {name: stamp for name, stamp in self._known.items() if name in names}

    def write(self) -> None:
        """Write what has changed, if anything has."""
        if self._known != self._before:
            lines = {name: " ".join(astuple(stamp)) for name, stamp in sorted(self._known.items())}
            write_atomic(self.path, (json.dumps(lines, indent=0) + "\n").encode())
            self._before = dict(self._known)


def digest(*parts: Any) -> str:
    """Sixteen hexadecimal digits of bytes, or of anything that JSON knows."""
    total = hashlib.sha256()
    for part in parts:
        content = part if isinstance(part, bytes) else strict_json(part).encode()
        total.update(len(content).to_bytes(8, "big") + content)
    return total.hexdigest()[:_DIGITS]
