"""Strange hand-ins: each is told in one line, and whoever handed in properly is graded all the same."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import struct
import sys
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from classroom.conftest import KEYS, answered, setting

from companion import cli
from companion.classroom import (
    archives,
    cleanup,
    course_tables,
    keys,
    source,
    student_copies,
    submission_checks,
    submissions,
    submitted_files,
)
from companion.classroom.grading import grade_folder
from companion.classroom.sandbox import Sandbox
from companion.classroom.source import Assignment
from companion.classroom.submissions import HandedIn
from companion.classroom.submitted_files import Piece, Student, UnreadableError
from companion.core.errors import ParameterError

SERIES = keys.series(KEYS.shown)
STUDENTS = [
    Student("ada", "Lovelace, Ada", "ada@example.edu", "17"),
    Student("bob", "Bob Byte", "bob@example.edu", "18"),
    Student("b0b", "Bob Byte", "b0b@example.edu", "19"),
    Student("cid", "José Cid", "cid@example.edu", "20"),
]


def written(student: str, assignment: str = "ch3_sizes", series: str = SERIES, more: str = "x = 1") -> bytes:
    """A notebook with what it says of itself, and little code."""
    cells = ["import selfcheck\n\n" + f"selfcheck.student({student!r})", more]
    made = [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": c} for c in cells]
    noted = {"companion": {"assignment": assignment, "series": series}}
    return json.dumps({"cells": made, "metadata": noted, "nbformat": 4, "nbformat_minor": 5}).encode()


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


@dataclass(frozen=True)
class Strange:
    """Files by name, the line that tells, and whether ada has a file that is graded."""

    files: dict[str | bytes, bytes]
    told: str
    graded: bool = True


GOOD = written("ada")
STRANGE = {
    "another assignment": Strange(
        {"ada.ipynb": written("ada", "ch1_batch")}, "is a notebook of ch1_batch, not of ch3_sizes"
    ),
    "another secret": Strange({"ada.ipynb": written("ada", series="0" * 12)}, "was made with another course secret"),
    "another's id": Strange({"ada.ipynb": written("bob")}, "has the id 'bob' typed in"),
    "an id in other case": Strange({"ada.ipynb": written("Ada")}, "has the id 'Ada' typed in"),
    "no id": Strange({"ada.ipynb": written("")}, "has no id typed in"),
    "two files": Strange({"ada/hw-1.ipynb": GOOD, "ada/hw.ipynb": GOOD}, "hw-1.ipynb: is graded, and not hw.ipynb"),
    "bytes that are no text": Strange(
        {"ada/a.ipynb": GOOD, b"ada/\xf6.ipynb": b"no"}, "a.ipynb: is graded, and not ?.ipynb"
    ),
    "a terminal's sequences": Strange(
        {"ada/\x1b[2J\nall graded.ipynb": b"no"}, "?[2J?all graded.ipynb: the file is no"
    ),
    "Python": Strange({"ada.py": b"x = 1"}, "ada.py: is no notebook", graded=False),
    "a page": Strange({"ada/hw.html": b"<p>"}, "hw.html: is no notebook", graded=False),
    "text in a notebook's name": Strange({"ada.ipynb.txt": GOOD}, "ada.ipynb.txt: is no notebook", graded=False),
    "text at Moodle": Strange(
        {"Ada Lovelace_7_assignsubmission_onlinetext/onlinetext.html": b"<p>"}, "is text typed at Moodle", graded=False
    ),
    "an archive without a notebook": Strange(
        {"ada.zip": zipped({"a.txt": b""})}, "the archive holds no notebook", graded=False
    ),
    "an archive that is none": Strange({"ada.zip": b"PK\x03\x04"}, "it is no zip archive", graded=False),
    "an archive that grows": Strange(
        {"ada.zip": zipped({"a.ipynb": b" " * (30 << 20)})}, "packed more tightly than a notebook", graded=False
    ),
    "an archive of many": Strange(
        {"ada.zip": zipped({f"{n}.txt": b"" for n in range(archives.MOST_MEMBERS + 1)})},
        "more than 5000 members",
        graded=False,
    ),
    "an archive too deep": Strange(
        {"ada.zip": zipped({"a.zip": zipped({"b.zip": zipped({"c.ipynb": GOOD})})})},
        "an archive in an archive",
        graded=False,
    ),
    "late": Strange({"lovelaceada_LATE_17_99_hw.ipynb": GOOD}, "is late, says Canvas"),
    "somebody else": Strange({"eve.ipynb": GOOD}, "nobody's, and not graded: ", graded=False),
    "one of two of a name": Strange(
        {"Bob Byte_4_assignsubmission_file/a.ipynb": GOOD}, "have this name; put the id in its place", graded=False
    ),
    "a download in a folder of its own": Strange(
        {"moodle/Ada Lovelace_7_assignsubmission_file_/a.ipynb": GOOD}, "directly in the folder that is", graded=False
    ),
    "a stranger's archive": Strange(
        {"eve_9_99_hw.zip": zipped({"ada.ipynb": GOOD})}, "nobody's, and not graded: ", graded=False
    ),
    "a class's archive": Strange(
        {"all.zip": zipped({"ada.ipynb": GOOD})}, "names in this archive say whose 1 files are"
    ),
    "conflict marks": Strange({"ada.ipynb": b"<<<<<<< HEAD\n"}, "is no Jupyter notebook", graded=True),
}
#: Nothing is odd about these, and they are ada's.
PLAIN: dict[str, dict[str | bytes, bytes]] = {
    "capitals": {"ADA.IPYNB": GOOD},
    "an address": {"ada@example.edu.ipynb": GOOD},
    "a browser's copy": {"ada (1).ipynb": GOOD},
    "JupyterLab's copy": {"ada-Copy1.ipynb": GOOD},
    "a folder, in other case": {"Ada/hw.ipynb": GOOD},
    "Canvas": {"lovelaceada_17_99_hw.ipynb": GOOD},
    "Moodle": {"Ada Lovelace_7_assignsubmission_file_/hw.ipynb": GOOD},
    "Moodle without folders": {"Ada Lovelace_7_assignsubmission_file_my_hw.ipynb": GOOD},
    "an archive of one's own": {
        "ada.zip": zipped({"ch3/hw.ipynb": GOOD, "__MACOSX/._hw.ipynb": b"", "selfcheck.py": b""})
    },
    "an archive at Canvas": {"lovelaceada_17_99_hw.zip": zipped({"hw.ipynb": GOOD})},
    "an archive at Moodle": {"Ada Lovelace_7_assignsubmission_file/hw.zip": zipped({"../../etc/hw.ipynb": GOOD})},
    "what comes along": {
        "ada/hw.ipynb": GOOD,
        "ada/selfcheck.py": b"",
        "ada/.ipynb_checkpoints/hw.ipynb": b"",
        "ada/._hw.ipynb": b"",
    },
}


def put(folder: Path, files: dict[str | bytes, bytes]) -> None:
    for name, content in files.items():
        path = folder / os.fsdecode(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def examined(folder: Path, anyway: bool = False) -> HandedIn:
    found = submissions.collect(folder, STUDENTS, "ch3_sizes")
    submissions.examine(found, "ch3_sizes", SERIES, True, anyway)
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two honest students."""
    put(tmp_path / "in", {"bob.ipynb": written("bob"), "cid.ipynb": written("cid")})
    return tmp_path / "in"


@pytest.mark.parametrize("name", STRANGE)
def test_what_is_strange_is_told_in_one_line(name: str, folder: Path) -> None:
    strange = STRANGE[name]
    put(folder, strange.files)
    found = examined(folder)
    (line,) = found.warnings
    assert strange.told in line
    assert line.isprintable()
    line.encode()
    assert bool(found.files["ada"]) == strange.graded or name.startswith("an archive")
    assert [len(found.files[one]) for one in ("bob", "b0b", "cid")] == [1, 0, 1]
    assert not set(found.told) - {"ada"}


@pytest.mark.parametrize("name", PLAIN)
def test_what_is_plain_is_not_told(name: str, folder: Path) -> None:
    put(folder, PLAIN[name])
    found = examined(folder)
    assert not found.warnings
    assert not found.nobody
    (file,) = found.files["ada"]
    assert submission_checks.content(file.piece) == GOOD
    assert not file.look.problem


NEWEST: dict[str, tuple[dict[str | bytes, bytes], str]] = {
    "the file that Canvas numbered last": (
        {"lovelaceada_17_100_hw.ipynb": GOOD, "lovelaceada_17_99_hw-1.ipynb": GOOD},
        "lovelaceada_17_100_hw.ipynb",
    ),
    "the last copy": ({"ada/hw (2).ipynb": GOOD, "ada/hw (10).ipynb": GOOD, "ada/hw.ipynb": GOOD}, "hw (10).ipynb"),
    "the copy that Jupyter makes": ({"ada/hw-Copy1.ipynb": GOOD, "ada/hw.ipynb": GOOD}, "hw-Copy1.ipynb"),
    "a notebook before something else": ({"ada/a.ipynb": GOOD, "ada/a-1.ipynb": b"no"}, "a.ipynb"),
    "this assignment before another": (
        {"ada/a.ipynb": GOOD, "ada/a-1.ipynb": written("ada", "ch1_batch"), "ada/a-2.ipynb": written("ada", "")},
        "a.ipynb",
    ),
}


@pytest.mark.parametrize("name", NEWEST)
def test_the_newest_of_several_is_graded(name: str, folder: Path) -> None:
    files, expected = NEWEST[name]
    put(folder, files)
    assert Path(examined(folder).files["ada"][0].name).name == expected


def test_other_kinds_in_the_archive_of_a_class_are_told_and_in_a_student_s_are_not(folder: Path) -> None:
    files = {"ada/hw.py": b"", "bob.zip": zipped({"figure.png": b"", "hw.ipynb": written("bob")}), "README.txt": b""}
    put(folder, {"all.zip": zipped(files), "cid.zip": zipped({"cid.ipynb": written("cid"), "data.csv": b""})})
    for name in ("bob", "cid"):
        (folder / f"{name}.ipynb").unlink()
    found = examined(folder)
    assert found.warnings[1:] == [f"ada: {folder}/all.zip/ada/hw.py: is no notebook, and is not graded"]
    assert [len(files) for files in found.files.values()] == [0, 1, 0, 1]


def test_of_other_names_the_last_change_counts(folder: Path) -> None:
    put(folder, {"ada/early_9.ipynb": GOOD, "ada/final.ipynb": GOOD})
    for name, when in (("early_9", 1e9), ("final", 1e9 - 5)):
        os.utime(folder / "ada" / f"{name}.ipynb", (when, when))
    assert examined(folder).files["ada"][0].name.endswith("early_9.ipynb")
    os.utime(folder / "ada" / "final.ipynb", (1e9 + 5, 1e9 + 5))
    assert examined(folder).files["ada"][0].name.endswith("final.ipynb")


@pytest.mark.parametrize(
    ("theirs", "argument"), [({"assignment": "ch1_batch"}, "--assignment"), ({"series": "0" * 12}, "--secret")]
)
def test_mix_ups_of_most_are_refused_and_of_half_are_not(folder: Path, theirs: dict[str, str], argument: str) -> None:
    put(folder, {"ada.ipynb": written("ada", **theirs), "b0b.ipynb": written("b0b", **theirs)})
    assert len(examined(folder).warnings) == 2
    put(folder, {"cid.ipynb": written("cid", **theirs)})
    with pytest.raises(ParameterError):
        examined(folder)
    assert len(examined(folder, anyway=True).warnings) == 3


def test_a_secret_is_judged_by_notebooks_of_this_assignment_alone(folder: Path) -> None:
    put(folder, {"ada.ipynb": written("ada", "ch1_batch", "0" * 12), "b0b.ipynb": written("b0b", series="0" * 12)})
    (folder / "cid.ipynb").unlink()
    assert len(examined(folder).warnings) == 2


def test_without_own_numbers_the_id_typed_does_not_matter(folder: Path) -> None:
    put(folder, {"ada.ipynb": written("bob")})
    found = submissions.collect(folder, STUDENTS, "ch3_sizes")
    submissions.examine(found, "ch3_sizes", SERIES, own=False)
    assert not found.warnings


def test_notebooks_that_say_nothing_of_themselves_are_not_told(folder: Path) -> None:
    put(folder, {f"{name}.ipynb": written(name, "", "") for name in ("ada", "bob", "b0b", "cid")})
    assert not examined(folder).warnings


def test_reading_is_not_stopped_by_a_file_that_ends_the_reader(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "reader"
    program.write_text(
        """#!/bin/sh
while read line; do case $line in *ada*) printf '%s\\n' '[true, "[0]\\n[1]"]';; *) echo '[false, "[0]"]';; esac; done
""",
        encoding="utf-8",
    )
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    files = [[(Piece(Path(name)), name) for name in names] for names in (["a"], ["b", "ada", "c"], ["d"])]
    told = [[[one.problem for one in looks] for looks in found] for found in submission_checks.look(files)]
    assert told == [[[]], [[], [submission_checks.ENDED], [submission_checks.ENDED]], [[]]]


@pytest.mark.slow
def test_hostile_files_cost_their_student_only(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An archive of thousands, code that no parser ends with, folders in one another, and many names of blanks."""
    many = zipped({f"{n:04}.ipynb": b"{}" for n in range(4900)})
    (folder / "bob.ipynb").unlink()
    code = written("b0b", more="a;" * 500_000)
    put(folder, {"all.zip": zipped({"ada.zip": many, "b0b.ipynb": code, "bob.ipynb": written("bob")})})
    put(folder, {f"cid/{' ' * 100}{n}.ipynb": b"{}" for n in range(400)})
    monkeypatch.chdir(folder / "cid")
    for _ in range(1500):
        os.mkdir("x")
        os.chdir("x")
    began = time.monotonic()
    found = examined(folder)
    assert time.monotonic() - began < 2 * submission_checks.SECONDS * submission_checks.WAITING
    assert [one.look.problem for one in found.files["bob"]] == [""]
    assert found.files["cid"][0].name.endswith("cid.ipynb")
    for student in ("ada", "cid"):
        assert sum(one.look.problem != submission_checks.MANY for one in found.files[student]) == 50
    assert any("folders in it are not looked at" in line for line in found.warnings)
    monkeypatch.chdir(folder)
    cleanup.remove(folder / "cid")


def entry(content: bytes, at: int = 0, new: bytes = b"", method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """An archive of one notebook, with other bytes at a place of its entry in the directory."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("a.ipynb", content)
    packed = buffer.getvalue()
    place = packed.rindex(b"PK\x01\x02") + at
    return packed[:place] + new + packed[place + len(new) :]


def overlapping(count: int) -> bytes:
    """An archive whose many entries are all the same bytes."""
    one = entry(b" " * (9 << 20))
    place, end = one.rindex(b"PK\x01\x02"), one.rindex(b"PK\x05\x06")
    closing = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count, count, count * (end - place), place, 0)
    return one[:place] + one[place:end] * count + closing


def coded(text: str) -> bytes:
    return json.dumps({"cells": [{"cell_type": "code", "source": text}], "metadata": {}}).encode()


BLANKS = b" " * (9 << 20)
HOSTILE = {
    "entries over one another.zip": overlapping(4000),
    "size of nothing.zip": entry(BLANKS, 24, b"\0\0\0\0"),
    "size of four gigabytes.zip": entry(GOOD, 24, b"\xf0\xff\xff\xff"),
    "another sum.zip": entry(GOOD, 16, b"\0\0\0\0"),
    "a password.zip": entry(GOOD, 8, b"\1\0"),
    "an unknown method.zip": entry(GOOD, 10, b"\x63\0"),
    "an offset beyond the end.zip": entry(GOOD, 42, b"\xff\xff\xff\x7f"),
    "bz2.zip": entry(BLANKS * 10, method=zipfile.ZIP_BZIP2),
    "lzma.zip": entry(BLANKS * 10, method=zipfile.ZIP_LZMA),
    "packed.ipynb": gzip.compress(GOOD),
    "an archive.ipynb": entry(GOOD),
    "a number of a million digits.ipynb": GOOD[:-1] + b', "n": ' + b"9" * 10**6 + b"}",
    "lists.ipynb": b'{"cells": [' + b"[]," * 3_300_000 + b"1]}",
    "more behind it.ipynb": GOOD + b"{}",
    "cells by name.ipynb": b'{"cells": {"a": 1}}',
}
HOSTILE_CODE = {
    "functions of functions": "x=" + "lambda:" * 90_000 + "1",
    "parts of parts": "x" + ".a" * 400_000,
    "calls of calls": "f" + "()" * 400_000,
    "pieces of text": "f'" + "{x}" * 60_000 + "'",
    "blocks in blocks": "".join(" " * n + "if x:\n" for n in range(99)) + " " * 99 + "y",
    "an id of five thousand letters": "import selfcheck\nselfcheck.student('\u202e" + "a" * 5000 + "')",
}


@pytest.mark.slow
def test_no_file_costs_another_student_anything(folder: Path) -> None:
    """Archives and notebooks that are not what they say: told, within the budget, and no more of them read than one may."""
    files = HOSTILE | {f"{name}.ipynb": coded(text) for name, text in HOSTILE_CODE.items()}
    put(folder, {f"ada/{n}-{name}": content for n, (name, content) in enumerate(files.items())})
    asked = [[(Piece(path), path.name)] for path in sorted((folder / "ada").iterdir())] + [
        [(Piece(folder / "bob.ipynb"), "bob.ipynb")]
    ]
    for ((piece, name),), (looks,) in zip(asked, submission_checks.look(asked), strict=True):
        assert looks
        told = name.partition("-")[2]
        assert all(look.problem for look in looks) == (told in HOSTILE), (name, looks[0].problem)
        assert all(len(look.typed or "") <= 80 for look in looks)
        for look in looks[:1]:
            with contextlib.suppress(UnreadableError):
                inside = submission_checks.content(Piece(piece.path, look.inner))
                assert len(inside) <= submitted_files.LARGEST_FILE


def test_a_member_is_read_by_number_and_within_bounds(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(zipped({"one": b"1", "two.zip": zipped({"three": b"3"})}))
    assert submission_checks.content(Piece(path, (0,))) == b"1"
    assert submission_checks.content(Piece(path, (1, 0))) == b"3"
    for inner in ((2,), (0, 0), (1, 0, 0)):
        with pytest.raises(UnreadableError):
            submission_checks.content(Piece(path, inner))


def test_what_a_notebook_says_is_read_as_data(tmp_path: Path) -> None:
    more = (
        "def f(x):\n    '''Text.'''\n    raise NotImplementedError\n\ndef g(x):\n    return x\n\n"
        "a = None\nb: int = 3\nfor c in 1, 2:\n    d = c"
    )
    path = tmp_path / "a.ipynb"
    path.write_bytes(written("eve", more=more))
    (((look,),),) = submission_checks.look([[(Piece(path), path.name)]])
    assert (look.typed, look.assignment, look.series) == ("eve", "ch3_sizes", SERIES)
    assert look.answered == ["b", "c", "d", "g"]


@pytest.mark.parametrize(
    "content",
    [
        "id;name;email\nada;Lovelace, Ada;a@b\n".encode("utf-8-sig"),
        "id\tname\temail\nada\tLovelace, Ada\ta@b\n".encode("utf-16"),
        'id,name,email\nada,"Lovelace, Ada",a@b\n'.encode("cp1252"),
        b"sep=;\r\nid;name;email\r\nada;Lovelace, Ada;a@b\r\n",
        b"id;name;email;;\nada;Lovelace, Ada;a@b;;\n;;;;\n",
    ],
)
def test_rosters_are_read_as_spreadsheets_write_them(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "roster.csv"
    path.write_bytes(content)
    assert course_tables.read_roster(path) == [Student("ada", "Lovelace, Ada", "a@b")]
    path.write_bytes("id;name\nada;José\n".encode("cp1252"))
    assert course_tables.read_roster(path)[0].name == "José"


@pytest.mark.parametrize("header", ["id,name,id", "ID,name,Id", "id,canvas_id,Canvas ID"])
def test_a_roster_has_one_column_of_a_name(header: str, tmp_path: Path) -> None:
    path = tmp_path / "roster.csv"
    path.write_text(f"{header}\nada,Ada,4711\n", encoding="utf-8")
    with pytest.raises(ParameterError, match=r"--students: .*roster.csv has the column \w+ twice"):
        course_tables.read_roster(path)
    path.write_text("id,name,,\nada,Ada,,\n", encoding="utf-8")
    assert course_tables.read_roster(path) == [Student("ada", "Ada")], "columns without a name are left out"


@pytest.mark.slow
def test_all_of_them_at_once_are_graded(confined: Sandbox, brief: Assignment, tmp_path: Path) -> None:
    """Every strange hand-in belongs to a student of its own, beside one whose answers are right."""
    chosen = [
        name for name in STRANGE if STRANGE[name].graded and all(str(f).startswith("ada") for f in STRANGE[name].files)
    ]
    students = [Student("zoe"), *(Student(f"s{number}") for number in range(len(chosen)))]
    put(tmp_path / "in", {"zoe.ipynb": answered(brief)})
    for number, name in enumerate(chosen):
        put(
            tmp_path / "in",
            {os.fsencode(file).replace(b"ada", b"s%d" % number, 1): text for file, text in STRANGE[name].files.items()},
        )
    told: list[str] = []
    results, _ = grade_folder(
        tmp_path / "in", students, setting(brief, confined), tmp_path / "out", jobs=2, tell=told.append
    )
    assert results[0]["score"] == brief.points
    assert all(result["warnings"] + result["notes"] and result["score"] == 0 for result in results[1:])
    assert all(line.isprintable() for line in told)


@pytest.mark.slow
def test_the_solution_runs_where_it_is_written_and_carries_its_mark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["assignment", "make", "ch3_sizes"]) == 0
    made = tmp_path / "build" / "assignments" / "ch3_sizes"
    found = keys.keys(tmp_path / keys.FILE, "ch3_sizes")
    for path in (made / "solution.ipynb", made / "student" / "ch3_sizes.ipynb"):
        noted = json.loads(path.read_bytes())["metadata"]["companion"]
        assert noted == {"assignment": "ch3_sizes", "series": keys.series(found.shown)}
    assert keys.series(found.shown) not in found.shown.hex() + found.hidden.hex()
    assert cli.main(["assignment", "check", str(made / "solution.ipynb")]) == 0


def test_the_error_for_a_missing_secret_proposes_no_new_one(tmp_path: Path) -> None:
    with pytest.raises(ParameterError):
        keys.keys(tmp_path / keys.FILE, "ch3_sizes")
    assert student_copies.notebook(source.find("ch3_sizes"), False, KEYS.shown).count(SERIES.encode()) == 1


def test_what_is_no_roster_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "roster.csv"
    for content, problem in (
        (b"PK\x03\x04", "roster.csv is a workbook"),
        (b"id,name\nada,Lovelace, Ada\n", "line 2 has 3 cells, and the heading 2"),
        ("id,name\nada,Ada\n".encode("utf-16-le"), "UTF-16 without its mark"),
        (b"", "has the columns none"),
    ):
        path.write_bytes(content)
        with pytest.raises(ParameterError, match="--students: ") as refused:
            course_tables.read_roster(path)
        assert problem in str(refused.value)
    with pytest.raises(ParameterError, match="cannot be read"):
        course_tables.read_roster(tmp_path)
