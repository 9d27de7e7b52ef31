"""What every chapter says of its stored evidence is counted from it, and its links lead to the entries."""

import json
import re

import pytest
from docutils.nodes import make_id

from companion.core.files import results_folder
from companion.judge.ownership import WORDS, count
from companion.pages import evidence
from companion.pages.provenance import Provenance
from companion.registry import slugs


def lead(identifier, kind, confirmed=True, consequence="It fails. More follows."):
    error = {"consequence": kind, "cause": "a cause"} if kind else None
    return {
        "paper": "one", "id": identifier, "title": f"title of {identifier}", "confirmed": confirmed,
        "consequence": consequence, "error": error,
    }  # fmt: skip


STATEMENTS = [
    {
        "paper": "one",
        "id": "lemma-2",
        "location": "Lemma 2",
        "title": "a sum",
        "status": "fails",
        "teeth": [1, 2],
        "correction": "twice that",
    },
    {"paper": "one", "id": "lemma-3", "location": "Lemma 3", "title": "a product", "status": "holds", "teeth": [1]},
]
LEADS = [
    lead("E1", "substance"), lead("E2", "constants"), lead("E3", "misprint"), lead("E4", "none"),
    lead("E5", None, confirmed=False),
]  # fmt: skip


def test_substance_is_told_are_named_and_the_rest_is_counted():
    text = evidence.say_differences(evidence.Checked(STATEMENTS, [], LEADS, Provenance())).markdown
    grave, failing, constants, rest = text.split("\n\n")
    assert '- <a href="../book/ledger.html#ledger-one-lemma-2">Lemma 2</a>, A sum. *Holds so:* Twice that.' in failing
    assert grave == '- **<a href="../book/discrepancies.html#discrepancies-one-e1">Title of E1.</a>** It fails.'
    assert "Title of E2.</a>" in constants
    assert rest.startswith("Confirmed as well, but misprints or remarks: 2.")
    assert "unfounded: 1." in rest


@pytest.mark.parametrize("paper", slugs())
def test_the_table_counts_every_entry_once(paper):
    checked = evidence.load_checked(paper)
    frame = evidence.checked_table(checked).frame
    counted = frame.groupby("what")[["of the paper", "of the companion"]].sum().sum(axis=1)
    assert counted.reindex([*WORDS.values()], fill_value=0).sum() == len(checked.ledger)
    assert frame.loc[frame["what"] == WORDS["premise"], "of the paper"].sum() == count(checked.ledger).premises.total()
    assert counted["claims in words"] == sum(entry["kind"] == "claim" for entry in checked.verdicts)
    assert counted["suspected errors"] == len(checked.discrepancies)


@pytest.mark.parametrize("paper", slugs())
def test_links_name_the_entries_of_the_page_of_discrepancies(paper):
    for page in ("ledger", "discrepancies"):
        entries = json.loads((results_folder(paper) / f"{page}.json").read_text(encoding="utf-8"))["entries"]
        assert [evidence.anchor(e, page) for e in entries] == [make_id(f"{page}-{paper}-{e['id']}") for e in entries]
    text = evidence.say_differences(evidence.load_checked(paper)).markdown
    linked = re.findall(r'href="../book/discrepancies.html#([^"]*)"', text)
    kinds = {evidence.anchor(e): (e.get("error") or {}).get("consequence") for e in entries if e["confirmed"]}
    assert sorted(linked) == sorted(name for name, kind in kinds.items() if kind in ("substance", "constants"))
