"""Types of arguments that several commands share, and the one line that a call gets which does not fit them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import cyclopts
from cyclopts import exceptions

from companion.core import parameters
from companion.core.errors import ParameterError, nearest

if TYPE_CHECKING:
    from cyclopts.argument import Argument
    from cyclopts.completion import CompletionContext

#: Annotations of values, as declared parameters name them.
KINDS = {int: "int", float: "float", list[int]: "list[int]", list[float]: "list[float]"}
KERNELS = ("se", "matern12", "matern32", "matern52")
#: The option of what Python calls noise_sd.
NOISE = ("--noise", "--noise-sd")
#: How a paper or its chapter may be called, the same in all commands.
ONE_PAPER = "slug of the paper, or its chapter: batched, 3, ch3, ch3_batched"


def text(metavar: str, told: str, **more: Any) -> cyclopts.Parameter:
    """Any text, of one word; ``told`` is its line of the help."""
    return cyclopts.Parameter(metavar=metavar, help=told, **more)


def value(metavar: str, told: str, *, name: tuple[str, ...] | None = None, **limits: Any) -> cyclopts.Parameter:
    """A value of the annotated type, or a list of them with commas, within limits.

    Parameters
    ----------
    metavar, told : name of the value, and its line of the help
    name : of the option, where it has several
    limits : those of :class:`companion.core.parameters.Parameter`, which says what is wrong with a value
    """

    read = partial(_read, metavar=metavar, limits=limits)
    completer = (lambda _context: limits["choices"]) if "choices" in limits else None
    more: dict[str, Any] = {"name": name, "n_tokens": 1, "allow_leading_hyphen": True, "completer": completer}
    return cyclopts.Parameter(metavar=metavar, help=told, converter=read, **more)


def _read(hint: Any, tokens: Sequence[cyclopts.Token], metavar: str, limits: dict[str, Any]) -> Any:
    name = (tokens[-1].keyword or metavar).lstrip("-").replace("-", "_")
    return parameters.Parameter(name, KINDS.get(hint, "str"), None, "-", "-", **limits).parse(tokens[-1].value)


def switch(told: str) -> cyclopts.Parameter:
    """An option without a value."""
    return cyclopts.Parameter(help=told)


def _jobs(_hint: Any, tokens: Sequence[cyclopts.Token]) -> int:
    if tokens[-1].value.strip() == "0":
        raise ParameterError("jobs", "got 0", "a positive integer, or -1 for one worker per core")
    limits = parameters.Parameter("jobs", "int", None, "workers; -1 for one per core", "ours", low=-1, high=1024)
    return limits.parse(tokens[-1].value)  # type: ignore[return-value]


def _kernel(_hint: Any, tokens: Sequence[cyclopts.Token]) -> str:
    from companion.gp.kernels import kernel_name

    return kernel_name(tokens[-1].value)


# -- completion: the names that TAB offers -----------------------------------------------------------------------------


def _papers(_context: CompletionContext) -> Iterable[str]:
    from companion import registry

    return registry.chapters()


def _paper(context: CompletionContext) -> str:
    from companion import registry

    given = context.get("PAPER") or context["CHAPTER"]
    return registry.slug_of(str(given.raw))


def _experiments(context: CompletionContext) -> Iterable[str]:
    from companion import registry

    return [name for _, name in registry.experiments(_paper(context))]


def _methods(context: CompletionContext) -> Iterable[str]:
    from companion import registry

    return registry.experiment(_paper(context), str(context["EXPERIMENT"].raw)).method_names


def _parameters(context: CompletionContext) -> Iterable[str]:
    """Of an experiment, or of a chapter."""
    from companion import registry

    experiment = context.get("EXPERIMENT")
    if experiment is None:
        known = registry.chapter_parameters(_paper(context))
    else:
        known = registry.experiment(_paper(context), str(experiment.raw)).parameters
    return [f"{name}=" for name in known.names]


def ids_of(command: str) -> Any:
    """Completer of the stored entries of a paper: statements, suspected errors, cells and claims."""

    def ids(context: CompletionContext) -> Iterable[str]:
        from companion.core.files import results_folder
        from companion.stored.results import load_entries

        paper = _paper(context)
        entries = load_entries(results_folder(paper), command, f"companion evidence {paper}").entries
        return list(dict.fromkeys(str(entry.get("id", entry.get("cell"))) for entry in entries))

    return ids


# -- arguments of several commands -------------------------------------------------------------------------------------

APaper = Annotated[str, text("PAPER", ONE_PAPER, name="PAPER", completer=_papers)]
OnePaper = Annotated[str | None, text("PAPER", f"one only: {ONE_PAPER}", name="PAPER", completer=_papers)]
AChapter = Annotated[
    str, text("CHAPTER", f"{ONE_PAPER}; by the name of a page that page alone", name="CHAPTER", completer=_papers)
]
AnExperiment = Annotated[str, text("EXPERIMENT", "see 'companion list'", name="EXPERIMENT", completer=_experiments)]
OneExperiment = Annotated[
    str | None,
    text("EXPERIMENT", "one experiment only, in full", name="EXPERIMENT", completer=_experiments),
]
Methods = Annotated[
    list[str], text("METHOD", "one or several, apart or with commas", name="METHOD", completer=_methods)
]
Settings = Annotated[
    list[str] | None,
    text(
        "name=value",
        "set one parameter, see 'companion list PAPER'; repeatable",
        name=("--set", "-p"),
        completer=_parameters,
    ),
]


def _processes(default: int) -> cyclopts.Parameter:
    told = f"worker processes, -1 for one per core (default: COMPANION_JOBS, or {default})"
    return text("N", told, converter=_jobs, n_tokens=1, allow_leading_hyphen=True)


Jobs = Annotated[int | None, _processes(-1)]
#: Of commands whose work is often over before workers have started.
JobsOfOne = Annotated[int | None, _processes(1)]
Teeth = Annotated[bool, switch("also run the wrong versions, which the check has to catch")]
_KERNEL = "se (or rbf), matern12, matern32 or matern52"
Kernel = Annotated[str, text("NAME", _KERNEL, converter=_kernel, n_tokens=1, completer=lambda _: KERNELS)]
Scales = Annotated[list[float], value("L", "one length-scale, or one a coordinate: 0.3,2", low=1e-6, high=1e6)]
Columns = Annotated[
    str | None,
    text("NAMES", "columns of the file that are coordinates: carbon,heat (default: all but row numbers and names)"),
]
Noise = Annotated[
    # Beyond, its square is lost in the rounding of the prior's variance of 1, or the other way round.
    float,
    value("SD", "standard deviation of the noise, in units of the values", name=NOISE, low=1e-6, high=1e6),
]


def columns_of(columns: str | None, candidates: str | None) -> list[str] | None:
    """Names given by ``--columns``, which a file of candidates has to stand beside."""
    if columns is not None and candidates is None:
        raise ParameterError("--columns", "is given", "a file of candidates beside it: --candidates FILE")
    return None if columns is None else [name.strip() for name in columns.split(",")]


@cyclopts.Parameter(name="*")
@dataclass(frozen=True)
class Cluster:
    """Where the runs of a command are computed."""

    jobs: Jobs = None
    backend: Annotated[str | None, text("loky|dask", "joblib backend (default: loky)")] = None
    scheduler: Annotated[str | None, text("ADDR", "address of a dask scheduler, e.g. tcp://host:8786")] = None


@cyclopts.Parameter(name="*")
@dataclass(frozen=True)
class OneChapter(Cluster):
    """Where the runs of one chapter are computed."""

    jobs: JobsOfOne = None


HERE, ALONE = Cluster(), OneChapter()


# -- calls that do not fit ---------------------------------------------------------------------------------------------


def refusal(error: cyclopts.CycloptsError, name: str, given: Sequence[str], known: Iterable[Argument]) -> Exception:
    """One line for a call that the types refuse: the argument, what is wrong with it, and what would be accepted."""
    see = f"See {name} --help"
    if isinstance(error.__cause__, ParameterError):
        return error.__cause__
    if isinstance(error, exceptions.UnusedCliTokensError) and error.unused_tokens:
        return ParameterError(error.unused_tokens[-1], f"is one argument too many for '{name}'")
    if isinstance(error, exceptions.UnknownOptionError):
        return ParameterError(error.token.keyword or error.token.value, f"is not an option of '{name}'", remedy=see)
    if error.argument is None:
        return ParameterError("arguments", " ".join(str(error).split()), remedy=see)
    option = error.argument.name
    if isinstance(error, exceptions.MissingArgumentError):
        if error.keyword is not None or option in given:
            return ParameterError(error.keyword or option, "has no value", "one after it", see)
        # Those of places are bound before those of options.
        first = math.inf if error.argument.index is None else error.argument.index
        words = {word.partition("=")[0] for word in given}
        lacking = [
            one.name
            for one in known
            if one.required and (one.index >= first if one.index is not None else not words & {*one.names})
        ]
        choices = error.argument.get_choices(force=True)
        expected = f"one of {', '.join(choices)}" if choices else ""
        return ParameterError(", ".join(lacking) or option, "not given", expected, see)
    if isinstance(error, exceptions.CoercionError) and error.token is not None:
        among, wrong = list(error.argument.get_choices(force=True) or ()), error.token.value
        if among:
            return ParameterError(option, f"got {wrong!r}", f"one of {', '.join(among)}", nearest(wrong, among))
        return ParameterError(option, f"got {wrong!r}", "no value: it is a switch", see)
    return ParameterError(option, " ".join(str(error).split()), remedy=see)
