"""What errors amount to: the table is read, every confirmed lead of the repository is judged, and causes count once."""

from __future__ import annotations

import re

import pytest

from companion import registry
from companion.core.errors import DataError
from companion.core.files import results_folder
from companion.judge import consequence, ownership
from companion.judge.consequence import Consequence, attached, counts, load, of_leads, unjudged, unknown
from companion.judge.ownership import of_companion, of_paper, whose
from companion.stored.results import load_entries


def written(tmp_path, text):
    folder = tmp_path / "data" / "reported" / "toy"
    folder.mkdir(parents=True)
    (folder / "errors.csv").write_text(text, encoding="utf-8")
    return tmp_path


def test_rows_are_read_in_their_order(tmp_path):
    root = written(tmp_path, 'lead,consequence,cause\nE2,misprint,a slip\nstatement:lemma-1,substance,"a, b"\n')
    assert load("toy", root) == (
        Consequence("E2", "misprint", "a slip"),
        Consequence("statement:lemma-1", "substance", "a, b"),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lead,cause,consequence\n", "has the columns"),
        ("lead,consequence,cause\nE1,misprint,\n", "line 2: a field is empty"),
        ("lead,consequence,cause\nE1,misprints,x\n", "line 2: consequence is 'misprints'.*misprint"),
        ("lead,consequence,cause\nE1,none,x\nE1,none,y\n", "line 3: the id 'E1' occurs twice"),
        ("lead,consequence,cause\nE1,none\n", "line 2: a field is empty"),
    ],
)
def test_faulty_tables_are_refused(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        load("toy", written(tmp_path, text))


def test_a_paper_without_a_table_has_no_counts(tmp_path):
    assert load("toy", tmp_path) is None


LEADS = [{"id": name, "confirmed": name != "U1"} for name in ("E1", "E2", "E3", "U1")]
ROWS = (
    Consequence("E1", "substance", "one cause"),
    Consequence("E2", "misprint", "one cause"),
    Consequence("E3", "constants", "another"),
    Consequence("U1", "substance", "never found"),
    Consequence("statement:lemma-1", "constants", "a third"),
)


def test_places_and_causes_are_counted_apart():
    found = counts(ROWS, LEADS)
    assert {name: tuple(found[name].values()) for name in found} == {
        "substance": (1, 1), "constants": (2, 2), "misprint": (1, 0), "none": (0, 0),
    }  # fmt: skip


def test_rows_belong_to_leads_and_statements():
    assert unknown(ROWS, [lead["id"] for lead in LEADS], ["lemma-1"]) == []
    assert unknown(ROWS, ["E1", "E2", "U1"], ["lemma-2"]) == ["E3", "statement:lemma-1"]
    assert unjudged(ROWS[1:], LEADS) == ["E1"]


def test_only_confirmed_leads_amount_to_something():
    found = {lead["id"]: lead["error"] for lead in attached(LEADS, ROWS)}
    assert found["U1"] is None
    assert found["E2"] == {"consequence": "misprint", "cause": "one cause"}
    assert {lead["error"] is None for lead in attached(LEADS, None)} == {True}


def test_stored_leads_give_their_rows_back_or_none_if_one_was_not_judged():
    confirmed = [row for row in ROWS if row.lead.startswith("E")]
    assert of_leads(attached(LEADS, ROWS)) == tuple(confirmed)
    assert of_leads(attached(LEADS, ROWS[1:])) is None
    assert of_leads(LEADS) is None, "stored before anybody judged"


@pytest.mark.parametrize("paper", registry.declaring("leads"))
def test_every_confirmed_lead_of_a_paper_is_judged_and_every_row_belongs_to_something(root, paper):
    rows = load(paper, root)
    assert rows is not None, "no errors.csv"
    declared = [lead.id for lead in registry.leads(paper)], [statement.id for statement in registry.statements(paper)]
    assert unknown(rows, *declared) == []
    leads = load_entries(results_folder(paper, root), "discrepancies", "").entries
    assert unjudged(rows, leads) == []
    confirmed = sum(lead["confirmed"] for lead in leads)  # of those that were investigated when this was stored
    extra = sum(row.lead.startswith(consequence.STATEMENT) for row in rows)
    assert sum(found["places"] for found in counts(rows, leads).values()) == confirmed + extra


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"location": "Ours; from Lemma 7.1"}, "companion"),
        ({"location": "the companion's, on Theorem 1"}, "companion"),
        ({"location": "Section 4, hours"}, "paper"),
        ({"location": "Section 4", "whose": "companion"}, "companion"),
        ({"source": "companion"}, "companion"),
        ({"source": "Table 1"}, "paper"),
        ({"source": "Table 1", "whose": "companion"}, "companion"),
    ],
)
def test_whose_an_entry_is(entry, expected):
    assert whose(entry) == expected
    assert len(of_paper([entry])) == (expected == "paper")
    assert len(of_companion([entry])) == (expected == "companion")


# -- what could be false, and what sets what is meant -------------------------------------------------------------------


def entry(status="holds", **more):
    return {"location": "Section 1", "status": status, "role": "claim", "numbered": True} | more


def test_premises_are_counted_apart_and_the_parts_sum_to_the_whole():
    ledger = [
        *(entry(), entry("fails"), entry("fails", numbered=False), entry("not-checkable")),
        *(entry(role="definition"), entry("fails", role="algorithm", numbered=False), entry(location="ours")),
    ]
    found = ownership.count(ledger)
    assert found.claims == {"holds": 1, "fails": 2, "not-checkable": 1}
    assert found.premises == {"holds": 1, "fails": 1}
    assert (found.total, found.unnumbered) == (6, 1), "neither the companion's own nor an algorithm without a number"
    assert (found + found).total == 12
    assert "Of 6 statements, numbered or not, 4 say something" in str(found)


@pytest.mark.parametrize("paper", registry.declaring("statements"))
def test_stored_statements_say_what_their_inventory_says(root, paper):
    stored = load_entries(results_folder(paper, root), "ledger", "").entries
    declared = {one.id: (one.role, one.numbered) for one in registry.statements(paper)}
    assert {one["id"]: (one["role"], one["numbered"]) for one in stored} == declared
    assert ownership.count(stored).total == len(of_paper(stored))
    for one in of_companion(stored):
        assert (one["role"], one["numbered"]) == ("claim", False), "what we say could be false, and no paper numbers it"


def test_the_amounts_of_the_confirmed_sum_to_their_number(root):
    leads = [
        lead
        for paper in registry.declaring("leads")
        for lead in load_entries(results_folder(paper, root), "discrepancies", "").entries
    ]
    looked, confirmed, *amounts = map(int, re.findall(r"\d+", consequence.told(leads)))
    assert (looked, confirmed) == (len(leads), sum(lead["confirmed"] for lead in leads))
    assert sum(amounts) == confirmed
    assert re.findall(r"\d+", consequence.told(LEADS))[2:] == ["0"] * 4, "judged by nobody"


PROSE = (
    "*.md",
    "CITATION.cff",
    "*.json",
    ".*.json",
    "book/*.md",  # generated ones are made from the package
    "book/api/*.md",
    "notebooks/ch*.py",
    "src/**/*.py",
    "src/**/*.txt",
    "book/_ext/**/*.jinja",
)


def test_no_page_calls_all_statements_numbered(root):
    """Entries without a number stand in each ledger but one, so "numbered statements" is never what is counted."""
    told = re.compile(r"\b(?:every|each|its|all|\d+) numbered statement|numbered\s+statements", re.IGNORECASE)
    assert told.search("Of 208 numbered statements")
    files = {path for pattern in PROSE for path in root.glob(pattern)}
    assert len(files) > 100
    assert [path.name for path in sorted(files) if told.search(path.read_text(encoding="utf-8"))] == [
        "regret_discrepancies.py"  # on one counter that the paper's numbered statements share
    ]
