"""Carries the sources of the assignments into the wheel; everything else about the build is in pyproject.toml.

They live in ``notebooks/assignments``, beside the chapters, and an installed package has no notebooks.
"""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

SOURCES = Path("notebooks", "assignments")


class BuildWithAssignments(build_py):
    """Copies the sources to ``companion/classroom/assignments``, where the package looks outside a checkout."""

    def run(self):
        """Build as usual, then copy."""
        super().run()
        if self.editable_mode:  # the package then finds the checkout
            return
        target = Path(self.build_lib, "companion", "classroom", "assignments")
        target.mkdir(parents=True, exist_ok=True)
        for source in sorted(SOURCES.glob("ch*.py")):
            self.copy_file(str(source), str(target / source.name))


setup(cmdclass={"build_py": BuildWithAssignments})
