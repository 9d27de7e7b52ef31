"""Command line of the notebook machinery: ``python -m companion.notebook execute|check|compare [chapter ...]``."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from companion.errors import CompanionError, StaleOutputError
from companion.files import repository_root
from companion.notebook.checking import check, check_fresh
from companion.notebook.document import Chapter, chapters, find_chapter
from companion.notebook.execution import execute
from companion.notebook.kernel import kernel_environment


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _execute(chosen: list[Chapter], force: bool) -> int:
    """Execute the stale chapters, or all with ``force``."""
    for chapter in chosen:
        try:
            if not force:
                check_fresh(chapter)
                _say(f"{chapter.notebook.name} is fresh")
                continue
        except StaleOutputError:
            pass
        _say(f"{chapter.notebook.name}: executing")
        execute(chapter)
    return 0


def _check(chosen: list[Chapter]) -> int:
    """Print everything that is wrong with the committed notebooks."""
    problems = [problem for chapter in chosen for problem in check(chapter)]
    for problem in problems:
        _say(str(problem))
    _say(f"notebooks: {len(chosen)} checked, {len(problems)} problems")
    return 1 if problems else 0


def _compare(chosen: list[Chapter], workers: int) -> int:
    """Run the committed notebooks again and compare the cells tagged ``nbval-check-output``."""
    if not chosen:
        _say("notebooks: none to compare")
        return 0
    count = max(1, min(workers, len(chosen)))
    # Cells of one notebook belong to one worker: loadscope keeps them together, other schedulers split them.
    flags = ["--nbval-lax", "--nbval-current-env", "--nbval-cell-timeout", "600", "-q", "-p", "no:cacheprovider"]
    parallel = ["-n", str(count), "--dist", "loadscope"] if count > 1 else ["-n", "0"]
    with kernel_environment() as environment:
        command = [sys.executable, "-m", "pytest", *flags, *parallel, *(str(chapter.notebook) for chapter in chosen)]
        return subprocess.run(command, env=environment, cwd=chosen[0].root, check=False).returncode


def main(arguments: list[str] | None = None) -> int:
    """Entry point; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m companion.notebook", description=__doc__)
    parser.add_argument("action", choices=["execute", "check", "compare"])
    parser.add_argument("chapters", nargs="*", help="number, slug, name or path; all chapters by default")
    parser.add_argument("--force", action="store_true", help="execute fresh chapters too")
    parser.add_argument(
        "--workers", type=int, default=min(4, os.cpu_count() or 1), help="parallel notebooks in compare"
    )
    options = parser.parse_intermixed_args(arguments)
    try:
        root = repository_root(Path.cwd())
        chosen = [find_chapter(root, name) for name in options.chapters] or chapters(root)
        if options.action == "execute":
            return _execute(chosen, options.force)
        return _check(chosen) if options.action == "check" else _compare(chosen, options.workers)
    except CompanionError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main())
