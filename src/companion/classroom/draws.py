"""Numbers of one's own: every student's parameters, drawn from a secret and the student's id.

Needs nothing but the standard library, so that this very file also goes into the students' archive. Two keys come from
the course secret: the *shown* key, from which a student's notebook draws the numbers it shows, and the *hidden* key, from
which the inputs of hidden checks are drawn. The first is in the archive, the second never; neither gives the secret away.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Sequence
from typing import Any


def derive(key: bytes, *labels: str) -> bytes:
    """HMAC-SHA256 of the labels; the list is written as JSON, so that ("a", "b/c") and ("a/b", "c") differ.

    Examples
    --------
    >>> from companion.classroom.draws import derive
    >>> derive(b"secret", "shown").hex()[:8], derive(b"secret", "hidden").hex()[:8]
    ('1ac0c70f', 'f6e79865')
    """
    return hmac.new(key, json.dumps(labels).encode(), hashlib.sha256).digest()


class Draw:
    """Random draws that are the same in every version of every library: SHA-256 of a key and a counter.

    Parameters
    ----------
    key : secret bytes
    labels : what the draws are for, such as assignment, student, question
    for_reading : inputs drawn from it are shown to a student, so :meth:`size` says small

    Examples
    --------
    >>> from companion.classroom.draws import Draw
    >>> numbers = Draw(b"secret of the course", "ch3_sizes", "student 17")
    >>> numbers.integer(1, 6), numbers.decimal(0.1, 0.9, digits=2), numbers.choice(["se", "matern52"])
    (4, 0.61, 'se')
    >>> numbers.shuffled([1, 2, 3]), 0.0 <= numbers.uniform() < 1.0
    ([1, 3, 2], True)
    >>> same = Draw(b"secret of the course", "ch3_sizes", "student 17")
    >>> same.integer(1, 6)
    4
    """

    def __init__(self, key: bytes, *labels: str, for_reading: bool = False) -> None:
        self.for_reading = for_reading
        self._key = derive(key, *labels)
        self._count = 0

    def size(self, hidden: int, shown: int) -> int:
        """How large an input is: as ``hidden``, or as ``shown`` where a student is to read it."""
        return shown if self.for_reading else hidden

    def _bits(self, count: int) -> int:
        """An integer of ``count`` <= 256 random bits."""
        self._count += 1
        block = hmac.new(self._key, self._count.to_bytes(8, "big"), hashlib.sha256).digest()
        return int.from_bytes(block, "big") >> (256 - count)

    def integer(self, low: int, high: int) -> int:
        """An integer from ``low`` to ``high``, both included, each with the same probability."""
        span = high - low + 1
        bits = span.bit_length()
        if span < 1 or bits > 256:
            raise ValueError(f"no integer from {low} to {high} can be drawn")
        while (value := self._bits(bits)) >= span:  # rejected rather than folded back: that would favour small ones
            pass
        return low + value

    def uniform(self, low: float = 0.0, high: float = 1.0) -> float:
        """A float of [low, high), with 53 random bits."""
        return low + (high - low) * (self._bits(53) / 2**53)

    def decimal(self, low: float, high: float, digits: int) -> float:
        """A number from ``low`` to ``high`` with so many digits after the point, as a student can type it."""
        scale = 10**digits
        return self.integer(round(low * scale), round(high * scale)) / scale

    def choice(self, options: Sequence[Any]) -> Any:
        """One of the options."""
        return options[self.integer(0, len(options) - 1)]

    def shuffled(self, options: Sequence[Any]) -> list[Any]:
        """The options in a random order."""
        rest = list(options)
        return [rest.pop(self.integer(0, len(rest) - 1)) for _ in options]

    def generator(self) -> Any:
        """A NumPy generator, for arrays. Its streams may change with NumPy's version: not for numbers that are shown."""
        from numpy.random import PCG64, Generator

        return Generator(PCG64(self._bits(128)))
