"""All benchmarks, and what they found on one page: ratios and processor seconds, each beside its limit. Stores nothing.

Every script prints its own tables as it goes; what it hands to :func:`note` comes again on the page in the end. A limit that is
not kept is said so there, and is no error: another machine, or a busy one, is no fault of the code.

Run with ``make bench`` (the quick form, three minutes of processor time) or ``make bench FULL=yes`` (half an hour), or ``python
benchmarks/page.py [--full] [--only engine contexts]``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

VARIABLE = "COMPANION_BENCH"
HERE = Path(__file__).resolve().parent


def note(what: str, value: float, unit: str, limit: float | None = None, at: str = "most") -> None:
    """A line of the page, where one is being made.

    Parameters
    ----------
    what, value, unit : what was measured, and what one of it is
    limit : that we have set, if any
    at : ``most`` or ``least``
    """
    if page := os.environ.get(VARIABLE):
        with open(page, "a", encoding="utf-8") as stream:
            print(json.dumps({"what": what, "value": value, "unit": unit, "limit": limit, "at": at}), file=stream)


def shown(line: dict[str, Any]) -> str:
    """A line as the page has it."""
    start = f"{line['what']:58}{line['value']:9.3g} {line['unit']:22}"
    if line["limit"] is None:
        return start.rstrip()
    kept = line["value"] <= line["limit"] if line["at"] == "most" else line["value"] >= line["limit"]
    return f"{start}at {line['at']} {line['limit']:.3g}: {'kept' if kept else 'NOT KEPT'}"


def main() -> None:
    """Run them one after the other and print the page."""
    parser = argparse.ArgumentParser(description="Run the benchmarks and print one page of ratios and limits.")
    parser.add_argument("--full", action="store_true", help="all sizes, half an hour")
    parser.add_argument("--only", nargs="+", help="names of scripts, without bench_")
    options = parser.parse_args()
    scripts = [path for path in sorted(HERE.glob("bench_*.py")) if not options.only or path.stem[6:] in options.only]
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "lines")
        page.touch()
        for script in scripts:
            words = [sys.executable, str(script), *([] if options.full else ["--quick"])]
            if code := subprocess.run(words, env=os.environ | {VARIABLE: str(page)}, check=False).returncode:
                sys.exit(code)
        lines = [json.loads(line) for line in page.read_text(encoding="utf-8").splitlines()]
    form = "all sizes" if options.full else "the quick form"
    print(f"\nWhat was found ({form}, {(time.monotonic() - began) / 60:.1f} minutes)\n{'':58}{'':>9}")
    print("\n".join(map(shown, lines)))


if __name__ == "__main__":
    main()
