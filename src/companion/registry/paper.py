"""Declaration of a paper: ``PAPER`` of its package, in one place and typed."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

if TYPE_CHECKING:
    from companion.bounds.bound import Bound
    from companion.core.memory import Need
    from companion.core.parameters import ParameterSet
    from companion.policies import Optimiser
    from companion.simulate import Experiment
    from companion.simulate.vectorised import Vectorised
    from companion.stored.runs import PaperRuns

T = TypeVar("T")


@dataclass(frozen=True)
class Lazy(Generic[T]):
    """A reference to ``place``, ``module:name`` or a module: imported when its value is read, not when it is declared.

    Examples
    --------
    >>> from companion.registry.paper import Lazy
    >>> Lazy("math:sqrt").value(9.0)
    3.0
    """

    place: str

    @property
    def value(self) -> T:
        """The object at the place."""
        module, _, name = self.place.partition(":")
        found: Any = importlib.import_module(module)
        return getattr(found, name) if name else found


@dataclass(frozen=True, kw_only=True)
class Paper:
    """Parts of a paper, or of the chapter across papers; an omitted part does not exist (yet).

    Attributes
    ----------
    slug, number : name of the package, and the number of its chapter
    title : of the paper; where it is given, the work that the lesson cites first has to have it
    draft : whether the page may still lack what every chapter must have; then it is told, and nothing fails
    notebook : name of the chapter's lesson after ``ch<number>_``; the slug where it is empty
    parameters : all names of the parameters cells of the chapter's pages
    experiments : what can be run
    need : ``need(experiment, method, parameters)``, what a run needs of the memory; its parameters are those of set-ups
    stored_runs : the runs behind the stored tables
    every_set : declares all sets of runs that ``make paper`` computes, on the data found here; by default these runs
    table_sets : declares tables that are made in parts, as runs
    store_tables : makes those that are missing, or those named; called before the runs are computed
    statements, leads : the rooms
    bounds : widths and bounds as objects, which ``companion bounds`` shows
    verdicts : judge what is reported, a :class:`companion.judge.claims.Verdicts`
    optimisers : methods that can be started on a problem of your own
    together : what can be run at many seeds at once
    """

    slug: str
    number: int
    title: str = ""
    draft: bool = False
    notebook: str = ""
    parameters: Lazy[ParameterSet] | None = None
    experiments: Lazy[Sequence[Experiment[Any]]] | None = None
    need: Lazy[Callable[[str, str, Any], Need]] | None = None
    stored_runs: Lazy[PaperRuns[Any]] | None = None
    every_set: Lazy[Callable[[], tuple[PaperRuns[Any], ...]]] | None = None
    table_sets: Lazy[Callable[[], tuple[PaperRuns[Any], ...]]] | None = None
    store_tables: Lazy[Callable[..., None]] | None = None
    statements: Lazy[ModuleType] | None = None
    leads: Lazy[ModuleType] | None = None
    bounds: Lazy[Sequence[Bound]] | None = None
    verdicts: Lazy[Any] | None = None
    optimisers: Lazy[Sequence[type[Optimiser]]] | None = None
    together: Lazy[Vectorised] | None = None


#: Parts by which papers are chosen.
Part = Literal["parameters", "experiments", "stored_runs", "statements", "leads", "bounds", "verdicts", "optimisers"]
