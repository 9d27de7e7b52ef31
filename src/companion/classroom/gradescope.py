"""An archive that Gradescope takes as it is, and what runs in it.

The layout is the documented one (https://gradescope-autograders.readthedocs.io/en/latest/specs/): ``setup.sh`` and
``run_autograder`` at the top, unpacked to ``/autograder/source``; submissions in ``/autograder/submission``, who handed in
in ``/autograder/submission_metadata.json``, the result in ``/autograder/results/results.json``. One is there whatever
happens. The container runs as root and usually forbids namespaces, so that it is the ``container`` itself that confines.

The archive has the package's files, the assignment and the two keys of this assignment; never the course secret.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import companion
from companion.classroom import isolation, submitted_files
from companion.classroom.grading import FAILED, GRADED, GradingSetting, Result, grade
from companion.classroom.keys import Keys
from companion.classroom.marking import BY_HAND, state_of
from companion.classroom.sandbox_policy import Limits
from companion.classroom.source import Assignment
from companion.classroom.student_copies import archive
from companion.classroom.submitted_files import Student, UnreadableError
from companion.core.files import strict_json, write_atomic

WHO = "whose.json"
#: What the oracles import besides NumPy and SciPy; torch and the book's tools are not needed.
PACKAGES = ("numpy", "scipy", "threadpoolctl")
SETUP = """#!/usr/bin/env bash
# Gradescope runs this once, as root, when the image is built.
set -e
apt-get update
apt-get install -y --no-install-recommends python3 python3-venv bubblewrap || apt-get install -y python3 python3-venv
/usr/bin/python3 -m venv /opt/grader
if [ -d /autograder/source/wheels ]; then
  /opt/grader/bin/pip install --no-index --find-links /autograder/source/wheels {packages}
else
  /opt/grader/bin/pip install {packages}
fi
chmod -R a+rX /opt/grader
chmod -R go= /autograder/source
"""
RUN = """#!/usr/bin/env bash
# Gradescope runs this once for every submission. A result is there from the start, should the grader be ended.
umask 077
ROOT="${AUTOGRADER_ROOT:-/autograder}"
PYTHON="${GRADER_PYTHON:-/opt/grader/bin/python}"
mkdir -p "$ROOT/results"
echo '{"score": 0, "output": "The grader was ended before it was done. Hand in again, or ask your instructor."}' \\
  > "$ROOT/results/results.json"
chmod -R go= "$ROOT/source" "$ROOT/results" "$ROOT/submission" 2>/dev/null
cd "$ROOT/source" || exit 0
PYTHONPATH="$ROOT/source" OMP_NUM_THREADS=1 "$PYTHON" -m companion.classroom.gradescope "$ROOT"
exit 0
"""


def make(
    assignment: Assignment,
    keys: Keys,
    students: Iterable[Student] = (),
    wheels: Path | None = None,
    exam: bool = False,
) -> dict[str, bytes]:
    """Files of the archive.

    Parameters
    ----------
    assignment, keys : what is graded
    students : the roster, which says whose id belongs to an e-mail address; without it the address is the id
    wheels : a folder of wheels to put in, for an image without a network
    exam : whether students are told points alone, without hints and messages
    """
    package = Path(companion.__file__).resolve().parent
    files = {
        "setup.sh": SETUP.format(packages=" ".join(PACKAGES)).encode(),
        "run_autograder": RUN.encode(),
        f"assignment/{assignment.name}.py": assignment.path.read_bytes(),
        WHO: strict_json(
            {
                "assignment": assignment.name,
                "shown": keys.shown.hex(),
                "hidden": keys.hidden.hex(),
                "exam": exam,
                "students": {student.email.casefold(): student.id for student in students if student.email},
            },
            indent=1,
        ).encode(),
    }
    for path in sorted(package.rglob("*")):
        inside = path.relative_to(package)
        if path.is_file() and "__pycache__" not in inside.parts and inside.parts[:2] != ("classroom", "assignments"):
            files[f"companion/{inside.as_posix()}"] = path.read_bytes()
    for wheel in sorted(wheels.glob("*.whl")) if wheels else ():
        files[f"wheels/{wheel.name}"] = wheel.read_bytes()
    return files


def make_archive(assignment: Assignment, keys: Keys, *given: Any, **named: Any) -> bytes:
    """The archive; arguments as for :func:`make`."""
    return archive(make(assignment, keys, *given, **named), executable=("setup.sh", "run_autograder"))


def run(root: Path) -> dict[str, Any]:
    """Grade the submission below ``root`` and write its ``results/results.json``; returns what is written there."""
    try:
        said = json.loads((root / "source" / WHO).read_text(encoding="utf-8"))
        result = _graded(root, said)
        shown = as_results(result, exam=said.get("exam", False))
    except Exception as error:  # whatever it was, the student gets a result and the instructor the reason
        shown = {"score": 0, "output": "The grader failed; your instructor has been told why.", "tests": []}
        shown["extra_data"] = {"error": f"{type(error).__name__}: {error}"}
        print(f"{type(error).__name__}: {error}", file=sys.stderr)  # noqa: T201 - the log that the instructor sees
    write_atomic(root / "results" / "results.json", (strict_json(shown, indent=1) + "\n").encode())
    return shown


def _graded(root: Path, said: dict[str, Any]) -> Result:
    keys = Keys(bytes.fromhex(said["shown"]), bytes.fromhex(said["hidden"]))
    path = root / "source" / "assignment" / f"{said['assignment']}.py"
    found = sorted((root / "submission").rglob("*.ipynb"))
    with isolation.opened() as box:
        setting = GradingSetting(path, keys, box, Limits())
        try:
            if not found:
                raise UnreadableError("no notebook was handed in: the file's name has to end in .ipynb")
            content = submitted_files.read_file(found[0])
        except UnreadableError as error:
            blank = grade(setting, "nobody", b"")
            return blank | {"notes": [str(error)]}
        return grade(setting, _who(root, said["students"]), content)


def _who(root: Path, students: dict[str, str]) -> str:
    """The student's id: from the roster by e-mail address, or the address itself."""
    metadata = json.loads((root / "submission_metadata.json").read_text(encoding="utf-8"))
    email = str(metadata["users"][0]["email"])
    return students.get(email.casefold(), email)


def as_results(result: Result, exam: bool = False) -> dict[str, Any]:
    """A result in the form of https://gradescope-autograders.readthedocs.io/en/latest/specs/#output-format."""
    tests = [
        {
            "name": f"{question['id']}: {check['name']}",
            "number": f"{question['id'][1:]}.{number}",
            "score": check["earned"],
            "max_score": check["points"],
            **(
                {}
                if state_of(check) == BY_HAND
                else {"status": "passed" if check["earned"] == check["points"] else "failed"}
            ),
            "output": ""
            if exam or check["earned"] == check["points"]
            else " ".join([check["message"], check["hint"], check["shown"]]).strip(),
            "output_format": "text",
            "visibility": "visible",
        }
        for question in result["questions"]
        for number, check in enumerate(question["checks"], 1)
    ]
    said = [] if result["status"] == GRADED else [str(result["status"])]
    return {
        "score": 0 if result["status"] == FAILED else result["score"],
        "output": "\n".join([*said, *result["notes"]]),
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": tests,
        "extra_data": {
            name: result[name] for name in ("student", "sandbox", "lacks", "limits", "submission", "fingerprint")
        },
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Grade one submission in a container of Gradescope.")
    parser.add_argument("root", type=Path, help="usually /autograder")
    run(parser.parse_args().root)
