"""A page of one's own: words, figures and tables with where they come from, in one HTML file that needs nothing else."""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any

from companion.core.errors import ParameterError
from companion.core.files import write_atomic

# Both page modes, as the reader's system asks; widths that a phone has.
_STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.55 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem;
  background: #ffffff; color: #1b1f24; }
figure { margin: 1.5rem 0; } img { max-width: 100%; height: auto; } .only-dark { display: none; }
figcaption, details { color: #4f5863; font-size: .92rem; } .companion-scroll { overflow-x: auto; margin: 1.5rem 0; }
table { border-collapse: collapse; } th, td { padding: .25rem .7rem; border-bottom: 1px solid #d5dae0; text-align: left; }
th.number, td.number { text-align: right; font-variant-numeric: tabular-nums; } code { overflow-wrap: anywhere; }
@media (prefers-color-scheme: dark) {
  body { background: #14181e; color: #e6e9ed; } figcaption, details { color: #a6b0bb; }
  th, td { border-color: #3a424c; } .only-dark { display: inline; } .only-light { display: none; }
}
"""


def write_page(path: str | Path, title: str, *parts: Any) -> Path:
    """Write an HTML page that shows its parts in order, for light and dark screens, without anything from outside.

    Parameters
    ----------
    path : a name that ends with ``.html``
    title : heading of the page
    parts : text, whose paragraphs are apart by an empty line; or what a notebook would show as HTML. Figures and tables of
        :meth:`Runs.plot <companion.api.runs.Runs.plot>` and :meth:`Runs.table <companion.api.runs.Runs.table>`
        carry where they come from; data frames are shown without

    Raises
    ------
    ParameterError
        for another name, or a part that cannot be shown

    Examples
    --------
    >>> import companion as cp, pathlib, tempfile
    >>> runs = cp.experiment("batched", "appendix-e").run("bpe", seeds=range(2), horizon=20, points_per_axis=8)
    >>> path = cp.write_page(pathlib.Path(tempfile.mkdtemp(), "bpe.html"), "BPE", "Two runs.", runs.table())
    >>> "seeds 0, 1" in path.read_text()
    True
    """
    path = Path(path)
    if path.suffix != ".html":
        raise ParameterError("path", f"got {str(path)!r}", "a name that ends with .html")
    body = "\n".join(_shown(part) for part in parts)
    head = (
        f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{html.escape(title)}</title>'
    )
    page = f'<!doctype html>\n<html lang="en"><head>{head}<style>{_STYLE}</style></head>\n<body><h1>{html.escape(title)}</h1>\n'
    write_atomic(path, f"{page}{body}\n</body></html>\n".encode())
    return path


def _shown(part: Any) -> str:
    if isinstance(part, str):
        return "\n".join(f"<p>{html.escape(text.strip())}</p>" for text in part.split("\n\n") if text.strip())
    if not hasattr(part, "_repr_html_"):
        raise ParameterError(
            "parts", f"one is of type {type(part).__name__}", "text, a figure, a table or a data frame"
        )
    # A data frame would draw a frame of its own and make the page wider than a phone.
    plain = part.to_html(index=False, border=0) if hasattr(part, "to_html") else None
    return str(part._repr_html_()) if plain is None else f'<div class="companion-scroll" tabindex="0">{plain}</div>'
