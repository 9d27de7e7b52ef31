"""Ledger, discrepancies and verdicts of a paper made for the test."""

from __future__ import annotations

import importlib
import json
import math
import shutil
import sys
from dataclasses import replace

import pytest

from companion import papers, registry
from companion.checks.suspected_error import Finding, suspected_error
from companion.cli import main
from companion.core import templates
from companion.core.errors import CompanionError, ParameterError, ResultError
from companion.current.fingerprint import fingerprint
from companion.current.settle import settle
from companion.judge import evidence, evidence_artefacts
from companion.judge.evidence_artefacts import EvidenceFiles
from companion.registry import paper as _declared  # noqa: F401 - while the toy is installed no package of papers is found
from companion.stored.results import load_entries

PAPER = '''
"""Toy."""

from companion.registry.paper import Lazy, Paper

PAPER = Paper(
    slug="toy",
    number=0,
    statements=Lazy("companion.papers.toy.checks"),
    leads=Lazy("companion.papers.toy.checks"),
    verdicts=Lazy("companion.papers.toy.experiments.verdicts:VERDICTS"),
)
'''

STATEMENTS = '''
"""Statements of the toy paper."""

from functools import cache

from companion.checks.cases import (at_most, probability)
from companion.checks.statement import (Statement, fix, need, statement)
from companion.core.randomness import stream

@cache
def drawn(seed):
    return stream(seed, "toy").random()

def numbers():
    return [1.0, 3.0]

POSITIVE = need("$x>0$", lambda x: x > 0, violated_by=-1.0)

@statement("lemma-1", "inequality", numbers, POSITIVE,
           teeth={"half": {"factor": 0.5}, "blunt": {"factor": 3.0}})
def lemma_1(x, *, factor=2.0):
    r"""$x\\le2x$

    Parameters
    ----------
    factor : on the right
    """
    return at_most(x, factor * x, f"x={x}")

@statement("lemma-2", "inequality", numbers, corrected=fix("with factor 1", factor=1.0),
           teeth={"0.9": {"factor": 0.9}})
def lemma_2(x, *, factor=0.5):
    r"""$x\\le
    x/2$"""
    return at_most(x, factor * x, f"x={x}")

@statement("prop-1", "probability", lambda: [300], depends="lemma-1", teeth={"a rate of 0.001": {"rate": 0.001}})
def prop_1(runs, *, rate=0.1):
    """at most 10 %"""
    return probability(5, runs, rate, f"{runs} runs")

@statement("zero", "inequality", numbers, teeth={"-1": {"right": -1.0}})
def zero(x, *, right=1.0):
    r"""$0\\le1$"""
    drawn(3)
    return at_most(0.0, right, "zero")

REMARK = Statement("remark-1", "not-checkable", "words", reason="no constants")
'''

INVENTORY = """id,title,location,anchor,role,numbered
prop-1,few fail,Section 1,,claim,yes
lemma-1,doubling,Section 2,,claim,yes
lemma-2,halving,Section 3,,claim,yes
zero,zero,Section 4,,claim,yes
remark-1,talk,Section 5,,claim,yes
"""

LEADS = '''
"""Leads of the toy paper."""

from companion.papers.toy.checks.all import drawn
from companion.checks.suspected_error import Finding, suspected_error

@suspected_error("E1", teeth={"twice": {"factor": 2.0}})
def halving(*, factor=0.5):
    r"""$x\\le x/2$"""
    return Finding(factor < 1.0, {"x": 1, "right": factor}, place=1)

@suspected_error("E2", teeth={"half": {"factor": 0.5}})
def doubling(*, factor=2.0):
    r"""$x\\le2x$"""
    drawn(3), drawn(5)
    return Finding(factor < 1)
'''

LEADS_LISTED = """id,severity,statement,title,location,consequence,outcome
E1,major,lemma-2,halving,Section 3,nothing follows,
E2,minor,,doubling,Section 2,none,
"""

FINDINGS = """
E1 = "at x=[[place]]"
E2 = "it is true"
"""

VERDICTS = '''
"""Verdicts of the toy paper."""

from types import SimpleNamespace

def entries(root=None):
    return [{
        "paper": "toy", "source": "Table 1", "cell": "ucb", "metric": "regret", "kind": "cell",
        "reported": {"mean": 1.0, "spread": None, "spread_kind": "unstated", "n": 10},
        "reproduced": {"mean": 1.1, "sd": 0.1, "n": 20}, "difference": {"mean": 0.1, "ci95": [0.0, float("inf")]},
        "margin": 0.1, "verdict": "not-testable", "reason": "no spread", "record": {"command": "x"},
    }]


VERDICTS = SimpleNamespace(entries=entries)
'''

ERRORS = "lead,consequence,cause\nE1,misprint,a slip\n"


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """Install the toy paper in a repository of its own, with one worker so that it need not travel."""
    folder = tmp_path / "papers" / "toy"
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "data" / "reported" / "toy").mkdir(parents=True)
    (tmp_path / "data" / "reported" / "toy" / "errors.csv").write_text(ERRORS)
    monkeypatch.chdir(tmp_path)
    empty = '"""Toy."""'
    modules = {"checks/all": STATEMENTS, "checks/discrepancies": LEADS, "experiments/verdicts": VERDICTS}
    rooms = {f"{name.split('/')[0]}/__init__": empty for name in modules}
    for name, text in {"__init__": PAPER, **rooms, **modules}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.py").write_text(text)
    (folder / "inventory.csv").write_text(INVENTORY)
    (folder / "leads.csv").write_text(LEADS_LISTED)
    (folder / "findings.toml").write_text(FINDINGS)
    for module in (evidence, templates):
        room = tmp_path / module.__name__.split(".")[1]
        room.mkdir()
        shutil.copy(module.__file__, room)
    monkeypatch.setattr(evidence_artefacts, "fingerprint", lambda *roots: fingerprint(*roots, package=tmp_path))
    monkeypatch.setattr(registry, "reported_folder", lambda paper: tmp_path / "papers" / paper)
    monkeypatch.setattr(papers, "__path__", [str(tmp_path / "papers")])
    monkeypatch.setenv("COMPANION_JOBS", "1")
    monkeypatch.setenv("COMPANION_BACKEND", "sequential")
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("companion.papers.toy")]:
        del sys.modules[name]
    if hasattr(papers, "toy"):
        delattr(papers, "toy")


def test_the_ledger_lists_every_statement_with_the_contract_s_fields(toy):
    entries = evidence.ledger("toy")
    assert [(entry["id"], entry["status"]) for entry in entries] == [
        ("prop-1", "holds"),
        ("lemma-1", "holds"),
        ("lemma-2", "holds-with-corrected-constant"),
        ("zero", "holds"),
        ("remark-1", "not-checkable"),
    ]
    contract = {"paper", "id", "location", "kind", "status", "lhs", "rhs", "slack", "trials", "failures", "delta"}
    contract |= {"seconds", "reason", "teeth"}
    for entry in entries:
        assert contract <= set(entry)
        assert all(tooth["caught"] is None for tooth in entry["teeth"])
    first = entries[0]
    assert (first["trials"], first["failures"], first["delta"], first["lhs"]) == (300, 5, 0.1, 5 / 300)
    assert entries[2]["slack"] == 0.5
    assert entries[2]["failures"] == 2
    assert entries[3]["slack"] == math.inf
    assert entries[4]["reason"] == "no constants"
    assert entries[0]["code"] == {"module": "companion.papers.toy.checks.all", "name": "prop_1"}


def test_teeth_are_run_on_demand_and_blunt_ones_show(toy):
    caught = {e["id"]: {t["name"]: t["caught"] for t in e["teeth"]} for e in evidence.ledger("toy", teeth=True)}
    assert caught == {
        "prop-1": {"a rate of 0.001": True},
        "lemma-1": {"half": True, "blunt": False},
        "lemma-2": {"0.9": True},
        "zero": {"-1": True},
        "remark-1": {},
    }


def test_a_blunt_tooth_is_an_exit_code_and_shown(toy, capsys):
    assert main(["ledger", "toy", "--id", "lemma-1", "--teeth"]) == 1
    assert "blunt: DOES NOT BITE" in capsys.readouterr().out
    assert main(["ledger", "toy", "--id", "lemma-1"]) == 0, "its teeth were not asked for"
    capsys.readouterr()
    assert main(["ledger", "toy", "--id", "lemma-2", "--teeth"]) == 0
    out, err = capsys.readouterr()
    assert "0.9: bites" in out
    assert "with factor 1" in out
    assert err == ""


BLUNT = "toy lemma-1: the tooth 'blunt' does not bite"
UNJUDGED = "toy E1: confirmed, and has no row in data/reported/toy/errors.csv"


@pytest.mark.parametrize(
    ("confirmed", "words", "told"),
    [
        (False, {"found": "so these steps fail there as written"}, "says 'fail there as written'"),
        (False, {"outcome": "The bound fails as printed"}, "says 'fails as printed'"),
        (False, {"found": "It holds as printed, and 0 of 9 cases fail"}, ""),
        (True, {"found": "so these steps fail there as written"}, ""),
    ],
)
def test_what_fails_as_written_is_confirmed(confirmed, words, told):
    entry = {"paper": "toy", "id": "U5", "confirmed": confirmed, "error": {}, "outcome": "", "found": ""} | words
    found = evidence.faults([entry])
    assert len(found) == bool(told)
    assert all(told in fault for fault in found)


def test_a_lead_has_to_come_out_otherwise_under_its_teeth(toy, capsys):
    assert main(["discrepancies", "toy", "--teeth"]) == 0
    assert "tooth: twice: bites right = 2" in capsys.readouterr().out
    assert main(["discrepancies", "toy"]) == 0
    assert "tooth: twice: not run" in capsys.readouterr().out
    edit(toy, "checks/discrepancies", '"half": {"factor": 0.5}', '"blunt": {"factor": 3.0}')
    assert main(["discrepancies", "toy", "--teeth"]) == 1
    out, err = capsys.readouterr()
    assert "tooth: blunt: DOES NOT BITE" in out
    assert err == "companion discrepancies: toy E2: the tooth 'blunt' does not bite\n"


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_whoever_has_to_mend_something_is_told_what_and_the_document_stays(toy, capsys, form):
    (toy / "data" / "reported" / "toy" / "errors.csv").write_text("lead,consequence,cause\n")
    for words, fault, column in (("ledger toy --teeth", BLUNT, "lemma-1"), ("discrepancies toy", UNJUDGED, "E1")):
        assert main([*words.split(), *form]) == 1
        out, err = capsys.readouterr()
        assert err == f"companion {words.split()[0]}: {fault}\n"
        assert column in ([entry["id"] for entry in json.loads(out)] if form else out)
    assert main(["discrepancies", "toy", "--id", "E2", *form]) == 0, "the other lead was not asked for"


@pytest.mark.slow
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_evidence_with_something_to_mend_is_stored_and_told_until_it_is_mended(toy, capsys, form):
    rows = toy / "data" / "reported" / "toy" / "errors.csv"
    rows.unlink()
    for computed in (8, 0):  # what is not computed again is no better
        assert main(["evidence", "toy", *form]) == 1
        out, err = capsys.readouterr()
        assert err == f"companion evidence: {BLUNT}; {UNJUDGED}\n"
        if form:
            assert json.loads(out).keys() == {"paper", "files", "computed", "turned", "seconds"}
            assert json.loads(out)["computed"] == computed
    rows.write_text(ERRORS)
    assert main(["evidence", "toy", *form]) == 1
    assert capsys.readouterr().err == f"companion evidence: {BLUNT}\n"
    edit(toy, "checks/all", '{"factor": 3.0}', '{"factor": 0.1}')
    assert main(["evidence", "toy", *form]) == 0
    assert capsys.readouterr().err == ""


def test_the_command_prints_strict_json_and_a_table(toy, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["ledger", "toy", "--json"]) == 0
    entries = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert {entry["id"]: entry["slack"] for entry in entries}["zero"] is None
    assert main(["ledger", "toy"]) == 0
    assert (
        "5 statements that could be false, of the papers: 3 holds, 1 holds-with-corrected-constant, 1 not-checkable"
        in capsys.readouterr().out
    )
    assert main(["verdicts", "toy", "--json"]) == 0
    assert json.loads(capsys.readouterr().out, parse_constant=pytest.fail)[0]["verdict"] == "not-testable"
    assert main(["verdicts", "toy"]) == 0
    assert "Table 1" in capsys.readouterr().out


def test_discrepancies_say_what_is_confirmed_and_the_command_that_shows_it(toy, capsys):
    entries = evidence.discrepancies("toy")
    assert [(entry["id"], entry["confirmed"]) for entry in entries] == [("E1", True), ("E2", False)]
    assert entries[0]["command"] == "companion discrepancies toy --id E1"
    assert main(entries[0]["command"].split()[1:]) == 0
    out = capsys.readouterr().out
    assert "at x=1" in out
    assert "E2" not in out
    assert main(["discrepancies"]) == 0
    assert "2 suspected errors: 1 confirmed, 1 not" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ledger", "tov"], "Did you mean 'toy'"),
        (["ledger", "toy", "--id", "lemma-3"], "Did you mean 'lemma-2'"),
        (["discrepancies", "toy", "--id", "E9"], "one of E1, E2"),
        (["verdicts", "tov"], "Did you mean 'toy'"),
        (["ledger", "toy", "--jobs", "many"], "jobs: got 'many'"),
    ],
)
def test_bad_input_is_one_line_that_names_the_argument(toy, capsys, arguments, message):
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert message in err


@pytest.mark.slow
def test_what_is_stored_is_what_was_computed_with_its_record(toy, tmp_path):
    written = [stored.path for stored in EvidenceFiles(toy).store_due("toy", jobs=1)]
    assert [path.name for path in written] == ["ledger.json", "verdicts.json", "discrepancies.json"]
    for path in written:
        content = json.loads(path.read_text(encoding="utf-8"), parse_constant=pytest.fail)
        assert content["record"]["command"].startswith(f"companion {path.stem} toy")
        assert content["entries"]
    ledger = json.loads(written[0].read_text(encoding="utf-8"))["entries"]
    assert all(tooth["caught"] is not None for entry in ledger for tooth in entry["teeth"])


def computed(toy):
    return {
        stored.path.stem: (stored.computed, stored.turned) for stored in EvidenceFiles(toy).store_due("toy", jobs=1)
    }


def differences(toy, **asked):
    return [
        (one.artefact, one.place, one.old, one.new) for one in settle([EvidenceFiles(toy)], jobs=1, **asked).differences
    ]


def edit(toy, file, old, new):
    """Edit a module of the toy paper on disk and in memory."""
    path = toy / "papers" / "toy" / f"{file}.py"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    if module := sys.modules.get(f"companion.papers.toy.{file.replace('/', '.')}"):
        exec(compile(path.read_text(), str(path), "exec"), vars(module))


NOTHING = {"ledger": (0, ()), "verdicts": (0, ()), "discrepancies": (0, ())}


@pytest.mark.slow
def test_what_rests_on_the_same_code_and_tables_is_not_computed_again(toy):
    assert computed(toy) == {"ledger": (5, ()), "verdicts": (1, ()), "discrepancies": (2, ())}
    files = sorted((toy / "data" / "results" / "toy").iterdir())
    before = [path.read_bytes() for path in files]
    assert computed(toy) == NOTHING
    assert [path.read_bytes() for path in files] == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "old", "new", "expected", "moves"),
    [
        ("checks/all", 'return at_most(x, factor * x, f"x={x}")\n\n@statement("lemma-2"',
         'return at_most(x, 0.5 * factor * x, f"x={x}")\n\n@statement("lemma-2"', {"ledger": (1, ())}, True),
        ("checks/all", "right=1.0", "right=-1.0", {"ledger": (1, ("zero: holds, now fails",))}, True),
        ("checks/all", "return [1.0, 3.0]", "return [1.0, 4.0]", {"ledger": (1, ())}, True),
        ("checks/all", '{"factor": 3.0}', '{"factor": 0.1}', {"ledger": (1, ())}, True),
        ("checks/all", "stream(seed,", "stream(seed + 1,", {}, False),
        ("checks/discrepancies", "factor < 1.0", "factor < 0.1",
         {"discrepancies": (1, ("E1: confirmed, now not confirmed",))}, True),
        ("experiments/verdicts", '"not-testable"', '"different"',
         {"verdicts": (1, ("Table 1, ucb, regret: not-testable, now different",))}, True),
    ],
)  # fmt: skip
def test_what_another_fingerprint_has_is_compared_and_stored_where_it_moves(toy, file, old, new, expected, moves):
    computed(toy)
    edit(toy, file, old, new)
    assert (differences(toy) != []) == moves
    assert computed(toy) == (NOTHING | expected if moves else NOTHING), "what is equal was noted as current"
    assert computed(toy) == NOTHING


@pytest.mark.slow
def test_words_are_brought_over_without_a_computation(toy):
    computed(toy)
    edit(toy, "checks/all", r"$x\le2x$", "twice")
    edit(toy, "checks/discrepancies", r"$x\le2x$", "twice")
    inventory = toy / "papers" / "toy" / "inventory.csv"
    inventory.write_text(inventory.read_text().replace("doubling,Section 2", "twofold,Section 7"))
    assert computed(toy) == NOTHING
    ledger, leads = (load_entries(toy / "data/results/toy", name, "") for name in ("ledger", "discrepancies"))
    assert [(e["title"], e["location"], e["latex"]) for e in ledger.entries][1] == ("twofold", "Section 7", "twice")
    assert leads.entries[1]["printed"] == "twice"


@pytest.mark.slow
def test_a_sentence_makes_its_own_entry_due(toy):
    computed(toy)
    (toy / "papers" / "toy" / "findings.toml").write_text(FINDINGS.replace("at x", "at the point"))
    assert computed(toy) == NOTHING | {"discrepancies": (1, ())}
    assert load_entries(toy / "data/results/toy", "discrepancies", "").entries[0]["found"] == "at the point=1"
    (toy / "papers" / "toy" / "notes.toml").write_text("lemma-1 = 'Nearly equal'\n")
    assert computed(toy) == NOTHING | {"ledger": (1, ())}
    assert load_entries(toy / "data/results/toy", "ledger", "").entries[1]["reason"] == "Nearly equal"
    assert computed(toy) == NOTHING


@pytest.mark.slow
def test_a_table_that_an_entry_reads_is_part_of_its_fingerprint(toy):
    edit(toy, "checks/discrepancies", "drawn(3), drawn(5)", 'results_folder("toy")')
    edit(
        toy,
        "checks/discrepancies",
        "from companion.checks.suspected_error",
        "from companion.core.files import results_folder\nfrom companion.checks.suspected_error",
    )
    (toy / "core" / "files.py").write_text("def results_folder(paper):\n    return paper\n")
    computed(toy)
    (toy / "data" / "results" / "toy" / "runs.csv").write_text("seed,regret\n0,1.5\n")
    assert computed(toy) == NOTHING | {"discrepancies": (1, ())}


@pytest.mark.slow
def test_a_number_that_moves_is_named_with_both_values_until_it_is_accepted(toy):
    edit(toy, "checks/all", '"blunt": {"factor": 3.0}', '"third": {"factor": 0.3}')
    computed(toy)
    assert differences(toy, everything=True) == []
    edit(
        toy,
        "checks/all",
        'return at_most(x, factor * x, f"x={x}")\n\n@statement',
        'return at_most(x, 1.5 * x, "x")\n\n@statement',
    )
    found = differences(toy)
    assert ("evidence/toy/ledger/lemma-1", "rhs", "2.0", "1.5") in found
    assert any(place == "teeth" and "does not bite" in new for _, place, _, new in found), (
        "it no longer uses its factor"
    )
    assert differences(toy, accept=["evidence/toy/ledger/lemma-1"]) == []
    assert load_entries(toy / "data/results/toy", "ledger", "").entries[1]["rhs"] == 1.5


@pytest.mark.slow
@pytest.mark.parametrize("field", ["status", "lhs", "failures"])
def test_a_field_edited_by_hand_is_named(toy, field):
    computed(toy)
    path = toy / "data" / "results" / "toy" / "ledger.json"
    content = json.loads(path.read_text())
    content["entries"][0][field] = "fails" if field == "status" else 7
    path.write_text(json.dumps(content))
    with pytest.raises(ResultError, match="damaged or edited"):
        load_entries(path.parent, "ledger", "")
    assert ("evidence/toy/ledger/prop-1", "-", "a damaged or edited file", "a result") in differences(toy)
    assert computed(toy) == NOTHING | {"ledger": (5, ())}


@pytest.mark.slow
def test_values_of_data_that_are_not_here_are_left_out_of_the_comparison(toy):
    edit(toy, "checks/discrepancies", '"right": factor}', '"right": factor, "far away": 3.0}')
    edit(toy, "checks/discrepancies", '@suspected_error("E1", ', '@suspected_error("E1", data="far", ')
    computed(toy)
    edit(toy, "checks/discrepancies", ', "far away": 3.0}', "}")
    assert differences(toy) == []
    edit(toy, "checks/discrepancies", '"right": factor}', '"right": 2 * factor}')
    assert {place for _, place, _, _ in differences(toy)} == {"values/right", "teeth/0/where"}


@pytest.mark.slow
def test_records_have_the_seeds_that_the_checks_opened_also_where_another_check_left_the_result_in_a_cache(
    toy, tmp_path
):
    written = [stored.path for stored in EvidenceFiles(toy).store_due("toy", jobs=1)]
    seeds = {path.stem: json.loads(path.read_text(encoding="utf-8"))["record"]["seeds"] for path in written}
    assert seeds == {"ledger": [3], "verdicts": [], "discrepancies": [3, 5]}


def test_declarations_that_contradict_themselves_or_the_inventory_are_refused(toy):
    module, inventory = (
        importlib.import_module("companion.papers.toy.checks.all"),
        toy / "papers" / "toy" / "inventory.csv",
    )
    module.COPY = replace(module.lemma_1)
    with pytest.raises(CompanionError, match="lemma-1 is declared twice"):
        registry.statements("toy")
    del module.COPY
    module.MORE = (module.zero, replace(module.zero, id="more"))  # the same entry under two names is one entry
    with pytest.raises(CompanionError, match=r"declares more, which .*inventory.csv lacks"):
        registry.statements("toy")
    del module.MORE, module.lemma_1
    with pytest.raises(CompanionError, match="lists lemma-1, which no module"):
        registry.statements("toy")
    inventory.write_text(INVENTORY.replace("lemma-1,doubling,Section 2,,claim,yes\n", ""))
    with pytest.raises(CompanionError, match="prop-1 of toy rests on lemma-1"):
        registry.statements("toy")
    inventory.write_text(INVENTORY + "zero,again,Section 6,,claim,yes\n")
    with pytest.raises(CompanionError, match="zero stands there twice"):
        registry.statements("toy")
    for wrong in ("few fail,Section 1,,lemma,yes", "few fail,Section 1,,claim,maybe"):
        inventory.write_text(INVENTORY.replace("few fail,Section 1,,claim,yes", wrong))
        with pytest.raises(
            CompanionError, match=r"line 2: (role|numbered) is '(lemma|maybe)'; expected one of (claim|yes)"
        ):
            registry.statements("toy")
    inventory.write_text(INVENTORY.replace("location", "place"))
    with pytest.raises(CompanionError, match="expected id, title, location"):
        registry.statements("toy")
    with pytest.raises(ParameterError, match="paper"):
        registry.statements("nothing")
    with pytest.raises(ParameterError, match="E3 has none"):
        suspected_error("E3", teeth={})(lambda: Finding(True))
    (toy / "papers" / "toy" / "leads.csv").write_text(LEADS_LISTED.replace("minor", "small"))
    with pytest.raises(ParameterError, match="severity"):
        registry.leads("toy")
