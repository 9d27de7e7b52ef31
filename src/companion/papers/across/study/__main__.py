"""``python -m companion.papers.across.study``: make the runs of the study."""

from companion.core import arithmetic

arithmetic.pin()

from companion.papers.across.study.stored import store  # noqa: E402

store()
