"""The limit on memory: what is read of the machine, and that a program of its own is refused more than there is."""

from __future__ import annotations

import subprocess
import sys

from companion.core.memory import available

MEMINFO = "MemTotal:  9000 kB\nMemAvailable:  4000 kB\nSwapFree:  1000 kB\nHugePages_Total:  0\n"


def test_what_is_there_is_the_least_of_machine_and_container(tmp_path):
    place = tmp_path / "meminfo"
    assert available(place, tmp_path) is None
    place.write_text(MEMINFO)
    assert available(place, tmp_path) == 5000 * 1024
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "memory.current").write_text("1000\n")
    assert available(place, tmp_path) == 5000 * 1024
    (tmp_path / "memory.max").write_text("3000\n")
    assert available(place, tmp_path) == 2000


def test_an_allocation_beyond_it_is_refused_at_once():
    code = "from companion.core import memory; memory.limit(); bytearray(2 * memory.available() + memory.SLACK)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "MemoryError" in done.stderr
