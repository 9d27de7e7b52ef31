"""The programs of "When may you stop?" in ``book/bounds.md`` run, each where its library is installed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "book" / "bounds.md"
SECTION = PAGE.read_text(encoding="utf-8").partition("(when-may-you-stop)=")[2]
BLOCKS = re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL)
PROGRAMS = {name: code for code in BLOCKS for name in ("botorch", "sklearn", "optuna") if name in code}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("library", ["botorch", "sklearn", "optuna"])
def test_a_recipe_runs_and_decides(library, capsys):
    pytest.importorskip(library)
    code = PROGRAMS[library]
    names = {"__name__": "recipe"}
    exec(compile(code, library, "exec"), names)
    if library == "botorch":
        # Fitted, and not left at what its prior begins with.
        shipped = names["SingleTaskGP"](names["x"], names["y"]).covar_module.lengthscale.item()
        assert abs(names["model"].covar_module.lengthscale.item() / shipped - 1) > 0.2
    if library == "optuna":
        assert 1 < len(names["study"].trials) < 60
        assert abs(names["study"].best_params["x"] - 0.7) < 0.3
        return
    assert re.match(r"<(stop|go on): candidate 3[2-6] loses at most 0\.\d+ \(probability\)>", capsys.readouterr().out)
