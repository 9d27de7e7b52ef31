"""The script in a crate: short, alone, right, and sensitive to what it reads. The package's own tests are the oracle."""

import ast
import functools
import json
import os
import runpy
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from branched import trunk

from companion import registry
from companion.exports.basis import PRINTED, RESTS_ON, RUNS, WORDS
from companion.exports.pack import SCRIPT

ROOT = Path(__file__).resolve().parents[2]
PAPERS = registry.slugs()


@pytest.fixture(scope="module")
def written(crates, tmp_path_factory):
    """Folders of crates, to be read only."""

    @functools.cache
    def of(paper):
        folder = tmp_path_factory.mktemp("crates") / paper
        crates(paper).write(folder)
        return folder

    return of


@pytest.fixture
def copied(written, tmp_path):
    """A folder of a crate, to be changed."""
    return lambda paper: Path(shutil.copytree(written(paper), tmp_path / paper))


ALONE = "import sys; sys.modules['companion'] = None"


@pytest.fixture(scope="module")
def branches():
    """A process without companion that has read the libraries: for a script that another test runs from a fresh interpreter."""
    with trunk(f"{ALONE}; import numpy, scipy.stats", os.environ, ["-I"]) as process:
        yield process


def recomputed(folder, branches=None):
    """Exit code, lines printed, and the changed verdicts by id; from a fresh interpreter that has no companion, or a branch."""
    if branches is None:
        program = f"{ALONE}; import runpy; script = sys.argv[1]; sys.argv = [script]; runpy.run_path(script, run_name='__main__')"
        command = [sys.executable, "-I", "-c", program, str(folder / SCRIPT)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder.parent)
    else:
        done = branches.run(folder / SCRIPT)
    assert "Traceback" not in done.stderr, done.stderr
    changed = dict(line.split(": stored ") for line in done.stderr.splitlines())
    return done.returncode, done.stdout.splitlines(), {name: told.split(", now ")[1] for name, told in changed.items()}


def stored(folder, name="verdicts.json"):
    return json.loads((folder / name).read_text(encoding="utf-8"))


def rewrite(folder, name, change):
    content = stored(folder, name)
    change(content)
    (folder / name).write_text(json.dumps(content), encoding="utf-8")


def test_the_script_is_short_and_needs_numpy_and_scipy_alone(crates):
    text = crates("batched").files[SCRIPT].decode()
    assert len(text.splitlines()) < 100
    tree = ast.walk(ast.parse(text))
    modules = {alias.name for node in tree if isinstance(node, ast.Import) for alias in node.names}
    tree = ast.walk(ast.parse(text))
    modules |= {node.module for node in tree if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in modules} - set(sys.stdlib_module_names) == {"numpy", "scipy"}


@pytest.mark.parametrize("paper", PAPERS)
def test_every_stored_verdict_comes_out_again(paper, written, crates):
    folder = written(paper)
    code, lines, changed = recomputed(folder)
    entries = stored(folder)["entries"]
    assert (code, changed) == (0, {})
    assert lines[-1] == f"all: {len(entries)} of {len(entries)} equal"
    counts = crates(paper).rests_on
    assert set(counts) <= set(RESTS_ON)
    assert sum(counts.values()) == len(entries)
    rests = [one["rests_on"] for one in stored(folder, "basis.json")]
    cells = [on for on, entry in zip(rests, entries, strict=True) if entry["kind"] == "cell"]
    assert set(cells) <= {RUNS, PRINTED}  # no printed number is taken over


def altered(results, table, where, column, value):
    """The results with one number of the first seed replaced; and the table."""
    frame = results.tables[table].copy()
    rows = (frame[list(where)].astype(str) == pd.Series(where)).all(axis=1) & (frame.seed == frame.seed.min())
    assert rows.sum() == 1
    frame[column] = frame[column].astype(float)
    frame.loc[rows, column] = value
    return replace(results, tables={**results.tables, table: frame}), frame


#: One number of a run each: table, row, column, value.
ALTERED = {
    "batched": [
        ("appendix_e", {"kernel": "matern32", "rule": "a=0.31"}, "R1000", 1e6),
        ("appendix_e", {"kernel": "se", "rule": "orig"}, "R1000", 1e5),
    ],
    "tsrsr": [
        ("final", {"reading": "text", "problem": "gp-3d", "method": "bucb"}, "regret", 500.0),
        ("final", {"reading": "text", "problem": "boston-4d", "method": "qei"}, "regret", -9.0),
    ],
    "meanfield": [
        (
            "times",
            {"part": "figures", "variant": "paper", "problem": "arena", "method": "mf-gp-ucb"},
            "seconds",
            5000.0,
        ),
    ],
}
#: Verdicts that these turn at least.
TURNED = {"batched": 2, "tsrsr": 4, "meanfield": 3}


@pytest.mark.parametrize("paper", ALTERED)
def test_altered_runs_turn_the_verdicts_that_the_package_would_turn(paper, copied, branches):
    folder = copied(paper)
    judged = registry.part(paper, "verdicts").value
    results = judged.results.read(ROOT)
    for table, *rest in ALTERED[paper]:
        results, frame = altered(results, table, *rest)
        frame.to_csv(folder / "results" / f"{table}.csv", index=False)
    code, _, changed = recomputed(folder, branches)
    basis, entries = stored(folder, "basis.json"), stored(folder)["entries"]
    cells = [judged.cell_entry(results, cell)["verdict"] for cell in results.cells]
    expected = {
        rests["id"]: now
        for rests, entry, now in zip(basis, entries, cells, strict=False)  # the cells come first
        if now != entry["verdict"]
    }
    claims = {one["id"] for one, entry in zip(basis, entries, strict=True) if entry["kind"] == "claim"}
    assert {name: now for name, now in changed.items() if name not in claims} == expected
    assert code == 1
    assert len(changed) >= TURNED[paper]


def test_an_altered_run_turns_the_claim_that_rests_on_it(copied, branches):
    folder = copied("batched")
    judged = registry.part("batched", "verdicts").value
    where = {"kernel": "matern52", "rule": "a=0.4"}
    results, frame = altered(judged.results.read(ROOT), "appendix_e", where, "R1000", 1e6)
    frame.to_csv(folder / "results" / "appendix_e.csv", index=False)
    _, _, changed = recomputed(folder, branches)
    parts, _ = judged.tests["matern52-smaller"](results)
    turned = [part.judgement.verdict for part in parts]
    assert "undecided" in turned  # a = 0.4; a = 0.36 is contradicted as before, and with it the claim
    assert "batched/verdicts/matern52-smaller" not in changed
    where = {"kernel": "matern32", "rule": "a=0.31"}
    results, frame = altered(results, "appendix_e", where, "R1000", 1e6)
    frame.to_csv(folder / "results" / "appendix_e.csv", index=False)
    _, _, changed = recomputed(folder, branches)
    parts, _ = judged.tests["matern32-0.31-worse"](results)
    assert changed["batched/verdicts/matern32-0-31-worse"] == parts[0].judgement.verdict == "undecided"


def test_an_altered_printed_number_turns_its_cell_and_no_other(copied, branches):
    folder = copied("batched")
    path = folder / "reported" / "table1.csv"
    lines = path.read_text(encoding="utf-8").splitlines()
    assert "number_of_batches,batches,4," in lines[1]
    lines[1] = lines[1].replace("batches,4,", "batches,5,")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    code, _, changed = recomputed(folder, branches)
    assert (code, list(changed.values())) == (1, ["different"])


def test_an_altered_stored_interval_or_count_turns_the_claim(copied, branches):
    folder = copied("batched")

    def interval(content):
        entry = next(entry for entry in content["entries"] if entry["cell"] == "simple-regret-factor")
        entry["parts"][0]["difference"]["ci95"] = [0.2, 0.3]

    rewrite(folder, "verdicts.json", interval)

    def count(content):
        one = next(one for one in content if one["id"].endswith("/fewer-batches"))
        assert one["parts"][0]["rule"] == "count"
        one["parts"][0]["holds"] -= 1

    rewrite(folder, "basis.json", count)
    _, _, changed = recomputed(folder, branches)
    assert changed == {
        "batched/verdicts/simple-regret-factor": "contradicted",
        "batched/verdicts/fewer-batches": "contradicted",
    }


def test_a_stored_verdict_that_does_not_follow_is_named(copied, branches):
    folder = copied("batched")

    def other(content):
        entry = next(entry for entry in content["entries"] if entry["cell"] == "matern32-0.31-worse")
        entry["verdict"] = "contradicted"

    rewrite(folder, "verdicts.json", other)
    code, _, changed = recomputed(folder, branches)
    assert (code, changed) == (1, {"batched/verdicts/matern32-0-31-worse": "holds"})


@pytest.mark.parametrize("paper", PAPERS)
def test_a_verdict_rests_on_the_weakest_of_its_parts(paper, written):
    folder = written(paper)
    for one, entry in zip(stored(folder, "basis.json"), stored(folder)["entries"], strict=True):
        if entry["kind"] == "claim":
            assert len(one["parts"]) == len(entry["parts"])
            taken = any(part["rule"] == "stored" for part in one["parts"])
            assert (one["rests_on"] == WORDS) == taken
            assert (one["rests_on"] == RUNS) == all("runs" in part for part in one["parts"])


@pytest.mark.parametrize("paper", PAPERS)
def test_the_numbers_on_the_way_are_the_stored_ones(paper, written, monkeypatch):
    """Means, spreads, margins, orders and intervals: a slip in them need not turn a verdict."""
    folder = written(paper)
    monkeypatch.setattr(sys, "argv", [str(folder / SCRIPT)])
    script = runpy.run_path(str(folder / SCRIPT), run_name="script")
    interval, printed, ratio, summary, runs = (script[n] for n in ("interval", "printed", "ratio", "summary", "runs"))
    for one, entry in zip(stored(folder, "basis.json"), stored(folder)["entries"], strict=True):
        for part, told in zip(one.get("parts", ()), entry.get("parts", ()), strict=True):
            if "runs" in part:
                assert interval(part["runs"]) == pytest.approx(told["difference"]["ci95"], rel=1e-7, abs=1e-12)
        if one.get("rule") != "welch" or "runs" not in one:
            continue
        theirs, ours = printed(one["printed"]), summary(runs(one["runs"]))
        if "over" in one:
            theirs = ratio(theirs, printed(one["over"]["printed"]))
            ours = ratio(ours, summary(runs(one["over"]["runs"])))
            assert theirs == pytest.approx([entry["reported"][key] for key in ("mean", "spread", "n")])
        else:
            assert theirs[3] == pytest.approx(entry["margin"])
        assert ours == pytest.approx([entry["reproduced"][key] for key in ("mean", "sd", "n")])
        ends = [(printed(other["printed"])[0], *interval(other["pair"])) for other in one["others"]]
        mean = printed(one["printed"])[0]
        shown = [(mean - other, low, high) for other, low, high in ends if mean != other and not low <= 0 <= high]
        right = sum((low > 0) == (gap > 0) for gap, low, _ in shown)
        assert (right, len(shown) - right) == (entry["ordering"]["confirmed"], entry["ordering"]["reversed"])
