"""Schemas: valid themselves, in step with the package, met by everything stored and printed, and not by broken documents."""

import copy
import itertools
import json
import re
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace

import jsonschema
import pytest
from printed import faults, name_of, of_file, printed_json_fits_its_schema  # noqa: F401

from companion import cli, registry
from companion.checks.statement import KINDS, STATUSES
from companion.checks.suspected_error import SEVERITIES
from companion.cli import COMMANDS
from companion.current.verify import Difference, Verification
from companion.exports.schema import FILE, schema, text
from companion.judge.consequence import CONSEQUENCES
from companion.judge.ownership import WHOSE
from companion.judge.reported import SPREAD_KINDS
from companion.judge.verdict import CELL_VERDICTS, CLAIM_VERDICTS

ROOT = Path(__file__).resolve().parents[2]
STORED = sorted((ROOT / "data" / "results").glob("*/*.json"))
DEFINITIONS = json.loads(text())["$defs"]


@pytest.mark.parametrize("path", STORED, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_is_stored_fits_its_schema(path):
    assert faults(of_file(path), json.loads(path.read_text(encoding="utf-8"))) == []


def test_the_schema_is_one_of_the_draft_it_names_and_ships_with_the_package():
    whole = json.loads(text())
    assert whole["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema.Draft202012Validator.check_schema(whole)
    assert whole["$id"].endswith(":1")
    assert files("companion.exports").joinpath(FILE).is_file()
    used = set(re.findall(r'"#/\$defs/([\w-]+)"', text()))
    assert used <= set(DEFINITIONS)


def test_statuses_are_those_of_the_package():
    statement, cell, claim = DEFINITIONS["statement"]["properties"], *DEFINITIONS["verdict"]["oneOf"]
    lead = DEFINITIONS["discrepancy"]["properties"]
    told = {
        STATUSES: statement["status"],
        KINDS: statement["kind"],
        WHOSE: statement["whose"],
        CELL_VERDICTS: cell["properties"]["verdict"],
        CLAIM_VERDICTS: claim["properties"]["verdict"],
        SPREAD_KINDS: DEFINITIONS["printed"]["properties"]["spread_kind"],
        SEVERITIES: lead["severity"],
        CONSEQUENCES: lead["error"]["anyOf"][0]["properties"]["consequence"],
    }
    assert {words: tuple(found["enum"]) for words, found in told.items() if set(found["enum"]) != set(words)} == {}


def test_every_command_has_a_schema():
    several = {
        "data": ("status", "path", "fetch"),
        "assignment": ("list", "make", "check", "grade", "export"),
        "sweep": ("run", "status", "merge"),
    }
    for name in itertools.chain(*COMMANDS.values()):
        for action in several.get(name, ("",)):
            words = ["plan.toml", action]
            function = SimpleNamespace(__name__=f"_{action}")
            call = SimpleNamespace(command=name, function=function, values={"action": action, "words": words})
            assert name_of(call) in DEFINITIONS, name
    assert "verify" in DEFINITIONS


@pytest.mark.parametrize(
    "words",
    [
        "list",
        "trial batched appendix-e bpe --seed 0 --set points_per_axis=5 --set horizon=20",
        "trial batched appendix-e bpe --seeds 0-1 --set points_per_axis=5 --set horizon=20",
        "gain --kernel se --lengthscale 0.2 --dim 1 --points 10 --noise 0.1 --horizon 5",
        "ledger compressed --id eq-2.3 --teeth --jobs 1",
        "discrepancies compressed --id S1 --jobs 1",
        "data status",
        "doctor",
        "assignment list",
        "verdicts batched",
        "errata tsrsr --id X8",
        "verify batched --rows 1 --jobs 1",
    ],
)
def test_a_command_prints_what_its_schema_says(words, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    assert cli.main([*words.split(), "--json"]) == 0  # the fixture compares
    assert capsys.readouterr().out


def test_a_verification_fits_its_schema():
    found = Verification("toy", 0, 1, 1, 2, 1, 0, (Difference("t", "r", "c", "1", "2"),), 0, ("a",), ("times",))
    assert faults("verify", json.loads(json.dumps(asdict(found)))) == []


# -- broken documents --------------------------------------------------------------------------------------------------


def stored(name):
    return json.loads((ROOT / "data" / "results" / "tsrsr" / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["ledger.json", "verdicts.json", "discrepancies.json"])
def test_an_entry_without_one_of_its_fields_is_refused(name):
    content = stored(name)
    kept = {entry.get("kind"): entry for entry in content["entries"]}
    optional = {"several"} | (set(content["entries"][0]) - set(_named(name)) if name == "verdicts.json" else set())
    for entry in kept.values():
        for field in set(_named(name)) & set(entry) - optional:
            broken = content | {"entries": [{key: value for key, value in entry.items() if key != field}]}
            assert faults(f"stored-{name[:-5]}", broken), field


def _named(name):
    definition = DEFINITIONS[{"ledger": "statement", "verdicts": "verdict", "discrepancies": "discrepancy"}[name[:-5]]]
    branches = [branch["properties"] for branch in definition.get("oneOf", [])]
    return set(definition["properties"]).union(*branches)


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("ledger.json", "status", "probably"),
        ("ledger.json", "lhs", "1.5"),
        ("ledger.json", "trials", -1),
        ("ledger.json", "teeth", [{"name": "x", "caught": "yes", "where": ""}]),
        ("verdicts.json", "verdict", "holds"),  # a word for claims, on a cell
        ("verdicts.json", "kind", "guess"),
        ("verdicts.json", "difference", {"mean": 1.0, "ci95": [0.0]}),
        ("verdicts.json", "reported", {"mean": 1.0, "spread": None, "spread_kind": "range", "n": 3}),
        ("verdicts.json", "record", {"command": "x"}),
        ("discrepancies.json", "confirmed", "yes"),
        ("discrepancies.json", "severity", "grave"),
        ("discrepancies.json", "error", {"consequence": "doom", "cause": "x"}),
    ],
)
def test_a_wrong_value_is_refused(name, field, value):
    content = stored(name)
    content["entries"] = content["entries"][:1]
    assert faults(f"stored-{name[:-5]}", content) == []
    content["entries"][0][field] = value
    assert faults(f"stored-{name[:-5]}", content)


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("tables.record.json", ("settings", "sha256"), {"final.csv": "abc"}),
        ("tables.record.json", ("commit",), "main"),
        ("tables.record.json", ("date",), "yesterday"),
    ],
)
def test_a_wrong_record_is_refused(name, place, value):
    content = stored(name)
    changed = copy.deepcopy(content)
    inner = changed
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    assert faults(of_file(Path(name)), content) == []
    assert faults(of_file(Path(name)), changed)


def test_a_field_may_be_added():
    content = stored("ledger.json")
    content["entries"] = [content["entries"][0] | {"new": 1}]
    assert faults("stored-ledger", content) == []


def test_an_unknown_definition_is_refused():
    with pytest.raises(KeyError, match="ledger"):
        schema("ledgers")


def test_there_is_something_to_validate():
    assert {path.parent.name for path in STORED} >= set(registry.slugs())
