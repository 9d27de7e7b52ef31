"""Errata of a paper for its authors: what is printed, what is wrong, a program of ten lines that shows it, what mends it.

``data/reported/<paper>/errata/<id>.py`` is the erratum of a confirmed lead. Its docstring has the place and the paragraphs of
:data:`PARAGRAPHS`, in ``$LaTeX$``, each one paragraph of one or more lines. Below stands a program that runs without the
companion, imports nothing but :data:`IMPORTS`, prints both sides in lines that begin ``printed:`` and ``repaired:``, and ends
with an assertion. Usual are at most 70 words in a paragraph, and a program of ten lines of at most 88 columns. Whether the
lead is confirmed is read from the stored evidence, what it amounts to from ``errors.csv``. What the authors say to it stands
in ``data/reported/<paper>/answers.toml`` by the same id, see :data:`ANSWER`.
"""

from __future__ import annotations

import ast
import functools
import json
import os
import re
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion import registry
from companion.checks.statement import CORRECTED, FAILS, HOLDS
from companion.core import instruction_set
from companion.core.errors import DataError, ParameterError, nearest
from companion.core.files import read_toml, reported_folder, repository_root, results_folder
from companion.current.data_digest import ANSWERS, ERRATA
from companion.exports.identity import authors, cited_reference
from companion.judge.consequence import CONSTANTS, STATEMENT, SUBSTANCE
from companion.judge.consequence import load as load_consequences
from companion.judge.ownership import count, of_companion, of_paper
from companion.judge.titles import retitled
from companion.stored.results import load_entries

Json = dict[str, Any]
PARAGRAPHS = ("Printed", "Wrong", "Repair")
#: What needs an erratum, from the gravest.
GRAVE = (SUBSTANCE, CONSTANTS)
#: Fields of an answer: who answers, when, in which words; and, where there is more to say, ours.
ANSWER = ("from", "date", "answer", "reply")
#: That a program may take.
SECONDS = 20.0
#: What a program may import, so that authors can run it.
IMPORTS = {"numpy", "math", "itertools", "fractions", "statistics", "scipy.stats"}
SIDES = ("printed:", "repaired:")


@dataclass(frozen=True)
class Erratum:
    """One file: the id, the docstring's place and paragraphs, the program below it, and the whole text."""

    id: str
    place: str
    printed: str
    wrong: str
    repair: str
    program: str
    source: str


@dataclass(frozen=True)
class Outcome:
    """The lines that a program printed, and what is wrong with it; empty where nothing is."""

    lines: tuple[str, ...]
    fault: str


def parse(identifier: str, source: str) -> Erratum:
    """The erratum in the text of a file.

    Raises
    ------
    DataError
        for no Python, or another docstring than a place and the three paragraphs
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", SyntaxWarning)  # a backslash in a docstring that is not raw
            tree = ast.parse(source)
    except SyntaxError as error:
        raise DataError(f"erratum {identifier}: line {error.lineno}: {error.msg}") from None
    place, *paragraphs = (" ".join(part.split()) for part in (ast.get_docstring(tree) or "").split("\n\n"))
    heads, told = ([part.partition(": ")[side] for part in paragraphs] for side in (0, 2))
    if heads != list(PARAGRAPHS) or not all((place, *told)):
        has = ", ".join(head[:20] for head in heads) or "none"
        expected = ", ".join(f"'{name}: ...'" for name in PARAGRAPHS)
        raise DataError(
            f"erratum {identifier}: below the place its docstring has the paragraphs {has}; expected {expected}"
        )
    program = "".join(source.splitlines(keepends=True)[tree.body[0].end_lineno :]).strip()
    printed, wrong, repair = told
    return Erratum(identifier, place, printed, wrong, repair, program, source)


#: Runs each program of a list in a process of its own that finds NumPy loaded: loading it takes longer than most of them run.
_FORKING = """
import json, os, signal, sys
import numpy

seconds, sources = json.load(sys.stdin)
ended = []
for place, source in enumerate(sources):
    if os.fork() == 0:
        os.mkdir(str(place))
        os.chdir(str(place))
        for stream in (1, 2):
            os.dup2(os.open(f"../{place}.{stream}", os.O_CREAT | os.O_WRONLY), stream)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        exec(compile(source, "erratum", "exec"), {"__name__": "__main__"})
        break
    code = os.waitstatus_to_exitcode(os.wait()[1])
    ended.append(None if code == -signal.SIGALRM else code)
else:
    json.dump(ended, sys.stdout)
"""


@functools.cache
def run(sources: tuple[str, ...]) -> tuple[Outcome, ...]:
    """Run the texts of errata, each in an isolated Python of its own, in an empty folder, for at most :data:`SECONDS`."""
    if not hasattr(os, "fork"):  # Windows
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return tuple(pool.map(_alone, sources))
    with tempfile.TemporaryDirectory() as folder:
        ended = json.loads(_python(folder, "-c", _FORKING, input=json.dumps([SECONDS, sources]), check=True).stdout)
        names = [[f"{place}.{stream}" for stream in (1, 2)] for place in range(len(sources))]
        said = [[Path(folder, name).read_text(encoding="utf-8") for name in pair] for pair in names]
    return tuple(_outcome(code, *texts) for code, texts in zip(ended, said, strict=True))


def _alone(source: str) -> Outcome:
    """Run one where processes cannot fork."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = _python(folder, "-", input=source, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return _outcome(None, "", "")
    return _outcome(done.returncode, done.stdout, done.stderr)


def _python(folder: str, *arguments: str, **how: Any) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    instruction_set.pin(environment)  # the book's build shows the lines that the command prints
    command = [sys.executable, "-I", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", **how)


def _outcome(code: int | None, printed: str, error: str) -> Outcome:
    """Output of a program, and the fault in how it ended; ``code`` is ``None`` after a timeout."""
    if code is None:
        return Outcome((), f"takes more than {SECONDS:g} s")
    lines = tuple(printed.splitlines())
    if code:
        return Outcome(lines, f"ends with {(error.strip().splitlines() or ['no message'])[-1]}")
    absent = [side for side in SIDES if not any(line.startswith(side) for line in lines)]
    return Outcome(lines, f"prints no line {' and no line '.join(map(repr, absent))}" if absent else "")


def answers(paper: str, root: Path | None = None) -> dict[str, dict[str, str]]:
    """Answers of the authors by the lead's id; none without :data:`ANSWERS`. :class:`DataError` for other fields."""
    path = reported_folder(paper, root) / ANSWERS
    found = read_toml(path) if path.is_file() else {}
    for name, answer in found.items():
        if not isinstance(answer, dict) or not set(ANSWER[:3]) <= set(answer) <= set(ANSWER):
            raise DataError(f"{path}: [{name}] has to have {', '.join(ANSWER[:3])}, and may have {ANSWER[3]}")
    return {name: {field: str(text).strip() for field, text in answer.items()} for name, answer in found.items()}


def due(paper: str, root: Path | None = None) -> list[Json]:
    """Errors that need an erratum: confirmed ones of :data:`GRAVE`, of substance first, and then by cause.

    Each has the id, title, severity (empty for a statement), statement, finding, consequence and cause. A statement of the
    ledger that stands in ``errors.csv`` is ``needed`` only where no lead has its cause; it may have an erratum all the same.

    Raises
    ------
    ResultError
        if the stored evidence is missing or damaged
    """
    base = repository_root() if root is None else root
    leads = {lead["id"]: lead for lead in _stored(paper, base, "discrepancies") if lead["confirmed"]}
    ledger = {entry["id"]: entry for entry in _stored(paper, base, "ledger") if entry["status"] in (FAILS, CORRECTED)}
    found = []
    for row in load_consequences(paper, base) or ():
        name = row.lead.removeprefix(STATEMENT)
        entry = (leads if name == row.lead else ledger).get(name)
        if row.consequence in GRAVE and entry is not None:
            about = {"severity": entry.get("severity", ""), "statement": entry.get("statement", name)}
            about["found"] = entry.get("found", entry.get("reason"))
            found.append(
                {"id": name, "title": entry["title"], **about, "consequence": row.consequence, "cause": row.cause}
            )
            found[-1]["needed"] = name == row.lead
    caused = {entry["cause"] for entry in found if entry["needed"]}
    causes = list(dict.fromkeys(entry["cause"] for entry in found))
    for entry in found:
        entry["needed"] |= entry["cause"] not in caused
    return sorted(found, key=lambda entry: (GRAVE.index(entry["consequence"]), causes.index(entry["cause"])))


def collect(paper: str, root: Path | None = None) -> tuple[dict[str, Erratum], list[Json], list[str]]:
    """Errata by id, what is :func:`due`, and what is wrong with the files."""
    folder, wanted = reported_folder(paper, root) / ERRATA, due(paper, root)
    found, faults = dict[str, Erratum](), list[str]()
    for path in sorted(folder.glob("*.py")):
        if path.stem not in {entry["id"] for entry in wanted}:
            faults.append(
                f"erratum {path.stem} of {paper}: there is no confirmed error of {' or '.join(GRAVE)} of that id"
            )
            continue
        try:
            found[path.stem] = parse(path.stem, path.read_text(encoding="utf-8"))
        except DataError as error:
            faults.append(str(error))
    faults += [f"{ANSWERS} of {paper}: there is no erratum {name!r}" for name in answers(paper, root).keys() - found]
    return found, wanted, faults


def document(paper: str, root: Path | None = None, only: str | None = None) -> tuple[Json, list[str]]:
    """All that is told to the authors, as one JSON object, programs run; and what is wrong with it.

    Raises
    ------
    ParameterError
        for an id, ``only``, that no erratum has
    DataError
        if the work that the lesson cites first has another title than the paper
    """
    base = repository_root() if root is None else root
    found, wanted, faults = collect(paper, base)
    if only is not None and only not in found:
        known = f"one of {', '.join(found)}" if found else f"none, as {paper} has no errata"
        raise ParameterError("id", f"got {only!r}", known, nearest(only, found))
    numbered = list(enumerate((entry for entry in wanted if entry["id"] in found), start=1))
    chosen = [(number, entry) for number, entry in numbered if only in (None, entry["id"])]
    ran = run(tuple(found[entry["id"]].source for _, entry in chosen))
    said, entries = answers(paper, base), []
    for (number, entry), outcome in zip(chosen, ran, strict=True):
        erratum = found[entry["id"]]
        faults += [f"erratum {erratum.id} of {paper}: its program {outcome.fault}"] if outcome.fault else []
        entries.append(
            {"number": number, "paper": paper}
            | {name: value for name, value in entry.items() if name != "needed"}
            | {name: getattr(erratum, name) for name in ("place", "printed", "wrong", "repair", "program")}
            | {"prints": list(outcome.lines), "fault": outcome.fault, "answer": said.get(erratum.id)}
        )
    about = cited_reference(paper, base)
    _right_work(paper, about)
    told = {
        "paper": paper,
        "title": about.get("title", paper),
        "authors": authors(about),
        **_checked(paper, base),
        "errata": entries,
        "lacking": [entry["id"] for entry in wanted if entry["needed"] and entry["id"] not in found],
        "answer_to": _address(paper, base),
    }
    return told, faults


def _right_work(paper: str, about: Mapping[str, str]) -> None:
    """Refuse a letter to the authors of another work than the paper is."""
    title = registry.get(paper).title if paper in registry.chapters() else ""
    given, named = (re.sub(r"[\W_]+", " ", each).strip().casefold() for each in (title, about.get("title", "")))
    if given and named and given != named:
        raise DataError(
            f"the lesson of {paper} cites first {about['title']!r} of book/references.bib, and PAPER.title is {title!r}; cite "
            "the paper first, or mend the title"
        )


def _stored(paper: str, root: Path, name: str) -> list[Json]:
    """Stored entries, under the titles of the pages."""
    stored = load_entries(results_folder(paper, root), name, f"companion evidence {paper}")
    return retitled(root, paper, name, stored.entries)


def _checked(paper: str, root: Path) -> Json:
    """Outcomes of the paper's statements, claims and numbers, number of suspicions not confirmed, and our own entries."""
    ledger, verdicts, leads = (_stored(paper, root, name) for name in ("ledger", "verdicts", "discrepancies"))
    judged = of_paper(verdicts)
    counts = {
        "statements": count(ledger).claims + count(ledger).premises,
        "premises": count(ledger).premises,
        "claims": Counter(entry["verdict"] for entry in judged if entry["kind"] == "claim"),
        "numbers": Counter(entry["verdict"] for entry in judged if entry["kind"] == "cell"),
        "suspicions": Counter("confirmed" if lead["confirmed"] else "not confirmed" for lead in leads),
    }
    ours = [{"id": entry["id"], "title": entry["title"]} for entry in of_companion(ledger)]
    return {"came_out": {name: dict(found) for name, found in counts.items()}, "ours": ours}


def _address(paper: str, root: Path) -> str:
    """Address for an answer: a form, if the repository has an address, or else the file itself."""
    path = root / "_config.yml"
    known = re.search(r'companion_repository: "(.+)"', path.read_text(encoding="utf-8") if path.is_file() else "")
    return (
        f"{known[1].rstrip('/')}/issues/new?template=doubt-a-number.yml"
        if known
        else f"data/reported/{paper}/{ANSWERS}"
    )


def what_holds(told: Mapping[str, Any]) -> list[str]:
    """Sentences for what came out well, each with what it is out of; nothing is said of what could not be tested."""
    of = {name: Counter(counts) for name, counts in told["came_out"].items()}
    tested = {name: counts.total() - counts["not-testable"] - counts["not-checkable"] for name, counts in of.items()}
    tested["statements"] -= tested.get("premises", 0)
    statements, claims, numbers = of["statements"] - of["premises"], of["claims"], of["numbers"]
    parts = [f"{statements[HOLDS]} hold as printed", f"{statements[CORRECTED]} with another constant"]
    parts += [f"{statements[FAILS]} fail as printed"] if statements[FAILS] else []
    *first, last = parts
    said = {
        "statements": f"Of {tested['statements']} statements, numbered or not, that could be false and that a program could "
        f"check, {', '.join(first)} and {last}.",
        "claims": f"Of {tested['claims']} conclusions on the experiments that our runs could test, {claims['holds']} came out "
        f"as claimed, {claims['undecided']} stayed undecided and {claims['contradicted']} came out otherwise.",
        "numbers": f"Of {tested['numbers']} printed numbers that could be compared, {numbers['equivalent']} are equivalent to "
        f"ours within a margin fixed before the runs, and {numbers['different']} are different; the others are undecided.",
        "suspicions": f"Of {tested['suspicions']} places that looked wrong to us, {of['suspicions']['not confirmed']} stood "
        "the test: there the text is right, or cannot be shown to be wrong.",
    }
    return [sentence for name, sentence in said.items() if tested[name]]


def how_to_answer(told: Mapping[str, Any]) -> list[str]:
    """Sentences on what to do with an erratum that is right, and with one that is not."""
    form = told["answer_to"].startswith("http")
    by = f"the form {told['answer_to']}" if form else f"a section `[ID]` of `{told['answer_to']}`, or a letter to us"
    return [
        "Each program stands alone: save it, and run it with Python and NumPy.",
        f"Answer by {by}, naming the erratum. An answer is shown in your words beside it.",
        "Where an answer shows that an erratum is wrong, it is withdrawn, and stays on the page with your answer.",
    ]


def what_is_ours(told: Mapping[str, Any]) -> list[str]:
    """Sentences on what the companion says and the paper does not, so that it is the companion's to be proved wrong."""
    of_ours = [f"our own statement {entry['id']}: {entry['title']}" for entry in told["ours"]]
    return [
        "that each of these places is an error, and what it amounts to: substance (a claim or procedure does not stand as "
        "printed) or constants (it stands with another constant, logarithm or range)",
        "every repair, and that what we call not affected is not",
        *of_ours,
    ]
