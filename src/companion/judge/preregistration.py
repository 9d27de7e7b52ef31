"""Whether margins were fixed before the runs that they judge, as far as a version history can show it.

Dates can be set at will, and a comment may be mended at any time. So the question is put to the history itself: the margins that
stand in the commit *before* the one that brought the runs have to be the present ones, value by value. A history can be
rewritten, too; this guards against slips and not against fraud.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from companion.core.errors import ParameterError

#: Limit of one call of Git.
SECONDS = 60
EXPECTED = "margins committed before the runs, and unchanged since"


@dataclass(frozen=True)
class Order:
    """Verdict of the version history.

    Attributes
    ----------
    shown : whether it shows that the margins are older than the runs; ``False`` where it cannot tell
    reason : in words
    """

    shown: bool
    reason: str


def order(margins: Path, runs: Path, fault: Callable[[bytes], str]) -> Order:
    """Whether the history shows that margins are older than runs.

    Parameters
    ----------
    margins, runs : two files; the margins may have been moved since
    fault : of an older version of the margins, how it differs from the present one; empty where it does not

    Raises
    ------
    ParameterError
        naming ``MARGINS``, where the runs are under version control and the margins lie in a repository too, and are younger: not
        committed, committed with the runs or later, or changed since
    """
    margins, runs = margins.resolve(), runs.resolve()
    ours, theirs = _top(runs), _top(margins)
    if ours is None or not _tracked(runs):
        return Order(False, f"{runs.name} is not under version control")
    if theirs is None:
        return Order(False, f"{margins.name} is not under version control")
    if not _tracked(margins):
        raise _younger(margins, f"is not committed, and {runs.name} is")
    if _git(runs.parent, "rev-parse", "--is-shallow-repository") == "true":
        return Order(False, "the history is cut off here; 'git fetch --unshallow' brings the rest")
    brought = _brought(runs)
    if not brought:
        return Order(False, f"the history does not say which commit brought {runs.name}")
    if ours != theirs:
        return _by_dates(margins, runs, brought)
    name = margins.relative_to(ours).as_posix()
    for commit in brought:
        then = _before(ours, commit, name)
        why = f"there was no {name}" if then is None else fault(then)
        if why:
            told = f"is younger than the runs: before commit {commit[:10]}, which brought {runs.name}, {why}"
            raise _younger(margins, told)
    return Order(True, f"its values stood before commit {brought[-1][:10]}, which brought {runs.name}")


def _younger(margins: Path, problem: str) -> ParameterError:
    return ParameterError("MARGINS", f"{margins.name} {problem}", EXPECTED)


def _by_dates(margins: Path, runs: Path, brought: list[str]) -> Order:
    """Two repositories have no common history, so that their dates have to do."""
    if _git(margins.parent, "diff", "--name-only", "HEAD", "--", margins.name):
        raise _younger(margins, "has changes that are not committed")
    first = min(int(_git(runs.parent, "log", "-1", "--format=%ct", commit)) for commit in brought)
    last = int(_git(margins.parent, "log", "-1", "--format=%ct", "--", margins.name))
    if last >= first:
        raise _younger(margins, f"was last committed after {runs.name} was first, in another repository")
    return Order(True, f"by the dates of two repositories it was last committed before {runs.name} was first")


def _brought(runs: Path) -> list[str]:
    """Commits in which the file appears under its name, or its committed content under any name; the newest first."""
    log = ("log", "--full-history", "--topo-order", "--format=%H", "--diff-filter=A")
    found = _git(runs.parent, *log, "--", runs.name).split()
    if blob := _git(runs.parent, "rev-parse", "--verify", "--quiet", f"HEAD:./{runs.name}"):
        found += _git(runs.parent, *log, f"--find-object={blob}").split()
    return list(dict.fromkeys(found))


def _before(repository: Path, commit: str, name: str) -> bytes | None:
    """What a file had in it before a commit, under its present name or one that it had then."""
    followed = _git(repository, "log", "--follow", "--format=", "--name-only", "--", name).split("\n")
    blobs = (_asked(repository, "cat-file", "blob", f"{commit}^:{each}") for each in dict.fromkeys((name, *followed)))
    return next((blob for blob in blobs if blob is not None), None)


def _top(path: Path) -> Path | None:
    found = _git(path.parent, "rev-parse", "--show-toplevel")
    return Path(found).resolve() if found else None


def _tracked(path: Path) -> bool:
    return _asked(path.parent, "ls-files", "--error-unmatch", "--", path.name) is not None


def _git(folder: Path, *words: str) -> str:
    """Output of Git without the last line's end; empty if it fails or is missing."""
    return os.fsdecode(_asked(folder, *words) or b"").removesuffix("\n")


def _asked(folder: Path, *words: str) -> bytes | None:
    """Output of Git; ``None`` if it fails or is missing. Read-only: no lock is taken, no index refreshed."""
    environment = os.environ | {"GIT_OPTIONAL_LOCKS": "0", "GIT_LITERAL_PATHSPECS": "1", "LC_ALL": "C"}
    try:
        run = subprocess.run(
            ["git", "-C", str(folder), *words], capture_output=True, timeout=SECONDS, env=environment, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return run.stdout if run.returncode == 0 else None
