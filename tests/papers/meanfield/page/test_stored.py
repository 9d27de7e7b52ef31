"""Studies of the stored runs follow them, whatever the results are; on a small store made here."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from sentences import numbers

from companion.pages import evidence as stored_evidence
from companion.papers.meanfield.experiments import runs as planned
from companion.papers.meanfield.experiments import store as paper_scale
from companion.papers.meanfield.experiments.printed import FIGURE_5, LABELS, METHOD_OF, OURS
from companion.papers.meanfield.experiments.ranking_claims import (
    AHEAD,
    BEHIND,
    BEST,
    REGRET,
    groups,
    share_of_uniform,
    standing,
)
from companion.papers.meanfield.page import experiments_figures as experiment_figures
from companion.papers.meanfield.page import findings, followed, growth, live, maps, problems, standings, stored_runs
from companion.papers.meanfield.problems.catalogue import HORIZON, SETTINGS

PLAN = planned.MeanFieldPlan(
    problems=("swarm", "arena", "bikes", "taxi-a"),
    runs=3,
    few=3,
    many=2,
    agents=(10, 40),
    actions=(5, 10),
    contexts=(1, 2),
    betas=(1.0,),
    horizon=12,
    overrides={"candidates": 20, "restart": 4},
    parts=("figures", "agents", "quota", "sizes", "rivals"),
)


@pytest.fixture(scope="module")
def small(tmp_path_factory, root):
    folder = tmp_path_factory.mktemp("store")
    (folder / "data").mkdir()
    (folder / "data" / "reported").symlink_to(root / "data" / "reported")
    paper_scale.store(folder, 1, plan=PLAN, data="synthetic")
    return stored_runs.load_paper_results(folder)


@pytest.fixture(scope="module")
def kept(root):
    """The stored runs themselves."""
    return stored_runs.load_paper_results(root)


def changed(evidence, **columns):
    """The evidence with columns of ``final`` replaced by functions of its rows."""
    final = evidence.tables["final"]
    tables = {**evidence.tables, "final": final.assign(**{k: make(final) for k, make in columns.items()})}
    return dataclasses.replace(evidence, tables=tables)


def test_best_so_far_is_the_running_maximum_of_the_stored_steps(small):
    runs = small.best_so_far("arena", "turbo")
    assert runs.shape == (3, HORIZON)
    assert (np.diff(runs, axis=1) >= 0).all()
    np.testing.assert_allclose(runs[:, -1], small.values("arena", "turbo"), rtol=1e-5)


def test_every_figure_and_row_says_which_data_it_used(small):
    table = problems.problem_rows(small).set_index("problem")
    used, words = table["stored runs on"], LABELS
    assert used["Swarm motion"] == words["closed form"]
    assert used["NYC taxi (a)"] == words["synthetic"]
    assert used["NYC taxi (b)"] not in words.values()
    said = stored_runs.data_numbers(small, FIGURE_5).data
    assert said == f"NYC (a): {words['synthetic']}"
    real = changed(small, label=lambda rows: np.where(rows.problem == "taxi-a", "real-sample", rows.label))
    record = {**real.record, "settings": {**real.record["settings"], "data": {"taxi-a": "working-days"}}}
    told = dataclasses.replace(real, record=record)
    for part in (words["real-sample"], "working-days"):
        assert part in told.data_in_words("taxi-a")
    assert maps.manhattan(told).label == words["real-sample"]
    assert maps.map_numbers(maps.manhattan(told)).label == words["real-sample"]
    assert maps.map_numbers(maps.manhattan(small)).label == words["synthetic"]


def test_who_is_ahead_follows_the_results(small):
    for shift, ahead in ((1e3, 4), (2e3, 4), (-1e3, 0)):
        told = changed(small, best=lambda rows, by=shift: rows.best + by * (rows.method == OURS))
        assert (stored_runs.leads(told, "swarm")[1].low > 0) == (ahead == 4)
        found = groups(told, BEST)
        assert (len(found[AHEAD]), len(found[BEHIND])) == (ahead, 4 - ahead)
        said = standings.standing_numbers(told)
        assert (said.best_count, len(said.best_behind), said.problems) == (ahead, 4 - ahead, 4)
        rows = standings.lead_rows(told).query("measure == @BEST and compared == 'our search'")
        assert len(rows) == 4
        assert (rows.verdict == (AHEAD if ahead else BEHIND)).all()
        assert ((rows.low > 0) == bool(ahead)).all()


def test_regret_is_told_beside_the_best_reward(small):
    def told(own, others):
        """With so many times the uniform law's regret for MF-GP-UCB, and for the other methods."""

        def total(rows):
            share = np.where(rows.method == OURS, own, others) * (1 + 0.001 * rows.seed)
            return [f"1 {value:.9g}" for value in share * (rows.upper_bound - rows.uniform) * HORIZON]

        evidence = changed(small, cumulative=total)
        shares = [share_of_uniform(evidence, name, OURS).mean() for name in evidence.problems]
        assert shares == pytest.approx([own * 1.001] * 4)
        said = standings.standing_numbers(evidence)
        return standing(evidence, "swarm", REGRET).verdict, said.regret_count, len(said.idle)

    assert told(0.95, 2.0) == (AHEAD, 4, 0)
    assert told(1.05, 2.0) == (AHEAD, 4, 4)
    assert told(0.95, 0.2) == (BEHIND, 0, 0)


@pytest.fixture(scope="module")
def varied(small):
    """The small store with variants that are as good as the default, or as bad as random search less a little."""
    final = small.tables["final"]
    ours, random = (final[(final.part == "figures") & (final.method == m)] for m in ("mf-gp-ucb", "random"))
    rows = []
    for problem, variant, bad in (
        ("taxi-a", "width=printed", True),
        ("taxi-a", "width=corrected", True),
        ("swarm", "width=printed", False),
        ("swarm", "width=corrected", False),
        ("bikes", "observation=agent", True),
        ("swarm", "observation=agent", False),
    ):
        own = ours[ours.problem == problem].assign(part="variants", variant=variant, last_rise=9)
        rows.append(own.assign(best=random[random.problem == problem].best.to_numpy() - 0.1) if bad else own)
    tables = {**small.tables, "final": pd.concat([final, *rows], ignore_index=True)}
    return dataclasses.replace(small, tables=tables)


def test_what_is_proved_and_what_is_run_are_told_apart(varied):
    assert standings.below_random(varied, standings.THEORY) == (["taxi-a"], ["swarm"])
    assert standings.below_random(varied, (standings.AGENT,)) == (["bikes"], ["swarm"])
    width, observation = standings.width_numbers(varied), standings.observation_numbers(varied)
    assert width.lost == ["NYC (a)"]
    assert (observation.lost, observation.ran) == (["LouVelo"], ["Swarm", "LouVelo"])
    # Every run starts with ten random laws, so that a best law found then is one of them.
    assert width.initial == 10
    for last in (10, 11):
        assert standings.width_numbers(changed(varied, last_rise=lambda rows, at=last: at)).last_rise == last

    def good(problem):
        return changed(
            varied, best=lambda rows: rows.best + 1e3 * ((rows.part == "variants") & (rows.problem == problem))
        )

    assert standings.below_random(good("taxi-a"), standings.THEORY) == ([], ["swarm", "taxi-a"])
    assert standings.below_random(good("bikes"), (standings.AGENT,)) == ([], ["swarm", "bikes"])
    assert standings.width_numbers(good("taxi-a")).still == ["NYC (a)"]
    assert standings.observation_numbers(good("bikes")).ahead == ["LouVelo"]


def test_variants_are_shown_setting_by_setting(varied):
    table = experiment_figures.variants(varied, "observation").frame
    assert set(table.setting) == {"observation=agent"}
    for cell in table["difference of the laws (95 % interval)"]:
        difference, low, high = numbers(cell)
        assert low <= difference <= high
    row = table[table.problem == "Swarm"].iloc[0]
    own, plain = row["regret / default's"].split(" / ")
    share = standings.share_of_uniform(varied, "swarm", "mf-gp-ucb").mean()
    assert own == plain == f"{share:.2f}"
    assert stored_runs.changed_numbers(varied, "observation=agent").ran == ["LouVelo", "Swarm"]


def test_the_measured_exponent_follows_the_runs(small):
    for power in (0.5, 0.3, 0.0, -0.3, -0.5):

        def total(rows, power=power):
            wobble = 0.001 * (1.0 + 0.01 * ((rows.seed * 7 + rows.agents) % 3 - 1))
            return [f"{m**power * w:.6g}" for m, w in zip(rows.agents.astype(float), wobble, strict=True)]

        told = changed(small, cumulative=total)
        found = growth.exponent(told, "swarm", "agents", OURS, "agents")
        assert found.estimate == pytest.approx(power, abs=0.03)
        assert (found.low > 0, found.high < 0) == (power > 0, power < 0)


def test_growth_tells_where_the_uniform_law_is_not_beaten(small):
    def evidence(few, sizes):
        def total(rows):
            units = (rows.upper_bound - rows.uniform) * HORIZON
            shares = np.where(rows.part.isin(("actions", "contexts")), sizes, np.where(rows.agents == 10, few, 0.5))
            return [
                f"{share * unit * (1 + 0.001 * seed):.8g}"
                for share, unit, seed in zip(shares, units, rows.seed, strict=True)
            ]

        return changed(small, cumulative=total)

    told, less = evidence(1.25, 1.5), evidence(0.75, 0.6)
    ours = growth.growth_rows(told).query("method == @OURS and share >= 1")
    assert set(zip(ours.problem, ours.M, strict=True)) == {("swarm", 10), ("arena", 10)}
    assert "random" not in set(growth.exponent_rows(told).method)
    rows = growth.size_rows(told)
    for row in rows.itertuples():
        part, problem = next((part, problem) for what, part, problem in growth.SIZES if what == row.what)
        found = growth.runs(told, problem, part, "mf-gp-ucb")
        assert row.share == pytest.approx(found[found[row.what] == row.size].share.mean())
    assert growth.size_numbers(told).actions_idle == [5, 10]
    assert growth.size_numbers(less).actions_idle == []
    said = growth.growth_numbers(told)
    assert (said.few, said.many) == (10, 40)
    assert (said.arena_few, said.few_share) == pytest.approx((1.25, 1.25), rel=0.01)
    assert said.many_share == pytest.approx(0.5, rel=0.01)
    # All methods have the same regret there.
    assert len(growth.level_at(told, 10)) == 4


def test_no_exponent_without_runs_of_two_sizes(small):
    final = small.tables["final"]
    told = dataclasses.replace(small, tables={**small.tables, "final": final[final.part == "figures"]})
    assert growth.exponent(told, "swarm", "agents", OURS, "agents") is None
    assert growth.growth_rows(told).empty


def test_shares_are_regret_over_that_of_the_uniform_law(small):
    rows = growth.runs(small, "swarm", "agents", "random")
    final = small.tables["final"]
    (one,) = final.query(
        "part == 'agents' and problem == 'swarm' and method == 'random' and agents == 40 and seed == 1"
    ).itertuples()
    share = rows[(rows.agents == 40) & (rows.seed == 1)].share.item()
    assert share == pytest.approx(float(one.cumulative.split()[-1]) / HORIZON / (one.upper_bound - one.uniform))


def test_printed_ratios_are_the_quotients_of_table_2(small):
    table = stored_runs.time_rows(small).set_index(["problem", "method"])
    assert len(table) == len(SETTINGS) * len(METHOD_OF)
    assert numbers(table.loc[("NYC (a)", "TuRBO"), "printed ratio"])[0] == pytest.approx(4105 / 36, abs=0.5)
    assert table.loc[("Maritime", "TuRBO"), "our ratio"] == "–"
    said = stored_runs.time_numbers(small)
    assert (said.method, said.problem) == ("TuRBO", "NYC (a)")
    assert said.printed == pytest.approx(4105 / 36)


def test_live_runs_are_the_beginning_of_the_stored_ones(small):
    again = live.rerun_live(small, 2, 10)
    results = again.dropna(subset=["stored"])
    assert set(zip(results.method, results.M, strict=True)) == {("mf-gp-ucb", 10), ("gp-ucb", 10)}
    assert live.same(again).all()
    assert not live.same(again.assign(stored=again.stored * 1.01)).any()
    assert {len(again), len(results)} <= set(numbers(live.say_live(again, small).markdown))


def test_teams_on_opposite_sides_are_half_a_turn_apart(small):
    said = maps.team_numbers(small)
    assert said.runs == 3
    assert 0 <= said.least <= said.degrees <= 180


def test_maps_put_every_block_in_its_place(small):
    field = maps.manhattan(small).maps["demand"]
    places = small.places("taxi-a")
    assert field.shape == (12, 20)
    for row in places.iloc[::25].itertuples():
        # Features are centres of blocks in the unit square: west to east, south to north.
        assert field[int(row.first * 12), int(row.second * 20)] == pytest.approx(float(row.optimal))
    assert np.isnan(field).sum() == 240 - len(places)


def test_steps_of_the_proof_are_counted_from_the_ledger_given():
    common = {"teeth": [], "location": "x", "title": "y"}
    statuses = ["fails"] * 13 + ["holds-with-corrected-constant"] * 6 + ["holds"] * 4
    steps = [{"id": f"A1-{k}", "status": status, **common} for k, status in enumerate(statuses)]
    others = [{"id": name, "status": "fails", **common} for name in ("alg-1", "assumption-3.1")]
    assert all(map(findings.is_step, steps))
    assert not any(map(findings.is_step, others))

    def told(ledger, leads=()):
        return findings.proof_numbers(stored_evidence.Checked(ledger, [], list(leads), stored_evidence.Provenance()))

    said = told(steps + others)
    assert (said.steps, said.false, said.fails) == (23, 13 + 6, 13)
    assert not said.repaired
    assert [told(steps, [{"id": "E12", "confirmed": each}]).penalty_confirmed for each in (True, False)] == [
        True,
        False,
    ]
    repaired = [{"id": "thm-4.1-corrected", "status": status, **common} for status in ("holds", "fails")]
    assert [told([*steps, each]).repaired for each in repaired] == [True, False]


def test_false_steps_are_gaps_slips_or_else_amended():
    common = {"teeth": [], "location": "x", "title": "y"}
    statuses = {
        "A-discretisation": "fails",
        "A1-tau": "fails",
        "A1-holder": "fails",
        "A1-logtau": "holds-with-corrected-constant",
        "A2-law": "holds-with-corrected-constant",
        "A3-RD": "holds",
    }
    ledger = [{"id": name, "status": status, **common} for name, status in statuses.items()]
    said = findings.proof_numbers(stored_evidence.Checked(ledger, [], [], stored_evidence.Provenance()))
    assert (said.false, said.gaps, said.slips, said.amended) == (5, 2, 1, 2)


def test_the_runs_took_what_their_table_of_times_adds_up_to(kept):
    # Runs that stand in two parts of the table were made once. The cost is also that of making the problems: milliseconds.
    times = kept.tables["times"].drop_duplicates(["problem", "method", "seed", "seconds", "policy_seconds"])
    cost = kept.record["settings"]["cost"]
    assert len(times) == cost["runs"] == kept.record["settings"]["runs"]
    assert 0.0 < cost["core_seconds"] - times.seconds.sum() < 0.005 * cost["runs"]


def test_crowds_of_the_first_rounds_are_those_of_all_when_all_are_asked_for(kept):
    whole = followed.stored_rows(kept, 250)
    assert (whole.early_least == whole.least).all()
    assert (whole.early_most == whole.most).all()
    first = followed.stored_rows(kept, 20).set_index(["name", "search"])
    # One reward a run: shares are tenths.
    assert first.early_least["swarm", "exact"] * 10 == pytest.approx(round(first.early_least["swarm", "exact"] * 10))
    assert followed.stored_rows(kept, 19).early_most.isna().all()


def test_claims_are_listed_part_by_part():
    part = {"what": "w", "verdict": "holds", "reproduced": {"mean": None}}
    entry = {
        "kind": "claim",
        "claim": "c",
        "verdict": "contradicted",
        "parts": [part, {**part, "verdict": "contradicted"}],
    }
    rows = findings.claim_rows(stored_evidence.Checked([], [entry, {"kind": "cell"}], [], stored_evidence.Provenance()))
    assert list(rows.claim) == ["c", ""]
    assert list(rows["of this part"]) == ["holds", "contradicted"]


def test_where_the_vessels_go_is_measured():
    entry = {"kind": "claim", "cell": "maritime-best", "own_region": 0.25, "own_region_at_optimum": 0.5}
    said = findings.vessel_numbers(stored_evidence.Checked([], [entry], [], stored_evidence.Provenance()))
    assert (said.own, said.best) == (0.25, 0.5)
