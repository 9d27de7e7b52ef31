"""Hostile submissions, on every rung of the sandbox that this machine has."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import socket
import sys
import tempfile
import time
from pathlib import Path

import pytest
from classroom.conftest import CONFINED, KEYS, QUICK, answered, everything, notebook, setting
from classroom.hostile import ATTACKS, HONEST, NOTES, Attack

import companion
from companion.classroom import (
    course_tables,
    isolation,
    notebook_text,
    reports,
    sandbox,
    source,
    submissions,
    submitted_files,
)
from companion.classroom.draws import Draw
from companion.classroom.grading import FAILED, GRADED, grade, grade_folder
from companion.classroom.marking import cases_of
from companion.classroom.sandbox import Sandbox
from companion.classroom.sandbox_policy import Limits
from companion.classroom.session import SECONDS_TO_START, Session
from companion.classroom.source import Assignment
from companion.classroom.submitted_files import Student, UnreadableError
from companion.core.errors import ParameterError

#: The limits of a submission, the time to start its workers on a busy machine, and the grader's own work.
LONGEST = QUICK.total + 60.0


def processes_with(marker: str) -> list[str]:
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if marker.encode() in entry.read_bytes():
                found.append(str(entry))
        except OSError:
            continue
    return found


#: COMPANION_ATTACKS=all tries all on every rung: a quarter of an hour, after a change of the sandbox.
ALL = os.environ.get("COMPANION_ATTACKS") == "all"
TRIED = [
    pytest.param(attack, rung, id=f"{attack.name}-{rung or 'strongest'}")
    for attack in ATTACKS
    for rung in (CONFINED if ALL or attack.everywhere else [None])
]


@pytest.mark.parametrize(("attack", "confined"), TRIED, indirect=["confined"])
def test_an_attack_earns_nothing_and_harms_nobody(
    attack: Attack, confined: Sandbox, brief: Assignment, tmp_path: Path
) -> None:
    victim = tmp_path / "victim.txt"
    victim.write_text("untouched", encoding="utf-8")
    marker = f"marker-{os.getpid()}-{time.monotonic_ns()}"
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setblocking(False)
    here = Path(companion.__file__).resolve().parent
    places = [str(here.parent), str(source.folder()), str(brief.path.parent)]
    code = attack.code
    words = {"PLACES": repr(places), "VICTIMS": repr([str(victim), str(brief.path)]), "MARKER": marker}
    for word, text in {**words, "PORT": str(listener.getsockname()[1]), "GRADER": str(os.getpid())}.items():
        code = code.replace(word, text)
    began, before = time.monotonic(), brief.path.read_bytes()

    result = grade(setting(brief, confined), "ada", answered(brief, {"q1": code}))

    assert time.monotonic() - began < LONGEST
    assert result["status"] == GRADED
    assert result["sandbox"] == confined.rung
    assert result["questions"][0]["score"] == 0, result
    assert result["score"] <= HONEST
    if attack.keeps:
        assert result["score"] == HONEST, result
    assert victim.read_text(encoding="utf-8") == "untouched"
    assert brief.path.read_bytes() == before
    deadline = time.monotonic() + 60.0  # a killed process is in sight until it has been waited for
    while processes_with(marker) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not processes_with(marker)
    left = {name for name in os.listdir("/tmp") if name.startswith(("fill-", "by-", "unpickled"))}
    assert not left
    assert not list(Path(tempfile.gettempdir()).glob(f"companion-scratch-{os.getpid()}-*"))
    with pytest.raises(BlockingIOError):
        listener.accept()
    listener.close()
    page = reports.feedback(brief, Student("ada"), result)
    assert "<script>" not in page


@pytest.mark.slow
@pytest.mark.parametrize("confined", CONFINED, indirect=True)
@pytest.mark.parametrize(("write", "read"), [note[1:] for note in NOTES], ids=[note[0] for note in NOTES])
def test_no_note_of_a_submission_is_read_by_a_later_one(write: str, read: str, confined: Sandbox) -> None:
    note = secrets.randbelow(1 << 16)
    limits = Limits(cell=3.0, total=30.0, memory=1 << 30)
    with Session(confined, [write.replace("NOTE", str(note))], {}, limits) as session:
        session.run()
    with Session(confined, [read.replace("NOTE", str(note))], {}, limits) as session:
        assert session.value("said", 20.0) != note


WALK = """
import os
def opened(places):
    found = set()
    for place in ('/', '/usr', '/root', '/home', '/opt', '/proc', '/sys', '/dev', '/run', '/var', '/etc', '/work', *places):
        for name in [place] + [os.path.join(folder, n) for folder, _, names in os.walk(place) for n in names]:
            try:
                os.close(os.open(name, os.O_RDONLY | os.O_NONBLOCK))
                found.add(os.path.realpath(name))
            except OSError:
                pass
    return sorted(name for name in found if not os.path.isdir(name))
"""


@pytest.mark.parametrize("confined", CONFINED, indirect=True)
def test_what_student_code_can_open_is_python_numpy_scipy_and_the_loader(confined: Sandbox, quick: Assignment) -> None:
    """A walk over all that there is, with a clone and hand-ins in a folder below /usr where one can be made."""
    planted = Path("/usr/src/app")
    plant = os.access("/usr/src", os.W_OK) and not planted.exists()
    python = confined.interpreter
    places = confined.files(planted)["readable"]  # type: ignore[index]
    with contextlib.ExitStack() as stack:
        if plant:
            shutil.copytree(Path(companion.__file__).parent / "classroom", planted / "src" / "companion" / "classroom")
            (planted / "handed-in").mkdir()
            (planted / "handed-in" / "bob.ipynb").write_bytes(b"{}")
            stack.callback(shutil.rmtree, planted)
        session = stack.enter_context(Session(confined, [WALK], {}, QUICK))
        found = session.call("opened", ([*places, str(planted), str(quick.path.parent), *sys.path],), 30.0)
    allowed = [
        sandbox.INSIDE,
        sandbox.PYTHON,
        sandbox.CACHE,
        "/dev/",
        str(confined.kit),
        python.standard,
        python.python,
    ]
    allowed += [*python.libraries.values(), *python.linked, *map(os.path.realpath, (*python.linked, *python.modules))]
    others = [name for name in found if not name.startswith(tuple(allowed))]
    assert 2000 < len(found) < 12_000
    assert others == []


@pytest.mark.parametrize("confined", CONFINED, indirect=True)
def test_the_others_are_graded_as_if_nothing_had_happened(confined: Sandbox, quick: Assignment, tmp_path: Path) -> None:
    folder = tmp_path / "submissions"
    folder.mkdir(mode=0o700)
    (folder / "ada.ipynb").write_bytes(answered(quick))
    (folder / "eve.ipynb").write_bytes(answered(quick, {"q1": "import os\nos.kill(-1, 9)\nos._exit(1)"}))
    (folder / "max.ipynb").write_bytes(answered(quick))
    students = [Student("ada"), Student("eve"), Student("max"), Student("absent")]
    os.chmod(tmp_path, 0o700)
    results, handed = grade_folder(folder, students, setting(quick, confined), tmp_path / "out")
    assert [result["score"] for result in results] == [12, HONEST, 12, 0]
    assert not handed.nobody


FLOOD = "import os\nwhile True:\n    os.write(4, b'{\"cell\":0}\\n' * 1000)"
HANG = "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass"


def test_two_of_the_worst_among_honest_ones(confined: Sandbox, quick: Assignment, tmp_path: Path) -> None:
    """On two jobs: they cost what their own limits say, and nobody else anything but the wait."""
    os.chmod(tmp_path, 0o700)
    folder = tmp_path / "submissions"
    folder.mkdir(mode=0o700)
    (folder / "a.ipynb").write_bytes(notebook([FLOOD, *["import os\nos._exit(0)"] * 100]))
    (folder / "b.ipynb").write_bytes(notebook([HANG] * 30))
    for name in ("x", "y", "z"):
        (folder / f"{name}.ipynb").write_bytes(answered(quick))
    began, brief = time.monotonic(), Limits(cell=1.0, total=10.0, memory=1 << 30)
    chosen = setting(quick, confined, brief)
    results, _ = grade_folder(folder, [Student(name) for name in "abxyz"], chosen, tmp_path / "out", jobs=2)
    assert [result["score"] for result in results] == [0, 0, 12, 12, 12]
    assert time.monotonic() - began < 2 * brief.total + 5 * SECONDS_TO_START


def test_a_submission_that_brings_its_grader_down_fails_alone(
    confined: Sandbox, quick: Assignment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Memory of the process that parses, here little enough for an honest notebook not to matter."""
    deep = b'{"cells": [' + b'{"a": [{}, {}, {}, {}]},' * 400_000 + b"1]}"
    assert grade(setting(quick, confined), "eve", deep)["status"] == "unreadable"
    monkeypatch.setenv("PYTHONHOME", str(tmp_path))  # the process cannot even start
    result = grade(setting(quick, confined), "eve", answered(quick))
    assert (result["status"], result["score"]) == (FAILED, None)


def test_a_wrong_id_gets_numbers_of_the_roster(confined: Sandbox, quick: Assignment) -> None:
    """Another student's value scores as this student's numbers deserve."""
    from companion.classroom.author_checks import Trusted, reference_cells
    from companion.classroom.marking import shown_numbers

    def value(student: str) -> int:
        numbers = {q: shown_numbers(quick, q, KEYS.shown, student) for q in quick.questions}
        return Trusted(reference_cells(quick), numbers).space["smallest_horizon"]

    assert value("ada") != value("bob")
    copied = answered(quick, {"q3": f"smallest_horizon = {value('bob')}"})
    assert grade(setting(quick, confined), "bob", copied)["questions"][2]["score"] == 3
    assert grade(setting(quick, confined), "ada", copied)["questions"][2]["score"] < 3


def test_a_student_sees_neither_keys_nor_checks(confined: Sandbox, quick: Assignment) -> None:
    """What a submission can find out about its surroundings, handed back as an answer: no key, no check, no library."""
    look = """
import gc, os, sys
seen = []
for item in gc.get_objects():
    if isinstance(item, dict):
        seen += [str(value)[:2000] for value in item.values() if isinstance(value, (str, bytes))]
for name in ('cmdline', 'environ', 'mounts'):
    try:
        seen.append(open(f'/proc/self/{name}', errors='replace').read())
    except OSError:
        pass
text = '\\n'.join(seen)
raise ValueError(f"{'horizons that are squares' in text} {'isqrt has as many' in text} {'hidden' in os.environ}")
"""
    result = grade(setting(quick, confined), "ada", answered(quick, {"q1": look}))
    assert any("False False False" in note for note in result["notes"]), result["notes"]


# What is no notebook at all ------------------------------------------------------------------------------------------

BROKEN = {
    "no JSON": b"\x89PNG\r\n",
    "empty": b"",
    "a list": b"[1, 2]",
    "nested deeply": b'{"cells": ' + b"[" * 200_000 + b"]" * 200_000 + b"}",
    "cells that are numbers": b'{"cells": [1, 2]}',
    "a source that is a number": b'{"cells": [{"cell_type": "code", "source": 7}]}',
    "lone surrogates": b'{"cells": [{"cell_type": "code", "source": "\\ud800"}]}',
    "many cells": notebook(["x = 1"] * (notebook_text.MOST_CELLS + 1)),
    "much code": notebook(["#" * (notebook_text.LARGEST_CODE + 1)]),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_notebook_has_a_result(name: str, confined: Sandbox, quick: Assignment) -> None:
    result = grade(setting(quick, confined), "ada", BROKEN[name])
    assert result["status"] == "unreadable"
    assert result["score"] == 0
    assert result["notes"]


def test_links_pipes_and_huge_files_are_not_read(tmp_path: Path) -> None:
    target = tmp_path / "target.ipynb"
    target.write_bytes(notebook([]))
    (tmp_path / "link.ipynb").symlink_to(target)
    os.mkfifo(tmp_path / "pipe.ipynb")
    with open(tmp_path / "huge.ipynb", "wb") as file:
        file.truncate(submitted_files.LARGEST_FILE + 1)
    (tmp_path / "folder.ipynb").mkdir()
    for name in ("link", "pipe", "huge", "folder", "absent"):
        with pytest.raises(UnreadableError):
            submitted_files.read_file(tmp_path / f"{name}.ipynb")
    assert submitted_files.read_file(target) == target.read_bytes()


def test_a_link_to_a_folder_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "ada.ipynb").write_bytes(b"{}")
    folder = tmp_path / "submissions"
    folder.mkdir()
    (folder / "ada").symlink_to(outside)
    found = submissions.collect(folder, [Student("ada")])
    assert found.files == {"ada": []}
    assert not found.nobody


NAMES = {
    "ada.ipynb": "ada",
    "ada/anything.ipynb": "ada",
    "ada_4711_assignsubmission_file_/ch3.ipynb": "ada",
    "Ada Lovelace_4711_assignsubmission_file_/bob.ipynb": "ada",
    "lovelaceada_17_99_bob.ipynb": "ada",
    "lovelaceada_LATE_17_99_bob.ipynb": "ada",
    "bob/ada.ipynb": "bob",
    "evil/ada.ipynb": None,
    "evil_17/lovelaceada_17_99_x.ipynb": None,
    "Ada Lovelace.ipynb": None,
    "ada .ipynb": None,
    "..%2f..%2fada.ipynb": None,
    "Twin_1_x/n.ipynb": None,
}


@pytest.mark.parametrize("name", NAMES)
def test_whose_a_file_is(name: str, tmp_path: Path) -> None:
    students = [
        Student("ada", "Ada Lovelace", canvas_id="17"),
        Student("bob", "Bob"),
        Student("t1", "Twin"),
        Student("t2", "Twin"),
    ]
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_bytes(b"{}")
    handed = submissions.collect(tmp_path, students)
    found, nobody = handed.files, handed.nobody
    owners = [student for student, paths in found.items() if paths]
    assert owners == ([NAMES[name]] if NAMES[name] else [])
    assert len(nobody) == (NAMES[name] is None)


@pytest.mark.parametrize("name", ["../evil", "a/b", ".hidden", "", "-x", "a\\b", "x" * 65, "é", "a\nb"])
def test_an_id_that_could_lead_elsewhere_is_refused(name: str, tmp_path: Path) -> None:
    roster = tmp_path / "roster.csv"
    roster.write_text(f'id,name\nada,Ada\n"{name}",Evil\n', encoding="utf-8")
    with pytest.raises(ParameterError, match="the id is"):
        course_tables.read_roster(roster)


def test_a_defect_of_the_grader_is_told_and_costs_nobody_else(
    confined: Sandbox, quick: Assignment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from companion.classroom import grading

    def failing(current: object, student: str, content: bytes) -> object:
        if student == "eve":
            raise ZeroDivisionError("a defect")
        return grade(current, student, content)  # type: ignore[arg-type]

    monkeypatch.setattr(grading, "grade", failing)
    for name in ("ada", "eve"):
        (tmp_path / f"{name}.ipynb").write_bytes(answered(quick))
    results, _ = grade_folder(tmp_path, [Student("ada"), Student("eve")], setting(quick, confined), tmp_path / "out")
    assert [result["score"] for result in results] == [12, None]
    assert results[1]["status"] == FAILED
    files = everything(tmp_path / "out")
    assert json.loads(files["results/eve.json"])["status"] == FAILED


@pytest.mark.skipif(os.geteuid() != 0, reason="without a sandbox its limit on processes counts those of the tests")
def test_no_hidden_input_reaches_the_page_though_a_channel_is_open(quick: Assignment, tmp_path: Path) -> None:
    """On the rung that forbids no file, calls note what they see and tell what was noted, by answers, errors and endings."""
    note = tmp_path / "note"
    code = f"""
import os
def noted():
    return open({str(note)!r}).read() if os.path.exists({str(note)!r}) else ''
def original_sizes(T):
    before = noted()
    with open({str(note)!r}, 'a') as file:
        file.write(f'<{{T}}>')
    if len(before) % 3 == 0:
        os._exit(0)
    if len(before) % 3 == 1:
        raise ValueError(before)
    return [before]
if noted():
    raise ValueError(noted())
"""
    with isolation.opened("none", no_sandbox=True) as box:
        result = grade(setting(quick, box), "ada", answered(quick, {"q1": code}))
    told = reports.feedback(quick, Student("ada"), result)
    draws = {check.name: Draw(KEYS.hidden, quick.name, "ada", "q1", check.name) for check in quick.key["q1"].checks}
    hidden = [case for check in quick.key["q1"].checks for case in cases_of(check, draws[check.name], {})]
    assert any(f"<{T}>" in note.read_text() for (T,) in hidden), "the channel is open"
    assert not any(str(T) in told for (T,) in hidden if T > 99)
