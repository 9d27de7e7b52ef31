"""The words of a chapter's main line: the count notices what is read and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from companion.core.files import repository_root
from companion.pages.document import Chapter, chapters, read_notebook, read_source
from companion.pages.reading_length import before_given, main_line, numbers, running_text, texts_shown, words

CHAPTERS = chapters(repository_root(Path(__file__).parent))
SENTENCE = "One two three."


def length(chapter: Chapter, *more: object) -> int:
    cells = [*more, *read_source(chapter.source).cells]
    return sum(map(words, main_line(cells, texts_shown(read_notebook(chapter.notebook).cells))))


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.stem)
def test_a_longer_chapter_is_noticed(chapter: Chapter) -> None:
    before, more = length(chapter), "word " * 100
    assert length(chapter, new_markdown_cell(more)) == before + 100
    assert length(chapter, new_code_cell(f'say(r"""{more}""", n)')) == before + 100


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (SENTENCE, 3),
        ("## A heading\n\n1. first\n2. second", 4),
        ("the gain $\\gamma_T = 3 + 4$ of `a + b` and [[least:.1f]] more", 8),
        ("$$a = b$$\n\nwhere $a$ is {cite}`someone2020`", 3),
        ("by {prf:ref}`Theorem 3.2 <ch2-theorem>` and {ref}`certified-gain`, [see there](../page.md)", 7),
        (f"{SENTENCE}\n\n| a | b |\n|---|---|\n| 1 | 2 |", 3),
        (f":::{{dropdown}} More\n{SENTENCE}\n:::", 0),
        (f":::{{note}}\n:class: dropdown\n\n{SENTENCE}\n:::", 0),
        (f":::{{note}}\n{SENTENCE}\n:::", 3),
        (f"<details><summary>where from</summary>{SENTENCE}</details>", 0),
        ("```{literalinclude} ../src/x.py\n:pyobject: rule\n```", 0),
        (f"```{{prf:lemma}} Theirs, Lemma 2\n:label: x\n:nonumber:\n\n{SENTENCE}\n```", 6),
        (f":::{{figure-to-drag}} swarm\n:still: fig-one\n\n{SENTENCE}\n:::", 3),
    ],
)
def test_words_are_those_that_are_read(text: str, count: int) -> None:
    assert words(text) == count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Regret is 12.5 after 1,000 rounds, or 0.4 to 0.6 of it, and 3/2 of that: 95 %.", 6),
        ("In $T=100$ rounds, `x = 3`, {prf:ref}`Theorem 3.2 <ch2-theorem>` and Ma (2026) {cite}`ma2026`.", 0),
        (
            "Theorem 3.2, Section 5, Figures 2 to 4, Tables 1, 2 and 3, eqs. (12) and (13), Appendix D.1, Lemma 6(ii).",
            0,
        ),
        ("Chapter 6 has Figure 2, which shows 7 curves.", 1),
        ("Ackley-2D, the Matérn 5/2 kernel, GP3 and 2D draws", 0),
        ("## Section with 3 words\n\n1. first\n2. second", 0),
        ("| a | 1 |\n\n:::{dropdown} More\nIt is 3.\n:::", 0),
        ("```{prf:lemma} Lemma 2\n:label: x\n\nAt most 3 points.\n```", 1),
        ("It is −3 or -4.<details><summary>where from</summary>seed 5</details>", 2),
    ],
)
def test_numbers_are_those_that_stand_in_sentences(text: str, count: int) -> None:
    assert numbers(text) == count


def test_running_text_is_what_sentences_say_before_the_exercises() -> None:
    said = new_output("display_data", {"text/markdown": "It is 3."})
    shown = new_output("display_data", {"text/html": "<figcaption>It is 4.</figcaption>"})
    cells = [
        new_markdown_cell("Of 2."),
        new_code_cell("say(1)", outputs=[said]),
        new_code_cell("show(5)", outputs=[shown]),
        new_code_cell("say(6)", outputs=[said], metadata={"tags": ["hide-output"]}),
        new_markdown_cell("## Exercises\n\nUp to 7."),
        new_code_cell("say(8)", outputs=[said]),
    ]
    assert running_text(cells) == "Of 2.\n\nIt is 3.\n\n"


@pytest.mark.parametrize(
    ("source", "tags", "count"),
    [
        (f'say("{SENTENCE}", n, true_if={{"not read": True}})', ["remove-input"], 3),
        ('show(figure, "One [[two]] " "three.", n, alt="Not read by all.")', ["hide-input"], 3),
        ('show(figure, caption="One two three.", alt="Not read by all.")', [], 3),
        ('say(f"One {two} three.", n)', [], 3),
        (f'say("{SENTENCE}", n)', ["hide-output"], 0),
        (f'say("{SENTENCE}", n)', ["remove-cell"], 0),
        ("x = 1", [], 0),
    ],
)
def test_sentences_and_captions_count_where_they_are_shown(source: str, tags: list[str], count: int) -> None:
    cell = new_code_cell(source, metadata={"tags": tags})
    assert sum(map(words, main_line([cell], {}))) == count


@pytest.mark.parametrize(
    "data",
    [
        {"text/markdown": f"{SENTENCE}\n\n<details><summary>where from</summary>a run</details>"},
        {"text/html": f"<figure><figcaption>{SENTENCE}</figcaption><table><tr><td>1</td></tr></table></figure>"},
    ],
)
def test_what_the_package_writes_is_counted_as_the_page_shows_it(data: dict[str, str]) -> None:
    cell = new_code_cell("say_differences(checked)", outputs=[new_output("display_data", data)])
    assert list(map(words, main_line([cell], texts_shown([cell])))) == [3]


def test_what_stands_behind_the_exercises_is_left_out() -> None:
    texts = ["## The claim", "## Exercises\n\nNot read.", "### The first\n\nNot read.", "## Parameters"]
    assert list(main_line(map(new_markdown_cell, texts), {})) == ["## The claim"]


@pytest.mark.parametrize(
    ("text", "early"),
    [
        ("A bound is *informative* below it. It is informative.", False),
        ("It is informative. A bound is *informative* below it.", True),
        ("**One informative bound** is enough.", False),
        ("Believers (informative) are informative.", False),
        ("A point is uninformative.", False),
        ("## An informative bound\n\nIt is *informative*.", False),
        ("So {ref}`informative ones <ch1-bound>` are *informative*.", True),
        ("| informative |\n|---|\n\n:::{dropdown} More\ninformative\n:::\n\nIt is *informative*.", False),
    ],
)
def test_a_term_is_given_before_it_is_used(text: str, early: bool) -> None:
    assert before_given({"informative": r"(?<!\w)informative\b"}, [text]) == ["informative"] * early
