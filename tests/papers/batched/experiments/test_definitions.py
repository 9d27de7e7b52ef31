import dataclasses
import json
import math

import numpy as np
import pytest
from tolerances import PROBLEM_DIGITS, RKHS_NORM_RTOL

from companion.core.errors import ParameterError
from companion.core.randomness import stream
from companion.gp import Matern, SquaredExponential
from companion.papers.batched.experiments.definitions import EXPERIMENTS
from companion.papers.batched.problems.catalogue import (
    LARGEST_DOMAIN,
    grid_covariance,
    known_norm_problem,
    robust_problem,
    three_arms,
)
from companion.papers.batched.problems.hard_class import BumpFamily
from companion.papers.batched.theory.lower import hard_class_problem, regret_lower_bound
from companion.registry import experiment
from companion.simulate import Method

APPENDIX_E, KNOWN_NORM, ROBUST, HARD_CLASS = (
    experiment("batched", name) for name in ("appendix-e", "known-norm", "robust", "hard-class")
)
SMALL = {"points_per_axis": 12, "horizon": 120}


def sizes_of(run):
    return np.bincount(run.batch)[1:].tolist()


# -- Appendix E --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "sizes"),
    [
        ({"schedule": "original"}, [32, 179, 424, 365]),
        ({"a": 0.31}, [118, 515, 367]),
        ({"a": 0.36}, [84, 409, 507]),
        ({"a": 0.4}, [64, 332, 604]),
        ({"a": 0.5}, [32, 178, 422, 368]),
        ({"a": 0.52}, [28, 155, 379, 438]),
        ({"a": 0.6}, [16, 84, 225, 409, 266]),
        ({"a": 0.65}, [12, 55, 151, 292, 449, 41]),
    ],
)
def test_the_papers_batch_sizes_at_full_horizon(setting, sizes):
    assert sizes_of(APPENDIX_E.run("bpe", 0, {"points_per_axis": 12, **setting})) == sizes


def test_fixed_batches_end_at_the_end_points():
    # t_i = ceil(T^((1-eta^i)/(1-eta^B)) (log T)^((eta^i-eta^B)/(1-eta^B))) with eta = 0.3 for Matern 3/2 in two dimensions
    run = APPENDIX_E.run("bpe", 0, {"points_per_axis": 12, "schedule": "constant", "batches": 3})
    log = math.log(1000)
    ends = [math.ceil(1000 ** ((1 - 0.3**i) / 0.973) * log ** ((0.3**i - 0.027) / 0.973)) for i in (1, 2)] + [1000]
    assert np.cumsum(sizes_of(run)).tolist() == ends


@pytest.mark.slow
def test_the_acceptance_run_has_its_batches_width_and_records():
    values = {"kernel": "matern32", "schedule": "power", "a": 0.4, "horizon": 1000}
    first = APPENDIX_E.run("bpe", 0, values)
    assert len(first) == 1000
    assert sizes_of(first) == [64, 332, 604]
    assert (np.diff(first.cumulative_regret) >= 0).all()
    assert first.meta["parameters"]["points_per_axis"] == 50
    assert first.query.max() < 2500
    record = first.to_json()
    json.dumps(record)
    assert record["diagnostics"]["width"] == [math.sqrt(2)] * 3
    assert {"maximiser_kept", "mean_gap", "coverage"} <= set(record["diagnostics"])


def test_schedules_at_one_seed_share_function_and_noise_and_seeds_do_not():
    setups = [APPENDIX_E.ready("bpe", 3, {**SMALL, **setting}) for setting in (
        {"a": 0.4}, {"schedule": "original"}, {"schedule": "constant"}, {"beta": 9.0}, {"model_lengthscale": 1.0},
    )]  # fmt: skip
    for other in setups[1:]:
        assert np.array_equal(other.modelled.problem.values, setups[0].modelled.problem.values)
        assert np.array_equal(other.noise, setups[0].noise)
    another = APPENDIX_E.ready("bpe", 4, SMALL)
    assert not np.array_equal(another.modelled.problem.values, setups[0].modelled.problem.values)
    longer = APPENDIX_E.ready("bpe", 3, {**SMALL, "horizon": 200})
    assert np.array_equal(longer.noise[:120], setups[0].noise)


def test_first_batches_agree_across_seeds_because_designs_ignore_values():
    first, second = (APPENDIX_E.run("bpe", seed, SMALL) for seed in (0, 1))
    inside = first.batch == 1
    assert np.array_equal(first.query[inside], second.query[inside])
    assert not np.array_equal(first.query, second.query)


def test_the_two_readings_of_beta_are_two_widths():
    widths = {
        reading: APPENDIX_E.run("bpe", 0, {**SMALL, "reading": reading, "beta": 9.0}).diagnostics["width"][0]
        for reading in ("text", "multiplier")
    }
    assert widths == {"text": 3.0, "multiplier": 9.0}


@pytest.mark.slow
def test_the_domain_and_the_model_are_the_papers():
    setup = APPENDIX_E.ready("bpe", 0)
    points = setup.modelled.problem.points
    assert points.shape == (2500, 2)
    assert (points.min(), points.max()) == (-5.0, 5.0)
    distance = np.linalg.norm(points[0] - points[51]) / 0.5
    z = math.sqrt(3) * distance
    assert setup.modelled.covariance[0, 51] == pytest.approx((1 + z) * math.exp(-z), rel=1e-12)
    assert setup.modelled.problem.noise_sd == 0.02


# -- refused settings --------------------------------------------------------------------------------------------------

WRONG = [
    ("appendix-e", {"kernal": "se"}, "kernal"),
    ("appendix-e", {"kernel": "matern23"}, "kernel"),
    ("appendix-e", {"kernel": 2}, "kernel"),
    ("appendix-e", {"schedule": "powr"}, "schedule"),
    ("appendix-e", {"schedule": []}, "schedule"),
    ("appendix-e", {"a": 1}, "a"),
    ("appendix-e", {"a": 0.0}, "a"),
    ("appendix-e", {"a": "0.4"}, "a"),
    ("appendix-e", {"a": math.nan}, "a"),
    ("appendix-e", {"a": 0.5, "schedule": "original"}, "a"),
    ("appendix-e", {"horizon": -1000}, "horizon"),
    ("appendix-e", {"horizon": 1}, "horizon"),
    ("appendix-e", {"horizon": 1000.0}, "horizon"),
    ("appendix-e", {"horizon": True}, "horizon"),
    ("appendix-e", {"noise": 0.0}, "noise"),
    ("appendix-e", {"noise": math.inf}, "noise"),
    ("appendix-e", {"batches": 3}, "batches"),
    ("appendix-e", {"schedule": "constant", "batches": 1}, "batches"),
    ("appendix-e", {"schedule": "constant", "batches": 40, "kernel": "se"}, "batches"),
    ("appendix-e", {"points_per_axis": 1}, "points_per_axis"),
    ("appendix-e", {"beta": -2.0}, "beta"),
    ("appendix-e", {"model_lengthscale": []}, "model_lengthscale"),
    ("known-norm", {"norm": 0.0}, "norm"),
    ("known-norm", {"delta": 1.0}, "delta"),
    ("known-norm", {"dim": 3, "points_per_axis": 60}, "points_per_axis"),
    ("known-norm", {"width": "theroy"}, "width"),
    ("robust", {"problem": "toy"}, "problem"),
    ("robust", {"xi": -0.1}, "xi"),
    ("robust", {"multiplier": "2"}, "multiplier"),
    ("hard-class", {"class_number": 4}, "class_number"),
    ("hard-class", {"member": 4}, "member"),
    ("hard-class", {"points_per_cell": 2}, "points_per_cell"),
]


@pytest.mark.parametrize(("name", "values", "offender"), WRONG, ids=lambda value: str(value)[:60])
def test_wrong_parameters_are_refused_by_name(name, values, offender):
    chosen = experiment("batched", name)
    with pytest.raises(ParameterError) as caught:
        chosen.run(chosen.method_names[0], 0, values)
    assert caught.value.name == offender
    assert str(caught.value).startswith(f"{offender}:")
    assert caught.value.exit_code == 2


def test_unused_settings_at_their_defaults_are_accepted():
    resolved = APPENDIX_E.parameters.resolve({**SMALL, "schedule": "original"})
    assert len(APPENDIX_E.run("bpe", 0, resolved)) == 120


def test_every_parameter_says_what_it_is_and_where_it_comes_from():
    for chosen in EXPERIMENTS:
        for parameter in chosen.parameters.parameters:
            assert parameter.help, parameter.name
            assert parameter.source, parameter.name
            assert parameter.range, parameter.name


# -- the other experiments ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "method"), [(chosen.name, method) for chosen in EXPERIMENTS for method in chosen.method_names]
)
def test_every_method_runs_and_reports_json(name, method):
    chosen = experiment("batched", name)
    values = {"horizon": 150} | ({"points_per_axis": 15} if "points_per_axis" in chosen.parameters.names else {})
    run = chosen.run(method, 5, values)
    assert len(run) == 150
    assert (run.instantaneous_regret >= 0).all()
    json.dumps(run.to_json())
    again = chosen.run(method, 5, values)
    assert np.array_equal(run.query, again.query)


@pytest.mark.parametrize(
    ("name", "method"), [("known-norm", "bpe"), ("robust", "robust-bpe"), ("hard-class", "bpe-early")]
)
def test_theory_widths_count_candidates_and_batches(name, method):
    chosen = experiment("batched", name)
    p = {"horizon": 150, "delta": 0.05}
    setup = chosen.ready(method, 0, p)
    run = setup.run()
    batches = len(run.diagnostics["sizes"])
    events = setup.modelled.problem.size * batches / 0.05
    expected = setup.modelled.norm + math.sqrt(2 * math.log(events))
    assert run.diagnostics["width"] == pytest.approx([expected] * batches, rel=1e-12)
    fixed = chosen.run(method, 0, {**p, "width": "fixed", "multiplier": 1.5})
    assert set(fixed.diagnostics["width"]) == {1.5}


@pytest.mark.parametrize("problem", ["toy-1d", "peak-2d"])
def test_stableopts_theory_width_has_the_problems_norm_and_the_gain_so_far(problem):
    """Psi + sqrt(2 (I_{t-1} + log 1/delta)), Psi the norm of the interpolant of the values."""
    setup = ROBUST.ready("stableopt", 0, {"problem": problem, "horizon": 25, "delta": 0.05, "noise": 0.3})
    f, covariance = setup.modelled.problem.values, setup.modelled.covariance
    norm = math.sqrt(f @ np.linalg.solve(covariance, f))
    run = setup.run()
    for t, width in enumerate(run.diagnostics["width"]):
        played = covariance[np.ix_(run.query[:t], run.query[:t])]
        gain = 0.5 * np.linalg.slogdet(np.eye(t) + played / 0.09)[1]
        assert width == pytest.approx(norm + math.sqrt(2 * (gain + math.log(20))), rel=RKHS_NORM_RTOL)


def test_methods_of_the_robust_experiment_share_problem_and_noise():
    setups = [ROBUST.ready(method, 2) for method in ROBUST.method_names]
    for other in setups[1:]:
        assert np.array_equal(other.noise, setups[0].noise)
        assert np.array_equal(other.modelled.problem.values, setups[0].modelled.problem.values)


@pytest.mark.parametrize(
    ("name", "ordinary", "robust", "norm"),
    [
        ("toy-1d", (23, 1.0, 0.707), (92, 0.903, 0.807), 1.638),
        ("peak-2d", (80, 1.0, 0.264), (319, 0.978, 0.836), 2.184),
    ],
)
def test_robust_problems_have_two_different_optima(name, ordinary, robust, norm):
    modelled = robust_problem(name)
    problem = modelled.problem
    # The worst neighbour by brute force over distances.
    radius = {"toy-1d": 0.06, "peak-2d": 0.15}[name] + 1e-12
    distance = np.linalg.norm(problem.points[:, None] - problem.points[None], axis=2)
    worst = np.where(distance <= radius, problem.values[None, :], np.inf).min(axis=1)
    for index, (place, value, guaranteed) in ((problem.values.argmax(), ordinary), (worst.argmax(), robust)):
        assert index == place
        assert problem.values[index] == pytest.approx(value, abs=PROBLEM_DIGITS)
        assert worst[index] == pytest.approx(guaranteed, abs=PROBLEM_DIGITS)
    assert modelled.norm == pytest.approx(norm, abs=PROBLEM_DIGITS)
    restricted = problem.values @ np.linalg.solve(modelled.covariance, problem.values)
    assert math.sqrt(restricted) == pytest.approx(modelled.norm, rel=RKHS_NORM_RTOL)


@pytest.mark.parametrize("construction", ["expansion", "eigen", "sphere"])
@pytest.mark.parametrize(("dim", "axis"), [(1, 30), (2, 6)])
def test_known_norms_are_the_norms(construction, dim, axis):
    modelled = known_norm_problem(
        Matern(1.5, 0.3),
        stream(1, "f"),
        points_per_axis=axis,
        dim=dim,
        norm=2.5,
        construction=construction,
    )
    f = modelled.problem.values
    assert math.sqrt(f @ np.linalg.solve(modelled.covariance, f)) == pytest.approx(2.5, rel=RKHS_NORM_RTOL)


def test_counterexamples_have_the_relations_they_need():
    problem = three_arms().problem
    assert problem.robust_values.tolist() == [0.0, 0.0, -1.0]
    assert three_arms(path=True).problem.robust_values.tolist() == [0.0, -1.0, -1.0]


def test_the_hard_classes_share_one_domain_and_differ_in_height():
    family = BumpFamily(Matern(1.5, 0.2), 1, 1.0)
    bound = regret_lower_bound(family, 2000, 3, 1.0)
    problems = [hard_class_problem(family, bound, number, 1).problem for number in (1, 2, 3)]
    for other, item in zip(problems, bound.classes, strict=True):
        assert np.array_equal(other.points, problems[0].points)
        assert other.optimum == pytest.approx(2 * item.epsilon, rel=1e-9)
    zero = hard_class_problem(family, bound, 1, None).problem
    assert not zero.values.any()
    with pytest.raises(ParameterError, match="points_per_cell"):
        hard_class_problem(family, bound, 1, 0, points_per_cell=99)


def test_the_lower_bound_lies_below_the_class_average_of_every_player():
    # Theorem 2 bounds a maximum over classes; the average over the first class at a small horizon is quick to compute.
    values = {"horizon": 500, "kernel": "matern32"}
    for method in HARD_CLASS.method_names:
        runs = [HARD_CLASS.run(method, 0, {**values, "member": member}) for member in range(4)]
        average = np.mean([run.cumulative_regret[-1] for run in runs])
        assert average > runs[0].diagnostics["lower_bound"]


def test_players_end_their_batches_where_they_should():
    from companion.papers.batched.method.sizes import reference_times

    times = reference_times(2000, 3, 1.5, 1)
    ends = {
        method: np.cumsum(sizes_of(HARD_CLASS.run(method, 0, {"points_per_cell": 1}))).tolist()
        for method in HARD_CLASS.method_names
    }
    assert ends["bpe-reference"] == list(times)
    assert ends["bpe-early"] == [times[0] // 2, times[1] // 2, 2000]
    assert ends["bpe-adaptive"][0] == times[0]


def test_cached_covariances_are_read_only_and_bounded():
    first = grid_covariance(SquaredExponential(0.3), 10, 2)
    assert first is grid_covariance(SquaredExponential(0.3), 10, 2)
    with pytest.raises(ValueError, match="read-only"):
        first[0, 0] = 2.0
    with pytest.raises(ParameterError, match=str(LARGEST_DOMAIN)):
        grid_covariance(SquaredExponential(0.3), 71, 2)


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda e: e.name)
def test_a_method_put_in_by_its_name_alone_is_refused_and_does_not_run_as_another(experiment):
    own = dataclasses.replace(experiment, methods=(*experiment.methods, Method("mine", "an own method")))
    with pytest.raises(ParameterError, match=r"^method:"):
        own.ready("mine", 0)


def test_classes_are_numbered_from_one_to_the_number_of_batches():
    """The last one is there, the next is refused; so are members beyond a class."""
    asked, small = experiment("batched", "hard-class"), {"horizon": 60, "batches": 2, "points_per_cell": 1}
    last = asked.ready("bpe-reference", 0, small | {"class_number": 2})
    size = last.facts["class_size"]
    with pytest.raises(ParameterError, match="class_number"):
        asked.ready("bpe-reference", 0, small | {"class_number": 3})
    asked.ready("bpe-reference", 0, small | {"class_number": 2, "member": size - 1})
    with pytest.raises(ParameterError, match="member"):
        asked.ready("bpe-reference", 0, small | {"class_number": 2, "member": size})
