"""Retained and rejected rounds apart."""

import dataclasses

import numpy as np
import pandas as pd

from companion.pages.figures import LIGHT
from companion.papers.compressed.page import parts


def test_parts_add_up_and_nothing_is_rejected_at_exponent_one():
    study = parts.part_study(0, 60, 0.1, 10)
    rows = study.rows.set_index("alpha")
    np.testing.assert_allclose(rows["retained rounds"] + rows["rejected rounds"], 60)
    assert rows.loc[1.0, "rounds"] == 0.0
    assert rows.loc[0.125, "rounds"] > rows.loc[0.5, "rounds"] > 0
    assert rows[parts.CHARGED].between(0.0, 1.0, inclusive="neither").all()
    flat = study.rows.assign(**{"retained regret": [5.0, 4.0, 1.0, 2.0, 3.0], "rejected regret": 0.0})
    assert parts.least_regret(dataclasses.replace(study, rows=flat)) == 0.5


def test_only_differences_beyond_chance_are_told_apart():
    study = parts.part_study(0, 30, 0.1, 10)
    noise = np.linspace(-1.0, 1.0, 10)
    regret = pd.DataFrame(
        {alpha: shift + noise for alpha, shift in zip(parts.ALPHAS, (9.0, 0.1, 0.0, 8.0, 7.0), strict=True)}
    )
    told = study.rows.assign(**{"retained regret": regret.mean().to_numpy(), "rejected regret": 0.0})
    told_apart = parts.beside_least(dataclasses.replace(study, rows=told, regret=regret)).set_index("α")["from"] > 0
    assert told_apart.to_dict() == {0.125: True, 0.25: False, 0.5: False, 0.75: True, 1.0: True}


def test_figures_of_the_theory_are_drawn():
    study = parts.part_study(0, 30, 0.1, 10)
    assert parts.parts(study).render(LIGHT).startswith(b"\x89PNG")
