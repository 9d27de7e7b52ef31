"""Take the picture of the README, for light and dark pages, out of chapter 6: ``make readme``."""

import base64
import re

from companion.core.files import repository_root, write_atomic
from companion.pages.document import find_chapter, read_notebook

CELL = "bound_figures.bounds_and_regret("

root = repository_root()
(page,) = (
    "".join(cell.outputs[0].data["text/html"])
    for cell in read_notebook(find_chapter(root, 6).notebook).cells
    if cell.cell_type == "code" and CELL in cell.source
)
for mode, name in (("light", "readme.png"), ("dark", "readme-dark.png")):
    picture = re.search(rf'class="only-{mode}"[^>]*base64,([^"]+)"', page)[1]
    write_atomic(root / "book" / "_static" / name, base64.b64decode(picture))
