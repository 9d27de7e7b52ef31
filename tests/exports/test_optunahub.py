"""The samplers for OptunaHub: the registry's layout, and inside Optuna the package's own points, seed by seed."""

import importlib.util
import itertools
import math
import re
import subprocess
import sys
import warnings

import numpy as np
import pytest
import yaml

import companion as cp
from companion.cli import main
from companion.core.errors import ParameterError
from companion.exports.forms import optunahub

SAMPLERS = {"tsrsr": ("ts_rsr", "TSRSRSampler"), "batched": ("bpe", "BPESampler")}
#: Of the registry's template (optuna/optunahub-registry, template/README.md).
FRONT = {"author", "title", "description", "tags", "optuna_versions", "license"}
FILES = {
    "README.md",
    "LICENSE",
    "__init__.py",
    "_session.py",
    "example.py",
    "requirements.txt",
    "tests/test_sampler.py",
}


@pytest.fixture(scope="module")
def exported(root, tmp_path_factory):
    """Folders of the registry with a sampler in each, by paper."""
    folders = {paper: tmp_path_factory.mktemp("registry") / paper for paper in SAMPLERS}
    for paper, folder in folders.items():
        assert main(["export", paper, "--form", "optunahub", "--out", str(folder)]) == 0
    return folders


@pytest.mark.parametrize("paper", SAMPLERS)
def test_a_package_has_the_layout_of_the_registry(paper, exported):
    name, sampler = SAMPLERS[paper]
    package = exported[paper] / "package" / "samplers" / name
    assert {path.relative_to(package).as_posix() for path in package.rglob("*") if path.is_file()} == FILES
    _, front, text = (package / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    told = yaml.safe_load(front)
    assert set(told) == FRONT
    assert "sampler" in told["tags"]
    assert told["license"] == "MIT License"
    assert all(isinstance(version, str) for version in told["optuna_versions"])
    assert {f"## {title}" for title in ("Abstract", "APIs", "Installation", "Example")} <= set(text.splitlines())
    assert re.search(r"<[a-z/]+>", text) is None  # the registry removes HTML
    assert f"- `{sampler}(" in text
    assert (package / "LICENSE").read_text(encoding="utf-8").startswith("MIT License\n")
    assert "<" not in (package / "LICENSE").read_text(encoding="utf-8")
    assert "gp-bandit-companion" in (package / "requirements.txt").read_text(encoding="utf-8").split()
    # The policies are the package's: nothing of them is written a second time.
    assert "cp.for_problem(" in (package / "_session.py").read_text(encoding="utf-8")


def test_a_paper_without_a_sampler_is_refused(root):
    with pytest.raises(ParameterError):
        optunahub("wdrbo", root)


# -- inside Optuna -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def optuna():
    found = pytest.importorskip("optuna", reason="Optuna is in the extra widths, not in the lock")
    found.logging.disable_default_handler()
    return found


@pytest.fixture(scope="module")
def samplers(optuna, exported):
    """Sampler classes by paper, loaded as the hub loads a package: from its folder."""
    loaded = {}
    for paper, (name, sampler) in SAMPLERS.items():
        place = exported[paper] / "package" / "samplers" / name / "__init__.py"
        spec = importlib.util.spec_from_file_location(
            f"hub_{name}", place, submodule_search_locations=[str(place.parent)]
        )
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            spec.loader.exec_module(module)
        loaded[paper] = getattr(module, sampler)
    return loaded


def bowl(x, y):
    """Of two floats; small is better."""
    return (x - 1.0) ** 2 + 0.3 * (y + 2.0) ** 2


def trees(depth, rate, rule):
    """Of an integer, a number by its logarithm, and a category; large is better."""
    return -0.05 * (depth - 6) ** 2 - 0.3 * (math.log10(rate) + 2.0) ** 2 + {"a": 0.0, "b": 0.4, "c": -0.2}[rule]


def spaces(distributions):
    """By function: direction, and the space."""
    return {
        bowl: ("minimize", {"x": distributions.FloatDistribution(-5, 5), "y": distributions.FloatDistribution(-4, 4)}),
        trees: (
            "maximize",
            {
                "depth": distributions.IntDistribution(1, 10),
                "rate": distributions.FloatDistribution(1e-4, 1.0, log=True),
                "rule": distributions.CategoricalDistribution(["a", "b", "c"]),
            },
        ),
    }


POINTS = 5


def listed(function):
    """Candidates of a function, written down a second time: parameters, and coordinates."""
    if function is bowl:
        rows = itertools.product(np.linspace(-5, 5, POINTS), np.linspace(-4, 4, POINTS))
        return [((x, y), ((x + 5) / 10, (y + 4) / 8)) for x, y in rows]
    rates, corner = np.geomspace(1e-4, 1.0, POINTS), np.eye(3) / np.sqrt(2)
    rows = itertools.product(range(1, 11), range(POINTS), range(3))
    return [((d, rates[k], "abc"[r]), ((d - 1) / 9, k / (POINTS - 1), *corner[r])) for d, k, r in rows]


def own_points(paper, function, seed, count):
    """Parameters of the package's own picks."""
    sign = -1.0 if function is bowl else 1.0
    if (paper, function) == ("tsrsr", bowl):
        session = cp.for_problem("ts-rsr", cp.Box([-5, -4], [5, 4]), seed=seed, batch_size=3, initial=4, noise_sd=0.01)
        while session.told < count:
            session.tell([sign * function(*point) for point in session.ask()])
        return session.asked.tolist()
    rows = listed(function)
    problem = cp.Candidates(np.array([place for _, place in rows]), cp.Matern(2.5, 0.2), noise_sd=0.1)
    if paper == "tsrsr":
        session = cp.for_problem("ts-rsr", problem, seed=seed, batch_size=3, initial=4)
    else:
        session = cp.for_problem("bpe", problem, seed=seed, horizon=count, width=2.0)
    while session.told < count:
        session.tell([sign * function(*rows[pick][0]) for pick in session.ask()])
    return [list(rows[pick][0]) for pick in session.asked]


def made(samplers, paper, function, seed, count, space):
    settings = {"tsrsr": {"batch_size": 3, "initial": 4}, "batched": {"horizon": count, "width": 2.0}}[paper]
    noise = 0.01 if (paper, function) == ("tsrsr", bowl) else 0.1
    return samplers[paper](space, seed=seed, noise_sd=noise, points=POINTS, **settings)


def trial_points(optuna, sampler, function, count, direction, space):
    """Parameters of Optuna's trials."""
    study = optuna.create_study(direction=direction, sampler=sampler)
    for _ in range(count):
        trial = study.ask(space)
        study.tell(trial, function(**trial.params))
    return [[trial.params[name] for name in space] for trial in study.trials]


def agree(ones, others):
    """Whether two lists of points are the same; numbers to the rounding of a logarithm."""
    pairs = [pair for one, other in zip(ones, others, strict=True) for pair in zip(one, other, strict=True)]
    return all(a == b or (isinstance(a, float) and math.isclose(a, b, rel_tol=1e-12)) for a, b in pairs)


CASES = [(paper, function) for paper in SAMPLERS for function in (bowl, trees)]
COUNT = 16


@pytest.mark.parametrize(("paper", "function"), CASES, ids=[f"{p}-{f.__name__}" for p, f in CASES])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_trials_are_the_points_of_the_package(paper, function, seed, optuna, samplers):
    direction, space = spaces(optuna.distributions)[function]
    sampler = made(samplers, paper, function, seed, COUNT, space)
    assert agree(
        trial_points(optuna, sampler, function, COUNT, direction, space), own_points(paper, function, seed, COUNT)
    )


@pytest.mark.parametrize(("paper", "function"), CASES, ids=[f"{p}-{f.__name__}" for p, f in CASES])
def test_a_sampler_that_ignores_values_is_noticed(paper, function, optuna, samplers, monkeypatch):
    direction, space = spaces(optuna.distributions)[function]
    monkeypatch.setattr(samplers[paper], "_value", lambda self, study, trial: 0.0)
    deaf = made(samplers, paper, function, 0, COUNT, space)
    assert not agree(
        trial_points(optuna, deaf, function, COUNT, direction, space), own_points(paper, function, 0, COUNT)
    )


def test_a_study_goes_on_with_a_fresh_sampler_and_not_with_another_seed(optuna, samplers):
    direction, space = spaces(optuna.distributions)[bowl]
    whole = trial_points(optuna, made(samplers, "tsrsr", bowl, 0, 0, space), bowl, 10, direction, space)
    study = optuna.create_study(direction=direction)
    for number in range(10):
        study.sampler = made(samplers, "tsrsr", bowl, 0, 0, space) if number in (0, 6) else study.sampler
        trial = study.ask(space)
        study.tell(trial, bowl(**trial.params))
    assert agree([[trial.params[name] for name in space] for trial in study.trials], whole)
    study.sampler = made(samplers, "tsrsr", bowl, 1, 0, space)
    with pytest.raises(ValueError, match="seed and settings"):
        study.ask(space)


def test_a_batch_is_out_at_once_and_what_failed_is_asked_again(optuna, samplers):
    direction, space = spaces(optuna.distributions)[bowl]
    study = optuna.create_study(direction=direction, sampler=made(samplers, "tsrsr", bowl, 0, 0, space))
    batch = [study.ask(space) for _ in range(4)]
    with pytest.raises(RuntimeError, match="all 4 points of the batch are out"):
        study.ask(space)
    study.tell(batch[2], state=optuna.trial.TrialState.FAIL)
    again = study.ask(space)
    assert again.params == batch[2].params
    for trial in (batch[3], batch[0], again, batch[1]):  # in any order
        study.tell(trial, bowl(**trial.params))
    fifth = study.ask(space)
    assert agree([[fifth.params[name] for name in space]], own_points("tsrsr", bowl, 0, 7)[4:5])
    assert set(study.sampler.recommend(study)) == set(space)


def test_enqueued_trials_run_and_are_not_told(optuna, samplers):
    direction, space = spaces(optuna.distributions)[bowl]
    study = optuna.create_study(direction=direction, sampler=made(samplers, "tsrsr", bowl, 0, 0, space))
    study.enqueue_trial({"x": 1.0})
    first, second = study.ask(space), study.ask(space)
    assert first.params["x"] == 1.0
    assert agree([[second.params[name] for name in space]], own_points("tsrsr", bowl, 0, 4)[:1])


def test_what_the_policies_cannot_do_is_refused_in_one_sentence(optuna, samplers):
    d = optuna.distributions
    cases = [
        ("search_space: it is empty", lambda: samplers["tsrsr"]({})),
        ("search_space: 'x' is 'wide'", lambda: samplers["tsrsr"]({"x": "wide"})),
        ("search_space: 10000 candidates", lambda: samplers["tsrsr"]({"x": d.IntDistribution(1, 10000)})),
        ("at most 4000", lambda: samplers["batched"]({n: d.FloatDistribution(0, 1) for n in "abcd"}, horizon=9)),
        ("horizon: got 1", lambda: samplers["batched"]({"x": d.IntDistribution(1, 9)}, horizon=1)),
        ("noise_sd: got 0", lambda: samplers["tsrsr"]({"x": d.IntDistribution(1, 9)}, noise_sd=0)),
    ]
    for said, call in cases:
        with pytest.raises(ValueError, match=re.escape(said)) as caught:
            call()
        assert "\n" not in str(caught.value)
    space = {"x": d.FloatDistribution(0, 1)}
    study = optuna.create_study(sampler=samplers["tsrsr"](space))
    for name, high in (("x", 0.0), ("z", 1.0)):
        with pytest.raises(ValueError, match=f"'{name}' is suggested over"):
            study.ask().suggest_float(name, -1.0, high - 0.5)
    several = optuna.create_study(directions=["minimize", "minimize"], sampler=samplers["tsrsr"](space))
    with pytest.raises(ValueError, match="it has 2 objectives; expected one"):
        several.ask(space)


@pytest.mark.parametrize("paper", SAMPLERS)
def test_the_tests_of_a_package_pass(paper, optuna, exported):
    pytest.importorskip("optunahub", reason="OptunaHub's loader is not in the lock")
    call = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "package"]
    done = subprocess.run(call, cwd=exported[paper], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
