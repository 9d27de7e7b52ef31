"""Hooks of ``book/bounds.md`` for other libraries, and what these libraries gave them when they were run.

``python tests/book/hooks.py baybe`` runs the hook in an environment that has the library, and writes into ``hooks.json`` what the
hook read and answered; the other names are ``bofire``, ``ax``, ``blop`` and ``optuna``. Tests replay it where the library is
missing.
"""

from __future__ import annotations

import json
import re
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np

PAGE = Path(__file__).resolve().parents[2] / "book" / "bounds.md"
RECORDED = Path(__file__).with_name("hooks.json")
SECTION = PAGE.read_text(encoding="utf-8").partition("### Hooks for other libraries")[2]
BLOCKS = re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL)
NAMES = {"botorch": "SingleTaskGP(x", "baybe": "baybe_may_stop", "bofire": "baybe_may_stop", "sklearn": "sklearn"}
NAMES |= {"optuna": "import optuna", "ax": "WhenSure", "blop": "WhenSure"}
POINTS = np.linspace(0, 1, 12)


def program(library):
    (found,) = (block for block in BLOCKS if NAMES[library] in block)
    return found


def hook(library):
    """The part of a block that a user copies, without what shows it at work."""
    return re.split(r"\n\n\n(?=\w+ = )", program(library))[0]


def yields(x):
    return 71 - 4 * (x - 0.7) ** 2


def seen(model, points):
    """What ``may_i_stop`` reads of a model of BoTorch."""
    import torch

    with torch.no_grad():
        found, prior = model.posterior(torch.as_tensor(points)), model.forward(model.train_inputs[0])
    parts = {"points": points, "mean": found.mean.ravel(), "covariance": found.covariance_matrix}
    parts |= {"targets": model.train_targets, "prior": prior.covariance_matrix, "prior_mean": prior.mean}
    parts["noise"] = model.likelihood.noise
    return {name: part.tolist() for name, part in parts.items()}


def of_baybe():
    import pandas as pd
    from baybe import Campaign
    from baybe.objectives import SingleTargetObjective
    from baybe.parameters import NumericalDiscreteParameter
    from baybe.searchspace import SearchSpace
    from baybe.targets import NumericalTarget

    space = SearchSpace.from_product([NumericalDiscreteParameter("x", POINTS)])
    campaign = Campaign(space, SingleTargetObjective(NumericalTarget("y")))
    campaign.add_measurements(pd.DataFrame({"x": POINTS[::2], "y": yields(POINTS[::2])}))
    campaign.recommend(1)
    names: dict = {}
    exec(f"{hook('botorch')}\n{program('baybe')}", names)
    answer = names["baybe_may_stop"](campaign, pd.DataFrame({"x": POINTS}), 0.5)
    return seen(campaign.get_surrogate().to_botorch().models[0], POINTS[:, None]) | {"answer": repr(answer)}


def of_bofire():
    import bofire.strategies.api as strategies
    import pandas as pd
    from bofire.data_models.domain.api import Domain, Inputs, Outputs
    from bofire.data_models.features.api import ContinuousInput, ContinuousOutput
    from bofire.data_models.objectives.api import MaximizeObjective
    from bofire.data_models.strategies.api import SoboStrategy

    x, y = ContinuousInput(key="x", bounds=(0, 1)), ContinuousOutput(key="y", objective=MaximizeObjective())
    strategy = strategies.map(SoboStrategy(domain=Domain(inputs=Inputs(features=[x]), outputs=Outputs(features=[y]))))
    strategy.tell(pd.DataFrame({"x": POINTS[::2], "y": yields(POINTS[::2]), "valid_y": 1}))
    names: dict = {}
    exec(f"{hook('botorch')}\n{program('bofire')}", names)
    answer = names["bofire_may_stop"](strategy, pd.DataFrame({"x": POINTS}), 0.5)
    return seen(strategy.model, POINTS[:, None]) | {"answer": repr(answer)}


def of_ax():
    from ax.api.client import Client
    from ax.api.configs import RangeParameterConfig

    names: dict = {}
    exec(program("ax"), names)
    client = Client(random_seed=0)
    client.configure_experiment([RangeParameterConfig(name="x", parameter_type="float", bounds=(0, 1))])
    client.configure_optimization("y")
    table, stop = [], False
    while not stop and len(table) < 60:
        for number, point in client.get_next_trials(max_trials=1).items():
            value = float(yields(point["x"])) - 70
            client.complete_trial(number, raw_data={"y": (value, 0.05)})
            table.append([point["x"], value])
        stop, why = names["rule"].should_stop_optimization(client._experiment)
    return {"table": table, "stop": stop, "why": why}


def of_blop():
    from blop.ax import Agent, Objective, RangeDOF

    names: dict = {}
    exec(program("blop"), names)
    x, y = RangeDOF(name="x", bounds=(0, 1), parameter_type="float"), Objective(name="y", minimize=False)
    agent = Agent([], [x], [y], lambda *_: [], stopping_strategy=names["rule"])
    table, stop = [], False
    while not stop and len(table) < 60:
        for point in agent.suggest(1):
            value = float(yields(point["x"])) - 70
            agent.ingest([{**point, "y": value}])
            table.append([point["x"], value])
        stop, why = agent._optimizer.should_stop()
    return {"table": table, "stop": stop, "why": why}


def of_optuna():
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    names: dict = {}
    exec(program("optuna").replace('"maximize"', '"maximize", sampler=optuna.samplers.TPESampler(seed=0)'), names)
    trials = names["study"].trials
    return {"table": [[each.params["x"], each.value] for each in trials], "stop": len(trials) < 60}


if __name__ == "__main__":
    stored = json.loads(RECORDED.read_text(encoding="utf-8")) if RECORDED.exists() else {}
    for name in sys.argv[1:]:
        package = {"ax": "ax-platform"}.get(name, name)
        stored[name] = {"version": version(package), **globals()[f"of_{name}"]()}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(found)}" for name, found in sorted(stored.items()))
    RECORDED.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
