"""Tables and numbers of stopping with a fitted model, against the stored rows, counted again from the file.

Mutants that it catches: kernels counted twice, odd seeds taken for even ones, an answer that breaks its promise in a setting.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from typing import Any

import pytest
from scipy import stats

import companion as cp
from companion.core.files import results_folder
from companion.papers.across.page import fitted_stopping as page
from companion.policies.stopping_certificate import STUDIED

HORIZONS = {"1": 40, "2": 60, "4": 80}


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    with (results_folder("across") / "fitted_stopping.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def by_rule(rows: list[dict[str, str]], truth: str = "both") -> dict[str, list[dict[str, str]]]:
    found = defaultdict(list)
    for row in rows:
        if row["truth"] == truth:
            found[row["rule"]].append(row)
    return found


def test_every_setting_has_its_runs_and_its_kernels(rows: list[dict[str, str]]) -> None:
    counted: dict[tuple[str, ...], dict[str, dict[str, str]]] = defaultdict(dict)
    for row in rows:
        counted[row["dim"], row["noise"], row["rule"], row["epsilon"]][row["truth"]] = row
    for parts in counted.values():
        if "prior" in parts:
            assert (list(parts), parts["prior"]["runs"]) == (["prior"], "520")
            continue
        for name in ("runs", "stopped", "broken", "even_runs", "even_broken"):
            assert int(parts["both"][name]) == int(parts["se"][name]) + int(parts["matern52"][name])
        assert (parts["both"]["runs"], parts["both"]["even_runs"]) == ("520", "260")
        assert int(parts["both"]["broken"]) <= int(parts["both"]["stopped"])
    assert all(len(part) == 27 for part in by_rule(rows).values())


def test_the_answer_is_the_cheapest_of_the_protocol(rows: list[dict[str, str]]) -> None:
    """Told again from the file: calibrated on even seeds, tested on odd ones by intervals of the beta distribution."""
    able = []
    for rule, part in by_rule(rows).items():
        if rule.startswith("known") or any(int(r["even_broken"]) > 0.1 * int(r["even_runs"]) for r in part):
            continue
        price = sum(float(r["even_mean"]) / HORIZONS[r["dim"]] for r in part) / len(part)
        pooled: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
        breaks = False
        for row in part:
            bad, many = int(row["broken"]) - int(row["even_broken"]), int(row["runs"]) - int(row["even_runs"])
            breaks |= bad > 0 and stats.beta.ppf(0.025, bad, many - bad + 1) > 0.1
            pooled[row["dim"], row["epsilon"]][0] += bad
            pooled[row["dim"], row["epsilon"]][1] += many
        keeps = all(stats.beta.ppf(0.975, bad + 1, many - bad) <= 0.1 for bad, many in pooled.values())
        able.append((price, rule, keeps and not breaks))
    answers = [rule for _, rule, passed in sorted(able) if passed]
    assert page.shown().get("answer") == (answers[0] if answers else None)


def test_the_known_model_keeps_every_promise(rows: list[dict[str, str]]) -> None:
    for rule in ("known", "known, sampled"):
        for truth in ("both", "prior"):
            for row in by_rule(rows, truth)[rule]:
                bad, many = int(row["broken"]), int(row["runs"])
                assert bad == 0 or stats.beta.ppf(1e-3, bad, many - bad + 1) <= 0.1, row


def test_the_theorem_of_the_mixture_holds_on_its_own_draws(rows: list[dict[str, str]]) -> None:
    for row in by_rule(rows, "prior")["mixture"]:
        bad, many = int(row["broken"]), int(row["runs"])
        assert bad == 0 or stats.beta.ppf(1e-3, bad, many - bad + 1) <= 0.1, row


def test_the_record_has_the_rows(rows: list[dict[str, str]]) -> None:
    made, n = page.made(), page.numbers()
    assert len(made["rows"]) == 27
    for name, rule in page.shown().items():
        for row in by_rule(rows)[rule]:
            kept: list[Any] = made["rows"][f"{row['dim']} {float(row['noise']):g} {float(row['epsilon']):g}"][name]
            assert kept[0] == (float(row["median"]) if row["median"] else None)
            bad, many = int(row["broken"]), int(row["runs"])
            assert kept[1] == pytest.approx(100 * bad / many, rel=5e-3)
            assert kept[3] == pytest.approx(100 * stats.beta.ppf(0.975, bad + 1, many - bad), rel=5e-3)
            assert kept[4] == pytest.approx(100 * int(row["stopped"]) / many, rel=5e-3)
        assert n[f"{name.replace(', ', '_')}_most"] == max(int(r["broken"]) / 520 for r in by_rule(rows)[rule])
    assert n.shipped_2_01_03 == made["rows"]["2 0.1 0.3"]["shipped"][1]


def test_what_a_certificate_says_was_measured_is_the_table(rows: list[dict[str, str]]) -> None:
    most = {rule: max(100 * int(r["broken"]) / int(r["runs"]) for r in part) for rule, part in by_rule(rows).items()}
    named = {"probability": "shipped, sampled", "union": "shipped", "models": "mixture"}
    assert {name: STUDIED[name] for name in named} == {name: round(most[rule], 1) for name, rule in named.items()}
    assert {int(part[0]["runs"]) for part in by_rule(rows).values()} == {STUDIED["runs"]}
    line, x, y = cp.grid(9, dim=1), [0, 4, 8], [0.0, 1.0, 0.2]
    told = cp.certificate(line, cp.kernel("se", 0.4), 0.1, x, y, epsilon=0.5)
    own = cp.certificate(line, cp.kernel("se", 0.4), 0.1, x, y, epsilon=0.5, fitted="fitted by hand", rule="union")
    models = cp.certificate(line, cp.ModelSet.over(1.0), evaluated=x, values=y, epsilon=0.5)
    assert told.evidence == ""
    assert f"up to {STUDIED['union']:g} % broke" in own.evidence
    assert f"up to {STUDIED['models']:g} % broke" in models.evidence
