"""The method: the algorithm, its model and its rivals."""

from companion.papers.wdrbo.method import pickling as pickling
