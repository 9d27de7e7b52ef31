import base64
import io
import math
import re
from dataclasses import replace

import matplotlib.figure
import matplotlib.image
import numpy as np
import pandas as pd
import pytest

from companion.core.errors import ParameterError
from companion.core.templates import significant
from companion.pages import Figure, Numbers, Table, cells, figure, frame, here, provenance_of, recorded, show, table
from companion.pages.figures import DARK, LIGHT
from companion.pages.tables import TURNED, smallest


def line(canvas, palette):
    axes = canvas.subplots()
    axes.plot([0, 1], [0, 1])
    axes.set_title("a line")


@pytest.mark.slow
def test_figure_has_one_picture_per_page_mode_with_the_mode_s_background():
    markup = Figure(line, alt='a "rising" line', caption="A line.", where=here(line))._repr_html_()
    pictures = re.findall(r'<img class="(only-\w+)" alt="([^"]*)" src="data:image/png;base64,([^"]+)"', markup)
    assert [p[0] for p in pictures] == ["only-light", "only-dark"]
    assert pictures[0][1] == "a &quot;rising&quot; line"
    for (_, _, data), palette in zip(pictures, (LIGHT, DARK), strict=True):
        corner = matplotlib.image.imread(io.BytesIO(base64.b64decode(data)))[0, 0, :3]
        expected = [int(palette.paper[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        assert np.allclose(corner, expected, atol=1 / 255)
    assert "<figcaption>A line.</figcaption>" in markup
    assert '<code class="command">make notebooks</code>' in markup


@pytest.mark.slow
def test_figure_rendering_is_reproducible_to_the_byte():
    figure = Figure(line, alt="a line", caption="A line.")
    assert figure.render(LIGHT) == figure.render(LIGHT)


def crowded(canvas, palette):
    """What a layout looks at: a title over all, a colour bar, twin and inset axes, long labels, a legend outside."""
    left, right = canvas.subplots(1, 2, width_ratios=(2, 1))
    image = left.imshow(np.arange(12.0).reshape(3, 4), cmap=palette.map)
    canvas.colorbar(image, ax=left, label="values")
    right.plot([1, 1000], [1, 10], color=palette.series[0], label="a line")
    right.set_xscale("log")
    right.twinx().set_ylabel("the same, otherwise")
    left.inset_axes([0.1, 0.1, 0.2, 0.2]).plot([0, 1])
    right.set_ylabel("a label\nof two lines", color=palette.accent)
    canvas.suptitle("over all")
    canvas.supxlabel("below all")
    canvas.legend(loc="outside right upper")


def of_each_mode(figure):
    """The pictures of a figure in their order, as bytes."""
    return [base64.b64decode(data) for data in re.findall(r'base64,([^"]+)"', figure._repr_html_())]


@pytest.mark.slow
@pytest.mark.parametrize("draw", [line, crowded])
def test_a_layout_found_for_one_mode_is_that_of_the_other(draw):
    figure = Figure(draw, alt="a line", caption="A line.")
    assert of_each_mode(figure) == [figure.render(LIGHT), figure.render(DARK)]


@pytest.mark.slow
def test_what_one_mode_alone_has_gets_a_layout_of_its_own():
    def draw(canvas, palette):
        crowded(canvas, palette)
        if palette is DARK:
            canvas.axes[0].figure.add_axes([0.4, 0.4, 0.1, 0.1])

    figure = Figure(draw, alt="a line", caption="A line.")
    assert of_each_mode(figure) == [figure.render(LIGHT), figure.render(DARK)]


def test_a_draft_has_one_picture_for_both_modes(monkeypatch):
    monkeypatch.setenv("COMPANION_DRAFT", "1")
    markup = Figure(line, alt="a line", caption="A line.")._repr_html_()
    assert re.findall(r'<img class="([\w-]+)"', markup) == ["both-modes"]


@pytest.mark.parametrize("missing", ["alt", "caption"])
def test_figure_without_description_is_refused(missing):
    with pytest.raises(ParameterError, match=missing):
        Figure(line, **{"alt": "a line", "caption": "A line.", missing: " "})._repr_html_()


@pytest.mark.parametrize(
    ("value", "text"),
    [(1234.56, "1235"), (0.0123456, "0.01235"), (9.9996, "10.00"), (3, "3"), (12345, "12 345"), (1.5e-9, "1.500e-09"),
     (float("nan"), "–"), (math.inf, "∞"), (-math.inf, "−∞"), (0.0, "0.000"),
     (-2.5, "-2.500"), ("orig", "orig"), (True, "True"), (np.float64(2), "2.000")],
)  # fmt: skip
def test_significant_digits(value, text):
    assert significant(value) == text


def test_table_escapes_text_and_marks_numbers():
    frame = pd.DataFrame({"method": ["<b>"], "regret": [1.23456]})
    markup = Table(frame, caption="Regret", where=here(line))._repr_html_()
    assert '<td class="short">&lt;b&gt;</td>' in markup
    assert '<td class="number">1.235</td>' in markup
    assert '<th scope="col" class="number">regret</th>' in markup


def test_best_and_reversed_cells_of_a_table_stand_out():
    frame = pd.DataFrame({"problem": ["a", "a", "b"], "method": ["<x>", "y", "x"], "regret": [2.0, 1.0, 3.0]})
    best = smallest(frame[["regret"]], frame.problem)
    assert list(best.regret) == [False, True, True]
    markup = Table(frame, "Regret", best=best, turned=pd.DataFrame({"method": [True, False, False]}))._repr_html_()
    assert [cell in markup for cell in (">2.000<", "<strong>1.000</strong>", "<strong>3.000</strong>")] == [True] * 3
    assert (
        f'<td class="short">&lt;x&gt;&nbsp;<span role="img" aria-label="reversed" title="reversed">{TURNED}' in markup
    )
    assert (markup.count("<strong>"), markup.count(TURNED)) == (2, 1)


def test_ties_are_all_the_smallest_and_a_gap_never_is():
    values = pd.DataFrame({"a": [1.0, 1.0, math.nan], "b": [math.nan, -1.0, 2.0]})
    assert smallest(values).to_numpy().tolist() == [[True, False], [True, True], [False, False]]
    assert smallest(-values.T).T.to_numpy().tolist() == [[True, False], [True, False], [False, True]]


def test_a_figure_lists_its_numbers_once_as_plain_text():
    where = here(line)
    values: dict[str, object] = {"a": 0.123456, "of a, b": 1234, "name": "x", "holds": np.bool_(True), "none": math.inf}
    values |= {
        "row": np.array([0.5, 2.0]),
        "few": pd.Series([1, 2]),
        "set": {("m", "b"), ("m", "a")},
        "by": {"x": [1, 2]},
        "empty": [],
    }
    figure = show(Figure(line, where=where), "A line.", Numbers(where, **values), alt="[[a]]")
    assert repr(figure).splitlines() == [
        "Figure: 0.123", "a = 0.1235", "of a, b = 1 234", "name = x", "holds = True", "none = ∞",
        "row = 0.5000, 2.000", "few = 1, 2", "set = m a, m b", "by, x = 1, 2", "empty = none",
    ]  # fmt: skip
    assert repr(replace(figure, numbers={})) == "Figure: 0.123"
    assert "of a, b" not in figure._repr_html_()


@pytest.mark.parametrize("value", [[[1, 2]], np.eye(2), pd.DataFrame({"a": [1]}), {"a": {"b": 1}}, [1, {2}], line])
def test_what_cannot_be_listed_is_refused_by_its_name(value):
    with pytest.raises(ParameterError, match="spread"):
        show(Figure(line), "A line.", {"spread": value}, alt="a line")


def test_cells_are_named_by_their_row_and_column():
    rows = pd.DataFrame({"noise": [0.1, 1.0], "m": [5, 10], "of ours": [1.5, 2.5], "runs": [3, 4]})
    plain = cells(rows, "noise {noise:g}, m = {m}: {}", ["of ours", "runs"])
    assert list(plain.items()) == [
        ("noise 0.1, m = 5: of ours", 1.5), ("noise 0.1, m = 5: runs", 3),
        ("noise 1, m = 10: of ours", 2.5), ("noise 1, m = 10: runs", 4),
    ]  # fmt: skip
    assert cells(rows, "{of ours}: {}", {"runs": "count"}) == {"1.5: count": 3, "2.5: count": 4}
    assert cells(rows[:0], "{}", ["m"]) == {}


@recorded(first="seed")
@frame
def two_rows(seed):
    yield {"n": 1, "seed": seed}
    yield {"n": 2, "seed": seed}


@frame
def doubled(rows):
    for n in rows.n:
        yield {"double": 2 * n}


def test_what_is_made_from_a_study_carries_its_source():
    rows = two_rows(3)
    assert [source.call for source in provenance_of(rows).sources] == ["two_rows(seed=3)"]
    assert provenance_of(doubled(rows)) == provenance_of(rows)
    shown = table(doubled, digits=2)(rows)
    assert (shown.frame.double.tolist(), shown.digits, shown.where) == ([2, 4], 2, provenance_of(rows))
    assert list(table(doubled, {"double": "twice"})(rows).frame) == ["twice"]

    @figure(size=(4, 3))
    def points(canvas, palette, rows, words="points"):
        canvas.subplots().plot(rows.n, label=words, color=palette.ink)

    drawn = points(rows, words="ours")
    assert (drawn.size, drawn.where) == ((4, 3), provenance_of(rows))
    canvas = matplotlib.figure.Figure()
    drawn.draw(canvas, DARK)
    (curve,) = canvas.axes[0].lines
    assert (curve.get_label(), curve.get_color()) == ("ours", DARK.ink)


def test_a_table_of_rows_without_sources_has_those_of_its_arguments():
    bare = table(lambda rows: pd.DataFrame({"n": rows.n.tolist()}))
    assert bare(two_rows(3)).where == provenance_of(two_rows(3))
