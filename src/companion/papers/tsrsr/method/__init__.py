"""The method: the algorithm, its model and its rivals."""
