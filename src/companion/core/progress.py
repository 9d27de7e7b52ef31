"""A sign of life for work that has no steps to count: on a terminal, what is at work and for how long."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

#: Seconds of work before anything is shown.
AFTER = 5.0
_RUNNING: list[tuple[threading.Event, threading.Thread]] = []


@contextmanager
def waiting(label: str) -> Iterator[None]:
    """Show ``label`` and the time while the work within this lasts, from :data:`AFTER` seconds on.

    On standard error, where that is a terminal, and not beside a bar of :func:`companion.simulate.replicate.parallel_map`.
    """
    shown = not _RUNNING and sys.stderr is not None and sys.stderr.isatty()
    if shown:
        ended = threading.Event()
        _RUNNING.append((ended, threading.Thread(target=_tick, args=(label, ended), daemon=True)))
        _RUNNING[0][1].start()
    try:
        yield
    finally:
        if shown:
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

        if any(one is not bar for one in list(tqdm._instances)):
            bar = None if bar is None else bar.close()
        elif bar is None:
            bar = tqdm(desc=label, bar_format="{desc}: at work for {elapsed}", leave=False)
            bar.start_t = began
        else:
            bar.refresh()
    if bar is not None:
        bar.close()
