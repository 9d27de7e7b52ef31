"""Buttons that open a chapter on Binder, on Colab or in a codespace, for a book whose repository is on GitHub.

The repository's notebooks have solutions, so a book without them has no such buttons.
"""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx

HOST = "https://github.com/"
#: As the theme calls them; Binder and codespaces have the environment, for Colab ``book/rerun.md`` says how to get it.
PLACES = {
    "notebook_interface": "jupyterlab",
    "binderhub_url": "https://mybinder.org",
    "colab_url": "https://colab.research.google.com",
}


def choose(app: Sphinx, config: Any) -> None:
    """Have the theme make its buttons."""
    address = config.companion_repository.rstrip("/")
    if address.startswith(HOST) and config.companion_solutions:
        told = {"repository_url": address, "repository_branch": "main", "launch_buttons": PLACES}
        config.html_theme_options = {**config.html_theme_options, **told}


def add_codespaces(app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Put the one that the theme does not know beside them."""
    for group in context.get("header_buttons", ()):
        if group.get("label") == "launch-buttons":
            name = app.config.companion_repository.rstrip("/").removeprefix(HOST)
            address = f"https://codespaces.new/{name}?quickstart=1"
            button = {"type": "link", "text": "Codespaces", "tooltip": "Launch on Codespaces", "url": address}
            group["buttons"].append({**button, "icon": "fab fa-github"})
