"""Reported tables and margins: read as printed, and refused where a copying error could hide."""

import numpy as np
import pytest
from scipy import stats
from tolerances import SUMMARY_RTOL

from companion.core.errors import DataError
from companion.core.files import read_rows, results_folder
from companion.core.randomness import stream
from companion.judge.reported import (
    CLAIM_COLUMNS,
    COLUMNS,
    load_claims,
    load_margins,
    load_table,
    load_tables,
)
from companion.judge.verdict import CELL_VERDICTS, CLAIM_VERDICTS
from companion.stored.results import load_entries

ROW = {
    "problem": "p", "method": "m", "metric": "regret_at_t=200", "unit": "regret", "mean": "3.25", "spread": "0.5",
    "spread_kind": "sd", "n_runs": "10", "rank": "", "note": "",
}  # fmt: skip
MARGINS = """
significance = 0.05
confidence = 0.95
[rules.spread]
kind = "spread"
spreads = 2.0
share = 0.1
[rules.exact]
kind = "exact"
[p.metrics]
regret = "spread"
count = "exact"
[p.claims]
comparable = 0.2
"""


def written(path, *rows, columns=COLUMNS):
    lines = [",".join(columns)] + [",".join(str(row.get(name, "")) for name in columns) for row in rows]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def with_margins(tmp_path, text=MARGINS):
    path = tmp_path / "data" / "reported" / "margins.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return load_margins("p", tmp_path)


def test_a_row_is_read_as_printed(tmp_path):
    (cell,) = load_table(written(tmp_path / "table1.csv", ROW), "Table 1")
    assert (cell.metric, cell.at, cell.mean, cell.sd, cell.n) == ("regret", 200, 3.25, 0.5, 10)
    assert cell.where == "table1.csv, line 2"
    assert cell.summary is not None
    assert cell.lacking == ""


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"mean": "3,25"}, None),  # one field too many
        ({"mean": "l97.91"}, "mean is 'l97.91'"),
        ({"mean": "inf"}, "mean is 'inf'"),
        ({"mean": ""}, "mean is empty"),
        ({"method": " "}, "method is empty"),
        ({"spread": "wide"}, "spread is 'wide'"),
        ({"spread": "-1"}, "negative"),
        ({"spread": ""}, "spread is '' but spread_kind is 'sd'"),
        ({"spread_kind": "unstated"}, "spread_kind is 'unstated'"),
        ({"spread_kind": "stderr"}, "spread_kind is 'stderr'"),
        ({"n_runs": "ten"}, "n_runs has 'ten'"),
        ({"n_runs": "0"}, "n_runs is 0"),
        ({"metric": "regret_at_t=20O"}, "metric has '20O'"),
    ],
)
def test_faults_are_named_with_file_and_line(tmp_path, change, complaint):
    other = ROW | {"method": "another"}
    path = written(tmp_path / "table3.csv", other, ROW | change)
    with pytest.raises(DataError, match=r"table3\.csv, line 3") as caught:
        load_table(path, "Table 3")
    assert complaint is None or complaint in str(caught.value)


def test_the_same_number_twice_is_refused(tmp_path):
    with pytest.raises(DataError):
        load_table(written(tmp_path / "table1.csv", ROW, ROW | {"mean": "4"}), "Table 1")


def test_foreign_and_empty_files_are_refused(tmp_path):
    with pytest.raises(DataError, match="columns"):
        load_table(written(tmp_path / "table1.csv", ROW, columns=COLUMNS[::-1]), "Table 1")
    with pytest.raises(DataError, match="no rows"):
        load_table(written(tmp_path / "table2.csv"), "Table 2")
    with pytest.raises(DataError, match="missing"):
        load_table(tmp_path / "table9.csv", "Table 9")
    with pytest.raises(DataError, match=r"no table\*\.csv"):
        load_tables("p", tmp_path)


def test_a_standard_error_and_an_interval_give_back_the_standard_deviation(tmp_path):
    sample = stream(1, "reported").standard_normal(12)
    error = stats.sem(sample)
    half = np.ptp(stats.t.interval(0.95, 11, loc=sample.mean(), scale=error)) / 2
    rows = [
        ROW | {"method": kind, "spread_kind": kind, "spread": repr(float(value)), "n_runs": "12"}
        for kind, value in (("sd", sample.std(ddof=1)), ("se", error), ("ci95", half))
    ]
    cells = load_table(written(tmp_path / "table1.csv", *rows), "Table 1")
    assert [cell.sd for cell in cells] == pytest.approx([sample.std(ddof=1)] * 3, rel=SUMMARY_RTOL)


def test_what_is_missing_is_said(tmp_path):
    bare = ROW | {"spread": "", "spread_kind": "unstated"}
    rows = (bare, bare | {"method": "b", "n_runs": ""}, ROW | {"method": "c", "n_runs": "", "spread_kind": "se"})
    cells = load_table(written(tmp_path / "table1.csv", *rows), "Table 1")
    assert [cell.summary for cell in cells] == [None, None, None]
    assert cells[0].lacking == "the paper prints no spread"
    assert cells[1].lacking == "the paper prints no spread and no number of runs"
    assert cells[2].sd is None


def test_margins_follow_their_rule(tmp_path):
    margins = with_margins(tmp_path)
    rows = (
        ROW,
        ROW | {"method": "b", "spread": "", "spread_kind": "unstated", "mean": "-40"},
        ROW | {"metric": "count", "spread": "", "spread_kind": "unstated"},
        ROW | {"metric": "seconds"},
    )
    cells = load_table(written(tmp_path / "table1.csv", *rows), "Table 1")
    assert [margins.margin(cell) for cell in cells[:3]] == pytest.approx([1.0, 4.0, 0.0])
    with pytest.raises(DataError):
        margins.margin(cells[3])


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("[p.metrics]", "[q.metrics]", None),
        ('regret = "spread"', 'regret = "spred"', "no rule 'spred'"),
        ('kind = "exact"', 'kind = "exactly"', "kind is 'exactly'"),
        ("share = 0.1", "share = 0", "share must be positive"),
        ("significance = 0.05", "", "significance must be positive"),
        ("comparable = 0.2", 'comparable = "0.2"', "comparable must be positive"),
        ("confidence = 0.95", "confidence =", "no valid TOML"),
    ],
)
def test_faulty_margins_are_refused(tmp_path, old, new, complaint):
    text = MARGINS.replace(old, new)
    if complaint is None:
        text = text.replace("[p.claims]", "[q.claims]")
    with pytest.raises(DataError, match=r"margins\.toml") as caught:
        with_margins(tmp_path, text)
    assert (complaint or "no part [p]") in str(caught.value)


def test_claims_have_ids_of_their_own(tmp_path):
    row = {"id": "x", "source": "s", "claim": "c", "how_to_test": "h"}
    path = tmp_path / "data" / "reported" / "p" / "claims.csv"
    written(path, row, row | {"id": "y"}, columns=CLAIM_COLUMNS)
    assert [claim.id for claim in load_claims("p", tmp_path)] == ["x", "y"]
    written(path, row, row, columns=CLAIM_COLUMNS)
    with pytest.raises(DataError):
        load_claims("p", tmp_path)
    written(path, row | {"how_to_test": ""}, columns=CLAIM_COLUMNS)
    with pytest.raises(DataError):
        load_claims("p", tmp_path)


def test_changed_tests_name_claims_whose_verdict_is_the_last_one(root):
    rows = [row for _, row in read_rows(root / "data" / "reported" / "changed_tests.csv")[1]]
    stored = {
        (entry["paper"], entry["cell"]): entry["verdict"]
        for paper in {row["paper"] for row in rows}
        for entry in load_entries(results_folder(paper, root), "verdicts", "companion evidence").entries
        if entry["kind"] == "claim"
    }
    assert {row["old_verdict"] for row in rows} <= {*CELL_VERDICTS, *CLAIM_VERDICTS}
    for row in rows:
        if row["id"]:
            assert stored[row["paper"], row["id"]] == row["new_verdict"], row["id"]
        else:
            assert row["new_verdict"] in CELL_VERDICTS


def test_a_papers_own_margins_stand_in_its_folder_and_the_rules_beside_it(tmp_path):
    with_margins(tmp_path)
    own = tmp_path / "data" / "reported" / "p" / "margins.toml"
    own.parent.mkdir()
    own.write_text('[metrics]\nregret = "spread"\n[claims]\ncomparable = 0.3\n', encoding="utf-8")
    found = load_margins("p", tmp_path)
    assert (found.claims, list(found.rules)) == ({"comparable": 0.3}, ["regret"])
    own.write_text('[metrics]\nregret = "spraed"\n', encoding="utf-8")
    with pytest.raises(DataError):
        load_margins("p", tmp_path)


def test_a_paper_may_print_curves_and_claims_alone(tmp_path):
    folder = tmp_path / "data" / "reported" / "p"
    folder.mkdir(parents=True)
    with pytest.raises(DataError, match="nothing is known"):
        load_tables("p", tmp_path)
    (folder / "claims.csv").touch()
    assert load_tables("p", tmp_path) == ()
