"""A figure in a file: as a picture, or as lines and letters for a paper, the same bytes at every call."""

import hashlib
import re
import subprocess
import sys

import pytest

from companion.core.errors import ParameterError
from companion.pages.figures import Figure

PROGRAM = """
import sys
from companion.pages.figures import Figure

def draw(canvas, palette):
    axes = canvas.subplots()
    axes.plot([0, 1], [1, 2], color=palette.series[0], label="a word")
    axes.set(xlabel="evaluations")
    axes.legend()

figure = Figure(draw, "alt", "caption", (6.0, 3.0))
"""
names: dict = {}
exec(PROGRAM, names)
figure: Figure = names["figure"]


@pytest.mark.parametrize("kind", ["png", "pdf", "svg"])
def test_a_figure_has_the_same_bytes_in_every_process(tmp_path, kind):
    path = figure.save(tmp_path / f"one.{kind}")
    code = f"{PROGRAM}\nfigure.save(sys.argv[1])"
    subprocess.run([sys.executable, "-c", code, tmp_path / f"two.{kind}"], check=True)
    one, two = (hashlib.sha256((tmp_path / f"{name}.{kind}").read_bytes()).hexdigest() for name in ("one", "two"))
    assert one == two
    assert path.name == f"one.{kind}"
    assert not re.search(rb"CreationDate|<dc:date>|20\d\d-\d\d-\d\d", path.read_bytes())


def test_words_stay_words(tmp_path):
    svg = figure.save(tmp_path / "x.svg").read_text()
    assert ">a word</text>" in svg
    assert ">evaluations</text>" in svg
    pdf = figure.save(tmp_path / "x.pdf").read_bytes()
    assert pdf.startswith(b"%PDF")
    assert b"/CIDFontType2" in pdf, "TrueType, not Type 3, which publishers refuse"
    assert b"/Type3" not in pdf
    assert "#0072b2" in svg, "the colours of a light page"


def test_a_width_is_in_inches_and_keeps_the_shape(tmp_path):
    svg = figure.save(tmp_path / "x.svg", width=3).read_text()
    assert 'width="216pt" height="108pt"' in svg
    assert b"/MediaBox [ 0 0 216 108 ]" in figure.save(tmp_path / "x.pdf", width=3).read_bytes()
    assert b"/MediaBox [ 0 0 432 216 ]" in figure.save(tmp_path / "x.pdf").read_bytes()


@pytest.mark.parametrize("name", ["x.eps", "x", "x.PDF.txt", "pdf"])
def test_other_endings_are_refused_with_those_that_are_known(tmp_path, name):
    with pytest.raises(ParameterError, match=r"ends with \.png, \.pdf, \.svg"):
        figure.save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("width", [0, -1, float("nan"), "wide"])
def test_a_width_that_is_none_is_refused(tmp_path, width):
    with pytest.raises(ParameterError, match="width"):
        figure.save(tmp_path / "x.pdf", width=width)
