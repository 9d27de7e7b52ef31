"""Verdicts on paper 1: complete, recomputed by other means, and changed by a changed number.

The stored tables are made up here, from the printed means and spreads; only the small claims run rules.
"""

import csv
import json
import math
import shutil
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from tolerances import FOUR_ERRORS, SUMMARY_RTOL

from companion.judge.intervals import paired_interval
from companion.judge.verdict import CELL_VERDICTS, CLAIM_VERDICTS
from companion.papers.tsrsr.experiments import methods_claims as claims_methods
from companion.papers.tsrsr.experiments import store as paper_scale
from companion.papers.tsrsr.experiments import verdicts
from companion.papers.tsrsr.experiments.printed import METHOD_OF, PROBLEM_OF, TSRSRResults
from companion.papers.tsrsr.page import readings
from companion.papers.tsrsr.problems.catalogue import SETTINGS
from companion.stored.record import Record
from companion.stored.results import store_tables

METHODS = [*METHOD_OF.values(), "random"]


def printed_rows(root):
    for number in (1, 2, 3, 4):
        path = root / "data" / "reported" / "tsrsr" / f"table{number}.csv"
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                yield f"Table {number}", row


def made_up(root, noise=0.2):
    """Tables of runs around the printed means; runs of one seed share part of their deviation."""
    printed = {(PROBLEM_OF[row["problem"]], METHOD_OF[row["method"]]): row for _, row in printed_rows(root)}
    final, curves = [], []
    for number, (name, column) in enumerate(SETTINGS.items()):
        generator = np.random.default_rng(number)
        own = column.functions * column.repeats
        for reading, count in (("text", max(own, 50)), ("code", own)):
            common = generator.standard_normal(count)
            for method in METHODS:
                row = printed.get((name, method), {"mean": "99", "spread": "1"})
                mean, spread = float(row["mean"]), float(row["spread"])
                deviation = noise * spread * (0.7 * common + 0.7 * generator.standard_normal(count))
                values = column.unit * (mean * (1.0 if reading == "text" else 3.0) + deviation)
                for seed in range(count):
                    key = {"reading": reading, "problem": name, "method": method, "seed": seed}
                    function = seed % column.functions
                    final.append(key | {"function": function, "regret": values[seed], "distinct": 0.8})
                    if seed < own:
                        start = common[seed] + 1e4
                        repeated = " ".join("1" if method != "ts" else f"{1 - t / 10}" for t in range(8))
                        steps = f"{start} {start - 1} {start - 2}"
                        curves.append(key | {"regret": steps, "distinct": repeated})
    generator = np.random.default_rng(99)
    variants = [
        {"variant": f"width={width:g}", "problem": name, "method": "bucb", "seed": seed}
        | {
            "function": seed % SETTINGS[name].functions,
            "regret": width * (1 + 0.1 * generator.random()),
            "distinct": 1.0,
        }
        for name in ("gp-2d", "ackley-2d")
        for width in (0.5, 1.0, 2.0, 4.0)
        for seed in range(100 if name == "gp-2d" else 50)
    ]
    variants += [
        {"variant": "resample=False", "problem": "ackley-2d", "method": "ts-rsr", "seed": seed, "function": 0}
        | {"regret": 1.0 + generator.random(), "distinct": 0.5 + 0.1 * generator.random()}
        for seed in range(50)
    ]
    batching = [
        {"batch_size": size, "seed": seed, "mean_regret": 1.0 + 0.01 * size + 0.1 * generator.random()}
        for size in (1, 5)
        for seed in range(20)
    ]
    diversity = [
        {"method": method, "seed": seed, "distinct": level + 0.1 * generator.random(), "distance": level}
        for method, level in (("ts-rsr", 0.6), ("ts", 0.4))
        for seed in range(20)
    ]
    parts = {"final": final, "curves": curves, "variants": variants, "batching": batching, "diversity": diversity}
    return {name: pd.DataFrame(rows) for name, rows in parts.items()}


def placed(root, folder, tables):
    """A repository with the reported tables and the given results."""
    shutil.copytree(root / "data" / "reported", folder / "data" / "reported")
    record = Record.now("make paper CH=1", profile="paper", seeds=[0], seconds=0.0)
    store_tables(folder / "data" / "results" / "tsrsr", "tables", tables, record)
    return folder


@pytest.fixture(scope="module")
def tables(root):
    return made_up(root)


@pytest.fixture(scope="module")
def entries(root, tables, tmp_path_factory):
    return verdicts.VERDICTS.entries(placed(root, tmp_path_factory.mktemp("made-up"), tables))


@pytest.fixture
def changed(root, tables, tmp_path):
    """The entries of these names, after a change of the printed tables or of the stored ones."""

    def make(*names, replacements=(), **stored):
        folder = placed(root, tmp_path, {**tables, **stored})
        for file, old, new in replacements:
            path = folder / "data" / "reported" / "tsrsr" / file
            text = path.read_text(encoding="utf-8")
            assert text.count(old) == 1
            path.write_text(text.replace(old, new), encoding="utf-8")
        return verdicts.VERDICTS.entries(folder, names)

    return make


def cell(entries, name):
    (found,) = [e for e in entries if e["kind"] == "cell" and e["cell"] == name]
    return found


def claim(entries, identifier):
    (found,) = [e for e in entries if e["kind"] == "claim" and e["cell"] == identifier]
    return found


def regrets(tables, name, reading="text", count=None):
    problem, method = (part.strip() for part in name.split(","))
    final = tables["final"]
    key = (PROBLEM_OF[problem], METHOD_OF[method], reading)
    rows = final[(final.problem == key[0]) & (final.method == key[1]) & (final.reading == reading)].sort_values("seed")
    return rows.regret.to_numpy()[:count] / SETTINGS[key[0]].unit


def test_every_printed_number_every_claim_and_every_column_is_there_once(root, entries):
    cells = [e for e in entries if e["kind"] == "cell"]
    assert len({(e["source"], e["cell"]) for e in cells}) == len(cells) == 84
    printed = Counter(
        (source, f"{row['problem']}, {row['method']}", float(row["mean"])) for source, row in printed_rows(root)
    )
    assert Counter((e["source"], e["cell"], e["reported"]["mean"]) for e in cells) == printed
    with (root / "data" / "reported" / "tsrsr" / "claims.csv").open(encoding="utf-8") as file:
        ids = [row["id"] for row in csv.DictReader(file)]
    orders = [f"order-{name}" for name in SETTINGS]
    assert [e["cell"] for e in entries if e["kind"] == "claim"] == [*ids, *orders]


def test_every_entry_has_a_verdict_a_reason_and_a_record(entries):
    for found in entries:
        assert found["verdict"] in (CELL_VERDICTS if found["kind"] == "cell" else CLAIM_VERDICTS)
        assert found["reason"]
        assert found["record"]["command"]
        assert found["record"]["versions"]
    json.dumps(entries, allow_nan=False)


@pytest.mark.parametrize(
    ("name", "reading", "count"),
    [
        ("Ackley-2D, TS-RSR", "text", None),
        ("Hartmann-6D, qEI", "text", 10),
        ("GP-RBF-prior-2D, BUCB", "code", None),
        ("Bird-2D, UCBPE", "code", None),
    ],
)
def test_verdicts_by_another_route(entries, tables, name, reading, count):
    """Welch by SciPy on a sample with the printed mean and, dividing by n, the printed spread; TOST as its 90 % interval."""
    found = cell(entries, name)
    printed = found["reported"]
    place = found if reading == "text" and count is None else found["at_paper_runs" if reading == "text" else "code"]
    shape = np.arange(printed["n"], dtype=float)
    shape = (shape - shape.mean()) / shape.std(ddof=0)
    theirs = printed["mean"] + printed["spread"] * shape
    test = stats.ttest_ind(regrets(tables, name, reading, count), theirs, equal_var=False)
    wide, narrow = test.confidence_interval(0.95), test.confidence_interval(0.90)
    assert place["difference"]["ci95"] == pytest.approx([wide.low, wide.high], rel=SUMMARY_RTOL)
    margin = printed["spread"]
    assert found["margin"] == margin
    inside = -margin < narrow.low and narrow.high < margin
    assert (place["verdict"] == "equivalent") == inside
    assert (place["verdict"] == "compatible-underpowered") == (not inside and wide.low <= 0 <= wide.high)


def test_our_numbers_are_in_the_printed_unit(entries, tables):
    found = cell(entries, "Michalewicz-10D, SP")
    values = regrets(tables, "Michalewicz-10D, SP")
    assert found["reproduced"]["mean"] == pytest.approx(values.mean(), rel=SUMMARY_RTOL)
    assert found["reproduced"]["sd"] == pytest.approx(values.std(ddof=1), rel=SUMMARY_RTOL)
    assert (found["reproduced"]["n"], found["at_paper_runs"]["reproduced"]["n"]) == (50, 10)
    assert cell(entries, "GP-RBF-prior-2D, SP")["reproduced"]["n"] == 100


def test_boston_is_above_the_best_value_of_any_run(entries, tables):
    final = tables["final"]
    text = final[(final.problem == "boston-4d") & (final.reading == "text")]
    own = text[text.method == "qei"].regret
    expected = (own.mean() - text.regret.min()) / 0.1
    found = cell(entries, "Boston-NN-4D, qEI")
    assert found["reproduced"]["mean"] == pytest.approx(expected, rel=SUMMARY_RTOL)
    assert found["above_reference"] == pytest.approx(own.mean() / 0.1, rel=SUMMARY_RTOL)
    code = regrets(tables, "Boston-NN-4D, qEI", "code")
    assert found["code"]["reproduced"]["mean"] == pytest.approx(code.mean(), rel=SUMMARY_RTOL)


def test_a_spread_that_rounds_to_zero_is_not_taken_for_zero(entries):
    found = cell(entries, "Bird-2D, TS")
    assert found["reported"]["spread"] == 0.0
    assert found["margin"] == pytest.approx(0.05)


def test_swapped_printed_numbers_change_verdicts(entries, changed):
    names = ("Ackley-2D, TS-RSR", "Ackley-2D, UCBPE")
    swapped = changed(
        *names,
        "order-ackley-2d",
        "Rosenbrock-2D, TS",
        replacements=[
            (
                "table2.csv",
                "Ackley-2D,TS-RSR,simple_regret_at_t=50,0.001,1.7,1.1",
                "Ackley-2D,TS-RSR,simple_regret_at_t=50,0.001,8.3,1.1",
            ),
            (
                "table2.csv",
                "Ackley-2D,UCBPE,simple_regret_at_t=50,0.001,8.3,5.4",
                "Ackley-2D,UCBPE,simple_regret_at_t=50,0.001,1.7,5.4",
            ),
        ],
    )
    for name in names:
        assert cell(entries, name)["verdict"] == "equivalent"
        assert cell(swapped, name)["verdict"] == "different"
    assert claim(entries, "order-ackley-2d")["verdict"] == "holds"
    assert claim(swapped, "order-ackley-2d")["verdict"] == "contradicted"
    assert cell(swapped, "Rosenbrock-2D, TS")["verdict"] == cell(entries, "Rosenbrock-2D, TS")["verdict"]


@pytest.mark.parametrize(
    ("methods", "expected"), [(METHODS, "same-ordering-different-level"), (["ts-rsr"], "different")]
)
def test_the_other_methods_decide_between_level_and_difference(changed, tables, methods, expected):
    """All regrets ten times as high: another level in the same order; TS-RSR's alone: another order."""
    final = tables["final"]
    here = (final.problem == "ackley-2d") & (final.reading == "text") & final.method.isin(methods)
    higher = final.assign(regret=np.where(here, 10 * final.regret, final.regret))
    entries = changed("Ackley-2D, TS-RSR", final=higher)
    assert cell(entries, "Ackley-2D, TS-RSR")["verdict"] == expected


def test_pairs_use_functions_as_blocks(entries, tables):
    final = tables["final"]
    rows = final[(final.problem == "gp-2d") & (final.reading == "text")]
    wide = rows.pivot(index=["function", "seed"], columns="method", values="regret")
    difference = (wide["ts-rsr"] - wide["bucb"]).groupby("function").mean() / 1e-2
    assert len(difference) == 10
    low, high = stats.t.interval(0.95, 9, difference.mean(), stats.sem(difference))
    (pair,) = [p for p in claim(entries, "order-gp-2d")["pairs"] if {p["first"], p["second"]} == {"ts-rsr", "bucb"}]
    assert pair["difference"]["ci95"] == pytest.approx([low, high], rel=SUMMARY_RTOL)
    assert pair["difference"]["n"] == 10


def test_agreement_is_that_of_groups_of_the_papers_size(root, tables, tmp_path):
    results = TSRSRResults.read(placed(root, tmp_path, tables))
    table = readings.agreement(results)
    found = table.set_index("problem")
    assert len(found) == 10  # all but the two whose printed means rest on all our runs
    assert (found.groups == 5).all()
    columns = [regrets(tables, f"Griewank-8D, {name}") for name in METHOD_OF]
    code = [regrets(tables, f"Griewank-8D, {name}", "code").mean() for name in METHOD_OF]
    means = np.array([column.reshape(5, 10).mean(axis=1) for column in columns])
    pairs = [stats.kendalltau(means[:, i], means[:, j])[0] for i in range(5) for j in range(i)]
    assert found.loc["griewank-8d", "within"] == pytest.approx(np.mean(pairs))
    between = np.mean([stats.kendalltau(means[:, i], code)[0] for i in range(5)])
    assert found.loc["griewank-8d", "between"] == pytest.approx(between)
    assert paired_interval(table.within, table.between).low <= 0  # made up from one order
    final = tables["final"]
    reverse = final.assign(regret=np.where(final.reading == "code", 1.0 - final.regret, final.regret))
    other = TSRSRResults.read(placed(root, tmp_path / "reverse", {**tables, "final": reverse}))
    table = readings.agreement(other)
    assert paired_interval(table.within, table.between).low > 0
    assert paired_interval(table.code, table.text).high < 0
    found = readings.reading_numbers(other)
    assert (found.within, found.between) == (table.within.mean(), table.between.mean())
    assert found.excess_low > 0
    assert not found.open


def test_variants_are_paired_with_the_default_on_the_same_seeds(root, tables, tmp_path):
    results = TSRSRResults.read(placed(root, tmp_path, tables))
    rows = readings.variant_rows(results).set_index(["problem", "variant"])
    variants = tables["variants"]
    own = (
        variants[(variants.problem == "gp-2d") & (variants.variant == "width=2")].set_index(["function", "seed"]).regret
    )
    final = tables["final"]
    base = final[(final.problem == "gp-2d") & (final.method == "bucb") & (final.reading == "text")]
    difference = (own - base.set_index(["function", "seed"]).regret).groupby("function").mean() / 1e-2
    low, high = stats.t.interval(0.95, 9, difference.mean(), stats.sem(difference))
    found = rows.loc[("GP-RBF-prior-2D, 0.01", "width 2")]
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))
    every = readings.variant_rows(results)
    widths, plain = every[every.variant.str.startswith("width")], every[every.variant == readings.WITHOUT]
    assert set(widths.loc[widths.groupby("problem").regret.idxmin(), "variant"]) == {"width 0.5"}
    assert ((plain.low > 0) | (plain.high < 0)).tolist() == [True]
    said = readings.variant_numbers(results)
    assert (set(said.best), said.plain, said.differ) == ({"width 0.5"}, 1, 1)
    flipped = variants.assign(regret=np.where(variants.problem == "gp-2d", 1 / variants.regret, variants.regret))
    other = TSRSRResults.read(placed(root, tmp_path / "flipped", {**tables, "variants": flipped}))
    rows = readings.variant_rows(other)
    widths = rows[rows.variant.str.startswith("width")]
    assert set(widths.loc[widths.groupby("problem").regret.idxmin(), "variant"]) == {"width 0.5", "width 4"}
    assert set(readings.variant_numbers(other).best) == {"width 0.5", "width 4"}
    # Runs without resampling that differ from the default as often one way as the other: nothing is beyond doubt.
    own = variants.variant == "resample=False"
    default = final[(final.problem == "ackley-2d") & (final.method == "ts-rsr") & (final.reading == "text")]
    regret = variants.seed.map(default.set_index("seed").regret) + 1e-4 * (-1.0) ** variants.seed
    tossed = variants.assign(regret=variants.regret.where(~own, regret))
    open_ = TSRSRResults.read(placed(root, tmp_path / "tossed", {**tables, "variants": tossed}))
    assert readings.variant_numbers(open_).differ == 0


def test_what_ten_runs_can_tell(entries, tables):
    """The noncentral t against ten-run samples drawn from a normal law with our difference and its spread."""
    difference = regrets(tables, "Michalewicz-10D, TS-RSR") - regrets(tables, "Michalewicz-10D, qEI")
    (pair,) = [
        p for p in claim(entries, "order-michalewicz-10d")["pairs"] if (p["first"], p["second"]) == ("ts-rsr", "qei")
    ]
    generator = np.random.default_rng(3)
    samples = generator.normal(difference.mean(), difference.std(ddof=1), (20_000, 10))
    seen = float((stats.ttest_1samp(samples, 0.0, axis=1).pvalue < 0.05).mean())
    error = math.sqrt(max(seen * (1 - seen), 1e-4) / 20_000)
    assert abs(pair["power_at_paper_runs"] - seen) < FOUR_ERRORS * error
    assert pair["can_be_told_apart_at_paper_runs"] == (pair["power_at_paper_runs"] >= 0.8)


def test_equal_methods_are_not_told_apart(changed, tables):
    final = tables["final"]
    copied = final.copy()
    here = (final.problem == "griewank-8d") & (final.reading == "text")
    values = final[here & (final.method == "ts-rsr")].sort_values("seed").regret.to_numpy()
    copied.loc[final[here & (final.method == "bucb")].sort_values("seed").index, "regret"] = values
    found = claim(changed("order-griewank-8d", final=copied), "order-griewank-8d")
    (pair,) = [p for p in found["pairs"] if (p["first"], p["second"]) == ("ts-rsr", "bucb")]
    assert (pair["outcome"], pair["power_at_paper_runs"]) == ("not told apart", None)
    assert found["verdict"] == "undecided"


def test_claims_on_printed_arithmetic(entries):
    robot = claim(entries, "robot-4d-improvement")
    assert robot["exact_percent"] == pytest.approx(100 * (2.6 - 1.9) / 2.6)
    first = claim(entries, "first-in-eleven")
    assert first["parts"][0]["verdict"] == "holds"
    assert first["misranked_in_print"] == [{"problem": "griewank-8d", "first": "ucbpe", "second": "ts"}]
    assert claim(entries, "evaluations")["verdict"] == "holds"
    assert claim(entries, "figure-1-curves")["verdict"] == "contradicted"  # 10 runs in the caption


def test_a_changed_mean_breaks_the_printed_improvement(changed):
    entries = changed(
        "boston-improvement",
        replacements=[
            (
                "table4.csv",
                "Boston-NN-4D,TS-RSR,simple_regret_at_t=30,0.1,4.9,",
                "Boston-NN-4D,TS-RSR,simple_regret_at_t=30,0.1,5.9,",
            )
        ],
    )
    assert claim(entries, "boston-improvement")["parts"][0]["verdict"] == "contradicted"


def test_claims_follow_the_stored_runs(entries, changed, tables):
    for identifier in (
        "less-redundant",
        "no-parameter",
        "batch-like-sequential",
        "ts-duplicates",
        "same-initial-points",
    ):
        assert claim(entries, identifier)["verdict"] == "holds", identifier
    turned = tables["diversity"].assign(distinct=1 - tables["diversity"].distinct)
    flat = tables["variants"].assign(regret=1.0 + 0.01 * (np.arange(len(tables["variants"])) % 7))
    costly = tables["batching"].assign(
        mean_regret=tables["batching"].batch_size ** 2.0 + tables["batching"].mean_regret
    )
    shifted = tables["curves"].copy()
    shifted.loc[shifted.index[0], "regret"] = "1 " + shifted.regret.iloc[0].partition(" ")[2]
    never = tables["curves"].distinct.where(tables["curves"].method != "ts", "0.5 0.5 0.5 0.6 0.7 0.8 0.9 1")
    names = ("less-redundant", "no-parameter", "batch-like-sequential", "ts-duplicates", "same-initial-points")
    again = changed(*names, diversity=turned, variants=flat, batching=costly, curves=shifted.assign(distinct=never))
    for identifier in names:
        assert claim(again, identifier)["verdict"] == "contradicted", identifier


def test_costs_are_counted(entries):
    assert claim(entries, "linear-cost")["verdict"] == "holds"
    assert claim(entries, "dppts-exponential")["verdict"] == "contradicted"
    current = claims_methods.counted(claims_methods.DPPTS(steps=7), 5)
    assert (current.drawn, current.rows) == (5 + 7, 5 * (7 + 1))


def test_the_warm_up_bound_bites(entries, monkeypatch):
    assert claim(entries, "warm-up")["verdict"] == "holds"
    monkeypatch.setattr(claims_methods, "variance_ratio", lambda batch, noise, largest: 1 + batch * largest / noise)
    parts, _ = claims_methods.warm_up(None)
    assert {part.judgement.verdict for part in parts} == {"contradicted"}


def test_the_two_point_example_by_hand(entries):
    ratios = (0.8 - np.array([1.0, 0.9])) / np.array([1.0, 0.01])
    assert int(np.argmin(ratios)) == 1
    assert claim(entries, "highest-mean")["verdict"] == "contradicted"


def test_columns_left_out_are_not_testable(root, tables, tmp_path):
    robots = ("robot-3d", "robot-4d")
    less = {name: table[~table.problem.isin(robots)] if "problem" in table else table for name, table in tables.items()}
    found = verdicts.VERDICTS.entries(placed(root, tmp_path, less))
    assert sum(e["kind"] == "cell" for e in found) == 84
    for entry in found:
        if entry["kind"] == "cell":
            assert (entry["verdict"] == "not-testable") == (entry["problem"] in robots)
    assert claim(found, "order-robot-3d")["verdict"] == "not-testable"
    assert claim(found, "realistic-lowest")["verdict"] in ("not-testable", "contradicted")
    results = TSRSRResults.read(tmp_path)
    assert robots == paper_scale.ROBOTS
    assert not results.has("robot-3d")
    json.dumps(found, allow_nan=False)
