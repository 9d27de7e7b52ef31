"""Methods of all papers on a black box: one protocol, the same answers to slips, saved and restored between any two calls."""

import math
import pickle
import random
import zipfile

import numpy as np
import pytest

from companion import registry
from companion.core.errors import ConditioningError, ParameterError, ResultError
from companion.core.randomness import seeds_opened
from companion.gp import FinitePosterior, Matern
from companion.papers.meanfield.method.optimiser import ManyAgents
from companion.papers.wdrbo.method.methods import METHODS, Settings
from companion.papers.wdrbo.method.optimiser import ContextBox
from companion.policies import GPUCB, UniformRandom, restore, save, session_of
from companion.problems import Box, Candidates, ball_neighbours

LINE = np.linspace(0.0, 1.0, 25)
CANDIDATES = Candidates(LINE, Matern(2.5, 0.2), noise_sd=0.05)
MATRIX = Candidates(LINE, Matern(2.5, 0.2)(LINE[:, None]) + 1e-6 * np.eye(25), noise_sd=0.05)
DISPLACED = Candidates(LINE, Matern(2.5, 0.2), 0.05, ball_neighbours(LINE[:, None], 0.05))
BOX = Box([0.0, -5.0], [1.0, 5.0])
CONTEXTS = ContextBox(0.0, 1.0, context_low=-1.0, context_high=1.0)
AGENTS = ManyAgents(12, [0.0, 0.5, 1.0], context_features=[0.0, 1.0], context_weights=[0.25, 0.75])
SMALL = Settings(lipschitz_nodes=(9, 5, 3), support_nodes=(9, 5, 3))

CASES = {
    "gp-ucb": ("gp-ucb", CANDIDATES, {}),
    "stableopt": ("stableopt", DISPLACED, {}),
    "random": ("random", CANDIDATES, {"batch_size": 2}),
    "random-box": ("random", BOX, {"batch_size": 2}),
    "bpe": ("bpe", CANDIDATES, {"horizon": 60}),
    "bpe-sizes": ("bpe", MATRIX, {"horizon": 10, "sizes": (2, 3, 1, 1, 1, 1, 1)}),
    "robust-bpe": ("robust-bpe", DISPLACED, {"horizon": 10, "sizes": (2, 3, 1, 1, 1, 1, 1)}),
    "compressed-ucb": ("compressed", CANDIDATES, {"epsilon": 0.05, "initial": 2}),
    "compressed-ei": ("compressed", CANDIDATES, {"epsilon": 0.0, "initial": 2, "acquisition": "ei"}),
    "ts-rsr": ("ts-rsr", CANDIDATES, {"initial": 3, "batch_size": 2}),
    "ts-rsr-matrix": ("ts-rsr", MATRIX, {"initial": 3, "batch_size": 2, "rule": "bucb", "horizon": 14}),
    "bucb": ("bucb", MATRIX, {"initial": 3, "batch_size": 2, "horizon": 14}),
    "ts": ("ts", MATRIX, {"initial": 3, "batch_size": 2, "horizon": 14}),
    "ei": ("ei", MATRIX, {"initial": 3, "batch_size": 2, "horizon": 14}),
    "ei-mean": ("ei-mean", MATRIX, {"initial": 3, "batch_size": 2, "horizon": 14}),
    "ucb-pe": ("ucb-pe", MATRIX, {"initial": 3, "batch_size": 2, "horizon": 14}),
    "gp-ucb-box": ("gp-ucb", BOX, {"initial": 2, "uniform": 40}),
    "ei-mean-box": ("ei-mean", BOX, {"initial": 3, "batch_size": 2, "uniform": 40}),
    "ucb-pe-box": ("ucb-pe", BOX, {"initial": 3, "batch_size": 2, "uniform": 40}),
    "ts-rsr-box": ("ts-rsr", BOX, {"initial": 3, "batch_size": 2, "uniform": 40}),
    "wdrbo": ("wdrbo", CONTEXTS, {"initial": 3, "settings": SMALL}),
    "mf-gp-ucb": ("mf-gp-ucb", AGENTS, {"initial": 3, "search": "local"}),
    "random-laws": ("random-laws", AGENTS, {"kind": "dirichlet"}),
}
EVERY = pytest.mark.parametrize("case", CASES)

#: The noise of what is evaluated here is not always that of the model.
pytestmark = pytest.mark.filterwarnings("ignore:the values contradict", "ignore:.* evaluations in a row failed")


def begun(case, seed=4):
    method, problem, settings = CASES[case]
    return registry.for_problem(method, problem, seed=seed, **settings)


def evaluated(session, asked, number):
    """Values and play of what was asked, from its coordinates and how much was told before."""
    problem, generator = session.problem, np.random.default_rng(number)
    if isinstance(problem, ManyAgents):
        play = problem.play(asked, generator)
        return [float(problem.action_features[play.actions, 0].mean()) + 0.01 * number], play
    if isinstance(problem, ContextBox):
        context = generator.uniform(-1.0, 1.0)
        return [float(np.sin(5.0 * asked[0, 0]) * context)], problem.play(context)
    points = problem.at(asked) if isinstance(problem, Candidates) else asked
    return np.cos(4.0 * points[:, 0]) + 0.05 * generator.standard_normal(len(asked)), None


def go(session, calls):
    """``calls`` calls of ask and tell in turn, wherever the session stands; what was asked on the way."""
    seen = []
    for _ in range(calls):
        if session.open is None:
            if session.remaining == 0:
                break
            seen.append(session.ask())
        else:
            asked = session.ask()
            session.tell(*evaluated(session, asked, session.told))
    return seen


def rest(session, calls=8):
    asked = go(session, calls)
    return [*asked, np.asarray(session.recommend())]


def again_by_pickle(session, path):
    return pickle.loads(pickle.dumps(session))


def again_by_file(session, path):
    save(session, path)
    restored = restore(path)
    assert (restored.told, restored.waiting, restored.failures) == (session.told, session.waiting, session.failures)
    return restored


@pytest.mark.slow
@EVERY
@pytest.mark.parametrize(("again", "times"), [(again_by_pickle, 10), (again_by_file, 4)])
def test_a_run_interrupted_after_random_calls_is_the_same_run(case, again, times, tmp_path):
    expected = rest(begun(case), 24)
    session, found = begun(case), []
    stops = sorted(random.Random(case).sample(range(24), times))
    for start, stop in zip([0, *stops], [*stops, 24], strict=True):
        found += go(session, stop - start)
        session = again(session, tmp_path / "run.session")
    found.append(np.asarray(session.recommend()))
    assert len(found) == len(expected)
    assert all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))


@EVERY
def test_slips_have_the_same_answer_everywhere_and_change_nothing(case):
    session = begun(case)
    values, play = [0.0], None
    with pytest.raises(ParameterError, match=r"^tell:"):
        session.tell(values, play)
    with pytest.raises(ParameterError, match=r"^recommend:"):
        session.recommend()
    asked = session.ask()
    assert np.array_equal(session.ask(), asked)
    values, play = evaluated(session, asked, 0)
    n = len(asked)
    for wrong, message in (
        (np.ones((n, 1)), rf"values: have shape \({n}, 1\); expected \({n},\)"),
        (np.ones(n + 1), rf"values: have shape \({n + 1},\)"),
        ([math.nan] * n, "values: entry 0 is nan; expected a finite number, or None"),
        ([math.inf] * n, "values: entry 0 is inf"),
        (["high"] * n, "values: entry 0 is 'high'"),
        ([[1.0], [2.0, 3.0]], "values: "),
    ):
        with pytest.raises(ParameterError, match=message):
            session.tell(wrong, play)
    needless = CONTEXTS.play(0.0) if play is None else None
    with pytest.raises(ParameterError, match="play: is"):
        session.tell(values, needless)
    with pytest.raises(ParameterError, match=r"^failed:"):
        session.tell([None] * n, play, failed="worse")
    assert np.array_equal(session.ask(), asked)
    session.tell(values, play)
    with pytest.raises(ParameterError, match=r"^tell:"):
        session.tell(values, play)
    assert (session.told, session.failures) == (n, 0)
    untouched = begun(case)
    go(untouched, 2)
    assert all(np.array_equal(a, b) for a, b in zip(rest(session), rest(untouched), strict=True))


@EVERY
def test_a_failed_evaluation_is_asked_again_or_counts_as_the_worst(case, tmp_path):
    plain, failing = begun(case), begun(case)
    go(plain, 4)
    for _ in range(2):
        asked = failing.ask()
        values, play = evaluated(failing, asked, failing.told)
        failing.tell([None, *values[1:]], play)
        assert (failing.told, failing.waiting) == (failing.told, 1)
        save(failing, tmp_path / "failing.session")
        failing = restore(tmp_path / "failing.session")
        assert np.array_equal(failing.ask(), asked[:1])
        failing.tell(values[:1], play)
    assert failing.failures == 2
    assert failing.diagnostics()["failures"] == 2
    assert all(np.array_equal(a, b) for a, b in zip(rest(failing), rest(plain), strict=True))
    other = begun(case)
    go(other, 2)
    asked = other.ask()
    other.tell([None] * len(asked), evaluated(other, asked, other.told)[1], failed="worst")
    worst = min(batch.values.min() for batch in other.history[:1])
    assert (other.history[1].values == worst).all()


@pytest.mark.parametrize(
    ("name", "rule"), [("bucb", "bucb"), ("ts", "ts"), ("ei", "qei"), ("ei-mean", "ei-mean"), ("ucb-pe", "ucbpe")]
)
def test_a_batch_rule_by_its_name_is_the_rule(name, rule):
    settings = {"initial": 3, "batch_size": 2, "horizon": 14}
    named, chosen = (
        registry.for_problem(m, MATRIX, seed=4, **settings, **w) for m, w in ((name, {}), ("ts-rsr", {"rule": rule}))
    )
    other = registry.for_problem("ts-rsr", MATRIX, seed=4, **settings)
    found, same, apart = (rest(session) for session in (named, chosen, other))
    assert all(np.array_equal(a, b) for a, b in zip(found, same, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(found, apart, strict=True))


def test_gp_ucb_on_a_box_is_b_ucb_in_batches_of_one():
    settings = {"initial": 4, "uniform": 60, "horizon": 9}
    alone = registry.for_problem("gp-ucb", BOX, seed=2, **settings)
    batched = registry.for_problem("bucb", BOX, seed=2, batch_size=1, **settings)
    assert all(np.array_equal(a, b) for a, b in zip(rest(alone, 20), rest(batched, 20), strict=True))
    for wrong in ({"batch_size": 2}, {"rule": "ts"}):
        with pytest.raises(ParameterError):
            registry.for_problem("gp-ucb", BOX, seed=2, **wrong)
    with pytest.raises(ParameterError, match="initial: got"):
        registry.for_problem("gp-ucb", CANDIDATES, seed=2, initial=4)


def test_improvement_on_the_largest_mean_is_not_that_on_the_largest_value():
    settings = {"initial": 3, "batch_size": 2, "horizon": 14}
    found, other = (rest(registry.for_problem(name, MATRIX, seed=4, **settings)) for name in ("ei-mean", "ei"))
    assert not all(np.array_equal(a, b) for a, b in zip(found, other, strict=True))


# -- what a session shows ----------------------------------------------------------------------------------------------


@EVERY
def test_every_session_shows_its_best_its_evaluations_and_itself(case):
    session = begun(case)
    with pytest.raises(ParameterError, match=r"^recommend:"):
        session.best  # noqa: B018
    assert session.frame().empty
    go(session, 7)
    best, frame = session.best, session.frame()
    recommended = session.recommend()
    if np.ndim(recommended) == 0:
        assert best.index == recommended
        assert np.array_equal(best.point, session.problem.points[recommended])
        assert frame.candidate.tolist() == session.asked.tolist()
        assert frame.x1.to_numpy() == pytest.approx(session.problem.points[session.asked, 0])
    else:
        assert best.index is None
        assert np.array_equal(best.point, recommended)
        assert frame.x1.to_numpy() == pytest.approx(session.asked.reshape(len(frame), -1)[:, 0])
    if best.what == "largest value told":
        assert best.value == session.values.max()
    assert (best.what == "posterior mean") == (not case.endswith("box") and case not in LARGEST)
    assert frame.value.tolist() == session.values.tolist()
    assert frame.batch.tolist() == [n for n, told in enumerate(session.history, 1) for _ in told.values]
    assert ("c1" in frame) == (case == "wdrbo")
    shown = repr(session)
    assert f"{session.told} told" in shown
    assert ("left" in shown) == (session.remaining is not None)
    assert (f"{session.waiting} open" in shown) == bool(session.waiting)
    assert len(shown) < 160
    assert "\n" not in shown + repr(best)


#: Of no posterior mean of the values at the recommended point.
LARGEST = ("random", "random-box", "wdrbo", "mf-gp-ucb", "random-laws")


def test_the_posterior_mean_of_the_best_is_that_of_the_model():
    session = begun("ts-rsr-matrix")
    go(session, 9)
    model = FinitePosterior(MATRIX.covariance, MATRIX.noise_sd**2)
    for index, value in zip(session.asked, session.values, strict=True):
        model.observe(int(index), float(value))
    assert session.best.value == pytest.approx(model.mean[0, session.best.index], rel=1e-9)
    batched = begun("bpe-sizes")
    go(batched, 4)
    last = FinitePosterior(MATRIX.covariance, MATRIX.noise_sd**2)
    for index, value in zip(batched.history[-1].asked, batched.history[-1].values, strict=True):
        last.observe(int(index), float(value))
    assert batched.best.value == pytest.approx(last.mean[0, batched.best.index], rel=1e-9)


def test_a_session_says_how_much_of_its_budget_is_a_first_design():
    session = registry.for_problem("ts-rsr", BOX, seed=0, horizon=30)
    assert session.design == len(session.ask()) == 15
    words = "the first 15 of 30 are drawn before any value is known (initial=)"
    assert session.diagnostics()["design"] == words
    assert repr(session) == f"ts-rsr on Box of dimension 2: 0 told, 30 left, 15 open; {words}"
    assert registry.for_problem("ts-rsr", BOX, seed=0, horizon=30, initial=4).design == 4
    assert registry.for_problem("ts-rsr", BOX, seed=0, horizon=6).design == 6
    without = begun("gp-ucb")
    assert without.design == 0
    assert "design" not in without.diagnostics()


def test_every_method_that_is_offered_is_tried_here():
    assert {method for method, _, _ in CASES.values()} == set(registry.optimisers())


@pytest.mark.parametrize("rule", METHODS)
def test_every_rule_with_contexts_is_pickled_after_a_choice(rule):
    session = registry.for_problem("wdrbo", CONTEXTS, seed=1, initial=2, rule=rule, settings=SMALL)
    go(session, 5)
    restored = pickle.loads(pickle.dumps(session))
    assert np.array_equal(restored.ask(), session.ask())


def test_a_session_asks_what_the_policy_of_the_loop_asks():
    session, seen = begun("gp-ucb"), []
    policy = GPUCB(CANDIDATES.covariance, CANDIDATES.noise_sd**2, 2.0)
    for number in range(6):
        asked = session.ask()
        values, _ = evaluated(session, asked, number)
        session.tell(values)
        seen.append((asked, policy.ask(6 - number).query))
        policy.tell(values)
    assert all(np.array_equal(a, b) for a, b in seen)
    assert session.recommend() == policy.recommend()


@EVERY
def test_all_that_is_random_comes_from_the_seed(case):
    with seeds_opened() as seen:
        go(begun(case, 11), 8)
    assert seen <= {11}
    assert seen or case in ("gp-ucb", "stableopt", "bpe", "bpe-sizes", "robust-bpe")


def test_what_the_policy_itself_refuses_leaves_the_batch_open(monkeypatch):
    session = begun("gp-ucb")
    asked = session.ask()

    def refuses(self, index, value):
        raise ConditioningError("singular")

    with monkeypatch.context() as patched:
        patched.setattr(FinitePosterior, "observe", refuses)
        session.tell([None])
        with pytest.raises(ConditioningError):
            session.tell([0.5])
    assert (session.told, session.waiting, session.failures) == (0, 1, 1)
    assert np.array_equal(session.ask(), asked)
    session.tell([0.5])
    assert session.told == 1


def test_the_horizon_ends():
    session = begun("ts-rsr-matrix")
    go(session, 100)
    assert session.told == 14
    with pytest.raises(ParameterError, match=r"^ask:"):
        session.ask()


def test_what_does_not_fit_is_refused_before_any_work():
    for call, message in (
        (lambda: registry.for_problem("bpee", CANDIDATES, seed=0), "method: got 'bpee'"),
        (lambda: registry.for_problem("bpe", CANDIDATES, seed=0), "horizon: is missing"),
        (lambda: registry.for_problem("bpe", CANDIDATES, seed=0, horizn=10), "horizn: got 'horizn'"),
        (lambda: registry.for_problem("bpe", BOX, seed=0, horizon=10), "problem: is of type Box; expected Candidates"),
        (lambda: registry.for_problem("bpe", CANDIDATES, seed=0, horizon=10, sizes=(4, 4)), "sizes: add up to 8"),
        (lambda: registry.for_problem("robust-bpe", CANDIDATES, seed=0, horizon=10), "neighbours: are missing"),
        (lambda: registry.for_problem("gp-ucb", CANDIDATES, seed=-1), "seed: got -1"),
        (lambda: registry.for_problem("gp-ucb", CONTEXTS, seed=0), "problem: is of type ContextBox"),
        (lambda: registry.for_problem("compressed", CANDIDATES, seed=0, initial=26), "initial: is 26"),
        (lambda: Candidates(LINE, np.eye(3), 0.1), r"kernel: gives a matrix of shape \(3, 3\)"),
        (lambda: Candidates(LINE, lambda x, y: x @ y.T + x, 0.1), "kernel: gives a matrix that is not symmetric"),
        (lambda: Candidates([[math.nan]], Matern(2.5, 1.0), 0.1), "points: contain NaN"),
        (lambda: Candidates(LINE, Matern(2.5, 0.2), 0.0), "noise_sd: got 0.0"),
        (lambda: Box([0, 1], [1, 1]), "low, high: got"),
        (lambda: Box([0], [1], Matern(0.5, 0.2)), "kernel: got Matern"),
        (lambda: CONTEXTS.play(2.0), "context: got"),
        (lambda: AGENTS.play(np.ones(3), np.random.default_rng(0)), "law: has shape"),
        (lambda: AGENTS.played([0] * 12, [2] * 12), "contexts: have shape"),
        (lambda: ManyAgents(3, [0.0], context_weights=[0.5]), "context_weights: are"),
    ):
        with pytest.raises(ParameterError, match=message):
            call()


def test_files_of_another_format_of_other_code_and_of_other_kinds_are_refused_in_one_line(tmp_path):
    session = begun("ts-rsr-box")
    go(session, 6)
    path = tmp_path / "run.session"
    save(session, path)
    with zipfile.ZipFile(path) as archive:
        text = archive.read("session.json").decode()
        assert "pickle" not in text

    def refused(content, message):
        with zipfile.ZipFile(path) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
        other = tmp_path / "other.session"
        with zipfile.ZipFile(other, "w") as archive:
            for name, part in parts.items():
                archive.writestr(name, content if name == "session.json" else part)
        with pytest.raises(ResultError, match=message) as caught:
            restore(other)
        assert "\n" not in str(caught.value)

    refused(
        text.replace('"format": 2', '"format": 3'),
        "has format 3, and this version reads 1 to 2; restore it with companion",
    )
    refused(text.replace("method.optimiser:TSRSROptimiser", "method.optimiser:Missing"), "does not fit this version")
    refused(
        text.replace("companion.problems.blackbox:Box", "os:system"), r"does not fit this version \(it names os:system"
    )
    refused(text.replace("companion.problems.blackbox:Box", "companion.core.files:write_atomic"), "is no dataclass")
    refused(text.replace('"batch_size"', '"batches"'), "does not fit this version")
    refused("[", "is damaged or not a saved session")
    for content in (b"", b"no archive"):
        (tmp_path / "broken.session").write_bytes(content)
        with pytest.raises(ResultError):
            restore(tmp_path / "broken.session")
    with pytest.raises(ResultError):
        restore(tmp_path / "absent.session")


def test_a_policy_of_ones_own_gets_the_same_session_and_is_pickled_not_saved(tmp_path):
    session = session_of(GPUCB(CANDIDATES.covariance, 0.05**2, 2.0), CANDIDATES, horizon=9)
    go(session, 7)
    restored = pickle.loads(pickle.dumps(session))
    assert all(np.array_equal(a, b) for a, b in zip(rest(session), rest(restored), strict=True))
    with pytest.raises(ParameterError, match=r"^session:"):
        session.save(tmp_path / "own.session")
    with pytest.raises(ParameterError, match=r"^problem:"):
        session_of(UniformRandom(3, np.random.default_rng(0)), CONTEXTS)
