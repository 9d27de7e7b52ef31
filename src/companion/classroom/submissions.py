"""Submissions: owners of files, the one graded for each student, and oddities, reported before grading."""

from __future__ import annotations

import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from companion.classroom import submission_checks
from companion.classroom.submission_checks import Look
from companion.classroom.submitted_files import Piece, Student, UnreadableError, shown
from companion.core.errors import ParameterError, nearest

#: Canvas: name, perhaps LATE, the student's number, the file's number, the name of the file.
CANVAS = re.compile(r"(?P<stem>[^_]+(?:_LATE)?_(?P<student>\d+)_(?P<file>\d+)_)")
#: Moodle: full name, the participant's number, kind of submission; a folder, or with folders off the head of a file's name.
MOODLE = re.compile(r"(?P<name>[^_]+)_(?P<number>\d+)_assignsubmission_(?P<kind>[a-z]+)_?")
_COPY = re.compile(r"^(?P<base>.+?)(?:[-_ ]?copy|[-_ ]|\s*\()(?P<number>\d{1,3})\)?$", re.IGNORECASE)

_AGAIN = re.compile(r"(?: ?\(\d{1,3}\)|[-_ ]copy ?\d{0,3})$")
#: Characters of a name in which the number of a copy is looked for, and folders in one another.
LONGEST_STEM, DEEPEST = 80, 5
#: Where all files are from so short a time, it is that of a download or a copy.
SECONDS_OF_DOWNLOAD = 600


@dataclass(frozen=True)
class File:
    """A notebook that was handed in: where it is, the name that says whose it is, what it holds, and when it came.

    ``handed_in`` is ISO 8601, as the course's web site says: by its archive, or by the file that came out of it. Empty where it
    does not: Canvas gives all files the time of the download. A date inside a student's own archive is the student's word.
    """

    piece: Piece
    label: str
    name: str
    look: Look
    handed_in: str = ""

    @property
    def in_time(self) -> bool:
        """Whether Canvas says so, by the name that it gave."""
        return bool(CANVAS.match(self.label)) and "_LATE_" not in self.label


@dataclass
class HandedIn:
    """Contents of a folder.

    Parameters
    ----------
    files : by student, the one that is graded first
    nobody : names of notebooks that are nobody's on the roster
    warnings : lines for the screen
    told : those of a student, for the feedback page
    """

    files: dict[str, list[File]]
    nobody: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    told: dict[str, list[str]] = field(default_factory=dict)

    def tell(self, student: str, name: str, text: str) -> None:
        """A warning about a student's file, or about one that is nobody's."""
        self.warnings.append(f"{student + ': ' if student else ''}{name}: {text}")
        if student:
            self.told.setdefault(student, []).append(f"{Path(name).name}: {text}")


def collect(folder: Path, students: Sequence[Student], assignment: str = "") -> HandedIn:
    """All notebooks of a folder, or of one archive, by student.

    A file in a subfolder belongs to whom the subfolder names: by id or e-mail address, or as Moodle does, by id, address or
    full name before the first underscore. Directly in the folder it is named so itself, or as Canvas does. Case counts for
    nothing. An archive is one student's, by the same names. One directly in the folder that is named after nobody is the
    download of a class: names inside count as if it had been unpacked there. The id typed in a notebook counts for nothing:
    anybody can type another's. Links are not followed.

    Of several notebooks of one student that one is first which is graded: one of this assignment before one that says
    nothing, before one of another, before a file that is no notebook; of these the newest: the highest number that Canvas
    gave, the highest number of a copy (``name-2``, ``name (2)``), the last change.
    """
    handed = HandedIn({student.id: [] for student in students})
    paths, base = (_walk(folder, handed), folder) if folder.is_dir() else ([folder], folder.parent)
    theirs: dict[str, list[_Given]] = {}
    for path in paths:
        parts = path.relative_to(base).parts
        owner, label = _owner(parts, students)
        if path.suffix.lower() not in (".ipynb", ".zip"):
            online = (moodle := MOODLE.match(parts[0])) and moodle["kind"] == "onlinetext"
            kind = "is text typed at Moodle, and is not graded" if online else submission_checks.OTHER
            handed.tell(owner or "", shown(path), kind)
        elif owner is None and len(parts) == 1 and _of_a_class(path):
            for owner, given in _of_all(path, students, handed):
                theirs.setdefault(owner, []).append(given)
        elif owner is None:
            _nobodys(handed, shown(path), _why(parts, students))
        else:
            when = path.lstat().st_mtime
            theirs.setdefault(owner, []).append(_Given(Piece(path), label, shown(path), path.name, when))
    looked = submission_checks.look([[(one.piece, one.inside) for one in given] for given in theirs.values()])
    times = [one.when for given in theirs.values() for one in given]
    unpacked = len(times) > 1 and max(times) - min(times) < SECONDS_OF_DOWNLOAD
    for (owner, files_given), looks in zip(theirs.items(), looked, strict=True):
        for one, found in zip(files_given, looks, strict=True):
            for look in (look for look in found if look.problem != submission_checks.OTHER):
                name = shown("/".join([one.name, *look.names]))
                came = "" if unpacked or CANVAS.match(one.label) else _iso(one.when)
                handed.files[owner].append(File(Piece(one.piece.path, look.inner), one.label, name, look, came))
    for student, files in handed.files.items():
        last = _copies(files)
        handed.files[student] = sorted(files, key=lambda file: _rank(file, last, assignment), reverse=True)
    return handed


@dataclass(frozen=True)
class _Given:
    """A file of a student: where, the part of a path that says so, its name for people, its own, its time."""

    piece: Piece
    label: str
    name: str
    inside: str
    when: float


def _of_all(path: Path, students: Sequence[Student], handed: HandedIn) -> Iterator[tuple[str, _Given]]:
    """Files in the archive of a class, by the student whom their names name."""
    try:
        listed = [one for one in submission_checks.members(path) if not submission_checks.hidden(one[1])]
    except UnreadableError as error:
        _nobodys(handed, shown(path), str(error))
        return
    wanted = [one for one in listed if one[1].lower().endswith((".ipynb", ".zip"))]
    handed.warnings.append(f"{shown(path)}: names in this archive say whose {len(wanted)} files are")
    for number, inside, date in listed:
        parts = [part for part in inside.split("/") if part not in ("", ".", "..")]
        owner, label = _owner(parts, students)
        name = shown(f"{path}/{inside}")
        if not inside.lower().endswith((".ipynb", ".zip")):
            handed.tell(owner or "", name, submission_checks.OTHER)
        elif owner is None:
            _nobodys(handed, name, _why(parts, students))
        else:
            yield owner, _Given(Piece(path, (number,)), label, name, inside, submission_checks.seconds(date))


def _nobodys(handed: HandedIn, name: str, why: str) -> None:
    handed.nobody.append(name)
    handed.warnings.append(f"nobody's, and not graded: {name}" + (why and f": {why}"))


def _walk(folder: Path, handed: HandedIn) -> list[Path]:
    """Files of a folder and of those in it, down to a depth that nobody needs more than."""
    found, pending = [], [folder]
    while pending:
        here = pending.pop()
        depth = len(here.relative_to(folder).parts)
        folders = []
        for entry in sorted(os.scandir(here), key=lambda entry: entry.name):
            if entry.is_dir(follow_symlinks=False):
                folders.append(Path(entry.path))
            elif not submission_checks.hidden(Path(entry.path).relative_to(folder).as_posix()):
                found.append(Path(entry.path))
        if folders and depth == DEEPEST:
            handed.warnings.append(
                f"{shown(here)}: folders in it are not looked at, {DEEPEST} in one another are enough"
            )
        else:
            pending += reversed(folders)
    return found


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


def _of_a_class(path: Path) -> bool:
    """Whether it may be a download of many: an archive, and not one that the course's web site names after a student."""
    return path.suffix.lower() == ".zip" and not CANVAS.match(path.name) and not MOODLE.match(path.name)


def _owner(parts: Sequence[str], students: Sequence[Student]) -> tuple[str | None, str]:
    """The one student whom the first part of a path names, and this part."""
    label = parts[0] if parts else ""
    alone = len(parts) == 1 or label.lower().endswith(".zip")
    stem = _plain(Path(label).stem if alone and Path(label).suffix.lower() in (".ipynb", ".zip") else label)
    begin = stem.partition("_")[0].strip()
    canvas = CANVAS.match(label) if alone else None
    moodle = MOODLE.match(label) or not alone
    again = _AGAIN.sub("", stem)  # a browser or JupyterLab has made a copy
    rules = (
        [student.id for student in students if stem and stem in (_plain(student.id), _plain(student.email))],
        [student.id for student in students if alone and again in (_plain(student.id), _plain(student.email))],
        [student.id for student in students if canvas and student.canvas_id == canvas["student"]],
        [student.id for student in students if moodle and begin in _names(student)],
    )
    for owners in rules:
        if owners:  # two students of one name: nobody's, rather than the wrong one's
            return owners[0] if len(owners) == 1 else None, label
    return None, label


def _why(parts: Sequence[str], students: Sequence[Student]) -> str:
    """Suggestions for a file without an owner."""
    begin = _plain(parts[0]).partition("_")[0].strip()
    same = [student.id for student in students if begin in _names(student)]
    if len(same) > 1:
        return f"{' and '.join(same)} have this name; put the id in its place, as in {same[0]}_..."
    inner = _owner(parts[1:], students)[0] if len(parts) > 2 else None
    return (
        f"folders of students have to lie directly in the folder that is graded, not in {shown(parts[0])}"
        if inner
        else nearest(Path(parts[0]).stem, [student.id for student in students])
    )


def _names(student: Student) -> set[str]:
    """Folder names of a student: "Lovelace, Ada" in a roster is "Ada Lovelace" to Moodle."""
    last, _, first = student.name.partition(",")
    names = {student.id, student.email, student.name, f"{first.strip()} {last.strip()}" if first else ""}
    return {_plain(name) for name in names if name}


def _copies(files: Sequence[File]) -> bool:
    """Whether all are copies of one name, so that the numbers of these copies say which is the last."""
    return len({_numbered(Path(file.name).stem)[0] for file in files}) == 1


def _rank(file: File, copies: bool, assignment: str) -> tuple[int, int, int, float, str]:
    look = file.look
    kind = 0 if look.problem else 1 if look.assignment not in ("", assignment) else 2 + bool(look.assignment)
    canvas = CANVAS.match(Path(file.name).name)
    number = _numbered(Path(file.name).stem)[1] if copies else 0
    return kind, int(canvas["file"]) if canvas else 0, number, look.when, file.name


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().isoformat(timespec="seconds")


def _numbered(stem: str) -> tuple[str, int]:
    match = _COPY.match(stem[-LONGEST_STEM:])
    return (match["base"].casefold(), int(match["number"])) if match else (stem.casefold(), 0)


def examine(handed: HandedIn, assignment: str, series: str, own: bool, anyway: bool = False) -> None:
    """Add a warning for everything odd.

    Parameters
    ----------
    handed : what :func:`collect` found
    assignment, series : what is graded, and the mark of its shown key, see :func:`companion.classroom.keys.series`
    own : whether the assignment has numbers of one's own, so that the id typed matters
    anyway : also where most notebooks are of something else

    Raises
    ------
    ParameterError
        if more than half of the notebooks that say so are of another assignment, or were made with another secret
    """
    first = [files[0] for files in handed.files.values() if files]
    if not anyway:
        _refuse("--assignment", assignment, Counter(file.look.assignment for file in first))
        of_this = Counter(file.look.series for file in first if file.look.assignment == assignment)
        if most := _most(series, of_this):
            told = f"{most[1]} of {sum(of_this.values())} notebooks were made with another course secret"
            raise ParameterError("--secret", told, "the one they were made with", "With --anyway they are graded")
    for student, files in handed.files.items():
        if not files:
            continue
        chosen, look = files[0], files[0].look
        if len(files) > 1:
            others = ", ".join(Path(file.name).name for file in files[1:])
            handed.tell(student, chosen.name, f"is graded, and not {shown(others, 400)}")
        if look.problem:  # which the result says, too
            handed.warnings.append(f"{student}: {chosen.name}: {look.problem}")
            continue
        if look.assignment not in ("", assignment):
            handed.tell(student, chosen.name, f"is a notebook of {shown(look.assignment)}, not of {assignment}")
        elif look.series not in ("", series):
            handed.tell(student, chosen.name, "was made with another course secret: its own numbers are others")
        if own and look.typed is not None and look.typed.strip() != student:
            given = f"the id {shown(look.typed.strip())!r}" if look.typed.strip() else "no id"
            handed.tell(student, chosen.name, f"has {given} typed in, and is graded with the numbers of {student!r}")
        if "_LATE_" in chosen.label:
            handed.tell(student, chosen.name, "is late, says Canvas")


def _most(expected: str, counted: Counter[str]) -> tuple[str, int] | None:
    """Majority of the others' values, if it differs."""
    said = Counter({name: count for name, count in counted.items() if name})
    other = Counter({name: count for name, count in said.items() if name != expected})
    if 2 * sum(other.values()) <= sum(said.values()):
        return None
    return other.most_common(1)[0][0], sum(other.values())


def _refuse(name: str, expected: str, counted: Counter[str]) -> None:
    if most := _most(expected, counted):
        told = f"{most[1]} of {sum(counted.values())} notebooks are of another assignment, such as {shown(most[0])}"
        raise ParameterError(name, told, expected, "With --anyway they are graded")
