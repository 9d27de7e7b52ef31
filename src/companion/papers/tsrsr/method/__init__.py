"""The method: the algorithm, its model and its rivals."""

from companion.papers.tsrsr.method import pickling as pickling
