"""Printed settings of the paper's experiments beside the values here."""

from __future__ import annotations

import pandas as pd

from companion.pages import recorded, table
from companion.papers.compressed.experiments.definitions import chapter_problem
from companion.papers.compressed.experiments.parameters import Common, Example, Logistic, Rosenbrock
from companion.papers.compressed.page.stored_runs import SHORT
from companion.papers.compressed.problems.training import AXES, EPOCHS, HIGH, LOW


@recorded(random=False)
def setting_rows() -> pd.DataFrame:
    """Settings of the three experiments: as in the paper, and the values here."""
    line, valley = Example(), Rosenbrock()
    names: dict[str, Common] = {"example-function": line, "rosenbrock": valley, "logistic-mnist": Logistic()}
    defaults = {SHORT[problem]: p for problem, p in names.items()}
    tuned = f"{', '.join(f'{axis} {low:g} to {high:g}' for axis, low, high in zip(AXES, LOW, HIGH, strict=True))}"
    chapter = {title: chapter_problem(p) for title, p in defaults.items()}
    data = chapter[SHORT["logistic-mnist"]].meta["data"]
    best = f"accuracy ({data}), standardised"
    first, second, third = defaults

    def of(name: str) -> dict[str, str]:
        return {title: f"{getattr(p, name):g}" for title, p in defaults.items()}

    rows: list[tuple[str, str, dict[str, str]]] = [
        (
            "f, maximised",
            "eq. (4.1); eq. (4.2), to be minimised; accuracy on held-out data",
            {first: "as printed", second: "minus it, standardised", third: best},
        ),
        (
            "domain",
            "–; –; names of four hyper-parameters",
            {
                first: f"[{line.low:g}, {line.high:g}]",
                second: f"[{valley.low:g}, {valley.high:g}]²",
                third: tuned,
            },
        ),
        ("candidates", "–", {title: f"{problem.problem.size}" for title, problem in chapter.items()}),
        ("rounds T", "–", of("horizon")),
        ("epochs of a training", "–", {first: "", second: "", third: f"{EPOCHS}"}),
        ("initial points", "2^d, at random", {title: f"{problem.initial}" for title, problem in chapter.items()}),
        ("squared exponential kernel, length-scale", "Sec. 4, same", of("lengthscale")),
        ("noise variance", "Sec. 4, same", of("noise_variance")),
        ("budget ε", "Sec. 4, same", of("epsilon")),
        ("failure level δ", "Sec. 4 has 0.9, as a confidence", of("delta")),
    ]
    return pd.DataFrame([{"setting": name, "paper": printed, **values} for name, printed, values in rows])


settings = table(setting_rows)
