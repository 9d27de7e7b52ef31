"""Programs that each start as if Python were fresh, without reading the same libraries again and again.

One process reads the libraries, and branches off for every program: what a program does stays in its branch.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

#: Reads requests from its input, one JSON object a line, and answers each by the exit status.
_TRUNK = """
import json, os, runpy, sys, traceback

def run(asked):
    for number, name in ((0, os.devnull), (1, asked["out"]), (2, asked["err"])):
        os.dup2(os.open(name, os.O_RDWR | os.O_CREAT, 0o600), number)
    os.chdir(asked["folder"])
    sys.argv = [asked["program"], *asked["arguments"]]
    try:
        runpy.run_path(asked["program"], run_name="__main__")
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0

for line in sys.stdin:
    branch = os.fork()
    if not branch:
        status = run(json.loads(line))
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    print(os.waitstatus_to_exitcode(os.waitpid(branch, 0)[1]), flush=True)
"""


@dataclass(frozen=True)
class Done:
    """How a program ended, and what it wrote."""

    returncode: int
    stdout: str
    stderr: str


class Trunk:
    """The process that branches off."""

    def __init__(self, process: subprocess.Popen[str], scratch: Path) -> None:
        self._process, self._scratch, self._count = process, scratch, 0

    def run(self, program: Path, *arguments: str) -> Done:
        """Run a program in its folder."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._count += 1
        out, err = (self._scratch / f"{self._count}.{name}" for name in ("out", "err"))
        asked = {"program": program.name, "arguments": arguments, "folder": str(program.parent)}
        print(json.dumps(asked | {"out": str(out), "err": str(err)}), file=self._process.stdin, flush=True)
        status = int(self._process.stdout.readline())
        return Done(status, out.read_text(encoding="utf-8"), err.read_text(encoding="utf-8"))


@contextmanager
def trunk(first: str, environment: Mapping[str, str], flags: Sequence[str] = ()) -> Iterator[Trunk]:
    """Start Python with these flags in this environment, and have it execute ``first``: imports, and what is forbidden."""
    command = [sys.executable, *flags, "-c", f"{first}\n{_TRUNK}"]
    with TemporaryDirectory() as scratch:
        process = subprocess.Popen(
            command, env=dict(environment), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        with process:
            yield Trunk(process, Path(scratch))
