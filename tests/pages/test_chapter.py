"""What every chapter has: the time of all its stored results, the same wherever it is told."""

import pytest

from companion.core.files import results_folder
from companion.pages.chapter import all_records, chapter_records, core_time
from companion.pages.provenance import Provenance, Source


def record(seconds, cores=2, **settings):
    return {"seconds": seconds, "machine": {"cores": cores}, "settings": settings}


@pytest.mark.parametrize(
    ("records", "told"),
    [
        ([record(30.0)], "60 s on one core"),
        ([record(1.0, cost={"core_seconds": 7200.0, "runs": 9}, computed=1, runs=9)], "2.0 h on one core"),
        ([record(60.0, cores=4, computed=9, runs=9)], "4 min on one core"),
        # The time of the calls before is not known; that of runs made again is.
        (
            [record(60.0, computed=3, runs=9, renewed=[{"cost": {"core_seconds": 60.0, "runs": 2}}])],
            "at least 3 min on one core",
        ),
        ([record(30.0), record(1800.0)], "1.0 h on one core"),
    ],
)
def test_the_time_of_all_records_is_added(records, told):
    assert core_time(records) == told


@pytest.mark.parametrize(
    ("study", "slug"),
    [
        ("companion.papers.meanfield.experiments.store.store", "meanfield"),
        ("companion.papers.across.experiments.widths.write", "across"),
    ],
)
def test_a_chapter_counts_all_its_stored_sets(study, slug):
    where = Provenance((Source("make paper", "paper", (), study, "store()"),))
    assert chapter_records(where, {}) == all_records(results_folder(slug))
    assert len(all_records(results_folder("across"))) > 1


def test_without_a_place_the_record_itself_counts():
    assert chapter_records(Provenance(), {"a": 1}) == [{"a": 1}]
