"""The same runs and tables whatever the shell, the folder and the machine are like."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc and /dev")]

PLAN = """seeds = "0-3"
[[runs]]
experiment = "batched/appendix-e"
methods = ["bpe"]
settings = {horizon = 60, points_per_axis = 10}
"""
OLD = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
NO_SHM = ("unshare", "-m", "sh", "-c", 'mount -t tmpfs -o ro,mode=555 none /dev/shm && exec "$@"', "sh")
SHIFTED = "import time; real = time.time; time.time = lambda: {}; import sys; from companion.cli import main; sys.exit(main())"
NOWHERE = {"HOME": "/proc/nowhere", "XDG_CACHE_HOME": "/proc/nowhere"}
#: Folder, variables (``None`` for one that is not set), what the program is started with; two oddities at once where neither can
#: hide the other.
PLACES = {
    "blanks and umlauts, no folder for temporary files": ("Schöne Bücher & mehr", {"TMPDIR": "/nonexistent"}, ()),
    "blanks and umlauts in locale C, a home that cannot be written": ("Schöne Bücher & mehr", {**OLD, **NOWHERE}, ()),
    "no home": ("here", {"HOME": None, "USER": None, "LOGNAME": None}, ()),
    "no shared memory": ("here", {}, NO_SHM),
    "a clock that stands in 2038": ("here", {}, SHIFTED.format("2147483648.0 + real() % 1")),
    "a clock that goes back": ("here", {}, SHIFTED.format("-60 * real()")),
}


def tables(folder, words=(), variables=None):
    """The merged tables of the sweep, made in this folder."""
    folder.mkdir()
    (folder / "plan.toml").write_text(PLAN)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)} | (variables or {})
    start = [*words, sys.executable, "-m", "companion"]
    if isinstance(words, str):
        start = [sys.executable, "-c", words]
    for more in (("--jobs", "2"), ("merge",)):
        done = subprocess.run(
            [*start, "sweep", "plan.toml", *more],
            cwd=folder,
            env={name: value for name, value in environment.items() if value is not None},
            capture_output=True,
            timeout=120,
        )
        assert (done.returncode, done.stderr) == (0, b""), done.stderr
    return {path.name: path.read_bytes() for path in (folder / "plan").glob("*.csv")}


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    found = tables(tmp_path_factory.mktemp("usual") / "here")
    assert len(found) == 2
    return found


@pytest.mark.parametrize("place", PLACES)
def test_a_sweep_is_the_same(place, usual, tmp_path):
    name, variables, words = PLACES[place]
    if words == NO_SHM and (
        not shutil.which("unshare") or subprocess.run([*NO_SHM, "true"], capture_output=True, check=False).returncode
    ):
        pytest.skip("mounting is not allowed here")
    assert tables(tmp_path / name, words, variables) == usual
