"""Golden values: the companion gives them, and each planted convention is called by its name."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from scipy.stats import norm

import companion as cp
from companion.bounds.bound import BoundSetting
from companion.bounds.confidence import FixedBeta
from companion.gp.data import DataPosterior
from companion.papers.across.theory import classical_widths
from companion.policies.acquisition import expected_improvement, log_expected_improvement

FOLDER = Path(__file__).resolve().parents[2] / "data" / "golden"
GOLDEN = json.loads((FOLDER / "golden.json").read_text(encoding="utf-8"))
CASES = {case["id"]: case for case in GOLDEN["cases"]}
PLANTED = [(kind, name) for kind, names in GOLDEN["conventions"].items() for name in names]

# --- the companion's answers; what it has no function for is written out -------------------------------------------------


def covariance_function(kernel: str, lengthscale: Any, variance: float) -> Any:
    made = cp.kernel(kernel, lengthscale=lengthscale)
    return type(made)(**{**vars(made), "variance": variance})


def posterior(X: list, y: list, X_new: list, noise_sd: float, **model: Any) -> tuple:
    points = np.asarray(X, dtype=float).reshape(-1, np.shape(X_new)[1])
    fitted = DataPosterior(covariance_function(**model), points, y, noise_sd**2)
    mean, covariance = fitted.mean_and_covariance(np.asarray(X_new))
    return mean, fitted.mean_and_variance(np.asarray(X_new))[1], covariance


def standardised(X, y, X_new, ddof, noise_sd, restore=True, rescale=True, own=False, **model) -> tuple:
    centre, sd = np.mean(y), np.std(y, ddof=ddof)
    mean, variance, _ = posterior(X, (np.array(y) - centre) / sd, X_new, noise_sd / sd if own else noise_sd, **model)
    return mean * sd + centre if restore else mean, variance * sd**2 if rescale else variance


def gain(X: list, noise_sd: float, **model: Any) -> float:
    covariance = covariance_function(**model)(np.array(X)) if X else np.eye(1)
    return cp.information_gain(covariance, np.arange(len(X)), noise_sd**2)


def log_marginal_likelihood(X: list, y: list, noise_sd: float, **model: Any) -> float:
    factor = np.linalg.cholesky(covariance_function(**model)(np.array(X)) + noise_sd**2 * np.eye(len(X)))
    z = np.linalg.solve(factor, y)
    return -0.5 * (z @ z) - np.log(np.diagonal(factor)).sum() - 0.5 * len(y) * math.log(2 * math.pi)


def log_det(X: list, noise_sd: float, **model: Any) -> float:
    """log det(K + sigma^2 I)."""
    return np.linalg.slogdet(covariance_function(**model)(np.array(X)) + noise_sd**2 * np.eye(len(X)))[1]


def width(name: str, delta: float = 0.1, gain: float = 0.0, **p: Any) -> float:
    sizes = (p.get("round", 2), p.get("candidates", 1), 1.0, delta, lambda _: gain, lambda _: gain, 1.0)
    given = BoundSetting(*sizes, norm=p.get("norm"), realised=gain)
    if name == "fixed-beta":
        return FixedBeta(p["beta"]).width()
    if name == "self-normalised":
        return cp.SelfNormalizedWidth(p["norm"], delta).width(gain=gain)
    if name.startswith("union-bound"):
        noise = "subgaussian" if name.endswith("subgaussian") else "gaussian"
        return cp.UnionBoundWidth(p["norm"], p["candidates"], p["batches"], delta, noise).width()
    return getattr(classical_widths, name.replace("-", "_"))(given)


def ei(mean: float, sd: float, best: float, rule: Any = expected_improvement) -> float:
    """The companion's models have no point of sd 0, and its EI expects none: the floor is that of BoTorch."""
    return float(rule(np.array([mean]), np.array([max(sd, 1e-6)]), best)[0])


def log_ei(**given: float) -> float:
    return ei(**given, rule=log_expected_improvement)


def pi(mean: float, sd: float, best: float) -> float:
    return norm.cdf((mean - best) / max(sd, 1e-6))


def ucb(mean: float, sd: float, width: float) -> float:
    return mean + width * sd


def stop(mean, sd, width, eps, lower=max, strict=False) -> tuple[bool, float]:
    mean, half = np.array(mean), width * np.array(sd)
    gap = max(mean + half) - lower(mean - half)
    return gap < eps if strict else gap <= eps, gap


OURS = {
    f.__name__: f for f in (posterior, standardised, gain, log_marginal_likelihood, width, ei, log_ei, pi, ucb, stop)
}

# --- wrong conventions, by what they do to a right function's inputs or to its answer ------------------------------------


def scaled(by: Any) -> Any:
    """Other length-scales."""
    return lambda f, i: f(**i | {"lengthscale": by(np.asarray(i["lengthscale"]), i["kernel"]).tolist()})


def changed(**by: Any) -> Any:
    """Other inputs, where there are such."""
    return lambda f, i: f(**i | {name: change(i[name]) for name, change in by.items() if name in i})


def variance(by: Any) -> Any:
    """Another variance, and no covariance."""
    return lambda f, i: (f(**i)[0], by(f(**i)[1], i["noise_sd"]))


def answer(by: Any) -> Any:
    """Another answer from the right one."""
    return lambda f, i: by(f(**i))


def centred(f, i) -> tuple:
    centre = np.mean(i["y"]) if i["y"] else 0.0
    mean, variance, _ = f(**i | {"y": list(np.array(i["y"]) - centre)})
    return mean + centre, variance


TWICE_NU = {"se": 1, "matern12": 1, "matern32": 3, "matern52": 5}
NOISE = {
    "noise-sd-for-variance": changed(noise_sd=math.sqrt),
    "noise-squared-twice": changed(noise_sd=lambda s: s**2),
    "noise-floor": changed(noise_sd=lambda s: max(s, 1e-3)),
}
SCORES = {
    "for-minimisation": changed(mean=lambda m: -m, best=lambda b: -b),
    "variance-for-sd": changed(sd=lambda s: s**2),
    "root-of-sd": changed(sd=math.sqrt),
    "margin-added": changed(best=lambda b: b + 0.01),
}
BETA = {"beta-for-width": changed(width=lambda w: w**2), "root-of-width": changed(width=math.sqrt)}
MUTANTS: dict[str, dict[str, Any]] = {
    "posterior": NOISE
    | {
        "noise-in-variance": variance(lambda v, s: v + s**2),
        "sd-for-variance": variance(lambda v, s: np.sqrt(v)),
        "amplitude-for-variance": changed(variance=lambda v: v**2),
        "lengthscale-without-half": scaled(lambda l_, k: l_ / math.sqrt(2 if k == "se" else 1)),
        "lengthscale-unsquared": scaled(lambda l_, k: np.sqrt(l_)),
        "lengthscale-as-rate": scaled(lambda l_, k: 1 / l_),
        "ard-reversed": scaled(lambda l_, k: l_[::-1]),
        "ard-first-only": scaled(lambda l_, k: l_[0] + 0 * l_),
        "matern-without-root": scaled(lambda l_, k: l_ * math.sqrt(TWICE_NU[k])),
        "prior-mean-of-data": centred,
    },
    "standardised": {
        "ddof-0": changed(ddof=lambda d: 0),
        "ddof-1": changed(ddof=lambda d: 1),
        "mean-not-restored": lambda f, i: f(**i, restore=False),
        "variance-not-rescaled": lambda f, i: f(**i, rescale=False),
        "noise-in-units-of-y": lambda f, i: f(**i, own=True),
    },
    "gain": NOISE
    | {
        "gain-in-bits": answer(lambda g: g / math.log(2)),
        "gain-without-half": answer(lambda g: 2 * g),
        "gain-of-independent": lambda f, i: sum(f(**i | {"X": [x]}) for x in i["X"]),
        "one-added-first": lambda f, i: math.log(1.0 + i["variance"] / i["noise_sd"] ** 2) / 2,
    },
    "log_marginal_likelihood": {
        **{name: change for name, change in NOISE.items() if name != "noise-floor"},
        "sign-turned": answer(lambda v: -v),
        "per-point": lambda f, i: f(**i) / len(i["y"]),
        "constant-left-out": lambda f, i: f(**i) + len(i["y"]) / 2 * math.log(2 * math.pi),
        "without-half": answer(lambda v: 2 * v),
        "log-det-twice": lambda f, i: f(**i) - log_det(**{name: v for name, v in i.items() if name != "y"}) / 2,
        "amplitude-for-variance": changed(variance=lambda v: v**2),
        "lengthscale-without-half": scaled(lambda l_, k: l_ / math.sqrt(2 if k == "se" else 1)),
    },
    "width": {
        "beta-for-width": answer(lambda w: w**2),
        "root-of-width": answer(math.sqrt),
        "delta-halved": changed(delta=lambda d: d / 2),
        "delta-doubled": changed(delta=lambda d: min(2 * d, 1 - 1e-16)),
        "gain-in-bits": changed(gain=lambda g: g / math.log(2)),
        "gain-without-half": changed(gain=lambda g: 2 * g),
        "norm-unsquared": changed(norm=math.sqrt),
        "round-unsquared": changed(round=math.sqrt),
        "dimension-for-candidates": changed(candidates=lambda n: 2),
    },
    "ei": SCORES
    | {
        "zero-at-zero-sd": lambda f, i: f(**i) if i["sd"] else 0.0,
        "improvement-clipped": lambda f, i: f(**i) - min(i["mean"] - i["best"], 0.0) * pi(**i),
    },
    "log_ei": SCORES
    | {
        "log-base-10": answer(lambda v: v / math.log(10)),
        "tail-without-square": lambda f, i: norm.logpdf((i["mean"] - i["best"]) / i["sd"]) + math.log(i["sd"]),
    },
    "pi": SCORES,
    "ucb": BETA | {"variance-for-sd": changed(sd=lambda s: s**2), "for-minimisation": changed(width=lambda w: -w)},
    "stop": BETA
    | {
        "variance-for-sd": changed(sd=lambda s: [v**2 for v in s]),
        "strictly-below": lambda f, i: f(**i, strict=True),
        "least-lower-bound": lambda f, i: f(**i, lower=min),
        "best-mean-for-lower": lambda f, i: f(**i, lower=lambda _: max(i["mean"])),
        "gap-at-best-mean": lambda f, i: f(
            **i | {"mean": [max(i["mean"])], "sd": [i["sd"][int(np.argmax(i["mean"]))]]}
        ),
    },
}


def test_the_file_is_what_its_schema_says() -> None:
    schema = json.loads((FOLDER / "golden.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(GOLDEN, schema)
    wrong = {
        "posterior": {"noise_variance": 1.0},
        "log_marginal_likelihood": {"y": 1.0},
        "width": {"nats": 1.0},
        "ei": {"sd": -1.0},
    }
    for kind, change in wrong.items():
        case = next(case for case in GOLDEN["cases"] if case["kind"] == kind)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(GOLDEN | {"cases": [case | {"inputs": case["inputs"] | change}]}, schema)
    assert len(CASES) == len(GOLDEN["cases"])
    listed = {(case["kind"], name) for case in GOLDEN["cases"] for name in case["wrong"]}
    assert listed == set(PLANTED)
    assert len({name for _, name in PLANTED}) >= 12


def test_fractions_are_what_they_say() -> None:
    for case in (case for case in GOLDEN["cases"] if "exact" in case):
        for name, fractions in case["exact"].items():
            assert np.atleast_1d(case["expected"][name]).tolist() == [float(Fraction(text)) for text in fractions]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_companion_gives_it(case, checker) -> None:
    result = checker.judged(case, OURS[case["kind"]](**case["inputs"]))
    assert result.status == "pass", result


@pytest.mark.parametrize(("kind", "name"), PLANTED)
def test_a_planted_convention_is_called_by_its_name(kind, name, checker) -> None:
    cases = [case for case in GOLDEN["cases"] if case["kind"] == kind]
    answers = {case["id"]: MUTANTS[kind][name](OURS[kind], case["inputs"]) for case in cases if name in case["wrong"]}
    found = [checker.judged(c, answers[c["id"]] if c["id"] in answers else OURS[kind](**c["inputs"])) for c in cases]
    assert {r.case for r in found if name in r.conventions} == answers.keys()
    assert checker.explained(found) == [(kind, name)]


def test_a_tolerance_allows_the_jitter_that_it_speaks_of(checker) -> None:
    jittered = changed(noise_sd=lambda s: math.sqrt(s**2 + 1e-8))
    found = [checker.judged(c, jittered(posterior, c["inputs"])) for c in GOLDEN["cases"] if c["kind"] == "posterior"]
    assert {r.case for r in found if r.status != "pass"} == {"posterior/nearly-singular"}


def test_what_is_neither_right_nor_known_fails_with_its_digits(checker) -> None:
    case = CASES["posterior/one-point-itself"]
    result = checker.judged(case, ([2.41], [0.2]))
    assert (result.status, result.text) == (
        "fail",
        "mean[0] is 2.41, should be 2.4 (2.4 digits)",
    )
    assert checker.judged(case, ([2.4, 1.0],)).text == "mean has 2 numbers, not 1"
    assert checker.judged(case, ([math.nan], [0.2])).status == "fail"
    assert checker.judged(case, None).status == "skip"
    assert checker.judged(case, ([2.4],)).status == "pass", "what is left out is not asked for"


def test_tiny_gains_are_answered_to_all_digits(checker) -> None:
    """Their answer is nearly half the sum of the signals, of which log(1 + x) keeps four digits."""
    tiny = [case for case in GOLDEN["cases"] if case["id"].startswith("gain/tiny")]
    for case in tiny:
        (gain_of,) = case["expected"].values()
        assert gain_of == pytest.approx(len(case["inputs"]["X"]) / 2e12, rel=1e-11)
    naive = {
        "gain": lambda X, noise_sd, **m: (
            np.linalg.slogdet(np.eye(len(X)) + covariance_function(**m)(np.array(X)) / noise_sd**2)[1] / 2 if X else 0.0
        )
    }
    assert {r.case for r in checker.results(naive) if r.status != "pass"} == {case["id"] for case in tiny}


@pytest.mark.parametrize(
    ("sample", "failed"),
    [
        (lambda seed: np.random.default_rng(seed).normal(size=3), []),
        (lambda seed: np.random.default_rng(0).normal(size=3), ["sample/two-seeds"]),
        (lambda seed: np.random.default_rng().normal(), ["sample/one-seed"]),
        (lambda seed: 1 / 0, ["sample/one-seed"]),
    ],
)
def test_a_seed_has_to_reach_the_sampler_and_decide_alone(sample, failed, checker) -> None:
    assert [r.case for r in checker.results({"sample": sample}) if r.status != "pass"] == failed
    assert {r.case for r in checker.results({"sample": lambda seed: cp.stream(seed, "golden").normal(size=2)})} == {
        "sample/one-seed",
        "sample/two-seeds",
    }


def test_what_a_function_raises_is_a_failed_case(checker) -> None:
    (first, *_) = checker.results({"ucb": lambda mean, sd, width: [][0]})
    assert (first.status, first.text) == ("fail", "raised IndexError: list index out of range")


def test_from_a_shell(tmp_path) -> None:
    (tmp_path / "mine.py").write_text("def ucb(mean, sd, width):\n    return mean + width**2 * sd\n", encoding="utf-8")
    call = [sys.executable, "-S", str(FOLDER / "check.py"), "mine"]  # without any installed package
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.splitlines() == [
        "wrong ucb/ahead ucb[0] is 2.125, should be 1.75 (0.7 digits); looks like beta-for-width",
        "wrong ucb/negative ucb[0] is 0.2, should be -2.2 (0.0 digits); looks like beta-for-width",
        "2 wrong",
        "all of ucb: beta-for-width, the width is squared: beta is used in its place",
    ]


@pytest.mark.parametrize(
    "case", [case for case in GOLDEN["cases"] if case["kind"] == "stop"], ids=lambda case: case["id"]
)
def test_the_certificate_decides_likewise(case: dict[str, Any]) -> None:
    """The certificate leaves the named candidate's own interval out, and so is never later."""
    mean, sd, width, eps = (case["inputs"][name] for name in ("mean", "sd", "width", "eps"))
    lower, upper = np.array(mean) - width * np.array(sd), np.array(mean) + width * np.array(sd)
    found = cp.certificate(mean=mean, covariance=np.diag(np.square(sd)), evaluations=1, epsilon=eps, rule=width)
    own = int(np.argmax(upper)) == int(np.argmax(lower))
    assert found.stop == case["expected"]["stop"] or (own and found.stop)
    if not own:
        assert found.regret == pytest.approx(max(case["expected"]["gap"], 0.0), abs=1e-12)
