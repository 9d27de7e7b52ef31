"""What a page says of where its numbers come from: every study's seeds, and that sentences compute nothing of their own."""

import ast
import gc
import importlib
import inspect
import pkgutil
import sys
from functools import _lru_cache_wrapper, cache, partial
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.stats  # noqa: F401 - its first import draws examples for its own documentation

from companion import papers
from companion.core.files import repository_root
from companion.gp import sampling
from companion.pages.where import where_of
from companion.papers.meanfield.checks.consequences import Laws
from companion.papers.meanfield.theory.unlearned import bound_curve

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
    "picture_rounds": 20,
    "posteriors": 3,
    "radius": 0.1,
    "regulariser": 1.0,
    "rounds": 12,
    "runs": 2,
    "seeds": 2,
    "u": 0.5,
}
#: Smaller still where a study runs whole experiments: every stream is opened in the first rounds.
SMALLER = {
    "batched.stored_runs.rerun_live": {"functions": 1},
    "compressed.live.rerun_live": {"overrides": {"horizon": 40}},
    "tsrsr.live.rerun_live": {"batches": 1},
    "wdrbo.live.rerun_live": {"rounds": 6},
}
#: What a study reads from its module, and how far it goes here.
LESS = {
    "batched.bound.break_even": {"FARTHEST": 300},
    "meanfield.rates.additive_gains": {"rate_mf_additive": SimpleNamespace(instances=lambda: [Laws(3, 1)])},
    "meanfield.bound.bound_study": {"bound_curve": partial(bound_curve, farthest=64)},
    "wdrbo.cards.problem_maps": {"PIXELS": 20},
}
#: Modules whose generators make the stand-in for a data set, which is the same for everybody.
DATA = (
    *(f"companion.papers.meanfield.problems.{name}" for name in ("bikes", "ports", "taxi")),
    "companion.papers.wdrbo.problems.portfolio",
)


def modules(paper):
    """The modules of a paper whose functions a chapter calls."""
    for room in ("experiments", "theory", "page"):
        whole = importlib.import_module(f"companion.papers.{paper}.{room}")
        inside = pkgutil.iter_modules(whole.__path__, f"{whole.__name__}.") if hasattr(whole, "__path__") else ()
        yield from (importlib.import_module(found.name) for found in inside)
        yield whole


def title(paper, study):
    return f"{paper}.{study.__module__.rpartition('.')[2]}.{study.__name__}"


def studies():
    """Every recorded function of every paper."""
    for paper in papers.slugs():
        for module in modules(paper):
            for function in vars(module).values():
                if hasattr(function, "stated") and function.__module__ == module.__name__:
                    yield pytest.param(paper, function, id=title(paper, function))


STUDIES = list(studies())


@cache
def evidence(paper):
    load = next(vars(module)["load_paper_results"] for module in modules(paper) if "load_paper_results" in vars(module))
    return load(repository_root())


@cache
def caches():
    """Every cached function of the package that may draw; they are made when their modules are imported."""
    everything = gc.get_objects()
    return [
        thing
        for thing in everything
        if type(thing) is _lru_cache_wrapper
        and str(thing.__module__).startswith("companion.")
        and thing is not sampling._cached_factor  # the root of a covariance
    ]


@pytest.fixture
def made(monkeypatch):
    """Seeds that NumPy's generators are made from, whoever asks for them."""
    seen = set()

    def note(seed):
        callers, frame = [], sys._getframe(2)
        while frame is not None:
            callers.append(frame.f_globals.get("__name__", ""))
            frame = frame.f_back
        if not any(caller.startswith(DATA) for caller in callers) and not isinstance(seed, np.random.Generator):
            seen.add(seed)

    class Sequence(np.random.SeedSequence):
        def __init__(self, entropy=None, **more):
            note(entropy)
            super().__init__(entropy, **more)

    class Legacy(np.random.RandomState):
        def __init__(self, seed=None):
            note(seed)
            super().__init__(seed)

    def default_rng(seed=None, real=np.random.default_rng):
        note(seed)
        return real(seed)

    monkeypatch.setattr(np.random, "SeedSequence", Sequence)
    monkeypatch.setattr(np.random, "RandomState", Legacy)
    monkeypatch.setattr(np.random, "default_rng", default_rng)
    monkeypatch.delenv("COMPANION_JOBS", raising=False)
    # A result from a cache was drawn before.
    for kept in caches():
        kept.cache_clear()
    return seen


@pytest.mark.parametrize(("paper", "study"), STUDIES)
def test_a_study_draws_from_the_seeds_that_it_states(paper, study, made, monkeypatch):
    known = SMALL | {"evidence": evidence(paper)} | SMALLER.get(title(paper, study), {})
    for name, value in LESS.get(title(paper, study), {}).items():
        monkeypatch.setattr(sys.modules[study.__module__], name, value)
    if "picture" in inspect.signature(study).parameters:  # an earlier study's result
        known["picture"] = sys.modules["companion.papers.wdrbo.page.picture"].ball_picture(SEED, 0.1)
    made.clear()
    found = study(**{name: known[name] for name in inspect.signature(study).parameters})
    assert made == set(where_of(found).sources[0].seeds)


def test_what_is_made_smaller_is_a_study_and_its_own():
    studied = {param.id: param.values[1] for param in STUDIES}
    assert {*SMALLER, *LESS} <= set(studied)
    for name, given in SMALLER.items():
        assert set(given) <= set(inspect.signature(studied[name]).parameters)


def test_there_are_studies_of_both_kinds_in_every_paper():
    for paper in papers.slugs():
        firsts = [param.values[1].stated[0] for param in STUDIES if param.values[0] == paper]
        assert None in firsts
        assert "seed" in firsts


#: Whose functions a sentence may call: the page's own tools, names and titles, and statistics of the results given to it.
READING = (
    "companion.pages",
    "companion.reproduce",
    "companion.core.files",
    "companion.simulate",
    "companion.core.arithmetic",
)
ROOMS = ("experiments",)
#: Modules whose numbers are settings, and those of worked exercises.
SETTINGS = ("cards", "methods", "exercises")
#: Where two given lines cross.
SUMMARIES = ("companion.papers.meanfield.theory.unlearned.passage",)


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
        if not home.startswith("companion") or hasattr(thing, "stated") or thing in seen:
            continue
        if ".page." in home and inspect.isfunction(thing):
            seen.add(thing)
            found |= computed(thing, seen)
        elif (
            not home.startswith(READING)
            and not ".".join(home.split(".")[3:]).startswith(ROOMS)
            and ".page." not in home
        ):
            found.add(f"{home}.{thing.__name__}")
    return found - set(SUMMARIES)


@pytest.mark.parametrize("paper", papers.slugs())
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
