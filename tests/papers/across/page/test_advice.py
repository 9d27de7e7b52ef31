"""Every tip of the first page, the rules and chapter 6's summary names its payoff, and the other does not say the contrary."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from companion.pages.document import find_chapter
from companion.papers.across.experiments.box_study_analysis import BoxStudy
from companion.papers.across.experiments.study_analysis import Study
from companion.papers.across.page import advice
from companion.papers.across.page.advice import TIPS, BoxTip, Tip

ROOT = Path(__file__).parents[4]
#: Tips that compare no two rules: what they speak of. A promise to stop is about the point named, a bound about every play.
ONE_PAYOFF = {
    "index_4": "plays",
    "index_5": "plays",
    "rules_3": "both",
    "rules_8": "point",
    "rules_9": "point",
}
WORDS = {"plays": "every play", "point": "the point", "rounds": "rounds"}


def place(payoff: str, text: str) -> int:
    """Where a text names a payoff, or -1; *the points* are none."""
    found = re.search(rf"\b{WORDS[payoff]}\b", text.lower())
    return found.start() if found else -1


STUDY, BOX = Study.read(), BoxStudy.read()


def tips() -> dict[str, tuple[str, str]]:
    """First words, in bold or slanted, and the rest of every tip, by page and number."""
    index, rules = ((ROOT / "book" / f"{name}.md").read_text(encoding="utf-8") for name in ("index", "rules"))
    five = index.partition("## Five things to do differently")[2].partition("\n## ")[0]
    found = {
        f"index_{k}": text
        for k, *text in re.findall(r"^(\d)\. \*\*(.+?)\*\*(.*?)(?=^\d\. |^```|\Z)", five, re.M | re.S)
    }
    found |= {
        f"rules_{k}": text
        for k, *text in re.findall(r"^\[\*\*(\d+)\. (.+?)\*\*\](.*?)(?=^\[\*\*|^```)", rules, re.M | re.S)
    }
    summary = find_chapter(ROOT, "across").text.partition("## Summary")[2].partition("### Related work")[0]
    long, short = (
        re.search(rf"^- \{{ref\}}`([^<]*too {how}[^<]*) <[^`]*`(.*?)$", summary, re.M) for how in ("long", "short")
    )
    assert long
    assert short
    found |= {f"summary_{name}": list(line.groups()) for name, line in (("long", long), ("short", short))}
    return {name: (words, rest) for name, (words, rest) in found.items()}


def whole(name: str) -> str:
    """The tip of which this is a part: ``rules_5_2`` is of ``rules_5``."""
    return re.sub(r"^(\w+?_\d+)_.*", r"\1", name)


def faults(lead: str, rest: str, tip: Tip | BoxTip, study: Study = STUDY, box: BoxStudy = BOX) -> list[str]:
    """What is wrong with a tip whose first words are ``lead``."""
    found = []
    signs = {payoff: advice.sign(gap) for payoff, gap in advice.measured(study, box, tip).items()}
    for payoff, sign in signs.items():
        if sign != tip.says[payoff]:
            found.append(f"says {tip.says[payoff]} by {payoff}, where the interval says {sign}")
    named = sorted((p for p in signs if place(p, lead) >= 0), key=lambda p: place(p, lead))
    if not named:
        return [*found, "names no payoff in its first words"]
    found += [
        f"says nothing of {payoff}, where the interval says {sign:+d}"
        for payoff, sign in signs.items()
        if sign != signs[named[0]] and place(payoff, lead + rest) < 0
    ]
    return found


def test_every_tip_is_put_to_both_payoffs() -> None:
    assert {whole(name) for name in TIPS} | set(ONE_PAYOFF) == set(tips())
    assert len(tips()) == 5 + 10 + 2
    assert all({"plays", "point"} <= set(tip.says) for tip in TIPS.values())


@pytest.mark.parametrize("name", TIPS)
def test_a_tip_says_what_both_intervals_say(name: str) -> None:
    assert faults(*tips()[whole(name)], TIPS[name]) == []
    assert advice.numbers()[name] is True


@pytest.mark.parametrize("name", ONE_PAYOFF)
def test_a_tip_without_a_comparison_names_what_it_is_about(name: str) -> None:
    lead = tips()[name][0].lower()
    about = {payoff for payoff in ("plays", "point") if place(payoff, lead) >= 0}
    assert about == ({"plays", "point"} if ONE_PAYOFF[name] == "both" else {ONE_PAYOFF[name]})


def test_every_line_of_the_summary_names_its_payoff_first() -> None:
    summary = find_chapter(ROOT, "across").text.partition("## Summary")[2].partition("### Related work")[0]
    lines = re.findall(r"^- \{ref\}`([^<]+) <", summary, re.M)
    assert len(lines) == 5
    for line in lines:
        assert place("plays", line) >= 0 or place("point", line) >= 0 or "whatever you pay for" in line, line


def test_tips_of_the_wrong_payoff_are_found() -> None:
    """Two tips as they stood before, and what else may go wrong."""
    width, forget = TIPS["index_1"], TIPS["index_3"]
    rest = "On functions of known norm the libraries' shorter defaults lose less."
    assert faults("Use a short width.", rest, width) == ["names no payoff in its first words"]
    assert faults("If every play counts, use a short width.", rest, width) == [
        "says nothing of point, where the interval says +1"
    ]
    kept = "Compressed UCB keeps a fraction of the points and loses about as much as GP-UCB."
    assert len(faults("Throw away what taught you nothing.", kept, forget)) == 1
    assert faults("If every play counts, forget.", kept, forget) == [
        "says nothing of point, where the interval says +1"
    ]
    # A tip for the point named that only every play supports, and a study in which the two have changed places.
    assert (
        len(
            faults(
                "For the point named, a short width; not for every play.",
                "",
                width._replace(says={"plays": 1, "point": -1}),
            )
        )
        == 2
    )
    table = STUDY.table.rename(columns={"cumulative": "final", "final": "cumulative"})
    assert len(faults(*tips()["index_1"], width, replace(STUDY, table=table))) == 2
    table = BOX.table.rename(columns={"plays_100": "point_100", "point_100": "plays_100"})
    assert faults(*tips()["rules_2"], TIPS["rules_2"], box=replace(BOX, table=table))


def test_by_rounds_nobody_evaluates_more_than_the_rounds_allow() -> None:
    from companion.papers.across.experiments.study_analysis import RULES, taking_part
    from companion.papers.across.experiments.study_play import ROUNDS
    from companion.papers.across.method.rules import ENTRIES, sizes
    from companion.papers.across.page import decide
    from companion.papers.across.problems.functions import INITIAL

    for key, found in decide.data()["ranks"].items():
        measure, batch, _ = key.split()
        if measure != "rounds":
            continue
        rules = {row[0].removeprefix("b-").split()[0] for row in found["rows"]}
        assert rules == set(taking_part("rounds", int(batch)))
        for entry in ENTRIES:
            if entry.rule in rules and entry.batch in (0, int(batch)):
                rounds = sizes(entry)[:ROUNDS]
                assert sum(rounds) <= INITIAL + (ROUNDS - 1) * int(batch), entry
                assert max(rounds[1:]) <= int(batch), entry
    # BPE is the one that has to be left out, and is not where its rounds do not matter.
    assert "bpe" in RULES[1]
    assert "bpe" not in taking_part("rounds", 1)
    assert "bpe" in taking_part("final", 1)
