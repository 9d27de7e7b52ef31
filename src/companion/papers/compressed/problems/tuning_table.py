"""The stored trainings behind the tuning experiment: 512 configurations, three seeds each, for digits and for MNIST.

The tables lie beside this module, with their record, so that the experiment needs neither data nor training. They are
made by ``python -m companion.papers.compressed.problems.tuning_table digits`` (or ``mnist``, which needs the data and about half
an hour of one core). Finished trainings wait in the folder of single runs, so that an interrupted call goes on where it
stopped. Accuracies are shares of the validation images; seconds are CPU seconds of the machine in the record.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from companion.core import instruction_set
from companion.core.arrays import Floats
from companion.core.errors import DataError, ParameterError, ResultError
from companion.core.files import results_folder
from companion.core.randomness import stream
from companion.papers.compressed.problems.images import DATA, image_data
from companion.papers.compressed.problems.training import configuration, train
from companion.simulate.sweep import TASKS
from companion.simulate.task_store import Task, assemble, run_tasks
from companion.stored.record import Record
from companion.stored.results import CHECKSUMS, load_entries, store_entries

LOG_SIZE, SEEDS = 9, 3
COMMAND = "python -m companion.papers.compressed.problems.tuning_table"
FOLDER = Path(__file__).resolve().parent


@dataclass(frozen=True, eq=False)
class TuningTable:
    """Stored trainings.

    Parameters
    ----------
    name : ``digits`` or ``mnist``
    points : (N, 4) configurations in the unit cube
    accuracy : (N, 3) validation accuracy of each training
    seconds : (N, 3) CPU seconds of each training
    record : of the trainings
    """

    name: str
    points: Floats
    accuracy: Floats
    seconds: Floats
    record: Record


def sobol_points(log_size: int = LOG_SIZE) -> Floats:
    """The first 2^log_size points of one scrambled Sobol sequence in the unit cube, shape (N, 4)."""
    from scipy.stats import qmc  # takes a third of a second to load, and only a new table needs it

    return qmc.Sobol(4, scramble=True, rng=stream(0, "compressed", "sobol")).random_base2(log_size)


def tasks(data: str, log_size: int = LOG_SIZE, seeds: int = SEEDS) -> list[Task]:
    """One task for each configuration and seed."""
    points = sobol_points(log_size).tolist()
    return [
        Task("compressed/training", data, {"number": number, "point": point}, seed)
        for number, point in enumerate(points)
        for seed in range(seeds)
    ]


def compute(task: Task) -> dict[str, Any]:
    """Accuracy and CPU seconds of one training."""
    point = task.parameters["point"]
    generator = stream(task.seed, "compressed", "training", task.method, int(task.parameters["number"]))
    accuracy, seconds = train(configuration(point), image_data(task.method), generator)
    return {"accuracy": accuracy, "seconds": seconds}


def store(
    data: str,
    root: Path | None = None,
    jobs: int | None = None,
    *,
    log_size: int = LOG_SIZE,
    seeds: int = SEEDS,
    folder: Path = FOLDER,
) -> Path:
    """Train the missing configurations and write the table.

    Parameters
    ----------
    data : ``digits`` or ``mnist``
    root : repository, for the finished trainings; found from the current folder by default
    jobs : workers
    log_size, seeds : size of the table
    folder : where ``tuning_<data>.json`` is written

    Raises
    ------
    ParameterError, DataError
        for other data, or where MNIST is not found
    """
    image_data(data)
    wanted, waiting = tasks(data, log_size, seeds), results_folder("compressed", root) / TASKS
    run_tasks(wanted, compute, waiting, jobs=jobs, label=f"trainings on {data}")
    found = assemble(wanted, waiting)
    entries = []
    for first in range(0, len(wanted), seeds):
        runs = found[first : first + seeds]
        entries.append(
            {
                "point": " ".join(repr(value) for value in wanted[first].parameters["point"]),
                "accuracy": " ".join(repr(run["accuracy"]) for run in runs),
                "seconds": " ".join(f"{run['seconds']:.4g}" for run in runs),
            }
        )
    record = Record.now(
        f"{COMMAND} {data}",
        profile="paper",
        seeds=range(seeds),
        seconds=sum(run["seconds"] for run in found),  # of all trainings, also those of an earlier, interrupted call
        settings={"data": data},
    )
    return store_entries(folder, f"tuning_{data}", entries, record)


@lru_cache(maxsize=4)
def load(data: str, folder: Path = FOLDER) -> TuningTable:
    """The stored table; :class:`~companion.core.errors.ResultError` where it is missing or damaged."""
    if data not in DATA:
        raise ParameterError("data", f"got {data!r}", ", ".join(DATA))
    stored = load_entries(folder, f"tuning_{data}", f"{COMMAND} {data}")

    def column(name: str) -> Floats:
        array = np.array([[float(word) for word in entry[name].split()] for entry in stored.entries])
        array.flags.writeable = False
        return array

    return TuningTable(data, column("point"), column("accuracy"), column("seconds"), stored.record)


def digest(data: str, folder: Path = FOLDER) -> str:
    """Checksum of the stored trainings, as their record has it."""
    return str(load(data, folder).record.settings[CHECKSUMS]["entries"])


def best_available(folder: Path = FOLDER) -> str:
    """``mnist`` where its table is stored, else ``digits``."""
    try:
        load("mnist", folder)
    except ResultError:
        return "digits"
    return "mnist"


def main(arguments: Sequence[str]) -> int:
    """Make the table of the data named as the only argument."""
    if len(arguments) != 1 or arguments[0] not in DATA:
        raise SystemExit(f"usage: {COMMAND} {'|'.join(DATA)}")
    try:
        store(arguments[0])
    except DataError as error:
        raise SystemExit(str(error)) from None
    return 0


if __name__ == "__main__":
    instruction_set.restart()
    sys.exit(main(sys.argv[1:]))
