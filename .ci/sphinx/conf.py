"""The book for plain Sphinx, without Jupyter Book: its settings are read from ``_config.yml`` and ``_toc.yml`` (``make sphinx``).

Jupyter Book 1.x turns its file into settings of Sphinx, and adds a few of its own. Those that this book rests on stand here.
"""

import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
#: Extensions that only Jupyter Book needs.
ITS_OWN = {"jupyter_book", "sphinx_comments", "sphinx_jupyterbook_latex"}

book = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
settings = book["sphinx"]["config"]
sys.path[:0] = sorted({str(ROOT / folder) for folder in book["sphinx"]["local_extensions"].values()})

# What Jupyter Book says in other words.
html_title = project = book["title"]
author = book["author"]
copyright = book["copyright"]
exclude_patterns = [*book["exclude_patterns"], "_build", "**.ipynb_checkpoints"]
bibtex_bibfiles = [str(ROOT / name) for name in book["bibtex_bibfiles"]]
myst_enable_extensions = book["parse"]["myst_enable_extensions"]
nb_execution_mode = book["execute"]["execute_notebooks"]
external_toc_path = str(ROOT / "_toc.yml")
external_toc_exclude_missing = book["only_build_toc_files"]

# What it says unasked.
html_theme = "sphinx_book_theme"
html_sourcelink_suffix = ""
pygments_style = "sphinx"
numfig = True
use_multitoc_numbering = True
myst_url_schemes = ["mailto", "http", "https"]

# What the book asks of Sphinx itself.
globals().update(settings)
extensions = [name for name in settings["extensions"] if name not in ITS_OWN]
html_static_path = [str(ROOT / folder) for folder in settings["html_static_path"]]
suppress_warnings = ["myst.domains", *settings["suppress_warnings"]]
