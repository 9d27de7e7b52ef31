"""Every bound of every paper refuses arguments for which nothing proves it, and says so; none of them returns a number."""

import inspect
import math
from dataclasses import is_dataclass
from importlib import import_module

import numpy as np
import pytest
from conditions import conditions, inside

from companion import registry
from companion.core.errors import AssumptionError, ParameterError

PAPERS = registry.slugs()


def listed(name):
    """(paper, function below ``theory``, arguments that it takes, the change by which it takes them no more)."""
    return [
        pytest.param(paper, *entry, id=f"{paper}-{entry[0]}-{next(iter(entry[2]))}")
        for paper in PAPERS
        for entry in conditions(paper, name)
    ]


def module_of(paper, name=""):
    """The module of the room ``theory`` that a function is said to be in; without a name, the one with the bounds."""
    room = f"companion.papers.{paper}.theory"
    return f"{room}.{name}" if name else inside(room, "bounds") or room


def resolved(paper, name):
    module, _, function = name.rpartition(".")
    return getattr(import_module(module_of(paper, module)), function)


def finite(found):
    return is_dataclass(found) or np.isfinite(np.asarray(found, dtype=float)).all()


@pytest.mark.parametrize(("paper", "name", "valid", "change"), listed("ASSUMED"))
def test_a_bound_outside_its_assumption_is_refused(paper, name, valid, change):
    function = resolved(paper, name)
    assert finite(function(**valid))
    with pytest.raises(AssumptionError):
        function(**{**valid, **change})


@pytest.mark.parametrize(("paper", "name", "valid", "change"), listed("RANGES"))
def test_an_argument_out_of_range_is_refused(paper, name, valid, change):
    function = resolved(paper, name)
    assert finite(function(**valid))
    with pytest.raises(ParameterError):
        function(**{**valid, **change})


@pytest.mark.parametrize("paper", PAPERS)
def test_no_public_bound_is_left_out(paper):
    """Of the module with the bounds, and of every other one from which something is listed."""
    known = {}
    for name, *_ in (*conditions(paper, "ASSUMED"), *conditions(paper, "RANGES")):
        module, _, function = name.rpartition(".")
        known.setdefault(module_of(paper, module), set()).add(function)
    for module, others in conditions(paper, "OTHERS").items():
        known.setdefault(module_of(paper, module), set()).update(others)
    assert module_of(paper) in known
    for place, names in known.items():
        loaded = import_module(place)
        public = {
            name
            for name, value in vars(loaded).items()
            if not name.startswith("_")
            and (inspect.isfunction(value) or inspect.isclass(value))
            and value.__module__ == loaded.__name__
        }
        assert names == public


def test_a_printed_form_can_be_seen_failing_on_request_only():
    """(57) on arms that have nothing in common: exceeded at lambda = 0.01, and returned there only when asked for."""
    cumulative = resolved("wdrbo", "bounds.cumulative")
    found = cumulative(math.sqrt(0.01), 50, 49 * math.log(101.0), 0.01, 0.1, unchecked=True)
    assert found < 50.0
    with pytest.raises(AssumptionError, match=r"0\.3980"):
        cumulative(math.sqrt(0.01), 50, 49 * math.log(101.0), 0.01, 0.1)
