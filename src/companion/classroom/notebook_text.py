"""The code of a notebook, read as data: in the worker, and where files are looked at, never beside a key.

A copy of this file lies beside the worker; standard library only.
"""

from __future__ import annotations

import json
from typing import Any

LARGEST_CODE, MOST_CELLS = 1 << 20, 500


class UnreadableError(Exception):
    """A file that is no notebook, or a larger one than is read; the message is for the student."""


def notebook(content: bytes) -> tuple[list[str], dict[str, Any]]:
    """Text of a notebook's code cells, and what is noted in it under ``metadata.companion``.

    Raises
    ------
    UnreadableError
        if it is no notebook of format 4 or 3
    """
    try:
        notebook: Any = json.loads(content.decode("utf-8-sig"))
        metadata = notebook.get("metadata")
        noted = metadata.get("companion") if isinstance(metadata, dict) else None
        old = [cell for sheet in notebook.get("worksheets", ()) for cell in sheet["cells"]]
        cells = [cell for cell in (old or notebook["cells"]) if cell["cell_type"] == "code"]
        sources = [cell["input" if old else "source"] for cell in cells]
        texts: list[Any] = ["".join(source) if isinstance(source, list) else source for source in sources]
        if not all(isinstance(text, str) for text in texts):
            raise TypeError("a cell's source is no text")
        size = sum(len(text.encode("utf-8")) for text in texts)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise UnreadableError("the file is no Jupyter notebook: save it again, and hand in the .ipynb") from None
    except MemoryError:
        raise UnreadableError("the file needs more memory to be read than a notebook may") from None
    if len(texts) > MOST_CELLS or size > LARGEST_CODE:
        raise UnreadableError(f"it has more than {MOST_CELLS} code cells or {LARGEST_CODE >> 20} MB of code")
    return texts, noted if isinstance(noted, dict) else {}
