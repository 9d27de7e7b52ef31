"""What an experiment does when nothing is set: against the papers' tables, and every default against ``defaults.csv`` beside it.

The papers print few of the defaults. The others are the companion's own, on which stored results rest all the same; a new one, or
one that is changed on purpose, is changed in the table too.
"""

import csv
import json
import re
from collections import defaultdict
from pathlib import Path

import pytest

from companion import registry

TABLE = Path(__file__).with_name("defaults.csv")
PROBLEMS = {
    "tsrsr": {"GP-RBF-prior-2D": "gp-2d", "GP-RBF-prior-3D": "gp-3d", "Boston-NN-4D": "boston-4d"},
    "meanfield": {
        "LouVelo": "bikes",
        "Maritime": "ports",
        "NYC (a)": "taxi-a",
        "NYC (b)": "taxi-b",
        "NYC (c)": "taxi-c",
    },
}


def rows(root, paper, name):
    with (root / "data" / "reported" / paper / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def defaults(paper, name):
    return {each.name: each.default for each in registry.experiment(paper, name).parameters.parameters}


def of(paper, problem):
    return defaults(paper, PROBLEMS[paper].get(problem, problem.lower()))


def test_every_default_is_the_one_of_the_table():
    found = defaultdict(list)
    for paper in registry.declaring("experiments"):
        for _, name in registry.experiments(paper):
            for parameter, value in defaults(paper, name).items():
                found[paper, parameter, json.dumps(value)].append(name)
    with TABLE.open(newline="", encoding="utf-8") as file:
        typed = {(r["paper"], r["parameter"], r["default"]): r["experiments"].split() for r in csv.DictReader(file)}
    assert {key: sorted(names) for key, names in found.items()} == {k: sorted(names) for k, names in typed.items()}


@pytest.mark.parametrize("table", ["table1", "table2", "table3", "table4"])
def test_batches_of_chapter_1_are_those_of_its_tables(root, table):
    for row in rows(root, "tsrsr", table):
        given = of("tsrsr", row["problem"])
        size, count = re.match(r"m=(\d+)", row["note"])[1], row["metric"].removeprefix("simple_regret_at_t=")
        assert (given["batch_size"], given["batches"]) == (int(size), int(count)), row


def test_models_of_chapter_1_have_the_noise_of_tables_5_to_7(root):
    printed = {
        row["problem"]: float(row["value"]) for row in rows(root, "tsrsr", "settings") if row["setting"] == "noise sd"
    }
    assert len(printed) == 12
    assert {problem: of("tsrsr", problem)["model_noise"] for problem in printed} == printed


def test_appendix_e_of_chapter_3(root):
    given = defaults("batched", "appendix-e")
    for row in rows(root, "batched", "table1"):
        drawn, model, points, end = re.search(
            r"draw l=([\d.]+), model l=([\d.]+)\), (\d+)x\d+ grid on \[-(\d)", row["problem"]
        ).groups()
        names = ("draw_lengthscale", "model_lengthscale", "points_per_axis")
        assert [given[name] for name in names] == [float(drawn), float(model), int(points)]
        assert "horizon T=1000" in row["note"] or row["metric"] == "number_of_batches"
        assert end == "5"
    # "We let T = 1000 and sigma = 0.02. ... we set beta = 2 instead of its theoretical value" (Appendix E)
    assert (given["horizon"], given["noise"], given["beta"]) == (1000, 0.02, 2.0)


def test_agents_contexts_and_evaluations_of_chapter_4(root):
    printed = rows(root, "meanfield", "settings")
    (horizon,) = [int(row["value"]) for row in printed if row["setting"] == "evaluations"]
    agents = {row["problem"]: int(row["value"]) for row in printed if row["setting"] == "agents"}
    assert len(agents) == 7
    for problem, count in agents.items():
        assert (of("meanfield", problem)["agents"], of("meanfield", problem)["horizon"]) == (count, horizon), problem
    (regions,) = [int(row["value"]) for row in printed if (row["problem"], row["setting"]) == ("Maritime", "contexts")]
    assert defaults("meanfield", "ports")["regions"] == regions


@pytest.mark.parametrize("name", [name for _, name in registry.experiments("wdrbo")])
def test_rounds_and_width_of_chapter_5(root, name):
    """100 iterations, and 1.5 for the trade-off, in Section 5 and in the note of Table 1."""
    assert all("; 100 iterations" in row["note"] for row in rows(root, "wdrbo", "table1"))
    assert (defaults("wdrbo", name)["horizon"], defaults("wdrbo", name)["width"]) == (100, 1.5)
