"""Draw the README's picture from a run: ``make readme`` (chapter 3, default parameters, light mode)."""

from companion.files import repository_root, write_atomic
from companion.papers.batched.figures.theory import waterfall
from companion.papers.batched.parameters import CHAPTER
from companion.papers.batched.studies.bound import bound_study
from companion.report.figures import LIGHT

values = {name: CHAPTER.defaults[name] for name in ("seed", "horizon", "norm", "noise", "delta")}
write_atomic(repository_root() / "book" / "_static" / "readme.png", waterfall(bound_study(**values)).render(LIGHT))
