"""Declaration of a paper's stored results: blocks of runs, and the tables made from them.

A run belongs to a block, which says what it is made for; a table takes runs of some blocks, and has by default one row a run:
the columns that name it, then the numbers kept of it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from companion.core.errors import ParameterError
from companion.simulate.experiment import Experiment
from companion.simulate.loop import Trajectory
from companion.simulate.task_store import Task

Row = Mapping[str, Any]
#: What is kept of a run, in JSON types and arrays.
Result = Mapping[str, Any]

#: Of a result that says only how the run broke down: such a run has rows in no table.
FAILURE = "failure"


@dataclass(frozen=True, eq=False)
class Block:
    """Runs that are made for one thing.

    Parameters
    ----------
    part : what they are made for
    tasks : the runs, in order
    key : columns that name a row and that a task does not say by itself
    """

    part: str
    tasks: Sequence[Task]
    key: Row = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        part: str,
        experiment: Experiment[Any],
        methods: Iterable[str],
        seeds: Iterable[int],
        values: Mapping[str, Any] | None = None,
        **key: Any,
    ) -> Block:
        """Runs of some methods of one experiment at the same settings, all methods of one seed together.

        Parameters
        ----------
        values : settings by the name of a parameter; all others stand at their defaults
        key : labels of the rows, by column

        Raises
        ------
        ParameterError
            for a label with the name of a parameter and another value than the runs have: a setting belongs into ``values``
        """
        runs_at = {entry.name: entry.default for entry in experiment.parameters.parameters} | dict(values or {})
        for name in key.keys() & runs_at.keys():
            if key[name] != runs_at[name]:
                label = f"a label of rows; {name} is a parameter of {experiment.name}, and these runs have {runs_at[name]!r}"
                raise ParameterError(
                    name, f"is {key[name]!r}", label, f"Settings go into values={{{name!r}: {key[name]!r}}}"
                )
        return cls(part, experiment.tasks(methods, seeds, values), key)

    def told(self, task: Task, names: Iterable[str]) -> dict[str, Any]:
        """Columns that name a row: method and seed, a parameter, what the block says, or else the experiment as problem."""
        known: dict[str, Any] = {"part": self.part, "block": self.part, "problem": task.experiment.partition("/")[2]}
        known |= {**self.key, **task.parameters, "method": task.method, "seed": task.seed}
        return {name: known[name] for name in names}


#: The block of a run, and the run.
Item = tuple[Any, Task]

Run = tuple[Block, Task, Result]


def result_rows(task: Task, result: Result) -> Row:
    """The columns of a row by default: all that is kept of the run."""
    return result


def untimed(task: Task, result: Result) -> Row:
    """All that is kept of the run but its ``seconds``."""
    return {name: value for name, value in result.items() if name != "seconds"}


def kept_rows(task: Task, result: Result) -> list[Row]:
    """The rows that a run keeps as ``rows``."""
    return list(result["rows"])


@dataclass(frozen=True, eq=False)
class RunTable:
    """One stored table.

    Parameters
    ----------
    key : columns that name a row; those that are not among the numbers are told by the block, and come first
    columns : numbers of a run's row, or of several rows
    parts : of the blocks whose runs have rows here; of all by default
    which : whether a run of these has
    whole : makes the rows from all runs together, in place of ``columns``
    summary : whether a row made by ``whole`` depends on all seeds of a cell, and on no other cell
    compared : whether a second computation gives the numbers again, as it does not give times
    digits : that are significant, of a number; those of a list, which stands as words, are :data:`LISTED`
    """

    key: tuple[str, ...]
    columns: Callable[[Task, Result], Row | Sequence[Row]] = result_rows
    parts: tuple[str, ...] = ()
    which: Callable[[Any, Task], bool] = lambda block, task: True
    whole: Callable[[Sequence[Run]], Iterable[Row]] | None = None
    summary: bool = True
    compared: bool = True
    digits: int = 9

    def takes(self, block: Any, task: Task) -> bool:
        """Whether a run has rows here, or goes into some."""
        return (not self.parts or block.part in self.parts) and self.which(block, task)

    def frame(self, runs: Iterable[Run]) -> pd.DataFrame:
        """The table of these runs."""
        taken = [run for run in runs if self.takes(run[0], run[1])]
        made = self._rows(taken) if self.whole is None else self.whole(taken)
        rows = [{name: written(value, self.digits) for name, value in row.items()} for row in made]
        return pd.DataFrame(rows) if rows else pd.DataFrame(columns=list(self.key))

    def _rows(self, runs: Iterable[Run]) -> Iterable[Row]:
        for block, task, result in runs:
            found = self.columns(task, result)
            for row in [found] if isinstance(found, Mapping) else found:
                yield {**block.told(task, (name for name in self.key if name not in row)), **row}


def frames(
    tables: Mapping[str, RunTable],
    items: Sequence[Item],
    results: Sequence[Result],
    together: Callable[[Any, Task], Hashable] | None = None,
) -> dict[str, pd.DataFrame]:
    """The tables of these runs and their results; those that agree in what ``together`` says stand together."""
    runs = [
        (block, task, result) for (block, task), result in zip(items, results, strict=True) if FAILURE not in result
    ]
    if together is not None:
        places: dict[Hashable, int] = {}
        runs.sort(key=lambda run: places.setdefault(together(run[0], run[1]), len(places)))
    return {name: table.frame(runs) for name, table in tables.items()}


def by_key(runs: Iterable[Run], names: Sequence[str]) -> list[tuple[dict[str, Any], list[Result]]]:
    """Results by the columns that name their cell, in order."""
    found: dict[tuple[Any, ...], list[Result]] = {}
    for block, task, result in runs:
        found.setdefault(tuple(block.told(task, names).values()), []).append(result)
    return [(dict(zip(names, key, strict=True)), results) for key, results in found.items()]


def kept(
    task: Task, experiments: Iterable[Experiment[Any]], keep: Mapping[str, Callable[[Trajectory], Any]]
) -> dict[str, Any]:
    """Run a task of one of the experiments; what is kept of it, by column."""
    (experiment,) = (each for each in experiments if f"{each.paper}/{each.name}" == task.experiment)
    run = experiment.run(task.method, task.seed, task.values)
    return {name: of(run) for name, of in keep.items()}


#: Significant digits of a number in a list.
LISTED = 6


def written(value: Any, digits: int) -> Any:
    """As it stands in a table: a number in so many digits, a list as words, anything else as it is."""
    if isinstance(value, list | tuple | np.ndarray):
        return joined(value)
    return short(value, digits) if isinstance(value, float) else value


def short(value: float, digits: int = 9) -> float:
    """A number of so many significant digits."""
    return float(f"{value:.{digits}g}")


def joined(values: Iterable[float], digits: int = LISTED) -> str:
    """Numbers as words with blanks between them; :func:`companion.stored.results.unjoined` reads them."""
    return " ".join(f"{value:.{digits}g}" for value in values)
