"""The policies on a box can be pickled with the function that opens their streams, see :mod:`companion.policies.pickling`."""

from companion.papers.tsrsr.method.policy import BoxPolicyByRule, UniformOnBox
from companion.policies.pickling import share

share(BoxPolicyByRule)
share(UniformOnBox)
