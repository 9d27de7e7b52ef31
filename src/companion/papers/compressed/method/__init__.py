"""The method: the algorithm, its model and its rivals."""

from companion.papers.compressed.method import pickling as pickling
