"""A scratch copy of the repository, in which a new paper is made, with its runs, its evidence and its page."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

#: What the copy has: the package and its tests, what the papers report, our results, the chapters' sources, and what the book is
#: configured with.
COPIED = (
    "src",
    "data/reported",
    "notebooks/profiles",
    "tests",
    "data/results",
    "book/_ext",
    "book/_static",
    "book/api",
)
FILES = (
    "setup.py",
    "MANIFEST.in",
    "README.md",
    "LICENSE",
    "pyproject.toml",
    "data/sources.toml",
    "_toc.yml",
    "_config.yml",
    "jupytext.toml",
    "book/references.bib",
    "book/library.md",
    "CITATION.cff",
    "notebooks/nbval.cfg",
)


def copied(root, scratch):
    """The copy, without version control."""
    for place in COPIED:
        if (root / place).is_dir():
            shutil.copytree(root / place, scratch / place, ignore=shutil.ignore_patterns("__pycache__", "tasks"))
    for place in (*FILES, *(f"notebooks/{path.name}" for path in (root / "notebooks").glob("ch*.py"))):
        (scratch / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / place, scratch / place)
    return scratch


def with_a_new_paper(scratch):
    """Adds the paper ``nova``; what the command has told."""
    return json.loads(run(scratch, "-m", "companion", "new-paper", "nova", "--title", "A nova", "--json"))


def run(folder, *arguments):
    """Output of Python run in the copy, with the copy's package."""
    environment = os.environ | {
        "PYTHONPATH": str(folder / "src"),
        "COMPANION_JOBS": "1",
        "PYTHONDONTWRITEBYTECODE": "",
    }
    done = subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


#: What its evidence is computed from.
COMPUTED = "from companion.papers.nova.experiments.store import store; store()"
#: In one process, since starting one takes as long as most of these.
WALK = """
import contextlib, io, json
from pathlib import Path
from companion.cli import main
from companion.papers.nova.experiments.store import store

def told(*arguments):
    with contextlib.redirect_stdout(io.StringIO()) as text:
        assert main([*arguments, "nova", "--json"]) == 0
    return json.loads(text.getvalue())

with contextlib.redirect_stdout(io.StringIO()):
    store()
    assert main(["evidence", "nova", "--jobs", "1"]) == 0
    assert main(["verify", "nova", "--rows", "4", "--jobs", "1"]) == 0
    pages = [f"pages/{path.stem}" for path in Path("notebooks").glob("ch*_nova*.py")]
    assert main(["settle", "--accept", "--all", *pages, "--jobs", "1"]) == 0
    assert main(["export", "nova", "--out", "exported"]) == 0
print(json.dumps({name: told(*name.split()) for name in ("list", "ledger --teeth", "discrepancies", "verdicts")}))
"""
