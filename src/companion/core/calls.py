"""What a user meets at the prompt: objects on one line, and one line for a name or keyword that is not there."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from typing import Any

from companion.core.errors import ParameterError, nearest

#: Most characters of an object on one line, and of one of its parts; entries up to which an array is shown.
LONGEST, LONGEST_PART, FEW = 200, 60, 4

#: What there is, and what people type first for it, in small letters without underscores.
_LEADS = {
    "cp.for_problem(method, problem, seed=0), a session whose ask() and tell(values) are the loop": "optimize optimise optimizer "
    "minimize minimise maximize maximise bo bayesianoptimization bayesopt suggest ask tell session loop",
    "cp.FinitePosterior(covariance, noise_variance), and cp.kernel('se', lengthscale)(points) for the covariance": "gp gpr "
    "gaussianprocess gaussianprocessregressor exactgp singletaskgp model posterior predict",
    "cp.SquaredExponential(lengthscale), or cp.kernel('se', lengthscale)": "rbf se gaussian gaussiankernel",
    "cp.Matern(2.5, lengthscale), or cp.kernel('matern52', lengthscale)": "matern12 matern32 matern52",
    "cp.optimisers(), the methods that cp.for_problem starts, or cp.GPUCB, a rule to build on": "acquisition methods ei logei "
    "expectedimprovement probabilityofimprovement pi ucb lcb upperconfidencebound thompsonsampling ts knowledgegradient",
    "cp.certified_gain(kernel, horizon, noise_sd, candidates)": "maxinformationgain maximuminformationgain mig gamma gain",
    "cp.information_gain(covariance, indices, noise_variance)": "mutualinformation",
    "cp.bounds_table(...), every width and regret bound at a setting": "regretbound regretbounds regret bound beta width widths",
    "cp.restore(path) for a session, cp.read_candidates(path) for points, cp.results(paper) for runs": "load",
    "session.save(path), which cp.restore(path) reads, or runs.save(path)": "save",
    "cp.read_candidates(path)": "readcsv readtable readexcel loadcsv",
    "cp.experiment(paper, name).run(methods, seeds=range(10)), with compare() and plot()": "plot figure run",
    "cp.problem_experiment(points, truth, noise_sd=..., kernel=...).run(methods, seeds)": "benchmark compare comparison",
    "cp.certificate(...), what can be promised now": "stop shouldstop earlystopping stoppingrule",
    "cp.Candidates(points, kernel, noise_sd), or cp.Box(low, high)": "problem searchspace space domain",
    "cp.gp_draw(kernel, points, cp.stream(seed, 'f'))": "sample draw",
}
TYPED_FIRST = {name: there for there, names in _LEADS.items() for name in names.split()}


def lacking(name: str, known: Iterable[str]) -> str:
    """What to say of a name that the package does not have."""
    by_letters = {other.replace("_", "").lower(): f"cp.{other}" for other in sorted(known)} | TYPED_FIRST
    close = difflib.get_close_matches(name.replace("_", "").lower(), by_letters, n=1, cutoff=0.7)
    there = f". Try {by_letters[close[0]]}" if close and not name.startswith("_") else ""
    return f"module 'companion' has no attribute {name!r}{there}"


def answering(function: Callable[..., Any], called: str) -> Callable[..., Any]:
    """``function``, which answers an unknown keyword with the nearest one that it has."""
    known = inspect.signature(function).parameters

    @functools.wraps(function)
    def call(*arguments: Any, **given: Any) -> Any:
        try:
            return function(*arguments, **given)
        except TypeError:
            unknown = next((name for name in given if name not in known), None)
            if unknown is None or any(one.kind is one.VAR_KEYWORD for one in known.values()):
                raise
            names = [name for name in known if name != "self"]
            problem = f"is not an argument of cp.{called}"
            raise ParameterError(unknown, problem, f"one of {', '.join(names)}", nearest(unknown, names)) from None

    return call


def one_line(thing: Any) -> str:
    """``__repr__`` of a dataclass: its parts by name, arrays by their shape, in at most :data:`LONGEST` characters."""
    parts = ((one.name, getattr(thing, one.name)) for one in fields(thing) if one.repr)
    shown = (
        f"{name}={_part(value)}"
        for name, value in parts
        if value is not None and not (isinstance(value, str) and not value)
    )
    text = f"{type(thing).__name__}({', '.join(shown)})"
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 4]}...)"


def _part(value: Any) -> str:
    if hasattr(value, "shape") and hasattr(value, "tolist"):
        return repr(value.tolist()) if value.size <= FEW else f"<{' x '.join(map(str, value.shape))}>"
    if isinstance(value, Mapping):
        return f"{{{', '.join(map(str, value))}}}"
    text = f"{value:.6g}" if isinstance(value, float) else " ".join(repr(value).split())
    return text if len(text) <= LONGEST_PART else f"{text[: LONGEST_PART - 3]}..."
