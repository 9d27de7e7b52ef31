"""Policies with contexts can be pickled, without the acquisition function of the last choice.

It is kept for figures, and holds functions that belong to one round. A restored policy has none until it is asked again;
its choices do not depend on it.
"""

from companion.papers.wdrbo.method.policy import AcquisitionPolicy
from companion.policies.pickling import share

share(AcquisitionPolicy, _last=None)
