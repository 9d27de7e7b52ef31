"""Whether a method stands to the other methods of its column as a paper prints them, pair by pair."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from companion.judge.columns import Selection
from companion.judge.intervals import Interval


@dataclass(frozen=True)
class Ordering:
    """Order of one method against every other one of its column, in our runs.

    Attributes
    ----------
    confirmed : pairs that our paired interval shows to stand as printed
    open : pairs that it leaves undecided
    reversed : pairs that it shows to stand the other way round
    tied : pairs that are printed with equal means, so that there is no order to confirm
    runs : what our interval of each pair is computed from
    """

    confirmed: int = 0
    open: int = 0
    reversed: int = 0
    tied: int = 0
    runs: tuple[Selection | None, ...] = field(default=(), compare=False, repr=False)

    @property
    def printed(self) -> int:
        """Pairs of which the paper prints an order."""
        return self.confirmed + self.open + self.reversed

    @property
    def as_printed(self) -> bool:
        """Whether every printed order is confirmed, and there is one: a single open pair is enough to say no."""
        return self.confirmed == self.printed > 0

    def words(self) -> str:
        """For the reason of a verdict."""
        if self.printed == 0:
            return "no order of the methods is printed"
        if self.as_printed:
            return f"the method stands to all {self.printed} others as printed"
        return (
            f"of {self.printed} printed orders with other methods {self.confirmed} confirmed, {self.open} open, "
            f"{self.reversed} reversed"
        )

    def to_dict(self) -> dict[str, int]:
        """The ``ordering`` of a verdict's JSON object."""
        return {name: getattr(self, name) for name in ("confirmed", "open", "reversed", "tied")}


def same_ordering(pairs: Iterable[tuple[float, Interval]]) -> Ordering:
    """Count the pairs in which a method stands to others as printed.

    Parameters
    ----------
    pairs : for every other method of the column, the printed difference (this method minus the other) and our paired
        interval of the same difference
    """
    confirmed = undecided = turned = tied = 0
    runs = []
    for printed, ours in pairs:
        runs.append(ours.runs)
        if printed == 0.0:
            tied += 1
        elif 0.0 in ours:
            undecided += 1
        elif (ours.low > 0.0) == (printed > 0.0):
            confirmed += 1
        else:
            turned += 1
    return Ordering(confirmed, undecided, turned, tied, tuple(runs))
