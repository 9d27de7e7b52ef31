"""Verdicts on anybody's table, against an oracle that shares no line with them, and histories in which margins come late."""

from __future__ import annotations

import csv
import io
import os
import subprocess
from pathlib import Path

import mpmath
import numpy as np
import pytest

from companion.core.errors import ParameterError
from companion.judge import audit_files
from companion.judge.audit import audit
from companion.judge.preregistration import order

MARGINS = "significance = 0.05\nconfidence = 0.95\n[metrics.r]\nspreads = 1.0\nshare = 0.1\n[metrics.b]\nexact = true\n"
REPORTED = (
    "problem,method,metric,mean,spread,spread_kind,n_runs\np,a,r,1.0,0.5,sd,10\np,b,r,3.0,0.5,sd,10\np,a,b,4,,,\n"
)
SUMMARIES = "problem,method,metric,mean,sd,n\np,a,r,1.1,0.5,40\np,b,r,2.0,0.4,40\np,a,b,4,,\n"


@pytest.fixture
def judge(tmp_path):
    """Writes three texts and audits them."""

    def call(reported=REPORTED, reproduced=SUMMARIES, margins=MARGINS, folder=tmp_path):
        paths = []
        for name, text in (("reported.csv", reported), ("runs.csv", reproduced), ("margins.toml", margins)):
            paths.append(folder / name)
            if isinstance(text, bytes):
                paths[-1].write_bytes(text)
            elif text is not None:
                paths[-1].write_text(text, encoding="utf-8")
        return audit(*paths)

    return call


# -- an independent oracle ---------------------------------------------------------------------------------------------


def upper_tail(t: float, df: float) -> mpmath.mpf:
    """P(T > t) of Student's t by the regularised incomplete beta function, at 30 digits."""
    t, df = mpmath.mpf(t), mpmath.mpf(df)
    half = mpmath.betainc(df / 2, mpmath.mpf(1) / 2, 0, df / (df + t * t), regularized=True) / 2
    return half if t > 0 else 1 - half


def oracle(one, other, margin):
    """Verdict without orders, p of both tests, and the tails beyond a margin and an interval's half width."""
    (m1, s1, n1), (m2, s2, n2) = ([mpmath.mpf(float(x)) for x in side] for side in (one, other))
    v1, v2 = s1**2 / n1, s2**2 / n2
    error = mpmath.sqrt(v1 + v2)
    df = (v1 + v2) ** 2 / (v1**2 / (n1 - 1) + v2**2 / (n2 - 1))
    gap = m2 - m1
    tost = max(upper_tail((gap + margin) / error, df), upper_tail((margin - gap) / error, df))
    welch = 2 * upper_tail(abs(gap) / error, df)
    verdict = "equivalent" if tost < 0.05 else "compatible-underpowered" if welch >= 0.05 else "different"
    return verdict, float(tost), float(welch), lambda width: float(upper_tail(width / error, df))


def test_fifty_random_cells_are_judged_as_by_the_textbook(judge):
    generator = np.random.default_rng(20261123)
    reported, ours, rows = [], [], {"reported": [], "runs": []}
    for k in range(50):
        # Sizes at which every verdict occurs; each cell has a problem of its own, so that no order can be confirmed.
        mean, sd, n = generator.normal(0, 10), generator.uniform(0.2, 3), int(generator.integers(3, 40))
        again = (mean + sd * generator.normal(0, 0.6), sd * generator.uniform(0.3, 2), int(generator.integers(3, 90)))
        reported.append((mean, sd, n))
        ours.append(again)
        kind, spread = [("sd", sd), ("se", sd / n**0.5)][k % 2]
        rows["reported"].append(f"p{k},a,r,{mean},{spread},{kind},{n}")
        rows["runs"].append(f"p{k},a,r,{again[0]},{again[1]},{again[2]}")
    found = judge(
        "problem,method,metric,mean,spread,spread_kind,n_runs\n" + "\n".join(rows["reported"]),
        "problem,method,metric,mean,sd,n\n" + "\n".join(rows["runs"]),
    )
    wanted = [oracle(one, other, one[1]) for one, other in zip(reported, ours, strict=True)]
    assert [cell["verdict"] for cell in found.cells] == [verdict for verdict, *_ in wanted]
    assert {verdict for verdict, *_ in wanted} == {"equivalent", "compatible-underpowered", "different"}
    for cell, (mean, sd, _), (verdict, tost, welch, tail) in zip(found.cells, reported, wanted, strict=True):
        assert cell["margin"] == pytest.approx(sd, rel=1e-12)
        assert cell["p_value"] == pytest.approx(welch, rel=1e-9)
        assert tail(cell["smallest_margin"]) == pytest.approx(0.05, rel=1e-9)
        low, high = cell["difference"]["interval"]
        assert tail((high - low) / 2) == pytest.approx(0.025, rel=1e-9)
        assert (low + high) / 2 == pytest.approx(cell["reproduced"]["mean"] - mean)
        if verdict == "equivalent":
            assert cell["reason"].endswith((f"p = {tost:.2g}", f"p = {tost:.2g}; within the margin, yet different"))


# -- orders, runs, what cannot be tested -------------------------------------------------------------------------------


def runs(**values):
    lines = [f"p,{method},r,{seed},{value}" for method, column in values.items() for seed, value in enumerate(column)]
    return "problem,method,metric,seed,value\n" + "\n".join(lines)


def test_runs_are_summed_up_and_compared_seed_by_seed(judge):
    noise = np.random.default_rng(1).normal(0, 2, 12)
    # Both methods share a noise far larger than their distance: only pairs show the order, summaries leave it open.
    reproduced = runs(a=noise + 9.0, b=noise + 9.5 + 0.01 * np.arange(12))
    first, second = judge(REPORTED.rpartition("p,a,b")[0], reproduced).cells
    assert first["reproduced"]["mean"] == pytest.approx(noise.mean() + 9.0)
    assert first["reproduced"]["sd"] == pytest.approx(noise.std(ddof=1))
    assert [first["verdict"], second["verdict"]] == ["same-ordering-different-level"] * 2
    summed = "problem,method,metric,mean,sd,n\n" + "\n".join(
        f"p,{cell['method']},r,{cell['reproduced']['mean']!r},{cell['reproduced']['sd']!r},12"
        for cell in (first, second)
    )
    apart = judge(REPORTED.rpartition("p,a,b")[0], summed).cells
    assert [cell["verdict"] for cell in apart] == ["different"] * 2
    assert [cell["ordering"]["open"] for cell in apart] == [1, 1]


def test_a_method_that_was_not_rerun_leaves_its_pair_open_and_is_listed(judge):
    found = judge(reproduced="problem,method,metric,mean,sd,n\np,a,r,9.0,0.5,40\n")
    (cell,) = found.cells
    assert (cell["verdict"], cell["ordering"]["open"]) == ("different", 1)
    assert found.missing == [("p", "b", "r"), ("p", "a", "b")]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("p,a,r,1.0,,,10", "the paper prints no spread"),
        ("p,a,r,1.0,0.5,sd,", "the paper prints no number of runs"),
        ("p,a,r,1.0,0.5,sd,1", "a spread needs two"),
        ("p,a,r,1.0,0.0,sd,10", "the margin is 0"),
    ],
)
def test_what_is_not_reported_is_not_tested(judge, row, reason):
    header = REPORTED.partition("\n")[0]
    (cell,) = judge(f"{header}\n{row}\n", "problem,method,metric,mean,sd,n\np,a,r,1.0,0.5,40\n").cells
    assert cell["verdict"] == "not-testable"
    assert reason in cell["reason"]
    assert cell["p_value"] is None


def test_an_exact_number_is_equal_or_not(judge):
    assert judge().cells[2]["verdict"] == "equivalent"
    assert judge(reproduced=SUMMARIES.replace("b,4", "b,5")).cells[2]["verdict"] == "different"


def test_tables_are_read_as_spreadsheets_write_them(judge):
    plain = judge().cells
    for encoding in ("utf-8-sig", "utf-16", "cp1252"):
        tables = [text.replace(",", ";").replace("\n", "\r\n").encode(encoding) for text in (REPORTED, SUMMARIES)]
        assert judge(*tables).cells == plain


# -- bad files: one line each, that names the file, the place and what is allowed --------------------------------------

BAD = {
    "a column is missing": (
        {"reported": REPORTED.replace(",mean,", ",average,")},
        "REPORTED",
        "lacks the column 'mean'",
    ),
    "no number": ({"reported": REPORTED.replace("1.0,0.5", "1.o,0.5")}, "REPORTED", "reported.csv, line 2"),
    "a row too short": ({"reported": REPORTED.replace("p,b,r,3.0,", "p,b,r,")}, "REPORTED", "line 3 has 6 fields"),
    "a row twice": ({"reported": REPORTED + "p,a,r,2.0,0.5,sd,10\n"}, "REPORTED", "repeats line 2"),
    "no text": ({"reported": b"\xff\xfe\x00"}, "REPORTED", "is no text"),
    "no rows": ({"reported": ""}, "REPORTED", "no rows"),
    "too large": ({"reported": REPORTED.replace("1.0,0.5", "1.0,1e200")}, "REPORTED", "at most 1e+100"),
    "an open quotation": ({"reported": REPORTED.replace("p,b", '"p,b')}, "REPORTED", "line"),
    "not among the reported": ({"reproduced": SUMMARIES.replace("p,b", "p,B")}, "REPRODUCED", "Did you mean 'p, b, r'"),
    "a negative spread": ({"reproduced": SUMMARIES.replace("0.4", "-0.4")}, "REPRODUCED", "negative"),
    "one run": ({"reproduced": SUMMARIES.replace("0.4,40", "0.4,1")}, "REPRODUCED", "fewer than two runs"),
    "a seed twice": ({"reproduced": runs(a=[1, 2]) + "\np,a,r,1,3"}, "REPRODUCED", "the seed '1' twice"),
    "runs without value": (
        {"reproduced": runs(a=[1]).replace(",value", ",result")},
        "REPRODUCED",
        "lacks the column 'value'",
    ),
    "an exact number that varies": ({"reproduced": SUMMARIES.replace("4,,", "4,1,9")}, "MARGINS", "vary"),
    "no rule": ({"margins": MARGINS.replace("metrics.r]", "metrics.q]")}, "MARGINS", "no [metrics.r]"),
    "no TOML": ({"margins": "significance ="}, "MARGINS", "no valid TOML"),
    "deep TOML": ({"margins": "a=" + "[" * 3000}, "MARGINS", "no valid TOML"),
    "no level": ({"margins": MARGINS.replace("significance = 0.05", "")}, "MARGINS", "significance is missing"),
    "a level of 60 %": ({"margins": MARGINS.replace("0.05", "0.6")}, "MARGINS", "positive number below 0.5"),
    "an unknown rule": ({"margins": MARGINS.replace("spreads", "sds")}, "MARGINS", "expected exact = true, or margin"),
    "a margin of 0": ({"margins": MARGINS.replace("0.1", "0")}, "MARGINS", "share is 0"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_refused_in_one_line(judge, case):
    texts, argument, words = BAD[case]
    with pytest.raises(ParameterError) as refused:
        judge(**texts)
    assert refused.value.name == argument
    assert words in str(refused.value)
    assert len(str(refused.value)) < 400


def test_what_is_no_file_is_refused(judge, tmp_path):
    judge()
    for place, words in ((tmp_path / "none.csv", "not there"), (tmp_path, "no file"), (Path("/dev/zero"), "no file")):
        with pytest.raises(ParameterError, match=f"REPRODUCED.*{words}"):
            audit(tmp_path / "reported.csv", place, tmp_path / "margins.toml")


def test_sizes_are_limited(judge, monkeypatch):
    monkeypatch.setattr(audit_files, "MOST_METHODS", 1)
    with pytest.raises(ParameterError):
        judge()


# -- margins come first ------------------------------------------------------------------------------------------------


@pytest.fixture
def history(tmp_path, monkeypatch):
    """A repository; the value commits the named files as they are."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    clock = iter(range(1_700_000_000, 1_800_000_000, 1000))

    def git(*words, folder=tmp_path):
        date = f"{next(clock)} +0000"
        environment = os.environ | {
            "GIT_AUTHOR_DATE": date,
            "GIT_COMMITTER_DATE": date,
            "GIT_CONFIG_GLOBAL": os.devnull,
        }
        name = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *name, *words], cwd=folder, env=environment, check=True, capture_output=True)

    def commit(*names, folder=tmp_path):
        git("add", "--", *names, folder=folder)
        git("commit", "-m", "x", folder=folder)

    git("init", "-q")
    commit.git = git
    return commit


def test_margins_before_the_runs_are_shown_to_be(judge, history):
    assert judge().order.shown is False
    history("margins.toml", "reported.csv")
    assert "not under version control" in judge().order.reason
    history("runs.csv")
    assert judge().order.shown is True
    # A comment, another metric and other runs change nothing.
    more = MARGINS.replace("[metrics.b]", "# one word\n[metrics.c]\nmargin = 1\n[metrics.b]")
    assert judge(margins=more).order.shown is True
    judge(margins=more, reproduced=SUMMARIES.replace("1.1", "1.2"))
    history("margins.toml", "runs.csv")
    assert judge(margins=None, reproduced=None).order.shown is True


def refused(judge, words, **texts):
    with pytest.raises(ParameterError, match=words) as error:
        judge(**texts)
    assert error.value.name == "MARGINS"


def test_margins_that_are_younger_are_refused(judge, history):
    judge()
    history("runs.csv")
    refused(judge, "is not committed")
    history("margins.toml")
    refused(judge, "there was no margins.toml")


def test_margins_committed_with_the_runs_are_refused(judge, history):
    judge()
    history("runs.csv", "margins.toml")
    refused(judge, "there was no margins.toml")


def test_margins_that_have_changed_since_are_refused(judge, history):
    judge()
    history("margins.toml")
    history("runs.csv")
    wider = MARGINS.replace("spreads = 1.0", "spreads = 2.0")
    refused(judge, "the rule of r was another one", margins=wider)
    history("margins.toml")
    refused(judge, "the rule of r was another one", margins=wider)
    refused(judge, "significance was 0.05 and is 0.1", margins=MARGINS.replace("0.05", "0.1"))


def test_runs_under_a_new_name_are_still_the_old_ones(judge, history, tmp_path):
    judge(margins=MARGINS.replace("1.0", "2.0"))
    history("margins.toml")
    (tmp_path / "runs.csv").rename(tmp_path / "first.csv")
    history("first.csv")
    judge()
    (tmp_path / "runs.csv").unlink()
    history("margins.toml")
    history.git("mv", "first.csv", "runs.csv")
    history.git("commit", "-m", "x")
    refused(judge, "the rule of r was another one", reproduced=None)


def test_margins_that_were_moved_since_are_still_the_old_ones(judge, history, tmp_path):
    judge()
    history("margins.toml")
    history("runs.csv")
    (tmp_path / "new").mkdir()
    history.git("mv", "margins.toml", "new/rules.toml")
    history.git("commit", "-m", "x")
    files = (tmp_path / "new" / "rules.toml", tmp_path / "runs.csv")
    assert order(*files, lambda then: "" if then.decode() == MARGINS else "another one").shown
    with pytest.raises(ParameterError, match="another one"):
        order(*files, lambda then: "another one")


def test_two_repositories_are_compared_by_dates(judge, history, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    history.git("init", "-q", folder=other)
    judge()
    (tmp_path / "margins.toml").rename(other / "margins.toml")
    history("margins.toml", folder=other)
    history("runs.csv")
    files = (tmp_path / "reported.csv", tmp_path / "runs.csv", other / "margins.toml")
    assert "by the dates of two repositories" in audit(*files).order.reason
    files[2].write_text(MARGINS + "\n")
    with pytest.raises(ParameterError, match="not committed"):
        audit(*files)
    history("margins.toml", folder=other)
    with pytest.raises(ParameterError, match="in another repository"):
        audit(*files)


def test_a_part_of_a_history_shows_nothing(judge, history, tmp_path):
    judge()
    history("margins.toml", "reported.csv")
    history("runs.csv")
    copy = tmp_path / "copy"
    history.git("clone", "-q", "--depth", "1", f"file://{tmp_path}", str(copy))
    order = audit(copy / "reported.csv", copy / "runs.csv", copy / "margins.toml").order
    assert (order.shown, "unshallow" in order.reason) == (False, True)


def test_the_csv_can_be_read(judge, capsys):
    from companion.cli.audit_command import COLUMNS, _row
    from companion.cli.show import say_csv

    say_csv(dict(zip(COLUMNS, _row(cell), strict=True)) for cell in judge().cells)
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(rows) == 3
    assert tuple(rows[0]) == COLUMNS
    assert [row["verdict"] for row in rows] == [cell["verdict"] for cell in judge().cells]
