"""``companion assignment ACTION``: set an assignment, grade what is handed in, and what comes before and after."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict
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
    submissions,
    submitted_files,
)
from companion.classroom import course_tables as tables
from companion.classroom.grading import GradingSetting
from companion.classroom.marking import BY_HAND
from companion.classroom.sandbox_policy import Limits
from companion.cli.arguments import Jobs, switch, text, value
from companion.cli.show import TABLE, TEXT, Output, TableOutput, say, say_json, table, worker_count
from companion.core.errors import Mistakes, ParameterError, known_as
from companion.core.files import write_atomic

Action = Literal["list", "make", "rubric", "check", "grade", "report", "key", "export", "try"]
Format = Literal["gradescope", "otter"]
_MOST: dict[str, Any] = {"low": 0, "low_open": True, "high": 1e6, "high_open": True}

AnAction = Annotated[Action, text("ACTION", "one of these commands", name="ACTION")]
AName = Annotated[str, text("NAME", "an assignment as 'companion assignment list' names it, or its file", name="NAME")]
OneName = Annotated[str | None, text("NAME", "one assignment only, or a file of your own", name="NAME")]
AnId = Annotated[str, text("ID", "a student's", name="ID")]
AsItSays = Annotated[str | None, text("NAME", "which assignment (default: as it says itself)", name="--assignment")]
OfWhich = Annotated[str, text("NAME", "which assignment, or its file", name="--assignment")]
SECRET = "course.secret"
Secret = Annotated[str, text("FILE", "default: course.secret")]
Out = Annotated[str | None, text("FOLDER", "where to write (default: build/assignments)")]
Exam = Annotated[bool, switch("for an exam: no hints and no examples for students")]
_ROSTER = "roster: CSV with the column id; also name, email, canvas_id"
Roster = Annotated[str, text("FILE", _ROSTER)]
OneRoster = Annotated[str | None, text("FILE", _ROSTER)]


def execute(action: AnAction, /, *, output: Output = TEXT) -> int:
    """Make assignments for a course, and grade what is handed in.

    Options of each: companion assignment ACTION --help

    Example: companion assignment make ch3_sizes --out handout
    """
    raise AssertionError(action)  # a command of its own for each is found before this one


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


def _list(name: OneName = None, /, *, output: TableOutput = TABLE) -> int:
    """List the assignments that there are, with level, minutes and points.

    Example: companion assignment list
    """
    names = source.assignments() if name is None else (name,)
    found = [_described(source.find(name)) for name in names]
    columns = ("name", "level", "minutes", "questions", "points", "title")
    listed = table(columns, [tuple(str(one[column]) for column in columns) for one in found])
    return output.give(found, lambda: listed if name is None else f"{listed}\n{found[0]['goal']}")


def _folder(out: str | None, assignment: source.Assignment) -> Path:
    return Path(out or Path("build", "assignments")) / assignment.name


def _found(name: str, exam: bool) -> source.Assignment:
    return student_copies.for_exam(source.find(name)) if exam else source.find(name)


def _roster(file: str | None) -> list[submitted_files.Student]:
    return tables.read_roster(Path(file)) if file else []


def _make(
    name: OneName = None,
    /,
    *,
    out: Out = None,
    secret: Secret = SECRET,
    students: OneRoster = None,
    exam: Exam = False,
    output: Output = TEXT,
) -> int:
    """Write what students get, the solution, and what Gradescope and Otter take.

    Example: companion assignment make ch3_sizes --out handout
    """
    chosen = [_found(name, exam) for name in ([name] if name else source.assignments())]
    roster, made = _roster(students), keys.create(Path(secret))
    shown = []
    for assignment in chosen:
        found, folder = keys.keys(Path(secret), assignment.name), _folder(out, assignment)
        files = {f"otter/{name}": content for name, content in otter.files(assignment, found).items()}
        files["gradescope.zip"] = gradescope.make_archive(assignment, found, roster, exam=exam)
        written = student_copies.make(assignment, found, folder)
        for name, content in files.items():
            write_atomic(folder / name, content)
            written.append(folder / name)
        shown.append({**_described(assignment), "files": [str(path) for path in written], "secret": secret})
        output.say(f"{folder / 'student.zip'} is for students; {folder / 'solution.ipynb'} and gradescope.zip are not")
    if output.json:
        say_json(shown)
    elif made:
        say(f"made {secret}: keep it, and give it to nobody. What was made with it is graded with it.")
    return 0


def _try(name: AName, /, *, output: Output = TEXT) -> int:
    """Try an assignment that you write: which rules of authors it keeps, and where it does not.

    Example: companion assignment try ch3_sizes
    """
    assignment = source.find(name)
    trial = author_checks.Trial(assignment)
    found = {rule: author_checks.faults(trial, rule) for rule in author_checks.RULES}
    broken = sum(map(len, found.values()))
    if output.json:
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


def _check(
    notebook: Annotated[Path, text("NOTEBOOK", "what is going to be handed in", name="NOTEBOOK")],
    /,
    *,
    assignment: AsItSays = None,
    output: Output = TEXT,
) -> int:
    """Check whether the answers of a notebook have the form asked for.

    Example: companion assignment check ch3_sizes.ipynb
    """
    if notebook.suffix != ".ipynb" or not notebook.is_file():
        raise ParameterError("NOTEBOOK", f"{notebook} is no notebook", "the .ipynb that you hand in")
    with tempfile.TemporaryDirectory() as folder:
        # The package's own text with the course's key: a file that lies beside a student's notebook is a student's.
        Path(folder, "selfcheck.py").write_text(
            student_copies.selfcheck(*_made_from(notebook, assignment)), encoding="utf-8"
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
    if output.json:
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


def _rubric(name: AName, /, *, output: TableOutput = TABLE) -> int:
    """Print all checks with their points; as CSV, the file that a course at Canvas imports under "Rubrics".

    Example: companion assignment rubric ch3_sizes
    """
    assignment = source.find(name)
    if output.csv:
        say(reports.csv_text(office_hours.canvas_rubric(assignment)).rstrip("\n"))
        return 0
    return output.give(office_hours.rubric(assignment), lambda: office_hours.rubric_text(assignment))


def _key(
    student: AnId, /, *, assignment: OfWhich, secret: Secret = SECRET, students: OneRoster = None, output: Output = TEXT
) -> int:
    """Print a student's own numbers and the expected values, for an office hour.

    Example: companion assignment key ada --assignment ch3_sizes
    """
    chosen = source.find(assignment)
    if students:  # against a slip of the pen: any id has numbers
        known_as("ID", student, [one.id for one in _roster(students)])
    found = office_hours.key(chosen, keys.keys(Path(secret), chosen.name), student)
    return output.give(found, lambda: office_hours.key_text(found))


def _report(
    folder: Annotated[Path, text("FOLDER", "what 'grade' wrote, such as grades/ch3_sizes", name="FOLDER")],
    /,
    *,
    assignment: AsItSays = None,
    output: Output = TEXT,
) -> int:
    """Look at a class: scores, checks, typical errors, similar code.

    Example: companion assignment report grades/ch3_sizes
    """
    folder, results, hand_ins, table = class_report.read(folder)
    chosen = source.find(assignment or "".join({str(result["assignment"]) for result in results}))
    found = class_report.gather(chosen, results, hand_ins, table)
    write_atomic(folder / class_report.SIMILAR, class_report.table(found))
    write_atomic(folder / class_report.PAGE, class_report.page(found).encode())
    told = f"\n\nwithout names, to be shown in class: {folder / class_report.PAGE}"
    return output.give(found, lambda: class_report.text(found) + told)


def _grade(
    folder: Annotated[Path, text("FOLDER", "of notebooks, or the zip of a course's web site", name="FOLDER")],
    /,
    *,
    assignment: OfWhich,
    students: Roster,
    secret: Secret = SECRET,
    out: Annotated[str | None, text("FOLDER", "where to write (default: below grades/)")] = None,
    overrides: Annotated[str | None, text("FILE", "changes by hand (default: overrides.csv with the grades)")] = None,
    points: Annotated[str | None, text("q1=5,q2=0", "other points of questions; 0 drops one")] = None,
    late: Annotated[str | None, text("RATE", "what a day late costs: 10%/day of all points (default: nothing)")] = None,
    grace: Annotated[str | None, text("DAYS", "days late that cost nothing (default: 0)")] = None,
    title: Annotated[str, text("TEXT", "of the column at Canvas or Moodle (default: the assignment's)")] = "",
    dry_run: Annotated[bool, switch("read everything, tell all mistakes, grade nothing")] = False,
    only: Annotated[tuple[str, ...], text("ID", "this student alone, again; repeatable")] = (),
    again: Annotated[bool, switch("also what has its result already")] = False,
    anyway: Annotated[bool, switch("also if most notebooks are of another assignment or secret")] = False,
    time: Annotated[float, value("SECONDS", "limit of a submission (default: 60)", **_MOST)] = 60.0,
    memory: Annotated[float, value("GB", "limit of each process (default: 2)", **_MOST)] = 2.0,
    jobs: Jobs = None,
    rung: Annotated[str | None, text("RUNG", "bubblewrap, container or none (default: the strongest there is)")] = None,
    no_sandbox: Annotated[bool, switch("where there is no sandbox, run code without")] = False,
    python: Annotated[str | None, text("FILE", "Python for student code, with NumPy and SciPy")] = None,
    output: Output = TEXT,
) -> int:
    """Grade what was handed in; called again, what has changed since.

    Example: companion assignment grade handed-in --assignment ch3_sizes --students roster.csv
    """
    from companion.simulate.replicate import workers

    mistakes, chosen = Mistakes(), source.find(assignment)
    place = Path(out) if out else Path("grades", chosen.name)
    roster: list[submitted_files.Student] = []
    with mistakes.noted():
        roster = tables.read_roster(Path(students), mistakes)
    with mistakes.noted():
        if overrides and not Path(overrides).is_file():
            raise ParameterError("--overrides", f"{overrides} does not exist", "a CSV file with the column id")
    if not roster:
        mistakes.refuse()
    found = keys.keys(Path(secret), chosen.name)
    files = {name: place / name for name in (tables.OVERRIDES, tables.MARKS, tables.REQUESTS)}
    files |= {name: Path(students).with_name(name) for name in (tables.DUE, tables.COMMENTS)}
    files |= {tables.OVERRIDES: Path(overrides)} if overrides else {}
    policy = tables.read(chosen, roster, points, late, grace, files, found.hidden, mistakes)
    handed = grading.hand_ins(folder, roster, chosen, found, place, only, anyway, mistakes)
    for line in [*handed.warnings, *_of_time(policy, handed)]:
        _tell(line)
    if len(mistakes.found) > 1:
        for error in mistakes.found:
            _tell(f"mistake: {error}")
        raise ParameterError(f"{len(mistakes.found)} mistakes", "are told above", remedy="Nothing was graded")
    mistakes.refuse()
    if dry_run:
        return _told_only(handed, output)
    place.mkdir(parents=True, exist_ok=True)
    place.chmod(0o700)
    seconds: dict[str, float] = {}
    with isolation.opened(rung, no_sandbox, python) as box:
        _tell(f"sandbox: {box.rung}" + "".join(f"; {other}: {reason}" for other, reason in box.weaker.items()))
        for name, reason in (box.lacks or {}).items():
            _tell(f"without {name}: {reason}")
        isolation.refuse_what_is_shown(box, {"--secret": Path(secret)})
        setting = GradingSetting(chosen.path, found, box, Limits(total=time, memory=int(memory * 2**30)))
        asked = workers(worker_count(jobs)).jobs
        count = (os.cpu_count() or 1) if asked == -1 else asked
        results, _ = grading.grade_folder(
            folder, roster, setting, place, count, again, _tell, only, anyway, seconds, handed
        )
    entered = [adjustments.adjusted(result, policy) for result in results]
    written = reports.write(chosen, roster, entered, place, title, handed.files, policy)
    class_report.remember(place, handed.files, seconds)
    failed = [result["student"] for result in results if result["status"] == grading.FAILED]
    for line in [
        *(f"the grader failed on {name}: see {grading.result_path(place, name)}" for name in failed),
        *(f"changed as far as it goes: {line}" for line in policy.beyond),
    ]:
        _tell(line)
    if output.json:
        paths = [str(path) for path in written if path.parent == place]
        say_json({"results": entered, "nobody": handed.nobody, "warnings": handed.warnings, "files": paths})
    else:
        _summarise(entered, policy, place)
    return 1 if failed or handed.nobody or policy.beyond else 0


def _of_time(policy: tables.Policy, handed: submissions.HandedIn) -> list[str]:
    """What is to be known of days late: those that cost nothing, and hand-ins whose time nobody knows."""
    entered = {who for who, all_ in policy.changes.items() if any(one.late_days or one.handed_in for one in all_)}
    unknown = [
        who
        for who, files in handed.files.items()
        if files and who not in entered and not files[0].handed_in and not files[0].in_time
    ]
    told = [f"time of the hand-in not known: {', '.join(unknown)}; see handed_in and late_days of {tables.OVERRIDES}"]
    lines = told if policy.due and unknown else []
    return lines + ["days late cost nothing without --late"] * bool((policy.due or entered) and not policy.per_day)


def _told_only(handed: submissions.HandedIn, output: Output) -> int:
    """The end of a dry run: who has handed in, and whose nothing is."""
    missing = [who for who, files in handed.files.items() if not files]
    nothing = f"; nothing of {', '.join(missing)}" if missing else ""
    count = f"{len(handed.files) - len(missing)} of {len(handed.files)}"
    output.say(f"no mistake in the tables; {count} have handed in{nothing}. Nothing was graded")
    if output.json:
        say_json({"results": [], "nobody": handed.nobody, "warnings": handed.warnings, "files": []})
    return 1 if handed.nobody else 0


def _summarise(entered: list[grading.Result], policy: tables.Policy, place: Path) -> None:
    """What was graded, and what is left to do."""
    graded = [result["score"] for result in entered if result["status"] in grading.COUNTED]
    mean = f", mean {sum(graded) / len(graded):.2f} of {policy.total}" if graded else ""
    say(f"{len(graded)} of {len(entered)} students graded{mean}; {place / 'grades.csv'}, {place / 'feedback'}")
    if waiting := sum(reports.waits(question) for result in entered for question in result["questions"]):
        say(f"texts {BY_HAND}, {waiting}: {place / 'texts.html'}; fill in {place / tables.MARKS}, and grade again")
    late = [f"{result['student']} {result['late_days']:g}" for result in entered if result["late_days"]]
    asked = [f"{one['student']} {r['question']}" for one in entered for r in one["requests"] if not r["answer"]]
    slow = [result["student"] for result in entered if reports.ran_out(result)]
    for what, names in (
        ("days late", late),
        ("requests without an answer", asked),
        ("used up their time, which may have cost right answers", slow),
    ):
        if names:
            say(f"{what}: {', '.join(names)}")


def _export(
    name: AName,
    /,
    *,
    out: Out = None,
    secret: Secret = SECRET,
    students: OneRoster = None,
    format: Annotated[Format, text("FORMAT", "which format (default: gradescope)")] = "gradescope",
    wheels: Annotated[str | None, text("FOLDER", "wheels to put into the archive")] = None,
    exam: Exam = False,
    output: Output = TEXT,
) -> int:
    """Write the archive for Gradescope, or a notebook for Otter.

    Example: companion assignment export ch3_sizes --format otter
    """
    assignment = _found(name, exam)
    found, folder = keys.keys(Path(secret), assignment.name), _folder(out, assignment)
    if format == "otter":
        for file, content in otter.files(assignment, found).items():
            write_atomic(folder / "otter" / file, content)
        written, left = folder / "otter", otter.left_out(assignment)
    else:
        if wheels and not Path(wheels).is_dir():
            raise ParameterError("--wheels", f"{wheels} is no folder", "a folder with wheels")
        written, left = folder / "gradescope.zip", []
        given = _roster(students), Path(wheels) if wheels else None, exam
        write_atomic(written, gradescope.make_archive(assignment, found, *given))
    if output.json:
        say_json({"written": str(written), "left_out": left})
    else:
        say(str(written))
        if left:
            say("not in it, since their code would be a key: " + "; ".join(left))
    return 0


def _tell(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


_FUNCTIONS: tuple[Callable[..., int], ...] = (_list, _make, _rubric, _check, _grade, _report, _key, _export, _try)


def __getattr__(name: str) -> cyclopts.App:
    """``actions``, each with options of its own: a new application each time, since whoever registers it changes it."""
    if name != "actions":
        raise AttributeError(name)
    actions = cyclopts.App(name="assignment", default_command=execute)
    for place, (action, function) in enumerate(zip(get_args(Action), _FUNCTIONS, strict=True)):
        actions.command(function, action, sort_key=place, group_arguments="arguments", group_parameters="options")
    return actions
