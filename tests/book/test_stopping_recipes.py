"""The hooks of "When may you stop?" in ``book/bounds.md``: run where their library is installed, else on what it gave."""

from __future__ import annotations

import json
import re
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from book.hooks import BLOCKS, NAMES, RECORDED, hook, program

STORED = json.loads(RECORDED.read_text(encoding="utf-8"))


def test_every_block_is_a_hook_of_at_most_twenty_lines():
    assert {program(library) for library in NAMES} == set(BLOCKS)
    for library in NAMES:
        assert len(hook(library).strip().splitlines()) <= 20, library


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("library", ["botorch", "sklearn", "optuna"])
def test_a_hook_runs_and_decides(library, capsys):
    pytest.importorskip(library)
    names = {"__name__": "recipe"}
    exec(compile(program(library), library, "exec"), names)
    if library == "botorch":
        # Fitted, and not left at what its prior begins with.
        shipped = names["SingleTaskGP"](names["x"], 1 - 4 * (names["x"] - 0.7) ** 2).covar_module.lengthscale.item()
        assert abs(names["model"].covar_module.lengthscale.item() / shipped - 1) > 0.2
        # Raw targets of a model that expects standardised ones.
        names["model"].train_targets = names["model"].train_targets + 70
        assert names["may_i_stop"](names["model"], names["x"], 0.5).contradicted
    if library == "optuna":
        assert 1 < len(names["study"].trials) < 60
        return
    said = capsys.readouterr().out
    assert re.match(r"<(stop|go on): candidate 3[2-6] loses at most 0\.\d+ \(probability", said)
    assert ("unproved: fitted" in said) == (library == "botorch")


class Recorded:
    """A model of BoTorch that was recorded."""

    def __init__(self, kept, shift=0.0):
        torch = pytest.importorskip("torch")
        array = {
            name: torch.as_tensor(kept[name], dtype=torch.float64) for name in kept if name not in ("answer", "version")
        }
        self.train_inputs, self.train_targets = (array["points"],), array["targets"] + shift
        self.likelihood = SimpleNamespace(noise=array["noise"])
        self._prior = SimpleNamespace(mean=array["prior_mean"], covariance_matrix=array["prior"])
        self._found = SimpleNamespace(mean=array["mean"], covariance_matrix=array["covariance"])

    def forward(self, points):
        return self._prior

    def posterior(self, points):
        assert points.shape == (12, 1)
        return self._found


@pytest.mark.parametrize("shift", [0.0, 70.0])
@pytest.mark.parametrize("library", ["baybe", "bofire"])
def test_a_hook_answers_what_it_answered_with_the_library(library, shift, monkeypatch):
    pd = pytest.importorskip("pandas")
    model, frame = Recorded(STORED[library], shift), pd.DataFrame({"x": np.linspace(0, 1, 12)})
    names: dict = {}
    for missing in ("botorch", "botorch.fit", "botorch.models", "gpytorch", "gpytorch.mlls"):
        if missing not in sys.modules:
            monkeypatch.setitem(
                sys.modules, missing, SimpleNamespace(fit_gpytorch_mll=0, SingleTaskGP=0, ExactMarginalLogLikelihood=0)
            )
    exec(f"{hook('botorch')}\n{program(library)}", names)
    surrogate = SimpleNamespace(to_botorch=lambda: SimpleNamespace(models=[model]))
    inputs = SimpleNamespace(transform=lambda points, specs: points)
    loop = SimpleNamespace(
        get_surrogate=lambda: surrogate,
        searchspace=SimpleNamespace(transform=lambda points: points),
        model=model,
        domain=SimpleNamespace(inputs=inputs),
        input_preprocessing_specs={},
    )
    found = names[f"{library}_may_stop"](loop, frame, 0.5)
    assert bool(found.contradicted) == bool(shift)
    if not shift:
        kept = re.sub(r"[\d.e-]+ \(prob", "(prob", STORED[library]["answer"])
        assert re.sub(r"[\d.e-]+ \(prob", "(prob", repr(found)) == kept


@pytest.mark.parametrize("library", ["ax", "blop"])
def test_a_strategy_stops_where_it_stopped(library, monkeypatch):
    pd = pytest.importorskip("pandas")
    base = type("BaseGlobalStoppingStrategy", (), {"__init__": lambda self, min_trials: None})
    for name in ("ax", "ax.global_stopping", "ax.global_stopping.strategies", "ax.global_stopping.strategies.base"):
        module = ModuleType(name)
        module.BaseGlobalStoppingStrategy = base  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, name, module)
    names: dict = {}
    exec(program(library), names)
    table = pd.DataFrame(STORED[library]["table"], columns=["x", "y"])

    def decide(rows, shift=0.0):
        open_trial = pd.DataFrame({"x": [0.5], "y": [None]})
        frame = pd.concat([rows.assign(y=rows.y + shift), open_trial]).astype(float)
        return names["rule"]._should_stop_optimization(SimpleNamespace(to_df=lambda: frame))

    assert decide(table) == (STORED[library]["stop"], STORED[library]["why"])
    assert not decide(table[:-1])[0]
    raw, why = decide(table, shift=70.0)
    assert (raw, "a mean of about 7" in why) == (False, True)


def test_a_callback_stops_where_it_stopped(monkeypatch):
    stopped = []

    class Study:
        def __init__(self, **_):
            self.rows = []

        def get_trials(self, states):
            return [SimpleNamespace(params={"x": x}, value=y) for x, y in self.rows]

        def stop(self):
            stopped.append(len(self.rows))

        def optimize(self, objective, n_trials, callbacks):
            for row in STORED["optuna"]["table"]:
                self.rows.append(row)
                callbacks[0](self, None)

    state = SimpleNamespace(TrialState=SimpleNamespace(COMPLETE=1))
    monkeypatch.setitem(sys.modules, "optuna", SimpleNamespace(create_study=Study, trial=state))
    exec(program("optuna"), {})
    assert stopped == [len(STORED["optuna"]["table"])]
