"""``companion assignment list|make|try|check|grade|export``: set an assignment and grade what is handed in."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from companion.classroom import gradescope, grading, handed_in, keys, making, otter, reports, sandbox, source, trying
from companion.classroom.grading import Setting
from companion.classroom.sandbox import Limits
from companion.cli.show import give, known_as, say, say_json, table, worker_count
from companion.core.errors import DataError, ParameterError
from companion.core.files import write_atomic
from companion.simulate.replicate import workers

ACTIONS = ("list", "make", "try", "check", "grade", "export")
FORMATS = ("gradescope", "otter")


def execute(options: argparse.Namespace) -> int:
    """Do one of :data:`ACTIONS`."""
    actions = {"list": _list, "make": _make, "try": _try, "check": _check, "grade": _grade, "export": _export}
    return actions[known_as("ACTION", options.action, ACTIONS)](options)


def _described(assignment: source.Assignment) -> dict[str, Any]:
    return {
        "name": assignment.name,
        "chapter": assignment.chapter,
        "title": assignment.title,
        "goal": assignment.goal,
        "level": assignment.level,
        "minutes": assignment.minutes,
        "questions": len(assignment.questions),
        "points": assignment.points,
    }


def _list(options: argparse.Namespace) -> int:
    names = source.assignments() if options.name is None else (options.name,)
    found = [_described(source.find(name)) for name in names]
    columns = ("name", "level", "minutes", "questions", "points", "title")
    listed = table(columns, [tuple(str(one[column]) for column in columns) for one in found])
    return give(options, found, lambda: listed if options.name is None else f"{listed}\n{found[0]['goal']}")


def _needed(options: argparse.Namespace, what: str) -> str:
    if options.name is None:
        known = ", ".join(source.assignments()) if what == "NAME" else ""
        raise ParameterError(what, "not given", f"one of {known}" if known else "", "See companion assignment --help")
    return str(options.name)


def _folder(options: argparse.Namespace, assignment: source.Assignment) -> Path:
    return Path(options.out or Path("build", "assignments")) / assignment.name


def _make(options: argparse.Namespace) -> int:
    chosen = [source.find(name) for name in ([options.name] if options.name else source.assignments())]
    secret = Path(options.secret)
    students = handed_in.read_roster(Path(options.students)) if options.students else []
    made = keys.create(secret)
    shown = []
    for assignment in chosen:
        found, out = keys.keys(secret, assignment.name), _folder(options, assignment)
        files = {f"otter/{name}": content for name, content in otter.files(assignment, found).items()}
        files["gradescope.zip"] = gradescope.make_archive(assignment, found, students)
        written = making.make(assignment, found, out)
        for name, content in files.items():
            write_atomic(out / name, content)
            written.append(out / name)
        shown.append({**_described(assignment), "files": [str(path) for path in written], "secret": str(secret)})
        if not options.json:
            say(f"{out / 'student.zip'} is for students; {out / 'solution.ipynb'} and gradescope.zip are not")
    if options.json:
        say_json(shown)
    elif made:
        say(f"made {secret}: keep it, and give it to nobody. What was made with it is graded with it.")
    return 0


def _try(options: argparse.Namespace) -> int:
    assignment = source.find(_needed(options, "NAME"))
    trial = trying.Trial(assignment)
    found = {rule: trying.faults(trial, rule) for rule in trying.RULES}
    broken = sum(map(len, found.values()))
    if options.json:
        rules = [{"rule": rule, "faults": [asdict(fault) for fault in faults]} for rule, faults in found.items()]
        say_json({"assignment": assignment.name, "points": assignment.points, "rules": rules})
    else:
        for rule, faults in found.items():
            say(f"{'no ' if faults else 'yes'}  {rule}")
            for fault in faults:
                say(f"     {assignment.path.name}, line {fault.line}: {fault.message}")
        say(
            f"{assignment.points} points in {len(assignment.questions)} questions; {broken or 'no'} fault{'s' * (broken != 1)}"
        )
    return 1 if broken else 0


def _check(options: argparse.Namespace) -> int:
    notebook = Path(_needed(options, "NOTEBOOK"))
    if notebook.suffix != ".ipynb" or not notebook.is_file():
        raise ParameterError("NOTEBOOK", f"{notebook} is no notebook", "the .ipynb that you hand in")
    beside = notebook.resolve().parent / "selfcheck.py"
    if not beside.is_file():
        raise DataError(f"{beside} is missing: it comes with the assignment and stays beside the notebook")
    done = subprocess.run(
        [sys.executable, str(beside), notebook.name], cwd=beside.parent, capture_output=True, text=True, check=False
    )
    if options.json:
        say_json({"notebook": str(notebook), "passed": done.returncode == 0, "said": done.stdout.splitlines()})
    else:
        say(done.stdout.rstrip("\n"))
        sys.stderr.write(done.stderr)
    return 0 if done.returncode == 0 else 1


def _grade(options: argparse.Namespace) -> int:
    folder = Path(_needed(options, "FOLDER"))
    if not options.assignment:
        raise ParameterError("--assignment", "not given", f"one of {', '.join(source.assignments())}, or a file")
    if not options.students:
        raise ParameterError("--students", "not given", "a CSV file with a column id")
    assignment = source.find(options.assignment)
    students = handed_in.read_roster(Path(options.students))
    limits = Limits(total=_positive("--time", options.time), memory=int(_positive("--memory", options.memory) * 2**30))
    found = keys.keys(Path(options.secret), assignment.name)
    out = Path(options.out) if options.out else Path("grades", assignment.name)
    out.mkdir(parents=True, exist_ok=True)
    out.chmod(0o700)
    with sandbox.opened(options.rung, options.no_sandbox, options.python) as box:
        _tell(f"sandbox: {box.rung}" + "".join(f"; {rung}: {reason}" for rung, reason in box.weaker.items()))
        setting = Setting(assignment.path, found, box, limits)
        asked = workers(worker_count(options.jobs)).jobs
        jobs = (os.cpu_count() or 1) if asked == -1 else asked
        results, nobody = grading.grade_folder(folder, students, setting, out, jobs, options.again, _tell)
    written = reports.write(assignment, students, results, out)
    failed = [result["student"] for result in results if result["status"] == grading.FAILED]
    for path in nobody:
        _tell(f"nobody's, and not graded: {path}")
    for name in failed:
        _tell(f"the grader failed on {name}: see {grading.result_path(out, name)}")
    if options.json:
        say_json({"results": results, "nobody": [str(path) for path in nobody], "files": [str(p) for p in written[:3]]})
    else:
        graded = [result["score"] for result in results if result["status"] == grading.GRADED]
        mean = f", mean {sum(graded) / len(graded):.2f} of {assignment.points}" if graded else ""
        say(f"{len(graded)} of {len(students)} students graded{mean}; {out / 'grades.csv'}, {out / 'feedback'}")
    return 1 if failed or nobody else 0


def _export(options: argparse.Namespace) -> int:
    assignment = source.find(_needed(options, "NAME"))
    known_as("--format", options.format, FORMATS)
    found = keys.keys(Path(options.secret), assignment.name)
    out = _folder(options, assignment)
    if options.format == "otter":
        for name, content in otter.files(assignment, found).items():
            write_atomic(out / "otter" / name, content)
        written, left = out / "otter", otter.left_out(assignment)
    else:
        students = handed_in.read_roster(Path(options.students)) if options.students else []
        wheels = Path(options.wheels) if options.wheels else None
        if wheels and not wheels.is_dir():
            raise ParameterError("--wheels", f"{wheels} is no folder", "a folder with wheels")
        written, left = out / "gradescope.zip", []
        write_atomic(written, gradescope.make_archive(assignment, found, students, wheels))
    if options.json:
        say_json({"written": str(written), "left_out": left})
    else:
        say(str(written))
        if left:
            say("not in it, since their code would be a key: " + "; ".join(left))
    return 0


def _tell(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def _positive(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < 1e6:
        raise ParameterError(name, f"got {text!r}", "a positive number")
    return value
