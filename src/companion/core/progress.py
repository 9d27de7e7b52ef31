"""A sign of life for work that has no steps to count: what is at work and for how long."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

#: Seconds of work before anything is shown; without a terminal a line then, and each after so many times as long.
AFTER, RARER = 2.0, 3.0
_RUNNING: list[tuple[threading.Event, threading.Thread]] = []


@contextmanager
def waiting(label: str, lines: bool = False) -> Iterator[None]:
    """Show ``label`` and the time while the work within this lasts, from :data:`AFTER` seconds on.

    On standard error, not beside a bar of :func:`companion.simulate.replicate.parallel_map`. Where that is no terminal, a few
    lines are written if ``lines`` says so, and nothing else.
    """
    terminal = sys.stderr is not None and sys.stderr.isatty()
    shown = not _RUNNING and sys.stderr is not None and (terminal or lines)
    if shown:
        ended = threading.Event()
        of = _tick if terminal else _tell
        _RUNNING.append((ended, threading.Thread(target=of, args=(label, ended), daemon=True)))
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


def _tell(label: str, ended: threading.Event) -> None:
    """Lines, ever more rarely."""
    passed = AFTER
    wait = passed
    while not ended.wait(wait):
        sys.stderr.write(f"{label}: at work for {passed:.0f} s\n")
        sys.stderr.flush()
        wait, passed = passed * (RARER - 1.0), passed * RARER


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
