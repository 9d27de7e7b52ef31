"""The Gaussian process, MF-UCB and the ask/tell policy against dense formulas from the oracle."""

import numpy as np
import pytest
from oracles import meanfield_reference as reference
from scipy import stats
from tolerances import FINITE_DIFFERENCE, LAW_KERNEL_ATOL, POSTERIOR_ATOL

from companion.core.errors import ParameterError
from companion.core.randomness import stream
from companion.papers.meanfield.method import regression
from companion.papers.meanfield.method.acquisition import MeanFieldUCB
from companion.papers.meanfield.method.kernel import AdditiveKernel, Plays
from companion.papers.meanfield.method.model import LAW_PRIOR, NOISE_PRIOR, OWN_PRIOR, FitSchedule, MeanFieldGP
from companion.papers.meanfield.method.policy import LawPolicy, MeanFieldGPUCB, RandomLaws, known_model
from companion.papers.meanfield.method.regression import GroupPrior, LogNormal, fit_hyperparameters, log_posterior
from companion.papers.meanfield.method.simplex import LOCAL_SEARCH, random_laws
from companion.papers.meanfield.method.widths import PracticeWidth, TheoryWidth

KERNEL = AdditiveKernel(0.7, 0.9, 0.3, 0.6, 0.4, 1.3)
CONTEXTS, ACTIONS, COUNT = 2, 4, 30
WEIGHTS = np.array([0.3, 0.7])


def features(seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(ACTIONS, 2)), rng.normal(size=(CONTEXTS, 1))


def observed(kernel=KERNEL, count=COUNT, capacity=4, standardise=False):
    """A model after ``count`` plays and the same data for the oracle; the small capacity makes it grow on the way."""
    rng = np.random.default_rng(1)
    action, context = features()
    model = MeanFieldGP(action, context, kernel, 0.05, standardise, capacity)
    data, values = [], []
    for _ in range(count):
        x, c, y = int(rng.integers(ACTIONS)), int(rng.integers(CONTEXTS)), float(rng.normal(3.0, 2.0))
        law = rng.dirichlet(np.ones(ACTIONS), CONTEXTS)
        model.add(x, c, law, y)
        data.append((action[x], context[c], law))
        values.append(y)
    return model, data, np.array(values)


def expected_moments(kernel, data, values, law):
    action, context = features()
    found = [
        reference.dense_posterior(kernel, 0.05, data, values, (action[x], context[c], law))
        for c in range(CONTEXTS)
        for x in range(ACTIONS)
    ]
    return (np.array(part).reshape(CONTEXTS, ACTIONS) for part in zip(*found, strict=True))


@pytest.mark.slow
def test_one_row_at_a_time_gives_the_dense_posterior():
    model, data, values = observed()
    laws = np.random.default_rng(2).dirichlet(np.ones(ACTIONS), (3, CONTEXTS))
    mean, variance = MeanFieldUCB(model, WEIGHTS, 2.0).posterior(laws)
    for s, law in enumerate(laws):
        expected_mean, expected_variance = expected_moments(KERNEL, data, values, law)
        np.testing.assert_allclose(mean[s], expected_mean, atol=POSTERIOR_ATOL)
        np.testing.assert_allclose(variance[s], expected_variance, atol=POSTERIOR_ATOL)


def test_acquisition_is_the_average_under_the_law_itself():
    model, data, values = observed()
    law = np.random.default_rng(3).dirichlet(np.ones(ACTIONS), CONTEXTS)
    mean, variance = expected_moments(KERNEL, data, values, law)
    expected = np.sum(WEIGHTS[:, None] * law * (mean + 2.0 * np.sqrt(variance)))
    ucb = MeanFieldUCB(model, WEIGHTS, 2.0)
    assert ucb.value(law[None])[0] == pytest.approx(expected, abs=POSTERIOR_ATOL)
    assert ucb(law[None])[0][0] == pytest.approx(expected, abs=POSTERIOR_ATOL)


@pytest.mark.parametrize("coupling", ["additive", "joint"])
@pytest.mark.parametrize("width", [0.0, 2.0])
def test_gradient_flows_through_average_and_posterior(coupling, width):
    kernel = AdditiveKernel(0.7, 0.9, 0.3, 0.6, 0.4, 1.3, coupling=coupling)
    ucb = MeanFieldUCB(observed(kernel)[0], WEIGHTS, width)
    laws = np.random.default_rng(4).dirichlet(np.ones(ACTIONS), (2, CONTEXTS))
    gradient = ucb(laws)[1]
    for s, c, x in np.ndindex(*laws.shape):
        step = np.zeros_like(laws)
        step[s, c, x] = 1e-6
        slope = (ucb.value(laws + step)[s] - ucb.value(laws - step)[s]) / 2e-6
        assert gradient[s, c, x] == pytest.approx(slope, abs=10 * FINITE_DIFFERENCE)
    mean, variance = ucb.posterior(laws)
    detached = WEIGHTS[None, :, None] * (mean + width * np.sqrt(variance))
    assert np.abs(gradient - detached).max() > 0.1  # the posterior's share, lost if the law is detached there


def test_plays_that_nearly_coincide_get_a_jitter_and_a_sound_factor():
    """At noise 1e-16 rounding leaves nothing of a new row's pivot; the factor is made afresh, with what had to be added."""
    kernel = AdditiveKernel(law_lengthscale=5.0)
    model = MeanFieldGP(np.arange(2)[:, None], np.zeros((1, 1)), kernel, 1e-16, standardise=False)
    for i in range(25):
        share = 0.5 + 0.001 * i
        model.add(i % 2, 0, np.array([[share, 1.0 - share]]), float(np.sin(i)))
    assert model.jitter > 0.0
    plays = Plays((np.arange(25) % 2.0)[:, None], np.zeros((25, 1)), model.laws)
    expected = kernel(plays) + (model.noise_variance + model.jitter) * np.eye(25)
    np.testing.assert_allclose(model.lower @ model.lower.T, expected, atol=LAW_KERNEL_ATOL)


def test_a_second_set_of_hyperparameters_is_a_fresh_start():
    model, data, values = observed()
    other = AdditiveKernel(0.4, 0.5, 0.6, 1.0, 0.3, 0.8)
    model.set_hyperparameters(other, 0.05)
    law = np.random.default_rng(5).dirichlet(np.ones(ACTIONS), CONTEXTS)
    mean, _ = MeanFieldUCB(model, WEIGHTS, 1.0).posterior(law[None])
    np.testing.assert_allclose(mean[0], next(iter(expected_moments(other, data, values, law))), atol=POSTERIOR_ATOL)


def test_standardised_targets_are_those_of_a_shifted_and_scaled_model():
    plain, _, values = observed()
    scaled, _, _ = observed(standardise=True)
    targets, shift, scale = scaled.targets()
    np.testing.assert_allclose(targets, (values - values.mean()) / values.std())
    assert (shift, scale) == (pytest.approx(values.mean()), pytest.approx(values.std()))
    law = np.full((1, CONTEXTS, ACTIONS), 1.0 / ACTIONS)
    assert not np.allclose(MeanFieldUCB(scaled, WEIGHTS, 0.0).value(law), MeanFieldUCB(plain, WEIGHTS, 0.0).value(law))


def test_log_posterior_is_the_gaussian_density_times_the_priors():
    rng = np.random.default_rng(6)
    points = rng.normal(size=(12, 2))
    apart = np.stack([np.subtract.outer(column, column) ** 2 for column in points.T])
    values = rng.normal(size=12)
    groups, priors = [apart[:1], apart], [GroupPrior(LogNormal(0.2, 1.0), LogNormal(-0.5, 2.0)), LAW_PRIOR]
    logs = np.log([0.7, 1.2, 0.8, 1.5, 0.1])
    gram = 0.7 * np.exp(-apart[0] / (2 * 0.8**2)) + 1.2 * np.exp(-apart / (2 * 1.5**2)).sum(axis=0) + 0.1 * np.eye(12)
    density = stats.multivariate_normal(np.zeros(12), gram).logpdf(values) + 6 * np.log(2 * np.pi)
    means, sds = np.array([0.2, 0.0, -0.5, 1.0, -5.0]), np.array([1.0, 1.5, 2.0, 1.0, 2.0])
    prior = -0.5 * np.sum(((logs - means) / sds) ** 2)
    value, gradient = log_posterior(logs, groups, values, priors, NOISE_PRIOR)
    assert value == pytest.approx(density + prior, abs=POSTERIOR_ATOL)
    for k in range(5):
        step = np.eye(5)[k] * 1e-6
        above, below = (log_posterior(logs + s * step, groups, values, priors, NOISE_PRIOR)[0] for s in (1, -1))
        assert gradient[k] == pytest.approx((above - below) / 2e-6, abs=100 * FINITE_DIFFERENCE)


def test_fit_finds_a_stationary_point_and_recovers_the_length_scale():
    rng = np.random.default_rng(7)
    points = np.sort(rng.uniform(size=120))
    apart = np.subtract.outer(points, points) ** 2
    gram = np.exp(-apart / (2 * 0.1**2)) + 1e-2 * np.eye(120)
    values = np.linalg.cholesky(gram) @ rng.standard_normal(120)
    flat = GroupPrior(LogNormal(0.0, 3.0), LogNormal(0.0, 3.0))
    found = fit_hyperparameters([apart[None]], values, [flat], LogNormal(-4.0, 1.0), iterations=200)
    assert found.lengthscales[0] == pytest.approx(0.1, rel=0.3)
    gradient = log_posterior(found.logs(), [apart[None]], values, [flat], LogNormal(-4.0, 1.0))[1]
    assert np.abs(gradient).max() < 1e-2


def test_a_singular_covariance_ends_the_fit_with_the_best_seen(monkeypatch):
    values, apart = np.random.default_rng(4).normal(size=8), np.zeros((1, 8, 8))
    prior, silent = GroupPrior(LogNormal(0.0, 1.0), LogNormal(0.0, 1.0)), LogNormal(-80.0, 0.01)
    assert fit_hyperparameters([apart], values, [prior], silent) is None
    points = np.linspace(0.0, 1.0, 8)
    apart = (points[:, None] - points)[None] ** 2
    seen = []

    def breaks_at_the_fourth(logs, *rest):
        if len(seen) == 3:
            raise np.linalg.LinAlgError
        seen.append((log_posterior(logs, *rest)[0], logs))
        return log_posterior(logs, *rest)

    monkeypatch.setattr(regression, "log_posterior", breaks_at_the_fourth)
    found = fit_hyperparameters([apart], values, [prior], LogNormal(-2.0, 1.0))
    best = max(seen, key=lambda pair: pair[0])
    assert found.objective == best[0]
    np.testing.assert_allclose(found.logs(), best[1])


def test_fitted_model_measures_laws_in_units_of_their_own_distances():
    """Laws that are ten times closer together get a length-scale ten times shorter, and the same posterior."""
    rng = np.random.default_rng(8)
    laws = rng.dirichlet(np.ones(4), (25, 1))
    lengths = []
    for share in (1.0, 0.1):
        model = MeanFieldGP(np.zeros((4, 1)), np.zeros((1, 1)))
        for law in laws:
            model.add(0, 0, 0.25 + share * (law - 0.25), float(np.sin(5 * law[0, 0])))
        assert model.fit(FitSchedule(iterations=100))
        lengths.append(model.kernel.law_lengthscale)
    assert lengths[0] / lengths[1] == pytest.approx(10.0, rel=1e-3)


def test_joint_and_additive_fits_agree_with_one_context():
    rng = np.random.default_rng(9)
    kernels = []
    for coupling in ("additive", "joint"):
        model = MeanFieldGP(np.zeros((3, 1)), np.zeros((1, 1)), AdditiveKernel(coupling=coupling))
        for law in np.random.default_rng(1).dirichlet(np.ones(3), (15, 1)):
            model.add(0, 0, law, float(law[0, 0] + 0.1 * rng.normal()))
        rng = np.random.default_rng(9)
        model.fit(FitSchedule())
        kernels.append(model.kernel)
    assert kernels[0].law_scale == pytest.approx(kernels[1].law_scale)
    assert kernels[0].law_lengthscale == pytest.approx(kernels[1].law_lengthscale)


@pytest.mark.parametrize("coupling", ["additive", "joint"])
def test_fitted_covariance_is_the_one_whose_likelihood_was_maximised(coupling):
    """Two contexts: the objective reached, recomputed from the fitted kernel's own covariance matrix and the priors."""
    model, _, _ = observed(AdditiveKernel(coupling=coupling), standardise=True)
    unit = model.law_unit()
    assert model.fit(FitSchedule())
    kernel, targets = model.kernel, model.targets()[0]
    density = stats.multivariate_normal(np.zeros(COUNT), model.lower @ model.lower.T).logpdf(targets)
    whole = kernel.law_scale * (CONTEXTS if coupling == "joint" else 1)
    priors = ((kernel.action_scale, -2, 1.5), (kernel.context_scale, -2, 1.5), (whole, 0, 1.5))
    priors += ((kernel.action_lengthscale, 0, 1), (kernel.context_lengthscale, 0, 1))
    priors += ((kernel.law_lengthscale / unit, 1, 1), (model.noise_variance, -5, 2))
    logs = sum(-0.5 * ((np.log(value) - mean) / sd) ** 2 for value, mean, sd in priors)
    expected = density + COUNT / 2 * np.log(2 * np.pi) + logs
    assert model.last_fit.objective == pytest.approx(expected, abs=1e-6)


def test_printed_form_is_refused():
    with pytest.raises(ParameterError, match="printed"):
        MeanFieldGP(*features(), AdditiveKernel(form="printed"))


PROBLEM = reference.Congestion([[0.9, 0.6, 0.3, 0.1], [0.0, 0.2, 0.7, 0.4]], 1.0, WEIGHTS)


def policy(seed=0, **options):
    rng = np.random.default_rng(seed)
    return MeanFieldGPUCB(PROBLEM.action_features, PROBLEM.context_features, WEIGHTS, rng, **options)


def played(run, rounds, seed=0):
    """Average payoffs (rounds,) of the laws that ``run`` asks for; it is told the payoff of a representative agent."""
    rng, reached = np.random.default_rng(seed), []
    for _ in range(rounds):
        law = run.ask()
        c = int(rng.choice(CONTEXTS, p=WEIGHTS))
        x = int(rng.choice(ACTIONS, p=law[c] / law[c].sum()))
        reached.append(float(PROBLEM.reward(law[None])[0]))
        run.tell(x, c, reached[-1] + 0.01 * float(rng.normal()))
    return np.array(reached)


@pytest.mark.slow
@pytest.mark.parametrize("search", [LOCAL_SEARCH, None], ids=["local", "exact"])
def test_mf_gp_ucb_gets_close_to_the_optimum_and_random_does_not(search):
    ends = [played(policy(seed, search=search), 50, seed)[-10:].mean() for seed in range(2)]
    chance = [
        played(RandomLaws((CONTEXTS, ACTIONS), np.random.default_rng(seed)), 50, seed)[-10:].mean() for seed in range(2)
    ]
    start = PROBLEM.optimum - max(chance)
    assert PROBLEM.optimum - np.mean(ends) < 0.15 * start


def test_asked_law_maximises_the_acquisition():
    run = policy(model=known_model(AdditiveKernel(law_lengthscale=0.4), 0.01), initial=3)
    pool = random_laws(5000, (CONTEXTS, ACTIONS), np.random.default_rng(1))
    rng = np.random.default_rng(2)
    for number in range(1, 13):
        law = run.ask()
        if number > 3:
            ucb = run.acquisition(3.0)
            assert ucb.value(law[None])[0] >= ucb.value(pool).max() - 1e-9
        run.tell(0, 0, float(PROBLEM.reward(law[None])[0] + 0.1 * rng.normal()))


def test_search_starts_from_the_two_laws_with_the_largest_observations():
    given = []

    def search(objective, incumbents, generator, value):
        given.append(incumbents.copy())
        return LOCAL_SEARCH(objective, incumbents, generator, value)

    run = policy(search=search, initial=5)
    laws, rewards = [], [0.3, 0.9, -1.0, 0.5, 0.1]
    for reward in rewards:
        laws.append(run.ask())
        run.tell(0, 0, reward)
    run.ask()
    np.testing.assert_array_equal(given[0], [laws[1], laws[3]])


@pytest.mark.slow
def test_width_decides_and_is_recorded():
    logs = []
    for width in (PracticeWidth(0.0), TheoryWidth(ACTIONS, CONTEXTS, 2.0, 2.0)):
        run = policy(width=width, initial=4)
        played(run, 12)
        logs.append(run.diagnostics())
    assert logs[1]["acquisition"]["width"] == [TheoryWidth(ACTIONS, CONTEXTS, 2.0, 2.0)(t) for t in range(5, 13)]
    assert logs[0]["width"]["kind"] == "practice"
    assert min(logs[1]["acquisition"]["acquisition"]) > max(logs[0]["acquisition"]["acquisition"])


def test_same_seed_same_laws_and_the_design_is_the_random_baselines():
    one, two = policy(3), policy(3)
    laws = [one.ask(), two.ask()]
    np.testing.assert_array_equal(*laws)
    np.testing.assert_array_equal(laws[0], RandomLaws((CONTEXTS, ACTIONS), np.random.default_rng(3)).ask())
    assert laws[0].max(axis=1) / laws[0].min(axis=1) == pytest.approx(1, abs=np.e)
    assert isinstance(one, LawPolicy)


def test_known_model_is_never_fitted():
    run = policy(model=known_model(KERNEL, 0.05), initial=2)
    played(run, 8)
    assert run.model.kernel == KERNEL
    assert run.diagnostics()["fits"] == []
    np.testing.assert_array_equal(run.model.targets()[0], run.model.values)


@pytest.mark.slow
def test_recommended_law_was_played_and_has_the_largest_posterior_mean():
    run = policy()
    played(run, 20)
    found = run.recommend()
    values = run.acquisition(0.0).value(run.model.laws)
    np.testing.assert_array_equal(found, run.model.laws[np.argmax(values)])


def test_protocol_is_kept():
    run = policy()
    with pytest.raises(ParameterError, match="ask"):
        run.tell(0, 0, 1.0)
    run.ask()
    with pytest.raises(ParameterError, match="tell"):
        run.ask()
    with pytest.raises(ParameterError, match="action"):
        run.tell(ACTIONS, 0, 1.0)
    with pytest.raises(ParameterError, match="value"):
        run.tell(0, 0, float("nan"))
    with pytest.raises(ParameterError, match="law"):
        run.tell(0, 0, 1.0, np.full((CONTEXTS, ACTIONS), 0.3))
    with pytest.raises(ParameterError, match="context_weights"):
        MeanFieldGPUCB(PROBLEM.action_features, PROBLEM.context_features, [0.5, 0.6], np.random.default_rng(0))


def test_priors_of_the_fit_are_those_stated():
    schedule = FitSchedule()
    assert (schedule.action, schedule.law, schedule.noise) == (OWN_PRIOR, LAW_PRIOR, NOISE_PRIOR)
    assert [t for t in range(45, 70) if schedule.due(t)] == [*range(45, 51), 55, 60, 65]


def test_random_laws_are_of_the_stated_families():
    """A softmax of uniform numbers; a Dirichlet law of concentration 1/2, whose sum of squares is (1 + 1/2) / (1 + n / 2)."""
    drawn = [RandomLaws((20_000, 4), stream(0, "families"), kind).ask() for kind in ("softmax", "dirichlet")]
    numbers = stream(0, "families").uniform(size=(20_000, 4))
    weights = np.exp(numbers)
    np.testing.assert_allclose(drawn[0], weights / weights.sum(axis=1, keepdims=True), rtol=1e-12)
    squares = np.square(drawn[1]).sum(axis=1)
    assert abs(squares.mean() - 0.5) < 4 * squares.std() / np.sqrt(len(squares))
