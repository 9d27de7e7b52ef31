"""A submission while it is being graded: its worker, started again when it dies, and the clocks around it."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from companion.classroom.marking import AnswerError, StudentError, clean
from companion.classroom.packing import NotPlainError, line, pack, unpack
from companion.classroom.sandbox import Limits, Sandbox

SECONDS_TO_START = 60.0
"""Python and NumPy have to be read from a disk that may be slow; the clocks of a submission start after that."""
GRACE = 2.0
"""Seconds beyond a cell's limit after which its worker is killed: a cell may catch the interruption and go on."""
WAITING = 3
"""As in the worker: a cell's limit is processor time, and three times as much by the clock on the wall."""
MOST_ERRORS = 20


class EndedError(Exception):
    """The worker is gone, or said something that it may not."""


class Session:
    """One submission in a sandbox; a :class:`~companion.classroom.marking.Runner`.

    The cells are executed when the first answer is asked for. When a cell ends the process or hangs, a fresh worker runs
    all others; when a call does, the next one gets a fresh worker. Nothing more is tried once the total time is used up.

    Parameters
    ----------
    sandbox : where
    cells : the notebook's code cells, as text
    numbers : own numbers by question
    limits : see :class:`~companion.classroom.sandbox.Limits`
    """

    def __init__(
        self,
        sandbox: Sandbox,
        cells: list[str],
        numbers: Mapping[str, Mapping[str, Any]],
        limits: Limits,
    ) -> None:
        self.sandbox, self.cells, self.numbers, self.limits = sandbox, cells, numbers, limits
        self.errors: dict[int, str] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._buffer = b""
        self._skip: list[int] = []
        self._left = limits.total
        self._scratch: Path | None = None

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def call(self, name: str, inputs: tuple[Any, ...], seconds: float) -> Any:
        """What the function of this name returns; AnswerError if it gives no plain answer in time."""
        return self._ask({"name": name, "inputs": [pack(value) for value in inputs]}, seconds)

    def value(self, name: str, seconds: float) -> Any:
        """What the name stands for; AnswerError if that is no plain value."""
        return self._ask({"name": name}, seconds)

    def _ask(self, request: dict[str, Any], seconds: float) -> Any:
        try:
            while self._process is None:
                self._begin()
            self._send(request)
            said = self._receive(seconds, f"no answer within {seconds:g} s")
            if "error" in said:
                raise StudentError(clean(Exception(said["error"])))
            if "is" not in said:
                raise EndedError("it answered something else than asked")
            return unpack(said["is"])
        except NotPlainError as error:
            raise AnswerError(f"the answer is {clean(error)}") from None
        except EndedError as error:
            self._end()
            raise AnswerError(clean(error)) from None

    def _begin(self) -> None:
        """Start a worker and have it run the cells; one that is ended by a cell leaves none, but a cell less to run."""
        if self._left <= 0:
            raise EndedError(f"the {self.limits.total:g} s for the whole submission are used up")
        self._scratch = Path(tempfile.mkdtemp(prefix=f"companion-scratch-{os.getpid()}-"))
        self._process, self._requests, self._answers = self.sandbox.start(self._scratch, self.limits)
        os.set_blocking(self._requests, False)
        setting = {
            "user": self.sandbox.user(),
            "limits": self.limits.for_worker(),
            "numbers": {question: pack(dict(mine)) for question, mine in self.numbers.items()},
            "cells": self.cells,
            "skip": self._skip,
            "cell_seconds": self.limits.cell,
        }
        self._send(setting)
        self._receive(SECONDS_TO_START, "the sandbox did not start", free=True)
        running = -1
        try:
            while True:
                said = self._receive(
                    WAITING * self.limits.cell + GRACE, f"a cell ran longer than {self.limits.cell:g} s"
                )
                if "ran" in said:
                    return
                running = int(said["cell"])
                if "error" in said and len(self.errors) < MOST_ERRORS:
                    self.errors[running] = clean(Exception(said["error"]))
        except (EndedError, KeyError, TypeError, ValueError, OverflowError) as error:
            self._end()
            if running < 0 or running in self._skip or running >= len(self.cells):
                raise EndedError(clean(error)) from None
            self._skip.append(running)
            self.errors[running] = clean(error)

    def _send(self, message: Any) -> None:
        content, until = line(message), time.monotonic() + SECONDS_TO_START
        while content:
            if not select.select([], [self._requests], [], max(0.0, until - time.monotonic()))[1]:
                raise EndedError("it does not listen")
            try:
                content = content[os.write(self._requests, content) :]
            except OSError:
                raise EndedError("the process ended") from None

    def _receive(self, seconds: float, late: str, free: bool = False) -> dict[str, Any]:
        """The next line; time spent on it counts against the total unless it is ``free``."""
        began = time.monotonic()
        until = began + (seconds if free else min(seconds, max(self._left, 0.0)))
        try:
            while b"\n" not in self._buffer:
                if not select.select([self._answers], [], [], max(0.0, until - time.monotonic()))[0]:
                    raise EndedError(late)
                chunk = os.read(self._answers, 1 << 20)
                if not chunk:
                    raise EndedError("the process ended: it left, or used more memory or processor time than it may")
                self._buffer += chunk
                if len(self._buffer) > self.limits.answer:
                    raise EndedError(f"an answer of more than {self.limits.answer >> 20} MB")
        finally:
            self._left -= 0.0 if free else time.monotonic() - began
        first, self._buffer = self._buffer.split(b"\n", 1)
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
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)
        self._process, self._buffer, self._scratch = None, b"", None
