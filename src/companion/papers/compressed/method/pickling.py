"""The bandits can be pickled with the function that gives their width, see :mod:`companion.policies.pickling`."""

from companion.papers.compressed.method.bkb import BKBandit
from companion.papers.compressed.method.policy import CompressedBandit
from companion.policies.pickling import share

share(CompressedBandit)
share(BKBandit)
