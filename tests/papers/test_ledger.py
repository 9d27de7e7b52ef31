"""The ledgers and discrepancies of all papers: complete, with teeth that bite, and as stored for the pages."""

import os
import re
from functools import lru_cache

import pytest
from tolerances import STORED_ATOL, STORED_RTOL

from companion import arithmetic, evidence, papers
from companion.checks.lead import Lead
from companion.checks.statement import CORRECTED, FAILS, HOLDS, NOT_CHECKABLE
from companion.errors import AssumptionError
from companion.files import results_folder
from companion.notebook.document import find_chapter
from companion.reproduce.stored import load_entries

WITH_STATEMENTS = papers.having("statements")
STATEMENTS = [(paper, statement.id) for paper in WITH_STATEMENTS for statement in papers.statements(paper)]
LEADS = [(paper, lead.id) for paper in papers.having("leads") for lead in papers.leads(paper)]

#: What does not hold as printed; a change here is a change of what the book says about a paper.
NOT_AS_PRINTED = {
    "batched": {
        **dict.fromkeys(("algorithm-1", "app-C", "remark-9"), FAILS),
        **dict.fromkeys(("definition-1", "eq-7", "footnote-3", "prop-3", "prop-5", "remark-1", "remark-2"), CORRECTED),
        "setup": CORRECTED,
    },
    "compressed": {
        **dict.fromkeys(("claim-eps-regret", "eq-9.26", "table-1", "table-1-ucb1-b", "table-1-ucb2-b"), FAILS),
        **dict.fromkeys(("theorem-3.1", "theorem-3.4"), FAILS),
        **dict.fromkeys(("acq-mpi", "eq-2.3", "eq-8.58", "eq-9.21", "lemma-7.1", "lemma-8.7", "lemma-8.8"), CORRECTED),
        "theorem-3.2-ii": CORRECTED,
        "eq-2.9": NOT_CHECKABLE,
    },
    "meanfield": {
        **dict.fromkeys(("A-discretisation", "A1-holder", "A1-tau", "A1-total"), FAILS),
        **dict.fromkeys(("eq-rbf", "exp-arena-fig3", "exp-penalty", "exp-swarm-opt"), FAILS),
        **dict.fromkeys(("A1-lip-sum", "A1-lmax", "A1-logtau", "A1-split", "A1-zeta"), CORRECTED),
        **dict.fromkeys(("A2-law", "A2-positive-part", "assumption-hidden", "eq-posterior"), CORRECTED),
        **dict.fromkeys(("remark-mig-rbf", "thm-4.1-explicit-printed"), CORRECTED),
        **dict.fromkeys(("remark-brown", "thm-4.1"), NOT_CHECKABLE),
    },
    "tsrsr": {
        **dict.fromkeys(("appC-neg", "lemma-2", "lemma-4"), FAILS),
        **dict.fromkeys(("lemma-11", "lemma-5", "lemma-6", "theorem-1", "thm1-step"), CORRECTED),
    },
    "wdrbo": {
        **dict.fromkeys(("class-U", "lemma-18", "lemma-23", "lemma-3", "rem-7.1", "thm-16"), CORRECTED),
        **dict.fromkeys(("thm-16-i", "thm-16-ii", "thm-16-iii", "thm-5", "thm-9"), CORRECTED),
    },
}
#: Suspicions that our computations do not confirm.
DISMISSED = {
    "batched": {"U1", "U2", "U3", "U4", "U5", "U6", "U7", "U8"},
    "compressed": {"U1", "U2", "U3", "U4", "U5", "U7", "U8", "U9", "U10", "U11"},
    "meanfield": {"U1", "U2", "U3", "U4", "U5", "U6", "U7", "U8", "U9", "U10"},
    "tsrsr": {"U1", "U2", "U3", "U4", "U5", "U6", "U7", "U8", "U9", "X2", "X12"},
    "wdrbo": {"U1", "U2", "U3", "U4", "U5", "U6", "U7", "U8", "U9"},
}
#: Leads that look at real data as well, which are not in the repository: without them they find the same in fewer places.
ON_DATA = {("wdrbo", "E18"): "portfolio"}


def without(values, word):
    """Nested values less the entries whose name has ``word``."""
    if not isinstance(values, dict):
        return values
    return {name: without(value, word) for name, value in values.items() if word not in name}


def differences(found, kept, where="values"):
    """Places where two nested values differ, numbers by more than another linear-algebra library would make them."""
    found = found.tolist() if hasattr(found, "tolist") else found
    if isinstance(kept, dict):
        names = {str(name): value for name, value in found.items()} if isinstance(found, dict) else {}
        if set(names) != set(kept):
            return [f"{where}: other names"]
        return [place for name in kept for place in differences(names[name], kept[name], f"{where}.{name}")]
    if isinstance(kept, list):
        if not isinstance(found, list | tuple) or len(found) != len(kept):
            return [f"{where}: another length"]
        return [
            place
            for i, pair in enumerate(zip(found, kept, strict=True))
            for place in differences(*pair, f"{where}[{i}]")
        ]
    if isinstance(kept, float) and isinstance(found, float):
        same = found == pytest.approx(kept, rel=STORED_RTOL, abs=STORED_ATOL, nan_ok=True)
    else:
        same = found == kept
    return [] if same else [f"{where}: {found!r} is not {kept!r}"]


def test_a_changed_number_is_a_difference():
    kept = {"a": [1.0, {"b": 2}], "c": "x", "d": 1e-20}
    assert differences({"a": (1.0 + 1e-12, {"b": 2}), "c": "x", "d": 0.0}, kept) == []
    for other in (
        {**kept, "a": [1.0 + 1e-5, {"b": 2}]},
        {**kept, "a": [1.0, {"b": 3}]},
        {**kept, "a": [1.0]},
        {**kept, "c": "y"},
        {**kept, "e": 1},
    ):
        assert len(differences(other, kept)) == 1


@lru_cache
def stored(paper, name):
    """Stored entries by id, in their order."""
    found = load_entries(results_folder(paper), name, f"companion evidence {paper}")
    return {entry["id"]: entry for entry in found.entries}


@pytest.mark.parametrize("paper", WITH_STATEMENTS)
def test_every_number_of_the_inventory_is_declared(paper):
    assert list(stored(paper, "ledger")) == [statement.id for statement in papers.statements(paper)]


@pytest.mark.parametrize("paper", WITH_STATEMENTS)
def test_what_the_evidence_says_against_the_paper(paper):
    ledger, leads = stored(paper, "ledger"), stored(paper, "discrepancies")
    assert {name: e["status"] for name, e in ledger.items() if e["status"] != HOLDS} == NOT_AS_PRINTED.get(paper, {})
    assert {name for name, e in leads.items() if not e["confirmed"]} == DISMISSED.get(paper, set())


@pytest.mark.slow
@pytest.mark.parametrize(("paper", "identifier"), STATEMENTS)
def test_statement_is_as_stored_and_its_teeth_bite(paper, identifier):
    (entry,) = evidence.ledger(paper, [identifier], teeth=True, jobs=1)
    kept = stored(paper, "ledger")[identifier]
    assert [tooth["name"] for tooth in entry["teeth"] if not tooth["caught"]] == []
    assert entry["status"] == kept["status"]
    if arithmetic.as_stored():
        assert (entry["trials"], entry["failures"]) == (kept["trials"], kept["failures"])
    assert entry["latex"]
    assert entry["reason"] or entry["status"] == HOLDS


@pytest.mark.parametrize(("paper", "identifier"), STATEMENTS)
def test_violated_assumptions_raise(paper, identifier):
    statement = next(entry for entry in papers.statements(paper) if entry.id == identifier)
    for assumption in statement.assumptions:
        with pytest.raises(AssumptionError):
            statement.cases(assumption.violated_by)


@pytest.mark.slow
@pytest.mark.parametrize(("paper", "identifier"), LEADS)
def test_lead_is_decided_as_stored(paper, identifier, investigated, monkeypatch):
    monkeypatch.setattr(Lead, "investigate", lambda lead, slug: investigated(slug, lead.id))
    (entry,) = evidence.discrepancies(paper, [identifier], jobs=1)
    kept = stored(paper, "discrepancies")[identifier]
    assert entry["confirmed"] == kept["confirmed"]
    expected = kept["values"]
    if (paper, identifier) in ON_DATA and not os.environ.get("COMPANION_DATA"):
        assert entry["found"] != kept["found"], "what was found without the data has to say so"
        expected = without(expected, ON_DATA[paper, identifier])
    if arithmetic.as_stored():
        assert differences(entry["values"], expected) == []
    known = {statement.id for statement in papers.statements(paper)}
    assert entry["statement"] in known | {""}


@pytest.mark.parametrize("paper", WITH_STATEMENTS)
def test_places_in_the_chapter_exist(paper, root):
    text = find_chapter(root, paper).source.read_text(encoding="utf-8")
    labels = set(re.findall(r":label: (\S+)|^# \((\S+)\)=", text, re.MULTILINE))
    places = {name for pair in labels for name in pair if name}
    for heading in re.findall(r"^# #{2,} (.+)$", text, re.MULTILINE):
        places.add(re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-"))
    assert {statement.anchor for statement in papers.statements(paper)} <= places
