"""What was handed in: whose file it is, and the code in it. Read as data; nothing of it is executed here."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.core.errors import ParameterError

LARGEST_FILE, LARGEST_CODE, MOST_CELLS = 10 << 20, 1 << 20, 500
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}")
#: Canvas: name, perhaps LATE, the student's number, the submission's number, the name of the file.
_CANVAS = re.compile(r"[^_]+(?:_LATE)?_(?P<student>\d+)_\d+_")


class UnreadableError(Exception):
    """A file that is no notebook, or a larger one than is read; the message is for the student."""


@dataclass(frozen=True)
class Student:
    """A line of the roster. ``id`` is what the student types into the notebook; the others may be empty."""

    id: str
    name: str = ""
    email: str = ""
    canvas_id: str = ""


def read_roster(path: Path) -> list[Student]:
    """The students of a course: CSV with a header; column ``id``, and where known ``name``, ``email``, ``canvas_id``.

    Raises
    ------
    ParameterError
        if there is no such file or column, an id is used twice, or could not be the name of a file
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ParameterError("--students", f"{path} cannot be read ({error})", "a CSV file in UTF-8") from None
    reader = csv.DictReader(io.StringIO(text))
    columns = [str(column).strip().lower() for column in reader.fieldnames or ()]
    if "id" not in columns:
        raise ParameterError("--students", f"{path} has the columns {', '.join(columns) or 'none'}", "a column id")
    reader.fieldnames = columns
    students: list[Student] = []
    for row in reader:
        values = {name: (row.get(name) or "").strip() for name in ("id", "name", "email", "canvas_id")}
        if not _ID.fullmatch(values["id"]):
            problem = f"{path}, line {reader.line_num}: the id is {values['id']!r}"
            raise ParameterError(
                "--students", problem, "up to 64 letters, digits and . _ @ + -, a letter or digit first"
            )
        students.append(Student(**values))
    folded = [student.id.casefold() for student in students]
    twice = sorted({student.id for student in students if folded.count(student.id.casefold()) > 1})
    if twice or not students:
        raise ParameterError("--students", f"{path}: {', '.join(twice) or 'no student'} listed", "every id once")
    return students


def collect(folder: Path, students: list[Student]) -> tuple[dict[str, list[Path]], list[Path]]:
    """Notebooks by student id, and those that are nobody's.

    A file in a subfolder belongs to whom the subfolder names: by id, or as Moodle does, by id or full name before the
    first underscore. Directly in the folder it is named by id, or as Canvas does. The id typed in a notebook counts for
    nothing: anybody can type another's. Links are not followed.
    """
    found: dict[str, list[Path]] = {student.id: [] for student in students}
    nobody = []
    for root, folders, files in os.walk(folder, followlinks=False):
        folders.sort()
        for name in sorted(files):
            path = Path(root, name)
            if name.startswith("._") or path.suffix != ".ipynb" or ".ipynb_checkpoints" in path.parts:
                continue
            owner = _owner(path.relative_to(folder), students)
            if owner is None:
                nobody.append(path)
            else:
                found[owner].append(path)
    return found, nobody


def _owner(path: Path, students: list[Student]) -> str | None:
    label = path.parts[0] if len(path.parts) > 1 else path.stem
    begin = label.partition("_")[0].strip()
    canvas = _CANVAS.match(path.name) if len(path.parts) == 1 else None
    rules = (
        [student.id for student in students if student.id == label],
        [student.id for student in students if canvas and student.canvas_id == canvas["student"]],
        [student.id for student in students if len(path.parts) > 1 and begin in (student.id, student.name)],
    )
    for owners in rules:
        if len(owners) == 1:
            return owners[0]
        if owners:  # two students of one name: nobody's, rather than the wrong one's
            return None
    return None


def read_file(path: Path) -> bytes:
    """Content of an ordinary file of bounded size.

    Raises
    ------
    UnreadableError
        for a link, a device, a pipe, or a larger file
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        raise UnreadableError("the file cannot be opened, or is a link") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UnreadableError("it is no ordinary file")
    with open(descriptor, "rb") as file:
        content = file.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise UnreadableError(f"the file has more than {LARGEST_FILE >> 20} MB; clear the outputs and hand it in again")
    return content


def code_cells(content: bytes) -> list[str]:
    """Text of a notebook's code cells.

    Raises
    ------
    UnreadableError
        if it is no notebook of format 4
    """
    try:
        notebook: Any = json.loads(content.decode("utf-8-sig"))
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        sources = [cell["source"] for cell in cells]
        texts: list[Any] = ["".join(source) if isinstance(source, list) else source for source in sources]
        if not all(isinstance(text, str) for text in texts):
            raise TypeError("a cell's source is no text")
        size = sum(len(text.encode("utf-8")) for text in texts)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UnreadableError("the file is no Jupyter notebook: save it again, and hand in the .ipynb") from None
    if len(texts) > MOST_CELLS or size > LARGEST_CODE:
        raise UnreadableError(f"it has more than {MOST_CELLS} code cells or {LARGEST_CODE >> 20} MB of code")
    return texts
