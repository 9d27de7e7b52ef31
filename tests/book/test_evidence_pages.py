"""The pages of evidence, built from small stored files: every status, what is missing, what is damaged, and every link.

The book in these tests has two chapters that exist nowhere else, so nothing in the extension can know them by name.
"""

from __future__ import annotations

import copy
import dataclasses
import json
import logging
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from docutils import nodes
from planted_erratum import GOOD

from book import browser as looking
from companion import registry
from companion.checks.statement import STATUSES
from companion.core.errors import DataError
from companion.current.origin import FILE
from companion.judge.consequence import told
from companion.judge.ownership import count
from companion.judge.verdict import CELL_VERDICTS, CLAIM_VERDICTS
from companion.pages.chapter import all_records, core_time
from companion.papers.across.checks.shared_errors import slips
from companion.stored.record import Record
from companion.stored.results import store_entries

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "book" / "_ext"))

import companion_source  # noqa: E402
from companion_evidence import common, data, ledger, links, markup, summary, verdicts  # noqa: E402
from companion_evidence import numbers as evidence_numbers  # noqa: E402

EXECUTABLE = looking.find_browser()
APOSTROPHE = "\N{RIGHT SINGLE QUOTATION MARK}"
CODE = {"module": "companion.checks.cases", "name": "at_most"}
RECORD = Record(
    command="companion ledger one --teeth --json",
    profile="paper",
    seeds=(0, 1, 2),
    versions={"python": "3.11.7", "numpy": "2.4.6"},
    blas=["openblas 0.3 (1 threads)"],
    machine={"cpu": "a processor", "architecture": "x86_64", "cores": 2, "system": "Linux"},
    date="2026-01-02T03:04:05+00:00",
    seconds=12.5,
)


def statement(identifier: str, status: str, **more: Any) -> dict[str, Any]:
    checked = status != "not-checkable"
    return {
        "paper": "one",
        "id": identifier,
        "title": f"title of {identifier}",
        "location": "Section 2, eq. (3)",
        "kind": "inequality" if checked else "not-checkable",
        "status": status,
        "lhs": 1.5 if checked else None,
        "rhs": 3.0 if checked else None,
        "slack": 2.0 if checked else None,
        "trials": 40 if checked else 0,
        "failures": 0,
        "delta": None,
        "seconds": 0.5,
        "reason": "why",
        "teeth": [{"name": "half of $c$", "caught": True, "where": "seed 4"}] if checked else [],
        "latex": "for all $x$: $$f(x)\\le c$$",
        "where": "seed 3",
        "assumptions": ["$x>0$"],
        "depends": [],
        "correction": "",
        "anchor": "the-claim",
        "chapter": "ch7_one",
        "code": CODE if checked else None,
    } | more


def cell(verdict: str, **more: Any) -> dict[str, Any]:
    return {
        "paper": "one",
        "source": "Table 1",
        "cell": f"method-{verdict}",
        "metric": "regret_at_t=10",
        "kind": "cell",
        "reported": {"mean": 114.69, "spread": 2.5, "spread_kind": "sd", "n": 10},
        "reproduced": {"mean": 120.123, "sd": 30.0, "n": 200},
        "difference": {"mean": 5.433, "ci95": [-1.5, 12.25]},
        "margin": 2.5,
        "verdict": verdict,
        "reason": "the reason",
        "record": RECORD.to_dict(),
    } | more


def claim(verdict: str, **more: Any) -> dict[str, Any]:
    return cell(verdict, kind="claim", cell=f"claim-{verdict}", metric="claim", claim="a is better than b") | more


def lead(identifier: str, confirmed: bool, severity: str, **more: Any) -> dict[str, Any]:
    return {
        "paper": "one",
        "id": identifier,
        "title": f"suspicion {identifier}",
        "severity": severity,
        "location": "Section 4",
        "printed": "$6c$",
        "confirmed": confirmed,
        "found": "$4c$ suffices",
        "values": {"largest": 3.99},
        "consequence": "none",
        "statement": "lemma-2",
        "command": f"companion discrepancies one --id {identifier}",
        "seconds": 0.1,
    } | more


LEDGER = [
    statement("prop-1", "holds", kind="probability", delta=0.1, failures=3, slack=None, lhs=0.0, rhs=0.1),
    statement("lemma-2", "holds-with-corrected-constant", depends=["prop-1"], correction="with $2c$"),
    statement("eq-3", "fails", title="costs <b>\\$5</b> & {more} *stars* _under_", kind="rate"),
    statement("remark-4", "not-checkable", code=None),
]
VERDICTS = [*(cell(verdict, unit="h") for verdict in CELL_VERDICTS), *map(claim, CLAIM_VERDICTS)]
LEADS = [
    lead("U1", False, "major", consequence="it would fail", outcome="it holds"),
    lead("E1", True, "minor", values={"many": 1500, "small": 0.25, "parts": {"a": 1, "b": 2}}),
    lead("E2", True, "major"),
]

TOLD = """
Counted :number:`one/ledger?paper=one` and :number:`one/discrepancies/E1/values/many` with :math:`x^2`.
:true-if:`one/ledger/eq-3/status = fails` :true-if:`one/discrepancies/E1/values/small < 0.5`
"""
PAGE = "{title}\n{line}\n\n.. evidence-{name}::\n"


def store(root: Path, name: str, entries: list[dict[str, Any]], paper: str = "one") -> Path:
    return store_entries(root / "data" / "results" / paper, name, entries, RECORD)


def plant(root: Path) -> Path:
    """Two chapters, numbers 7 and 12; the first has evidence."""
    for number, paper in ((12, "other"), (7, "one")):
        page = root / "notebooks" / f"ch{number}_{paper}"
        page.parent.mkdir(parents=True, exist_ok=True)
        title = f"Title of {paper}"
        page.with_suffix(".py").write_text(f"# %% [markdown]\n# # {title}\n#\n# ## The claim\n", encoding="utf-8")
        page.with_suffix(".rst").write_text(
            f"{title}\n{'=' * 20}\n\nThe claim\n---------\n\nIt is.\n", encoding="utf-8"
        )
    (root / "book").mkdir()
    for name in (*data.NAMES, "status"):
        (root / "book" / f"{name}.rst").write_text(PAGE.format(title=name, line="=" * 20, name=name), encoding="utf-8")
        for page in ("ch7_one", "ch12_other") if name != "status" else ():
            whole = root / "book" / name / f"{page}.rst"
            whole.parent.mkdir(exist_ok=True)
            directive = PAGE.format(title=f"{name} of {page}", line="=" * 40, name=name).rstrip()
            whole.write_text(f"{directive} {page.partition('_')[2]}\n", encoding="utf-8")
    pages = [f"{folder}/{page}" for folder in data.NAMES for page in ("ch7_one", "ch12_other")]
    listed = "\n   ".join(f"book/{page}" for page in (*data.NAMES, "status", *pages))
    begin = f"Contents\n========\n\n.. evidence-summary::\n\n{TOLD}\n"
    contents = f"{begin}.. toctree::\n\n   {listed}\n   notebooks/ch7_one\n   notebooks/ch12_other\n"
    (root / "index.rst").write_text(contents, encoding="utf-8")
    store(root, "ledger", LEDGER)
    store(root, "verdicts", VERDICTS)
    store(root, "discrepancies", LEADS)
    return root


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """What is planted, for a test to change."""
    return plant(tmp_path / "repository")


def made_of(repository: Path) -> tuple[Path, str]:
    """Build the repository's pages; their folder and what Sphinx warned of."""
    import io

    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    warned, place = io.StringIO(), repository.parent
    config = {
        "extensions": ["sphinx.ext.mathjax", "companion_evidence"],
        "mathjax_path": "tex.js",
        "source_suffix": {".rst": "restructuredtext"},  # another build may have added to Sphinx's own default
        "html_theme": "basic",
        "html_static_path": [str(ROOT / "book" / "_static")],
        "exclude_patterns": ["**.py", "data"],
        "nitpicky": True,
    }
    log = logging.getLogger("sphinx")
    before = list(log.handlers)
    try:
        with patch_docutils(str(repository)), docutils_namespace():
            out, trees = str(place / "html"), str(place / "trees")
            Sphinx(str(repository), None, out, trees, "html", config, io.StringIO(), warned).build()
    finally:
        log.handlers[:] = before
    return place / "html", re.sub(r"\x1b\[[0-9;]*m", "", warned.getvalue())


@pytest.fixture
def build(repository: Path) -> Callable[[], tuple[Path, str]]:
    """Builds the repository as the test has changed it."""
    return lambda: made_of(repository)


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The pages as planted and what Sphinx warned of, built once for all tests that only look."""
    return made_of(plant(tmp_path_factory.mktemp("unchanged") / "repository"))


def read(html: Path, page: str) -> str:
    """A page of the first chapter, where there is one; with ``/`` at its end, the page of all chapters."""
    whole = html / "book" / page / "ch7_one.html"
    path = whole if whole.exists() else html / "book" / f"{page.rstrip('/')}.html"
    return (html / "book" / f"{page[:-1]}.html" if page.endswith("/") else path).read_text(encoding="utf-8")


def plain(fragment: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", fragment).split())


def row_of(text: str, identifier: str) -> str:
    """The two rows of one entry."""
    begin = text.index(f'id="{identifier}"')
    end = text.find("evidence-row", begin)
    return text[begin : end if end >= 0 else text.index("</table>", begin)]


def test_the_summary_has_a_line_for_every_chapter_and_leads_to_what_it_counts(unchanged: Any) -> None:
    html, warned = unchanged
    assert warned == ""
    text = (html / "index.html").read_text(encoding="utf-8")
    table = text[text.index("evidence-summary") :]
    first, second = (plain(part) for part in re.split("12. ", table[: table.index("</table>")], maxsplit=1))
    assert "7. Title of one" in first
    assert f"Counted {len(LEDGER)} and 1 500 with" in plain(text)
    assert tuple(summary.STATEMENTS) == STATUSES
    assert set(summary.CLAIMS) == set(CLAIM_VERDICTS)
    for status in STATUSES:
        assert f'href="book/ledger/ch7_one.html?whose=paper&amp;role=claim&amp;status={status}"' in table
    assert 'href="book/ledger/ch7_one.html?whose=paper&amp;role=premise"' not in table, "there is none"
    for verdict in CLAIM_VERDICTS:
        assert f'href="book/verdicts/ch7_one.html?kind=claim&amp;verdict={verdict}"' in table
    assert first.endswith("2 confirmed"), "nobody has said what the errors amount to"
    assert "No stored evidence yet" in second


def test_a_number_may_be_rounded(repository: Path) -> None:
    said = evidence_numbers.number(repository, "one/discrepancies/E1/values/many:~1")
    assert said == "2\N{NARROW NO-BREAK SPACE}000"
    assert evidence_numbers.number(repository, "one/discrepancies/E1/values/small:~2") == "0.25"


WRONG = {
    ":number:`one/ledger/eq-9/status`": "0 entries 'eq-9'",
    ":number:`one/discrepancies/E1/values/few`": "no 'few' among many, small, parts",
    ":number:`one/ledger/eq-3/status`": "is 'fails' and no number",
    ":number:`one/tables/eq-3`": "'tables' is none of",
    ":true-if:`one/ledger/eq-3/status = holds`": "no longer true: one/ledger/eq-3/status = holds",
    ":true-if:`one/discrepancies/E1/values/small > 0.5`": "no longer true: one/discrepancies/E1/values/small > 0.5",
    ":true-if:`one/ledger/eq-3/status`": "no condition",
}


def test_a_sentence_that_does_not_fit_the_evidence_is_a_warning(repository, build) -> None:
    page = repository / "index.rst"
    text = page.read_text(encoding="utf-8").replace("Counted", f"{' '.join(WRONG)} Counted")
    page.write_text(text, encoding="utf-8")
    _, warned = build()
    assert [said for said in WRONG.values() if said not in warned] == []


def test_numbers_are_counted_and_formatted(repository) -> None:
    shown = {
        "one/discrepancies/E1/values/small:.1f": "0.2",
        "one/discrepancies/E1/values/parts#": "2",
        "one/ledger?status=fails&kind=rate": "1",
        "one/discrepancies?values/parts/b=2": "1",
    }
    assert {reference: evidence_numbers.number(repository, reference) for reference in shown} == shown


def test_the_ledger_shows_every_status_with_its_counts_and_what_unfolds(unchanged: Any) -> None:
    html, warned = unchanged
    assert warned == ""
    text = read(html, "ledger")
    for status in STATUSES:
        assert f"facet-status--{status}" in text
        assert f"1 {status.replace('-', ' ')}" in plain(text), "the tally on top counts one of each"
    first = row_of(text, "prop-1")
    assert "Title of prop-1 Section 2, eq. (3) #prop-1" in plain(first)
    assert "0 rate of failure 0.1 allowed rate" in plain(first), "both sides say what they are"
    assert "∞" in first, "a slack that the file holds as null with a left side of zero is infinite"
    assert "3 of 40" in plain(first)
    fixed = row_of(text, "lemma-2")
    for shown in ("Rests on title of prop-1", "Correction with", "Wrong versions half of", "caught at seed 4"):
        assert shown in plain(fixed)
    assert "Suspected errors suspicion U1 (not confirmed); suspicion E1 ; suspicion E2" in plain(fixed)
    assert "companion ledger one --id lemma-2 --teeth" in plain(fixed)
    never = plain(row_of(text, "remark-4"))
    assert "∞" not in never
    assert never.count("–") == 6, "no side, slack, failures, delta or teeth"
    assert "Versions that are wrong on purpose: 3, of which the checks caught 3." in plain(text)


def test_stored_text_is_data_and_only_formulas_are_markup(unchanged: Any) -> None:
    html, _ = unchanged
    row = row_of(read(html, "ledger"), "eq-3")
    assert "Costs &lt;b&gt;$5&lt;/b&gt; &amp; {more} *stars* _under_" in row
    assert '<span class="math notranslate nohighlight">\\(x\\)</span>' in row
    assert "\\[f(x)\\le c\\]" in row


def test_every_verdict_is_shown_beside_its_numbers(unchanged: Any) -> None:
    html, _ = unchanged
    text = read(html, "verdicts")
    for verdict in (*CELL_VERDICTS, *CLAIM_VERDICTS):
        assert f"facet-verdict--{verdict}" in text
    row = plain(row_of(text, "verdicts-one-table-1-method-different-regret-at-t-10"))
    sides = ("114.69 ± 2.5 h sd, 10 runs", "120.12 ± 30 h sd, 200 runs")
    for shown in (*sides, "regret at t = 10", "5.433", "[−1.5, 12.25]", "The reason"):
        assert shown in row
    assert "2026-01-02 03:04 UTC" in row
    assert "seeds 0 to 2" in row
    assert text.index("Numbers") < text.index("Claims")
    assert "If spread as ours" not in text, "no entry speaks of it"


def test_what_an_assumption_would_give_and_what_cannot_be_shown_are_said(repository: Path, build: Any) -> None:
    conditional = {
        "verdict": "compatible-underpowered",
        "reason": "margin not shown",
        "smallest_margin": 83.4,
        "smallest_margin_in_sd": 0.5877,
    }
    more = {"assumption": "their spread is ours", "if_spread_as_ours": conditional, "percentile_of_means": 7.69}
    parts = [{"what": "first", "verdict": "holds", "reason": "r"}, {"what": "second", "verdict": "undecided"}]
    store(repository, "verdicts", [cell("not-testable", **more), claim("undecided", parts=parts, further={"k": 2.5})])
    html, warned = build()
    assert warned == ""
    text = plain(read(html, "verdicts"))
    assert "If spread as ours 1 compatible underpowered" in text
    assert "standard errors apart" not in text
    assert "Assumed there: their spread is ours." in text
    assert "no equivalence within less than 0.59 standard deviations" in text
    assert "Least margin that could be shown: 83.4, or 0.59 standard deviations." in text
    assert "7.69 % of ours lie below the printed number" in text
    assert "first: holds r" in text
    assert "second: undecided" in text
    assert "Further k: 2.5" in text


def test_a_number_printed_twice_is_counted_once_and_what_is_far_apart_says_so(repository: Path, build: Any) -> None:
    far = {"verdict": "different", "reason": "r", "smallest_margin": 1.0, "standard_errors": -7.82}
    near = far | {"standard_errors": 2.9}
    first = cell("not-testable", cell="a", if_spread_as_ours=far)
    again = first | {"source": "Table 2", "repeats": "Table 1"}
    store(repository, "verdicts", [first, cell("not-testable", cell="b", if_spread_as_ours=near), again])
    html, warned = build()
    assert warned == ""
    text = plain(read(html, "verdicts"))
    assert "2 numbers 2 not testable" in text
    assert "1 of them are more than 3 standard errors apart" in text
    assert text.count("7.8 standard errors apart") == 2, "it stands in both places"
    assert text.count("printed in Table 1 too, and counted there") == 1


def test_discrepancies_stand_confirmed_first_and_then_by_severity(unchanged: Any) -> None:
    html, _ = unchanged
    text = read(html, "discrepancies")
    places = [text.index(f'id="{name}"') for name in ("e2", "e1", "discrepancies-one-not-confirmed", "u1")]
    assert places == sorted(places)
    assert "3 suspicions tested: 2 confirmed, 1 not." in plain(text)
    for shown in (
        "major confirmed Section 4",
        "suffices",
        "Numbers largest = 3.99",
        "companion discrepancies one --id E2",
    ):
        assert shown in plain(text)
    dismissed = plain(text[places[3] :])
    assert "Outcome It holds." in dismissed
    assert "Consequence" not in dismissed


def test_the_status_page_names_commit_environment_and_counts(repository: Path, build: Any) -> None:
    made = {f"data/results/one/{name}.json": ["fedcba9876543210", "2026-01-03"] for name in ("ledger", "verdicts")}
    (repository / FILE).write_text(json.dumps(made), encoding="utf-8")
    html, _ = build()
    text = read(html, "status")
    shown = plain(text)
    for fact in ("python 3.11.7, numpy 2.4.6", "openblas 0.3 (1 threads)", "a processor", "12.5 s"):
        assert fact in shown
    assert "7. Title of one – 2026-01-03, fedcba9876" in shown, "the invented paper declares no stored runs"
    assert 'href="ledger/ch7_one.html?whose=paper&amp;role=claim&amp;status=fails"' in text
    assert 'href="verdicts/ch7_one.html?kind=claim&amp;verdict=holds"' in text
    assert "2 confirmed , 1 not confirmed" in shown


def test_the_companions_own_questions_are_not_counted_as_claims(repository: Path, build: Any) -> None:
    store(repository, "verdicts", [*VERDICTS, claim("undecided", cell="ours", claim="is it so", source="companion")])
    html, warned = build()
    assert warned == ""
    shown = plain(read(html, "verdicts"))
    claims = sum(entry["kind"] == "claim" for entry in VERDICTS)
    assert f"{claims} claims" in shown
    assert "1 question " in shown
    assert "Questions of the companion\N{RIGHT SINGLE QUOTATION MARK}s own" in shown
    assert 'verdicts/ch7_one.html?kind=question&amp;verdict=undecided"' in read(html, "status")


def test_the_companions_own_statements_are_counted_apart(repository: Path, build: Any) -> None:
    own = statement("our-A", "holds", location="the companion's, on Theorem 1")
    store(repository, "ledger", [*LEDGER, own])
    html, warned = build()
    assert warned == ""
    shown = plain(read(html, "ledger"))
    assert f"Statements that could be false, the paper{APOSTROPHE}s: {len(LEDGER)}. 1 holds" in shown
    assert f"The companion{APOSTROPHE}s own statements: 1. 1 holds" in shown
    assert read(html, "ledger").count("facet-whose--companion") == 1
    begin = (html / "index.html").read_text(encoding="utf-8")
    of_the_paper = re.search(r'whose=paper&amp;role=claim&amp;status=holds"[^>]*>(?:<span[^>]*>)?(\d+)', begin)
    assert of_the_paper, "a count leads to what it counts"
    assert of_the_paper[1] == "1", "two hold, one of them the paper's"
    assert "ledger/ch7_one.html?whose=companion&amp;status=holds" in read(html, "status")


def test_definitions_are_counted_apart_on_every_page_and_the_parts_sum_to_the_whole(
    repository: Path, build: Any
) -> None:
    fixed = [statement("eq-7", "holds", role="definition"), statement("alg-1", "fails", role="algorithm")]
    entries = [entry | {"numbered": False} for entry in [*LEDGER, *fixed]]
    for paper in ("one", "other"):  # the sentence below the table waits for all chapters
        for name, kept in (("ledger", entries), ("verdicts", VERDICTS), ("discrepancies", LEADS)):
            store(repository, name, [entry | {"paper": paper} for entry in kept], paper=paper)
    html, _ = build()
    shown, begin = plain(read(html, "ledger")), (html / "index.html").read_text(encoding="utf-8")
    assert f"Definitions, assumptions and algorithms, the paper{APOSTROPHE}s: 2. 1 holds 1 fails" in shown
    assert "1 has no number in the paper" in shown
    assert read(html, "ledger").count("facet-role--premise") == 2
    assert re.search(r'role=premise"[^>]*>(?:<span[^>]*>)?2<', begin)
    assert str(count(entries) + count(entries)) in plain(begin)
    assert told([*LEADS, *LEADS]) in plain(begin)
    assert "ledger/ch7_one.html?whose=paper&amp;role=premise&amp;status=fails" in read(html, "status")


def amounts(root: Path, text: str) -> None:
    folder = root / "data" / "reported" / "one"
    folder.mkdir(parents=True)
    (folder / "errors.csv").write_text(f"lead,consequence,cause\n{text}", encoding="utf-8")


def test_errors_are_counted_by_what_they_amount_to(repository: Path, build: Any) -> None:
    amounts(repository, "E1,misprint,one cause\nE2,substance,one cause\nstatement:eq-3,constants,another\n")
    html, warned = build()
    assert warned == ""
    begin = (html / "index.html").read_text(encoding="utf-8")
    record = plain(begin[begin.index("7. ") : begin.index("12. ")])
    assert record.endswith("1 1 0"), "one of substance, one of constants; the slip has the cause of the grave one"
    text = read(html, "discrepancies")
    assert "Causes of the confirmed ones: 1 substance 1 constants" in plain(text)
    first = plain(text[text.index('id="e2"') : text.index('id="e1"')])
    assert "of substance" in first
    assert "Cause One cause." in first


def test_a_confirmed_lead_that_nobody_has_judged_is_a_warning(repository: Path, build: Any) -> None:
    amounts(repository, "E1,misprint,a slip\nE9,none,nothing\n")
    _, warned = build()
    assert "the confirmed lead 'E2' has no row" in warned
    assert "there is no 'E9'" in warned


def test_numbers_that_agree_and_yet_differ_are_told_apart(repository: Path, build: Any) -> None:
    corrected = {"tests": 3, "p_holm": 0.06, "p_benjamini_hochberg": 0.03}
    corrected |= {"differs": True, "differs_holm": False, "differs_benjamini_hochberg": True}
    close = cell("equivalent", also_different=True, several=corrected, p_value=0.02, cell="close")
    order = {"confirmed": 2, "open": 1, "reversed": 0, "tied": 0}
    never = cell("compatible-underpowered", never_equivalent=True, ordering=order, cell="few")
    bare = cell("not-testable", one_outcome=True, one_outcome_reason="no spread", cell="bare")
    store(repository, "verdicts", [cell("equivalent"), close, never, bare])
    html, warned = build()
    assert warned == ""
    text = read(html, "verdicts")
    shown = plain(text)
    assert "4 numbers 1 equivalent 1 equivalent yet different 1 compatible underpowered 1 not testable" in shown
    assert (
        "Of 1 numbers that could be tested, 1 are shown to differ at the 5 % level, each taken by itself. Corrected"
        in shown
    )
    assert "1 of 4 can come out one way only" in shown
    assert "1 of 4 could not have been shown to be equivalent" in shown
    row = row_of(text, "verdicts-one-table-1-close-regret-at-t-10")
    assert "facet-verdict--equivalent-yet-different" in text
    assert "within one run\N{RIGHT SINGLE QUOTATION MARK}s spread, yet different" in plain(row)
    assert "not after Holm" in plain(row)
    assert "no other verdict possible" in plain(row_of(text, "verdicts-one-table-1-bare-regret-at-t-10"))
    assert "confirmed: 2; open: 1" in plain(row_of(text, "verdicts-one-table-1-few-regret-at-t-10"))
    assert "verdict=equivalent-yet-different" in read(html, "status")


def test_the_interval_of_a_claim_names_its_quantity(repository: Path, build: Any) -> None:
    part = {"what": "the deciding test", "verdict": "holds", "reason": "r"}
    between = {"mean": 0.5, "ci95": [0.2, 0.8]}
    named = claim("holds", cell="named", difference=between, interval_of="difference of means", parts=[part])
    named["opponent"] = {"name": "TuRBO", "mean": -2.61}
    other = claim("holds", cell="other", difference=between, parts=[part])
    same = claim("holds", cell="same", difference={"mean": 120.0, "ci95": [110.0, None]}, parts=[part])
    store(repository, "verdicts", [named, other, same])
    html, warned = build()
    assert warned == ""
    rows = {name: read(html, "verdicts") for name in ("named", "other", "same")}
    first = {
        name: plain(row_of(text, f"verdicts-one-table-1-{name}-claim").split("</tr>")[0]) for name, text in rows.items()
    }
    assert "[0.2, 0.8] difference of means" in first["named"]
    assert "TuRBO: −2.61" in first["named"]
    assert "[0.2, 0.8] of the test" in first["other"], "120 lies outside the interval, so that it is of something else"
    assert all("Numbers from the test: the deciding test" in row for row in first.values())
    assert "of the test" not in first["same"].replace("Numbers from the test: the deciding test", "")


def test_a_statement_that_no_check_could_contradict_is_marked(repository: Path, build: Any) -> None:
    folder = repository / "data" / "reported"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "titles.toml").write_text('[one.blunt]\nprop-1 = "the radius is too large"\n', encoding="utf-8")
    html, warned = build()
    assert warned == ""
    text = read(html, "ledger")
    assert "holds could not fail" in plain(row_of(text, "prop-1"))
    assert "could not fail" not in plain(row_of(text, "lemma-2"))
    assert "Could not fail The radius is too large." in plain(text) or "the radius is too large." in plain(text)
    (folder / "titles.toml").write_text('[one.blunt]\nprop-9 = "nobody"\n', encoding="utf-8")
    _, warned = build()
    assert "titles.toml: one has no 'prop-9' in its ledger" in warned


def test_what_a_chapters_runs_took_is_one_number_in_all_places(repository: Path, build: Any) -> None:
    for name, settings in (
        ("kept", {"cost": {"core_seconds": 5000.0, "runs": 9}}),
        ("clock", {"runs": 3, "computed": 2}),
    ):
        record = dataclasses.replace(RECORD, seconds=350.0, settings=settings).to_dict()
        path = repository / "data" / "results" / "one" / f"{name}.record.json"
        path.write_text(json.dumps(record), encoding="utf-8")
    html, warned = build()
    assert warned == ""
    # 5,000 s of processor time, and 350 s of the clock on two cores.
    told = core_time(all_records(repository / "data" / "results" / "one"))
    assert told == "at least 1.6 h on one core"
    assert told in plain(read(html, "status"))


def test_missing_evidence_is_said_and_appears_once_it_is_there(repository: Path, build: Any) -> None:
    html, warned = build()
    assert warned == ""
    for page in (*(f"{name}/" for name in data.NAMES), "status"):
        text = plain(read(html, page))
        assert text.index("Chapter 7: Title of one") < text.index("Chapter 12: Title of other")
        assert "No stored evidence yet: run make evidence CH=12 ." in text
    new = [statement("lemma-9", "holds", paper="other", chapter="ch12_other")]
    store(repository, "ledger", new, paper="other")
    html, warned = build()
    assert warned == ""
    assert f"Statements that could be false, the paper{APOSTROPHE}s: 1. 1 holds" in plain(read(html, "ledger/"))
    assert "No stored evidence yet" not in plain(read(html, "ledger/"))
    assert "Title of lemma-9" in plain((html / "book" / "ledger" / "ch12_other.html").read_text(encoding="utf-8"))


def targets(html: Path) -> Iterator[tuple[str, Path, str]]:
    """(address, file, anchor) of every link in the bodies of the evidence pages."""
    pages = [*data.NAMES, "status", *(f"{name}/ch7_one" for name in data.NAMES)]
    for page in (html / "book" / f"{name}.html" for name in pages):
        text = page.read_text(encoding="utf-8")
        body = text[text.index('<div class="body"') : text.index('class="sphinxsidebar"')]
        for address in re.findall(r'href="([^"]+)"', body):
            path, _, anchor = address.partition("#")
            file = (page.parent / path.partition("?")[0]) if path else page
            yield address, file.resolve(), anchor


def test_every_link_leads_somewhere_also_to_code_that_no_api_page_shows(unchanged: Any) -> None:
    html, _ = unchanged
    found = list(targets(html))
    for address, file, anchor in found:
        assert file.is_file(), address
        assert not anchor or f'id="{anchor}"' in file.read_text(encoding="utf-8"), address
    source = "../../_modules/companion/checks/cases.html#at_most"
    assert source in {address for address, _, _ in found}
    assert "../../notebooks/ch7_one.html#the-claim" in {address for address, _, _ in found}


FAULTS: dict[str, tuple[str, dict[str, Any], str]] = {
    "a field is missing": ("ledger", {"slack": None, "-": "slack"}, "lacks 'slack'"),
    "an unknown status": ("ledger", {"status": "perhaps"}, "'status' is 'perhaps'"),
    "a number is a word": ("ledger", {"lhs": "1.5"}, "'lhs' is '1.5'"),
    "another paper": ("ledger", {"paper": "two"}, "is about the paper 'two'"),
    "no such place": ("ledger", {"anchor": "the-cliam"}, "no place called 'the-cliam'"),
    "no such function": (
        "ledger",
        {"code": CODE | {"name": "at_least"}},
        "no function companion.checks.cases.at_least",
    ),
    "no such module": ("ledger", {"code": CODE | {"module": "companion.no"}}, "no function companion.no.at_most"),
    "rests on nothing": ("ledger", {"depends": ["lemma-99"]}, "no place called 'lemma-99'"),
    "half a formula": ("ledger", {"latex": "costs $5"}, "a dollar sign without its partner"),
    "an unknown verdict": ("verdicts", {"verdict": "holds"}, "'verdict' is 'holds'"),
    "half an interval": ("verdicts", {"difference": {"mean": 1.0, "ci95": [1.0]}}, "'ci95' is [1.0]"),
    "an unknown assumed verdict": ("verdicts", {"if_spread_as_ours": {"verdict": "x"}}, "'if_spread_as_ours' is 'x'"),
    "an unknown severity": ("discrepancies", {"severity": "fatal"}, "'severity' is 'fatal'"),
    "a lead without its statement": ("discrepancies", {"statement": "lemma-0"}, "no place called 'lemma-0'"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_an_entry_is_a_warning_that_names_the_file(fault: str, repository: Path, build: Any) -> None:
    name, change, message = FAULTS[fault]
    entries = copy.deepcopy({"ledger": LEDGER, "verdicts": VERDICTS, "discrepancies": LEADS}[name])
    entries[1] |= {key: value for key, value in change.items() if key != "-"}
    if "-" in change:
        del entries[1][change["-"]]
    store(repository, name, entries)
    _, warned = build()
    about = [line for line in warned.splitlines() if message in line]
    assert about, warned
    assert f"data/results/one/{name}.json" in about[0]


@pytest.mark.parametrize("damage", ["cut", "edited", "shapeless"])
def test_a_damaged_file_is_a_warning_and_its_page_says_how_to_mend_it(
    damage: str, repository: Path, build: Any
) -> None:
    path = repository / "data" / "results" / "one" / "ledger.json"
    whole = path.read_text(encoding="utf-8")
    changed = {"cut": whole[: len(whole) // 2], "edited": whole.replace("3.0", "4.0"), "shapeless": "[]"}[damage]
    assert changed != whole
    path.write_text(changed, encoding="utf-8")
    html, warned = build()
    assert "data/results/one/ledger.json" in warned
    assert "make evidence CH=7" in warned
    assert "The stored evidence cannot be read. Make it again with make evidence CH=7" in plain(read(html, "ledger"))


@pytest.mark.parametrize(
    ("module", "name", "found"),
    [
        ("cases", "at_most", "at_most"),
        ("statement", "Statement.judge", "Statement.judge"),
        ("cases", "probability.<locals>.inner", "probability"),
        ("cases", "<lambda>", None),
        ("cases", "nothing", None),
    ],
)
def test_code_is_located_in_its_module(module: str, name: str, found: str | None) -> None:
    assert companion_source.locate(f"companion.checks.{module}", name) == found
    assert companion_source.locate("companion.bounds.nothing", name) is None


@pytest.mark.parametrize("paper", registry.declaring("statements"))
def test_every_declared_check_has_a_place_in_the_sources(paper: str) -> None:
    """What the ledger of this very repository will link to."""
    for declared in registry.statements(paper):
        if declared.evaluate is not None:
            place, name = declared.evaluate.__module__, declared.evaluate.__qualname__
            assert companion_source.locate(place, name) is not None, f"{declared.id}: {place}.{name}"


@pytest.mark.parametrize("chapter", data.chapters(ROOT), ids=lambda chapter: chapter.paper)
@pytest.mark.parametrize("name", data.NAMES)
def test_what_this_repository_has_stored_is_sound(chapter: data.Chapter, name: str) -> None:
    stored = data.load(ROOT, chapter, name)
    assert stored.faults == ()


def test_text_becomes_nodes_and_a_lonely_dollar_sign_is_refused() -> None:
    found = markup.document(markup.inline("a $x<1$ and `f(x)`, \\$5"))
    assert [type(node).__name__ for node in found] == ["Text", "math", "Text", "literal", "Text"]
    assert found[1].astext() == "x<1"
    assert found[-1].astext() == ", $5"
    with pytest.raises(ValueError, match="without its partner"):
        markup.inline("a $x$ and $y")


def test_a_line_break_of_a_template_is_a_space_between_words_and_nothing_beside_a_tag() -> None:
    source = "<p>\n  {{ one }} and\n  {{ two }}:\n  {% if two %}\n  <code>x</code>\n  {% endif %}\n</p>\n{# none #}\n"
    made = markup.TEMPLATES.from_string(source).render(one="1 <\n 2", two="$y")
    assert made == "<p>1 &lt;\n 2 and $y:<code>x</code></p>"


def test_lists_without_items_and_terms_without_content_are_left_out() -> None:
    (found,) = markup.document("<dl><dt>a</dt><dd><ul></ul></dd><dt>b</dt><dd>c <m>d</m><ul><li>e</li></ul></dd></dl>")
    assert [type(node).__name__ for node in found[0][1]] == ["paragraph", "bullet_list"]
    assert (len(found), found[0][0].astext()) == (1, "b")


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "–"), (0.00012345678, "0.0001235"), (-2.0, "−2"), (float("inf"), "∞"), (float("-inf"), "−∞")],
)
def test_numbers_are_short_and_have_a_true_minus_sign(value: float | None, shown: str) -> None:
    assert markup.number(value) == shown


def test_an_interval_without_an_end_is_unbounded_there() -> None:
    assert verdicts.interval({"ci95": [None, -1.0]}) == "[−∞, −1]"
    assert verdicts.interval({"ci95": [0.5, None]}) == "[0.5, ∞]"
    assert verdicts.interval({"ci95": None}) == verdicts.interval(None) == "–"


def test_slack_is_infinite_only_where_the_left_side_is_zero() -> None:
    assert ledger.slack({"lhs": 0.0, "rhs": 1.0, "slack": None}) == "∞"
    assert ledger.slack({"lhs": 0.0, "rhs": -1.0, "slack": None}) == "−∞"
    assert ledger.slack({"lhs": None, "rhs": None, "slack": None}) == "–"
    assert ledger.slack({"lhs": 1.0, "rhs": 34.25, "slack": 34.25}) == "34.2"


@pytest.mark.parametrize(
    ("identifier", "shown"),
    [("prop-3", "Proposition 3"), ("eq-47", "Equation 47"), ("bad-events", "Bad events"), ("app-C", "Appendix C")],
)
def test_ids_are_spoken(identifier: str, shown: str) -> None:
    assert common.spoken(identifier) == shown


@pytest.mark.browser
@pytest.mark.skipif(EXECUTABLE is None, reason="no Chromium on PATH: the book was not looked at")
def test_the_filters_hide_count_and_keep_their_state_in_the_address(unchanged: Any) -> None:
    html, _ = unchanged
    assert EXECUTABLE is not None
    with looking.chromium(EXECUTABLE) as browser, looking.serve(html) as base, looking.reader(browser) as someone:
        page = someone.new_page()
        page.set_default_timeout(10_000)

        def shown() -> int:
            return int(page.locator("tr.evidence-row:visible").count())

        page.goto(f"{base}book/ledger/ch7_one.html")
        assert shown() == len(LEDGER)
        page.select_option("#evidence-status", "fails")
        assert shown() == 1
        assert page.url.endswith("ledger/ch7_one.html?status=fails")
        assert page.locator("tr.evidence-more:visible").count() == 1, "what unfolds goes with its row"
        assert page.inner_text(".evidence-shown") == f"Showing 1 of {len(LEDGER)} entries."
        page.fill("#evidence-q", "no such words")
        assert shown() == 0
        # The statement that the address names is shown and unfolded, whatever the filters were.
        page.goto(f"{base}book/ledger/ch7_one.html?status=fails#lemma-2")
        assert shown() == len(LEDGER)
        assert page.locator("details[open]").count() == 1
        # With the keyboard alone.
        # Addresses from when one page held all papers.
        page.goto(f"{base}book/ledger.html?status=fails#ledger-one-lemma-2")
        # A filter that would hide the entry is dropped.
        page.wait_for_url(lambda address: address.endswith("/ledger/ch7_one.html#ledger-one-lemma-2"))
        assert page.locator("tr#lemma-2 + tr details[open]").count() == 1
        page.goto(f"{base}book/verdicts.html?paper=one&kind=claim")
        page.wait_for_url(lambda address: address.endswith("/verdicts/ch7_one.html?kind=claim"))
        assert shown() == len(CLAIM_VERDICTS)
        page.focus("#evidence-verdict")
        page.keyboard.press("ArrowDown")
        assert page.input_value("#evidence-verdict") == "compatible-underpowered"
        assert shown() == 0
        page.get_by_role("button", name="Show all").press("Enter")
        assert shown() == len(VERDICTS)
        page.close()
        silent = browser.new_context(java_script_enabled=False)
        without = silent.new_page()
        without.goto(f"{base}book/ledger/ch7_one.html?status=fails")
        assert without.locator("tr.evidence-row:visible").count() == len(LEDGER), "without scripts all is visible"
        silent.close()


def test_entries_have_short_addresses_and_keep_their_old_ones(unchanged: Any) -> None:
    html, _ = unchanged
    for name, short, old in (
        ("ledger", "prop-1", "ledger-one-prop-1"),
        ("verdicts", "claim-holds", "verdicts-one-table-1-claim-holds-claim"),
        ("discrepancies", "e2", "discrepancies-one-e2"),
    ):
        text = read(html, name)
        ids = re.findall(r'\bid="([^"]+)"', text)
        assert len(ids) == len(set(ids)), "every id once"
        assert {short, old} <= set(ids)
        assert f'href="#{short}"' in text
    numbers = re.findall(r'<tr[^>]* id="(n-[0-9a-f]{6})"', read(html, "verdicts"))
    assert len(numbers) == len(set(numbers)) == len(CELL_VERDICTS)


def test_the_page_of_all_chapters_counts_and_leads_on(unchanged: Any) -> None:
    html, _ = unchanged
    text = read(html, "ledger/")
    assert "evidence-row" not in text
    assert 'href="ledger/ch7_one.html"' in text
    assert "&quot;one&quot;: &quot;ledger/ch7_one.html&quot;" in text, "where a script leads old addresses"


def test_links_of_outputs_to_the_page_of_all_papers_are_led_on(repository: Path) -> None:
    from types import SimpleNamespace

    from companion_evidence import pages
    from docutils import nodes

    old = '<a href="../book/ledger.html#ledger-one-lemma-2">L</a> <a href="../book/ledger.html">all</a>'
    tree = nodes.container("", nodes.raw("", old, format="html"))
    document = SimpleNamespace(findall=tree.findall)
    pages.lead_on(SimpleNamespace(srcdir=str(repository)), document)  # type: ignore[arg-type]
    assert tree.astext() == (
        '<a href="../book/ledger/ch7_one.html#ledger-one-lemma-2">L</a> <a href="../book/ledger.html">all</a>'
    )


TITLES = """
[one.statements]
lemma-2 = "A title that can be understood alone"
[one.leads]
E1 = "What is wrong, in a sentence"
[one.columns]
"E1/rows" = ["horizon", "regret"]
"""


def test_titles_and_columns_come_from_their_table(repository: Path, build: Any) -> None:
    folder = repository / "data" / "reported"
    folder.mkdir(parents=True)
    (folder / "titles.toml").write_text(TITLES, encoding="utf-8")
    values = {"many": 1500, "small": 0.25, "rows": [[10, 2.5], [20, 3.5]]}
    store(repository, "discrepancies", [*LEADS[:1], lead("E1", True, "minor", values=values)])
    html, warned = build()
    assert warned == ""
    assert "A title that can be understood alone" in plain(row_of(read(html, "ledger"), "lemma-2"))
    text = plain(read(html, "discrepancies"))
    assert "What is wrong, in a sentence" in text
    assert "horizon regret 10 2.5 20 3.5" in text
    (folder / "titles.toml").write_text(TITLES.replace("E1 =", "E9 ="), encoding="utf-8")
    _, warned = build()
    assert "titles.toml: one has no 'E9' in its discrepancies" in warned


@pytest.mark.parametrize("chapter", data.chapters(ROOT), ids=lambda chapter: chapter.paper)
def test_titles_and_columns_of_this_repository_fit_what_is_stored(chapter: data.Chapter) -> None:
    from companion.judge import titles

    found = {name: {entry["id"]: entry for entry in data.load(ROOT, chapter, name).entries} for name in titles.NAMES}
    told = titles.load(ROOT, chapter.paper)
    for key in told.get("columns", {}):
        identifier, _, name = key.partition("/")
        values = found["discrepancies"][identifier]["values"]
        assert name == "*" or name in values, key
    for name, entries in found.items():
        shown = [str(entry["title"]).lower() for entry in entries.values()]
        assert len(shown) == len(set(shown)), f"two entries of the {name} have one title"


@pytest.mark.parametrize(
    ("value", "columns", "header", "rows"),
    [
        ({"a": {"x": 1, "y": 2}, "b": {"y": 3}}, (), ["", "x", "y"], [["a", 1, 2], ["b", None, 3]]),
        ({"a": [1, 2], "b": [3]}, ("p", "q"), ["", "p", "q"], [["a", 1, 2], ["b", 3, ""]]),
        ([{"x": 1}, {"x": 2, "y": [0, 1]}], (), ["x", "y"], [[1, None], [2, [0, 1]]]),
        ([[1, 2], [3, 4]], (), ["1", "2"], [[1, 2], [3, 4]]),
        ({"a": {"b": {"x": 1}}, "c": {"d": {"x": 2}}}, (), ["", "x"], [["a, b", 1], ["c, d", 2]]),
        ([0.1, 0.3], ("from", "to"), ["from", "to"], [[0.1, 0.3]]),
        ({"x": 1, "y": 2, "z": 3}, (), ["x", "y", "z"], [[1, 2, 3]]),
        ({"x": 1, "y": 2}, (), [], []),
        ([1, 2, 3], (), [], []),
        ({"a": {"x": {"deep": {"er": 1}}}}, (), [], []),
    ],
)
def test_arrays_become_tables(value: Any, columns: Any, header: list[str], rows: list[Any]) -> None:
    from companion_evidence import arrays

    assert arrays.rectangle(value, columns) == (header, rows)


KINDS_TABLE = '[one]\n"a lost root" = "constant"\n"worth knowing" = "order"\n'
ERRORS_TABLE = "lead,consequence,cause\nE1,constants,a lost root\nE2,substance,a lost root\nE3,none,worth knowing\n"


def test_a_place_that_a_lesson_lacks_is_found_on_its_record(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = {"notebooks/ch7_one": {"here", "both"}, "notebooks/ch7_one_record": {"there", "both"}}
    builder = SimpleNamespace(format="html", get_relative_uri=lambda page, target: f"{target}.html")
    app = SimpleNamespace(env=SimpleNamespace(found_docs=set(pages), companion_places=pages), builder=builder)
    warned: list[str] = []
    monkeypatch.setattr(links._LOGGER, "warning", lambda text, *words: warned.append(text % words))
    tree = nodes.paragraph()
    for anchor in ("here", "there", "both", "", "nowhere"):
        tree += links.to_page(anchor, "notebooks/ch7_one", anchor, asker="somebody")
    links.resolve(app, tree, "book/ledger")  # type: ignore[arg-type]
    assert [link["refuri"] for link in tree.findall(nodes.reference)] == [
        "notebooks/ch7_one.html#here",
        "notebooks/ch7_one_record.html#there",
        "notebooks/ch7_one.html#both",
        "notebooks/ch7_one.html",
    ]
    assert warned == ["somebody: notebooks/ch7_one has no place called 'nowhere'"]


SLIPS_PAGE = """
Slips
=====

.. _slip:

.. evidence-slips::

.. evidence-slips:: constant

Read :entry:`the first of them <one/discrepancies/E1>` and :entry:`a lemma <one/ledger/lemma-2>`.
"""


@pytest.fixture
def sorted_slips(repository: Path) -> Path:
    """The repository with a table of kinds for its first paper, and a page that shows it."""
    reported = repository / "data" / "reported"
    (reported / "one").mkdir(parents=True)
    (reported / "kinds.toml").write_text(KINDS_TABLE, encoding="utf-8")
    (reported / "one" / "errors.csv").write_text(ERRORS_TABLE, encoding="utf-8")
    store(repository, "discrepancies", [*LEADS, lead("E3", True, "minor")])
    (repository / "index.rst").write_text(SLIPS_PAGE + (repository / "index.rst").read_text(encoding="utf-8"))
    return repository


def test_slips_are_counted_by_kind_and_lead_to_their_places(sorted_slips: Path, build: Any) -> None:
    html, warned = build()
    assert warned == ""
    text = (html / "index.html").read_text(encoding="utf-8")
    rows = [plain(row) for row in text.split("<tr")]
    # Papers, causes, of substance (the gravest place counts), of constants, misprints, places, remarks.
    assert any(row.endswith("A constant, a factor or a logarithm is lost 1 of 1 1 1 0 0 2 0") for row in rows)
    assert any(row.endswith("An order hides where it is informative 0 of 1 0 0 0 0 0 1") for row in rows)
    assert "All 1 of 1 1 1 0 0 2 1" in plain(text)
    assert "1 cause in 1 of 1 paper, 2 places" in plain(text)
    for place in ("discrepancies/ch7_one.html#e1", "discrepancies/ch7_one.html#e2", "ledger/ch7_one.html#lemma-2"):
        assert f'href="book/{place}"' in text


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"a lost root" = "constant"\n', "", "no kind for, or no error of, a lost root"),
        ('"worth knowing"', '"a cause of nothing"', "no kind for, or no error of, a cause of nothing"),
        ('"constant"', '"constants"', "is of the kind 'constants', not one of"),
        ('"worth knowing" = ', '"a lost root" = ', "is no valid TOML"),
    ],
)
def test_a_table_of_kinds_that_does_not_fit_is_refused(sorted_slips: Path, old: str, new: str, words: str) -> None:
    path = sorted_slips / "data" / "reported" / "kinds.toml"
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    with pytest.raises(DataError, match=re.escape(words)):
        slips(["one", "other"], sorted_slips)


def test_a_link_to_what_is_not_there_or_not_confirmed_is_a_warning(sorted_slips: Path, build: Any) -> None:
    (sorted_slips / "data" / "reported" / "kinds.toml").write_text("", encoding="utf-8")
    page = sorted_slips / "index.rst"
    more = "\n.. evidence-slips:: constants\n\n:entry:`a <one/discrepancies/U1>` "
    more += ":entry:`b <one/ledger/lemma-9>` :entry:`c <one/E1>`\n"
    page.write_text(page.read_text(encoding="utf-8") + more, encoding="utf-8")
    warned = build()[1]
    for words in (
        "'constants' is none of the kinds",
        "U1 is not confirmed",
        "has no entry 'lemma-9'",
        "has not the form",
    ):
        assert words in warned


BIB = "@misc{key,\n  author = {Second, First},\n  title = {A Title},\n}\n"


@pytest.fixture
def told_to_authors(repository: Path) -> Path:
    """The repository with an erratum of its first paper, and the pages for authors; gives the folder of the paper's tables."""
    reported = repository / "data" / "reported" / "one"
    (reported / "errata").mkdir(parents=True)
    (reported / "errata" / "E1.py").write_text(GOOD, encoding="utf-8")
    (reported / "errors.csv").write_text("lead,consequence,cause\nE1,constants,a\nE2,substance,b\n", encoding="utf-8")
    (repository / "book" / "references.bib").write_text(BIB, encoding="utf-8")
    chapter = repository / "notebooks" / "ch7_one.py"
    chapter.write_text(chapter.read_text(encoding="utf-8") + "# {cite}`key`\n", encoding="utf-8")
    (repository / "book" / "errata").mkdir()
    for place, argument in (("errata", ""), ("errata/ch7_one", " one"), ("errata/ch12_other", " other")):
        page = f"Errata\n======\n\n.. evidence-errata::{argument}\n"
        (repository / "book" / f"{place}.rst").write_text(page, encoding="utf-8")
    index = repository / "index.rst"
    listed = "   book/errata\n   book/errata/ch7_one\n   book/errata/ch12_other\n"
    index.write_text(index.read_text(encoding="utf-8") + listed, encoding="utf-8")
    return reported


def test_authors_are_told_what_holds_and_each_erratum_with_what_its_program_prints(told_to_authors, build) -> None:
    html, warned = build()
    assert warned == ""
    text = read(html, "errata")
    shown = plain(text)
    parts = (
        "First Second",
        "What holds",
        "1 hold as printed",
        "1. Suspicion E1",
        "printed: 3 &lt;= 2",
        "How to answer",
    )
    assert [shown.index(part) for part in parts] == sorted(shown.index(part) for part in parts)
    assert "not written down in this form yet: E2" in shown
    assert "Not asked for yet" in shown
    assert 'class="highlight-python' in text
    assert 'href="../discrepancies/ch7_one.html#e1"' in text
    assert 'href="../errata/ch7_one.html#e1"' in read(html, "discrepancies"), "and the other way round"
    assert "7. Title of one 0 1 0" in plain(read(html, "errata/"))
    assert "No stored evidence yet" in (html / "book" / "errata" / "ch12_other.html").read_text(encoding="utf-8")


def test_an_answer_is_shown_and_a_program_that_fails_is_a_warning(told_to_authors, build) -> None:
    answer = '[E1]\nfrom = "A. Author"\ndate = 2026-12-01\nanswer = "We agree: $2b$."\nreply = "Thank you."\n'
    (told_to_authors / "answers.toml").write_text(answer, encoding="utf-8")
    path = told_to_authors / "errata" / "E1.py"
    path.write_text(GOOD.replace("assert 3 > 2", "assert 2 > 3"), encoding="utf-8")
    html, warned = build()
    assert "erratum E1 of one: its program ends with AssertionError" in warned
    shown = plain(read(html, "errata"))
    assert "A. Author, 2026-12-01: We agree: \\(2b\\)" in shown
    assert "Our reply: Thank you." in shown
    assert "7. Title of one 0 1 1" in plain(read(html, "errata/"))
