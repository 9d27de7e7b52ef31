"""The ledgers and discrepancies of all papers are complete, and their assumptions bite; ``make settle`` compares outcomes."""

import re

import pytest

from companion import registry
from companion.core.errors import AssumptionError, CompanionError
from companion.core.files import results_folder
from companion.judge import evidence
from companion.judge.consequence import attached
from companion.judge.consequence import load as load_consequences
from companion.judge.reported import load_claims
from companion.pages.document import find_chapter
from companion.stored.results import load_entries


def declared_by(paper, name):
    """Statements or leads, and why there are none: one test says where declarations and inventory do not fit together."""
    try:
        return evidence.declared(paper, name), ""
    except CompanionError as error:
        return (), str(error)


STATEMENTS = [
    pytest.param(paper, entry.id, marks=pytest.mark.slow, id=f"{paper}-{entry.id}")
    for paper in registry.declaring("statements")
    for entry in declared_by(paper, "ledger")[0]
]


@pytest.mark.parametrize("name", evidence.PARTS)
@pytest.mark.parametrize("paper", registry.chapters())
def test_the_stored_entries_are_those_that_are_declared_and_sound(paper, name):
    if not registry.declares(paper, evidence.PARTS[name]):
        return
    kept = load_entries(results_folder(paper), name, f"companion evidence {paper}").entries
    if name == "verdicts":
        verdicts = registry.part(paper, "verdicts").value
        claims = [claim.id for claim in load_claims(paper)]
        assert sorted(verdicts.tests) == sorted(claims), "every row of claims.csv has its test, and no other has one"
        asked = [*claims, *(question.id for question, _ in verdicts.asked)]
        assert [entry["cell"] for entry in kept if entry["kind"] == "claim"] == asked, f"make evidence CH={paper}"
        return
    declared, fault = declared_by(paper, name)
    if fault:
        pytest.fail(fault, pytrace=False)
    assert [entry["id"] for entry in kept] == [entry.id for entry in declared], f"make evidence CH={paper}"
    judged = attached(kept, load_consequences(paper)) if name == "discrepancies" else list(kept)
    assert evidence.faults(judged) == []
    statements = {statement.id for statement in declared_by(paper, "ledger")[0]}
    assert {entry["statement"] for entry in kept if name == "discrepancies"} <= statements | {""}


@pytest.mark.parametrize(("paper", "identifier"), STATEMENTS)
def test_violated_assumptions_raise(paper, identifier):
    statement = next(entry for entry in registry.statements(paper) if entry.id == identifier)
    for assumption in statement.assumptions:
        with pytest.raises(AssumptionError):
            statement.cases(assumption.violated_by)


@pytest.mark.parametrize("paper", registry.declaring("statements"))
def test_places_in_the_chapter_exist(paper, root):
    text = find_chapter(root, paper).text
    labels = set(re.findall(r":label: (\S+)|^# \((\S+)\)=", text, re.MULTILINE))
    places = {name for pair in labels for name in pair if name}
    for heading in re.findall(r"^# #{2,} (.+)$", text, re.MULTILINE):
        places.add(re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-"))
    assert {statement.anchor for statement in declared_by(paper, "ledger")[0]} <= places
