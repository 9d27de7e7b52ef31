"""A sign of life for work that has no steps to count: on a terminal, what is at work and for how long."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

AFTER = 5.0
"""Seconds of work before anything is shown."""

_RUNNING: list[tuple[threading.Event, threading.Thread]] = []


@contextmanager
def waiting(label: str) -> Iterator[None]:
    """Show ``label`` and the time while the work within this lasts, from :data:`AFTER` seconds on.

    On standard error, where that is a terminal, and not beside a bar that counts, as
    :func:`companion.simulate.replicate.parallel_map` has one.
    """
    if _RUNNING or sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    ended = threading.Event()
    thread = threading.Thread(target=_tick, args=(label, ended), name="sign of life", daemon=True)
    _RUNNING.append((ended, thread))
    thread.start()
    try:
        yield
    finally:
        hush()


def hush() -> None:
    """Take the sign away: output comes, or the work has ended."""
    while _RUNNING:
        ended, thread = _RUNNING.pop()
        ended.set()
        thread.join()


def _tick(label: str, ended: threading.Event) -> None:
    began, bar = time.time(), None
    while not ended.wait(AFTER if bar is None else 1.0):
        from tqdm import tqdm

        with tqdm.get_lock():
            others = [one for one in tqdm._instances if one is not bar]
        if bar is None and not others:
            bar = tqdm(desc=label, bar_format="{desc}: at work for {elapsed}", leave=False)
            bar.start_t = began
        if bar is not None and others:
            bar = bar.close()
        elif bar is not None:
            bar.refresh()
    if bar is not None:
        bar.close()
