"""Committed pages as artefacts that :mod:`companion.current.settle` compares with what their code shows.

nbval executes a page again and compares every output, text by text and number by number; ``notebooks/nbval.cfg`` names what
may differ.
"""

from __future__ import annotations

import ast
import functools
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import tokenize
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from companion.core import instruction_set
from companion.core.files import write_atomic
from companion.current.data_digest import READERS, data_digest
from companion.current.fingerprint import Fingerprint, fingerprint
from companion.current.settle import Difference, Kind, Read, shortened
from companion.current.stamps import Stamp, Stamps, digest
from companion.pages.document import (
    Chapter,
    NotebookError,
    chapters,
    code_cells,
    joined,
    read_notebook,
    read_source,
    to_bytes,
)
from companion.pages.execution import execute
from companion.pages.notebook_pairs import rewrite, with_outputs
from companion.pages.provenance import BOOK, COMMAND, PROFILE, TIMES
from companion.pages.studies import digest_of_studies
from companion.simulate.replicate import workers

#: Stamps of what the studies of each page found.
STUDIES = "studies"
#: Tags by which a kernel's client passes over a cell or accepts its failure.
_TAGS = ("raises-exception", "skip-execution")
_COLOUR = re.compile(r"(?:\x1b|#x1B)\[[0-9;]*m")
#: Of nbval's message the part on one kind of data, and in it lines of the stored output (+) and of the one made now (-).
_MISMATCH = re.compile(r"mismatch '([^']+)'(.*?)(?=mismatch '|\Z)", re.DOTALL)


class Pages(Kind):
    """The pages of all chapters, by the stem of their files."""

    name = "pages"

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.exact = instruction_set.as_stored()
        self._chapters = {chapter.stem: chapter for chapter in chapters(root)}
        self._data = functools.cache(lambda paper: data_digest(paper, root))
        self._lock = threading.Lock()

    def names(self) -> Sequence[str]:
        """Lessons and records."""
        return list(self._chapters)

    def code(self, name: str) -> str:
        """Of the code cells, the code that they reach, and the data that these load."""
        chapter = self._chapters[name]
        return digest(self._cells[name], self._reached(name).digest, self._data(chapter.paper))

    def _reached(self, name: str, cut: str = "") -> Fingerprint:
        return fingerprint(sources=[joined(read_source(self._chapters[name].source))], words=True, cut=cut)

    def _frame(self, name: str) -> str:
        """Fingerprint of a page without what its studies compute: cells, drawing, and data that no study reads."""
        reached, paper = self._reached(name, "recorded"), self._chapters[name].paper
        return digest(self._cells[name], reached.digest, self._data(paper) if READERS & reached.definitions else "")

    @functools.cached_property
    def _cells(self) -> dict[str, Any]:
        """The code cells of every page: their syntax trees, and what else decides whether a cell runs and shows."""
        return {name: [*_meanings(chapter)] for name, chapter in self._chapters.items()}

    def text(self, name: str) -> str:
        """Of the source file."""
        return digest(self._chapters[name].source.read_bytes())

    def files(self, name: str) -> Sequence[str]:
        """The notebook and its record."""
        chapter = self._chapters[name]
        return [path.relative_to(self.root).as_posix() for path in (chapter.notebook, chapter.record)]

    def result(self, name: str, read: Read) -> str:
        """Of the bytes of both."""
        return digest(*(read(path) for path in self.files(name)))

    def content(self, name: str, read: Read) -> Any:
        """Cells by their number, and the record."""
        notebook, record = (json.loads(read(path)) for path in self.files(name))
        cells = {f"cell {number}": cell for number, cell in enumerate(notebook["cells"])}
        return {**cells, "record": record, "metadata": notebook["metadata"]}

    def compare(self, names: Sequence[str], jobs: int | None) -> Iterator[tuple[str, list[Difference]]]:
        """Execute pages again, in processes of their own."""
        asked = workers(jobs).jobs
        with ThreadPoolExecutor(asked if asked > 0 else os.cpu_count()) as pool:
            yield from zip(names, pool.map(self._compared, names), strict=True)

    def _compared(self, name: str) -> list[Difference]:
        chapter = self._chapters[name]
        source = read_source(chapter.source)
        if not chapter.notebook.is_file():
            return [self._difference(name, "-", "nothing", "a page")]
        stored = read_notebook(chapter.notebook)
        before, now = (len(code_cells(notebook)) for notebook in (stored, source))
        if before != now:
            return [self._difference(name, "number of code cells", str(before), str(now))]
        folder = self.root / "build" / "again"
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            times, known = Path(scratch) / "times.jsonl", Stamps(self.root, STUDIES).get(name)
            own = {
                COMMAND: chapter.mend,
                PROFILE: BOOK,
                TIMES: str(times),
                "COMPANION_JOBS": "1",
                "OMP_NUM_THREADS": "1",
            }
            if self.exact and known and known.code == self._frame(name):
                command = [sys.executable, "-m", "companion.pages.studies", str(chapter.source)]
                done = subprocess.run(command, env=os.environ | own, capture_output=True, check=False)
                if done.returncode == 0 and digest_of_studies(times) == known.result:
                    return []
                times.unlink(missing_ok=True)
            place = Path(scratch) / chapter.notebook.name
            write_atomic(place, to_bytes(with_outputs(source, stored)))
            found = self._failures(name, place, own)
            if not found:
                self._note_studies(name, times)
            return found

    def _note_studies(self, name: str, times: Path) -> None:
        """Remember what the studies of a page found when its outputs were last compared or made."""
        if self.exact and (found := digest_of_studies(times)):
            with self._lock:
                stamps = Stamps(self.root, STUDIES)
                stamps.set(name, Stamp(self._frame(name), "-", found))
                stamps.keep(self.names())
                stamps.write()

    def _failures(self, name: str, place: Path, own: Mapping[str, str]) -> list[Difference]:
        """Report of nbval on a copy of the page."""
        report = place.with_suffix(".xml")
        command = [sys.executable, "-m", "pytest", "-q", "--nbval-lax", "-p", "no:cacheprovider", "-p", "no:xdist"]
        command += [
            "-p",
            "notebooks.conftest",
            "--rootdir",
            str(self.root),
            f"--junitxml={report}",
            "-o",
            "junit_family=xunit1",
        ]
        paths = [str(self.root), os.environ.get("PYTHONPATH", "")]
        environment = os.environ | own | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
        done = subprocess.run(
            [*command, str(place)], cwd=self.root, env=environment, capture_output=True, text=True, check=False
        )
        if not report.is_file():
            return [self._difference(name, "-", "a page", (done.stdout + done.stderr).strip()[-2000:])]
        found = []
        for case in ElementTree.parse(report).iter("testcase"):
            for fault in (*case.iter("failure"), *case.iter("error")):
                text = _COLOUR.sub("", fault.text or fault.get("message") or "")
                cell = str(case.get("name"))
                pairs = [(kind, *map("\n".join, _sides(part))) for kind, part in _MISMATCH.findall(text)]
                found += [self._difference(name, f"{cell}, {kind}", *shortened(old, new)) for kind, old, new in pairs]
                if not pairs:
                    found.append(self._difference(name, cell, "an output", text.strip()[:2000]))
        return found

    def _difference(self, name: str, place: str, old: str, new: str) -> Difference:
        return Difference(f"pages/{name}", place, old, new)

    def store(self, names: Sequence[str], jobs: int | None) -> Iterable[str]:
        """Execute pages and store them."""
        for name in names:
            with tempfile.TemporaryDirectory(prefix="companion-times-") as scratch:
                times = Path(scratch) / "times.jsonl"
                execute(self._chapters[name], times=times)
                self._note_studies(name, times)
            yield f"{name}: executed"

    def renew_text(self, names: Sequence[str]) -> None:
        """Bring over the text of the sources."""
        for name in names:
            rewrite(self._chapters[name])


def _meanings(chapter: Chapter) -> Iterator[Any]:
    for index, cell in code_cells(read_source(chapter.source)):
        try:
            tree = ast.parse(cell.source)
        except SyntaxError as error:
            raise NotebookError(f"{chapter.source.name}: cell {index} is not plain Python: {error.msg}") from error
        tags = [tag for tag in _TAGS if tag in cell.metadata.get("tags", [])]
        yield [ast.dump(tree), _quiet(cell.source), tags]


def _sides(message: str) -> tuple[list[str], list[str]]:
    """Lines that are stored, and lines made now, of a difference as pytest shows it."""
    lines = [line.strip(" ") for line in message.splitlines()]
    stored, made = ([line[2:] for line in lines if line.startswith(sign)] for sign in ("+ ", "- "))
    return stored, made


def _quiet(source: str) -> bool:
    """Does the cell end in a semicolon, which hides its value?"""
    passed_over = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER)
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return [token.string for token in tokens if token.type not in passed_over][-1:] == [";"]
