"""``companion assignment ACTION``: set an assignment, grade what is handed in, and what comes before and after."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import cyclopts

from companion.classroom import (
    adjustments,
    author_checks,
    class_report,
    gradescope,
    grading,
    isolation,
    keys,
    office_hours,
    otter,
    reports,
    source,
    student_copies,
    submitted_files,
)
from companion.classroom.grading import GradingSetting
from companion.classroom.marking import BY_HAND
from companion.classroom.sandbox_policy import Limits
from companion.cli.arguments import Jobs, switch, text, value
from companion.cli.show import TableOutput, known_as, say, say_json, table, worker_count
from companion.core.errors import ParameterError
from companion.core.files import write_atomic

Action = Literal["list", "make", "rubric", "try", "check", "grade", "report", "key", "export"]
_MOST: dict[str, Any] = {"low": 0, "low_open": True, "high": 1e6, "high_open": True}


@cyclopts.Parameter(name="*")
@dataclass(frozen=True)
class Options(TableOutput):
    """What the actions can be told; each of an action's own names it."""

    assignment: Annotated[str | None, text("NAME", "grade, key: which assignment")] = None
    students: Annotated[str | None, text("FILE", "roster: CSV with the column id; also name, email, canvas_id")] = None
    secret: Annotated[str, text("FILE", "default: course.secret")] = "course.secret"
    out: Annotated[str | None, text("FOLDER", "where to write (default: below build/; for grade below grades/)")] = None
    csv: Annotated[bool, switch("rubric: as Canvas imports it")] = False
    format: Annotated[Literal["gradescope", "otter"], text("FORMAT", "export: which format (default: gradescope)")] = (
        "gradescope"
    )
    wheels: Annotated[str | None, text("FOLDER", "export: wheels to put into the archive")] = None
    rung: Annotated[
        str | None, text("RUNG", "grade: bubblewrap, container or none (default: the strongest there is)")
    ] = None
    no_sandbox: Annotated[bool, switch("grade: where there is no sandbox, run code without")] = False
    python: Annotated[str | None, text("FILE", "grade: Python for student code, with NumPy and SciPy")] = None
    time: Annotated[float, value("SECONDS", "grade: limit of a submission (default: 60)", **_MOST)] = 60.0
    memory: Annotated[float, value("GB", "grade: limit of each process (default: 2)", **_MOST)] = 2.0
    again: Annotated[bool, switch("grade: also what has its result already")] = False
    only: Annotated[tuple[str, ...], text("ID", "grade: this student alone, again; repeatable")] = ()
    anyway: Annotated[bool, switch("grade: also if most notebooks are of another assignment or secret")] = False
    points: Annotated[str | None, text("q1=5,q2=0", "grade: other points of questions; 0 drops one")] = None
    late: Annotated[
        str | None, text("RATE", "grade: what a day late costs, such as 10%/day of all points (default: nothing)")
    ] = None
    grace: Annotated[str | None, text("DAYS", "grade: days late that cost nothing (default: 0)")] = None
    overrides: Annotated[
        str | None,
        text("FILE", "grade: changes by hand, and days late (default: overrides.csv in the folder of the grades)"),
    ] = None
    title: Annotated[
        str | None, text("TEXT", "grade: title of the column at Canvas or Moodle (default: the assignment's)")
    ] = None
    jobs: Jobs = None


def execute(
    action: Annotated[Action, text("ACTION", "what to do", name="ACTION")],
    name: Annotated[
        str | None,
        text(
            "NAME",
            "an assignment, or its file; check: a notebook; grade: a folder of them; report: what grade wrote; key: an id",
        ),
    ] = None,
    /,
    *,
    output: Options = Options(),
) -> int:
    """Make assignments for a course, and grade what is handed in.

    Example: companion assignment make ch3_sizes --out handout
    """
    actions = (_list, _make, _rubric, _try, _check, _grade, _report, _key, _export)
    return dict(zip(get_args(Action), actions, strict=True))[action](name, output)


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


def _list(name: str | None, options: Options) -> int:
    names = source.assignments() if name is None else (name,)
    found = [_described(source.find(name)) for name in names]
    columns = ("name", "level", "minutes", "questions", "points", "title")
    listed = table(columns, [tuple(str(one[column]) for column in columns) for one in found])
    return options.give(found, lambda: listed if name is None else f"{listed}\n{found[0]['goal']}")


def _needed(name: str | None, what: str) -> str:
    if name is None:
        known = ", ".join(source.assignments()) if what == "NAME" else ""
        raise ParameterError(what, "not given", f"one of {known}" if known else "", "See companion assignment --help")
    return str(name)


def _folder(options: Options, assignment: source.Assignment) -> Path:
    return Path(options.out or Path("build", "assignments")) / assignment.name


def _make(name: str | None, options: Options) -> int:
    chosen = [source.find(name) for name in ([name] if name else source.assignments())]
    secret = Path(options.secret)
    students = submitted_files.read_roster(Path(options.students)) if options.students else []
    made = keys.create(secret)
    shown = []
    for assignment in chosen:
        found, out = keys.keys(secret, assignment.name), _folder(options, assignment)
        files = {f"otter/{name}": content for name, content in otter.files(assignment, found).items()}
        files["gradescope.zip"] = gradescope.make_archive(assignment, found, students)
        written = student_copies.make(assignment, found, out)
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


def _try(name: str | None, options: Options) -> int:
    assignment = source.find(_needed(name, "NAME"))
    trial = author_checks.Trial(assignment)
    found = {rule: author_checks.faults(trial, rule) for rule in author_checks.RULES}
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


def _check(name: str | None, options: Options) -> int:
    notebook = Path(_needed(name, "NOTEBOOK"))
    if notebook.suffix != ".ipynb" or not notebook.is_file():
        raise ParameterError("NOTEBOOK", f"{notebook} is no notebook", "the .ipynb that you hand in")
    with tempfile.TemporaryDirectory() as folder:
        # The package's own text with the course's key: a file that lies beside a student's notebook is a student's.
        Path(folder, "selfcheck.py").write_text(
            student_copies.selfcheck(*_made_from(notebook, options.assignment)), encoding="utf-8"
        )
        shutil.copyfile(notebook, Path(folder, "notebook.ipynb"))
        done = subprocess.run(
            [sys.executable, "-s", "-P", "selfcheck.py", "notebook.ipynb"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=functools.partial(isolation.confine_to, Path(folder))
            if sys.platform.startswith("linux")
            else None,
        )
    if options.json:
        say_json({"notebook": str(notebook), "passed": done.returncode == 0, "said": done.stdout.splitlines()})
    else:
        say(done.stdout.rstrip("\n"))
        sys.stderr.write(done.stderr)
    return 0 if done.returncode == 0 else 1


def _made_from(notebook: Path, given: str | None) -> tuple[source.Assignment, bytes]:
    """Assignment and shown key of a notebook: as it says itself, or the selfcheck.py beside it, both read as text."""
    texts = [notebook.read_text(encoding="utf-8", errors="replace")]
    beside = notebook.resolve().parent / "selfcheck.py"
    texts += [beside.read_text(encoding="utf-8", errors="replace")] if beside.is_file() else []
    for said in texts:
        name = re.search(r'^ *"?ASSIGNMENT = \\?"(\w+)\\?"', said, flags=re.MULTILINE)
        key = re.search(r'KEY = bytes\.fromhex\(\\?"([0-9a-f]+)\\?"\)', said)
        if name and key:
            return source.find(given or name[1]), bytes.fromhex(key[1])
    expected = "one that 'companion assignment make' wrote, or its selfcheck.py beside it"
    raise ParameterError("NOTEBOOK", f"{notebook} does not say what it was made from", expected)


def _rubric(name: str | None, options: Options) -> int:
    assignment = source.find(_needed(name, "NAME"))
    if options.csv and not options.json:
        say(reports.csv_text(office_hours.canvas_rubric(assignment)).rstrip("\n"))
        return 0
    return options.give(office_hours.rubric(assignment), lambda: office_hours.rubric_text(assignment))


def _key(name: str | None, options: Options) -> int:
    student = _needed(name, "ID")
    assignment = _assignment(options)
    if options.students:  # against a slip of the pen: any id has numbers
        known_as("ID", student, [one.id for one in submitted_files.read_roster(Path(options.students))])
    found = office_hours.key(assignment, keys.keys(Path(options.secret), assignment.name), student)
    return options.give(found, lambda: office_hours.key_text(found))


def _report(name: str | None, options: Options) -> int:
    folder, results, hand_ins, table = class_report.read(Path(_needed(name, "FOLDER")))
    names = {str(result["assignment"]) for result in results}
    assignment = source.find(options.assignment or "".join(names))
    found = class_report.gather(assignment, results, hand_ins, table)
    write_atomic(folder / class_report.SIMILAR, class_report.table(found))
    write_atomic(folder / class_report.PAGE, class_report.page(found).encode())
    told = f"\n\nwithout names, to be shown in class: {folder / class_report.PAGE}"
    return options.give(found, lambda: class_report.text(found) + told)


def _assignment(options: Options) -> source.Assignment:
    if not options.assignment:
        raise ParameterError("--assignment", "not given", f"one of {', '.join(source.assignments())}, or a file")
    return source.find(options.assignment)


def _grade(name: str | None, options: Options) -> int:
    from companion.simulate.replicate import workers

    folder = Path(_needed(name, "FOLDER"))
    assignment = _assignment(options)
    if not options.students:
        raise ParameterError("--students", "not given", "a CSV file with a column id")
    students = submitted_files.read_roster(Path(options.students))
    limits = Limits(total=options.time, memory=int(options.memory * 2**30))
    found = keys.keys(Path(options.secret), assignment.name)
    out = Path(options.out) if options.out else Path("grades", assignment.name)
    file = Path(options.overrides) if options.overrides else out / adjustments.FILE
    if options.overrides and not file.is_file():
        raise ParameterError("--overrides", f"{file} does not exist", "a CSV file with the column id")
    policy = adjustments.policy(assignment, students, options.points, options.late, options.grace, file)
    out.mkdir(parents=True, exist_ok=True)
    out.chmod(0o700)
    seconds: dict[str, float] = {}
    with isolation.opened(options.rung, options.no_sandbox, options.python) as box:
        _tell(f"sandbox: {box.rung}" + "".join(f"; {rung}: {reason}" for rung, reason in box.weaker.items()))
        for name, reason in (box.lacks or {}).items():
            _tell(f"without {name}: {reason}")
        isolation.refuse_what_is_shown(box, {"--secret": Path(options.secret)})
        setting = GradingSetting(assignment.path, found, box, limits)
        asked = workers(worker_count(options.jobs)).jobs
        jobs = (os.cpu_count() or 1) if asked == -1 else asked
        again, only, anyway = options.again, options.only, options.anyway
        results, handed = grading.grade_folder(
            folder, students, setting, out, jobs, again, _tell, only, anyway, seconds
        )
    if policy.forgotten:
        _tell(policy.forgotten)
    entered = [adjustments.adjusted(assignment, result, policy) for result in results]
    written = reports.write(assignment, students, entered, out, options.title or "", handed.files)
    class_report.remember(out, handed.files, seconds)
    failed = [result["student"] for result in results if result["status"] == grading.FAILED]
    for name in failed:
        _tell(f"the grader failed on {name}: see {grading.result_path(out, name)}")
    if options.json:
        files = [str(path) for path in written if path.parent == out]
        say_json({"results": entered, "nobody": handed.nobody, "warnings": handed.warnings, "files": files})
    else:
        graded = [result["score"] for result in entered if result["status"] in grading.COUNTED]
        late = [result["student"] for result in results if reports.ran_out(result)]
        mean = f", mean {sum(graded) / len(graded):.2f} of {policy.total}" if graded else ""
        say(f"{len(graded)} of {len(students)} students graded{mean}; {out / 'grades.csv'}, {out / 'feedback'}")
        if waiting := sum(reports.waits(question) for result in entered for question in result["questions"]):
            say(
                f"texts {BY_HAND}, {waiting}: {out / 'texts.html'}; {out / 'to_mark.csv'} has lines for {adjustments.FILE}"
            )
        if late:
            say(f"used up their time, which may have cost right answers: {', '.join(late)}")
    return 1 if failed or handed.nobody else 0


def _export(name: str | None, options: Options) -> int:
    assignment = source.find(_needed(name, "NAME"))
    found = keys.keys(Path(options.secret), assignment.name)
    out = _folder(options, assignment)
    if options.format == "otter":
        for name, content in otter.files(assignment, found).items():
            write_atomic(out / "otter" / name, content)
        written, left = out / "otter", otter.left_out(assignment)
    else:
        students = submitted_files.read_roster(Path(options.students)) if options.students else []
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
