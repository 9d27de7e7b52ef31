"""Policies can be pickled: to go on in another process, or to be copied between two calls.

A posterior knows the array library that it computes with as a module, and modules cannot be pickled. It is left out and
found again from the arrays. The rule stands here and not in the posterior's class because it cannot change a number.

Unpickling runs what the file says. Read pickles of your own only; for files that are kept or passed on there is
:mod:`companion.policies.saving`, whose files are data.
"""

from __future__ import annotations

import copyreg
from typing import Any

from array_api_compat import array_namespace

from companion.gp import FinitePosterior


def _reduced(posterior: FinitePosterior) -> tuple[Any, ...]:
    return _restored, ({name: value for name, value in vars(posterior).items() if name != "_xp"},)


def _restored(state: dict[str, Any]) -> FinitePosterior:
    posterior = FinitePosterior.__new__(FinitePosterior)
    vars(posterior).update(state, _xp=array_namespace(state["mean"]))
    return posterior


copyreg.pickle(FinitePosterior, _reduced)
