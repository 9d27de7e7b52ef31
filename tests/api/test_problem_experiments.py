"""Experiments on a problem of one's own: one truth and one noise a seed, regret by hand, settings, folders, what is refused."""

import subprocess
import sys
from dataclasses import fields
from functools import partial

import numpy as np
import pytest
from scipy import stats

import companion as cp
from companion.core.errors import ParameterError, ResultError
from companion.problems import ball_neighbours
from companion.simulate import Plan, RunRequest
from companion.simulate.replicate import TaskError

POINTS, KERNEL = cp.grid(25, dim=1), cp.kernel("matern52", 0.2)
VALUES = np.sin(5 * POINTS[:, 0]) + 0.3 * POINTS[:, 0]


def draw(generator):
    return cp.gp_draw(KERNEL, POINTS, generator)


def experiment(values=VALUES, points=POINTS, **more):
    return cp.problem_experiment(points, values, **{"kernel": KERNEL, "noise_sd": 0.1} | more)


@pytest.fixture(scope="module")
def runs():
    return experiment(draw).run(["ts-rsr", "gp-ucb", "random"], seeds=range(6), horizon=12, initial=3)


@pytest.mark.parametrize("method", experiment().method_names)
def test_every_method_meets_the_truth_and_the_noise_of_its_seed(method):
    for seed in (0, 3):
        truth = draw(cp.stream(seed, "truth"))
        run = experiment(draw).run(method, seed=seed, horizon=14)
        noise = 0.1 * cp.stream(seed, "noise").standard_normal(14)
        np.testing.assert_allclose(run.observation, truth[run.query] + noise, rtol=0, atol=1e-12)
        np.testing.assert_allclose(run.instantaneous_regret, truth.max() - truth[run.query], rtol=0, atol=1e-12)
        assert run.recommended_regret in truth.max() - truth


def test_every_method_that_can_be_started_is_offered_and_the_robust_ones_with_neighbours():
    assert set(experiment().method_names) == set(cp.registry.startable(cp.Candidates(POINTS, KERNEL, 0.1)))
    assert {"stableopt", "robust-bpe", "mf-gp-ucb", "wdrbo"}.isdisjoint(experiment().method_names)
    robust = experiment(neighbours=ball_neighbours(POINTS, 0.1))
    run = robust.run("stableopt", seed=0, horizon=8)
    worst = np.where(ball_neighbours(POINTS, 0.1), VALUES, np.inf).min(axis=1)
    np.testing.assert_allclose(run.instantaneous_regret, worst.max() - worst[run.charged])
    assert "bpe" not in cp.problem_experiment(cp.Box(0, 1), lambda x: -x, noise_sd=0.1, optimum=0.0).method_names


def test_values_function_and_sampler_are_three_ways_to_say_the_same():
    asked = {"method": ["gp-ucb", "bpe"], "seeds": range(2), "horizon": 10}
    told = [
        VALUES,
        lambda x: np.sin(5 * x[:, 0]) + 0.3 * x[:, 0],
        lambda x: np.sin(5 * x) + 0.3 * x,  # (n, 1) on a line
        lambda generator: generator.permutation(1) + VALUES,
        lambda generator: lambda x: generator.permutation(1) + np.sin(5 * x) + 0.3 * x,
    ]
    first, *others = (experiment(values).run(**asked) for values in told)
    for other in others:
        np.testing.assert_allclose(other.regret, first.regret, rtol=0, atol=1e-12)
    assert [e.data_used().label for e in map(experiment, told[:3])] == [first.plan.tasks[0].data] * 3
    assert experiment(told[3]).setup.draws


def test_small_values_are_good_where_that_is_said():
    large, small = experiment(VALUES), experiment(-VALUES, minimise=True)
    one, other = (e.run("gp-ucb", seed=1, horizon=12) for e in (large, small))
    assert one.query.tolist() == other.query.tolist()
    assert one.cumulative_regret.tolist() == pytest.approx(other.cumulative_regret.tolist())
    assert other.recommended_regret < 0.3
    np.testing.assert_allclose(other.observation, -one.observation)  # in the user's units
    wrong = experiment(-VALUES).run("gp-ucb", seed=1, horizon=12)
    assert wrong.query.tolist() != other.query.tolist()


@pytest.mark.skipif("prior_mean" not in {f.name for f in fields(cp.Candidates)}, reason="candidates without a mean")
@pytest.mark.parametrize("minimise", [False, True])
def test_a_prior_mean_is_a_shift_of_the_values(minimise):
    plain = experiment(VALUES, minimise=minimise)
    told = experiment(VALUES + 70, minimise=minimise, prior_mean=70.0)
    held = cp.problem_experiment(cp.Candidates(POINTS, KERNEL, 0.1, prior_mean=70.0), VALUES + 70, minimise=minimise)
    first, *others = (e.run("gp-ucb", seed=0, horizon=12) for e in (plain, told, held))
    for other in others:
        assert other.query.tolist() == first.query.tolist()
        np.testing.assert_allclose(other.observation, first.observation + 70)
        np.testing.assert_allclose(other.cumulative_regret, first.cumulative_regret, atol=1e-9)
    assert told.data_used().sha256 != plain.data_used().sha256


def test_the_noise_of_the_truth_may_be_another_than_that_of_the_model():
    run = cp.problem_experiment(cp.Candidates(POINTS, KERNEL, noise_sd=0.3), VALUES, noise_sd=0).run(
        "gp-ucb", 0, horizon=6
    )
    np.testing.assert_allclose(run.observation, VALUES[run.query])


def test_a_comparison_is_that_of_scipy_by_hand(runs):
    found = runs.compare("random").set_index("method")
    ends = {name: runs.only(name).regret[:, -1] for name in runs.methods}
    p = [stats.ttest_rel(ends[name], ends["random"]).pvalue for name in ("ts-rsr", "gp-ucb")]
    lower, upper = sorted(p)
    by_hand = {lower: min(1.0, 2 * lower), upper: max(min(1.0, 2 * lower), upper)}
    assert found.p.tolist() == pytest.approx(p)
    assert found.adjusted_p.tolist() == pytest.approx([by_hand[each] for each in p])
    for name in ("ts-rsr", "gp-ucb"):
        interval = stats.ttest_rel(ends[name], ends["random"]).confidence_interval(0.95)
        assert found.loc[name, ["low", "high"]].tolist() == pytest.approx([interval.low, interval.high])
        assert found.difference[name] == pytest.approx((ends[name] - ends["random"]).mean())
    assert runs.differences("random")[1]["p"] == found.p["gp-ucb"]


def test_runs_at_different_seeds_are_not_paired(runs):
    mine = experiment(draw)
    blocks = [
        RunRequest(mine, [name], seeds, [{"horizon": 5}]) for name, seeds in (("gp-ucb", [0, 1]), ("random", [0, 2]))
    ]
    plan = Plan.of(blocks)
    records = [mine.run(task.method, task.seed, task.values).to_json() for task in plan.tasks]
    with pytest.raises(ParameterError, match="different"):
        cp.Runs(plan, tuple(records)).compare("random")


def test_runs_of_two_problems_are_not_mixed():
    one, two = experiment(VALUES, name="one"), experiment(0.5 * VALUES, name="two")
    plan = Plan.of([RunRequest(e, ["gp-ucb", "random"], [0, 1], [{"horizon": 5}]) for e in (one, two)])
    found = cp.Runs(
        plan, tuple(plan.experiments[t.experiment].run(t.method, t.seed, t.values).to_json() for t in plan.tasks)
    )
    alone = one.run(["gp-ucb", "random"], seeds=[0, 1], horizon=5)
    assert found.only(experiment="own/one").regret.tolist() == alone.regret.tolist()
    rows = found.differences("random")
    assert [row["experiment"] for row in rows] == ["own/one", "own/two"]
    assert rows[0]["difference"] == alone.differences("random")[0]["difference"]
    assert len(found.summary()) == 4
    with pytest.raises(ParameterError, match="was not set"):
        found.only(problem="one")


def test_results_are_those_of_another_process_and_of_two_workers(runs):
    scale = 1.0
    mine = experiment(lambda generator: scale * draw(generator))  # a closure, which workers have to receive
    again = mine.run(["ts-rsr", "gp-ucb", "random"], seeds=range(6), horizon=12, initial=3, jobs=2)
    assert again.regret.tolist() == runs.regret.tolist()
    program = """
import sys
import companion as cp
points, kernel = cp.grid(25, dim=1), cp.kernel("matern52", 0.2)
mine = cp.problem_experiment(points, lambda g: cp.gp_draw(kernel, points, g), kernel=kernel, noise_sd=0.1)
print(mine.run(["ts-rsr", "gp-ucb", "random"], seeds=range(6), horizon=12, initial=3, jobs=2).regret.tolist())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert eval(done.stdout) == runs.regret.tolist()


def test_a_folder_knows_the_problem(tmp_path):
    def stored(mine, **more):
        mine.run("random", seeds=[0], horizon=5, folder=tmp_path, **more)
        return len(list(tmp_path.glob("tasks/*/*.json")))

    assert stored(experiment()) == stored(experiment(VALUES.copy())) == 1
    assert stored(experiment(lambda x: np.sin(5 * x) + 0.3 * x)) == 1
    moved = np.where(np.arange(25) == 7, VALUES + 1e-6, VALUES)
    others = [
        experiment(moved),
        experiment(draw),
        experiment(lambda generator: draw(generator) + 1),
        experiment(minimise=True),
        experiment(noise_sd=0.2),
        experiment(kernel=KERNEL(POINTS)),
        experiment(points=POINTS * 2),
        experiment(points=POINTS + 1e-12),
        experiment(version=2),
        experiment(name="other"),
        cp.problem_experiment(cp.Candidates(POINTS, KERNEL, 0.1), VALUES, noise_sd=0.3),
    ]
    assert [stored(mine) for mine in others] == list(range(2, 13))
    assert stored(experiment(), batch_size=2) == 13
    assert stored(experiment(VALUES * (1 + 1e-14))) == 13, (
        "the last digits, which differ between processors, name nothing"
    )


def test_boxes_are_known_by_their_function():
    def label(function, **more):
        return cp.problem_experiment(cp.Box([0, 0], [1, 10]), function, noise_sd=0.1, **more).data_used().label

    bowl = lambda x: -((x - [0.3, 7]) ** 2).sum(axis=1)  # noqa: E731
    assert label(bowl) == label(lambda x: -((x[:, 0] - 0.3) ** 2) - (x[:, 1] - 7) ** 2)
    other = [bowl, lambda x: bowl(x) + 1e-3 * x[:, 0], lambda g: lambda x: bowl(x) + g.normal()]
    assert len({*map(label, other), label(bowl, optimum=0.0), label(bowl, optimum=1.0), label(bowl, version=2)}) == 6


def test_regret_on_a_box_is_against_an_optimum_that_is_given_or_found():
    bowl = lambda x: 3 - ((x - [0.3, 7]) ** 2).sum(axis=1)  # noqa: E731
    box = cp.Box([0, 0], [1, 10])
    known, found = (cp.problem_experiment(box, bowl, noise_sd=0.1, **more) for more in ({"optimum": 3.0}, {}))
    asked = {"method": ["ts-rsr", "gp-ucb"], "seeds": [0, 1], "horizon": 8, "initial": 4}
    one, other = known.run(**asked), found.run(**asked)
    run = known.run("gp-ucb", seed=1, horizon=8, initial=4)
    np.testing.assert_allclose(run.instantaneous_regret, 3 - bowl(run.points))
    noise = 0.1 * cp.stream(1, "noise").standard_normal(8)
    np.testing.assert_allclose(run.observation, bowl(run.points) + noise)
    np.testing.assert_allclose(other.regret, one.regret, rtol=0, atol=1e-8)
    assert (one.regret_against, other.regret_against) == ("", "the largest value found by search")
    assert "regret against the largest value found" in repr(other)
    assert "(at least)" in other.table().latex() + other.plot().caption
    assert "(at least)" not in one.table().latex() + one.plot().caption + repr(one)
    low = cp.problem_experiment(box, lambda x: -bowl(x), noise_sd=0.1, minimise=True)
    np.testing.assert_allclose(low.run(**asked).regret, other.regret, rtol=0, atol=1e-8)
    drawn = cp.problem_experiment(box, lambda g: partial(lambda shift, x: bowl(x) + shift, g.normal()), noise_sd=0.1)
    np.testing.assert_allclose(drawn.run(**asked).regret, other.regret, rtol=0, atol=0.5)
    assert drawn.run(**asked).regret_against


def test_settings_go_to_all_that_have_them_or_to_one():
    mine = experiment(draw)
    found = mine.run(
        {"ts-rsr": {"batch_size": 2, "initial": 4}, "gp-ucb": {}, "bpe": {"sizes": [4, 4]}}, seeds=range(3), horizon=8
    )
    sizes = {name: found.only(name).trials.rounds.tolist() for name in found.methods}
    assert sizes == {"ts-rsr": [3] * 3, "gp-ucb": [8] * 3, "bpe": [2] * 3}
    assert found.plan.varied == ("horizon",)
    assert found.compare("gp-ucb").method.tolist() == ["ts-rsr", "bpe"], "what one has is no setting of the comparison"
    shared = mine.run(["ts-rsr", "gp-ucb"], seeds=range(2), horizon=8, batch_size=[2, 4], initial=4)
    assert shared.only("ts-rsr").trials.rounds.tolist() == [3, 3, 2, 2]
    assert shared.compare("gp-ucb").batch_size.tolist() == [2, 4]
    wide, narrow = (mine.run("gp-ucb", seed=0, horizon=8, width=width) for width in (5.0, 0.1))
    assert wide.query.tolist() != narrow.query.tolist()
    assert "batch_size=2" in found.plan.tasks[0].label
    assert "None" not in found.plan.tasks[0].label


def test_the_command_says_methods_and_settings(runs):
    command = experiment().run({"gp-ucb": {"width": 1.0}}, seeds=[0, 2], horizon=3).command
    assert command == "cp.problem_experiment(..., name='mine').run({'gp-ucb': {'width': 1.0}}, seeds='0,2', horizon=3)"
    assert runs.where.sources[0].seeds == (0, 1, 2, 3, 4, 5)


class Middle:
    """Plays the middle of the candidates."""

    def __init__(self, setup, seed):
        self.world, self.told = setup.world, []

    def ask(self, remaining):
        return cp.Batch.plain(len(self.world.problem.points) // 2)

    def tell(self, values):
        self.told += values.tolist()

    def recommend(self):
        return 12

    def diagnostics(self):
        return {"told": self.told, "prior": float(self.world.covariance[0, 1])}


def test_a_policy_of_ones_own_plays_too():
    mine = experiment(VALUES).with_policy("middle", Middle)
    run = mine.run("middle", seed=2, horizon=4)
    assert run.diagnostics["told"] == pytest.approx(
        (VALUES[12] + 0.1 * cp.stream(2, "noise").standard_normal(4)).tolist()
    )
    assert run.diagnostics["prior"] == pytest.approx(KERNEL(POINTS)[0, 1])
    found = mine.run(["middle", "gp-ucb"], seeds=range(2), horizon=4)
    assert found.only("middle").regret[:, -1] == pytest.approx(4 * (VALUES.max() - VALUES[12]))
    assert ".with_policy('middle', Middle)" in found.command


def test_the_fourth_task_of_a_newcomer_is_five_lines(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    points = cp.grid(200, dim=1)
    experiment = cp.problem_experiment(points, lambda x: np.sin(9 * x), kernel=cp.kernel("matern52", 0.2), noise_sd=0.1)
    runs = experiment.run(["ts-rsr", "bucb", "ei", "gp-ucb", "random"], seeds=range(3), horizon=20)
    table = runs.compare("random")
    runs.plot().save("regret.pdf")
    assert table.method.tolist() == ["ts-rsr", "bucb", "ei", "gp-ucb"]


def test_a_line_says_what_it_is():
    assert repr(experiment()).startswith("own/mine: gp-ucb, random, bpe, compressed, ts-rsr, bucb and ")
    for name, declared in cp.registry.experiments().items():
        for shown in (repr(declared), repr(cp.experiment(*name))):
            assert "\n" not in shown
            assert len(shown) < 150, shown


@pytest.mark.parametrize("kernel", [KERNEL, KERNEL(POINTS)])
def test_a_model_that_the_truth_contradicts_is_said_to_be_one(kernel):
    for values, more, words in (
        (VALUES + 70, {}, "a mean of about 7"),
        (-VALUES + 70, {"minimise": True}, "a mean of about (69|7)"),
        (100 * VALUES, {}, "a variance of about"),
        (lambda generator: 100 * draw(generator), {}, "a variance of about"),
    ):
        with pytest.warns(UserWarning, match=f"does not fit them: .*{words}"):
            experiment(values, kernel=kernel, **more)
    for seed in range(20):
        experiment(draw(cp.stream(seed, "function")), kernel=kernel)  # a warning would be an error


def test_a_policy_of_ones_own_plays_on_a_box():
    class Corner:
        def __init__(self, setup, seed):
            assert setup.world.covariance is None
            self.box = setup.world.problem

        def ask(self, remaining):
            return self.box.high[None]

        def tell(self, values):
            pass

        def recommend(self):
            return self.box.low

        def diagnostics(self):
            return {}

    mine = cp.problem_experiment(cp.Box([0, 0], [1, 2]), lambda x: -x.sum(axis=1), noise_sd=0.1, optimum=0.0)
    run = mine.with_policy("corner", Corner).run("corner", seed=0, horizon=3)
    assert run.cumulative_regret.tolist() == [3, 6, 9]
    assert run.recommended_regret == 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: experiment(VALUES[:3]), "values: have shape"),
        (lambda: experiment(np.where(VALUES > 1, np.nan, VALUES)), "values: contain NaN"),
        (lambda: experiment(["a"] * 25), "values: are no numbers"),
        (lambda: experiment(lambda x: x[:, 7]), r"values: fail on points \(IndexError.*and on a generator \(TypeError"),
        (
            lambda: experiment(lambda x: np.random.default_rng().normal(size=len(x))),
            "values: are others at a second call",
        ),
        (
            lambda: experiment(lambda g: g.normal() + np.random.default_rng().normal(size=25)),
            "from the generator alone",
        ),
        (lambda: experiment(kernel=None), "kernel: is missing"),
        (lambda: experiment(noise_sd=None), "noise_sd: is missing"),
        (lambda: experiment(noise_sd=-1.0), "noise_sd"),
        (lambda: experiment(optimum=3.0), "optimum: is given for candidates"),
        (
            lambda: cp.problem_experiment(cp.Box(0, 1), lambda x: x, noise_sd=0.1, optimum=0.5),
            "optimum: got 0.5, and a",
        ),
        (
            lambda: cp.problem_experiment(cp.Box(0, 1), lambda x: x, noise_sd=0.1, optimum=0.5, minimise=True),
            "optimum: got 0.5, and a point has 0.0",
        ),
        (lambda: experiment(name="a/b"), "name: got 'a/b'"),
        (lambda: experiment(points=cp.Candidates(POINTS, KERNEL, 0.1)), "kernel: is given beside Candidates"),
        (lambda: cp.problem_experiment(cp.Candidates(POINTS, KERNEL, 0.1), VALUES, noise_sd=-1), "noise_sd"),
        (lambda: cp.problem_experiment(cp.Box(0, 1), [1.0], noise_sd=0.1), "do not fit a box"),
        (lambda: cp.problem_experiment(cp.Box(0, 1), lambda x: -x), "do not fit a box"),
        (lambda: experiment().run("gp-ucb", seeds=[0]), "horizon: is missing"),
        (lambda: experiment().run("gp-ucb", seeds=[0], horizon=0), "horizon"),
        (lambda: experiment().run("gp-ubc", seeds=[0], horizon=5), "Did you mean 'gp-ucb'"),
        (lambda: experiment().run("gp-ucb", seeds=[0], horizon=5, batch_size=2), "batch_size: is no setting of gp-ucb"),
        (lambda: experiment().run("gp-ucb", seed=0, horizon=5, batch_size=2), "batch_size: is no setting of gp-ucb"),
        (lambda: experiment().run("ts-rsr", seeds=[0], horizon=5, batch_sise=2), "Did you mean 'batch_size'"),
        (
            lambda: experiment().run({"ts-rsr": {"initial": 2}}, seeds=[0], horizon=5, initial=3),
            "initial.*ts-rsr alone",
        ),
        (lambda: experiment().run({"ts-rsr": {"horizon": 2}}, seeds=[0], horizon=5), "horizon.*ts-rsr alone"),
        (lambda: experiment().run({"ts-rsr": {"batch_size": 0}}, seeds=[0], horizon=5), "batch_size"),
        (lambda: experiment().run("ts-rsr", seeds=[0], horizon=5, noise_sd=0.2), "noise_sd: is no"),
        (lambda: experiment().with_policy("random", Middle), "taken"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_line(call, words):
    with pytest.raises(ParameterError, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_a_run_that_fails_is_named(tmp_path):
    def broken(setup, seed):
        raise ValueError("no idea")

    mine = experiment().with_policy("broken", broken)
    with pytest.raises(TaskError, match=r"own/mine broken seed 0 .*no idea"):
        mine.run("broken", seeds=[0], horizon=3)
    with pytest.raises(ResultError, match="no idea"):
        mine.run("broken", seeds=[0], horizon=3, folder=tmp_path)
