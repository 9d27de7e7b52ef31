"""What runs need of the memory, reckoned from the sizes asked for and compared with what is there before any of them begins.

A paper declares what a run needs: ``need(experiment, method, parameters)`` gives bytes of the large arrays by the parameters
that decide about them, ``{"horizon points": 8 * 1000 * 2500}``. It stands outside of what runs reach, so that a better
estimate leaves stored results alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.core import memory
from companion.core.errors import ParameterError

#: Bytes by the names of parameters, those that decide most first.
Need = Mapping[str, int]

#: Bytes of a number.
FLOAT = 8


def check_need(need: Need, parameters: Mapping[str, Any], runs: int = 1) -> None:
    """Refuse runs that need more memory than is free.

    Parameters
    ----------
    need : of one run
    parameters : resolved
    runs : at the same time

    Raises
    ------
    ParameterError
        naming the sizes that need most, how much it is, and what is there
    """
    free, total = memory.available(), runs * sum(need.values())
    if free is None or total <= free:
        return
    first, *others = max(need, key=lambda name: need[name]).split()
    beside = "".join(f", with {name}={parameters[name]}" for name in others)
    each = "" if runs == 1 else f" in each of {runs} workers"
    problem = f"got {parameters[first]}{beside}, which takes {_amount(sum(need.values()))} of memory{each}"
    raise ParameterError(first, problem, f"sizes that fit into the {_amount(free)} that are free")


def _amount(size: int) -> str:
    return f"{size / 1e9:,.1f} GB" if size >= 1e9 else f"{size / 1e6:,.0f} MB"
