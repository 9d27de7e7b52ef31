"""Many runs: their tables, their regret as an array, their picture, their comparison, and where they come from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from companion.api.trajectory import CURVES
from companion.core.arrays import Floats
from companion.core.errors import ParameterError, known_as
from companion.core.optional_libraries import with_advice
from companion.simulate.plan import Plan
from companion.simulate.sweep import same_runs
from companion.simulate.task_store import Task

# Pandas, Matplotlib and SciPy's statistics are loaded where they are needed: computing runs does without.
if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from companion.pages.figures import Figure
    from companion.pages.provenance import Provenance
    from companion.pages.tables import Table
    from companion.stored.record import Record

#: What a run has once, at its end.
ENDS = ("cumulative_regret", "simple_regret", "recommended_regret")

#: How :meth:`Runs.only` and comparisons call the experiment of a run, where there are several.
EXPERIMENT = "experiment"

#: Wanted probability of seeing a difference, in :meth:`Runs.compare`.
POWER = 0.8


@dataclass(frozen=True, eq=False)
class Runs:
    """Runs of an experiment, made by :meth:`companion.api.experiments.Experiment.run` or
    :func:`companion.api.experiments.sweep`.

    Parameters
    ----------
    plan : which runs
    records : for each of them what :meth:`companion.simulate.Trajectory.to_json` gives
    command : makes them again
    seconds : that computing them took; 0 for what was stored already

    Raises
    ------
    LibraryError
        by tables and pictures, where pandas or Matplotlib is not installed; the message names the extra

    Examples
    --------
    >>> import companion as cp
    >>> small = {"batches": 3, "batch_size": 4}
    >>> runs = cp.experiment("tsrsr", "theory").run(["ts-rsr", "random"], seeds=range(3), **small)
    >>> runs
    6 runs of tsrsr/theory: ts-rsr, random; 3 seeds
    >>> runs.only("ts-rsr").regret.shape
    (3, 12)
    """

    plan: Plan
    records: tuple[Mapping[str, Any], ...]
    command: str = ""
    seconds: float = 0.0

    def __len__(self) -> int:
        return len(self.records)

    def __repr__(self) -> str:
        names = ", ".join(dict.fromkeys(task.experiment for task in self.plan.tasks))
        data = ", ".join(dict.fromkeys(task.data for task in self.plan.tasks if task.data))
        used = f"; data {data}" if data else ""
        least = f"; regret against {self.regret_against}" if self.regret_against else ""
        return f"{len(self)} runs of {names}: {', '.join(self.methods)}; {len(self.seeds)} seeds{used}{least}"

    @property
    def regret_against(self) -> str:
        """What regret is measured against where that may lie below the maximum; empty where the optimum is known."""
        return str(next(filter(None, (record["meta"].get("regret_against") for record in self.records)), ""))

    @property
    def methods(self) -> tuple[str, ...]:
        """Methods, in the order in which they were asked for."""
        return tuple(dict.fromkeys(task.method for task in self.plan.tasks))

    @property
    def seeds(self) -> tuple[int, ...]:
        """Seeds, increasing."""
        return tuple(sorted({task.seed for task in self.plan.tasks}))

    @cached_property
    @with_advice()
    def frame(self) -> pd.DataFrame:
        """One row an evaluation: paper, experiment, method, seed, the parameters that were set, ``data_used`` where data are,
        evaluation, round, regrets, model order; see :func:`companion.stored.tables.evaluations`.
        """
        from companion.stored import tables

        return tables.evaluations(self.plan, self.records)

    @cached_property
    @with_advice()
    def trials(self) -> pd.DataFrame:
        """One row a run: the same identity, numbers of evaluations and rounds, and the regrets at the end."""
        from companion.stored import tables

        return tables.trials(self.plan, self.records)

    @property
    def regret(self) -> Floats:
        """Cumulative regret (runs, T), in the order of :attr:`trials`."""
        return self.curves("cumulative_regret")

    def curves(self, metric: str) -> Floats:
        """One of :data:`CURVES` of every run, (runs, T).

        Raises
        ------
        ParameterError
            for another name, or where runs have different numbers of evaluations

        Examples
        --------
        >>> import companion as cp
        >>> runs = cp.experiment("batched", "appendix-e").run("bpe", seeds=range(2), horizon=20, points_per_axis=8)
        >>> runs.curves("simple_regret").shape
        (2, 20)
        """
        name = known_as("metric", metric, CURVES)
        lengths = sorted({len(record[name]) for record in self.records})
        if len(lengths) != 1:
            raise ParameterError("runs", f"have {lengths} evaluations", "equally many", "Choose some with only(...).")
        return np.array([record[name] for record in self.records], dtype=np.float64)

    def only(self, method: str | Iterable[str] | None = None, **settings: Any) -> Runs:
        """The runs of some methods, or at some values of the parameters that were set, or of one ``experiment`` of several.

        Raises
        ------
        ParameterError
            for a parameter that was not set, or where no run is left
        """
        methods = self.methods if method is None else (method,) if isinstance(method, str) else tuple(method)
        for name in settings:
            if name not in (*self.plan.varied, EXPERIMENT):
                known = ", ".join(self.plan.varied) or "none"
                raise ParameterError(name, "was not set for these runs", f"one of those that were: {known}")
        found = self._at(methods, settings)
        if not found:
            wanted = [
                f"{name}={value!r}" for name, value in {"method": method, **settings}.items() if value is not None
            ]
            raise ParameterError(
                "only", f"no run has {', '.join(wanted)}", f"settings that some have, of {', '.join(self.methods)}"
            )
        return found

    # -- shown -----------------------------------------------------------------------------------------------------------

    @overload
    def plot(self, metric: str = "cumulative_regret", log: str = "") -> Figure: ...
    @overload
    def plot(self, metric: str = "cumulative_regret", log: str = "", *, ax: Axes) -> Axes: ...
    @with_advice()
    def plot(self, metric: str = "cumulative_regret", log: str = "", *, ax: Axes | None = None) -> Figure | Axes:
        """Mean over seeds with a band of one standard error, which the title says; a curve for each method and setting.

        Parameters
        ----------
        metric : one of :data:`CURVES`
        log : axes that are logarithmic: ``x``, ``y`` or ``xy``
        ax : Matplotlib's axes of a figure of your own, to draw on; labelled then, without a title

        Returns
        -------
        a figure that a notebook shows, or ``ax``; ``save("name.pdf")`` writes it, or ``.png``, ``.svg``

        Examples
        --------
        >>> import companion as cp, pathlib, tempfile
        >>> runs = cp.experiment("batched", "appendix-e").run("bpe", seeds=range(2), horizon=20, points_per_axis=8)
        >>> runs.plot().save(pathlib.Path(tempfile.mkdtemp(), "regret.png")).name
        'regret.png'
        """
        from companion.api.charts import regret_chart

        curves = {label: runs.curves(metric) for label, runs in self._cells().items()}
        return regret_chart(curves, metric + self._least, log, self.where, ax)

    def summary(self) -> dict[str, dict[str, Any]]:
        """What :meth:`table` shows, as plain numbers by method and setting; without pandas.

        ``runs``, and each of :data:`ENDS`: the mean, and with ``_half`` half of its 95 % interval, ``None`` for one run.
        """
        from companion.judge.intervals import mean_interval

        found: dict[str, dict[str, Any]] = {}
        for label, runs in self._cells().items():
            found[label] = {"runs": len(runs)}
            for name in ENDS:
                values = np.array([_end(record, name) for record in runs.records])
                within = mean_interval(values) if len(values) > 1 else None
                half = within and (within.high - within.low) / 2
                found[label] |= {name: float(values.mean()), f"{name}_half": half}
        return found

    @with_advice()
    def table(self) -> Table:
        """Mean of each regret at the end, with its 95 % interval where there are several seeds.

        Examples
        --------
        >>> import companion as cp
        >>> runs = cp.experiment("batched", "appendix-e").run("bpe", seeds=range(2), horizon=20, points_per_axis=8)
        >>> runs.table().caption
        'Regret at the end: mean over seeds ± half of its 95 % interval.'
        """
        import pandas as pd

        from companion.core.templates import significant
        from companion.pages.tables import Table

        rows = []
        for label, found in self.summary().items():
            row: dict[str, Any] = {"": label, "runs": found["runs"]}
            for name in ENDS:
                words, half = significant(found[name], 3), found[f"{name}_half"]
                if half is not None:
                    words += f"\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}{significant(half, 2)}"
                row[(name + self._least).replace("_", " ")] = words
            rows.append(row)
        caption = "Regret at the end: mean over seeds ± half of its 95 % interval."
        return Table(pd.DataFrame(rows), caption, self.where)

    @with_advice()
    def compare(self, baseline: str, metric: str = "cumulative_regret", level: float = 0.95) -> pd.DataFrame:
        """Every other method minus ``baseline``, at the end of the runs, paired by seed.

        At one seed methods share function, noise and contexts, so differences are taken seed by seed. The p-values of the
        paired t-tests are corrected for their number after Holm.

        Parameters
        ----------
        baseline : a method
        metric : one of :data:`ENDS`
        level : of the intervals, which are not corrected

        Returns
        -------
        one row for each method and setting: the parameters that were set, ``method``, ``mean``, ``baseline`` (its mean),
        ``difference`` with ``low`` and ``high``, ``p``, ``adjusted_p``, ``seeds``, and ``seeds_needed`` to see such a
        difference at 5 % with probability 0.8 (none above 10,000)

        Raises
        ------
        ParameterError
            without such a method, another method or a second seed, or where two methods have different seeds

        Examples
        --------
        >>> import companion as cp
        >>> small = {"batches": 3, "batch_size": 4}
        >>> runs = cp.experiment("tsrsr", "theory").run(["ts-rsr", "random"], seeds=range(4), **small)
        >>> table = runs.compare("random")
        >>> table.method.tolist(), table.seeds.tolist(), bool((table.low <= table.difference).all())
        (['ts-rsr'], [4], True)
        """
        import pandas as pd

        return pd.DataFrame(self.differences(baseline, metric, level)).astype({"seeds_needed": "Int64"})

    def differences(
        self, baseline: str, metric: str = "cumulative_regret", level: float = 0.95
    ) -> list[dict[str, Any]]:
        """The rows of :meth:`compare` as mappings, without pandas; its arguments and errors."""
        from companion.judge.method_comparison import contrasts, runs_needed

        known_as("metric", metric, ENDS)
        others = [method for method in self.methods if method != baseline]
        if baseline not in self.methods or not others:
            known = ", ".join(self.methods)
            raise ParameterError("baseline", f"got {baseline!r}", f"one of at least two methods; there are: {known}")
        pairs: dict[str, tuple[Floats, Floats]] = {}
        rows: list[dict[str, Any]] = []
        for settings in self._settings():
            # Of several experiments, each with the methods that it has.
            here = self.methods if EXPERIMENT not in settings else self.only(experiment=settings[EXPERIMENT]).methods
            ends = {name: self._ends(name, settings, metric) for name in (*here, baseline)}
            for name in (name for name in others if name in here):
                if list(ends[name]) != list(ends[baseline]):
                    raise ParameterError("seeds", f"of {name} and {baseline} are different", "the same for both")
                pairs[str(len(rows))] = (np.array(list(ends[name].values())), np.array(list(ends[baseline].values())))
                rows.append({**settings, "method": name})
        found = contrasts(pairs, level)
        for row, contrast, (one, two) in zip(rows, found, pairs.values(), strict=True):
            gap, spread = contrast.difference, float(np.std(one - two, ddof=1))
            row |= {"mean": contrast.means[0], "baseline": contrast.means[1], "difference": gap.estimate}
            row |= {"low": gap.low, "high": gap.high, "p": contrast.p, "adjusted_p": contrast.adjusted}
            needed = runs_needed(gap.estimate / spread, POWER) if spread > 0 and gap.estimate else None
            row |= {"seeds": gap.count, "seeds_needed": needed}
        return rows

    # -- kept ------------------------------------------------------------------------------------------------------------

    @cached_property
    def record(self) -> Record:
        """Provenance: the command, seeds, every parameter, data, versions, machine."""
        from companion.stored import tables

        return tables.record_of(self.plan, self.command, self.seconds)

    @property
    @with_advice()
    def where(self) -> Provenance:
        """Provenance of a number made from these runs, as figures and tables show it."""
        from companion.pages.provenance import Provenance, Source

        record = self.record
        digest = same_runs(self.plan.tasks)[:12]
        data = ", ".join(sorted({task.data for task in self.plan.tasks if task.data}))
        parts = [
            f"data {data}" if data else "",
            f"runs {digest}",
            f"commit {record.commit[:12]}{record.commit[40:]}" if record.commit else "",
            record.date[:10],
        ]
        names = ", ".join(dict.fromkeys(task.experiment for task in self.plan.tasks))
        return Provenance(
            (Source(self.command, record.profile, self.seeds, names, names, ", ".join(filter(None, parts))),)
        )

    @with_advice()
    def save(self, path: str | Path, force: bool = False) -> Path:
        """Write :attr:`frame` as ``.csv``, which needs no pandas, or ``.parquet``, and beside it its record.

        Parameters
        ----------
        path : of the table; what holds other runs is not replaced unless ``force`` says so

        Returns
        -------
        ``path``; the record lies beside it, ``runs.record.json`` for ``runs.csv``

        Raises
        ------
        ParameterError
            naming the file and what to do

        Examples
        --------
        >>> import companion as cp, pathlib, tempfile
        >>> runs = cp.experiment("batched", "appendix-e").run("bpe", seeds=range(2), horizon=20, points_per_axis=8)
        >>> path = runs.save(pathlib.Path(tempfile.mkdtemp(), "runs.csv"))
        >>> sorted(file.name for file in path.parent.iterdir())
        ['runs.csv', 'runs.record.json']
        """
        from companion.stored import tables

        path = Path(path)
        tables.check_target(path, self.plan, force)
        tables.write_table(path, tables.evaluation_columns(self.plan, self.records), self.record)
        return path

    # -- parts -----------------------------------------------------------------------------------------------------------

    def _at(self, methods: Sequence[str], settings: Mapping[str, Any]) -> Runs:
        """The runs of these methods at these settings, perhaps none."""
        chosen = [
            task.method in methods and all(_set(task, name) == value for name, value in settings.items())
            for task in self.plan.tasks
        ]
        plan = replace(self.plan, tasks=tuple(compress(self.plan.tasks, chosen)))
        return replace(self, plan=plan, records=tuple(compress(self.records, chosen)))

    def _settings(self) -> list[dict[str, Any]]:
        """The settings, by experiment and the parameters that were set, if to more than one value: others are never mixed."""
        known = (EXPERIMENT, *self.plan.varied)
        names = [name for name in known if len({repr(_set(task, name)) for task in self.plan.tasks}) > 1]
        settings = [{name: _set(task, name) for name in names} for task in self.plan.tasks]
        return list({repr(setting): setting for setting in settings}.values())

    def _cells(self) -> dict[str, Runs]:
        """Runs by method and setting; their labels name what differs."""
        several = len(self.methods) > 1
        found = {}
        for settings in self._settings():
            words = ", ".join(f"{name}={value}" for name, value in settings.items())
            for method in self.methods:
                if runs := self._at((method,), settings):
                    found[", ".join(filter(None, (method if several or not words else "", words)))] = runs
        return found

    def _ends(self, method: str, settings: Mapping[str, Any], metric: str) -> dict[int, float]:
        """By seed, increasing."""
        kept = self.only(method, **settings)
        seeds = [task.seed for task in kept.plan.tasks]
        return {seeds[place]: _end(kept.records[place], metric) for place in np.argsort(seeds)}

    @property
    def _least(self) -> str:
        return " (at least)" if self.regret_against else ""


def _end(record: Mapping[str, Any], metric: str) -> float:
    """A regret at the end of a run."""
    return float(record[metric][-1] if metric in CURVES else record[metric])


def _set(task: Task, name: str) -> Any:
    """A parameter of a run, or its experiment."""
    return task.experiment if name == EXPERIMENT else task.parameters.get(name)
