"""Command line of the notebook machinery: ``python -m companion.pages execute|check [chapter ...]``."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from pathlib import Path

from companion.core import arithmetic
from companion.core.errors import CompanionError, StaleOutputError
from companion.core.files import leave_output, reason, repository_root
from companion.pages.checking import check, check_fresh, notes
from companion.pages.document import Chapter, chapters, find_pages
from companion.pages.execution import execute
from companion.pages.pairing import rewrite


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _execute(chosen: list[Chapter], force: bool) -> int:
    """Execute the stale chapters, or all with ``force``; where only text differs, it is brought over without a kernel."""
    for chapter in chosen:
        try:
            if not force:
                check_fresh(chapter)
                _say(f"{chapter.notebook.name} {'has its text anew' if rewrite(chapter) else 'is fresh'}")
                continue
        except StaleOutputError:
            pass
        _say(f"{chapter.notebook.name}: executing")
        execute(chapter)
    return 0


def _check(chosen: list[Chapter]) -> int:
    """Print everything that is wrong with the committed notebooks."""
    problems = [problem for chapter in chosen for problem in check(chapter)]
    for line in (*map(str, problems), *notes(chosen)):
        _say(line)
    _say(f"notebooks: {len(chosen)} checked, {len(problems)} problems")
    return 1 if problems else 0


def main(arguments: list[str] | None = None) -> int:
    """Entry point; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m companion.pages", description=__doc__)
    parser.add_argument("action", choices=["execute", "check"])
    parser.add_argument("chapters", nargs="*", help="number, slug, name or path; all chapters by default")
    parser.add_argument("--force", action="store_true", help="execute fresh chapters too")
    options = parser.parse_intermixed_args(arguments)
    try:
        if sys.stdout is None:
            raise OSError(errno.EBADF, "standard output is closed")
        root = repository_root(Path.cwd())
        chosen = [page for name in options.chapters for page in find_pages(root, name)] or chapters(root)
        return _execute(chosen, options.force) if options.action == "execute" else _check(chosen)
    except CompanionError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return 130
    except OSError as error:  # a full disk, a file in the way of a folder, a reader that has left the pipe
        leave_output()
        if not isinstance(error, BrokenPipeError):
            sys.stderr.write(f"{reason(error)}\n")
        return 1


if __name__ == "__main__":
    before = dict(os.environ)
    if arithmetic.pin() and os.environ != before:
        # The imports above have loaded NumPy with other kernels; once more, then.
        os.execv(sys.executable, [sys.executable, "-m", "companion.pages", *sys.argv[1:]])
    sys.exit(main())
