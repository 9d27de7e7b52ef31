"""Processor time of a method's parts, for the ratios beside Tables 1 and 2.

Measured by the clock of the calling thread, so that other processes count little; linear algebra has to run on one
thread. Times differ from machine to machine: only their ratios within one process are compared.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.papers.wdrbo.experiments.definitions import experiment, setup
from companion.papers.wdrbo.method.acquisitions import Acquisition, ContextualAcquisition, PenalisedAcquisition
from companion.papers.wdrbo.method.critical_line import CriticalLineBall
from companion.papers.wdrbo.method.methods import METHODS, ContextMethod, Situation
from companion.papers.wdrbo.method.model import MapRegression, Regression, Surrogate

#: Fitting the model; making the acquisition function, draws from a density estimate included; the worst case over a set
#: of laws, given the values of U; the Lipschitz constant. The rest of a round is evaluating U, and the search.
PARTS = ("fit", "prepare", "inner", "lipschitz")
Result = TypeVar("Result")


class Watch:
    """Adds up the thread's processor seconds by part; parts do not nest."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(PARTS, 0.0)

    def timed(self, part: str, work: Callable[..., Result]) -> Callable[..., Result]:
        """``work``, counted under ``part``."""

        def run(*arguments: Any) -> Result:
            began = time.thread_time()
            result = work(*arguments)
            self.seconds[part] += time.thread_time() - began
            return result

        return run

    def method(self, method: ContextMethod) -> ContextMethod:
        """The method with its parts counted."""
        build = self.timed("prepare", method.build)

        def built(view: Situation) -> Acquisition:
            made = build(view)
            if isinstance(made, PenalisedAcquisition):
                made._lipschitz = self.timed("lipschitz", made._lipschitz)  # type: ignore[method-assign]
            elif isinstance(made, ContextualAcquisition):
                made.rule = self.timed("inner", made.rule)
            return made

        return replace(method, build=built)


class TimedRegression:
    """A regression whose fits are counted."""

    def __init__(self, regression: Regression, watch: Watch) -> None:
        self._fit = watch.timed("fit", regression.fit)

    def fit(self, points: Floats, values: Floats) -> Surrogate:
        """As the regression behind."""
        return self._fit(points, values)


def timed_run(name: str, method: str, seed: int, parameters: Mapping[str, Any]) -> dict[str, float]:
    """Processor seconds of one run: in all, and in each of :data:`PARTS`."""
    watch = Watch()
    p = experiment(name).parameters.typed(parameters)
    ready = setup(name, watch.method(METHODS[method]), seed, p, TimedRegression(MapRegression(), watch))
    began = time.thread_time()
    ready.run()
    return {"total": time.thread_time() - began, **watch.seconds}


def compared_times(name: str, methods: Sequence[str], seed: int, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Times of all methods, one after the other in one process; the first method depends on the seed."""
    # Whatever is loaded or compiled at the first call is done before.
    timed_run(name, methods[0], seed, {**parameters, "horizon": 2})
    turned = [methods[(i + seed) % len(methods)] for i in range(len(methods))]
    found = {method: timed_run(name, method, seed, parameters) for method in turned}
    return {method: found[method] for method in methods}


def ball_times(seed: int, sizes: Sequence[int], rows: int = 16) -> dict[str, Any]:
    """Processor seconds per inner problem of DRBO-MMD, by number of contexts on a line; a random smooth function a row.

    The setting is that of a run with 50 observations: a squared exponential of length-scale 0.3 and the radius of the
    experiments; a second, rougher one of length-scale 0.05, whose kernel has a larger rank.
    """
    generator = stream(seed, "wdrbo", "ball-times")
    contexts = np.clip(0.5 + 0.2 * generator.standard_normal(50), 0.0, 1.0)
    phases = generator.uniform(0.0, 2 * np.pi, size=(rows, 5))
    found: dict[str, Any] = {}
    for label, lengthscale in (("smooth", 0.3), ("rough", 0.05)):
        times = []
        for size in sizes:
            grid = np.linspace(0.0, 1.0, size)
            values = np.sum([np.sin(2 * np.pi * (k + 1) * grid + phases[:, [k]]) for k in range(5)], axis=0)
            centre = np.bincount(np.abs(contexts[:, None] - grid).argmin(axis=1), minlength=size) / len(contexts)
            kernel = np.exp(-0.5 * ((grid[:, None] - grid) / lengthscale) ** 2)
            began = time.thread_time()
            CriticalLineBall(kernel, centre, 4.146 / np.sqrt(50), 1e-6).worst(values)
            times.append((time.thread_time() - began) / rows)
        found[label] = times
    return found
