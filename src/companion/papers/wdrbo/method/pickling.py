"""Policies with contexts can be pickled, without the acquisition function of the last choice.

It is kept for figures, and holds functions that belong to one round. A restored policy has none until it is asked again;
its choices do not depend on it.
"""

from __future__ import annotations

import copyreg
from typing import Any

from companion.papers.wdrbo.method.policy import AcquisitionPolicy


def _reduced(policy: AcquisitionPolicy) -> tuple[Any, ...]:
    return _restored, ({**vars(policy), "_last": None},)


def _restored(state: dict[str, Any]) -> AcquisitionPolicy:
    policy = AcquisitionPolicy.__new__(AcquisitionPolicy)
    vars(policy).update(state)
    return policy


copyreg.pickle(AcquisitionPolicy, _reduced)
