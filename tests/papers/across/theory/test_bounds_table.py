"""All bounds at one setting: the chapters' own numbers, what applies and why not, and conventions that are refused."""

from __future__ import annotations

import csv
import io
import math
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tolerances import CERTIFICATES_RTOL, FORMULA_RTOL

from companion.bounds import trivial
from companion.checks.inventory import STATEMENTS
from companion.core.errors import ParameterError
from companion.core.files import reported_folder, results_folder
from companion.gp import grid, kernel_by_name
from companion.judge.evidence import load_entries
from companion.pages.document import find_pages, read_notebook
from companion.papers.across.theory import bounds_setting
from companion.papers.across.theory.bounds import BOUNDS
from companion.papers.across.theory.bounds_table import bounds_table
from companion.papers.across.theory.conventions import WRONG
from companion.papers.batched.problems.wheat import wheat
from companion.papers.wdrbo.experiments.definitions import EXPERIMENTS as WDRBO
from companion.papers.wdrbo.theory import bounds as wdrbo
from companion.papers.wdrbo.theory.stated import EXPERIMENTS

ROOT = Path(__file__).parents[4]
LINE = {"kernel": "se", "lengthscale": 0.2, "dim": 1, "points": 50, "farthest": 1000}
#: The example of lessons 1 to 3.
EXAMPLE = {**LINE, "lengthscale": 0.12, "points": 101}
SMALL = {**LINE, "points": 8, "noise": 0.3, "horizon": 40, "farthest": 40}


@cache
def shown(chapter: str) -> str:
    """Everything that the pages of a committed chapter print."""
    cells = [cell for page in find_pages(ROOT, chapter) for cell in read_notebook(page.notebook).cells]
    outputs = [out for cell in cells for out in cell.get("outputs", [])]
    texts = [out.get("text") or out.get("data", {}).get("text/plain", "") for out in outputs]
    return "\n".join("".join(text) for text in texts)


def number(chapter: str, pattern: str) -> float:
    """The number that a chapter prints behind a label."""
    found = re.search(pattern + r"\s*=?\s*([0-9][0-9.,e+]*[0-9])", shown(chapter))
    assert found, pattern
    return float(found[1].replace(",", ""))


# -- the chapters' own numbers -----------------------------------------------------------------------------------------


def test_a_bound_that_restates_another_is_printed_once_and_stays_in_json() -> None:
    found = bounds_table(**{**LINE, "points": 25, "noise": 0.1, "horizon": 100})
    assert {row.form.id: row.form.restates for row in found.rows if row.form.restates} == {
        "compressed/lemma-8.1/printed": "classical/srinivas-finite"
    }
    first, second = found["classical/srinivas-finite"], found["compressed/lemma-8.1/printed"]
    assert first.value == second.value
    assert first.symbols["beta_T"] == pytest.approx(second.symbols["beta_T"], rel=FORMULA_RTOL)
    text = str(found)
    widths = text[text.index("width of") : text.index("shortest proved here")]
    assert widths.count("Srinivas et al. (2010), Theorem 1 ") == 1
    assert "Lemma 8.1" not in widths
    assert sum(row["restates"] != "" for row in found.to_json()["rows"]) == 1


def test_first_chapter() -> None:
    forms = "tsrsr/theorem-1/printed", "tsrsr/our-C/sharper"
    found = {noise: bounds_table(**EXAMPLE, noise=noise, horizon=100, batch=5) for noise in (0.1, 1.0)}
    theorem = number("ch1", "vacuous") * number("ch1", "(?m:^)trivial")
    assert found[0.1][forms[0]].value == pytest.approx(theorem, rel=CERTIFICATES_RTOL)
    for noise, label in ((0.1, "sharper"), (1.0, r"sharper = [\d.]+,")):
        assert found[noise][forms[1]].value == pytest.approx(number("ch1", f"(?m:^){label}"), rel=CERTIFICATES_RTOL)


def test_second_chapter() -> None:
    found = bounds_table(**(EXAMPLE | {"farthest": 5000}), noise=math.sqrt(0.1), horizon=300)
    chapter = "ch2"
    labels = {
        r"informative from T": found["compressed/theorem-3.2-i/printed"].says_from,
        r"Theorem 3\.2\(i\) +β_T +at failure level δ = 0\.1": found["compressed/lemma-8.1/printed"].value ** 2,
        r"Corollary 3\.3 +bound +as printed": found["compressed/corollary-3.3/printed"].value,
        r"Corollary 3\.3 +bound +with the constants that its proof gives": found[
            "compressed/corollary-3.3/explicit"
        ].value,
        r"Theorem 3\.2\(i\) +C₁ +8 / log\(1 \+ σ⁻²\)": found["compressed/theorem-3.2-i/printed"].symbols["C_1"],
    }
    for label, value in labels.items():
        assert value == pytest.approx(number(chapter, label), rel=CERTIFICATES_RTOL), label


def test_third_chapter() -> None:
    found = bounds_table(**EXAMPLE, noise=0.1, horizon=1000, norm=wheat().norm)
    labels = {
        "proof: certified gain": "batched/prop-2/printed",
        "proof: T1b: in terms of T": "batched/theorem-1/summed",
        "proof: T1c: closed form": "batched/theorem-1/printed",
    }
    for label, row in labels.items():
        assert found[row].value == pytest.approx(number("ch3", label), rel=CERTIFICATES_RTOL), label


def test_fourth_chapter() -> None:
    """On the small game of the first page's card; the lesson's town has a kernel that no table of one kernel has."""
    found = bounds_table(**{**SMALL, "noise": 0.1, "horizon": 60, "farthest": 1000, "actions": 2, "agents": 5})
    row = found["meanfield/thm-4.1/repaired"]
    stored = load_entries(results_folder("meanfield"), "discrepancies", "").entries
    (small,) = (entry for entry in stored if entry["id"] == "U11")
    assert row.value == pytest.approx(small["values"]["bound"], rel=CERTIFICATES_RTOL)
    assert row.trivial == pytest.approx(small["values"]["range"], rel=1e-3)
    assert trivial.two_digits(row.says_from) == pytest.approx(small["values"]["below_range_from"], rel=0.02)
    assert row.blind == pytest.approx(0.5 * row.trivial)


def test_fifth_chapter() -> None:
    """Its bounds, called as the chapter's listing does; the penalty is the chapter's for radius and constant."""
    robust = {"regulariser": 1.0, "radius": 0.1, "lipschitz": 1.5}
    found = bounds_table(**{**SMALL, "noise": 0.1, "horizon": 60, "norm": 1.0, "farthest": 60, **robust})
    log_det = 2 * found.gains["regulariser"].upper
    beta = wdrbo.width(log_det, 0.1, 1.0, 1.0, 0.1)
    for name, form in (("wdrbo/thm-16/printed", "appendix"), ("wdrbo/ours-thm5/repaired", "ours")):
        wanted = wdrbo.cumulative(beta, 60, log_det, 1.0, 0.1, 60 * 2 * 0.1 * 1.5, form)
        assert found[name].value == pytest.approx(float(wanted), rel=1e-12)
        assert found[name].symbols["gamma (log det)"] == pytest.approx(log_det)
        assert found[name].probability == pytest.approx(0.8)


# -- one convention ----------------------------------------------------------------------------------------------------


def test_widths_of_two_papers_agree_where_the_regulariser_is_the_noise_variance() -> None:
    """Chapter 5 writes the self-normalised width with another standard deviation and without the factor one half."""
    found = bounds_table(**SMALL, norm=2.0)
    assert found["wdrbo/lemma-1/printed"].value == pytest.approx(found["batched/self-normalised"].value, rel=1e-12)
    at = bounds_table(**SMALL, norm=2.0, realised_gain=1.0)
    assert at["wdrbo/lemma-1/printed"].value == pytest.approx(2.0 + math.sqrt(2.0 * (1.0 - math.log(0.1))))
    assert at["batched/self-normalised"].value == pytest.approx(at["wdrbo/lemma-1/printed"].value)
    # At another regulariser the realised gain is another number than the one given.
    other = {"norm": 2.0, "regulariser": 1.0}
    name = "wdrbo/lemma-1/printed"
    assert bounds_table(**SMALL, **other, realised_gain=1.0)[name].value == bounds_table(**SMALL, **other)[name].value


def test_scaling_f_scales_the_bounds_as_the_advice_says() -> None:
    covariance = np.asarray(kernel_by_name("se", 0.2)(grid(8, 1)))
    one = {"horizon": 40, "norm": 1.5, "farthest": 40}
    unit = bounds_table(covariance=covariance, noise=0.3, **one)
    large = bounds_table(covariance=9.0 * covariance, noise=0.9, **one)
    assert not large["batched/prop-2/printed"].applies
    assert "divide the covariance by 9 and the noise by 3; the norm stays" in large["batched/prop-2/printed"].reason
    assert large.ranges["norm"] == pytest.approx(3.0 * unit.ranges["norm"])
    assert large.ranges["prior"] == pytest.approx(3.0 * unit.ranges["prior"])
    assert unit["batched/lemma-12/printed"].reason.endswith("no number of batches is given: batches")


def test_what_cannot_be_is_said_and_what_fails_is_no_bound() -> None:
    found = bounds_table(**SMALL)
    assert {row.form.paper for row in found.of("regret")} == {"tsrsr", "compressed"}
    assert found["batched/prop-2/printed"].reason == "the norm of f is at most a known number: none is given: norm"
    for row in found.rows:
        assert row.applies != bool(row.reason)
        assert math.isfinite(row.value) == row.applies, row.form.id
        assert {each.state for each in row.assumptions} <= {"holds", "trusted", "fails"}
    robust = bounds_table(**SMALL, norm=1.0, regulariser=1.0, radius=0.1)
    assert "lipschitz" in robust["wdrbo/thm-16/printed"].reason
    assert robust["wdrbo/cor-6/repaired"].applies
    told = bounds_table(**SMALL, norm=1.0, regulariser=1.0, radius=0.1, lipschitz=1.5)
    assert "does not follow from the proof" in told["wdrbo/thm-5/printed"].reason
    enough = bounds_table(**{**SMALL, "noise": 1.0}, batch=2, initial=20)
    assert enough["tsrsr/corollary-1/printed"].applies


def test_one_point_many_times_has_no_regret_to_bound() -> None:
    found = bounds_table(**{**SMALL, "points": None, "dim": None, "candidates": np.zeros((4, 2))}, norm=1.0)
    assert math.isinf(found["batched/prop-2/printed"].over_trivial)
    assert math.isinf(found["batched/prop-2/printed"].says_from)
    assert "inf" in str(found)


def test_every_bound_names_its_statement() -> None:
    for form in BOUNDS.values():
        if form.ledger:
            with (reported_folder(form.paper) / STATEMENTS).open(encoding="utf-8") as stream:
                assert form.ledger in {row["id"] for row in csv.DictReader(stream)}, form.id


def test_experiments_width_is_that_of_the_experiments() -> None:
    assert {e.parameters["width"].default for e in WDRBO if "width" in e.parameters.names} == {EXPERIMENTS}


# -- conventions -------------------------------------------------------------------------------------------------------

WRONG_VALUES = [
    ({"delta": 5}, "looks like a percentage", "0.05"),
    ({"delta": 95}, "looks like a percentage", "0.05"),
    ({"delta": 0.95}, "looks like a level of confidence", "0.05"),
    ({"delta": 0.0}, "delta", "(0, 0.5]"),
    ({"lengthscale": (0.2, 0.3)}, "2 entries", "1 coordinates"),
    ({"batch": 400}, "more than all 40 evaluations", "A number of batches is called batches"),
    ({"realised_gain": 1e3}, "can gain at most", "A log det is twice the gain"),
    ({"kernel": "matern"}, "kernel", "Did you mean"),
    ({"noise": None}, "noise_sd", "standard deviation"),
    ({"noise": 0.0}, "noise_sd", "positive"),
    ({"noise_sd": 0.3}, "noise", "one of the two"),
    ({"noise": 1e-9}, "too little", "at least 3.2e-07"),
    ({"lengthscale": "short"}, "lengthscale", "positive numbers"),
    ({"points": 1}, "points", "at least 2"),
    ({"points": None, "candidates": "nowhere.csv"}, "candidates", "is not a file"),
    ({"noise": (0.1, 0.2)}, "noise_sd", "one number"),
    ({"horizon": 40.0}, "horizon", "an integer"),
    ({"norm": 0.0}, "norm", "above 0"),
    ({"ratio": 1.5}, "ratio", "at most 1"),
    ({"initial": 40}, "initial", "fewer than the 40"),
    ({"batches": 41}, "batches", "at most the 40"),
    ({"agents": 5}, "actions", "beside agents"),
    ({"actions": 30}, "parts", "laws"),
    ({"candidates": np.zeros((3, 1))}, "given together", "one of the three"),
    ({"points": None}, "not given", "candidates, or covariance"),
    ({"points": None, "covariance": np.eye(3)}, "kernel", "a covariance needs no kernel"),
    ({"points": None, "dim": None, "candidates": np.eye(3)}, "like a covariance", "Give it as covariance"),
    ({"points": None, "dim": None, "candidates": np.zeros(3)}, "candidates", "(3, 1)"),
    ({"points": None, "candidates": np.zeros((3, 2))}, "dim", "2, the columns of candidates"),
    ({"points": 1_000_001}, "1,000,001 grid points", "at most 1,000,000"),
]


@pytest.mark.parametrize("name", sorted(WRONG))
def test_another_convention_is_refused_by_its_name(name: str) -> None:
    with pytest.raises(ParameterError, match="is another convention") as refused:
        bounds_table(**SMALL, **{name: 1.0})
    assert str(refused.value).startswith(name)
    assert WRONG[name] in str(refused.value)


@pytest.mark.parametrize(("changes", "problem", "hint"), WRONG_VALUES)
def test_values_in_another_convention_are_refused(changes: dict[str, object], problem: str, hint: str) -> None:
    with pytest.raises(ParameterError) as refused:
        bounds_table(**{**SMALL, **changes})
    assert problem in str(refused.value)
    assert hint in str(refused.value)


# -- what comes out ----------------------------------------------------------------------------------------------------


def test_three_forms_say_the_same() -> None:
    found = bounds_table(**SMALL, norm=1.0)
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    frame, written = found.to_frame(), found.to_json()["rows"]
    assert [row["id"] for row in rows] == list(frame.id) == [row["id"] for row in written] == list(BOUNDS)
    text = str(found)
    for row, other in zip(rows, found.rows, strict=True):
        assert (row["value"] == "") == (not other.applies)
        if other.applies:
            assert float(row["value"]) == other.value
            assert f"{other.value:.4g}" in text
        else:
            assert other.reason in text
            assert other.form.id in text
    with pytest.raises(KeyError):
        found["no such bound"]


# -- the shortest width ------------------------------------------------------------------------------------------------


def test_the_shortest_proved_width_is_named() -> None:
    found = bounds_table(**SMALL, norm=1.0)
    names = {whom: row.form.id for whom, row in found.shortest().items()}
    proved = {"prior": "tsrsr/lemma-6/printed", "norm": "sharper/mixture", "batches": "batched/prop-1/printed"}
    assert names == proved
    for row in found.of("width"):
        free = row.form.holds == "with probability" and not row.form.id.startswith("batched/prop")
        assert not free or row.value >= found.shortest()[row.form.model].value
    marked = [row["id"] for row in found.to_json()["rows"] if row["shortest"]]
    assert sorted(marked) == sorted(proved.values())
    header, *records = csv.reader(io.StringIO(found.to_csv()))
    place = header.index("shortest")
    assert sorted(record[0] for record in records if record[place] == "True") == sorted(proved.values())
    lines = str(found).partition("shortest proved here")[2].partition("\n\n")[0].splitlines()[1:]
    assert {line.split()[0]: float(line.split()[-1]) for line in lines}["draws,"] == pytest.approx(
        found["tsrsr/lemma-6/printed"].value, rel=1e-3
    )


def test_without_a_norm_only_draws_have_a_shortest_width() -> None:
    assert list(bounds_table(**SMALL).shortest()) == ["prior"]


def test_a_width_in_another_model_is_not_the_shortest() -> None:
    """With a larger regulariser chapter 5's gain is smaller, and its standard deviation larger."""
    found = bounds_table(**SMALL, norm=1.0, regulariser=50.0)
    assert found["wdrbo/lemma-1/printed"].value < found["sharper/mixture"].value
    assert found.shortest()["norm"].form.id == "sharper/mixture"


def test_the_gain_at_the_horizon_does_not_depend_on_how_far_is_looked() -> None:
    near, far, farther = (bounds_table(**{**SMALL, "points": 30, "farthest": t}) for t in (None, 1000, 10**5))
    assert near.conditions.values["farthest"] == 40
    for other in (far, farther):
        assert other.gains["noise"] == near.gains["noise"]
        for row in near.rows:
            assert other[row.form.id].value == pytest.approx(row.value, nan_ok=True, rel=0, abs=0)


def test_many_candidates_are_bounded_without_their_covariance(monkeypatch: pytest.MonkeyPatch) -> None:
    few = bounds_table(**{**SMALL, "points": 12, "dim": 2}, norm=1.0)
    monkeypatch.setattr(bounds_setting, "MAX_CANDIDATES", 100)
    many = bounds_table(**{**SMALL, "points": 12, "dim": 2}, norm=1.0)
    assert not isinstance(many.conditions.covariance, np.ndarray)
    assert many.conditions.meta() == few.conditions.meta()
    assert many.gains["noise"].upper == pytest.approx(few.gains["noise"].upper, rel=0.05)
    assert many.ranges["norm"] == pytest.approx(few.ranges["norm"])
    assert few.ranges["prior"] <= many.ranges["prior"] <= 3.5 * few.ranges["prior"]
    assert [row.applies for row in many.rows] == [row.applies for row in few.rows]
    assert "144 candidates" in str(many)
