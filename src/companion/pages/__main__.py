"""Command line of the pages: ``python -m companion.pages check [chapter ...]``: are the notebooks of their sources' code?"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from companion.core.errors import CompanionError
from companion.core.files import repository_root
from companion.pages.document import chapters, find_pages
from companion.pages.notebook_pairs import check_cells, rewrite


def main(arguments: list[str] | None = None) -> int:
    """Refuse notebooks with other code cells than their sources; bring text over to the others. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m companion.pages", description=__doc__)
    parser.add_argument("action", choices=["check", "execute"])
    parser.add_argument("chapters", nargs="*", help="number, slug, name or path; all chapters by default")
    options = parser.parse_args(arguments)
    if options.action == "execute":  # for one version
        sys.stderr.write(
            "execute: is now 'companion settle --accept pages', which takes names like pages/ch3_batched\n"
        )
        return 2
    code = 0
    try:
        root = repository_root(Path.cwd())
        for chapter in [page for name in options.chapters for page in find_pages(root, name)] or chapters(root):
            try:
                check_cells(chapter)
                if rewrite(chapter):
                    sys.stdout.write(f"{chapter.notebook.name}: text brought over from {chapter.source.name}\n")
            except CompanionError as error:
                sys.stderr.write(f"{error}\n")
                code = error.exit_code
    except CompanionError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    return code


if __name__ == "__main__":
    sys.exit(main())
