"""The crate of a paper: everything described, whole, the same bytes again; ids that stay; terms for every status."""

import doctest
import hashlib
import json
import re
import shutil
from pathlib import Path

import pytest
from docutils import nodes
from printed import faults, of_file

from companion import registry
from companion.checks.statement import STATUSES as STATEMENT_STATUSES
from companion.core.errors import CompanionError, ParameterError
from companion.exports.identity import identifier
from companion.exports.pack import METADATA, pack
from companion.exports.schema import FILE
from companion.exports.terms import CITO, STATUSES, status
from companion.judge.consequence import CONSEQUENCES
from companion.judge.verdict import CELL_VERDICTS, CLAIM_VERDICTS

ROOT = Path(__file__).resolve().parents[2]
KINDS = {"ledger": "statement", "discrepancies": "lead"}


@pytest.fixture(scope="module")
def crate(crates):
    return crates("batched")


@pytest.fixture
def graph(crate):
    return {entity["@id"]: entity for entity in json.loads(crate.files[METADATA])["@graph"]}


def entries(paper):
    for name in ("ledger", "verdicts", "discrepancies"):
        path = ROOT / "data" / "results" / paper / f"{name}.json"
        for entry in json.loads(path.read_text(encoding="utf-8"))["entries"]:
            yield name, entry


# -- RO-Crate 1.2 and Process Run Crate 0.5: the entities and fields that these require --------------------------------


def test_the_descriptor_and_the_root_are_those_of_the_specification(graph, crate):
    assert json.loads(crate.files[METADATA])["@context"] == "https://w3id.org/ro/crate/1.2/context"
    assert graph[METADATA]["@type"] == "CreativeWork"
    assert graph[METADATA]["about"] == {"@id": "./"}
    assert graph[METADATA]["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.2"}
    root = graph["./"]
    assert root["@type"] == "Dataset"
    assert all(root[field] for field in ("name", "description", "datePublished", "license", "hasPart", "mentions"))
    assert root["conformsTo"]["@id"] == "https://w3id.org/ro/wfrun/process/0.5"
    profile = graph[root["conformsTo"]["@id"]]
    assert (profile["@type"], profile["version"]) == (["CreativeWork", "Profile"], "0.5")


def test_every_run_names_its_software_its_time_and_what_it_made(graph):
    runs = [graph[link["@id"]] for link in graph["./"]["mentions"]]
    assert {run["@type"] for run in runs} == {"CreateAction"}
    assert len(runs) == 4  # ledger, verdicts, discrepancies, and one set of tables
    for run in runs:
        assert graph[run["instrument"]["@id"]]["@type"] == "SoftwareApplication"
        software = graph[run["instrument"]["@id"]]
        # Contextual entities: https://www.researchobject.org/ro-crate/specification/1.2/workflows.html
        for used in (software, *(graph[link["@id"]] for link in software["softwareRequirements"])):
            assert used["version"] == used["softwareVersion"]
            assert used["url"].startswith(("https://", "pkg:pypi/"))
        assert run["result"]
        assert run["endTime"].endswith("+00:00")
        assert graph[run["agent"]["@id"]]["@type"] == "Organization"
    made = {link["@id"] for run in runs for link in run["result"]}
    assert {"results/appendix_e.csv", "verdicts.json", "ledger.json", "discrepancies.json"} <= made


def test_every_link_leads_to_an_entity_and_every_file_is_described(graph, crate):
    def links(value):
        if isinstance(value, dict):
            yield from [value["@id"]] if set(value) == {"@id"} else (one for v in value.values() for one in links(v))
        elif isinstance(value, list):
            yield from (one for item in value for one in links(item))

    outside = {"https://w3id.org/ro/crate/1.2"}
    dead = {link for entity in graph.values() for link in links(entity)} - set(graph) - outside
    assert dead == set()
    parts = {link["@id"] for link in graph["./"]["hasPart"]}
    assert parts == set(crate.files) - {METADATA}
    for name in parts:
        content, entity = crate.files[name], graph[name]
        assert entity["sha256"] == hashlib.sha256(content).hexdigest()
        assert entity["contentSize"] == str(len(content))
        assert entity["name"]
        assert entity["encodingFormat"]


def test_the_same_results_give_the_same_bytes(crate):
    assert pack("batched", ROOT).files == crate.files


def test_the_evidence_in_it_is_what_is_stored_and_fits_its_schema(crate):
    for name, content in crate.files.items():
        plain = name.removeprefix("results/")
        stored = ROOT / "data" / "results" / "batched" / plain
        if stored.is_file():
            assert content == stored.read_bytes()
            if plain.endswith(".json"):
                assert faults(of_file(Path(plain)), json.loads(content)) == []
    assert {"verdicts.json", "ledger.json", "discrepancies.json", "LICENSE", FILE} <= set(crate.files)


# -- writing -----------------------------------------------------------------------------------------------------------


def test_a_crate_is_written_over_an_older_one_and_over_nothing_else(crate, tmp_path):
    folder = tmp_path / "crate"
    crate.write(folder)
    written = crate.write(folder)
    assert {path.relative_to(folder).as_posix() for path in written} == set(crate.files)
    assert {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()} == set(crate.files)
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.txt").write_text("mine")
    with pytest.raises(ParameterError, match="--out"):
        crate.write(other)
    assert [path.name for path in other.iterdir()] == ["thesis.txt"]


def test_an_unknown_paper_is_refused_by_name():
    with pytest.raises(ParameterError):
        pack("bached", ROOT)


def test_damaged_evidence_is_not_exported(tmp_path):
    for name in ("data/reported", "data/results/batched", "notebooks", "book"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("*.ipynb", "_build"))
    shutil.copy(ROOT / "LICENSE", tmp_path)
    path = tmp_path / "data/results/batched/verdicts.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"holds"', '"undecided"', 1), encoding="utf-8")
    with pytest.raises(CompanionError, match="damaged or edited"):
        pack("batched", tmp_path)


# -- ids and terms -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("paper", registry.slugs())
def test_ids_are_unique_and_do_not_depend_on_words(paper):
    found = [identifier(name, entry) for name, entry in entries(paper)]
    assert len(set(found)) == len(found)
    reworded = [
        identifier(name, entry | {"title": "another", "claim": "other words", "reason": "", "found": ""})
        for name, entry in entries(paper)
    ]
    assert reworded == found


@pytest.mark.parametrize("paper", registry.slugs())
def test_ids_are_the_addresses_on_the_pages_of_the_book(paper):
    for name, entry in entries(paper):
        own = identifier(name, entry).split("/")[-1]
        if name == "verdicts" and entry["kind"] == "cell":
            told = f"{entry['source']} {entry['cell']} {entry['metric']}"
            assert own == f"n-{hashlib.sha256(told.encode()).hexdigest()[:6]}"
        else:
            assert own == nodes.make_id(entry["cell" if name == "verdicts" else "id"])


def test_every_status_has_a_term_elsewhere():
    known = {
        "cell": set(CELL_VERDICTS),
        "claim": set(CLAIM_VERDICTS),
        "statement": set(STATEMENT_STATUSES),
        "lead": {*CONSEQUENCES, "confirmed", "not confirmed"},
    }
    assert {kind: set(table) for kind, table in STATUSES.items()} == known
    outcomes = {"Validated", "PartiallySupported", "Contradicted", "Inconclusive", "NotTested"}
    relations = {CITO + word for word in ("confirms", "qualifies", "disputes", "discusses")}
    for table in STATUSES.values():
        assert {terms["forrt"] for terms in table.values()} <= outcomes
        assert {terms["cito"] for terms in table.values()} <= relations


def test_the_page_shows_the_table_of_terms():
    page = (ROOT / "book" / "machines.md").read_text(encoding="utf-8")
    shown = re.findall(r"^\| (cell|claim|statement|lead) \| (.+) \| (\w+) \| (\w+) \|$", page, flags=re.MULTILINE)
    table = [
        (kind, own, terms["forrt"], terms["cito"].removeprefix(CITO))
        for kind, rows in STATUSES.items()
        for own, terms in rows.items()
    ]
    assert shown == table


def test_the_example_on_the_page_runs():
    page = (ROOT / "book" / "machines.md").read_text(encoding="utf-8").replace("\n```\n", "\n\n")
    example = doctest.DocTestParser().get_doctest(page, {}, "machines", "machines", 0)
    told: list[str] = []
    doctest.DocTestRunner().run(example, out=told.append)
    assert example.examples
    assert told == []


@pytest.mark.parametrize("paper", registry.slugs())
def test_every_entry_has_a_status_with_a_term(paper):
    for name, entry in entries(paper):
        kind = entry["kind"] if name == "verdicts" else KINDS[name]
        assert status(kind, entry) in STATUSES[kind]


def test_a_crate_asserts_every_entry_once(crate):
    told = json.loads(crate.files["assertions.jsonld"])["@graph"]
    expected = {f"urn:gp-bandit-companion:{identifier(name, entry)}" for name, entry in entries("batched")}
    assert {one["@id"] for one in told} == expected
    assert len(told) == len(expected)
    one = next(one for one in told if one["@id"].endswith("/verdicts/matern52-smaller"))
    assert (one["status"], one["validationStatus"]) == ("contradicted", "Contradicted")
    assert one[f"{CITO}disputes"] == {"@id": "https://arxiv.org/abs/2603.12627"}
