"""What an experiment sets up before its first decision: whose noise, which model, what compared methods share.

One test a property, over all experiments of all papers, methods and readings. A seed decides about design, noise and
contexts, and nothing else does; the model assumes the variance of that noise; the noise drawn is the noise observed; the
point reported at the end is the one that the policy's documentation names.
"""

from __future__ import annotations

import dataclasses
import math
import pickle
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from conditions import conditions
from streams import watched
from tolerances import DIRECT_SOLVE_ATOL, GAIN_ROUNDING, ROUNDED_SUM_ATOL

from companion import registry
from companion.core.errors import DataError
from companion.papers.meanfield.experiments.definitions import OVER_LAWS
from companion.papers.tsrsr.experiments import definitions as tsrsr
from companion.papers.tsrsr.problems import catalogue, network

#: Names of the data that every paper has without a download; boston-4d has its own.
DATA = {"boston-4d": "diabetes"}
#: Experiments with one function for all seeds.
ONE_FUNCTION = {("batched", "robust"), ("batched", "hard-class")}
#: Papers whose models fit their noise variance, so that there is none at set-up.
FITTED = ("meanfield", "wdrbo")

EXPERIMENT = registry.experiments()
EXPERIMENTS = list(EXPERIMENT)
READINGS = [
    (paper, name, reading)
    for (paper, name), experiment in EXPERIMENT.items()
    for reading in next((p.choices for p in experiment.parameters.parameters if p.name == "reading"), None) or [None]
]
PAPERS = sorted({paper for paper, _ in EXPERIMENTS})
METHODS = [(paper, name, method) for (paper, name), e in EXPERIMENT.items() for method in e.method_names]


@pytest.fixture(autouse=True)
def quick_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Networks trained for a twentieth of their epochs, and their data read once: nothing here asks how well they learn."""
    monkeypatch.setitem(network.PROTOCOLS, "text", dataclasses.replace(network.TEXT, epochs=2))
    monkeypatch.setattr(catalogue, "regression_data", regression_data)


regression_data = cache(catalogue.regression_data)


def ready(paper: str, name: str, method: str, seed: int = 3, **more: Any) -> Any:
    """A set-up at small sizes; a paper's own class."""
    experiment = EXPERIMENT[paper, name]
    parameters = experiment.parameters
    values = {key: value for key, value in conditions(paper, "SMALL").items() if key in parameters.names} | more
    if "data" in values:
        values["data"] = DATA.get(name, values["data"])
    try:
        return experiment.ready(method, seed, values)
    except DataError as missing:
        pytest.skip(str(missing))


@cache
def played(paper: str, name: str, method: str) -> tuple[Any, Any]:
    """A set-up and its run, made once; to be read only."""
    setup = ready(paper, name, method)
    return setup, setup.run()


@pytest.mark.parametrize(("paper", "name"), EXPERIMENTS)
def test_another_policy_can_play_in_the_world_of_an_experiment(paper, name):
    first = methods_of(paper, name)[0]
    (own, once), world = played(paper, name, first), ready(paper, name, first)
    assert own.policy is not world.policy
    again = dataclasses.replace(world, policy=ready(paper, name, first).policy).run()
    np.testing.assert_array_equal(once.instantaneous_regret, again.instantaneous_regret)


class Interrupted:
    """A policy that is pickled and restored between any two of its calls."""

    def __init__(self, policy: Any) -> None:
        self._policy = policy

    @property
    def __class__(self) -> Any:  # loops ask what kind of policy they have
        return type(self._policy)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name.startswith("_") or not callable(getattr(self._policy, name)):
            return getattr(self._policy, name)

        def call(*given: Any, **named: Any) -> Any:
            self._policy = pickle.loads(pickle.dumps(self._policy))
            return getattr(self._policy, name)(*given, **named)

        return call


#: Every method of every paper once, those of boxes too.
ONCE = list(
    {
        (paper, method, (paper, name) == ("tsrsr", "ackley-2d")): (paper, name, method)
        for paper, name, method in METHODS
    }.values()
)


@pytest.mark.parametrize(("paper", "name", "method"), ONCE)
def test_a_policy_pickled_between_any_two_calls_plays_the_same_run(paper, name, method):
    once, world = played(paper, name, method)[1], ready(paper, name, method)
    again = dataclasses.replace(world, policy=Interrupted(world.policy)).run()
    np.testing.assert_array_equal(once.observation, again.observation)
    np.testing.assert_array_equal(once.instantaneous_regret, again.instantaneous_regret)
    assert once.recommended_regret == again.recommended_regret


def methods_of(paper: str, name: str) -> tuple[str, ...]:
    return EXPERIMENT[paper, name].method_names


def with_reading(reading: str | None) -> dict[str, Any]:
    return {} if reading is None else {"reading": reading}


def disturbance(setup: Any) -> np.ndarray:
    """The noise of every evaluation, or which stored run each one sees."""
    noise = setup.shared.noise if hasattr(setup, "shared") else setup.noise
    picks = getattr(setup, "picks", None)
    return np.asarray(noise if picks is None else picks)


def first_asked(policy: Any) -> np.ndarray:
    """What a fresh policy asks for first; of those that account batches, the evaluated points."""
    try:
        asked = policy.ask()
    except TypeError:
        asked = policy.ask(1_000_000)
    return np.asarray(getattr(asked, "query", asked))


def seed_decides(paper: str, name: str, method: str, seed: int, **more: Any) -> dict[str, np.ndarray]:
    """Everything that methods at one seed have to share, by what it is."""
    setup = ready(paper, name, method, seed, **more)
    found = {"noise": disturbance(setup)}
    if paper == "batched":
        found["function"] = setup.modelled.problem.values
    elif paper == "compressed" or (paper == "tsrsr" and name != "theory"):
        found["design"] = first_asked(setup.policy)
    elif paper == "wdrbo":
        found |= {"design": setup.shared.design, "contexts": setup.shared.contexts}
    elif paper == "meanfield":
        for use in ("contexts", "actions", "representative"):
            found[use] = setup.streams(use, 2).random(5)
        if method in ("mf-gp-ucb", "random", "es"):
            found["first law"] = first_asked(setup.policy)
        elif method not in OVER_LAWS:
            found["first joint action"] = first_asked(setup.policy)
            if setup.problem.contexts > 1:
                found["fixed contexts"] = setup.contexts
    else:
        found["function"] = setup.problem.values
    return found


# -- whose noise, design and contexts ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("paper", "name", "reading"), READINGS)
def test_a_seed_decides_and_methods_share_what_it_decides(paper, name, reading):
    chosen = with_reading(reading)
    every = [seed_decides(paper, name, method, 3, **chosen) for method in methods_of(paper, name)]
    shared: dict[str, np.ndarray] = {}
    for found in every:
        for what, array in found.items():
            np.testing.assert_array_equal(array, shared.setdefault(what, array), err_msg=what)
    others = [seed_decides(paper, name, method, 4, **chosen) for method in methods_of(paper, name)]
    for found in others:
        for what, array in found.items():
            same = np.array_equal(array, shared[what])
            assert same == (what == "function" and (paper, name) in ONE_FUNCTION), what
            if what == "noise" and array.dtype.kind == "f":
                assert not (array == shared[what]).any(), "noises of two seeds agree somewhere"


@pytest.mark.parametrize(("paper", "name"), EXPERIMENTS)
def test_streams_of_a_run_have_its_seed_and_none_serves_twice(paper, name, monkeypatch):
    """Function, design, noise, contexts and rule draw from streams of their own, and so does every round of each.

    Also those that a method keeps to itself: BKB's dictionaries, Thompson draws, starts of searches. A problem that is the same
    at every seed may have a seed of its own.
    """
    opened, first = watched(monkeypatch), "random" if paper == "meanfield" else methods_of(paper, name)[0]
    for method in methods_of(paper, name):
        opened.clear()
        setup = ready(paper, name, method, 41)
        if method == first or (paper, name, method) in ONCE:
            setup.run()
        assert opened.seeds("problems") == {41}, method
        assert opened.twice(41) == [], method


@pytest.mark.parametrize(("paper", "name"), EXPERIMENTS)
def test_the_noise_has_the_standard_deviation_asked_for(paper, name):
    method = "random" if paper in ("tsrsr", "meanfield") else methods_of(paper, name)[0]
    key, power = ("noise_variance", 2) if paper == "compressed" else ("noise", 1)
    if disturbance(ready(paper, name, method)).dtype.kind == "i":
        pytest.skip("an observation is one of the stored trainings")
    small, large = (
        disturbance(
            ready(paper, name, method, 3, **(conditions(paper, "LONG") or {"horizon": 500}), **{key: sd**power})
        )
        for sd in (0.5, 2.0)
    )
    np.testing.assert_allclose(large, 4.0 * small, rtol=1e-12)
    n = len(small)
    assert n >= 500
    assert abs(small.std() / 0.5 - 1.0) < 5.0 / math.sqrt(2 * n)
    assert abs(small.mean() / 0.5) < 5.0 / math.sqrt(n)


def clean(paper: str, setup: Any, run: Any) -> np.ndarray:
    """Values without noise at the points of a run, from the problem."""
    if paper == "meanfield":
        return np.asarray(run.diagnostics["reward"])
    if paper == "wdrbo":
        return setup.problem.objective(run.points, np.asarray(run.diagnostics["contexts"]))
    problem = {"batched": "modelled", "compressed": "chapter"}.get(paper)
    problem = setup.problem if problem is None else getattr(setup, problem).problem
    return problem.evaluate(run.points) if run.points is not None else problem.values[run.query]


@pytest.mark.parametrize(("paper", "name"), EXPERIMENTS)
def test_the_noise_drawn_is_the_noise_observed_and_regret_has_none(paper, name):
    for method in {methods_of(paper, name)[0], methods_of(paper, name)[-1]}:
        setup, run = played(paper, name, method)
        noise = disturbance(setup)
        truth = clean(paper, setup, run)
        stored = noise.dtype.kind == "i"
        seen = setup.chapter.residuals[run.query, noise] if stored else noise[len(noise) - len(run) :]
        np.testing.assert_allclose(run.observation - truth, seen, atol=1e-9 * max(1.0, np.abs(truth).max()))
        if paper in ("compressed", "tsrsr"):
            optimum = (run.instantaneous_regret + truth)[0]
            np.testing.assert_allclose(run.instantaneous_regret, optimum - truth, atol=1e-9 * max(1.0, abs(optimum)))
            assert np.array_equal(run.query, run.charged)


# -- what the model assumes --------------------------------------------------------------------------------------------


def kernel_matrix(kernel: Any, points: np.ndarray) -> np.ndarray:
    return np.asarray(kernel(np.asarray(points, dtype=np.float64)))


def realised_gain(covariance: np.ndarray, variance: float) -> float:
    """1/2 logdet(I + K / variance)."""
    return 0.5 * float(np.linalg.slogdet(np.eye(len(covariance)) + covariance / variance)[1])


def first_batch_sd(record: Any, covariance: np.ndarray, variance: float) -> np.ndarray:
    """Posterior standard deviation by one dense solve from the points of a batch."""
    cross = covariance[np.ix_(record.modelled, record.query)]
    noisy = covariance[np.ix_(record.query, record.query)] + variance * np.eye(len(record.query))
    explained = np.einsum("ij,ji->i", cross, np.linalg.solve(noisy, cross.T))
    return np.sqrt(np.maximum(covariance[record.modelled, record.modelled] - explained, 0.0))


@pytest.mark.parametrize(("paper", "name", "method"), [entry for entry in METHODS if entry[0] == "batched"])
def test_batched_models_have_the_square_of_the_noise(paper, name, method):
    setup, run = played(paper, name, method)
    covariance = setup.modelled.covariance
    assert setup.modelled.problem.noise_sd == 0.3
    if method == "stableopt":
        asked = covariance[np.ix_(run.query, run.query)]
        assert run.diagnostics["gain"] == pytest.approx(realised_gain(asked, 0.09), rel=GAIN_ROUNDING)
        return
    for record in setup.policy.history:
        sd = first_batch_sd(record, covariance, 0.09)
        np.testing.assert_allclose(record.sd, sd, atol=DIRECT_SOLVE_ATOL)
        asked = covariance[np.ix_(record.query, record.query)]
        assert record.gain == pytest.approx(realised_gain(asked, 0.09), rel=1e-7)


@pytest.mark.parametrize(("paper", "name", "method"), [entry for entry in METHODS if entry[0] == "compressed"])
def test_compressed_models_have_the_noise_variance_asked_for(paper, name, method):
    setup, run = played(paper, name, method)
    covariance = setup.chapter.covariance
    if method.startswith("bkb"):
        setup = ready(paper, name, method)
        points = first_asked(setup.policy)
        setup.policy.tell(np.zeros(len(points)))  # the dictionary is then all that was pulled: an exact posterior
        cross = covariance[:, points]
        noisy = covariance[np.ix_(points, points)] + 0.09 * np.eye(len(points))
        expected = np.diag(covariance) - np.einsum("ij,ji->i", cross, np.linalg.solve(noisy, cross.T))
        np.testing.assert_allclose(setup.policy.variance, expected, atol=DIRECT_SOLVE_ATOL)
        return
    kept = run.query[run.diagnostics["evaluated"]]
    gain = realised_gain(covariance[np.ix_(kept, kept)], 0.09)
    assert run.diagnostics["gain"] == pytest.approx(gain, rel=1e-7)
    if setup.picks is None:
        assert setup.chapter.problem.noise_sd == pytest.approx(0.3, rel=1e-15)


FINITE = ("gp-2d", "gp-3d", "theory")


@pytest.mark.parametrize("name", FINITE)
def test_tsrsr_models_on_finite_sets_have_the_square_of_their_noise(name):
    """The columns' models have ``model_noise``; in the theory the model knows the noise."""
    sd = 0.3 if name == "theory" else 0.4
    for method in ("ts-rsr", "bucb"):
        setup, run = played("tsrsr", name, method)
        reach = 0.2 if name == "theory" else tsrsr.SETTINGS[name].text.lengthscale
        points = setup.problem.points[run.query]
        gaps = np.linalg.norm(points[:, None] - points[None], axis=2)
        expected = realised_gain(np.exp(-0.5 * (gaps / reach) ** 2), sd**2)
        assert run.diagnostics["gain"] == pytest.approx(expected, rel=GAIN_ROUNDING)


@dataclass
class Watching:
    """A rule that takes the first candidates and keeps what it was shown."""

    rounds: list[Any]

    def choose(self, current: Any, size: int, generator: np.random.Generator) -> np.ndarray:
        self.rounds.append(current)
        return np.arange(size)


@pytest.mark.parametrize(
    ("name", "reading"), [(n, r) for p, n, r in READINGS if p == "tsrsr" and (n not in FINITE or r == "code")]
)
def test_tsrsr_models_on_boxes_see_standardised_targets_and_the_noise_asked_for(name, reading, monkeypatch):
    watching = Watching([])
    monkeypatch.setattr(tsrsr, "rule_on_box", lambda method, p: watching)
    setup = ready("tsrsr", name, "ts-rsr", reading=reading, model_noise=1e-3)
    run = setup.run()
    assert [current.number for current in watching.rounds] == [0, 1]
    for number, current in enumerate(watching.rounds):
        assert current.noise_variance == pytest.approx(1e-6, rel=1e-12)
        seen = run.observation[: 15 + 2 * number]
        best = float(((seen - seen.mean()) / seen.std()).max())
        drawn = abs(current.incumbent - best)
        # The published code draws fresh noise of the model's size on all targets; the text's reading has none.
        assert drawn < 1e-12 if reading == "text" else 0.0 < drawn < 0.006


# -- the parameters that a run was asked for ---------------------------------------------------------------------------


@cache
def fingerprint(paper: str, name: str, method: str, more: tuple[tuple[str, Any], ...]) -> tuple[Any, ...]:
    """Everything a run decides, observes and says of itself, as exact numbers."""
    run = ready(paper, name, method, **dict(more)).run() if more else played(paper, name, method)[1]
    where = () if run.points is None else run.points.tobytes()
    told = {key: value for key, value in run.meta.items() if key != "parameters"}
    return (
        run.query.tobytes(),
        run.charged.tobytes(),
        run.batch.tobytes(),
        run.observation.tobytes(),
        where,
        repr(told),
        repr(run.diagnostics),
    )


#: Parameters that are sizes of a problem or a run, or that leave a run as it is (``posterior``).
SIZES = {"schedule", "dim", "problem", "posterior", "agents", "actions", "regions", "data", "points_per_axis"}


@pytest.mark.parametrize(
    ("paper", "name", "method", "beside", "changed"),
    [(paper, *entry) for paper in PAPERS for entry in conditions(paper, "REACHES")],
    ids=lambda value: ",".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, dict) else str(value),
)
def test_a_parameter_reaches_the_run(paper, name, method, beside, changed):
    usual, other = (tuple(sorted(values.items())) for values in (beside, beside | changed))
    assert fingerprint(paper, name, method, usual) != fingerprint(paper, name, method, other)


@pytest.mark.parametrize(
    ("paper", "name", "values", "slow"),
    [(paper, *entry) for paper in PAPERS for entry in conditions(paper, "APART")],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_no_two_methods_make_the_same_run(paper, name, values, slow):
    runs: dict[bytes, str] = {}
    for method in methods_of(paper, name):
        if method in slow:
            continue
        run = ready(paper, name, method, **values).run()
        asked = run.query if run.points is None else run.points
        made = asked.tobytes() + run.charged.tobytes() + run.observation.tobytes()
        assert made not in runs, f"{method} and {runs[made]} make the same run"
        runs[made] = method


# -- the point reported at the end -------------------------------------------------------------------------------------


def largest(values: np.ndarray) -> int:
    return int(np.argmax(values))


@pytest.mark.parametrize(
    ("name", "method"), [(n, m) for p, n, m in METHODS if p == "tsrsr" and n in ("theory", "bird-2d")]
)
def test_tsrsr_reports_the_largest_observation(name, method):
    differ = 0
    for seed in range(12):
        setup = ready("tsrsr", name, method, seed, noise=1.0 if name == "theory" else 30.0)
        run = setup.run()
        assert run.recommended_regret == pytest.approx(run.instantaneous_regret[largest(run.observation)], abs=1e-9)
        differ += largest(run.observation) != largest(-run.instantaneous_regret)
    assert differ, "the noise is too small to tell the rules apart"


@pytest.mark.parametrize("method", [m for p, n, m in METHODS if p == "compressed" and n == "rosenbrock"])
def test_compressed_reports_the_largest_kept_observation(method):
    differ = 0
    for seed in range(4):
        run = ready("compressed", "rosenbrock", method, seed, noise_variance=4.0, reading="raw", epsilon=2.0).run()
        kept = np.flatnonzero(run.diagnostics["evaluated"])
        best = kept[largest(run.observation[kept])]
        assert run.recommended_regret == pytest.approx(run.instantaneous_regret[best], abs=1e-9)
        differ += best != kept[largest(-run.instantaneous_regret[kept])]
    assert differ, "the noise is too small to tell the rules apart"


#: StableOpt reports by its guarantees, and the repaired refinement takes its minima over the pairs that it keeps.
UNLIKE = ("stableopt", "robust-bpe-refined")


@pytest.mark.parametrize("method", [m for p, n, m in METHODS if p == "batched" and n == "robust" and m not in UNLIKE])
def test_batched_reports_the_survivor_with_the_largest_mean(method):
    """In the robust setting the largest worst mean over the neighbours, which the ordinary mean does not order alike."""
    differ = 0
    for seed in range(6):
        setup = ready("batched", "robust", method, seed, noise=1.0, horizon=12, width="fixed", multiplier=1.0)
        run, problem, last = setup.run(), setup.modelled.problem, setup.policy.history[-1]
        mean = np.full(problem.size, np.inf)
        mean[last.modelled] = last.mean
        relation = np.eye(problem.size, dtype=bool) if method == "bpe" else problem.neighbours
        worst = np.where(relation, mean[None, :], np.inf).min(axis=1)
        alive = np.flatnonzero(last.survivors)
        best = alive[largest(worst[alive])]
        assert run.recommended_regret == pytest.approx(problem.robust_regret[best], abs=1e-12)
        upper = np.full(problem.size, np.inf)
        upper[last.modelled] = last.mean + last.width * last.sd
        optimistic = np.where(relation, upper[None, :], np.inf).min(axis=1)
        differ += best != alive[largest(optimistic[alive])]
        if method != "bpe":
            differ += best != alive[largest(mean[alive])]
    assert differ, "no case tells the rules apart"


@pytest.mark.parametrize("method", [m for p, n, m in METHODS if p == "meanfield" and n == "swarm" and m != "mf-gp-ucb"])
def test_meanfield_searches_report_what_was_observed_best(method):
    differ = 0
    for seed in range(5):
        run = ready("meanfield", "swarm", method, seed, noise=20.0, agents=20).run()
        best = largest(run.observation)
        assert run.recommended_regret == pytest.approx(run.instantaneous_regret[best], abs=1e-9)
        differ += best != largest(np.asarray(run.diagnostics["reward"]))
    assert differ, "the noise is too small to tell the rules apart"


def test_mf_gp_ucb_reports_the_law_of_the_largest_posterior_mean():
    differ = 0
    for seed in range(6):
        setup = ready("meanfield", "swarm", "mf-gp-ucb", seed, noise=20.0, agents=20, initial=7, horizon=8)
        run = setup.run()
        laws = setup.policy.model.laws
        acquisition = [setup.policy.acquisition(width).value(laws) for width in (1.0, 2.0)]
        mean = 2 * acquisition[0] - acquisition[1]  # linear in the width
        best = largest(mean)
        assert run.recommended_regret == pytest.approx(run.instantaneous_regret[best], abs=1e-9)
        differ += best != largest(acquisition[1])
        differ += best != largest(run.observation)
    assert differ, "no case tells the rules apart"


@pytest.mark.parametrize("method", [m for p, n, m in METHODS if p == "wdrbo" and n == "camel"])
def test_wdrbo_reports_the_decision_of_the_largest_posterior_mean(method):
    """Of decisions told with values that are mostly noise; the upper confidence bound would order them otherwise.

    The decisions crowd at one end, so that the model knows some far better than others.
    """
    differ = 0
    for seed in range(5):
        setup = ready("wdrbo", "camel", method, seed, noise=2.0, initial=8)
        told, seen = setup.shared.design**4, setup.shared.contexts[:8]
        for x, context, noise in zip(told, seen, setup.shared.noise, strict=False):
            setup.policy.tell(x, context, float(noise))
        surrogate = setup.policy.situation().surrogate
        averaged = np.zeros((1, 0)) if method == "gp-ucb" else seen
        upper, lower = (surrogate.table(told, averaged, width).mean(axis=1) for width in (1.5, -1.5))
        best = largest((upper + lower) / 2)
        np.testing.assert_allclose(setup.policy.recommend(), told[best], atol=ROUNDED_SUM_ATOL)
        differ += best != largest(upper)
    assert differ, "no case tells the mean from the upper confidence bound"


def test_every_paper_and_every_parameter_is_looked_at_here():
    """What the small sizes set, and what is only a size, is seen by the other tests of this module."""
    for paper in PAPERS:
        known = {name for _, e in registry.experiments(paper).items() for name in e.parameters.names}
        looked_at = {name for entry in conditions(paper, "REACHES") for part in entry[2:] for name in part}
        looked_at |= set(conditions(paper, "SMALL"))
        assert known - looked_at - SIZES == set(), paper
