"""Results typed by hand: planted ones are caught, and what is no result passes."""

from __future__ import annotations

from pathlib import Path

import pytest
from exercises import ANSWER
from pages.conftest import SOURCE, repository
from pages.test_notebook_checks import edit

from companion.core.files import repository_root
from companion.pages.document import COMPARED, Chapter, chapters, lessons, read_notebook, read_source
from companion.pages.execution import execute
from companion.pages.notebook_checks import check, without_numbers
from companion.pages.parameter_cell import parameters
from companion.pages.typed_numbers import typed_in_templates, typed_results

ROOT = repository_root(Path(__file__).parent)
CHAPTERS = chapters(ROOT)
PLANTED = [
    "the regret is 12 % smaller",
    "the regret is 12% smaller than before",
    "twelve per cent of the runs",
    "$12\\,\\%$ of the runs",
    "53 of 294 pairs fail",
    "In three of four settings robust-BPE wins.",
    "half of the 200 runs",
    "seven runs fail",
    "the 53 failures lie below",
    "Over 200 functions the advantage disappears.",
    "regret falls to 0.37",
    "the mean is $0.37$",
    "the answer is `0.37`",
    "$R_T\\approx 123.4$",
    "$R_{1000}=97.3$ at the end",
    "$\\gamma_{100}=12.3$",
    "the sum is $3.1\\times10^{-4}$",
    "a slope of 0.43",
    "an advantage of -25.3",
    "between 3.1 and 4.7",
    "needs 6 batches",
    "B = 4 batches suffice",
    "three times smaller",
    "10 to 40 times the regret, 10 to 40 times smaller",
    "a two-fold gain",
    "in 3 D-optimal designs",
    "It fails at level 2 of 3, about 20 minutes later.",
    "a factor of 2.3",
    "larger by 17",
    "it takes 14 s",
    "Theorem 1 holds in 97 runs",
    "by Theorem 1, 53 failures are allowed",
    "with width 2 and 53 failures",
    "seeds 0 to 199, 53 failures",
    "regret < 0.37 and slope > 2",
    "a median width 3.4, a standard deviation 41.3",
    "the last failure (over 2000)",
    "| rule | regret |\n|---|---|\n| orig | 97 |",
    "see Table 2: 41.7 lower",
    "```{prf:remark} Constants\n:label: x\n\nThe constant is 23.6.\n```",
    "1. first\n2. the bound is 2.9 times too large",
    "<b>0.37</b>",
    "# What 53 failures say",
]

FINE = [
    "Theorem 1 and Lemmas 8 and 9",
    "Tables 1–3, Tables 1 to 3, Table 2",
    "Section 3.2, Appendix D.1.2 and App. C, eqs. (165)-(170)",
    "rule (5), inequality (23), eqs. (7), (20), line 13 of Algorithm 1, Prop. 5(3)",
    "$\\delta=0.1$, $T=10^5$, $a\\in\\{0.5,0.8\\}$ and $a>\\tfrac12$",
    "$$R_T\\le4\\max\\{\\gamma_T^{-1/2},2\\sqrt C\\}\\sqrt{\\beta T\\gamma_T}$$",
    "batch $i\\ge2$ costs at most $4N_i$ and $R_T\\le2N_1$",
    "three kernels, two dimensions and ten functions",
    "four confidence widths in place of six",
    "Ma, Chen and Scarlett (2026) {cite}`ma2026batched`",
    "{prf:ref}`ch3-prop-1` and [](../book/page2.md)",
    "the Matérn 3/2 and the Matérn-5/2 kernel",
    "length-scale 0.5 on a 50 × 50 grid, noise standard deviation 0.02, a fixed width of 2",
    "seeds 0 to 199, seed 7, horizon 2000",
    "a = 0.31, 0.36 and 0.4",
    "rules (5) and (6), Theorems 1, 2 and 3",
    "a 95 % interval",
    "`companion run batched -p horizon=2000` and `1 - 0.6`",
    "```python\nx = 0.37  # 12 % smaller\n```",
    "1. first\n2. second",
    "coverage runs 200, and `coverage_runs`",
    "Ackley-2D in 3D",
    "<!-- 53 of 294 --> nothing",
    "```{exercise} A title\n:label: x\n\n*Level 2 of 3, about 20 minutes, with code.*\n\nText.\n```",
]


@pytest.mark.parametrize("text", PLANTED)
def test_a_planted_result_is_caught(text: str) -> None:
    assert typed_results(text)


@pytest.mark.parametrize("text", FINE)
def test_what_is_no_result_passes(text: str) -> None:
    assert typed_results(text, ["coverage_runs"]) == []


@pytest.mark.parametrize("text", FINE)
def test_a_result_is_caught_in_any_surroundings(text: str) -> None:
    assert any("0.37" in piece for piece in typed_results(f"{text}\n\nIts regret is 0.37.", ["coverage_runs"]))


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.stem)
def test_a_result_typed_into_any_cell_of_a_chapter_is_caught(chapter: Chapter) -> None:
    settings = list(parameters(chapter.source))
    for cell in read_source(chapter.source).cells:
        if cell.cell_type == "markdown":
            assert typed_results(f"{cell.source}\n\nIn 53 of 294 runs it fails.", settings), cell.source[:60]


@pytest.mark.parametrize(
    ("line", "caught"),
    [
        ('say("[[low]] is 12 % smaller", numbers)', ["12 %"]),
        ('say(r"""[[low:.0%]] smaller in [[part]] of [[whole]], $T=2^{[[cross:.0f]]}$""", n, true_if=n.low > 1)', []),
        (
            'show(theory.bound(study), "A line near 1.5 of [[most]]", n, alt="by 12 %")',
            ["12 %", "A line near 1.5 of …"],
        ),
        ('Figure(draw, alt="a line near 1.5", caption="A line.")', ["a line near 1.5"]),
        ('Figure(draw, alt=f"a line near {x:.2f}", caption=f"{x} of {y}")', []),
        ('Table(frame, "Ten functions, 53 of 294 failed")', ["53 of 294"]),
        ('Table(frame, caption="Values {:g} and {:g}; ".format(*ARMS) + f"{n} runs")', []),
        ('text = f"differ by {x}, that is 12 % of {y}"', ["12 %"]),
        ('key = "53 of 294"', []),
    ],
)
def test_templates_are_read_without_their_values(line: str, caught: list[str], tmp_path: Path) -> None:
    path = tmp_path / "page.py"
    path.write_text(f"{line}\n", encoding="utf-8")
    assert [piece for _, piece in typed_in_templates(path)] == caught


@pytest.mark.slow
def test_the_notebook_check_reports_a_typed_result(tmp_path: Path) -> None:
    chapter = repository(tmp_path, SOURCE + "\n# %% [markdown]\n# The regret is 12 % smaller.\n")
    execute(chapter)
    assert [str(problem) for problem in check(chapter)] == [
        "ch3_batched.ipynb: cell 4: a number typed by hand, insert it from a result: '12 %'"
    ]


@pytest.mark.parametrize("chapter", lessons(ROOT), ids=lambda chapter: chapter.stem)
def test_everything_a_chapter_shows_says_where_it_is_from_and_a_figure_its_numbers(chapter: Chapter) -> None:
    shown = 0
    for cell in (cell for page in chapter.pages for cell in read_notebook(page.notebook).cells):
        tags = cell.metadata.get("tags", [])
        if tags == [COMPARED] or ANSWER in tags:
            continue  # a listing: what it prints comes from the code above it
        if without_numbers(cell.source):
            continue
        for output in cell.get("outputs", []):
            page = output.data.get("text/markdown", output.data.get("text/html", ""))
            assert page.count('<details class="companion-where">') == 1, cell.source
            assert '<code class="command">' in page
            if "companion-figure" in page:
                assert " = " in output.data["text/plain"], f"lists no number, give show() some: {cell.source}"
            shown += 1
    assert shown > 5, "a chapter shows figures, tables and sentences"


@pytest.mark.slow
def test_the_notebook_check_misses_a_removed_line(tmp_path: Path) -> None:
    body = (
        "# %%\nfrom companion.pages import Numbers, Table, here, say\nimport pandas as pd\n\n"
        'Table(pd.DataFrame({"x": values}), "Values", where=here(Table))\n\n'
        '# %%\nsay("It is [[x]].", Numbers(here(say), x=values[0]))\n'
    )
    chapter = repository(tmp_path, f"{SOURCE}\n{body}")
    execute(chapter)
    assert check(chapter) == []
    for index, kind, found in ((4, "text/html", [4]), (5, "text/markdown", [4, 5])):

        def remove(notebook, index=index, kind=kind) -> None:
            data = notebook.cells[index].outputs[0].data
            data[kind] = data[kind].replace("companion-where", "")

        edit(chapter, remove)
        assert [problem.cell for problem in check(chapter)] == found
