"""Tables that instructors write: changes, due dates, marks of texts, comments, requests. All mistakes are told at once."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time
from pathlib import Path

from companion.classroom.draws import derive
from companion.classroom.source import Assignment
from companion.classroom.submitted_files import Student
from companion.core.errors import Mistakes, ParameterError, nearest
from companion.core.tables import rows_of

#: In the folder of the grades, and beside the roster.
OVERRIDES, MARKS, REQUESTS, DUE, COMMENTS = "overrides.csv", "to_mark.csv", "requests.csv", "due.csv", "comments.csv"
#: Columns of each; the first has to be there. A table of requests may have others.
COLUMNS = {
    OVERRIDES: ("id", "question", "points", "comment", "late_days", "handed_in"),
    MARKS: ("text", "question", "line", "of", "points", "comment", "criterion"),
    REQUESTS: ("id", "question", "request", "answer"),
    DUE: ("due", "assignment", "id"),
    COMMENTS: ("key", "comment"),
}
_KEY = re.compile(r"#(\w+)")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}")


@dataclass(frozen=True)
class Change:
    """A line of ``overrides.csv``: ``points`` of a question, or of all if it is empty.

    Where it ``sets`` them, they are in the place of those before, else they are added.
    """

    place: str
    question: str
    points: float | None
    sets: bool
    comment: str
    late_days: float | None
    handed_in: datetime | None


@dataclass(frozen=True)
class Mark:
    """A line of ``to_mark.csv``: of a rubric's line, for one version of a text; ``given``: points and comment as typed."""

    text: str
    line: int
    points: float | None
    comment: str
    given: tuple[str, str]


@dataclass(frozen=True)
class Policy:
    """Form in which scores are entered.

    Parameters
    ----------
    points : points of each question; 0 drops it
    per_day : part of all points that a day late costs
    grace : days that cost nothing
    changes, requests, due : by student
    marks : by number of the text
    comments : of the bank, by key
    hidden : the key from which numbers of texts come
    beyond : a line for every change that would have given more points than there are, or less than nothing
    """

    points: Mapping[str, float]
    per_day: float = 0.0
    grace: float = 0.0
    changes: Mapping[str, Sequence[Change]] = field(default_factory=dict)
    requests: Mapping[str, Sequence[Mapping[str, str]]] = field(default_factory=dict)
    due: Mapping[str, datetime] = field(default_factory=dict)
    marks: Mapping[str, Sequence[Mark]] = field(default_factory=dict)
    comments: Mapping[str, str] = field(default_factory=dict)
    hidden: bytes = b""
    beyond: list[str] = field(default_factory=list)

    @property
    def total(self) -> float:
        """Points of all questions."""
        return tidy(math.fsum(self.points.values()))


def tidy(value: float) -> float:
    """Rounded to a hundredth, an integer where it is one."""
    rounded = round(value, 2)
    return int(rounded) if rounded == int(rounded) else rounded


def text_number(key: bytes, *labels: str) -> str:
    """The number under which a text is marked: eight letters, which no spreadsheet takes for something else."""
    return derive(key, "text", *labels).hex()[:8].translate(str.maketrans("0123456789", "ghijklmnop"))


def read_roster(path: Path, mistakes: Mistakes | None = None) -> list[Student]:
    """The students of a course: CSV with a header; column ``id``, and where known ``name``, ``email``, ``canvas_id``.

    Parameters
    ----------
    path : the file
    mistakes : notes what is wrong with single lines; without it they are refused together

    Raises
    ------
    ParameterError
        if there is no such file, column or student; an id, e-mail address or number of Canvas is used twice; or an id could
        not be the name of a file
    """
    noted = Mistakes() if mistakes is None else mistakes
    students: list[Student] = []
    used: dict[tuple[str, str], int] = {}
    for line, row in read_table("--students", path, "id", noted):
        values = {name: row.get(name, "") for name in ("id", "name", "email", "canvas_id")}
        with noted.noted():
            if not _ID.fullmatch(values["id"]):
                problem = f"{path}, line {line}: the id is {values['id']!r}"
                raise ParameterError(
                    "--students", problem, "up to 64 letters, digits and . _ @ + -, a letter or digit first"
                )
            for column in filter(values.get, ("id", "email", "canvas_id")):
                before = used.setdefault((column, values[column].casefold()), line)
                if before != line:
                    problem = f"{path}, line {line}: the {column} {values[column]!r} is that of line {before}, too"
                    raise ParameterError("--students", problem, f"every {column} once")
            students.append(Student(**values))
    if not students and not noted.found:
        raise ParameterError("--students", f"{path}: no student listed", "a line for each")
    if mistakes is None:
        noted.refuse()
    return students


def read_table(argument: str, path: Path, needed: str, mistakes: Mistakes) -> Iterator[tuple[int, dict[str, str]]]:
    """Rows of a CSV file with a needed column, with their line; empty ones are left out.

    Files are read as :func:`companion.core.tables.rows_of` says.

    Raises
    ------
    ParameterError
        naming the argument, if there is no such file or column, two columns have one name, or a row is wider than the
        heading, which ``mistakes`` notes
    """
    try:
        rows = rows_of(path.read_bytes(), argument, str(path))
    except OSError as error:
        raise ParameterError(argument, f"{path} cannot be read ({error})", "a CSV file in UTF-8") from None
    columns = [column.lower().replace(" ", "_") for column in rows[0][1]] if rows else []
    if needed not in columns:
        raise ParameterError(argument, f"{path} has the columns {', '.join(columns) or 'none'}", f"a column {needed}")
    if twice := sorted({column for column in filter(None, columns) if columns.count(column) > 1}):
        raise ParameterError(argument, f"{path} has the column {twice[0]} twice", "one column of a name")
    for line, row in rows[1:]:
        if any(row[len(columns) :]):
            with mistakes.noted():
                problem = f"{path}, line {line} has {len(row)} cells, and the heading {len(columns)}"
                raise ParameterError(argument, problem, "no more. Numbers have a decimal point, or stand in quotes")
        elif any(row):
            yield line, dict(zip(columns, row, strict=False))


def read(
    assignment: Assignment,
    students: Sequence[Student],
    points: str | None,
    late: str | None,
    grace: str | None,
    files: Mapping[str, Path],
    hidden: bytes,
    mistakes: Mistakes,
) -> Policy:
    """From the options of the command, and the tables that there are.

    Parameters
    ----------
    assignment, students : what is graded, and whose
    points : as "q1=5,q2=0"
    late : as "10%/day", of all points
    grace : days
    files : where each table of :data:`COLUMNS` would be
    hidden : the key from which numbers of texts come
    mistakes : notes a question, student, text or comment that there is not, more points than there are, something given
        twice, and what cannot be read
    """
    worth: dict[str, float] = {question: assignment.key[question].points for question in assignment.questions}
    per_day = days = 0.0
    with mistakes.noted():
        worth = _worth(worth, points)
    with mistakes.noted():
        rate = re.fullmatch(r"([0-9.]+)\s*%(?:/day)?", late or "0%")
        if not rate:
            raise ParameterError("--late", f"got {late!r}", "a part of all points, as 10%/day")
        per_day = _number("--late", rate[1], 0, 100) / 100
    with mistakes.noted():
        days = _number("--grace", grace or "0", 0)
    tables = _Tables(files, students, mistakes)
    comments = tables.comments()
    return Policy(
        worth,
        per_day,
        days,
        tables.changes(worth),
        tables.requests(worth),
        tables.due(assignment.name),
        tables.marks(assignment, hidden, comments),
        comments,
        hidden,
    )


def _worth(worth: Mapping[str, float], points: str | None) -> dict[str, float]:
    """Points of each question, where some were given."""
    chosen: dict[str, float] = {}
    for part in filter(None, (points or "").replace(" ", "").split(",")):
        question, _, given = part.partition("=")
        if question in chosen:
            raise ParameterError("--points", f"{question} is given twice", "each question at most once")
        if question not in worth:
            raise ParameterError("--points", f"got {part!r}", f"one of {', '.join(worth)}, as in q1=5,q2=0")
        chosen[question] = _number("--points", given, 0)
    if not math.fsum({**worth, **chosen}.values()):
        raise ParameterError("--points", "drops all questions", "one that counts")
    return {**worth, **chosen}


@dataclass(frozen=True)
class _Tables:
    """Tables of one grading; a line with a mistake is noted, and left out."""

    files: Mapping[str, Path]
    students: Sequence[Student]
    mistakes: Mistakes

    def rows(self, name: str) -> Iterator[tuple[str, dict[str, str]]]:
        """Place and cells of each line of a table, if there is one."""
        path, columns = self.files.get(name), COLUMNS[name]
        if path is None or not path.exists():
            return
        with self.mistakes.noted():
            for line, row in read_table(name, path, columns[0], self.mistakes):
                odd = [column for column in row if column and column not in columns and name != REQUESTS]
                if odd:
                    problem = f"the column {odd[0]!r} means nothing"
                    raise ParameterError(f"{path}", problem, f"some of {', '.join(columns)}", nearest(odd[0], columns))
                yield f"{path}, line {line}", dict.fromkeys(columns, "") | row

    def who(self, place: str, given: str) -> str:
        """Id of a student who is named by id or e-mail address."""
        for one in self.students:
            if given and given.casefold() in (one.id.casefold(), one.email.casefold()):
                return one.id
        ids = [one.id for one in self.students]
        raise ParameterError(place, f"the id is {given!r}", "one on the roster", nearest(given, ids))

    def changes(self, worth: Mapping[str, float]) -> dict[str, list[Change]]:
        """Changes by hand."""
        found: dict[str, list[Change]] = {one.id: [] for one in self.students}
        for place, row in self.rows(OVERRIDES):
            with self.mistakes.noted():
                who, change = self.who(place, row["id"]), _change(place, row, worth)
                for before in found[who]:
                    same = before.question == change.question and before.sets and change.sets
                    if same and before.points != change.points:
                        problem = f"{change.points} points for {change.question or 'all'} of {who}"
                        raise ParameterError(
                            place, f"{problem}, but {before.points} at {before.place}", "one of the two lines"
                        )
                found[who].append(change)
        return found

    def requests(self, worth: Mapping[str, float]) -> dict[str, list[dict[str, str]]]:
        """Requests by student."""
        found: dict[str, list[dict[str, str]]] = {}
        for place, row in self.rows(REQUESTS):
            with self.mistakes.noted():
                who, _ = self.who(place, row["id"]), _question(place, row["question"], worth)
                found.setdefault(who, []).append({name: row[name] for name in COLUMNS[REQUESTS][1:]})
        return found

    def due(self, assignment: str) -> dict[str, datetime]:
        """Until when each student has time; a line with an id is an extension."""
        found: dict[tuple[str, str], datetime] = {}
        for place, row in self.rows(DUE):
            with self.mistakes.noted():
                key = row["assignment"] or assignment, self.who(place, row["id"]) if row["id"] else ""
                if key in found:
                    raise ParameterError(place, f"a second due date of {' for '.join(filter(None, key))}", "one")
                found[key] = _moment(place, row["due"], time(23, 59, 59))
        common = found.get((assignment, ""))
        if found and not common:
            with self.mistakes.noted():
                raise ParameterError(
                    f"{self.files[DUE]}", f"no line for {assignment} without an id", "the date for all"
                )
        return {one.id: found.get((assignment, one.id), common) for one in self.students} if common else {}

    def comments(self) -> dict[str, str]:
        """The bank of comments."""
        found: dict[str, str] = {}
        for place, row in self.rows(COMMENTS):
            with self.mistakes.noted():
                key = row["key"].lstrip("#")
                if not re.fullmatch(r"\w+", key) or key in found:
                    problem = f"the key is {row['key']!r}" + (", as before" if key in found else "")
                    raise ParameterError(place, problem, "another word for each comment")
                found[key] = row["comment"]
        return found

    def marks(self, assignment: Assignment, hidden: bytes, bank: Mapping[str, str]) -> dict[str, list[Mark]]:
        """Marks of texts, by the text's number."""
        asked = [question for question in assignment.questions if assignment.key[question].rubric]
        texts = {text_number(hidden, one.id, question): question for one in self.students for question in asked}
        found: dict[str, list[Mark]] = {}
        for place, row in self.rows(MARKS):
            if not (row["points"] or row["comment"]):
                continue
            with self.mistakes.noted():
                number = row["text"].partition("-")[0]
                if number not in texts:
                    raise ParameterError(place, f"the text is {row['text']!r}", "a number that stands in texts.html")
                rubric = assignment.key[texts[number]].rubric
                line = _number(place, row["line"], 1, len(rubric))
                points = _number(place, row["points"], 0, rubric[int(line) - 1][1]) if row["points"] else None
                if unknown := [key for key in _KEY.findall(row["comment"]) if key not in bank]:
                    known = f"one of {', '.join(bank) or 'none'}, from {COMMENTS} beside the roster"
                    raise ParameterError(place, f"the comment is #{unknown[0]}", known, nearest(unknown[0], bank))
                if any((one.text, one.line) == (row["text"], line) for one in found.get(number, ())):
                    raise ParameterError(place, f"line {int(line)} of text {row['text']} is marked twice", "one mark")
                comment = _KEY.sub(lambda match: bank[match[1]], row["comment"])
                given = row["points"], row["comment"]
                found.setdefault(number, []).append(Mark(row["text"], int(line), points, comment, given))
        return found


def _question(place: str, given: str, worth: Mapping[str, float]) -> str:
    if given and given not in worth:
        raise ParameterError(place, f"the question is {given!r}", f"one of {', '.join(worth)}, or nothing for all")
    return given


def _change(place: str, row: Mapping[str, str], worth: Mapping[str, float]) -> Change:
    question, given = _question(place, row["question"], worth), row["points"]
    added = given.startswith(("+", "-"))
    most = tidy(worth[question] if question else math.fsum(worth.values()))
    points = _number(place, given, -most if added else 0, most) if given else None
    late = _number(place, row["late_days"], 0) if row["late_days"] else None
    handed_in = _moment(place, row["handed_in"], time()) if row["handed_in"] else None
    return Change(place, question, points, bool(given) and not added, row["comment"], late, handed_in)


def _number(name: str, text: str, low: float, high: float = 1e6) -> float:
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = math.nan
    if not low <= value <= high:
        raise ParameterError(name, f"got {text!r}", f"a number from {tidy(low)} to {tidy(high)}")
    return tidy(value)


def _moment(place: str, text: str, at: time) -> datetime:
    """A date and a time, of this machine's zone unless it says another; of a date alone that time of the day."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise ParameterError(place, f"the time is {text!r}", "a date and a time, as 2026-10-05 23:59") from None
    return (datetime.combine(found, at) if len(text) <= len("2026-10-05") else found).astimezone()
