"""Verdicts on paper 4: complete, recomputed by other means, and changed by a changed number.

The stored tables are made up: runs that are what the paper says, and changes of them that are not.
"""

import csv
import json
import math
import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from tolerances import SUMMARY_RTOL

from companion.core.errors import CompanionError
from companion.judge.ownership import COMPANION
from companion.judge.verdict import CELL_VERDICTS, CLAIM_VERDICTS, combined
from companion.papers.meanfield.experiments import figures_claims as claims_figures
from companion.papers.meanfield.experiments import methods_claims as claims_methods
from companion.papers.meanfield.experiments import verdicts
from companion.papers.meanfield.experiments.printed import METHOD_OF, OURS, PROBLEM_OF, MeanFieldResults
from companion.papers.meanfield.experiments.runs import CONTROLS
from companion.papers.meanfield.problems.catalogue import SETTINGS, meanfield_problem
from companion.stored.record import Record
from companion.stored.results import store_tables

FIVE = ("mf-gp-ucb", "turbo", "sa", "ga", "random")
#: Shares of the uniform law's gap at the end: what the paper says of each method, roughly.
LEVELS = {"mf-gp-ucb": 0.02, "turbo": 0.97, "sa": 0.98, "ga": 0.99, "random": 1.0}
AGENTS = (10, 50, 1000)


def printed_minutes(root):
    with (root / "data" / "reported" / "meanfield" / "table2.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {(PROBLEM_OF[row["problem"]], METHOD_OF[row["method"]]): row for row in rows}


def problem_of(name):
    return meanfield_problem(name, data="synthetic" if name not in ("swarm", "arena") else "auto")


def law_of(problem, level):
    """On the segment from the optimal to the uniform law, at the point whose gap is ``level`` times the uniform law's."""
    low, high = 0.0, 1.0
    full = problem.upper_bound - float(problem.reward(problem.uniform()[None])[0])
    for _ in range(60):
        middle = 0.5 * (low + high)
        law = (1 - middle) * problem.optimal + middle * problem.uniform()
        gap = problem.upper_bound - float(problem.reward(law[None])[0])
        low, high = (middle, high) if gap < level * full else (low, middle)
    return (1 - low) * problem.optimal + low * problem.uniform()


class Made:
    """Rows of made-up runs."""

    def __init__(self):
        self.rows = {name: [] for name in ("final", "curves", "laws", "places", "times")}

    def add(self, key, problem, level, seconds, cumulative=100.0, law=None):
        top, low = problem.upper_bound, float(problem.reward(problem.uniform()[None])[0])
        generator = np.random.default_rng([len(self.rows["final"])])
        share = level * (1 + 0.02 * generator.standard_normal())
        value = top - share * (top - low)
        final = {"agents": problem.agents, "actions": problem.actions, "contexts": problem.contexts}
        final |= {"label": problem.meta["label"], "best": value, "law_reward": value, "apart": 0.5 * share}
        final |= {"last_rise": 60, "recommended": share, "recommended_apart": 0.1, "upper_bound": top, "uniform": low}
        final |= {"cumulative": f"1 {cumulative * (1 + 0.05 * generator.standard_normal())}", "simple": "1 0.5"}
        self.rows["final"].append(key | final)
        self.rows["times"].append(
            key | {"seconds": seconds * (1 + 0.05 * generator.random()), "policy_seconds": seconds}
        )
        start = top - 1.5 * (top - low)
        rise = {
            "steps": "1 60",
            "best": f"{start} {value}",
            "law_reward": f"{start} {value}",
            "apart": f"0.9 {0.5 * share}",
        }
        self.rows["curves"].append(key | rise | {"current": f"{start}"})
        if law is not None:
            text = " ".join(f"{number:.6f}" for number in law.ravel())
            self.rows["laws"].append(key | {"contexts": problem.contexts, "law": text})

    def frames(self):
        return {name: pd.DataFrame(rows) for name, rows in self.rows.items()}


def key(part, problem, method, seed, variant="paper"):
    return {"part": part, "variant": variant, "problem": problem, "method": method, "seed": seed}


def places(name, problem):
    region = problem.details.get("region", np.full(problem.actions, -1))
    capacity = problem.details.get("capacity", np.zeros(problem.actions))
    return [
        {"problem": name, "action": a, "first": 0.0, "second": 0.0, "block": -1, "region": region[a]}
        | {"optimal": " ".join(f"{p:.8g}" for p in problem.optimal[:, a]), "capacity": capacity[a]}
        for a in range(problem.actions)
    ]


@pytest.fixture(scope="module")
def tables(root):
    """Runs as the paper says they are: its times, its order of methods, a regret that does not grow with M."""
    made, minutes = Made(), printed_minutes(root)
    for name in SETTINGS:
        problem = problem_of(name)
        made.rows["places"] += places(name, problem)
        for method in FIVE:
            law = law_of(problem, LEVELS[method])
            for seed in range(10):
                level = 0.12 if (name, method) == ("arena", OURS) else LEVELS[method]
                mean = float(minutes[name, method]["mean"]) if method != "random" else 0.01
                made.add(key("figures", name, method, seed), problem, level, mean, law=law)
        for method in CONTROLS:
            for seed in range(10):
                made.add(key("controls", name, method, seed), problem, 0.9, 1.0)
        for method in (OURS, "random"):
            for seed in range(10):
                level = 0.12 if (name, method) == ("arena", OURS) else LEVELS[method]
                made.add(key("quota", name, method, seed, "play=quota"), problem, level, 1.0)
    for seed in range(10):
        made.add(key("variants", "ports", OURS, seed, "search=paper"), problem_of("ports"), 0.5, 1.0)
    for way, level in (("contexts=fixed", 0.5), ("contexts=redrawn", 0.9)):
        for seed in range(20):
            made.add(key("fixed", "arena", "sa", seed, way), problem_of("arena"), level, 1.0)
    for count in AGENTS:
        for name in ("swarm", "arena"):
            problem = meanfield_problem(name, agents=count)
            for seed in range(10):
                made.add(key("agents", name, OURS, seed, f"agents={count}"), problem, 0.1, 14.0, 50.0)
        for method in ("turbo", "sa", "ga", "gp-ucb"):
            for seed in range(5):
                problem, cost = meanfield_problem("swarm", agents=count), 0.2 * count**1.016
                made.add(key("rivals", "swarm", method, seed, f"agents={count}"), problem, 0.9, cost, 1000.0)
    return made.frames()


def placed(root, folder, tables):
    """A repository with the reported tables and the given results."""
    shutil.copytree(root / "data" / "reported", folder / "data" / "reported", dirs_exist_ok=True)
    record = Record.now("make paper CH=4", profile="paper", seeds=[0], seconds=0.0)
    store_tables(folder / "data" / "results" / "meanfield", "tables", tables, record)
    return folder


@pytest.fixture(scope="module")
def folder(root, tables, tmp_path_factory):
    return placed(root, tmp_path_factory.mktemp("made-up"), tables)


@pytest.fixture(scope="module")
def entries(folder):
    return verdicts.VERDICTS.entries(folder)


@pytest.fixture(scope="module")
def stored(folder):
    return MeanFieldResults.read(folder)


@pytest.fixture
def changed(stored, tables):
    """The printed table beside changed runs: ``change(frames)``."""

    def make(change):
        frames = {name: frame.copy() for name, frame in tables.items()}
        change(frames)
        return replace(stored, tables=frames)

    return make


def parts_of(results, identifier):
    """Parts of a claim, and its further fields."""
    asked = {name: test for name, (_, test) in claims_methods.QUESTIONS.items()}
    return {**claims_figures.TESTS, **claims_methods.TESTS, **asked}[identifier](results)


def judged(results, identifier):
    """Verdict on a claim, and its further fields."""
    parts, extra = parts_of(results, identifier)
    return combined([part.judgement.verdict for part in parts]), extra


def cell_of(results, name):
    (cell,) = [cell for cell in results.cells if f"{cell.problem}, {cell.method}" == name]
    return verdicts.VERDICTS.cell_entry(results, cell)


def named(entries, name):
    (found,) = [e for e in entries if e["cell"] == name]
    return found


def test_every_printed_number_and_every_claim_is_there_once(root, entries):
    cells = [e for e in entries if e["kind"] == "cell"]
    assert len({e["cell"] for e in cells}) == len(cells) == 28
    assert {(e["problem"], e["method"]): e["minutes"]["mean"] for e in cells} == {
        where: float(row["mean"]) for where, row in printed_minutes(root).items()
    }
    with (root / "data" / "reported" / "meanfield" / "claims.csv").open(encoding="utf-8") as file:
        ids = [row["id"] for row in csv.DictReader(file)]
    claims = [e for e in entries if e["kind"] == "claim"]
    assert [e["cell"] for e in claims if e["source"] != COMPANION] == ids
    # The paper has no sentence on how time grows with the number of agents: these are the companion's questions.
    assert [e["cell"] for e in claims if e["source"] == COMPANION] == ["turbo-time", "mf-time"]
    assert not {"turbo-time", "mf-time"} & set(ids)
    for e in entries:
        assert e["verdict"] in (CELL_VERDICTS if e["kind"] == "cell" else CLAIM_VERDICTS)
        assert e["record"]["command"]
    json.dumps(entries, allow_nan=False)


def test_an_interval_is_of_ours_minus_the_printed_number_or_says_of_what_it_is(entries):
    seen = set()
    for e in entries:
        for one in (e, *e.get("parts", ())):
            gap = one["difference"]
            if gap is None or gap["ci95"] is None:
                assert not one.get("interval_of")
                continue
            # A cell's difference is ours minus the printed number; a claim has to say when its interval is.
            printed = one["reported"]["mean"] if one.get("kind") == "cell" else None
            own = math.isclose(gap["mean"], one["reproduced"]["mean"] - (printed or 0.0), rel_tol=1e-9, abs_tol=1e-12)
            assert own != bool(one.get("interval_of")), (e["cell"], one.get("what"))
            seen.add((e["kind"], own))
    assert seen == {("cell", True), ("claim", True), ("claim", False)}


def test_runs_that_are_as_printed_are_called_so(entries):
    """The penalty as printed, and the time of a program that is not to be had, are what they are, whatever is stored."""
    found = {e["cell"]: e["verdict"] for e in entries if e["kind"] == "claim"}
    reasons = {e["cell"]: e["reason"] for e in entries}
    assert found.pop("penalty-disperses") == "contradicted"
    assert found.pop("turbo-time") == "not-testable"
    assert set(found.values()) == {"holds"}, {name: reasons[name] for name, v in found.items() if v != "holds"}


def test_a_ratio_is_recomputed_by_hand(root, tables, entries):
    minutes, times = printed_minutes(root), tables["times"]

    def ours(problem, method):
        rows = times[(times.part == "figures") & (times.problem == problem) & (times.method == method)]
        return rows.seconds.to_numpy()

    for name, method, below in (
        ("taxi-a", "turbo", ("taxi-a", OURS)),
        ("swarm", "sa", ("swarm", OURS)),
        ("ports", OURS, ("swarm", OURS)),
    ):
        e = next(e for e in entries if e["kind"] == "cell" and (e["problem"], e["method"]) == (name, method))
        a, b = minutes[name, method], minutes[below]
        value = float(a["mean"]) / float(b["mean"])
        spread = value * math.sqrt(
            (float(a["spread"]) / float(a["mean"])) ** 2 + (float(b["spread"]) / float(b["mean"])) ** 2
        )
        assert e["reported"]["mean"] == pytest.approx(value)
        assert e["margin"] == pytest.approx(spread)
        x, y = ours(name, method), ours(*below)
        mean = x.mean() / y.mean()
        sd = mean * math.hypot(x.std(ddof=1) / x.mean(), y.std(ddof=1) / y.mean())
        assert e["reproduced"]["mean"] == pytest.approx(mean, rel=SUMMARY_RTOL)
        # Welch's interval contains zero exactly where his test does not reject.
        p = stats.ttest_ind_from_stats(mean, sd, 10, value, spread, 10, equal_var=False).pvalue
        low, high = e["difference"]["ci95"]
        assert (low <= 0 <= high) == (p > 0.05)
        assert 0.5 * (low + high) == pytest.approx(mean - value, rel=1e-9)
        assert e["speed_up"] == pytest.approx(60 * float(a["mean"]) / x.mean(), rel=SUMMARY_RTOL)


def test_cells_know_equal_from_different(entries, changed):
    cells = [e for e in entries if e["kind"] == "cell"]
    assert {e["cell"] for e in cells if e["verdict"] == "not-testable"} == {"Swarm, MF-GP-UCB"}
    assert named(entries, "NYC (c), TuRBO")["verdict"] == "equivalent"

    def faster(frames):
        times = frames["times"]
        here = (times.part == "figures") & (times.method == "turbo")
        times.loc[here, "seconds"] *= 0.001

    after = changed(faster)
    assert cell_of(after, "NYC (c), TuRBO")["verdict"] == "different"  # faster than MF-GP-UCB, which is not as printed
    assert cell_of(after, "NYC (c), MF-GP-UCB")["verdict"] == named(entries, "NYC (c), MF-GP-UCB")["verdict"]


def set_share(frames, problem, method, share, part="figures"):
    """Another gap, in shares of the uniform law's, for all runs of a method."""
    for name in ("final", "curves"):
        frame = frames[name]
        here = (frame.part == part) & (frame.problem == problem) & (frame.method == method)
        for index in frame.index[here]:
            own = frames["final"].loc[index]
            value = own.upper_bound - share * (1 + 0.01 * (own.seed % 3)) * (own.upper_bound - own.uniform)
            if name == "final":
                frame.loc[index, ["best", "law_reward", "apart"]] = [value, value, 0.5 * share]
            else:
                start = frame.loc[index, "best"].split()[0]
                frame.loc[index, ["best", "law_reward"]] = f"{start} {value}"
                frame.loc[index, "apart"] = f"0.9 {0.5 * share}"


@pytest.mark.parametrize(
    ("identifier", "problem", "method", "share"),
    [
        ("higher-reward", "arena", "sa", 0.05),
        ("sample-efficient", "bikes", "turbo", 0.01),
        ("swarm-converges", "swarm", OURS, 0.2),
        ("arena-separates", "arena", OURS, 0.4),
        ("louvelo-near-optimal", "bikes", OURS, 0.2),
        ("maritime-best", "ports", "ga", 0.001),
        ("nyc-all-grids", "taxi-b", OURS, 0.8),
        ("nyc-all-grids", "taxi-c", "turbo", 0.5),
        ("benchmarks-stall", "taxi-a", "ga", 0.6),
    ],
)
def test_a_claim_falls_with_the_run_it_rests_on(changed, identifier, problem, method, share):
    def worse(frames):
        for part in ("figures", "quota"):
            set_share(frames, problem, method, share, part)

    verdict, _ = judged(changed(worse), identifier)
    assert verdict == "contradicted" or (verdict, identifier) == ("undecided", "sample-efficient")


@pytest.mark.parametrize("part", ["figures", "quota"])
@pytest.mark.parametrize(
    ("identifier", "problem", "share"),
    [("swarm-converges", "swarm", 0.2), ("louvelo-near-optimal", "bikes", 0.2), ("nyc-all-grids", "taxi-b", 0.8)],
)
def test_ways_of_playing_that_disagree_decide_nothing(changed, part, identifier, problem, share):
    after = changed(lambda frames: set_share(frames, problem, OURS, share, part))
    assert judged(after, identifier)[0] == "undecided"
    found = [way for part in parts_of(after, identifier)[0] for way in part.extra.get("readings", ())]
    by_way = {
        way: {one["verdict"] for one in found if one["what"] == way} for way in ("independent draws", "whole numbers")
    }
    changed_way, other = (
        ("independent draws", "whole numbers") if part == "figures" else ("whole numbers", "independent draws")
    )
    assert "contradicted" in by_way[changed_way]
    assert by_way[other] == {"holds"}


def test_a_way_of_playing_that_was_left_out_leaves_the_claim_open(changed):
    def without(frames):
        for name in ("final", "curves", "times"):
            frames[name] = frames[name][frames[name].part != "quota"].reset_index(drop=True)

    assert judged(changed(without), "louvelo-near-optimal")[0] == "not-testable"


def test_turbo_is_compared_with_random_search_and_with_the_demand(changed):
    """Laws of TuRBO like the demand's are nearer to it than to random search's."""

    def near(frames):
        laws = frames["laws"]
        here = (laws.problem == "taxi-a") & (laws.method == "turbo")
        demand = frames["places"].query("problem == 'taxi-a'").sort_values("action").optimal
        laws.loc[here, "law"] = " ".join(demand.astype(str))

    parts, _ = parts_of(changed(near), "nyc-map")
    assert [part.judgement.verdict for part in parts] == ["contradicted", "contradicted"]


def test_standings_are_recomputed_by_hand(tables, changed):
    _, extra = parts_of(changed(lambda frames: set_share(frames, "bikes", "ga", 0.001)), "higher-reward")
    found = extra["standings"]["best reward"]["as run"]
    assert found == {"ahead": [name for name in SETTINGS if name != "bikes"], "behind": ["bikes"], "not told apart": []}
    # Every made-up run has the same cumulative regret up to five per cent: nothing is told apart by much.
    regret = extra["standings"]["regret"]["as run"]
    final = (
        tables["final"]
        .query("part == 'figures'")
        .assign(total=lambda f: f.cumulative.str.split().str[-1].astype(float))
    )
    for name in SETTINGS:
        runs = final[final.problem == name].pivot_table(index="seed", columns="method", values="total")
        tests = {m: stats.ttest_rel(runs[OURS], runs[m]).confidence_interval(0.95) for m in FIVE if m != OURS}
        expected = "ahead" if all(ci.high < 0 for ci in tests.values()) else "not told apart"
        expected = "behind" if any(ci.low > 0 for ci in tests.values()) else expected
        assert name in regret[expected]


def test_the_theorems_width_is_set_against_random_search(root, tables, tmp_path):
    extra = tables["final"].query("part == 'quota' and problem == 'taxi-a' and method == @OURS").copy()
    extra["part"], extra["variant"] = "variants", "width=printed"
    random = tables["final"].query("part == 'figures' and problem == 'taxi-a' and method == 'random'")
    extra["best"] = random.best.to_numpy() - 0.01
    frames = {**tables, "final": pd.concat([tables["final"], extra], ignore_index=True)}
    found = named(verdicts.VERDICTS.entries(placed(root, tmp_path, frames)), "higher-reward")["theory_width"]
    assert found["taxi-a"]["width=printed"]["best_minus_random_search"]["mean"] == pytest.approx(-0.01)
    assert found["swarm"] == {}


def test_growth_with_agents_and_cost_are_noticed(changed):
    def grown(frames):
        final, times = frames["final"], frames["times"]
        here = (final.part == "agents") & (final.problem == "swarm")
        final.loc[here, "cumulative"] = [f"1 {50 * m**0.5}" for m in final.agents[here]]
        times.loc[here, "seconds"] *= final.agents[here] ** 0.5
        times.loc[times.part == "rivals", "seconds"] = 10.0 + times.seed[times.part == "rivals"]
        fixed = final.variant == "contexts=redrawn"
        final.loc[fixed, "best"] += 10.0

    after = changed(grown)
    for identifier in ("rate-without-agents", "mf-time", "fixed-contexts"):
        assert judged(after, identifier)[0] == "contradicted"
    _, extra = judged(after, "rate-without-agents")
    assert extra["regret_by_agents"]["swarm"]["exponent"][0] == pytest.approx(0.5, abs=1e-6)


def test_laws_decide_the_maps(changed):
    def blurred(frames):
        laws = frames["laws"]
        one = laws[(laws.problem == "taxi-a") & (laws.method == "random")].law.iloc[0]
        laws.loc[(laws.problem == "taxi-a") & (laws.method == OURS), "law"] = one
        results = (laws.problem == "arena") & (laws.method == OURS)
        laws.loc[results, "law"] = " ".join(["1"] + ["0"] * 29 + ["1"] + ["0"] * 29)

    after = changed(blurred)
    assert judged(after, "nyc-map")[0] == "contradicted"
    assert judged(after, "arena-separates")[0] == "contradicted"


def test_parts_left_out_are_not_testable(changed):
    def without(frames):
        for name in ("final", "curves", "laws", "times"):
            frame = frames[name]
            gone = frame.part.isin(["agents", "rivals", "fixed"]) | (frame.problem == "bikes")
            frames[name] = frame[~gone].reset_index(drop=True)

    after = changed(without)
    for identifier in (
        "rate-without-agents",
        "crossover",
        "fixed-contexts",
        "louvelo-near-optimal",
        "higher-reward",
        "mf-time",
    ):
        assert judged(after, identifier)[0] == "not-testable"
    assert cell_of(after, "LouVelo, TuRBO")["verdict"] == "not-testable"
    assert cell_of(after, "Arena, TuRBO")["verdict"] != "not-testable"


def test_other_searches_and_cumulative_regret_stand_beside_the_verdict(tables, entries):
    part = next(part for part in named(entries, "higher-reward")["parts"] if part["what"].startswith("Maritime"))
    final = tables["final"]
    ours = final[(final.part == "variants") & (final.problem == "ports")].best.to_numpy()
    figures = final[(final.part == "figures") & (final.problem == "ports")]
    theirs = figures[figures.method == part["strongest"]].best.to_numpy()
    found = part["other_searches"]["search=paper"]
    assert found["best"] == pytest.approx(ours.mean())
    assert found["against"]["mean"] == pytest.approx((ours - theirs).mean())
    assert set(part["other_searches"]) == {"search=paper"}
    own = figures[figures.method == OURS].cumulative.str.split().str[-1].astype(float)
    assert part["regret_per_evaluation"][OURS] == pytest.approx(own.mean() / 250)


def test_claims_and_tests_must_match(root, tables, tmp_path):
    folder = placed(root, tmp_path, tables)
    path = folder / "data" / "reported" / "meanfield" / "claims.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("nyc-map,", "nyc-maps,"), encoding="utf-8")
    with pytest.raises(CompanionError, match="nyc-map"):
        verdicts.VERDICTS.entries(folder)


def test_shares_of_time_are_those_of_the_printed_table(root, entries):
    """By hand: ten runs of every cell, 1,440 minutes a day."""
    minutes = {where: float(row["mean"]) for where, row in printed_minutes(root).items()}
    total = 10 * sum(minutes.values())
    e = named(entries, "time-shares")
    assert e["parts"][0]["reproduced"]["mean"] == pytest.approx(total / 1440)
    assert total / 1440 == pytest.approx(99.8, abs=0.05)
    by_method = {
        m: 10 * sum(v for (_, who), v in minutes.items() if who == m) / total * 100 for m in METHOD_OF.values()
    }
    assert e["percent"] == pytest.approx(by_method)
    assert sum(e["percent"].values()) == pytest.approx(100.0)


def test_first_passage_and_values_in_between(root, tables, tmp_path):
    frames = {name: frame.copy() for name, frame in tables.items()}
    curves = frames["curves"]
    here = (curves.part == "figures") & (curves.problem == "swarm") & (curves.method == OURS)
    curves.loc[here, ["steps", "best", "law_reward", "apart"]] = ["1 30 90", "-5 2 7", "-6 1 6", "0.9 0.5 0.1"]
    results = MeanFieldResults.read(placed(root, tmp_path, frames))
    for time, value in ((1, -5), (29, -5), (30, 2), (89, 2), (90, 7), (250, 7)):
        assert set(results.at("swarm", OURS, time)) == {value}
    assert set(results.at("swarm", OURS, 80, "apart")) == {0.5}
    for level, expected in ((-6, 1), (-5, 30), (1.9, 30), (2, 90), (7, 250)):
        assert set(results.first_passage("swarm", OURS, level, 250)) == {expected}
