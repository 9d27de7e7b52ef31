"""Where a number comes from: what a study attaches, what is shown of it, and what stays out of outputs."""

import json
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar

import pandas as pd
import pytest

from companion.core.errors import ParameterError, SeedError
from companion.core.randomness import stream
from companion.judge.reported import Margins
from companion.judge.stored_runs import StoredRuns
from companion.pages import Figure, Numbers, Provenance, Table, here, provenance_of, recorded, say, stored
from companion.pages.provenance import COMMAND, PROFILE, TIMES, seconds_in_words, seeds_in_words
from companion.stored.results import StoredSet


@dataclass(frozen=True, eq=False)
class Result:
    value: float


@recorded(first="seed", count="runs")
def one(seed: int, runs: int, width: float = 0.5) -> Result:
    """A study."""
    return Result(seed + runs * width)


@recorded(random=False)
def table(start: Result, label: str = "a") -> pd.DataFrame:
    return pd.DataFrame({"label": [label], "value": [start.value]})


@recorded(first=0, count=4)
@lru_cache
def cached(scale: float) -> Result:
    return Result(scale)


RECORD = {
    "command": "make paper CH=3",
    "profile": "paper",
    "seeds": [0, 1, 2],
    "date": "2026-11-21T03:33:42+00:00",
    "seconds": 88.349,
}


@pytest.fixture(autouse=True)
def outside_of_a_run(monkeypatch):
    for name in (COMMAND, PROFILE, TIMES):
        monkeypatch.delenv(name, raising=False)


def test_a_study_s_result_carries_command_profile_seeds_and_call():
    (source,) = provenance_of(one(3, runs=5)).sources
    assert (source.profile, source.seeds) == ("book", (3, 4, 5, 6, 7))
    assert source.study == f"{__name__}.one"
    assert source.call == "one(seed=3, runs=5, width=0.5)"
    assert one(3, 5).value == 5.5
    assert one.__doc__ == "A study."


def test_of_several_counts_the_largest_says_how_many_seeds():
    study = recorded(first="seed", count=("some", "others"))(lambda seed, some, others: Result(0.0))
    assert provenance_of(study(3, 2, 4)).sources[0].seeds == (3, 4, 5, 6)
    assert provenance_of(study(3, 2, 1)).sources[0].seeds == (3, 4)


def test_the_command_of_a_paper_s_study_is_that_of_its_chapter():
    from companion.papers.batched.page.counting import batch_counts

    assert provenance_of(batch_counts()).sources[0].command == "make notebooks CH=3"


def test_the_command_given_is_the_command_shown(monkeypatch):
    monkeypatch.setenv(COMMAND, "companion run ch3_batched --profile smoke -p horizon=40")
    monkeypatch.setenv(PROFILE, "smoke")
    (source,) = provenance_of(one(0, 1)).sources
    assert source.text().startswith(
        "companion run ch3_batched --profile smoke -p horizon=40, profile smoke, seed 0, one("
    )


def test_a_study_of_a_study_names_both_and_a_frame_keeps_it_through_selection():
    frame = table(one(0, 2))
    names = [source.call for source in provenance_of(frame[frame.value > 0]).sources]
    assert names == ["table(label='a')", "one(seed=0, runs=2, width=0.5)"]


def test_a_repeated_call_is_named_again():
    first, again = cached(2.0), cached(2.0)
    assert first is again
    assert provenance_of(again).sources[0].seeds == (0, 1, 2, 3)
    assert provenance_of(first) + provenance_of(again) == provenance_of(first)


def test_keys_tell_arguments_apart_but_not_commands(monkeypatch):
    first, other = (provenance_of(one(0, runs)).sources[0].key for runs in (1, 2))
    monkeypatch.setenv(COMMAND, "companion run 3")
    assert first != other
    assert provenance_of(one(0, 1)).sources[0].key == first


def test_what_carries_nothing_has_no_sources():
    for thing in (3, "text", pd.DataFrame({"where": [1]}), Result(1.0)):
        assert provenance_of(thing) == Provenance()
    assert Provenance().html() == ""


def test_seconds_go_to_the_file_and_not_into_the_output(monkeypatch, tmp_path):
    monkeypatch.setenv(TIMES, str(tmp_path / "times"))
    results = [one(0, 2), one(0, 2), one(1, 2)]
    lines = [json.loads(line) for line in (tmp_path / "times").read_text().splitlines()]
    assert [line["key"] for line in lines] == [provenance_of(result).sources[0].key for result in results]
    assert all(line["seconds"] >= 0 for line in lines)
    assert 'class="run" data-key="' in provenance_of(results[0]).html()
    assert "commit" not in provenance_of(results[0]).html()


def test_stored_results_show_their_record():
    (source,) = stored(RECORD, one).sources
    assert source.text() == ("make paper CH=3, profile paper, seeds 0 to 2, one(), 2026-11-21")
    assert "data-key" not in source.html()
    assert f'data-made="{RECORD["date"]}"' in source.html()


def test_seconds_of_the_last_call_are_not_shown_as_the_cost_of_a_table():
    assert stored(RECORD, one, whole=True).text().endswith("2026-11-21 · 88 s")
    tables = StoredSet(paper="batched", module="there", command="make", tables=("runs",))
    assert stored(RECORD, tables).text().endswith("store(), 2026-11-21")
    assert stored(RECORD, replace(tables, whole=True)).text().endswith("store(), 2026-11-21 · 88 s")
    known = RECORD | {"settings": {"cost": {"runs": 30, "core_seconds": 5400.2}}}
    assert stored(known, one).text().endswith("2026-11-21 · 5400 s on one core, all 30 runs together")
    known["settings"]["renewed"] = [{"cost": {"core_seconds": 12.4, "runs": 5}}]
    assert stored(known, one).text().endswith("all 30 runs together; 12 s for 5 made later")


def drawn(*seeds: int) -> Result:
    for seed in seeds:
        stream(seed, "test")
    return Result(0.0)


@pytest.mark.parametrize(
    ("stated", "seeds", "caught"),
    [
        ({"random": False}, (), False),
        ({"random": False}, (0,), True),
        ({"first": 0}, (0,), False),
        ({"first": 0}, (1,), True),
        ({"first": 2, "count": 3}, (2, 3, 4), False),
        ({"first": 2, "count": 3}, (2, 5), True),
        ({"first": 2, "fixed": (0,)}, (0, 2), False),
        ({"first": 2, "fixed": (0,)}, (1, 2), True),
    ],
)
def test_a_study_that_draws_from_a_seed_it_does_not_state_is_refused(stated, seeds, caught):
    study = recorded(**stated)(lambda: drawn(*seeds))
    if caught:
        with pytest.raises(SeedError, match=f"drew from seed.*{seeds[-1]}"):
            study()
    else:
        study()


def test_seeds_of_a_study_within_a_study_count_for_both():
    inner = recorded(first=1)(lambda: drawn(1))
    with pytest.raises(SeedError, match="nothing random"):
        recorded(random=False)(lambda: inner())()


@pytest.mark.parametrize("stated", [{}, {"first": 0, "random": False}, {"count": 3}])
def test_seeds_have_to_be_stated_one_way_or_the_other(stated):
    with pytest.raises(ParameterError, match="random=False"):
        recorded(**stated)


def test_everything_shown_carries_the_line_once():
    where = provenance_of(one(0, 2)) + stored(RECORD, one)
    frame = pd.DataFrame({"x": [1]})
    figure = Figure(lambda canvas, palette: None, alt="nothing", caption="Nothing.", where=where)
    for markup in (Table(frame, "One.", where=where)._repr_html_(), figure._repr_html_()):
        assert markup.endswith(f"{where.html()}</figure>")
    assert say("[[x]]", Numbers(where, x=1))._repr_markdown_() == f"1\n\n{where.html()}"
    assert re.findall(r"<details|\n", where.html()) == ["<details"]
    assert where.html().count('class="source"') == 2


def test_markup_in_a_command_is_shown_and_not_obeyed(monkeypatch):
    monkeypatch.setenv(COMMAND, "companion run 3 -p label=<b>")
    assert "label=&lt;b&gt;" in here(one).html()


def test_a_seed_parameter_that_does_not_exist_is_refused():
    with pytest.raises(ParameterError, match="sed"):
        recorded(first="sed")(lambda seed: Result(seed))


@pytest.mark.parametrize(
    ("seeds", "words"),
    [
        ((), "nothing random"),
        ((7,), "seed 7"),
        ((0, 1, 2), "seeds 0 to 2"),
        ((0, 2, 5), "seeds 0, 2, 5"),
        ((0, 1), "seeds 0, 1"),
        ((0, 1, 2, 3, 9), "seeds 0 to 3, 9"),
    ],
)
def test_seeds_in_words(seeds, words):
    assert seeds_in_words(seeds) == words


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.004, "under 0.1 s"), (0.27, "0.27 s"), (3.456, "3.5 s"), (88.3, "88 s")]
)
def test_seconds_in_words(seconds, words):
    assert seconds_in_words(seconds) == words


class Beside(StoredRuns):
    STORED: ClassVar = StoredSet("batched", "companion.papers.batched.experiments.store", "make paper CH=3", ("runs",))


def test_what_is_made_of_stored_runs_names_their_record():
    found, made_up = (Beside((), Margins(0.05, 0.95, {}, {}), {}, record) for record in (RECORD, {}))
    assert Numbers(found, runs=1).where == provenance_of(found) == stored(RECORD, Beside.STORED)
    assert provenance_of(found).sources[0].command == RECORD["command"]
    assert provenance_of(made_up) == Provenance()
