"""Requested runs: ranges of seeds, and plans of sweeps as TOML files.

A plan is a list of blocks, each an experiment with methods, settings and seeds; what it asks for is their product::

    seeds = "0-19"                      # of every block that names none

    [[runs]]
    experiment = "batched/appendix-e"   # or "3/appendix-e", "ch3/appendix-e"
    methods = ["bpe"]                   # all methods of the experiment where left out

    [runs.settings]                     # a list of values asks for each of them
    kernel = ["se", "matern32"]
    horizon = 500

The tasks of a plan and their order depend on the file alone.
"""

from __future__ import annotations

import itertools
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.core.errors import ParameterError, nearest
from companion.core.parameters import ParameterSet
from companion.simulate.experiment import Experiment
from companion.simulate.task_store import Task

#: Experiment of a paper by name; :class:`~companion.core.errors.ParameterError` for an unknown one.
Find = Callable[[str, str], Experiment[Any]]

MOST_SEEDS = 1_000_000
_LARGEST = 2**63 - 1
_TOP = ("seeds", "runs")
_BLOCK = ("experiment", "methods", "seeds", "settings")


@dataclass(frozen=True)
class RunRequest:
    """One block of runs.

    Parameters
    ----------
    experiment : which
    methods : names, at least one
    seeds : distinct
    settings : the values that are set, one mapping for each combination

    Examples
    --------
    >>> import companion as cp
    >>> from companion.simulate import RunRequest
    >>> block = RunRequest(cp.experiment("batched", "appendix-e"), ["bpe"], seeds=[0, 1], settings=[{"horizon": 20}])
    >>> [(task.method, task.seed, task.parameters["horizon"]) for task in block.tasks()]
    [('bpe', 0, 20), ('bpe', 1, 20)]
    """

    experiment: Experiment[Any]
    methods: Sequence[str]
    seeds: Sequence[int]
    settings: Sequence[Mapping[str, Any]] = ({},)

    def __post_init__(self) -> None:
        for method in self.methods:
            self.experiment.check_method(method)
        if len(set(self.methods)) < len(self.methods):
            twice = next(name for place, name in enumerate(self.methods) if name in self.methods[:place])
            raise ParameterError("method", f"{twice!r} is given twice", "each method once")

    def tasks(self) -> Iterator[Task]:
        """The runs: settings, then methods, then seeds."""
        for values in self.settings:
            parameters = self.experiment.parameters.typed(values)
            for method in self.methods:
                yield from self.experiment.tasks([method], self.seeds, parameters)


@dataclass(frozen=True, eq=False)
class Plan:
    """Everything that is asked for.

    Parameters
    ----------
    tasks : each run once, in the order of the plan
    experiments : by the name that a task has, ``batched/appendix-e``
    varied : names of the parameters that the plan sets, in its order; tables have a column for each

    Examples
    --------
    >>> import companion as cp
    >>> from companion.simulate import RunRequest, Plan
    >>> settings = [{"horizon": 20}, {"horizon": 30}]
    >>> block = RunRequest(cp.experiment("batched", "appendix-e"), ["bpe"], seeds=[0, 1], settings=settings)
    >>> plan = Plan.of([block])
    >>> len(plan.tasks), plan.varied, len(list(block.tasks()))
    (4, ('horizon',), 4)
    """

    tasks: tuple[Task, ...]
    experiments: Mapping[str, Experiment[Any]]
    varied: tuple[str, ...]

    @classmethod
    def of(cls, blocks: Sequence[RunRequest]) -> Plan:
        """The plan of some blocks; a run asked for twice is made once."""
        distinct = {task.key(): task for block in blocks for task in block.tasks()}
        experiments = {f"{block.experiment.paper}/{block.experiment.name}": block.experiment for block in blocks}
        varied = dict.fromkeys(name for block in blocks for values in block.settings for name in values)
        return cls(tuple(distinct.values()), experiments, tuple(varied))


def parse_seeds(text: str, name: str = "seeds") -> tuple[int, ...]:
    """Seeds written as numbers and ranges with both ends: ``0-99``, ``3``, ``0-4,10,20-24``.

    Raises
    ------
    ParameterError
        naming the part that is no range, runs backwards, or repeats a seed
    """
    wanted = "numbers and ranges such as 0-99 or 0-4,10"
    found: dict[int, None] = {}
    for part in text.split(","):
        match = re.fullmatch(r"\s*([0-9]{1,19})\s*(?:-\s*([0-9]{1,19})\s*)?", part)
        if match is None:
            raise ParameterError(name, f"got {part.strip()!r}" + ("" if part == text else f" in {text!r}"), wanted)
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first:
            raise ParameterError(name, f"{part.strip()!r} runs backwards", f"{last}-{first}")
        if last > _LARGEST:
            raise ParameterError(name, f"got {last}", f"at most {_LARGEST}")
        if last - first >= MOST_SEEDS - len(found):
            raise ParameterError(name, f"{text!r} asks for more than {MOST_SEEDS} seeds", "fewer")
        for seed in range(first, last + 1):
            if seed in found:
                raise ParameterError(name, f"{seed} occurs twice in {text!r}", "distinct seeds")
            found[seed] = None
    return tuple(found)


def read_plan(path: str | Path, find: Find) -> Plan:
    """The plan in a TOML file, with everything checked before any work.

    Parameters
    ----------
    path : the file
    find : experiment by paper and name

    Raises
    ------
    ParameterError
        naming the file, the block and what is wrong with it

    Examples
    --------
    >>> import companion as cp, pathlib, tempfile
    >>> from companion.simulate import read_plan
    >>> path = pathlib.Path(tempfile.mkdtemp(), "plan.toml")
    >>> _ = path.write_text('seeds = "0-4"\\n[[runs]]\\nexperiment = "batched/appendix-e"\\nsettings = {horizon = [20, 30]}\\n')
    >>> len(read_plan(path, cp.experiment).tasks)
    10
    """
    path = Path(path)
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ParameterError("PLAN", f"there is no file {path}", "a TOML file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ParameterError("PLAN", f"{path} cannot be read ({error})", "a TOML file") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ParameterError(str(path), f"is not valid TOML: {error}") from None
    _known(content, _TOP, str(path))
    blocks = content.get("runs")
    if not isinstance(blocks, list) or not blocks or not all(isinstance(block, dict) for block in blocks):
        raise ParameterError(str(path), "asks for no runs", "at least one block [[runs]] with an experiment")
    asked = []
    for number, block in enumerate(blocks, start=1):
        place = f"{path}, block {number}"
        try:
            asked.append(_block(block, content.get("seeds"), find))
        except ParameterError as error:
            raise ParameterError(place, str(error)) from None
    return Plan.of(asked)


def _block(block: Mapping[str, Any], seeds: object, find: Find) -> RunRequest:
    _known(block, _BLOCK, "runs")
    named = block.get("experiment")
    paper, slash, name = named.partition("/") if isinstance(named, str) else ("", "", "")
    if not slash:
        raise ParameterError("experiment", f"got {named!r}" if named else "not given", "PAPER/EXPERIMENT")
    experiment = find(paper, name)
    methods = block.get("methods", list(experiment.method_names))
    if not isinstance(methods, list) or not methods:
        raise ParameterError("methods", f"got {methods!r}", "a list of names")
    return RunRequest(
        experiment, tuple(map(str, methods)), _seeds(block.get("seeds", seeds)), _settings(block, experiment.parameters)
    )


def _seeds(value: object) -> tuple[int, ...]:
    if value is None:
        raise ParameterError("seeds", "not given", 'text such as "0-99", or a list of numbers')
    if isinstance(value, list):
        return parse_seeds(",".join(str(item) for item in value))
    return parse_seeds(str(value))


def _settings(block: Mapping[str, Any], parameters: ParameterSet) -> tuple[Mapping[str, Any], ...]:
    given = block.get("settings", {})
    tables = given if isinstance(given, list) else [given]
    if not tables or not all(isinstance(table, dict) for table in tables):
        raise ParameterError("settings", f"got {given!r}", "a table of values, or several as [[runs.settings]]")
    return tuple(values for table in tables for values in combinations(table, parameters))


def combinations(table: Mapping[str, Any], parameters: ParameterSet) -> Iterator[Mapping[str, Any]]:
    """Every combination; a list is several values, except where the parameter itself is a list."""
    several = []
    for name, value in table.items():
        is_list = parameters[name].is_list
        one = not isinstance(value, list) or (is_list and not any(isinstance(item, list) for item in value))
        several.append([value] if one else value)
        if not several[-1]:
            raise ParameterError(name, "is an empty list", "at least one value")
    for combination in itertools.product(*several):
        yield parameters.check(dict(zip(table, combination, strict=True)))


def _known(content: Mapping[str, Any], names: Sequence[str], where: str) -> None:
    for name in content:
        if name not in names:
            raise ParameterError(where, f"has {name!r}", f"only {', '.join(names)}", nearest(name, names))
