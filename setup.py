"""Carries what the chapters read into the wheel; everything else about the build is in pyproject.toml.

Notebooks and tables live beside the package in the repository, and an installed package has no repository. So that a chapter that
was downloaded runs wherever the package is installed, the wheel carries them inside ``companion``, laid out as in the repository:
:func:`companion.core.files.repository_root` finds them there.
"""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

#: Where files go inside ``companion``, and which, by folders of the repository and patterns in them.
CARRIED = {
    "classroom/assignments": [("notebooks/assignments", "ch*.py")],
    ".": [
        (".", "pyproject.toml"),
        (".", "_config.yml"),
        ("book", "references.bib"),
        ("book/_static/mathjax", "*"),
        ("notebooks", "ch*.py"),
        ("notebooks/profiles", "*/*.yaml"),
        ("data", "*.md"),
        ("data", "*.toml"),
        ("data", "origins.json"),
        ("data/reported", "**/*.csv"),
        ("data/reported", "**/*.toml"),
        ("data/reported", "*/errata/*.py"),
        ("data/results", "*/*.csv"),
        ("data/results", "*/*.json"),
        ("data/golden", "*.json"),
        ("data/golden", "*.py"),
        *(("data/optunahub", pattern) for pattern in ("LICENSE", "*.toml", "*.txt", "**/*.md", "**/*.py")),
    ],
}


def carried():
    """(file, its place inside ``companion``) of everything."""
    for place, patterns in CARRIED.items():
        for folder, pattern in patterns:
            for path in sorted(Path(folder).glob(pattern)):
                yield path, Path(place, path.name if place != "." else path)


class BuildWithData(build_py):
    """Copies the files to where the package looks outside a checkout."""

    def run(self):
        """Build as usual, then copy."""
        super().run()
        if self.editable_mode:  # the package then finds the checkout
            return
        for source, place in carried():
            target = Path(self.build_lib, "companion", place)
            target.parent.mkdir(parents=True, exist_ok=True)
            self.copy_file(str(source), str(target))


setup(cmdclass={"build_py": BuildWithData})
