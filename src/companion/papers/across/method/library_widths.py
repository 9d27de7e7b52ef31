"""Default multipliers of the posterior standard deviation in libraries.

Installed libraries are called with a posterior of mean 0 and standard deviation 1, so that what comes back is the width, whatever
the parameter is called and whether the library takes its root. The others were read in their source files, at the version that is
named: Trieste 4.6.1 wants NumPy below 2 and TensorFlow, KerasTuner 1.4.8 asks for TensorFlow on its page, BayBE hands its
number on to BoTorch, OptunaHub's sampler is a file of a registry without releases, and PHYSBO's is proposed and in no release.
"""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from companion.core.errors import ParameterError


class Default(NamedTuple):
    """A default: distribution and version, the place of it, whether the library was called, and the width in round t."""

    library: str
    version: str
    place: str
    called: bool
    #: Of the number of evaluations and of the dimension.
    width: Callable[[int, int], float]


#: Read in the source, not called; the number there is the width.
CITED = (
    (
        "trieste",
        "4.6.1",
        "trieste/acquisition/function/function.py, NegativeLowerConfidenceBound: beta, not rooted",
        1.96,
    ),
    ("keras-tuner", "1.4.8", "keras_tuner/src/tuners/bayesian.py, BayesianOptimizationOracle: beta, not rooted", 2.6),
    (
        "optunahub",
        "39b598f",
        "optunahub-registry, package/samplers/gp_acqf_samplers/__init__.py, GPUCBSampler: root of beta",
        math.sqrt(2.0),
    ),
    (
        "baybe",
        "0.15.0",
        "baybe/acquisition/acqfs.py, UpperConfidenceBound: beta, of which BoTorch takes the root",
        math.sqrt(0.2),
    ),
    ("physbo", "#98", "issp-center-dev/PHYSBO, pull request 98, open: ucb_beta, not rooted", 1.0),
)

#: Statement on confidence in the docstring at the place of a default, word for word. Those of the others say nothing about it,
#: and neither does the description of PHYSBO's pull request.
SAYS = {
    "optunahub": "The default ``beta=2.0`` corresponds to a ~95% confidence bound, which is a common choice in the literature",
    "optuna": "bounded by lower and upper confidence bounds with high probability under the Gaussian process model assumption",
}


def botorch() -> Default:
    """BoTorch's input constructor of ``UpperConfidenceBound``: its beta is rooted."""
    import torch

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own imports, and of a single point as input
        from botorch.acquisition import UpperConfidenceBound
        from botorch.acquisition.input_constructors import get_acqf_input_constructor
        from botorch.utils.testing import MockModel, MockPosterior

        one = torch.ones(1, 1, dtype=torch.float64)
        model = MockModel(MockPosterior(mean=0.0 * one, variance=one))
        given = get_acqf_input_constructor(UpperConfidenceBound)(model=model)
        found = float(UpperConfidenceBound(**given)(0.0 * one))
    place = "botorch.acquisition.input_constructors, UpperConfidenceBound: root of beta"
    return Default("botorch", version("botorch"), place, True, partial(_same, found))


def bayes_opt() -> Default:
    """The acquisition function that ``BayesianOptimization`` makes for itself."""
    from bayes_opt import BayesianOptimization

    made = BayesianOptimization(f=None, pbounds={"x": (0.0, 1.0)}, verbose=0).acquisition_function
    found = float(made.base_acq(np.zeros(1), np.ones(1))[0])
    place = f"bayes_opt.BayesianOptimization, {type(made).__name__}: kappa"
    return Default("bayesian-optimization", version("bayesian-optimization"), place, True, partial(_same, found))


def skopt() -> Default:
    """``gp_minimize``, where its acquisition function is the lower confidence bound."""
    from skopt import gp_minimize
    from skopt.acquisition import gaussian_lcb

    kappa = inspect.signature(gp_minimize).parameters["kappa"].default
    model = SimpleNamespace(predict=lambda points, return_std: (np.zeros(len(points)), np.ones(len(points))))
    found = -float(gaussian_lcb(np.zeros((1, 1)), model, kappa)[0])
    place = "skopt.gp_minimize and gaussian_lcb: kappa"
    return Default("scikit-optimize", version("scikit-optimize"), place, True, partial(_same, found))


def optuna() -> Default:
    """The regret bound of Optuna's terminator, the only place where it takes a width.

    The root of 2 log(d n^2 pi^2 / 6 delta) / 5 with delta = 0.1 and the dimension d, where the theorem behind it has the number
    of candidates. n counts the trials that its model is fitted to: the better half, at least 20, or all where there are fewer.
    """
    import torch
    from optuna._gp.acqf import UCB
    from optuna.terminator.improvement import evaluator

    def posterior(points: Any) -> tuple[Any, Any]:
        return torch.zeros(len(points), dtype=torch.float64), torch.ones(len(points), dtype=torch.float64)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is experimental
        made = evaluator.RegretBoundEvaluator()

    def width(t: int, dim: int) -> float:
        model = SimpleNamespace(length_scales=np.ones(dim), posterior=posterior)
        used = len(made._get_top_n(np.zeros((t, dim)), np.arange(float(t)))[0])
        rule = UCB(model, None, evaluator._get_beta(dim, used))
        return float(rule.eval_acqf(torch.zeros(1, dim, dtype=torch.float64))[0])

    place = "optuna.terminator.improvement.evaluator, RegretBoundEvaluator: root of beta"
    return Default("optuna", version("optuna"), place, True, width)


#: By distribution; ``pip install "gp-bandit-companion[widths]"`` brings them.
CALLED: dict[str, Callable[[], Default]] = {
    "botorch": botorch,
    "scikit-optimize": skopt,
    "bayesian-optimization": bayes_opt,
    "optuna": optuna,
}


def _same(value: float, t: int, dim: int) -> float:
    return value


#: Numbers of evaluations at which a default is kept.
SHOWN = (10, 100, 1000)
#: A default that depends on the round is kept in each of so many besides, for the runs.
ROUNDS = 100
DIMS = (1, 2)


def rows(kept: Any = None) -> Iterator[dict[str, Any]]:
    """A row for every library, dimension and number of evaluations.

    Parameters
    ----------
    kept : rows made before, of which those of a library that is not installed stay as they are

    Raises
    ------
    ModuleNotFoundError
        where a library that is called is not installed, and none of its rows are kept
    """
    for library, read in CALLED.items():
        try:
            yield from _rows_of(read())
        except ModuleNotFoundError:
            if kept is None or library not in set(kept.library):
                raise
            yield from kept[kept.library == library].to_dict("records")
    for library, release, place, value in CITED:
        yield from _rows_of(Default(library, release, place, False, partial(_same, value)))


def _rows_of(found: Default) -> Iterator[dict[str, Any]]:
    for dim in DIMS:
        changes = found.width(SHOWN[0], dim) != found.width(SHOWN[-1], dim)
        for t in sorted({*SHOWN, *(range(1, ROUNDS + 1) if changes else ())}):
            common = {"library": found.library, "version": found.version, "called": found.called}
            yield common | {"place": found.place, "dim": dim, "t": t, "width": found.width(t, dim)}


def stored_width(rows: Any, library: str, t: int, dim: int) -> float:
    """A stored default in round t: the row of that round, or the number that is the same in all.

    Raises
    ------
    ParameterError
        for a round that is not stored, of a default that depends on it
    """
    part = rows[(rows.library == library) & (rows.dim == dim)]
    if part.width.nunique() > 1:
        part = part[part.t == t]
    if part.empty:
        raise ParameterError("t", f"got {t}", "a round at which this default is stored")
    return float(part.width.iloc[0])
