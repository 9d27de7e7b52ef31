"""What others wrote and the repository carries is what they published: name, version, checksum of the npm package's file."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

VENDORED = {
    "mathjax@3.2.2, es5/tex-svg-full.js": (
        "book/_static/mathjax/tex-svg-full.js",
        "a4354ff94fd868aea0cc6eaaa79a57fda0588646fc46ee3700a349ee0a11cbe6",
    ),
    "mathjax@3.2.2, LICENSE": (
        "book/_static/mathjax/LICENSE",
        "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30",
    ),
    "axe-core@4.14.1, axe.min.js": (
        "tests/book/vendor/axe.min.js",
        "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c",
    ),
    "axe-core@4.14.1, LICENSE": (
        "tests/book/vendor/LICENSE",
        "af175b9d96ee93c21a036152e1b905b0b95304d4ae8c2c921c7609100ba8df7e",
    ),
    "axe-core@4.14.1, LICENSE-3RD-PARTY.txt": (
        "tests/book/vendor/LICENSE-3RD-PARTY.txt",
        "4f8563870d0fca38bbc3e00b6f670cb7fa9f380ba9f26a7f7d1184a6b18b1653",
    ),
}


@pytest.mark.parametrize("package", VENDORED)
def test_a_vendored_file_is_as_published(package: str, root: Path) -> None:
    path, digest = VENDORED[package]
    assert hashlib.sha256((root / path).read_bytes()).hexdigest() == digest


def test_every_vendored_file_is_listed(root: Path) -> None:
    folders = (root / "book/_static/mathjax", root / "tests/book/vendor")
    there = {path.relative_to(root).as_posix() for folder in folders for path in folder.rglob("*") if path.is_file()}
    assert there == {path for path, _ in VENDORED.values()}
