"""What is met at the prompt: one line for each object, and for each name and keyword that is not there."""

import dataclasses
import doctest
import inspect
import io
import re
import sys
import warnings
from contextlib import redirect_stdout

import numpy as np
import pytest

import companion as cp
from companion.core.calls import LONGEST, TYPED_FIRST, answering, lacking, one_line
from companion.core.errors import ParameterError

#: What the audit's newcomer typed first, and more.
FIRST = [
    *("optimize", "optimise", "minimize", "minimise", "maximize", "load", "read_csv", "GP", "GaussianProcess", "RBF"),
    *("max_information_gain", "regret_bound", "plot", "benchmark", "ExpectedImprovement", "EI", "UCB", "acquisition"),
    *("Session", "BayesianOptimization", "Matern52"),
]


@pytest.mark.parametrize("name", FIRST)
def test_what_people_type_first_leads_somewhere(name):
    if hasattr(cp, name):
        return
    with pytest.raises(AttributeError, match=rf"no attribute '{name}'. Try cp\.") as told:
        getattr(cp, name)
    assert len(str(told.value)) < 200
    assert "\n" not in str(told.value)


def test_every_name_that_is_led_to_exists():
    named = {name for there in TYPED_FIRST.values() for name in re.findall(r"cp\.(\w+)", there)}
    assert named <= set(cp.__all__)
    assert len(named) > 10
    assert not {name for name in TYPED_FIRST if name in {known.lower() for known in cp.__all__}}


@pytest.mark.parametrize(
    ("name", "there"),
    [("candidates", "cp.Candidates"), ("Certified_Gain", "cp.certified_gain"), ("experimnt", "cp.experiment")],
)
def test_other_spellings_lead_to_the_name(name, there):
    assert lacking(name, cp._HOMES).endswith(f". Try {there}")


@pytest.mark.parametrize("name", ["qwxz", "_optimize", "__wrapped__"])
def test_what_is_near_to_nothing_is_no_more_than_an_attribute_error(name):
    assert lacking(name, cp._HOMES) == f"module 'companion' has no attribute {name!r}"
    assert not hasattr(cp, name)


MISTYPED = {
    "certified_gain": ({"noise": 0.1}, "noise_sd"),
    "kernel": ({"lengthscales": 0.1}, "lengthscale"),
    "Candidates": ({"noise": 0.1}, "noise_sd"),
    "Matern": ({"length_scale": 0.1}, "lengthscale"),
    "grid": ({"dims": 2}, "dim"),
    "read_candidates": ({"column": ["a"]}, "columns"),
    "certificate": ({"eps": 0.1}, ""),
    "run_policy": ({"horizn": 3}, "horizon"),
    "experiment": ({"papr": "batched"}, "paper"),
    "stream": ({"sed": 1}, "seed"),
    "restore": ({"file": "x"}, ""),
    "verdicts": ({"papers": "batched"}, "paper"),
    "sweep": ({"folders": "x"}, "folder"),
    "write_page": ({"qwxz": 1}, ""),
    "UnionBoundWidth": ({"deltas": 0.1}, "delta"),
    "bounds_table": ({"noisesd": 0.1}, "noise_sd"),
    "for_problem": ({"qwxz": 1}, ""),
}


@pytest.mark.parametrize("name", MISTYPED)
def test_an_unknown_keyword_is_answered_with_the_nearest(name):
    given, meant = MISTYPED[name]
    (keyword,) = given
    needed = {"for_problem": ("bpe", cp.Candidates([0.0, 1.0], cp.Matern(2.5, 1.0), 0.1)), "write_page": ()}.get(
        name, ()
    )
    more = {"seed": 0} if name == "for_problem" else {}
    with pytest.raises(ParameterError, match=f"^{keyword}: ") as told:
        getattr(cp, name)(*needed, **given, **more)
    assert f"Did you mean {meant!r}?" in str(told.value) if meant else "expected one of" in str(told.value)


def test_every_function_and_class_answers_so():
    """But for the one that takes the settings of any method, and answers when it knows which."""
    for name in cp.__all__:
        found = getattr(cp, name)
        if callable(found) and name != "for_problem":
            with pytest.raises(ParameterError, match="qwxz"):
                found(qwxz=1)


def test_other_type_errors_are_left_alone():
    def half(number):
        return number / 2

    assert answering(half, "half")(number=4) == 2
    with pytest.raises(TypeError, match="unsupported operand"):
        answering(half, "half")(number="4")
    with pytest.raises(TypeError, match="missing"):
        answering(half, "half")()


def test_functions_can_be_sent_to_workers():
    import pickle

    assert pickle.loads(pickle.dumps(cp.certified_gain)) is cp.certified_gain


# -- one line each -------------------------------------------------------------------------------------------------------


def things():
    """An object of everything that a user holds, by name."""
    points, kernel = cp.grid(20, dim=1), cp.kernel("se", 0.2)
    candidates = cp.Candidates(points, kernel(points), 0.1, neighbours=np.eye(20, dtype=bool))
    problem = cp.FiniteProblem("mine", points, np.sin(points[:, 0]), 0.1, "a source", neighbours=np.eye(20, dtype=bool))
    policy = cp.GPUCB(kernel(points), noise_variance=0.01, width=2.0)
    session = cp.for_problem("gp-ucb", candidates, seed=0)
    session.tell([0.0] * len(session.ask()))
    experiment = cp.experiment("batched", "appendix-e")
    yield "Candidates", candidates
    yield "Candidates of a kernel", cp.Candidates(points, kernel, 0.1)
    yield "Box", cp.Box([0.0] * 6, [1.0] * 6)
    yield "ContextBox", cp.ContextBox(0.0, 1.0, [0.0] * 5, [1.0] * 5)
    yield "ManyAgents", cp.ManyAgents(10, np.arange(40.0))
    yield "FiniteProblem", problem
    yield "BoxProblem", cp.BoxProblem("bowl", [-1, -1], [1, 1], lambda x: -(x**2).sum(axis=1), 0.0, 0.1, source="mine")
    yield "kernel", cp.Matern(2.5, (0.1, 0.2, 0.3, 0.4, 0.5, 0.6))
    yield "GainBracket", cp.certified_gain(kernel, 10, 0.1, points)
    yield "BoxBracket", cp.certified_gain(kernel, 5, 0.3, domain="box", dim=1)
    yield "FinitePosterior", cp.FinitePosterior(kernel(points), 0.01)
    yield "GPUCB", policy
    yield "Batch", cp.Batch.plain(list(range(50)))
    yield "Trajectory", cp.run_policy(policy, problem, horizon=5)
    yield "Trajectory of an experiment", experiment.run("bpe", seed=0, horizon=12, points_per_axis=5)
    yield "Runs", experiment.run("bpe", seeds=range(2), horizon=12, points_per_axis=5)
    yield (
        "BoundsTable",
        cp.bounds_table(kernel="se", lengthscale=0.2, dim=1, points=5, noise_sd=0.3, horizon=10, norm=1.0),
    )
    yield "methods", cp.optimisers()
    yield "Session", session
    yield "Certificate", session.certificate(epsilon=0.1)
    yield "stream", cp.stream(0, "a")
    yield "widths", cp.UnionBoundWidth(1.0, 20, 4, 0.1)
    yield "widths", cp.SelfNormalizedWidth(1.0, 0.1)
    yield "widths", cp.SrinivasDrawsWidth(20, 0.1)
    yield "widths", cp.HorizonDrawsWidth(20, 100, 0.1)


def test_every_object_is_one_line_that_says_what_matters():
    seen = dict(things())
    long = {name: repr(thing) for name, thing in seen.items() if len(repr(thing)) > LONGEST or "\n" in repr(thing)}
    assert long == {}
    bare = {
        name: repr(thing) for name, thing in seen.items() if " object at 0x" in repr(thing).replace("<function", "")
    }
    assert bare.keys() <= {"stream", "BoxProblem"}  # NumPy's own, and the user's own function
    assert "noise_sd=0.1" in repr(seen["Candidates"])
    assert "points=<20 x 1>" in repr(seen["Candidates"])
    assert repr(seen["GPUCB"]).startswith("<GPUCB after 5 observations")
    assert repr(seen["methods"]).startswith("<15 methods: gp-ucb, stableopt")
    assert "print(table)" in repr(seen["BoundsTable"])
    assert str(seen["BoundsTable"]).startswith("5 candidates, kernel se")


def shown_in_examples(name):
    """What the example of a name makes, of the package's own types."""
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(getattr(cp, name)) or "")
    made = {}
    with redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        vars_of_module = vars(sys.modules[inspect.unwrap(getattr(cp, name)).__module__])
        for example in examples:
            exec(example.source, {**vars_of_module, **made}, made)
    return {key: value for key, value in made.items() if type(value).__module__.startswith("companion")}


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in cp.__all__ if name != "__version__"])
def test_what_an_example_makes_is_one_line_too(name):
    for key, value in shown_in_examples(name).items():
        assert len(repr(value)) <= LONGEST, key
        assert "\n" not in repr(value)
        assert " object at 0x" not in repr(value), key


def test_methods_are_printed_with_their_settings():
    lines = str(cp.optimisers()).splitlines()
    (bpe,) = (line for line in lines if line.startswith("bpe "))
    assert bpe == "bpe on Candidates: horizon, sizes=None, width=<factory>"
    assert {line.split()[0] for line in lines} == set(cp.optimisers())


def test_a_long_part_does_not_make_a_long_line():
    made = dataclasses.make_dataclass("Made", ["first", "second", "third", "fourth"], namespace={"__repr__": one_line})
    thing = made("word " * 90, {"a": 1, "b": np.eye(300)}, np.arange(3), np.float64(0.1) / 3)
    assert len(repr(thing)) <= LONGEST
    assert "\n" not in repr(thing)
    assert "second={a, b}, third=[0, 1, 2], fourth=0.0333333" in repr(thing)
    many = dataclasses.make_dataclass("Many", [f"field_{k}" for k in range(40)], namespace={"__repr__": one_line})
    assert len(repr(many(*range(40)))) == LONGEST
