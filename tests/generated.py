"""Inputs that Hypothesis draws: the same ones in every run of the tests, and others on demand.

``COMPANION_GENERATED=SEED`` draws others, ``COMPANION_GENERATED=SEED:20`` twenty times as many of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, configuration, seed, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

# Tables of characters that Hypothesis keeps; it would put them where the tests are run.
configuration.set_hypothesis_home_dir(Path(__file__).resolve().parent.parent / ".pytest_cache" / "hypothesis")

_SEED, _, _TIMES = os.environ.get("COMPANION_GENERATED", "").partition(":")
TIMES = int(_TIMES or 1)


def settings_of(examples: int, shrink: bool = True, **more: Any) -> settings:
    """So many examples, without a clock and without a memory of earlier runs."""
    return settings(
        max_examples=examples * TIMES,
        derandomize=not _SEED,
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
        phases=[Phase.explicit, Phase.generate, *([Phase.shrink] if shrink else [])],
        report_multiple_bugs=False,
        print_blob=False,
        **more,
    )


def drawn(examples: int) -> Callable[[Any], Any]:
    """A decorator above ``@given`` with these settings."""

    def decorate(test: Any) -> Any:
        test = settings_of(examples)(test)
        return seed(int(_SEED))(test) if _SEED else test

    return decorate


def drawn_machine(machine: type[RuleBasedStateMachine], runs: int, steps: int, shrink: bool = True) -> None:
    """Runs of a state machine, each of at most so many steps; the first that fails raises what it failed with."""
    found = settings_of(runs, shrink, stateful_step_count=steps)
    run_state_machine_as_test(seed(int(_SEED))(machine) if _SEED else machine, settings=found)
