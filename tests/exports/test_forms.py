"""The summary and the manifest: counted from what is stored, in the form that others ask for, and faults put in are noticed."""

import functools
import json
import re
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from companion import registry
from companion.cli import main
from companion.core.errors import ParameterError, ResultError
from companion.exports import codecheck, summary
from companion.exports.forms import FORMS
from companion.exports.pack import MANIFEST, METADATA, SUMMARY, gather

ROOT = Path(__file__).resolve().parents[2]
PAPERS = registry.slugs()


@pytest.fixture(scope="module")
def found():
    """What is stored on each paper, gathered once."""
    return functools.cache(lambda paper: gather(paper, ROOT))


def stored(paper, name):
    path = ROOT / "data" / "results" / paper / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8"))["entries"]


# -- the summary -------------------------------------------------------------------------------------------------------

#: https://paperswithcode.com/rc2020/registration, "Preparing your report".
SECTIONS = (
    "Scope of reproducibility",
    "Methodology",
    "Results",
    "What was easy",
    "What was difficult",
    "Communication with the authors",
)
PAGE = {"words": 650, "lines": 65}


def rows(text):
    """Cells of the lines of a Markdown table, without its head."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]]


def summary_faults(text, paper):
    """What is wrong with a summary, beside what is stored on the paper."""
    parts = dict(part.split("\n", 1) for part in text.split("\n## ")[1:])
    if tuple(parts) != (*SECTIONS, "Claims"):
        return [f"the sections are {list(parts)}"]
    entries = stored(paper, "verdicts")
    told = {row[0]: (row[4], row[3]) for row in rows(parts["Claims"])}
    claims = {e["cell"]: (e["verdict"], e["whose"]) for e in entries if e["kind"] == "claim"}
    faults = [f"{name} is told as {told.get(name)}" for name, said in claims.items() if told.get(name) != said]
    counts = Counter()
    for row in rows(parts["Results"]):
        for number, word in (one.split(" ", 1) for one in row[2].split(", ")):
            counts[row[0], word] += int(number)
    kinds = {"cell": "printed number", "claim": "claim of the {whose}"}
    once = (e for e in entries if "repeats" not in e)  # a number of two tables counts once
    expected = Counter((kinds[e["kind"]].format(**e), e["verdict"]) for e in once)
    faults += [f"counts {counts[key]} for {key}, which are {n}" for key, n in expected.items() if counts[key] != n]
    leads = stored(paper, "discrepancies")
    confirmed = {lead["id"] for lead in leads if lead["confirmed"]}
    listed = {word for line in parts["What was difficult"].splitlines() for word in ids(line)}
    faults += [f"leads {sorted(confirmed ^ listed)}"] if confirmed != listed else []
    known = {row[0] for row in rows(parts["Methodology"])}
    for line in (
        line
        for name in ("Scope of reproducibility", "What was easy", "What was difficult")
        for line in parts[name].splitlines()
    ):
        # Within a kind of suspicion, numbers are of the runs that the sentence above names.
        named = re.findall(r"\((R\d+(?:, R\d+)*|no runs)\)", line)
        if re.match(r"(- )?\d", line) and not named:
            faults.append(f"a count names no runs: {line}")
        faults += [f"{run} is unknown" for runs in named for run in re.findall(r"R\d+", runs) if run not in known]
    faults += [f"no runs: {row}" for row in rows(parts["Results"]) if not set(row[3].split(", ")) <= known]
    return faults


def ids(line):
    """Suspicions that a line of the section is about."""
    if line.startswith("  - "):
        return [line[4:].split(".", 1)[0]]
    return line.split(": ", 1)[1].split(", ") if line.startswith("- **") and ": " in line else []


@pytest.mark.parametrize("paper", PAPERS)
def test_a_summary_is_a_page_of_what_is_stored(paper, found):
    text = summary.text(found(paper))
    assert summary_faults(text, paper) == []
    page = text.split("\n## Claims")[0]
    assert len(page.split()) <= PAGE["words"]
    assert len(page.splitlines()) <= PAGE["lines"]
    assert "None is on record." in text


@pytest.mark.parametrize(
    ("line", "other"),
    [
        (r"(?m)^\| warm-up \|.*\n", ""),
        (r"(?m)^(\| warm-up \|.*\|) holds \|", r"\1 contradicted |"),
        (r"26 different", "27 different"),
        (r"(?m)^  - E5\..*\n", ""),
        (r", E11", ""),
        (r"24 of 28 statements that could be false hold as printed \(R3\)", "24 of 28 hold as printed"),
        (r"\(R4\)", "(R9)"),
        (r"## What was easy", "## What went well"),
    ],
)
def test_a_fault_in_a_summary_is_noticed(line, other, found):
    text = summary.text(found("tsrsr"))
    wrong = re.sub(line, other, text, count=1)
    assert wrong != text
    assert summary_faults(wrong, "tsrsr")


def test_a_claim_that_is_not_gathered_is_missing_from_the_summary(found):
    whole = found("tsrsr")
    verdicts = whole.stored["verdicts"]
    kept = [(e, b) for e, b in zip(verdicts.entries, whole.basis, strict=True) if e["cell"] != "warm-up"]
    fewer = replace(verdicts, entries=[entry for entry, _ in kept])
    part = replace(whole, stored={**whole.stored, "verdicts": fewer}, basis=[rests for _, rests in kept])
    assert any("warm-up" in fault for fault in summary_faults(summary.text(part), "tsrsr"))


# -- codecheck.yml -----------------------------------------------------------------------------------------------------

#: Rules of codecheckers/register, rules-2.0.yml, of severity "error", that nobody but codechecker, authors and register can meet:
#: codechecker, ORCIDs of the authors, report, certificate.
OPEN = {"CC-CFG-008", "CC-CFG-020", "CC-CFG-011", "CC-CFG-025"}
FILLED = {
    "codechecker": [{"name": "Josiah Carberry", "ORCID": "0000-0002-1825-0097"}],
    "report": "https://doi.org/10.5281/zenodo.1",
    "certificate": "2026-001",
}


def broken_rules(folder, filled=None):
    """Rules of the specification, version 2.0, that a bundle breaks; ``filled`` takes the place of what is open."""
    raw = (folder / MANIFEST).read_bytes().decode("utf-8")
    try:
        content = yaml.safe_load(raw) | (filled or {})
    except yaml.YAMLError:
        return {"CC-CFG-001"}
    paper, manifest = content.get("paper", {}), content.get("manifest")
    manifest = manifest if isinstance(manifest, list) else []
    people = paper.get("authors") or []
    if filled:
        people = [{"ORCID": "0000-0002-1825-0097"} | person for person in people]
    checkers = content.get("codechecker") or []
    files = [item.get("file") for item in manifest]
    holds = {
        "CC-CFG-002": re.match(r"(%YAML 1\.[12]\n)?---\n", raw),
        "CC-CFG-004": manifest,
        "CC-CFG-005": all(files),
        "CC-CFG-006": not any(Path(name).is_absolute() or ".." in Path(name).parts for name in files if name),
        "CC-CFG-007": all(item.get("comment") for item in manifest),
        "CC-CFG-008": checkers,
        "CC-CFG-009": all(one.get("name") for one in checkers),
        "CC-CFG-010": all(one.get("ORCID") for one in checkers),
        "CC-CFG-011": content.get("report"),
        "CC-CFG-015": content.get("version") == "https://codecheck.org.uk/spec/config/2.0/",
        "CC-CFG-016": paper,
        "CC-CFG-017": paper.get("title"),
        "CC-CFG-018": people,
        "CC-CFG-019": all(person.get("name") for person in people),
        "CC-CFG-020": all(re.fullmatch(r"(\d{4}-){3}\d{3}[\dX]", person.get("ORCID", "")) for person in people),
        "CC-CFG-021": paper.get("reference"),
        "CC-CFG-022": not str(paper.get("reference")).endswith(".pdf"),
        "CC-CFG-023": not re.search("FIXME|TODO|XXX", raw),
        "CC-CFG-024": content.get("summary"),
        "CC-CFG-025": content.get("certificate"),
        "CC-CFG-026": re.fullmatch(r"\d{4}-\d{3}", content.get("certificate", "2026-001")),
        "CC-BUN-001": all((folder / name).is_file() for name in files if name),
        "CC-BUN-005": (folder / "LICENSE").is_file(),
    }
    return {rule for rule, met in holds.items() if not met}


@pytest.fixture(scope="module")
def bundle(found, tmp_path_factory):
    """Folder of a paper's bundle, to be read only."""
    made = {}

    def of(paper):
        if paper not in made:
            made[paper] = tmp_path_factory.mktemp("bundles") / paper
            codecheck.pack(found(paper)).write(made[paper])
        return made[paper]

    return of


@pytest.mark.parametrize("paper", PAPERS)
def test_a_manifest_meets_the_specification_but_for_what_is_to_be_filled(paper, bundle, found):
    # A draft may cite no paper yet, and then has no authors either.
    unknown = set() if found(paper).cited.get("author") else {"CC-CFG-018"}
    assert broken_rules(bundle(paper)) | {"CC-CFG-020"} == OPEN | unknown
    assert broken_rules(bundle(paper), FILLED) == unknown
    raw = (bundle(paper) / MANIFEST).read_text(encoding="utf-8")
    assert {"codechecker", "report", "certificate"}.isdisjoint(yaml.safe_load(raw))
    assert all(word in raw for word in ("codechecker", "report", "certificate", "ORCID"))


@pytest.mark.parametrize("paper", PAPERS)
def test_every_stored_table_is_listed_and_every_printed_table_is_somewhere(paper, bundle):
    content = yaml.safe_load((bundle(paper) / MANIFEST).read_text(encoding="utf-8"))
    listed = {item["file"]: item["comment"] for item in content["manifest"]}
    tables = {path.relative_to(bundle(paper)).as_posix() for path in (bundle(paper) / "results").glob("*.csv")}
    assert set(listed) == tables | {"verdicts.json", "ledger.json", "discrepancies.json"}
    printed = {e["source"] for e in stored(paper, "verdicts") if e["kind"] == "cell" and e["record"]["settings"]}
    assert {source for source in printed if not any(source in comment for comment in listed.values())} == set()


def test_rows_are_named_with_the_tables_that_they_are_behind(bundle):
    content = yaml.safe_load((bundle("tsrsr") / MANIFEST).read_text(encoding="utf-8"))
    comments = {item["file"]: item["comment"] for item in content["manifest"]}
    assert comments["results/final.csv"].startswith("Rows behind Table 1; Table 2; Table 3; Table 4;")
    assert comments["results/factors.csv"] == "On no printed table or figure"
    assert content["paper"]["authors"] == [{"name": "Zhaolin Ren"}, {"name": "Na Li"}]


@pytest.mark.parametrize(
    ("rule", "change"),
    [
        ("CC-BUN-001", lambda folder: (folder / "results" / "final.csv").unlink()),
        ("CC-BUN-005", lambda folder: (folder / "LICENSE").unlink()),
        ("CC-CFG-002", lambda folder: reword(folder, "%YAML 1.1\n---\n", "")),
        ("CC-CFG-006", lambda folder: reword(folder, '"results/final.csv"', '"/results/final.csv"')),
        ("CC-CFG-005", lambda folder: reword(folder, '- file: "ledger.json"', '- name: "ledger.json"')),
        ("CC-CFG-019", lambda folder: reword(folder, '- name: "Na Li"', '- nom: "Na Li"')),
        ("CC-CFG-021", lambda folder: reword(folder, "reference:", "address:")),
        ("CC-CFG-024", lambda folder: reword(folder, "summary:", "abstract:")),
        ("CC-CFG-023", lambda folder: reword(folder, "summary:", "report: FIXME\nsummary:")),
    ],
)
def test_a_fault_in_a_bundle_is_noticed(rule, change, bundle, tmp_path):
    folder = Path(shutil.copytree(bundle("tsrsr"), tmp_path / "bundle"))
    change(folder)
    assert rule in broken_rules(folder)


def reword(folder, words, others):
    text = (folder / MANIFEST).read_text(encoding="utf-8")
    assert words in text
    (folder / MANIFEST).write_text(text.replace(words, others, 1), encoding="utf-8")


def test_a_verdict_on_a_table_that_is_not_stored_is_refused(found):
    whole = found("tsrsr")
    held = {name: content for name, content in whole.held.items() if name != "results/final.csv"}
    with pytest.raises(ResultError):
        codecheck.pack(replace(whole, held=held))


# -- folders and the command -------------------------------------------------------------------------------------------


def test_a_bundle_is_a_crate_with_the_manifest_described(crates, bundle):
    plain = crates("tsrsr").files
    names = {path.relative_to(bundle("tsrsr")).as_posix() for path in bundle("tsrsr").rglob("*") if path.is_file()}
    assert names == set(plain) | {MANIFEST}
    assert all((bundle("tsrsr") / name).read_bytes() == plain[name] for name in set(plain) - {METADATA})
    graph = json.loads((bundle("tsrsr") / METADATA).read_text(encoding="utf-8"))["@graph"]
    (described,) = (entity for entity in graph if entity["@id"] == MANIFEST)
    assert described["encodingFormat"] == "application/yaml"


@pytest.fixture(scope="module")
def packed():
    """Export of a small paper by its form, packed once."""
    return functools.cache(lambda form: FORMS[form]("batched", ROOT))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("other", FORMS)
def test_an_export_is_written_over_its_own_form_alone(form, other, packed, tmp_path):
    packed(other).write(tmp_path / "out")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    if form == other:
        packed(form).write(tmp_path / "out")
    else:
        with pytest.raises(ParameterError, match="--out"):
            packed(form).write(tmp_path / "out")
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("form", "mark"), [("mlrc", SUMMARY), ("codecheck", MANIFEST), ("optunahub", "package/samplers/bpe/README.md")]
)
def test_the_command_writes_each_form(form, mark, tmp_path, capsys):
    folder = tmp_path / "out"
    assert main(["export", "3", "--form", form, "--out", str(folder), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (folder / mark).is_file()
    assert told["paper"] == "batched"
    assert set(told["files"]) == {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert told["verdicts"] == (0 if form == "optunahub" else len(stored("batched", "verdicts")))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("batched", "--form", "codechek"),
            "--form: got 'codechek'; expected one of crate, mlrc, codecheck, optunahub. Did you",
        ),
        (("wdrbo", "--form", "optunahub"), "paper: wdrbo has no sampler for OptunaHub; expected one of batched, tsrsr"),
        (("bached", "--form", "mlrc"), "Did you mean 'batched'"),
    ],
)
def test_a_bad_call_is_refused_in_one_line(words, said, tmp_path, capsys):
    assert main(["export", *words, "--out", str(tmp_path / "out")]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1
    assert not (tmp_path / "out").exists()


# -- an independent reader ---------------------------------------------------------------------------------------------


def reader_faults(folder, again):
    """What rocrate, which shares no code with us, does not find in a crate, or finds otherwise when it has written it."""
    rocrate = pytest.importorskip("rocrate.rocrate", reason="rocrate is not in the lock; it needs requests and more")
    crate = rocrate.ROCrate(str(folder))
    root, runs = crate.root_dataset, crate.get_by_type("CreateAction")
    faults = [
        f"{name} is no entity"
        for name in ("license", "about", "author", "conformsTo")
        if isinstance(root.get(name), str | None)
    ]
    faults += [f"{one.id} is missing" for one in crate.data_entities if not (folder / one.id).is_file()]
    listed = {one.id for one in crate.data_entities}
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    faults += [f"{name} is not described" for name in files - listed - {METADATA}]
    for run in runs:
        faults += [
            f"{run.id}: {field} is no entity" for field in ("instrument", "agent") if isinstance(run[field], str)
        ]
        faults += [f"{run.id}: {made} is no entity" for made in run["result"] if isinstance(made, str)]
    crate.write(str(again))
    graphs = [json.loads((place / METADATA).read_text(encoding="utf-8"))["@graph"] for place in (folder, again)]
    one, other = ({entity["@id"]: entity for entity in graph} for graph in graphs)
    return faults + [f"{name} changes" for name in set(one) | set(other) if one.get(name) != other.get(name)]


@pytest.mark.parametrize("paper", PAPERS)
def test_an_independent_reader_finds_everything(paper, bundle, tmp_path):
    assert reader_faults(bundle(paper), tmp_path / "again") == []


@pytest.mark.parametrize("gone", ["LICENSE", "results/final.csv", "#authors", "verdicts.json"])
def test_an_independent_reader_misses_what_is_gone(gone, bundle, tmp_path):
    folder = Path(shutil.copytree(bundle("tsrsr"), tmp_path / "crate"))
    content = json.loads((folder / METADATA).read_text(encoding="utf-8"))
    content["@graph"] = [entity for entity in content["@graph"] if entity["@id"] != gone]
    (folder / METADATA).write_text(json.dumps(content), encoding="utf-8")
    assert reader_faults(folder, tmp_path / "again")


def test_the_default_is_the_crate(crates, tmp_path):
    assert main(["export", "batched", "--out", str(tmp_path / "out")]) == 0
    files = {
        p.relative_to(tmp_path / "out").as_posix(): p.read_bytes() for p in (tmp_path / "out").rglob("*") if p.is_file()
    }
    assert files == crates("batched").files
