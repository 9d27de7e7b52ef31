"""A submission while it is being graded: its worker, started again when it dies, and the one clock around all of it."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any

from companion.classroom.cleanup import scratch_folder
from companion.classroom.marking import AnswerError, SilentError, StudentError, UsedUpError, clean, quoted, used_up
from companion.classroom.notebook_text import UnreadableError
from companion.classroom.sandbox import Sandbox
from companion.classroom.sandbox_policy import Limits
from companion.classroom.value_encoding import NotPlainError, line, pack, unpack

#: Python and NumPy have to be read from a disk that may be slow; the clock of a submission starts after that.
SECONDS_TO_START = 60.0
#: Seconds beyond a cell's limit after which its worker is killed: a cell may catch the interruption and go on.
GRACE = 2.0
#: As in the worker: a cell's limit is processor time, and three times as much by the clock on the wall.
WAITING = 3
MOST_ERRORS = 20
#: How the worker begins when it interrupts a call.
TOO_LONG = "TookTooLongError: "
NEVER_READY = "the sandbox did not start"
#: Bytes of a message that is no answer: an error has at most 300 characters, of at most twelve bytes each.
LONGEST_PROGRESS = 8 << 10
#: Workers of a session. Each takes numbers from the kernel, which a later submission can see go up.
MOST_STARTS = 20
#: Late replies that are passed over: a call that forks is answered once by each child.
MOST_STRAYS = 50


def busy() -> float:
    """A call may take so many times its processor time by the clock on the wall: once, and up to six times on a busy machine."""
    return min(6.0, max(1.0, 1.5 * os.getloadavg()[0] / (os.cpu_count() or 1)))


class EndedError(Exception):
    """The worker is gone, or said something that it may not."""


class NotStartedError(Exception):
    """The first worker of a submission was never ready: no fault of its code, none of which has run."""


class TotalEndedError(EndedError):
    """The time for the whole submission is over."""


class Session:
    """One submission in a sandbox; a :class:`~companion.classroom.marking.Runner`.

    The cells are executed when the first answer is asked for. When a cell ends the process or hangs, a fresh worker runs
    all others; when a call does, the next one gets a fresh worker. From the moment that the first worker is ready, a clock
    runs to ``limits.total`` and never stops: sending, waiting, reading, comparing and starting anew are in it, so that
    nothing a submission does makes it last longer.

    Parameters
    ----------
    sandbox : where
    cells : the notebook as it was handed in, or code cells
    numbers : own numbers by question
    limits : see :class:`~companion.classroom.sandbox_policy.Limits`
    """

    def __init__(
        self,
        sandbox: Sandbox,
        cells: bytes | list[str],
        numbers: Mapping[str, Mapping[str, Any]],
        limits: Limits,
    ) -> None:
        self.sandbox, self.cells, self.numbers, self.limits = sandbox, cells, numbers, limits
        self.errors: dict[int, str] = {}
        self.lacks: dict[str, str] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._buffer, self._looked = bytearray(), 0
        self._skip: list[int] = []
        self._loads, self._count = True, 0
        self._until: float | None = None
        self._asked = self._strays = self._starts = 0
        self._held = contextlib.ExitStack()
        self._scratch = contextlib.ExitStack()

    def __enter__(self) -> Session:
        self.sandbox = self._held.enter_context(self.sandbox.for_one())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()
        self._held.close()

    def call(self, name: str, inputs: tuple[Any, ...], seconds: float) -> Any:
        """Return value of the function of this name; AnswerError without a plain answer in time."""
        return self._ask({"name": name, "inputs": [pack(value) for value in inputs]}, seconds)

    def value(self, name: str, seconds: float) -> Any:
        """Value of the name; AnswerError if it is not a plain value."""
        return self._ask({"name": name}, seconds)

    def run(self) -> None:
        """Execute the cells, if that has not been done; what went wrong stands in ``errors``."""
        with contextlib.suppress(EndedError):
            while self._process is None:
                self._begin()

    def renew(self) -> None:
        """The next question is put to a fresh worker."""
        self._end()

    def _ask(self, request: dict[str, Any], seconds: float) -> Any:
        try:
            while self._process is None:
                self._begin()
            waiting = busy()
            until = time.monotonic() + waiting * seconds + GRACE
            clocks = {"seconds": seconds, "waiting": waiting}
            said = self._reply(request | clocks, until, f"no answer within {seconds:g} s")
            if str(said.get("error", "")).startswith(TOO_LONG):
                raise EndedError(f"no answer within {seconds:g} s")
            if "error" in said:
                raise StudentError(clean(Exception(said["error"])))
            if "is" not in said:
                raise EndedError("it answered something else than asked")
            return unpack(said["is"])
        except NotPlainError as error:
            raise AnswerError(f"the answer is {clean(error)}") from None
        except EndedError as error:
            self._end()
            kind = UsedUpError if isinstance(error, TotalEndedError) else SilentError
            raise kind(clean(error)) from None

    def _reply(self, request: dict[str, Any], until: float, late: str) -> dict[str, Any]:
        """The reply with the request's number. One to an earlier request is passed over, one to a later one is none."""
        self._asked += 1
        self._send({"id": self._asked, **request}, until, late)
        while True:
            said = self._receive(until, late, self.limits.answer)
            number = said.get("id")
            if type(number) is int and number == self._asked:
                return said
            self._strays += 1
            if type(number) is not int or not 0 < number < self._asked or self._strays > MOST_STRAYS:
                raise EndedError("it answered something else than asked")

    def _begin(self) -> None:
        """Start a worker and have it run the cells; one that is ended by a cell leaves none, but a cell less to run."""
        if not self.left or self._starts == MOST_STARTS:
            raise TotalEndedError(
                f"the process was ended {MOST_STARTS} times" if self.left else used_up(self.limits.total)
            )
        self._starts += 1
        scratch = self._scratch.enter_context(scratch_folder())
        with tempfile.TemporaryFile() as complaint:
            self._process, self._requests, self._answers = self.sandbox.start(scratch, self.limits, complaint)
            os.set_blocking(self._requests, False)
            try:
                self._get_ready(scratch)
            except EndedError as error:
                if self._until is not None:
                    raise
                self._end()
                complaint.seek(0)
                last = complaint.read(LONGEST_PROGRESS).decode(errors="replace").strip().rpartition("\n")[2]
                raise NotStartedError(clean(Exception(f"{NEVER_READY}: {last or error}"))) from None
        try:
            said = self._receive(time.monotonic() + SECONDS_TO_START, "", LONGEST_PROGRESS)
        except EndedError:
            # A notebook that no parser survives, code that none does, or a module that ends the process.
            self._end()
            if not self._loads:
                raise UnreadableError("reading the notebook took too long or too much memory") from None
            self._loads = False
            return
        if "unreadable" in said:
            raise UnreadableError(clean(Exception(said["unreadable"])))
        self._count = int(said["loaded"])
        if self._until is None:
            self._until = time.monotonic() + self.limits.total
        self._run_cells()

    def _get_ready(self, scratch: Path) -> None:
        """Send the setting, and wait until the worker has given up its rights."""
        setting = {
            "user": self.sandbox.user,
            "limits": asdict(self.limits),
            "numbers": {question: pack(dict(mine)) for question, mine in self.numbers.items()},
            "cells": [] if isinstance(self.cells, bytes) else self.cells,
            "book": base64.b64encode(self.cells).decode() if isinstance(self.cells, bytes) else None,
            "skip": self._skip,
            "loads": self._loads,
            "files": self.sandbox.files(scratch),
        }
        late, until = NEVER_READY, time.monotonic() + SECONDS_TO_START
        self._send(setting, until, late)
        self.lacks = self._receive(until, late, LONGEST_PROGRESS).get("lacks", {})
        if self.sandbox.lacks is not None and not set(self.lacks) <= set(self.sandbox.lacks):
            raise EndedError("the sandbox did not start as it was tried out")

    def _run_cells(self) -> None:
        """Listen while the cells run: two messages a cell at most, in order, each of bounded size."""
        running, failed = -1, True
        late = f"a cell ran longer than {self.limits.cell:g} s"
        until = time.monotonic() + WAITING * self.limits.cell + GRACE
        try:
            while True:
                said = self._receive(until, late, LONGEST_PROGRESS)
                number = said.get("cell")
                if said.get("ran") is True:
                    return
                if type(number) is int and "error" in said and number == running and not failed:
                    failed = True
                    if len(self.errors) < MOST_ERRORS:
                        self.errors[running] = quoted(said["error"])
                elif type(number) is int and running < number < self._count and "error" not in said:
                    running, failed = number, False
                    until = time.monotonic() + WAITING * self.limits.cell + GRACE
                else:
                    raise EndedError("it wrote something of its own where its progress is told")
        except EndedError as error:
            self._end()
            if running < 0:
                raise
            self._skip.append(running)
            if len(self.errors) < MOST_ERRORS or running in self.errors:
                self.errors[running] = clean(error)

    @property
    def left(self) -> float:
        """Seconds left of the total."""
        return self.limits.total if self._until is None else max(0.0, self._until - time.monotonic())

    def _wait(self, until: float, late: str, reading: bool) -> None:
        """Wait until the pipe is ready for us; EndedError if the time of this message or of all is over."""
        now = time.monotonic()
        if self._until is not None and now >= self._until:
            raise TotalEndedError(used_up(self.limits.total))
        left = max(0.0, min(until, self._until or until) - now)
        ready = select.select([self._answers] if reading else [], [] if reading else [self._requests], [], left)
        if not (ready[0] or ready[1]):
            raise EndedError(late)

    def _send(self, message: Any, until: float, late: str) -> None:
        content = memoryview(line(message))
        while content:
            self._wait(until, late, reading=False)
            try:
                content = content[os.write(self._requests, content) :]
            except BlockingIOError:
                continue
            except OSError:
                raise EndedError("the process ended") from None

    def _receive(self, until: float, late: str, most: int) -> dict[str, Any]:
        """The next line, of at most so many bytes."""
        while (end := self._buffer.find(b"\n", self._looked)) < 0:
            self._looked = len(self._buffer)
            if self._looked > most:
                raise EndedError(f"a message of more than {most >> 10} kB")
            self._wait(until, late, reading=True)
            chunk = os.read(self._answers, 1 << 16)
            if not chunk:
                raise EndedError("the process ended: it left, or used more memory or processor time than it may")
            self._buffer += chunk
        first = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        self._looked = 0
        if len(first) > most:
            raise EndedError(f"a message of more than {most >> 10} kB")
        try:
            said = json.loads(first)
        except (ValueError, RecursionError):
            raise EndedError("it answered no JSON") from None
        if not isinstance(said, dict):
            raise EndedError("it answered something else than asked")
        return said

    def _end(self) -> None:
        if self._process is None:
            return
        self.sandbox.end(self._process)
        for descriptor in (self._requests, self._answers):
            with contextlib.suppress(OSError):
                os.close(descriptor)
        self._scratch.close()
        self._process, self._buffer, self._looked = None, bytearray(), 0
