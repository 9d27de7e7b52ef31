"""Experiments from Python: one run, many, kept in a folder, with a policy of one's own, compared, with provenance."""

import inspect
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure as Canvas

import companion as cp
from companion.api import world as worlds
from companion.api.charts import regret_chart
from companion.api.experiments import Experiment
from companion.core.errors import ParameterError, ResultError
from companion.pages.figures import LIGHT
from companion.simulate.plan import Plan
from companion.stored.results import csv_bytes

SMALL = {"batches": 3, "batch_size": 4}
TINY = {"horizon": 20, "points_per_axis": 6}


@pytest.fixture(scope="module")
def experiment():
    return cp.experiment("tsrsr", "theory")


@pytest.fixture(scope="module")
def runs(experiment):
    return experiment.run(["ts-rsr", "random"], seeds=range(3), **SMALL)


def plain(paper, name):
    return cp.registry.experiment(paper, name)


def test_one_run_is_the_papers_own(experiment):
    mine, theirs = experiment.run("ts-rsr", 4, SMALL), plain("tsrsr", "theory").run("ts-rsr", 4, SMALL)
    assert mine.meta == theirs.meta
    assert np.array_equal(mine.cumulative_regret, theirs.cumulative_regret)
    again = experiment.run("ts-rsr", seed=4, **SMALL)
    assert np.array_equal(mine.observation, again.observation)
    assert mine.with_meta(note="kept").to_frame().equals(mine.to_frame())


def test_many_runs_are_those_of_single_seeds(experiment, runs):
    for place, (method, seed) in enumerate(zip(runs.trials.method, runs.trials.seed, strict=True)):
        assert np.array_equal(runs.regret[place], experiment.run(method, seed, SMALL).cumulative_regret)
    assert runs.methods == ("ts-rsr", "random")
    assert runs.seeds == (0, 1, 2)
    last = runs.frame.groupby(["method", "seed"], sort=False).cumulative_regret.last()
    assert last.tolist() == runs.trials.cumulative_regret.tolist() == runs.regret[:, -1].tolist()


def test_a_frame_has_a_row_an_evaluation_and_coordinates_on_a_box():
    box = cp.BoxProblem("bowl", [0, 0], [1, 1], lambda x: -(x**2).sum(axis=1), 0.0, 0.1, "mine")

    class Corner:
        def ask(self, remaining):
            return np.array([[0.5, 1.0]])

        def tell(self, values):
            pass

        def recommend(self):
            return np.zeros(2)

        def diagnostics(self):
            return {}

    run = cp.run_policy(Corner(), box, 3, noise=np.zeros(3))
    frame = run.to_frame()
    assert frame[["evaluation", "x1", "x2", "observation"]].to_numpy()[-1].tolist() == [3, 0.5, 1.0, -1.25]
    assert frame.cumulative_regret.tolist() == [1.25, 2.5, 3.75]
    assert run.meta["method"] == "Corner"
    one, other = (cp.run_policy(Corner(), box, 3, seed=seed).observation for seed in (0, 1))
    assert not np.array_equal(one, other)


def test_a_list_asks_for_each_value_and_only_chooses(experiment):
    found = experiment.run("random", seeds="0-1", batches=np.array([2, 3]), batch_size=2)
    assert found.trials.batches.tolist() == [2, 2, 3, 3]
    assert found.only(batches=3).regret.shape == (2, 6)
    assert list(found._cells()) == ["batches=2", "batches=3"]
    with pytest.raises(ParameterError):
        _ = found.regret
    with pytest.raises(ParameterError, match="was not set"):
        found.only(noise=0.1)
    with pytest.raises(ParameterError, match="no run has"):
        found.only(batches=7)


def test_a_folder_keeps_what_is_finished(experiment, tmp_path):
    first = experiment.run("random", seeds=range(2), folder=tmp_path, **SMALL)
    stored = {path: path.stat().st_mtime_ns for path in tmp_path.glob("tasks/*/*.json")}
    more = experiment.run("random", seeds=range(3), folder=tmp_path, **SMALL)
    assert (len(stored), len(list(tmp_path.glob("tasks/*/*.json")))) == (2, 3)
    assert all(path.stat().st_mtime_ns == then for path, then in stored.items())
    assert np.array_equal(more.regret[:2], first.regret)


class First:
    """Plays candidate 0 and says so."""

    def __init__(self, setup, seed):
        self.told = []

    def ask(self, remaining):
        return cp.Batch.plain(0)

    def tell(self, values):
        self.told.append(float(values[0]))

    def recommend(self):
        return 0

    def diagnostics(self):
        return {"told": self.told}


def test_a_policy_of_ones_own_plays_in_the_papers_world():
    experiment = cp.experiment("batched", "appendix-e").with_policy("first", First)
    mine, theirs = (experiment.run(name, seed=3, **TINY) for name in ("first", "bpe"))
    ready = plain("batched", "appendix-e").ready("bpe", 3, TINY)
    assert mine.query.tolist() == [0] * 20
    assert mine.observation == pytest.approx(ready.modelled.problem.values[0] + ready.noise)
    assert theirs.cumulative_regret.tolist() == ready.run().cumulative_regret.tolist()
    (task,), (known,) = (e.tasks(["bpe"], [3], TINY) for e in (experiment, plain("batched", "appendix-e")))
    assert task.key() == known.key(), "stored runs of the paper's methods are found again"
    with pytest.raises(ParameterError, match="taken"):
        experiment.with_policy("bpe", First)


@pytest.mark.parametrize("paper", cp.registry.declaring("experiments"))
def test_every_papers_set_up_takes_another_policy(paper):
    declared = next(iter(cp.registry.experiments(paper).values()))
    seen = []

    def same(setup, seed):
        seen.append(seed)
        return setup.policy

    own = Experiment.of(declared).with_policy("same", same)
    ready = own.ready("same", 5)
    assert seen == [5]
    assert type(ready) is type(declared.ready(declared.method_names[0], 5))


def test_the_version_names_ones_own_numbers():
    experiment = cp.experiment("batched", "appendix-e").with_policy("first", First, version=2)
    assert [task.version for task in experiment.tasks(["first", "bpe"], [0], TINY)] == [2, 1]


@dataclass(frozen=True)
class Ready:
    """A world of one's own: three candidates."""

    policy: object
    noise: np.ndarray

    def run(self):
        problem = cp.FiniteProblem("three", [[0.0], [0.5], [1.0]], [0.2, 1.0, 0.4], 0.1, "mine")
        return cp.run_policy(self.policy, problem, len(self.noise), noise=self.noise)


def test_an_experiment_of_ones_own_needs_no_repository(tmp_path):
    sd = cp.parameters.Parameter("sd", "float", 0.1, "noise", "ours", low=0)
    mine = Experiment(
        "mine",
        "three",
        "Three candidates.",
        (cp.simulate.Method("first", "Plays candidate 0."),),
        cp.parameters.ParameterSet([sd]),
        lambda method, seed, p: Ready(First(None, seed), p["sd"] * cp.stream(seed, "noise").normal(size=4)),
        "mine",
    )
    runs = mine.run("first", seeds=range(2), folder=tmp_path, sd=[0.1, 0.2])
    assert runs.regret == pytest.approx(np.tile([0.8, 1.6, 2.4, 3.2], (4, 1)))
    assert runs.trials.sd.tolist() == [0.1, 0.1, 0.2, 0.2]


@pytest.mark.slow
def test_the_data_used_are_named():
    runs = cp.experiment("tsrsr", "boston-4d").run("random", seeds=[0], data="diabetes", batches=1)
    assert repr(runs).endswith("data diabetes")
    assert set(runs.frame.data_used) == {"diabetes"}


def test_a_run_that_fails_is_named(tmp_path):
    def broken(setup, seed):
        raise ValueError("no idea")

    experiment = cp.experiment("batched", "appendix-e").with_policy("broken", broken)
    with pytest.raises(ResultError):
        experiment.run(["bpe", "broken"], seeds=range(2), folder=tmp_path, **TINY)
    assert len(experiment.run("bpe", seeds=range(2), folder=tmp_path, **TINY)) == 2


def test_arguments_that_contradict_each_other_are_refused(experiment):
    for arguments, name in (
        ({}, "seed: not given"),
        ({"seed": 0, "seeds": [0]}, "seed: is given beside"),
        ({"seed": 0, "folder": "x"}, "folder"),
        ({"seeds": [0, 0]}, "occurs twice"),
        ({"seed": 0, "batchez": 3}, "Did you mean 'batches'"),
    ):
        with pytest.raises(ParameterError, match=name):
            experiment.run("random", **arguments)
    with pytest.raises(ParameterError):
        experiment.run(["random"], seed=0)
    with pytest.raises(ParameterError, match="share their settings"):
        experiment.run({"random": {"batches": 2}}, seeds=[0])


def test_no_parameter_of_an_experiment_is_called_as_an_argument():
    own = set(inspect.signature(Experiment.run).parameters) - {"settings"}
    for declared in cp.registry.experiments().values():
        assert not own & {entry["name"] for entry in declared.parameters.describe()}, declared.name


def test_a_comparison_is_paired_by_seed(runs):
    (row,) = runs.compare("random").to_dict("records")
    gap = runs.only("ts-rsr").regret[:, -1] - runs.only("random").regret[:, -1]
    assert row["difference"] == pytest.approx(gap.mean())
    half = 4.302652729911275 * gap.std(ddof=1) / np.sqrt(3)  # Student's t with two degrees of freedom
    assert [row["low"], row["high"]] == pytest.approx([gap.mean() - half, gap.mean() + half])
    assert (row["seeds"], row["p"]) == (3, row["adjusted_p"])
    with pytest.raises(ParameterError, match="baseline"):
        runs.compare("bucb")
    unequal = [*runs.plan.tasks[:3], *runs.plan.tasks[3:5]]
    plan = Plan(tuple(unequal), runs.plan.experiments, runs.plan.varied)
    with pytest.raises(ParameterError, match="different"):
        cp.Runs(plan, runs.records[:5]).compare("random")


def test_several_comparisons_are_corrected(experiment):
    found = experiment.run(["ts-rsr", "bucb", "random"], seeds=range(4), **SMALL).compare("random")
    ordered = found.sort_values("p")
    assert ordered.adjusted_p.iloc[0] == pytest.approx(min(1.0, 2 * ordered.p.iloc[0]))


def test_the_command_gives_the_runs_again(runs):
    again = eval(runs.command, {"cp": cp})
    assert again.frame.equals(runs.frame)
    (source,) = runs.where.sources
    assert source.command == runs.command
    assert source.seeds == (0, 1, 2)


def test_a_table_is_written_once_with_its_record(runs, tmp_path):
    assert runs.save(tmp_path / "runs.csv") == tmp_path / "runs.csv"
    record = tmp_path / "runs.record.json"
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "runs.csv"), runs.frame, check_dtype=False)
    assert runs.command.replace('"', '\\"') in record.read_text()
    with pytest.raises(ParameterError, match="holds other runs"):
        runs.only("random").save(tmp_path / "runs.csv")


def test_pictures_and_pages(runs, tmp_path):
    chart = runs.plot(log="y")
    assert chart.save(tmp_path / "regret.png").read_bytes().startswith(b"\x89PNG")
    assert "ts-rsr ends at" in chart.alt
    shown = chart._drawn(LIGHT).figure.axes[0]
    assert shown.get_title() == "mean over 3 runs, band: one standard error"
    assert "mean over 3 runs, band: one standard error" in chart.caption
    page = cp.write_page(tmp_path / "page.html", "A < B", "One.\n\nTwo & three.", runs.table()).read_text()
    assert "<h1>A &lt; B</h1>" in page
    assert "<p>Two &amp; three.</p>" in page
    assert "seeds 0 to 2" in page
    assert not {"http:", "https:", 'src="/'} & set(page.split())
    for call in (
        lambda: runs.plot("regret"),
        lambda: runs.plot(log="z"),
        lambda: chart.save(tmp_path / "regret.eps"),
        lambda: cp.write_page(tmp_path / "page.htm", "x"),
        lambda: cp.write_page(tmp_path / "page.html", "x", 3),
    ):
        with pytest.raises(ParameterError):
            call()


def test_curves_are_drawn_into_axes_of_ones_own(runs):
    canvas = Canvas(figsize=(3, 2))
    left, right = canvas.subplots(1, 2)
    assert runs.plot("simple_regret", ax=left) is left
    run = cp.experiment("batched", "appendix-e").run("bpe", seed=0, **TINY)
    assert run.plot(log="y", ax=right) is right
    assert [left.get_xlabel(), left.get_ylabel(), left.get_title()] == ["evaluations", "simple regret", ""]
    assert [text.get_text() for text in left.get_legend().get_texts()] == ["ts-rsr", "random"]
    line = left.get_lines()[0]
    np.testing.assert_allclose(line.get_ydata(), runs.only("ts-rsr").curves("simple_regret").mean(axis=0))
    assert right.get_yscale() == "log"
    assert len(canvas.axes) == 2


def test_a_summary_is_what_the_table_shows(runs):
    found = runs.summary()
    values = runs.only("random").regret[:, -1]
    assert found["random"]["cumulative_regret"] == pytest.approx(values.mean())
    half = 4.302652729911275 * values.std(ddof=1) / np.sqrt(3)
    assert found["random"]["cumulative_regret_half"] == pytest.approx(half)
    assert found["random"]["runs"] == 3
    assert list(runs.table().frame.iloc[:, 0]) == list(found)
    one = cp.experiment("batched", "appendix-e").run("bpe", seeds=[0], **TINY).summary()["bpe"]
    assert one["simple_regret_half"] is None


def test_what_is_saved_has_the_bytes_of_the_frame(runs, tmp_path):
    lists = cp.experiment("batched", "appendix-e").run("bpe", seeds=range(2), kernel=["se", "matern52"], **TINY)
    for place, some in enumerate((runs, lists)):
        path = some.save(tmp_path / f"{place}.csv")
        assert path.read_bytes() == csv_bytes(some.frame)


def test_candidates_come_from_files_frames_and_arrays(tmp_path):
    path = tmp_path / "points.csv"
    path.write_text("a, b\n1, 2\n3, 4\n")
    assert cp.read_candidates(path, ["b", "a"]).tolist() == [[2, 1], [4, 3]]
    path.write_text("1,2\n3,4\n")
    assert cp.read_candidates(path).tolist() == [[1, 2], [3, 4]]
    assert cp.read_candidates([1, 2]).tolist() == [[1], [2]]
    path.write_text("a,b\n1,x\n")
    for call, words in (
        (lambda: cp.read_candidates(path), "line 2, column 'b' has words, as 'x'"),
        (lambda: cp.read_candidates(path, ["bb"]), "some of a, b. Did you mean 'b'"),
        (lambda: cp.read_candidates(path, []), "columns: are none"),
        (lambda: cp.read_candidates(pd.read_csv(path)), "row 0, column 'b' has words, as 'x'"),
        (lambda: cp.read_candidates(pd.read_csv(path), ["c"]), "some of a, b"),
        (lambda: cp.read_candidates([[1.0, np.nan]]), "NaN"),
        (lambda: cp.read_candidates([[1.0]], ["a"]), "whose first line names"),
        (lambda: cp.read_candidates(np.zeros((2, 2, 2))), "shape"),
        (lambda: cp.read_candidates([]), "at least one point"),
        (lambda: cp.read_candidates(tmp_path / "other.csv"), "is not a file"),
        (lambda: cp.kernel("matern52", ["a"]), "lengthscale"),
        (lambda: cp.certified_gain(cp.kernel("se", 1.0), 5, 0.1), "candidates"),
        (lambda: cp.certified_gain(np.eye(3), 5, 0.1, candidates=[1, 2, 3]), "candidates"),
        (lambda: cp.certified_gain(np.eye(3), 5, -0.1), "noise_sd"),
    ):
        with pytest.raises(ParameterError, match=words):
            call()
    assert cp.read_candidates(path, ["a"]).tolist() == [[1]]
    for heading, first in (("name", "steel"), ("ID", "7"), ("id", "steel")):
        path.write_text(f"{heading},a,b\n{first},1,2\n{first},3,4\n")
        assert cp.read_candidates(path).tolist() == [[1, 2], [3, 4]], heading
    for text, words in (
        ("alloy,a,b\nx,1,2\n7,3,4\n", "line 2, column 'alloy': 'x' is no finite number"),  # no names: a slip
        ("x,1,2\ny,3,4\n", "line 1, column 1 has words, as 'x'"),
        ("a,id\n1,x\n", "line 2, column 'id' has words, as 'x'"),
    ):
        path.write_text(text)
        with pytest.raises(ParameterError, match=words):
            cp.read_candidates(path)
    path.write_text("a,b\n1,x\n")
    assert cp.read_candidates(pd.read_csv(path), ["a"]).tolist() == [[1]]


def test_the_gain_takes_a_standard_deviation_and_a_list_of_length_scales():
    points = cp.grid(6, dim=2)
    kernel = cp.kernel("matern32", np.array([0.2, 0.5]))
    assert kernel == cp.Matern(1.5, (0.2, 0.5))
    found = cp.certified_gain(kernel, 10, noise_sd=0.3, candidates=points)
    assert found == cp.information.gain_bracket(kernel(points), 10, 0.3**2)
    curve = cp.certified_gain(kernel(points), [5, 10], noise_sd=0.3)
    assert [bracket.horizon for bracket in curve] == [5, 10]


def test_stored_evidence_comes_as_frames():
    counts = {slug: len(cp.ledger(slug)) for slug in cp.registry.declaring("stored_runs")}
    assert len(cp.ledger()) == sum(counts.values())
    assert cp.ledger(3).equals(cp.ledger("batched"))
    with pytest.raises(ParameterError):
        cp.verdicts("batchd")


@pytest.mark.parametrize(("log", "axis"), [("x", "xaxis"), ("y", "yaxis")])
def test_a_narrow_logarithmic_axis_has_more_ticks_than_powers_of_ten(log, axis):
    curves = {"one": np.linspace(3.0, 40.0, 60)[None]}
    shown = getattr(regret_chart(curves, "simple_regret", log)._drawn(LIGHT).figure.axes[0], axis)
    low, high = sorted(shown.get_view_interval())
    inside = [tick for tick in shown.get_majorticklocs() if low <= tick <= high]
    assert len(inside) >= 3
    assert [label.get_text() for label in shown.get_majorticklabels()][-1].isdigit()


def test_a_policy_meets_every_papers_world_under_the_same_names():
    """Problem, noise and, on candidates, the covariance that the paper's own rule has."""
    for paper in cp.registry.declaring("experiments"):
        declared = next(iter(cp.registry.experiments(paper).values()))
        met = []
        own = Experiment.of(declared).with_policy(
            "mine", lambda setup, seed, met=met: met.append(setup) or setup.policy
        )
        own.ready("mine", 5)
        setup, theirs = met[0], declared.ready(declared.method_names[0], 5)
        world = setup.world
        assert world.noise_sd == world.problem.noise_sd
        assert world.problem.name == getattr(getattr(theirs, "modelled", None), "problem", world.problem).name
        assert (world.covariance is not None) == isinstance(world.problem, cp.FiniteProblem), paper
        if world.covariance is not None:
            assert world.covariance.shape == (len(world.problem.points),) * 2
        assert len(repr(setup)) < 120 > len(repr(world))
        assert not hasattr(setup, "nothing")


def test_the_covariance_of_a_world_is_the_one_that_the_rule_models():
    declared = plain("tsrsr", "theory")
    setup = declared.ready("bucb", 2)
    world = worlds.Ready(setup).world
    kernel = cp.kernel("se", 0.2)
    np.testing.assert_allclose(world.covariance, kernel(world.problem.points), atol=1e-12)
    assert worlds.Ready(plain("batched", "appendix-e").ready("bpe", 3, TINY)).world.covariance.shape == (36, 36)
    assert worlds.Ready(plain("across", "displacement").ready("gp-ucb", 0)).world.covariance.shape == (120, 120)


def test_what_chapter_2_calls_100_rounds_are_102_evaluations():
    runs = cp.experiment("compressed", "example-function").run("gp-ucb", seeds=[0], horizon=100)
    assert runs.trials.evaluations.tolist() == [102]
    assert "102 evaluations" in Experiment.run.__doc__
