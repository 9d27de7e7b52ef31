"""The ledgers and discrepancies of all papers: complete, with teeth that bite, and as stored for the pages."""

import json
import os
import re
from functools import lru_cache

import pytest
from tolerances import STORED_ATOL, STORED_RTOL

from companion import papers
from companion.checks.lead import Lead
from companion.checks.statement import HOLDS
from companion.core import arithmetic
from companion.core.errors import AssumptionError, CompanionError
from companion.core.files import results_folder, strict_json
from companion.pages.document import find_chapter
from companion.reproduce import evidence
from companion.reproduce.consequence import attached
from companion.reproduce.consequence import load as load_consequences
from companion.reproduce.reported import load_claims
from companion.reproduce.stored import load_entries
from companion.simulate.loop import plain

WITH_STATEMENTS = papers.having("statements")


def declared_by(paper, name):
    """Statements or leads, and why there are none: one test says where declarations and inventory do not fit together."""
    try:
        return (papers.statements(paper) if name == "ledger" else papers.leads(paper)), ""
    except CompanionError as error:
        return (), str(error)


def entries(name):
    """Every entry of a kind, as a test that is left out while nothing changes on which it rests."""
    return [
        pytest.param(
            paper,
            entry.id,
            marks=[pytest.mark.slow, pytest.mark.evidence(name, paper, entry.id)],
            id=f"{paper}-{entry.id}",
        )
        for paper in papers.chapters()
        if papers.declares(paper, evidence.PARTS[name])
        for entry in declared_by(paper, name)[0]
    ]


STATEMENTS, LEADS = entries("ledger"), entries("discrepancies")
#: Leads that look at real data as well, which are not in the repository: without them they find the same in fewer places.
ON_DATA = {("wdrbo", "E18"): "portfolio"}


def without(values, word):
    """Nested values less the entries whose name has ``word``."""
    if not isinstance(values, dict):
        return values
    return {name: without(value, word) for name, value in values.items() if word not in name}


#: What is about a computation and not its result: times, the file that has it, and words that tell it.
TOLD = {"seconds", "where", "reason", "found", "record", evidence.FINGERPRINT}


def differences(found, kept, where=""):
    """Places where two nested values of JSON differ, numbers by more than another linear-algebra library would make them."""
    if isinstance(kept, dict) and isinstance(found, dict):
        names = [name for name in {**kept, **found} if name not in TOLD]
        return [place for name in names for place in differences(found.get(name), kept.get(name), f"{where}/{name}")]
    if isinstance(kept, list) and isinstance(found, list) and len(kept) == len(found):
        pairs = enumerate(zip(found, kept, strict=True))
        return [place for i, pair in pairs for place in differences(*pair, f"{where}/{i}")]
    both = isinstance(kept, float) and isinstance(found, float)
    same = found == (pytest.approx(kept, rel=STORED_RTOL, abs=STORED_ATOL, nan_ok=True) if both else kept)
    return [] if same else [f"{where}: {found!r} is not {kept!r}"]


def test_a_changed_number_is_a_difference():
    kept = {"a": [1.0, {"b": 2}], "c": "x", "d": 1e-20}
    assert differences({"a": [1.0 + 1e-12, {"b": 2}], "c": "x", "d": 0.0, "seconds": 2.0}, kept) == []
    for other in (
        {**kept, "a": [1.0 + 1e-5, {"b": 2}]},
        {**kept, "a": [1.0, {"b": 3}]},
        {**kept, "a": [1.0]},
        {**kept, "c": "y"},
        {**kept, "e": 1},
        {"a": kept["a"], "c": "x"},
    ):
        assert len(differences(other, kept)) == 1


@lru_cache
def stored(paper, name):
    """Stored entries in their order."""
    return load_entries(results_folder(paper), name, f"companion evidence {paper}").entries


def entry_of(paper, name, identifier):
    return next(entry for entry in stored(paper, name) if entry["id"] == identifier)


def unlike(found, kept):
    """Places where an entry is not as stored; digits are compared where they were computed by the same instructions."""
    found = json.loads(strict_json(plain(found)))
    if arithmetic.as_stored():
        return differences(found, kept)
    return [name for name in ("status", "verdict", "confirmed") if found.get(name) != kept.get(name)]


@pytest.mark.parametrize("name", evidence.PARTS)
@pytest.mark.parametrize("paper", papers.chapters())
def test_the_stored_entries_are_those_that_are_declared_with_their_words(paper, name):
    if not papers.declares(paper, evidence.PARTS[name]):
        return
    kept = stored(paper, name)
    if name == "verdicts":
        verdicts = papers.part(paper, "verdicts").value
        claims = [claim.id for claim in load_claims(paper)]
        assert sorted(verdicts.tests) == sorted(claims), "every row of claims.csv has its test, and no other has one"
        asked = [*claims, *(question.id for question, _ in verdicts.asked)]
        assert [entry["cell"] for entry in kept if entry["kind"] == "claim"] == asked, f"make evidence CH={paper}"
        return
    declared, fault = declared_by(paper, name)
    if fault:
        pytest.fail(fault, pytrace=False)
    assert [entry["id"] for entry in kept] == [entry.id for entry in declared], f"make evidence CH={paper}"
    for entry in kept:
        words = json.loads(strict_json(evidence.words(paper, name, entry)))
        assert {word: entry[word] for word in words} == words, f"make evidence CH={paper}"
    judged = attached(kept, load_consequences(paper)) if name == "discrepancies" else list(kept)
    assert evidence.faults(judged) == []
    assert judged == list(kept), f"make evidence CH={paper}"


@pytest.mark.parametrize(("paper", "identifier"), STATEMENTS)
def test_statement_is_as_stored_and_its_teeth_bite(paper, identifier):
    (entry,) = evidence.ledger(paper, [identifier], teeth=True, jobs=1)
    assert [tooth["name"] for tooth in entry["teeth"] if not tooth["caught"]] == []
    kept = entry_of(paper, "ledger", identifier)
    assert unlike(entry, kept) == []
    assert ("; holds so: " in entry["reason"]) == ("; holds so: " in kept["reason"]), "whether its repair holds"
    assert entry["latex"]
    assert entry["reason"] or entry["status"] == HOLDS


@pytest.mark.parametrize(
    "paper",
    [
        pytest.param(paper, marks=[pytest.mark.slow, pytest.mark.evidence("verdicts", paper, "")])
        for paper in papers.having("verdicts")
    ],
)
def test_verdicts_are_as_stored(paper):
    for found, kept in zip(evidence.verdicts(paper), stored(paper, "verdicts"), strict=True):
        assert unlike(found, kept) == [], kept["cell"]


@pytest.mark.parametrize(("paper", "identifier"), [case.values for case in STATEMENTS])
def test_violated_assumptions_raise(paper, identifier):
    statement = next(entry for entry in papers.statements(paper) if entry.id == identifier)
    for assumption in statement.assumptions:
        with pytest.raises(AssumptionError):
            statement.cases(assumption.violated_by)


@pytest.mark.parametrize(("paper", "identifier"), LEADS)
def test_lead_is_decided_as_stored_and_its_teeth_bite(paper, identifier, investigated, monkeypatch):
    monkeypatch.setattr(Lead, "investigate", lambda lead, slug, teeth: investigated(slug, lead.id))
    (entry,) = evidence.discrepancies(paper, [identifier], teeth=True, jobs=1)
    assert [tooth["name"] for tooth in entry["teeth"] if not tooth["caught"]] == []
    kept = entry_of(paper, "discrepancies", identifier)
    if (paper, identifier) in ON_DATA and not os.environ.get("COMPANION_DATA"):
        assert entry["found"] != kept["found"], "what was found without the data has to say so"
        kept = {**kept, "values": without(kept["values"], ON_DATA[paper, identifier])}
    assert unlike(entry, kept) == []
    assert entry["statement"] in {statement.id for statement in papers.statements(paper)} | {""}


@pytest.mark.parametrize("paper", WITH_STATEMENTS)
def test_places_in_the_chapter_exist(paper, root):
    text = find_chapter(root, paper).text
    labels = set(re.findall(r":label: (\S+)|^# \((\S+)\)=", text, re.MULTILINE))
    places = {name for pair in labels for name in pair if name}
    for heading in re.findall(r"^# #{2,} (.+)$", text, re.MULTILINE):
        places.add(re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-"))
    assert {statement.anchor for statement in declared_by(paper, "ledger")[0]} <= places
