"""Verdicts on paper 5: complete, recomputed by other means, and changed by a changed number.

The stored tables are made up here: every method has a level and a rate of growth, seeds share part of their deviation.
"""

import dataclasses
import json
import shutil
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sentences import numbers, turned
from tolerances import SUMMARY_RTOL

from companion.core.errors import CompanionError, ResultError
from companion.judge.method_comparison import contrasts
from companion.judge.reported import load_claims
from companion.judge.verdict import CELL_VERDICTS, CLAIM_VERDICTS, combined
from companion.papers.wdrbo.experiments import figures_claims as claims_figures
from companion.papers.wdrbo.experiments import general_claims as claims_general
from companion.papers.wdrbo.experiments import inner_values_claims, verdicts
from companion.papers.wdrbo.experiments import questions_claims as questions
from companion.papers.wdrbo.experiments import times_claims as claims_times
from companion.papers.wdrbo.experiments.coverage import LAWS, counts
from companion.papers.wdrbo.experiments.printed import METHOD_OF, TITLE_OF, WDRBOResults
from companion.papers.wdrbo.experiments.ranking_claims import average_ranks, beside_best, group_claim, growth, pace
from companion.papers.wdrbo.experiments.runs import LINES, METHOD_NAMES, PUBLISHED, SEVEN
from companion.papers.wdrbo.problems.catalogue import chapter_problem
from companion.stored.record import Record
from companion.stored.results import store_tables

LEVEL = {
    "wdrbo": 10.0,
    "wdrbo-exact": 10.5,
    "erbo": 9.5,
    "gp-ucb": 14.0,
    "sbo-kde": 9.8,
    "drbo-kde": 13.0,
    "drbo-mmd": 20.0,
    "drbo-mmd-minmax": 22.0,
    "stableopt": 25.0,
}
RATE = dict.fromkeys(LEVEL, 0.6) | {"drbo-mmd-minmax": 1.0, "stableopt": 1.0}
SECONDS = {
    "wdrbo": 2.0,
    "wdrbo-exact": 5.0,
    "erbo": 1.0,
    "gp-ucb": 0.5,
    "sbo-kde": 2.0,
    "drbo-kde": 9.0,
    "drbo-mmd": 14.0,
    "drbo-mmd-minmax": 8.0,
    "stableopt": 3.0,
}
PARTS = {
    "wdrbo": {"lipschitz": 0.8},
    "drbo-mmd": {"inner": 12.0},
    "drbo-kde": {"inner": 1.0},
    "sbo-kde": {"prepare": 0.1},
}


class Book:
    """Rows of the stored tables, made up."""

    def __init__(self):
        self.runs = []

    def cell(self, block, problem, method, level, seeds, reading="text", variant="", rate=0.6):
        number = sum(map(ord, problem))
        common = np.random.default_rng(number).standard_normal(60)
        own = np.random.default_rng(number + sum(map(ord, method + variant + reading))).standard_normal(60)
        for seed in range(seeds):
            total = level * (1 + 0.05 * common[seed] + 0.02 * own[seed])
            curve = total * (np.arange(1, 11) / 10) ** rate
            self.runs.append(
                {"block": block, "problem": problem, "reading": reading, "variant": variant, "method": method}
                | {"seed": seed, "total": total, "early": total / 50, "late": (curve[-1] - curve[-3]) / 20}
                | {"design": 1.0, "recommended": 0.1, "gap": 0.0, "cumulative": " ".join(f"{v:.9g}" for v in curve)}
            )


def made_up():
    book = Book()
    for problem in SEVEN:
        for method in METHOD_NAMES:
            seeds = 50 if method in ("wdrbo", "erbo", "gp-ucb", "sbo-kde", "stableopt") else 15
            book.cell("figures", problem, method, LEVEL[method], seeds, rate=RATE[method])
        for method in PUBLISHED:
            book.cell("figures", problem, method, LEVEL[method] * 2, 5, "code", rate=RATE[method])
        book.cell("region", problem, "wdrbo", 9.2, 15, variant="lipschitz_region=atoms")
    for problem in ("newsvendor", "camel"):
        for size, level in ((25, 24.0), (400, 18.0)):
            book.cell("grid", problem, "drbo-mmd", level, 15, variant=f"discrepancy_nodes={size}")
        for value in (1.0, 3.0):
            book.cell("radius", problem, "wdrbo", 10.0 + value, 50, variant=f"radius={value:g}")
        for shift, level in ((-0.2, 5.0), (0.0, 12.0), (0.2, 9.0)):
            for method, own in (("wdrbo", level), ("wdrbo-exact", level), ("erbo", 9.0)):
                book.cell("shift", problem, method, own, 15, variant=f"shift={shift:g}")
    for variant, level in (("spread=sd radius=0.1", 2.5), ("spread=sd radius=0.1167", 2.4)):
        book.cell("figure-1", "general", "wdrbo", level, 50, variant=variant, rate=0.4)
    book.cell("figure-1", "general", "erbo", 8.5, 50, variant="spread=sd radius=0.1", rate=1.0)
    coverage = [
        {"law": law, "count": count, "draws": 1000, "mean": 0.1, "sd": 0.01, "radius": 0.3 / np.sqrt(count)}
        | {"covered": 990 if law == "burr" else 700}
        for law in LAWS
        for count in counts(law)
    ]
    timings = [
        {"problem": problem, "reading": reading, "method": method, "seed": seed}
        | {"total": SECONDS[method] * (1 + 0.01 * seed) * (1.0 if problem == "ackley" else scale)}
        | {"fit": 0.2, "prepare": 0.0, "inner": 0.0, "lipschitz": 0.0, **PARTS.get(method, {})}
        for problem in ("ackley", "branin")
        for reading, methods, scale in (("text", METHOD_NAMES, 4.0), ("code", ("drbo-mmd", "drbo-mmd-minmax"), 0.2))
        for method in methods
        for seed in range(5)
    ]
    balls = [
        {"kernel": kernel, "size": size, "seed": seed, "seconds": (size / 25) ** slope * (1 + 0.01 * seed)}
        for kernel, slope in (("smooth", 0.2), ("rough", 3.0))
        for size in (25, 50, 100, 200, 400)
        for seed in range(3)
    ]
    parts = {"runs": book.runs, "coverage": coverage, "timings": timings, "balls": balls}
    frames = {name: pd.DataFrame(rows) for name, rows in parts.items()}
    frames["curves"] = frames["runs"].head(1)[["block", "problem", "method"]]
    return frames


def placed(root, folder, tables):
    """A repository with the reported tables and the given results."""
    shutil.copytree(root / "data" / "reported", folder / "data" / "reported")
    settings = {"paper_runs": 15}
    record = Record.now("make paper CH=5", profile="paper", seeds=[0], seconds=0.0, settings=settings)
    store_tables(folder / "data" / "results" / "wdrbo", "tables", tables, record)
    return folder


@pytest.fixture(scope="module")
def place(root, tmp_path_factory):
    return placed(root, tmp_path_factory.mktemp("made-up"), made_up())


@pytest.fixture(scope="module")
def results(place):
    return WDRBOResults.read(place)


@pytest.fixture(scope="module")
def entries(place):
    return verdicts.VERDICTS.entries(place)


def named(entries, name):
    return next(entry for entry in entries if entry["cell"] == name)


def part(entry, word):
    return next(part for part in entry["parts"] if word in part["what"])


@pytest.fixture
def changed(root, tmp_path):
    """Entries after a change of the stored runs."""

    def change(edit):
        tables = made_up()
        edit(tables)
        return verdicts.VERDICTS.entries(placed(root, tmp_path / "changed", tables))

    return change


# --- completeness -------------------------------------------------------------------------------------------------------


def test_every_number_claim_and_question_has_an_entry(root, entries):
    cells = [entry for entry in entries if entry["kind"] == "cell"]
    assert len(cells) == 10 + 16
    claims = [entry["cell"] for entry in entries if entry["kind"] == "claim"]
    questions = [f"question-{name}" for name in ("bound", "premise", "radius", "growth", "ranking", "robustness")]
    assert claims == [claim.id for claim in load_claims("wdrbo", root)] + questions
    for entry in entries:
        assert entry["verdict"] in (CELL_VERDICTS if entry["kind"] == "cell" else CLAIM_VERDICTS)
        assert entry["reason"]
        assert entry["record"]["command"] in ("make paper CH=5", "companion verdicts wdrbo --json")
    json.dumps(entries, allow_nan=False)


def test_a_claim_without_a_test_is_noticed(results, root):
    with pytest.raises(CompanionError, match="mmd-grid"):
        verdicts.VERDICTS.claim_entries(
            results, [claim for claim in load_claims("wdrbo", root) if claim.id != "mmd-grid"]
        )


def test_missing_runs_name_the_command(root, tmp_path):
    shutil.copytree(root / "data" / "reported", tmp_path / "data" / "reported")
    with pytest.raises(ResultError, match="make paper CH=5"):
        verdicts.VERDICTS.entries(tmp_path)


# --- the printed times --------------------------------------------------------------------------------------------------


def test_times_are_not_testable_and_their_ratios_are_by_hand(entries):
    for entry in (entry for entry in entries if entry["kind"] == "cell"):
        assert entry["verdict"] == "not-testable"
    branin = named(entries, "Branin, DRBO-KDE")["ratio"]
    assert branin["printed"] == pytest.approx(525.0 / 45.2)
    assert branin["margin"] == pytest.approx(52.5 / 45.2)
    assert (branin["mean"], branin["n"]) == (pytest.approx(9.0), 5)
    assert branin["verdict"] == "outside"  # 9 against 11.6 - 1.16
    assert named(entries, "Ackley, ERBO")["ratio"]["verdict"] == "within"


# --- the claims ---------------------------------------------------------------------------------------------------------

EXPECTED = {
    "optimum-moves": "holds",
    "robust-beats-nonrobust": "holds",
    "linear-trend": "contradicted",  # WDRBO grows like t^0.4 in the made-up runs
    "perform-well": "holds",
    "kde-not-worth-it": "holds",
    "nonrobust-strong": "holds",
    "not-competitive": "holds",
    "mmd-grid": "holds",
    "minmax-linear": "holds",
    "stableopt-robust": "holds",
    "asymptotic-regret": "not-testable",
    "ucb-fastest": "holds",
    "wdrbo-overhead": "not-testable",
    "lipschitz-cost": "not-testable",
    "kde-cost": "not-testable",
    "inner-minimisation-cost": "not-testable",
    "mmd-cubic": "not-testable",
    "branin-cheaper": "not-testable",
    "radius-principled": "not-testable",
    "question-radius": "contradicted",
    "question-premise": "contradicted",
    "question-growth": "holds",
    "question-ranking": "holds",
}


@pytest.mark.parametrize("claim", EXPECTED)
def test_claims_are_judged_as_the_made_up_runs_say(entries, claim):
    entry = named(entries, claim)
    assert entry["verdict"] == EXPECTED[claim], entry["reason"]


def test_parts_of_figure_1_know_the_readings(entries):
    ball = named(entries, "question-premise")
    assert part(ball, "variance), clipped")["verdict"] == "holds"
    assert part(ball, "sd), not clipped")["reproduced"]["mean"] == pytest.approx(0.11666, abs=1e-4)
    beats = named(entries, "robust-beats-nonrobust")
    assert part(beats, "as many seeds")["difference"]["mean"] == pytest.approx(-6.0, abs=0.5)
    assert {row["where"] for row in beats["readings"]} == {
        "WDRBO, spread=sd radius=0.1",
        "WDRBO, spread=sd radius=0.1167",
    }
    assert part(named(entries, "linear-trend"), "ERBO")["verdict"] == "holds"


def test_shares_of_time_are_told_beside(entries):
    inner = named(entries, "inner-minimisation-cost")
    share = part(inner, "Ackley: share of DRBO-MMD")["share"]
    assert share["ratio"] == pytest.approx(12 / 14, rel=0.03)
    assert share["ci95"][0] < share["ratio"] < share["ci95"][1]
    # 0.8 s of 2 (1 + s/100) - 1 (1 + s/100) = 1 + s/100 seconds, s = 0..4: mean over mean.
    share = part(named(entries, "lipschitz-cost"), "Ackley")["share"]
    assert share["ratio"] == pytest.approx(0.8 / 1.02)
    assert part(named(entries, "mmd-cubic"), "rough")["slope"][0] == pytest.approx(3.0, abs=0.05)
    overhead = named(entries, "wdrbo-overhead")["overheads"]["ackley"]
    assert overhead["added_seconds"] == pytest.approx(1.02)
    assert overhead["erbo_seconds"] == pytest.approx(1.02)


def test_a_share_of_what_may_be_nothing_has_no_value():
    found = claims_times.ratio_of_means(np.array([0.1, 0.1, 0.1]), np.array([-0.2, 0.3, 0.1]), 0.95)
    assert (found["ratio"], found["ci95"]) == (None, None)
    none = claims_times._told(found)
    assert "None" not in none
    found = claims_times.ratio_of_means(np.array([1.0, 1.0]), np.array([1.0, 3.0]), 0.95)
    assert found["ratio"] == pytest.approx(0.5)
    assert 0.5 in numbers(claims_times._told(found))
    assert turned(none, claims_times._told(found))


def test_robustness_is_judged_place_by_place(entries):
    entry = named(entries, "question-robustness")
    assert part(entry, "data-driven, Newsvendor")["verdict"] == "contradicted"  # 10 against 9.5
    assert part(entry, "WDRBO, Newsvendor, shift -0.2")["verdict"] == "holds"  # 5 against 9
    assert part(entry, "WDRBO, Newsvendor, shift 0.2")["verdict"] == "undecided"  # 9 against 9
    assert part(entry, "WDRBO, Three-hump camel, shift 0")["verdict"] == "contradicted"
    assert entry["outcomes"]["data-driven, all rounds"] == {"better": 0, "worse": 7, "not told apart": 0}
    assert entry["outcomes"]["wdrbo, no shift"] == {"better": 0, "worse": 2, "not told apart": 0}
    assert entry["outcomes"]["wdrbo-exact, shifted"] == {"better": 2, "worse": 0, "not told apart": 2}
    assert len(entry["families"]["region"]) == 7
    assert len(entry["families"]["radius"]) == 4


def test_every_method_is_set_against_wdrbo(entries):
    differences = named(entries, "question-ranking")["differences"]
    text, code = (differences[f"{reading}, all rounds"] for reading in ("text", "code"))
    assert (len(text), len(code)) == (7 * 8, 7 * 7)
    (row,) = (row for row in text if row["where"] == "branin, stableopt")
    assert row["difference"] == pytest.approx(15.0, rel=0.1)
    assert row["n"] == 50
    assert row["adjusted_p"] >= row["p"]
    assert named(entries, "question-ranking")["verdict"] == "holds"


def test_the_bound_is_about_coverage(entries):
    entry = named(entries, "question-bound")
    assert part(entry, "burr")["verdict"] == "holds"
    assert part(entry, "uniform, twice")["verdict"] == "contradicted"


def test_changed_runs_change_verdicts(changed):
    def edit(tables):
        runs = tables["runs"]
        best = (runs.block == "figures") & (runs.method == "stableopt")
        runs.loc[best, ["total", "late"]] *= 0.1
        figure = (runs.block == "figure-1") & (runs.method == "wdrbo")
        runs.loc[figure, "total"] *= 4.0
        slow = (runs.block == "figures") & (runs.method == "erbo")
        runs.loc[slow, "total"] *= 2.0

    entries = changed(edit)
    assert named(entries, "not-competitive")["verdict"] == "contradicted"
    assert named(entries, "robust-beats-nonrobust")["verdict"] == "contradicted"
    assert named(entries, "perform-well")["verdict"] == "contradicted"
    assert part(named(entries, "question-ranking"), "rank first, text")["verdict"] == "contradicted"
    assert named(entries, "nonrobust-strong")["verdict"] == "contradicted"
    assert part(named(entries, "question-robustness"), "data-driven, Newsvendor")["verdict"] == "holds"


def test_what_was_not_run_is_not_testable(changed):
    def edit(tables):
        runs = tables["runs"]
        tables["runs"] = runs[(runs.reading == "text") & ~runs.block.isin(["figure-1", "grid", "shift", "radius"])]
        tables["timings"] = tables["timings"].query("problem == 'ackley' and reading == 'text'")

    entries = changed(edit)
    for name in ("robust-beats-nonrobust", "linear-trend", "mmd-grid", "branin-cheaper", "not-competitive"):
        assert named(entries, name)["verdict"] == "not-testable"
    assert part(named(entries, "not-competitive"), "text")["verdict"] == "holds"
    assert part(named(entries, "question-robustness"), "known shift")["verdict"] == "not-testable"
    assert "mean" not in named(entries, "Branin, WDRBO")["ratio"]


def test_without_any_run_every_claim_on_runs_is_not_testable(results, root):
    none = dataclasses.replace(
        results,
        tables={**results.tables, **{name: results.tables[name].iloc[:0] for name in ("runs", "timings", "balls")}},
    )
    found = {e["cell"]: e["verdict"] for e in verdicts.VERDICTS.claim_entries(none, load_claims("wdrbo", root))}
    tested = {name: verdict for name, verdict in found.items() if verdict != "not-testable"}
    assert set(tested) == {"optimum-moves", "question-bound", "question-premise", "question-radius"}


# --- what decides a claim: every test can come out either way --------------------------------------------------------------

ROUNDS = np.arange(10, 101, 10)


def curves_of(shape, seeds=50, spread=0.05):
    """Cumulative regret (seeds, 10) of a shape, each seed with a factor of its own."""
    own = 1 + spread * np.random.default_rng(5).standard_normal((seeds, 1))
    return own * shape(ROUNDS)


def with_curves(results, problem, method, curves):
    """The same results with other curves of one method on one problem, in the text's reading."""
    runs = results.tables["runs"].copy()
    at = (runs.block == "figures") & (runs.reading == "text") & (runs.problem == problem) & (runs.method == method)
    runs.loc[at, "cumulative"] = [" ".join(f"{value:.9g}" for value in curve) for curve in curves[: at.sum()]]
    return dataclasses.replace(results, tables={**results.tables, "runs": runs})


def scaled(results, levels, columns=("total", "late"), own=0.02, problems=SEVEN):
    """The same results with other mean regrets of some methods on the seven problems."""
    runs = results.tables["runs"].copy()
    for method, level in levels.items():
        at = (runs.block == "figures") & (runs.method == method) & runs.problem.isin(problems)
        noise = np.random.default_rng(sum(map(ord, method))).standard_normal(at.sum())
        for column in columns:
            runs.loc[at, column] = level * (1 + own * noise)
    return dataclasses.replace(results, tables={**results.tables, "runs": runs})


def only(results, **kept):
    """The same results with fewer runs."""
    runs = results.tables["runs"]
    for column, values in kept.items():
        runs = runs[runs[column].isin(values)]
    return dataclasses.replace(results, tables={**results.tables, "runs": runs})


def combined_verdict(test, results):
    return combined([part.judgement.verdict for part in test(results)[0]])


@pytest.mark.parametrize("start", [1.0, 2.0, 5.0])
def test_a_linear_regret_is_linear_whatever_its_first_rounds_cost(start):
    curves = curves_of(lambda t: start + 0.1 * t)
    assert growth(curves, ROUNDS, 0.95).high < 0.9  # what a slope takes for sublinear
    found = pace(curves, ROUNDS, 0.95)
    assert found.spans == ((51, 70), (81, 100))
    assert found.ratio.estimate == pytest.approx(1.0)
    assert found.late.estimate == pytest.approx(0.1, rel=0.05)
    assert found.steady(0.1)
    assert not found.falls()
    assert claims_figures.trend(found, 0.1, 0.5).verdict == "holds"


def test_what_slows_down_or_stops_is_not_linear():
    root = pace(curves_of(np.sqrt), ROUNDS, 0.95)
    by_hand = (np.sqrt(100) - np.sqrt(80)) / (np.sqrt(70) - np.sqrt(50))
    assert root.ratio.estimate == pytest.approx(by_hand)
    assert claims_figures.trend(root, 0.1, 0.5).verdict == "contradicted"
    assert root.falls()
    stopped = pace(curves_of(lambda t: np.minimum(t, 50.0)), ROUNDS, 0.95)
    assert (stopped.ratio.estimate, stopped.steady(0.1), stopped.falls()) == (0.0, False, True)
    rising = pace(curves_of(lambda t: t**2.0), ROUNDS, 0.95)
    assert claims_figures.trend(rising, 0.1, 0.5).verdict == "contradicted"
    assert not rising.falls()
    # Seeds that slow down and seeds that speed up: nothing is shown.
    mixed = np.concatenate(
        [curves_of(lambda t, power=power: t**power / 100**power, 1) for power in (0.3, 0.6, 1.4, 1.8)]
    )
    assert claims_figures.trend(pace(mixed, ROUNDS, 0.95), 0.1, 0.5).verdict == "undecided"


def test_the_level_stands_beside_the_trend():
    judged = claims_figures.trend(pace(curves_of(lambda t: 5 + 0.1 * t), ROUNDS, 0.95), 0.1, 0.5)
    assert {51, 70, 81, 100} <= set(numbers(judged.reason))
    own = pace(curves_of(lambda t: 5 + 0.1 * t), ROUNDS, 0.95).late.estimate
    assert pytest.approx(own, rel=5e-3) in numbers(judged.reason)
    assert pytest.approx(100 * own / 0.5, abs=0.05) in numbers(judged.reason)


def test_growth_is_asked_of_every_problem(results):
    linear = with_curves(results, "camel", "wdrbo", curves_of(lambda t: 5 + 0.1 * t))
    parts = {part.what: part for part in questions.slowing(linear)[0]}
    assert parts["Three-hump camel"].judgement.verdict == "contradicted"
    assert parts["Newsvendor"].judgement.verdict == "holds"


def test_linear_minmax_is_judged_by_most_problems(results):
    linear = {part.what: part.judgement.verdict for part in claims_figures.minmax_linear(results)[0]}
    assert linear == dict.fromkeys(("inner value off", "linear regret", "worse than exact"), "holds")
    slow = results
    for problem in SEVEN[:4]:
        slow = with_curves(slow, problem, "drbo-mmd-minmax", curves_of(np.sqrt))
    parts = {part.what: part.judgement for part in claims_figures.minmax_linear(slow)[0]}
    assert parts["linear regret"].verdict == "contradicted"
    half = results
    for problem in SEVEN[:3]:
        half = with_curves(half, problem, "drbo-mmd-minmax", curves_of(np.sqrt))
    parts = {part.what: part.judgement for part in claims_figures.minmax_linear(half)[0]}
    assert parts["linear regret"].verdict == "holds"
    allowance = half.margins.claims["steady"]
    changing = [found.changes(allowance) for found in claims_figures.paces(half, "drbo-mmd-minmax").values()]
    assert (sum(changing), len(changing)) == (3, 7)
    assert {3, 7} <= set(numbers(parts["linear regret"].reason))


def test_counting_problems_can_end_undecided(results):
    signs = dict(zip(SEVEN, (1, 1, 1, 0, 0, -1, -1), strict=True))
    judged = claims_figures.counted(results, signs, 1, ("up", "down"))
    assert judged.verdict == "undecided"
    up, down = (judged.reason.partition("down")[k] for k in (0, 2))
    for said, count, titles in (
        (up, 3, ("Newsvendor", "Three-hump camel", "Ackley")),
        (down, 2, [TITLE_OF[name] for name in SEVEN[5:]]),
    ):
        assert {count, 7} <= set(numbers(said))
        assert [title for title in map(TITLE_OF.get, SEVEN) if title in said] == list(titles)
    assert claims_figures.counted(results, {**signs, "branin": 1}, 1, ("up", "down")).verdict == "holds"
    assert claims_figures.counted(results, {**signs, "branin": 1}, -1, ("down", "up")).verdict == "contradicted"
    assert claims_figures.counted(results, {}, 1, ("up", "down")).verdict == "not-testable"


def test_strength_has_to_be_shown(results):
    # 30 % worse everywhere: shown by quiet runs, not shown by loud ones.
    assert combined_verdict(claims_figures.nonrobust_strong, scaled(results, {"erbo": 13.0})) == "contradicted"
    loud = only(scaled(results, {"erbo": 13.0, "sbo-kde": 10.0}, own=0.85), seed=range(5))
    erbo = claims_figures.nonrobust_strong(loud)[0][0]
    assert erbo.judgement.verdict == "undecided"
    # 5 % worse is worse, and near enough.
    near = claims_figures.nonrobust_strong(scaled(results, {"wdrbo": 10.0, "erbo": 10.5}, own=0.01))[0][0]
    assert near.judgement.verdict == "holds"
    assert near.extra["shown_to_be_worse"] == 7


def test_density_estimates_pay_or_not(results):
    def regret(level, own=0.02):
        return claims_figures.kde_not_worth_it(scaled(results, {"drbo-kde": level}, own=own))[0][0].judgement.verdict

    assert regret(9.5) == "holds"
    assert regret(6.0) == "contradicted"
    assert regret(8.5, own=0.5) == "undecided"


def test_performing_well_is_near_the_best_and_before_gp_ucb(results):
    def text(results):
        parts = [part for part in claims_figures.perform_well(results)[0] if "text" in part.what]
        assert [part.what.partition(",")[0] for part in parts] == ["WDRBO", "ERBO", "SBO-KDE"]
        return combined([part.judgement.verdict for part in parts])

    assert text(results) == "holds"
    # DRBO-KDE slightly before them: they no longer lead, and still do well.
    equal = scaled(results, {"drbo-kde": 9.3})
    assert text(equal) == "holds"
    first = {part.what: part.judgement.verdict for part in questions.ranking(equal)[0]}
    assert first["rank first, text's reading"] == "contradicted"
    assert text(scaled(results, {"drbo-kde": 5.0})) == "contradicted"
    assert text(scaled(results, {"gp-ucb": 9.0})) == "contradicted"
    assert text(scaled(results, {"sbo-kde": 10.0}, own=1.5)) == "undecided"
    assert combined_verdict(claims_figures.perform_well, only(results, reading=["text"])) == "not-testable"


def test_nearness_to_the_best_by_a_plain_comparison(results):
    signs = beside_best(results, "wdrbo", ("wdrbo", "erbo", "gp-ucb"), "text", 0.15)
    assert set(signs.values()) == {-1}  # 10 against 1.15 times 9.5
    signs = beside_best(results, "gp-ucb", ("wdrbo", "erbo", "gp-ucb"), "text", 0.15)
    assert set(signs.values()) == {1}
    signs = beside_best(
        scaled(results, {"wdrbo": 10.925, "erbo": 9.5}, own=0.05), "wdrbo", ("wdrbo", "erbo"), "text", 0.15
    )
    assert list(signs.values()).count(0) >= 5


def test_stableopt_has_to_lose_what_its_problem_costs(results):
    ideal = inner_values_claims.worst_context_regret("newsvendor")

    def verdict(own, erbo):
        changed = scaled(results, {"stableopt": own, "erbo": erbo}, columns=("late",))
        return combined_verdict(claims_figures.stableopt_robust, changed)

    assert verdict(ideal, 0.1 * ideal) == "holds"
    assert verdict(0.001, 0.0001) == "contradicted"  # it does not suffer
    assert verdict(10 * ideal, 0.1 * ideal) == "contradicted"  # it does, from something else
    assert verdict(ideal, 1.5 * ideal) == "contradicted"  # no more than ERBO
    parts, extra = claims_figures.stableopt_robust(results)
    assert {part.what.partition(":")[0] for part in parts} == {"Newsvendor"}
    assert extra["not_testable"] == "Three-hump camel, Ackley"
    beside = only(results, problem=["camel"])
    assert combined_verdict(claims_figures.stableopt_robust, beside) == "not-testable"


def test_times_that_rest_on_our_own_solvers_stand_beside_without_a_verdict(results, entries):
    parts = claims_times.wdrbo_overhead(results)[0]
    assert {part.judgement.verdict for part in parts} == {"not-testable"}
    stableopt = next(part for part in parts if part.what.startswith("Ackley: StableOpt"))
    assert stableopt.reproduced == pytest.approx(SECONDS["stableopt"] / SECONDS["wdrbo"])
    assert 1.5 in numbers(stableopt.judgement.reason)
    own, closed = claims_times.branin_cheaper(results)[0]
    assert (own.judgement.verdict, closed.judgement.verdict) == ("not-testable", "holds")
    assert named(entries, "kde-not-worth-it")["times_over_wdrbo"]["ackley"]["ours"] == pytest.approx(4.5)


def test_an_interval_of_another_quantity_is_named(entries):
    """Where ours stands beside a printed number, the interval is that of their difference, or says of what it is."""
    for entry in (entry for entry in entries if entry["kind"] == "claim"):
        for one in (entry, *entry["parts"]):
            gap = one["difference"]
            if gap is None or gap["ci95"] is None or None in (one["reported"], one["reproduced"]["mean"]):
                continue
            printed = one["reported"]["mean"] if isinstance(one["reported"], dict) else one["reported"]
            if printed is None:
                continue
            if gap["mean"] != pytest.approx(one["reproduced"]["mean"] - printed):
                assert one["interval_of"]
    assert named(entries, "ucb-fastest")["interval_of"] == claims_times.LOGARITHM


def test_robustness_is_told_by_reading(results):
    """Outcomes and means of both programs, from the rows; the made-up runs have one order of the two methods."""
    found = questions.by_reading(results)
    assert {name: row["seeds"] for name, row in found.items()} == {"text": 50, "code": 5}
    for reading, row in found.items():
        means = [[results.of(p, m, reading=reading).total.mean() for m in ("wdrbo", "erbo")] for p in SEVEN]
        assert row["lower mean"] == sum(one < two for one, two in means)
        assert row["better"] + row["worse"] + row["not told apart"] == row["problems"] == 7


def test_finer_grids_say_where_they_were_tried(results):
    complete = [part.judgement for part in claims_figures.mmd_grid(results)[0]]
    assert [one.verdict for one in complete] == ["holds", "holds"]
    # The reasons say that one decision and one context only were tried, and so it was.
    for name in LINES:
        problem = chapter_problem(name)
        assert (len(problem.low), len(problem.context_low)) == (1, 1)
    runs = results.tables["runs"]
    failed = (
        (runs.block == "grid") & (runs.problem == "camel") & (runs.variant == "discrepancy_nodes=400") & (runs.seed < 6)
    )
    fewer = dataclasses.replace(results, tables={**results.tables, "runs": runs[~failed]})
    newsvendor, camel = (part.judgement for part in claims_figures.mmd_grid(fewer)[0])
    assert {6, 15} <= set(numbers(camel.reason))
    assert turned(complete[1].reason, camel.reason)
    assert newsvendor.reason == complete[0].reason
    # The nine others would have shown it.
    assert (newsvendor.verdict, camel.verdict) == ("holds", "undecided")


def test_the_radius_lies_between_its_bounds(results, monkeypatch):
    parts = claims_general.prescribed_radius(results)[0]
    for part in parts:
        assert part.extra["diameter"] <= part.reproduced <= part.extra["explicit"]
    monkeypatch.setattr(claims_general.covering, "least_radius", lambda *_: 0.1)
    assert combined_verdict(claims_general.prescribed_radius, results) == "undecided"
    monkeypatch.setattr(claims_general.covering, "theory_radius", lambda *_, **__: 0.2)
    assert combined_verdict(claims_general.prescribed_radius, results) == "holds"


# --- the tools ----------------------------------------------------------------------------------------------------------


def test_contrasts_are_paired_tests():
    generator = np.random.default_rng(1)
    common = 10 * generator.standard_normal(15)
    pairs = {name: (common + gap + generator.standard_normal(15), common) for name, gap in (("a", 3.0), ("b", 0.2))}
    found = contrasts(pairs, 0.95)
    for one in found:
        first, second = pairs[one.where]
        reference = stats.ttest_rel(first, second)
        interval = reference.confidence_interval(0.95)
        np.testing.assert_allclose(
            [one.p, one.difference.low, one.difference.high],
            [reference.pvalue, interval.low, interval.high],
            rtol=SUMMARY_RTOL,
        )
    assert found[0].adjusted == pytest.approx(2 * found[0].p)
    assert (found[0].shown(0.05), found[1].shown(0.05)) == (1, 0)
    same = contrasts({"c": (common, common)}, 0.95)[0]
    assert (same.p, same.shown(0.05)) == (1.0, 0)


def test_ranks_and_groups():
    generator = np.random.default_rng(2)
    values = (
        np.array([1.0, 2.0, 3.0])
        + 0.1 * generator.standard_normal((15, 7, 1))
        + 0.01 * generator.standard_normal((15, 7, 3))
    )
    own, resamples = average_ranks(values)
    np.testing.assert_allclose(own, [1, 2, 3])
    assert resamples.shape == (10_000, 3)
    assert group_claim(values, ["wdrbo", "erbo", "gp-ucb"], ["wdrbo", "erbo"], 0.05).verdict == "holds"
    assert group_claim(values, ["wdrbo", "erbo", "gp-ucb"], ["wdrbo", "gp-ucb"], 0.05).verdict == "contradicted"
    noise = generator.standard_normal((15, 7, 3))
    assert group_claim(noise, ["wdrbo", "erbo", "gp-ucb"], ["wdrbo"], 0.05).verdict == "undecided"


def test_growth_recovers_an_exponent():
    rounds = np.arange(10, 101, 10)
    seeds = 1 + 0.1 * np.random.default_rng(3).standard_normal((30, 1))
    found = growth(seeds * rounds**0.7, rounds, 0.95)
    np.testing.assert_allclose([found.estimate, found.low, found.high], 0.7, rtol=SUMMARY_RTOL)
    # Seeds that grow at different rates widen the interval.
    mixed = growth(rounds ** (0.7 + 0.1 * np.random.default_rng(4).standard_normal((30, 1))), rounds, 0.95)
    assert mixed.low < 0.7 < mixed.high
    assert 0.03 < mixed.high - mixed.low < 0.3
    # A run that stops growing half way has slope zero, whatever it did before.
    flat = growth(np.ones((4, 1)) * np.minimum(rounds, 50), rounds, 0.95)
    assert flat.estimate == pytest.approx(0.0, abs=1e-12)


def test_stableopts_ideal_decision_loses_on_the_newsvendor():
    # The worst demand is mean - sd, so the ideal order is that demand; its regret follows from the expected reward.
    problem = chapter_problem("newsvendor")
    sample = problem.law.marginals[0].quantile((np.arange(100_000) + 0.5) / 100_000)
    order = sample.mean() - sample.std()
    assert inner_values_claims.worst_context_regret("newsvendor") == pytest.approx(
        problem.regret([[order]])[0], abs=2e-3
    )
    assert inner_values_claims.worst_context_regret("camel") == pytest.approx(0.0, abs=1e-6)


def test_the_minmax_value_is_off(results):
    error = inner_values_claims.compared_values()
    assert error["error"] > 100 * error["gap"]
    entry = claims_figures.minmax_linear(results)[0][0]
    assert entry.judgement.verdict == "holds"


def test_methods_and_columns_are_those_printed():
    assert set(METHOD_OF.values()) == set(PUBLISHED)


def test_a_number_that_two_tables_print_is_counted_once(results):
    told = [verdicts.compared(results, cell).get("repeats") for cell in results.cells]
    tables = [cell.source for cell in results.cells]
    assert told == [None] * 10 + ["Table 1" if cell.method in SHARED else None for cell in results.cells[10:]]
    assert (tables.count("Table 1"), told.count("Table 1"), told.count(None)) == (10, 10, 16)
    # another number is not the same printed twice
    (other,) = (
        cell for cell in results.cells if (cell.source, cell.problem, cell.method) == ("Table 2", "Ackley", "ERBO")
    )
    changed = dataclasses.replace(other, mean=other.mean + 1)
    results_of = SimpleNamespace(cells=[*results.cells, changed])
    assert verdicts._repeated(results_of, other) == {"repeats": "Table 1"}
    assert verdicts._repeated(results_of, changed) == {}


SHARED = {"WDRBO", "ERBO", "GP-UCB", "SBO-KDE", "DRBO-KDE"}
