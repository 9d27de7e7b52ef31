"""Commands as programs of their own, which get a signal at some moment; what they have made, and what they have left behind."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

SERIES = os.environ.get("COMPANION_SERIES")
RNG = random.Random(int(SERIES or 0))
#: Seconds within which everything that a killed command started has to be gone.
GONE = 60.0
MARK = "COMPANION_TEST_MARK"
#: Names of files and folders that are not finished.
BEGUN = re.compile(r"\..*\.[0-9a-f]{32}(\.tmp)?")
EVIDENCE = ("ledger.json", "verdicts.json", "discrepancies.json")
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def start(words, folder, mark="", **more):
    """A command as a program of its own, which leaves its mark on everything that it starts.

    A folder with ``src`` is a repository with a package of its own.
    """
    (folder / "tmp").mkdir(exist_ok=True)
    places = [str(folder / "src"), *sys.path] if (folder / "src").is_dir() else sys.path
    own = {"TMPDIR": "tmp", "IPYTHONDIR": "tmp/ipython", "JUPYTER_RUNTIME_DIR": "tmp/jupyter"}
    environment = os.environ | {name: str(folder / place) for name, place in own.items()}
    environment |= {MARK: mark, "PYTHONPATH": os.pathsep.join(places)}
    for name in ("COMPANION_JOBS", "COMPANION_BACKEND"):
        environment.pop(name, None)
    return subprocess.Popen(
        [sys.executable, "-m", "companion", *words],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **more,
    )


def ended(process):
    """Exit code and what a command has said."""
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err


def stop(words, folder, number, seconds):
    """Start a command, and send the signal after so many seconds; code and words."""
    mark = uuid.uuid4().hex
    process = start(words, folder, mark)
    time.sleep(seconds)
    process.send_signal(number)
    try:
        return ended(process)
    finally:
        wait_until_gone(mark)


def marked(mark):
    """Processes that have the mark."""
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                if f"{MARK}={mark}".encode() in (place / "environ").read_bytes() and (place / "cmdline").read_bytes():
                    found.append(int(place.name))
            except OSError:
                continue
    return found


def wait_until_gone(mark):
    until = time.monotonic() + GONE
    while marked(mark) and time.monotonic() < until:
        time.sleep(0.1)
    assert marked(mark) == []


def results(folder):
    """Everything that a command has made, without what says when and how long."""
    return {
        str(path.relative_to(folder)): _without_times(path)
        for path in folder.rglob("*")
        if path.is_file()
        and (path.suffix in (".csv", ".jsonld", ".md", ".py", ".ipynb") or path.name in EVIDENCE)
        and not any(part in ("tmp", "src") or part[0] == "." for part in path.relative_to(folder).parts)
    }


def _without_times(path):
    if path.name in EVIDENCE:
        entries = json.loads(path.read_bytes())["entries"]
        return [{key: value for key, value in entry.items() if key != "seconds"} for entry in entries]
    if path.suffix == ".ipynb":
        return [cell["outputs"] for cell in json.loads(path.read_bytes())["cells"] if "outputs" in cell]
    return path.read_bytes()


def litter(folder):
    """Files and folders that a command has begun and not finished."""
    begun = [str(path) for path in folder.rglob("*") if BEGUN.fullmatch(path.name) or ".partial" in path.name]
    return begun + [str(path) for path in (folder / "tmp").rglob("*") if path.is_file() or "companion" in path.name]


def check_words(number, code, err):
    """What a command has answered to the signal: a killed one nothing, one that was told to end one line."""
    if number == signal.SIGKILL:
        assert code in (-number, 0)
    elif code == 143:
        assert re.fullmatch(r"companion( [\w-]+)?: terminated\n", err.rpartition("\r")[2]), err
    else:
        # Before the program has begun, or after it has ended, there is nobody to say it.
        assert code == 0 or (code, err) == (-number, "")
