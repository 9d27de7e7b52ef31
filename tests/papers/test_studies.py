"""What a paper's studies and sentences look like, told early; ``test_provenance.py`` runs the studies."""

import ast
import importlib
import inspect
import pkgutil
import sys

import numpy as np
import pytest
from oracles.optional import optional

from companion import registry

#: A first seed that nobody uses by accident: a study with a seed of its own beside it is caught.
SEED = 3
#: Small arguments by name; by paper and study where a name means different things.
SMALL = {
    "seed": SEED,
    "alpha": 0.5,
    "batch": 3,
    "batches": 4,
    "brief": True,
    "delta": 0.1,
    "draws": 4,
    "ends": 2,
    "evaluations": 12,
    "farthest": 200,
    "functions": 2,
    "halvings": 2,
    "horizon": 40,
    "improvement_runs": 2,
    "instances": 1,
    "largest": 400,
    "live_runs": 1,
    "most": 2,
    "noise": 0.3,
    "noise_variance": 0.1,
    "norm": 1.0,
    "overrides": None,
    "played": np.array([[0.5, 0.3, 0.2], [0.2, 0.4, 0.4], [0.3, 0.3, 0.4]]),
    "ratio": 0.6,
    "rewards": np.array([-0.2, -0.1, -0.3]),
    "right": False,
    "stations": np.array([0, 1, 2]),
    "width": 2.0,
    "picture_rounds": 20,
    "posteriors": 3,
    "radius": 0.1,
    "regulariser": 1.0,
    "rounds": 12,
    "runs": 2,
    "search": "exact",
    "seeds": 2,
    "shown": None,
    "u": 0.5,
}
#: Results of other studies that a study may take.
RESULTS = {"evidence", "picture"}


def modules(paper):
    """The modules of a paper whose functions a chapter calls, but for those whose library is not installed."""
    for room in ("experiments", "theory", "page"):
        whole = importlib.import_module(f"companion.papers.{paper}.{room}")
        inside = pkgutil.iter_modules(whole.__path__, f"{whole.__name__}.") if hasattr(whole, "__path__") else ()
        found = (optional(each.name, "torch gpytorch") for each in inside)
        yield from (module for module in found if module)
        yield whole


def title(paper, study):
    return f"{paper}.{study.__module__.rpartition('.')[2]}.{study.__name__}"


def studies(paper):
    """The recorded functions of a paper."""
    for module in modules(paper):
        for function in vars(module).values():
            if hasattr(function, "stated") and function.__module__ == module.__name__:
                yield function


@pytest.mark.parametrize("paper", registry.slugs())
def test_a_paper_has_studies_of_both_kinds(paper):
    firsts = {study.stated[0] for study in studies(paper)}
    assert None in firsts, f"{paper} has no study marked @recorded(random=False)"
    assert "seed" in firsts, f'{paper} has no study marked @recorded(first="seed", ...)'


@pytest.mark.parametrize("paper", registry.slugs())
def test_arguments_of_a_study_have_a_name_with_a_fixed_meaning(paper):
    unknown = {
        title(paper, study): sorted(others)
        for study in studies(paper)
        if (others := set(inspect.signature(study).parameters) - SMALL.keys() - RESULTS)
    }
    assert unknown == {}, "arguments of studies that SMALL does not name"


#: Whose functions a sentence may call: the page's own tools, names and titles, and statistics of the results given to it.
READING = (
    "companion.pages",
    "companion.judge",
    "companion.stored",
    "companion.current",
    "companion.core.files",
    "companion.core.parameters",  # a set of parameters, resolved
    "companion.simulate",
    "companion.core.instruction_set",
    "companion.core.templates",
)
ROOMS = ("experiments",)
#: Modules whose numbers are settings, and those of worked exercises.
SETTINGS = ("cards", "methods", "exercises")
#: Where two given lines cross.
SUMMARIES = (
    "companion.bounds.trivial.horizon",
    "companion.bounds.trivial.horizon_of_curve",
    "companion.bounds.trivial.two_digits",
    "companion.papers.meanfield.theory.unlearned.informative_from",
)


def computed(function, seen):
    """Package computations that ``function`` calls, itself or through unrecorded functions of any module of its page."""
    module, found = sys.modules[function.__module__], set()
    for node in ast.walk(ast.parse(inspect.getsource(function))):
        if not isinstance(node, ast.Call):
            continue
        parts, root = [], node.func
        while isinstance(root, ast.Attribute):
            parts, root = [root.attr, *parts], root.value
        thing = getattr(module, getattr(root, "id", ""), None)
        for part in parts:
            thing = getattr(thing, part, None) if inspect.ismodule(thing) else thing
        home = getattr(thing, "__module__", None) or ""
        if not home.startswith("companion") or hasattr(thing, "stated"):
            continue
        if ".page." in home and inspect.isfunction(thing):
            if thing not in seen:
                seen.add(thing)
                found |= computed(thing, seen)
        elif (
            not home.startswith(READING)
            and not ".".join(home.split(".")[3:]).startswith(ROOMS)
            and ".page." not in home
        ):
            found.add(f"{home}.{getattr(thing, '__name__', type(thing).__name__)}")
    return found - set(SUMMARIES)


@pytest.mark.parametrize("paper", registry.slugs())
def test_what_a_sentence_says_was_computed_by_a_study(paper):
    faults = {
        f"{module.__name__}.{name}": sorted(found)
        for module in modules(paper)
        if not module.__name__.endswith(SETTINGS)
        for name, function in vars(module).items()
        if name.endswith("_numbers")
        if function.__module__ == module.__name__
        if (found := computed(function, {function}))
    }
    assert faults == {}


def test_calls_of_objects_are_followed_as_well(tmp_path, monkeypatch):
    (tmp_path / "sentences_of_a_test.py").write_text(
        "from companion.gp import Matern\n"
        "from companion.papers.batched.experiments.parameters import CHAPTER\n"
        "KERNEL = Matern(2.5, 0.2)\n"
        "def set_numbers():\n    return CHAPTER.resolve({})\n"
        "def kernel_numbers():\n    return KERNEL([[0.0]])\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("sentences_of_a_test")
    assert computed(module.set_numbers, set()) == set()
    assert [name.rpartition(".")[2] for name in computed(module.kernel_numbers, set())] == ["Matern"]
