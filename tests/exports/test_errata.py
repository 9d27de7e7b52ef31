"""Errata read, joined with the stored evidence and run; what is wrong with a file or its program is named, answers are shown."""

from __future__ import annotations

import pytest
from planted_erratum import GOOD

from companion.core import instruction_set
from companion.core.errors import DataError, ParameterError
from companion.exports import errata
from companion.stored.record import Record
from companion.stored.results import store_entries

ERRORS = """lead,consequence,cause
E1,constants,a lost factor
E2,substance,another
E3,misprint,a slip
U1,substance,nothing
statement:lemma-1,constants,a lost factor
statement:lemma-2,constants,of its own
statement:lemma-3,constants,of its own
"""
BIB = """@misc{key,
  author = {Second, First and van Other, A. B.},
  title = {A {Title}},
}
"""


def lead(name, confirmed=True):
    return {"paper": "one", "id": name, "title": f"title of {name}", "severity": "minor", "statement": "lemma-1",
            "found": "3 > 2", "confirmed": confirmed}  # fmt: skip


def statement(name, status, whose="paper", role="claim"):
    return {
        "paper": "one",
        "id": name,
        "title": name,
        "status": status,
        "whose": whose,
        "role": role,
        "numbered": True,
        "reason": "so",
        "location": "1",
    }


LEDGER = [
    *(statement(f"lemma-{n}", "holds-with-corrected-constant") for n in (1, 2)),
    *(statement("lemma-3", "holds"), statement("lemma-4", "fails"), statement("lemma-5", "not-checkable")),
    *(statement("ours-1", "holds", "companion"), statement("eq-1", "holds", role="definition")),
]
VERDICTS = [
    *({"kind": "claim", "verdict": verdict, "whose": "paper"} for verdict in ("holds", "undecided", "not-testable")),
    {"kind": "claim", "verdict": "holds", "whose": "companion"},
    {"kind": "cell", "verdict": "equivalent", "whose": "paper"},
]


@pytest.fixture
def root(tmp_path):
    """A repository with one paper, no file of errata yet."""
    record = Record.now("companion evidence one", profile="paper", seeds=(0,), seconds=1.0)
    leads = [lead("E1"), lead("E2"), lead("E3"), lead("U1", confirmed=False)]
    for name, entries in (("ledger", LEDGER), ("verdicts", VERDICTS), ("discrepancies", leads)):
        store_entries(tmp_path / "data" / "results" / "one", name, entries, record)
    (tmp_path / "data" / "reported" / "one" / "errata").mkdir(parents=True)
    (tmp_path / "data" / "reported" / "one" / "errors.csv").write_text(ERRORS, encoding="utf-8")
    for place, text in (("notebooks/ch7_one.py", "# {cite}`key`"), ("book/references.bib", BIB), ("_config.yml", "")):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text(text, encoding="utf-8")
    return tmp_path


def write(root, name, text=GOOD):
    (root / "data" / "reported" / "one" / "errata" / f"{name}.py").write_text(text, encoding="utf-8")


def test_what_is_due_stands_substance_first_and_only_if_confirmed(root):
    assert [(entry["id"], entry["needed"]) for entry in errata.due("one", root)] == [
        ("E2", True),
        ("E1", True),
        ("lemma-1", False),  # a lead has its cause
        ("lemma-2", True),
    ]


def test_an_erratum_is_joined_with_its_lead_and_run(root):
    for name in ("E1", "E2", "lemma-1"):
        write(root, name)
    told, faults = errata.document("one", root)
    assert faults == []
    assert [(entry["number"], entry["id"]) for entry in told["errata"]] == [(1, "E2"), (2, "E1"), (3, "lemma-1")]
    assert told["lacking"] == ["lemma-2"]
    first = told["errata"][0]
    expected = {
        "title": "title of E2", "severity": "minor", "consequence": "substance", "found": "3 > 2", "statement": "lemma-1",
        "place": "Section 1, (2).", "printed": "$a\\le b$, by hand.", "prints": ["printed: 3 <= 2", "repaired: 3 <= 4"],
        "answer": None,
    }  # fmt: skip
    assert {name: first[name] for name in expected} == expected
    assert first["program"] == GOOD.partition('"""\n\n')[2].strip()
    assert (told["title"], told["authors"]) == ("A Title", ["First Second", "A. B. van Other"])
    assert told["ours"] == [{"id": "ours-1", "title": "ours-1"}]
    only, _ = errata.document("one", root, only="E1")
    assert [(entry["number"], entry["id"]) for entry in only["errata"]] == [(2, "E1")], "the number in the whole list"


def test_what_holds_is_counted_of_the_paper_alone(root):
    told, _ = errata.document("one", root)
    assert told["came_out"]["statements"]["holds"] == 2, "the definition with them, as ever"
    assert told["came_out"]["premises"] == {"holds": 1}
    assert told["came_out"]["claims"] == {"holds": 1, "undecided": 1, "not-testable": 1}
    statements, claims, numbers, suspicions = errata.what_holds(told)
    assert (
        "Of 4 statements, numbered or not, that could be false and that a program could check, 1 hold as printed, 2 with "
        "another constant and 1 fail" in statements
    )
    assert "Of 2 conclusions" in claims
    assert "1 are equivalent" in numbers
    assert "Of 4 places that looked wrong to us, 1 stood" in suspicions
    assert errata.what_holds({"came_out": told["came_out"] | {"numbers": {"not-testable": 5}}}) == [
        statements,
        claims,
        suspicions,
    ]


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("E9", "", "", "no confirmed error of substance or constants of that id"),
        ("E3", "", "", "no confirmed error"),
        ("U1", "", "", "no confirmed error"),
        ("lemma-3", "", "", "no confirmed error"),
        (
            "E1",
            "Wrong: It is not.\n\n",
            "",
            "paragraphs Printed, Repair; expected 'Printed: ...', 'Wrong: ...', 'Repair",
        ),
        ("E1", "Wrong: It is not.", "Wrong:", "has the paragraphs"),
        ("E1", 'r"""Section', '"""Section', "invalid escape sequence"),
        ("E1", "assert 3 > 2", "assert 3 > ", "line 12: invalid syntax"),
        ("E1", "assert 3 > 2", "assert 2 > 3", "its program ends with AssertionError"),
        ("E1", "repaired:", "mended:", "prints no line 'repaired:'"),
        ("E1", 'print("printed: 3 <= 2")', "import time; time.sleep(60)", "takes more than 0.5 s"),
    ],
)
def test_a_wrong_erratum_is_noticed(root, monkeypatch, name, old, new, words):
    monkeypatch.setattr(errata, "SECONDS", 0.5 if "sleep" in new else errata.SECONDS)
    write(root, name, GOOD.replace(old, new) if old else GOOD)
    _, faults = errata.document("one", root)
    (fault,) = faults
    assert words in fault
    assert fault.startswith(f"erratum {name}")


def test_an_unknown_id_is_refused_with_those_there_are(root):
    with pytest.raises(ParameterError, match=r"^id:"):
        errata.document("one", root, only="E1")
    write(root, "E1")
    with pytest.raises(ParameterError, match=r"^id:"):
        errata.document("one", root, only="E11")


def test_an_answer_stands_at_its_erratum(root):
    path = root / "data" / "reported" / "one" / "answers.toml"
    path.write_text('[E1]\nfrom = "A. Author"\ndate = 2026-12-01\nanswer = """\nWe agree.\n"""\n', encoding="utf-8")
    write(root, "E1")
    told, faults = errata.document("one", root)
    assert faults == []
    assert told["errata"][0]["answer"] == {"from": "A. Author", "date": "2026-12-01", "answer": "We agree."}
    path.write_text(path.read_text(encoding="utf-8").replace("[E1]", "[E2]"), encoding="utf-8")
    assert errata.document("one", root)[1] == ["answers.toml of one: there is no erratum 'E2'"]
    path.write_text('[E1]\nfrom = "A. Author"\n', encoding="utf-8")
    with pytest.raises(DataError, match=r"answers\.toml:"):
        errata.document("one", root)


def test_answers_go_to_a_form_where_the_repository_has_an_address(root):
    told, _ = errata.document("one", root)
    assert told["answer_to"] == "data/reported/one/answers.toml"
    assert "section `[ID]` of `data/reported/one/answers.toml`" in " ".join(errata.how_to_answer(told))
    (root / "_config.yml").write_text('    companion_repository: "https://github.com/a/b/"\n', encoding="utf-8")
    told, _ = errata.document("one", root)
    assert told["answer_to"] == "https://github.com/a/b/issues/new?template=doubt-a-number.yml"
    assert f"the form {told['answer_to']}" in " ".join(errata.how_to_answer(told))


def test_the_printed_lines_do_not_depend_on_who_runs_the_programs(monkeypatch):
    monkeypatch.delenv(instruction_set.CHOICE, raising=False)
    monkeypatch.delenv(instruction_set.WITHOUT, raising=False)
    monkeypatch.setenv(instruction_set.CORE_TYPE, instruction_set.WIDE)
    asked: dict[str, str] = {}
    asked_for = instruction_set.pin(asked)
    (found,) = errata.run(
        (f"import os\nprint('printed:', os.environ.get({instruction_set.CORE_TYPE!r}))\nprint('repaired: 0')",)
    )
    assert found.lines[0] == f"printed: {asked_for or instruction_set.WIDE}"
