"""Draw the picture of the README and of the first page, light and dark: ``make readme`` (chapter 3, default parameters)."""

from dataclasses import replace

from companion.core.files import repository_root, write_atomic
from companion.pages.figures import DARK, LIGHT
from companion.papers.batched.experiments.parameters import CHAPTER
from companion.papers.batched.page.bound import bound_study
from companion.papers.batched.page.theory_figures import waterfall

WORDS = (
    "regret, as measured",
    "every play as bad as\nthe worst point left",
    "four confidence widths\nfor its regret",
    "information gain for\nthe largest variance",
    "largest possible gain\nfor that of the run",
    "powers of the horizon\nfor the batch sizes",
    "closed form:\nthe theorem as printed",
)

study = bound_study(**{name: CHAPTER.defaults[name] for name in ("seed", "horizon", "norm", "noise", "delta")})
first = next(iter(study.chains))
# As wide as half a page, so that its words are as large as the page's.
picture = replace(waterfall(replace(study, chains={first: study.chains[first]}), WORDS), size=(5.8, 4.4))
for name, palette in (("readme.png", LIGHT), ("readme-dark.png", DARK)):
    write_atomic(repository_root() / "book" / "_static" / name, picture.render(palette))
