"""A paper's evidence for machines: its schemas, its ids, the terms and forms that others use, and a folder with all of it.

See ``book/machines.md``.
"""
