"""Verdicts on paper 2: complete, recomputed by other means, and changed by a changed number.

The stored tables come from a small version of the runs, with given times; teeth change single columns of them.
"""

import csv
import math
import shutil
from collections import Counter

import numpy as np
import pytest
from sentences import turned

from companion.judge.verdict import CLAIM_VERDICTS, CONTRADICTED, HOLDS, NOT_TESTABLE, UNDECIDED
from companion.papers.compressed.experiments import store as paper_scale
from companion.papers.compressed.experiments import theory_claims as claims_theory
from companion.papers.compressed.experiments import verdicts
from companion.papers.compressed.experiments.parameters import READINGS
from companion.stored.record import Record
from companion.stored.results import store_tables


def placed(root, folder, tables):
    """A repository with the reported tables and the given results."""
    shutil.copytree(root / "data" / "reported", folder / "data" / "reported")
    record = Record.now("make paper CH=2", profile="paper", seeds=[0], seconds=0.0)
    store_tables(folder / "data" / "results" / "compressed", "tables", tables, record)
    return folder


@pytest.fixture(scope="module")
def tables(store):
    """As run, with times that are given: a verdict on seconds measured just now would be another at every call."""
    found = dict(paper_scale.load(store).tables)
    runs, timings = found["runs"].copy(), found["timings"].copy()
    step = 0.05 * (np.arange(len(timings)) % 7)
    timings["seconds"], timings["clock_regret"] = 1.0 + step, 2.0 - step
    for name, frame in (("runs", runs), ("timings", timings)):  # the tuning problem, made up from Rosenbrock's
        copy = frame[frame.problem == "rosenbrock"].assign(problem="logistic-mnist")
        found[name] = type(frame)(np.concatenate([frame.to_numpy(), copy.to_numpy()]), columns=frame.columns)
        found[name] = found[name].infer_objects()
    return found


@pytest.fixture(scope="module")
def entries(root, tables, tmp_path_factory):
    return verdicts.VERDICTS.entries(placed(root, tmp_path_factory.mktemp("as-run"), tables))


@pytest.fixture
def changed(root, tables, tmp_path):
    """The entries, by name, after a change of stored tables or of printed ones."""

    def make(replacements=(), **stored):
        folder = placed(root, tmp_path, {**tables, **stored})
        for file, old, new in replacements:
            path = folder / "data" / "reported" / "compressed" / file
            text = path.read_text(encoding="utf-8")
            assert text.count(old) == 1
            path.write_text(text.replace(old, new), encoding="utf-8")
        return {entry["cell"]: entry for entry in verdicts.VERDICTS.entries(folder)}

    return make


def test_every_cell_and_claim_has_a_verdict(root, entries):
    kinds = Counter(entry["kind"] for entry in entries)
    with (root / "data" / "reported" / "compressed" / "claims.csv").open(newline="", encoding="utf-8") as file:
        claims = [row["id"] for row in csv.DictReader(file)]
    assert kinds == {"cell": 27, "claim": len(claims)}
    assert [entry["cell"] for entry in entries if entry["kind"] == "claim"] == claims
    for entry in entries:
        if entry["kind"] == "cell":
            assert entry["verdict"] == NOT_TESTABLE  # times of another machine
            assert len(entry["ratio"]["found"]) == 2 * {"gp": 1, "cgp": 4, "bkb": 2}[entry["method"].partition("-")[0]]
        else:
            assert entry["verdict"] in CLAIM_VERDICTS
            assert entry["reason"]
    with_readings = [entry for entry in entries if "readings" in entry]
    assert len(with_readings) == 9
    for entry in with_readings:
        assert tuple(entry["readings"]) == READINGS
        assert entry["verdict"] == entry["readings"]["info-printed"]["verdict"]


def test_ratios_are_those_of_the_printed_and_the_stored_times(root, tables, entries):
    printed = {}
    for number in (2, 3, 4):
        with (root / "data" / "reported" / "compressed" / f"table{number}.csv").open(encoding="utf-8") as file:
            printed |= {f"{row['problem']}, {row['method']}": float(row["mean"]) for row in csv.DictReader(file)}
    timings = tables["timings"]
    for entry in entries[:27]:
        problem, method = entry["cell"].split(", ")
        base = printed[f"{problem}, {method.partition('/')[0]}/uncompressed"]
        assert entry["ratio"]["printed"] == pytest.approx(printed[entry["cell"]] / base)
        assert entry["ratio"]["margin"] == pytest.approx(0.1 * entry["ratio"]["printed"])
        acquisition = entry["method"].partition("-")[2]
        for row in entry["ratio"]["found"]:
            chosen = timings[(timings.problem == entry["problem"]) & (timings.posterior == row["posterior"])]
            by_seed = {
                name: chosen[(chosen.method == one) & (chosen.variant == variant)].set_index("seed").seconds
                for name, one, variant in (
                    ("ours", entry["method"], row["variant"]),
                    ("dense", f"gp-{acquisition}", "dense"),
                )
            }
            ratios = [float(by_seed["ours"][seed]) / float(by_seed["dense"][seed]) for seed in range(3)]
            assert row["mean"] == pytest.approx(np.mean(ratios))
            assert row["sd"] == pytest.approx(np.std(ratios, ddof=1))
            assert row["n"] == 3
            low, high = row["ci95"]
            half = 4.302652729749464 * np.std(ratios, ddof=1) / math.sqrt(3)  # Student's t, two degrees of freedom
            assert (low, high) == pytest.approx((np.mean(ratios) - half, np.mean(ratios) + half))


def test_a_variant_with_the_printed_ratio_agrees(tables, changed):
    timings = tables["timings"].copy()
    for acquisition, ratio in (("ucb", 5.335 / 6.756), ("ei", 4.133 / 7.594)):
        dense = (timings.problem == "example-function") & (timings.method == f"gp-{acquisition}")
        for reading, factor in (("raw", 1.0), ("unit", 1.3)):
            ours = (
                (timings.problem == "example-function")
                & (timings.method == f"cgp-{acquisition}")
                & (timings.variant == reading)
            )
            timings.loc[ours, "seconds"] = timings[dense].seconds.to_numpy() * ratio * factor
    found = changed(timings=timings)
    for acquisition in ("UCB", "EI"):
        cell = found[f"example_1d, {acquisition}/compressed"]["ratio"]
        words = {row["variant"]: row["verdict"] for row in cell["found"] if row["posterior"] == "refit"}
        assert (words["raw"], words["unit"]) == ("within", "outside")
        assert "raw" in cell["agreeing"]
        assert "unit" not in cell["agreeing"]


def test_only_refits_decide_which_variant_agrees(tables, changed):
    timings = tables["timings"].copy()
    own = (timings.problem == "example-function") & (timings.posterior == "engine")
    dense = timings[own & (timings.method == "gp-ucb")].seconds.to_numpy()
    timings.loc[own & (timings.method == "cgp-ucb") & (timings.variant == "raw"), "seconds"] = dense * 5.335 / 6.756
    refit = (timings.problem == "example-function") & (timings.posterior == "refit") & (timings.method == "cgp-ucb")
    timings.loc[refit, "seconds"] = 1e3
    cell = changed(timings=timings)["example_1d, UCB/compressed"]["ratio"]
    words = {(row["variant"], row["posterior"]): row["verdict"] for row in cell["found"]}
    assert (words["raw", "engine"], words["raw", "refit"]) == ("within", "outside")
    assert cell["agreeing"] == []


def test_trainings_count_in_the_time_and_are_left_out_beside_it(tables, changed):
    timings = tables["timings"].copy()
    own = (timings.problem == "logistic-mnist") & (timings.posterior == "refit")
    timings.loc[own, "seconds"], timings.loc[own, "objective_seconds"] = 1.0, 7.0
    timings.loc[own & (timings.method == "cgp-ei"), "objective_seconds"] = 1.0
    cells = changed(timings=timings)
    cell = cells["mnist_logistic_4d, EI/compressed"]
    rows = [row for row in cell["ratio"]["found"] if row["posterior"] == "refit"]
    assert {(row["mean"], row["without_objective"]) for row in rows} == {(0.25, 1.0)}
    # What is assumed of times with trainings is more than of the others.
    elsewhere = {entry["assumption"] for entry in cells.values() if "assumption" in entry} - {cell["assumption"]}
    assert len(elsewhere) == 1
    assert turned(cell["assumption"], elsewhere.pop())
    trained = {entry["problem"] for entry in cells.values() if entry.get("assumption") == cell["assumption"]}
    assert trained == {"logistic-mnist"}


def test_only_what_is_computed_here_has_a_record_of_its_own(entries):
    commands = {entry["cell"]: entry["record"]["command"] for entry in entries}
    assert commands.pop("constant-budget") == "companion verdicts compressed --json"
    assert set(commands.values()) == {"make paper CH=2"}


def test_the_printed_rule_keeps_everything_and_is_judged_so(entries):
    by_name = {entry["cell"]: entry for entry in entries}
    assert by_name["example-settles"]["verdict"] == CONTRADICTED
    assert by_name["orders-of-magnitude"]["verdict"] == CONTRADICTED
    assert by_name["zero-budget"]["verdict"] == by_name["same-start"]["verdict"] == HOLDS
    assert by_name["constant-budget"]["verdict"] == by_name["logistic-share"]["verdict"] == CONTRADICTED


def with_rows(frame, where, **values):
    copy = frame.copy()
    for name, value in values.items():
        copy.loc[where(copy), name] = value
    return copy


def test_figure_1_follows_the_runs(tables, changed):
    def printed_rule(frame):
        return (frame.problem == "example-function") & (frame.variant == "info-printed")

    runs = with_rows(tables["runs"], printed_rule, last_kept=5, first_rejection=6, model_order=2, average_regret=1e3)
    growth = with_rows(tables["growth"], lambda frame: frame.slope > -1e9, slope=0.0)
    growth.loc[growth.variant == "bkb-1", "slope"] = 0.5 + 0.01 * np.arange((growth.variant == "bkb-1").sum())
    found = changed(runs=runs, growth=growth)
    assert found["example-settles"]["verdict"] == HOLDS
    assert found["orders-of-magnitude"]["verdict"] == HOLDS
    assert found["example-comparable"]["verdict"] == CONTRADICTED
    words = {part["what"].partition(",")[0]: part["verdict"] for part in found["example-growth"]["parts"]}
    assert words == {"dense": HOLDS, "bkb-5": CONTRADICTED, "bkb-1": HOLDS}


@pytest.mark.parametrize(("factor", "settled", "expected"), [(1.2, 3, HOLDS), (1.3, 2, CONTRADICTED)])
def test_comparable_and_settled_have_the_margins_fixed_beforehand(tables, changed, factor, settled, expected):
    """Regret a fifth and 30 % above the dense one, where 25 % are allowed; 3 and 2 of 3 runs settled, where 90 % are needed."""
    runs = tables["runs"].copy()
    own = (runs.problem == "example-function") & (runs.variant == "info-printed")
    for acquisition in ("ucb", "ei", "mpi"):
        dense = runs[(runs.problem == "example-function") & (runs.method == f"gp-{acquisition}")]
        ours = own & (runs.method == f"cgp-{acquisition}")
        assert dense.seed.tolist() == runs[ours].seed.tolist()
        runs.loc[ours, "average_regret"] = factor * dense.average_regret.to_numpy()
        runs.loc[ours, "last_kept"] = np.where(np.arange(3) < settled, 30, 31)  # of 60 rounds
        runs.loc[ours, "first_rejection"] = 1
    found = changed(runs=runs)
    assert found["example-comparable"]["verdict"] == expected
    assert found["example-settles"]["verdict"] == expected


def test_one_dense_run_that_does_not_grow_by_one_a_round_is_counted(tables, changed):
    runs = tables["runs"].copy()
    odd = (runs.problem == "example-function") & (runs.method == "gp-mpi") & (runs.seed == 1)
    assert odd.sum() == 1
    runs.loc[odd, "slope"] = 0.99
    parts = {part["what"]: part["verdict"] for part in changed(runs=runs)["example-growth"]["parts"]}
    assert parts["dense"] == CONTRADICTED


def test_clocks_follow_the_timings(tables, changed):
    timings = tables["timings"].copy()
    own = timings.problem == "example-function"
    place = timings.method.str.partition("-")[0].map({"gp": 2.0, "cgp": 1.0, "bkb": 3.0})
    timings.loc[own, "seconds"] = place[own].astype(float) * (1 + 0.01 * timings.seed[own].astype(float))
    timings.loc[own, "objective_seconds"] = 0.0
    area = timings.method.map(lambda method: {"cgp-ucb": 1.0, "cgp-ei": 1.0, "cgp-mpi": 3.0}.get(method, 2.0))
    timings.loc[own, "clock_regret"] = area[own].astype(float)
    found = changed(timings=timings)
    assert found["example-clock"]["verdict"] == found["clock-tradeoff"]["verdict"] == HOLDS
    assert found["example-clock"]["engine"]["readings_that_hold"] == list(READINGS)


def test_a_slow_compressed_method_is_said_so(tables, changed):
    timings = tables["timings"].copy()
    slow = timings.method.str.startswith("cgp") & (timings.problem == "rosenbrock")
    timings.loc[slow, "seconds"] = 1e3
    assert changed(timings=timings)["rosenbrock-clock"]["verdict"] == CONTRADICTED


def test_arithmetic_on_table_4_uses_the_printed_cells(changed):
    found = changed(
        [
            ("table4.csv", "UCB/compressed,clock_time,h,0.282", "UCB/compressed,clock_time,h,0.2187"),
            ("table4.csv", "EI/compressed,clock_time,h,0.266", "EI/compressed,clock_time,h,0.2182"),
            ("table4.csv", "MPI/compressed,clock_time,h,0.227", "MPI/compressed,clock_time,h,0.2185"),
        ]
    )
    assert found["logistic-share"]["verdict"] == HOLDS


def test_starts_and_choices_are_compared(tables, changed):
    runs = tables["runs"].copy()
    odd = (runs.problem == "rosenbrock") & (runs.seed == 1) & (runs.method == "bkb-ei")
    runs.loc[odd, "start"] = "another"
    runs.loc[(runs.variant == "budget-zero") & (runs.seed == 2), "choices"] = "others"
    found = changed(runs=runs)
    assert found["same-start"]["verdict"] == found["zero-budget"]["verdict"] == CONTRADICTED


def test_long_runs_follow_the_tradeoff(tables, changed):
    table = tables["tradeoff"].copy()
    fixed = table.rule.str.startswith("u=")
    table.loc[fixed, "last_kept"] = 1
    for u in (1.0, 0.1):
        table.loc[table.rule == f"u={u:g}", "model_order"] = claims_theory.covering_number(u, 20.0)
    root_t = table.rule == "alpha=0.5"
    table["model_order"] = table.model_order.astype(float)
    table.loc[root_t, "model_order"] = 10 * np.sqrt(table.horizon[root_t])
    found = changed(tradeoff=table)
    for name in ("finitely-many", "covering-constant", "cost"):
        assert found[name]["verdict"] == HOLDS


def test_long_runs_that_keep_everything_are_said_so(tables, changed):
    table = tables["tradeoff"].copy()
    fixed, root_t = table.rule.str.startswith("u="), table.rule == "alpha=0.5"
    table.loc[fixed, "last_kept"] = 79
    table.loc[table.rule == "u=1", "model_order"] = 1001  # one more than a thousand candidates allow
    table.loc[root_t, "model_order"] = 2 * table.horizon[root_t]
    table.loc[root_t, "average_regret"] = 1.0
    found = changed(tradeoff=table)
    for name in ("finitely-many", "cost", "covering-constant"):
        assert found[name]["verdict"] == CONTRADICTED
    assert found["both-sublinear"]["verdict"] in (CONTRADICTED, UNDECIDED)
    words = {part["what"]: part["verdict"] for part in found["finitely-many"]["parts"]}
    assert {words[f"u = {u}: nothing kept in the second half"] for u in ("1", "0.1")} == {UNDECIDED}
    assert words["u = 1: at most X ceil(1/u) points in all"] == CONTRADICTED


def test_a_problem_left_out_is_not_testable(tables, changed):
    kept = {name: tables[name][tables[name].problem != "logistic-mnist"] for name in ("runs", "timings")}
    found = changed(**kept)
    assert found["logistic-curves"]["verdict"] == found["logistic-clock"]["verdict"] == NOT_TESTABLE
    assert found["mnist_logistic_4d, UCB/BKB"]["ratio"]["found"] == []


def test_the_stored_runs_give_all_verdicts(root):
    entries = verdicts.VERDICTS.entries(root)
    assert Counter(entry["kind"] for entry in entries) == {"cell": 27, "claim": 18}
    by_name = {entry["cell"]: entry for entry in entries}
    # Below 5,000 rounds the printed rule keeps every point: one fewer would be a bug of ours.
    assert {row["reproduced"]["mean"] for row in by_name["orders-of-magnitude"]["parts"]} == {1.0}
    assert by_name["zero-budget"]["verdict"] == by_name["same-start"]["verdict"] == HOLDS
