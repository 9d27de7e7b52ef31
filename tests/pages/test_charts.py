import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure as Canvas

from companion.checks.chain import Chain, Step
from companion.pages import Figure, Table, charts, provenance_of, recorded
from companion.pages.figures import LIGHT


def chain(*values, **side):
    names = ("measured", *(f"step {k}" for k in range(1, len(values))))
    steps = tuple(
        Step(name, float(value), "x", f"why {name}", "lemma" if name != "measured" else "")
        for name, value in zip(names, values, strict=True)
    )
    return Chain("a bound", steps, side)


def drawn(draw):
    canvas = Canvas(layout="constrained")
    draw(canvas, LIGHT)
    return canvas


def waterfall(*args, **kwargs):
    return lambda canvas, palette: charts.waterfall(canvas, palette, *args, **kwargs)


def test_waterfall_writes_every_factor_and_starts_each_bar_where_the_last_one_ended():
    left, right = drawn(waterfall({"one": chain(2, 5, 40, trivial=10), "two": chain(4, 4, 1000, trivial=10)})).axes
    assert [text.get_text() for text in left.texts] == ["2.00", "× 2.50", "lemma", "× 8.00", "lemma", " trivial "]
    assert [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in left.patches[1:]] == [(2, 5), (5, 40)]
    assert left.get_title() == "one: 20 times in all\n"
    assert [text.get_text() for text in right.texts][:2] == ["4.00", "× 1.00"]
    assert left.get_xlim() == right.get_xlim()
    low, high = left.get_xlim()
    assert low < 2
    assert high > 1000


def test_waterfall_shows_a_step_that_falls_and_colours_what_is_promised():
    axes = drawn(waterfall({"": chain(2, 8, 4, 6)}, (), last=2)).axes[0]
    assert [(bar.get_x(), bar.get_width()) for bar in axes.patches[1:]] == [(2, 6), (4, 4), (4, 2)]
    colors = [bar.get_facecolor() for bar in axes.patches]
    assert colors[2] == colors[3]
    assert len(set(colors)) == 3
    own = drawn(waterfall({"": chain(2, 8, 4, 6)}, (), last=2, repaired=True)).axes[0]
    assert [bar.get_facecolor() for bar in own.patches][2] not in colors


def test_labels_of_two_lines_stand_on_either_side():
    shown = (charts.TRIVIAL, ("ours", "ours", "--", "accent"))
    for sides in ({"trivial": 3, "ours": 9}, {"trivial": 9, "ours": 3}):
        axes = drawn(waterfall({"": chain(2, 20, **sides)}, shown)).axes[0]
        aligned = {text.get_text().strip(): text.get_ha() for text in axes.texts}
        assert {aligned[name]: value for name, value in sides.items()} == {"right": 3, "left": 9}


def test_chain_rows_take_their_reasons_from_the_chain_that_is_named():
    other = Chain("", (Step("first", 1, "x", "elsewhere"), Step("second", 2, "x", "so")))
    rows = charts.chain_rows({"a": chain(2, 5), "b": other})
    assert list(rows.columns) == ["step", "why", "statement", "a", "b"]
    assert rows.to_numpy().tolist() == [
        ["measured", "why measured", "–", 2, 1],
        ["step 1", "why step 1", "lemma", 5, 2],
    ]
    assert list(charts.chain_rows({"a": chain(2, 5), "b": other}, "b").why) == ["elsewhere", "so"]
    with pytest.raises(ValueError, match="length"):
        charts.chain_rows({"a": chain(2, 5), "b": chain(2, 5, 7)})


def test_key_numbers_of_chains_are_their_steps_and_then_what_stands_beside():
    numbers = charts.chain_numbers(
        {"a": chain(2, 5, trivial=9, other=7), "b": chain(3, 4, trivial=8)}, {"trivial": "2BT"}
    )
    assert list(numbers.items()) == [
        ("a: measured", 2), ("a: step 1", 5), ("a: 2BT", 9), ("b: measured", 3), ("b: step 1", 4), ("b: 2BT", 8),
    ]  # fmt: skip


def test_series_differ_in_colour_dashes_and_marker_and_what_is_compared_with_is_in_ink():
    looks = [charts.marked(LIGHT, k) for k in range(7)]
    for name in ("color", "ls", "marker"):
        assert len({look[name] for look in looks}) == 7
    assert charts.look(LIGHT, charts.PLAIN) == {"color": LIGHT.ink, "ls": ":"}
    assert charts.look(LIGHT, 0, color="red", lw=2) == {"color": "red", "ls": "-", "lw": 2}


def test_error_bars_reach_to_the_ends_of_the_interval_and_are_never_negative():
    rows = pd.DataFrame({"value": [2.0, 5.0], "low": [1.5, 5.5], "high": [4.0, 6.0]})
    assert charts.bars(rows, "value").tolist() == [[0.5, 0.0], [2.0, 1.0]]


def test_standard_error_of_a_mean():
    runs = np.array([[1.0, 4.0], [3.0, 8.0]])
    mean, error = charts.mean_and_error(runs)
    assert mean.tolist() == [2.0, 6.0]
    assert error == pytest.approx([1.0, 2.0])  # half of the difference of two values
    assert charts.mean_and_error(runs[:1])[1].tolist() == [0.0, 0.0]
    cut = charts.above_zero(np.array([1.0, 1.0, -1.0]), np.array([0.5, 3.0, 3.0]))
    assert cut.tolist() == [0.5, 0.9, 3.0]


@pytest.mark.parametrize(("low", "high"), [(0.06, 0.13), (0.011, 0.2), (0.3, 0.31), (0.02, 3.0)])
def test_narrow_logarithmic_axes_have_three_ticks_at_least(low, high):
    axes = Canvas().subplots()
    axes.set(yscale="log", ylim=(low, high))
    charts.narrow_ticks(axes)
    ticks = [tick for tick in axes.get_yticks() if low <= tick <= high]
    assert len(ticks) >= 3
    assert [float(text.get_text().replace("−", "-")) for text in axes.get_yticklabels()] == pytest.approx(ticks)


def test_wide_axes_keep_powers_of_ten():
    axes = Canvas().subplots()
    axes.set(yscale="log", ylim=(1e-3, 1e3))
    before = list(axes.get_yticks())
    charts.narrow_ticks(axes)
    assert list(axes.get_yticks()) == before


def test_names_stand_at_the_ends_of_their_curves_and_apart():
    canvas = Canvas()
    axes = canvas.subplots()
    ends = {"high": 100.0, "low": 1.0, "also low": 1.01, "gone": np.nan}
    for name, end in ends.items():
        axes.plot([0, 1], [10.0, end], label=name)
    axes.plot([0, 1], [10.0, 5.0])  # without a label, without a name
    axes.set_yscale("log")
    charts.name_ends(axes, str.upper, apart=0.1)
    places = {text.get_text(): text.get_position()[1] for text in axes.texts}
    assert list(places) == ["GONE", "LOW", "ALSO LOW", "HIGH"]
    assert np.diff(list(places.values())).min() > 0.099
    assert places["GONE"] < 0.05 < 0.9 < places["HIGH"]


def test_a_table_has_the_sources_that_its_rows_carry():
    @recorded(random=False)
    def rows() -> pd.DataFrame:
        return pd.DataFrame({"a": [1]})

    assert provenance_of(rows()).sources
    assert Table(rows(), caption="Rows.").where == provenance_of(rows())
    assert "rows()" in Table(rows(), caption="Rows.")._repr_html_()
    assert not Table(pd.DataFrame({"a": [1]}), caption="Rows.").where.sources


def test_a_waterfall_is_a_figure():
    figure = Figure(waterfall({"one": chain(2, 5, 40, trivial=10)}), alt="bars", caption="Bars.")
    assert figure.render(LIGHT).startswith(b"\x89PNG")
