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
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from companion.core import arithmetic
from companion.core.files import write_atomic
from companion.current.fingerprint import fingerprint_of_source
from companion.current.settle import Difference, Kind, Read, brief
from companion.current.stamps import digest
from companion.pages.document import (
    NotebookError,
    chapters,
    code_cells,
    joined,
    read_notebook,
    read_source,
    to_bytes,
)
from companion.pages.execution import execute
from companion.pages.pairing import rewrite, with_outputs
from companion.reproduce.hashing import data_digest
from companion.simulate.replicate import workers

#: Tags by which a kernel's client passes over a cell or accepts its failure.
_TAGS = ("raises-exception", "skip-execution")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_COMPARED = re.compile(
    r"<<<<<<+ Reference output from ipynb file:\n(.*?)\n====+ disagrees with newly computed \(test\) output:\n(.*?)\n>>>>+",
    re.DOTALL,
)


class Pages(Kind):
    """The pages of all chapters, by the stem of their files."""

    name = "pages"

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.exact = arithmetic.as_stored()
        self._chapters = {chapter.stem: chapter for chapter in chapters(root)}
        self._data = functools.cache(lambda paper: data_digest(paper, root))

    def names(self) -> Sequence[str]:
        """Lessons and records."""
        return list(self._chapters)

    def code(self, name: str) -> str:
        """Of the code cells, the code that they reach, and the data that these load."""
        chapter = self._chapters[name]
        notebook = read_source(chapter.source)
        cells = []
        for index, cell in code_cells(notebook):
            try:
                tree = ast.parse(cell.source)
            except SyntaxError as error:
                raise NotebookError(f"{chapter.source.name}: cell {index} is not plain Python: {error.msg}") from error
            tags = [tag for tag in _TAGS if tag in cell.metadata.get("tags", [])]
            cells.append([ast.dump(tree), _quiet(cell.source), tags])
        return digest(cells, fingerprint_of_source(joined(notebook)).digest, self._data(chapter.paper))

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
            place = Path(scratch) / chapter.notebook.name
            write_atomic(place, to_bytes(with_outputs(source, stored)))
            return self._failures(name, place)

    def _failures(self, name: str, place: Path) -> list[Difference]:
        """What nbval says of a copy of the page."""
        report = place.with_suffix(".xml")
        command = [sys.executable, "-m", "pytest", "-q", "--nbval-lax", "-p", "no:cacheprovider", "-p", "no:xdist"]
        command += ["-p", "conftest", "--rootdir", str(self.root), f"--junitxml={report}", "-o", "junit_family=xunit1"]
        paths = [str(self.root / "notebooks"), os.environ.get("PYTHONPATH", "")]
        environment = os.environ | {"COMPANION_JOBS": "1", "PYTHONPATH": os.pathsep.join(filter(None, paths))}
        done = subprocess.run(
            [*command, str(place)], cwd=self.root, env=environment, capture_output=True, text=True, check=False
        )
        if not report.is_file():
            return [self._difference(name, "-", "a page", (done.stdout + done.stderr).strip()[-2000:])]
        found = []
        for case in ElementTree.parse(report).iter("testcase"):
            for fault in (*case.iter("failure"), *case.iter("error")):
                text = _COLOUR.sub("", fault.text or fault.get("message") or "")
                pairs = _COMPARED.findall(text)
                cell = (case.get("name") or "").replace("::", " ")
                found += [self._difference(name, cell, *brief(old, new)) for old, new in pairs]
                if not pairs:
                    found.append(self._difference(name, cell, "an output", text.strip()[:2000]))
        return found

    def _difference(self, name: str, place: str, old: str, new: str) -> Difference:
        return Difference(f"pages/{name}", place, old, new)

    def store(self, names: Sequence[str], jobs: int | None) -> Iterable[str]:
        """Execute pages and store them."""
        for name in names:
            execute(self._chapters[name])
            yield f"{name}: executed"

    def renew_text(self, names: Sequence[str]) -> None:
        """Bring over the text of the sources."""
        for name in names:
            rewrite(self._chapters[name])


def _quiet(source: str) -> bool:
    """Does the cell end in a semicolon, which hides its value?"""
    passed_over = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER)
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return [token.string for token in tokens if token.type not in passed_over][-1:] == [";"]
