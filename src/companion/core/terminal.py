"""Text for terminals and pipes: aligned columns, and a sign of life for work that has no steps to count."""

from __future__ import annotations

import sys
import textwrap
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest

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


# -- columns ---------------------------------------------------------------------------------------------------------------

Rows = Sequence[Sequence[str]]


def aligned(
    rows: Rows, right: Collection[int] = (), width: int | None = None, shown: Callable[[str], str] = str
) -> str:
    """Rows of cells with their columns below each other, those of ``right`` aligned to the right.

    Of lines longer than ``width`` the widest columns are made narrower, but no word is broken. ``shown`` adds to a cell what
    takes no room, such as a colour.
    """
    widths = _fitting(list(zip(*rows, strict=True)), width)
    lines = []
    for row in rows:
        for line in zip_longest(*map(_wrapped, row, widths), fillvalue=""):
            pads = [" " * (room - len(cell)) for cell, room in zip(line, widths, strict=True)]
            pairs = enumerate(zip(pads, map(shown, line), strict=True))
            lines.append("  ".join(pad + cell if at in right else cell + pad for at, (pad, cell) in pairs).rstrip())
    return "\n".join(lines)


def _wrapped(cell: str, width: int) -> list[str]:
    return [cell] if len(cell) <= width else textwrap.wrap(cell, width, break_on_hyphens=False)


def _fitting(table: Rows, room: int | None) -> list[int]:
    widths = [max(map(len, column)) for column in table]
    least = [max(len(word) for cell in column for word in cell.split() or [""]) for column in table]
    while room is not None and sum(widths) + 2 * (len(widths) - 1) > room:
        wide = [place for place, width in enumerate(widths) if width > least[place]]
        if not wide:
            break
        widths[max(wide, key=widths.__getitem__)] -= 1
    return widths
