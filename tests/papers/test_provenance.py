"""What a page says of where its numbers come from: every study draws from the seeds that it states."""

import gc
import inspect
import sys
from functools import _lru_cache_wrapper, cache, partial
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.stats  # noqa: F401 - its first import draws examples for its own documentation
from papers.test_studies import SEED, SMALL, modules, studies, title

from companion import registry
from companion.core.files import repository_root
from companion.gp import sampling
from companion.pages.provenance import provenance_of
from companion.papers.meanfield.checks.consequences import Laws
from companion.papers.meanfield.theory.unlearned import bound_curve
from companion.papers.tsrsr.page import picture as tsrsr_picture
from companion.papers.wdrbo.page import picture as wdrbo_picture

#: An earlier study's result, for those that take one.
PICTURES = {"tsrsr": tsrsr_picture.two_batches, "wdrbo": lambda: wdrbo_picture.ball_picture(SEED, 0.1)}
#: Smaller still where a study runs whole experiments: every stream is opened in the first rounds.
SMALLER = {
    "batched.stored_runs.rerun_live": {"functions": 1},
    "compressed.live.rerun_live": {"overrides": {"horizon": 40}},
    "tsrsr.live.rerun_live": {"batches": 1},
    "wdrbo.live.rerun_live": {"rounds": 6},
}
#: What a study reads from its module, and how far it goes here.
LESS = {
    "batched.bound.forms_over_time": {"FARTHEST": 300},
    "meanfield.rates.additive_gains": {"rate_mf_additive": SimpleNamespace(instances=lambda: [Laws(3, 1)])},
    "meanfield.bound.bound_study": {"bound_curve": partial(bound_curve, farthest=64)},
    "wdrbo.cards.problem_maps": {"PIXELS": 20},
}
#: Modules whose generators make the stand-in for a data set, which is the same for everybody.
DATA = (
    *(f"companion.papers.meanfield.problems.{name}" for name in ("bikes", "ports", "taxi")),
    "companion.papers.wdrbo.problems.portfolio",
)


STUDIES = [pytest.param(paper, study, id=title(paper, study)) for paper in registry.slugs() for study in studies(paper)]


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
    if "picture" in inspect.signature(study).parameters:
        known["picture"] = PICTURES[paper]()
    made.clear()
    found = study(**{name: known[name] for name in inspect.signature(study).parameters})
    stated = set(provenance_of(found).sources[0].seeds)
    assert made == stated, (
        f"{title(paper, study)} states the seeds {sorted(stated)}, and drew from {sorted(made, key=str)}"
    )


def test_what_is_made_smaller_is_a_study_and_its_own():
    studied = {param.id: param.values[1] for param in STUDIES}
    assert {*SMALLER, *LESS} <= set(studied)
    for name, given in SMALLER.items():
        assert set(given) <= set(inspect.signature(studied[name]).parameters)
