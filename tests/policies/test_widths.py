"""A width means the same in whichever form it is written, in every policy that takes one."""

import itertools
import math
import pickle

import numpy as np
import pytest

from companion import registry
from companion.bounds.confidence import (
    ChowdhuryGopalanWidth,
    ConstantWidth,
    FixedBeta,
    HorizonDrawsWidth,
    OneRootWidth,
    SelfNormalizedWidth,
    SrinivasDrawsWidth,
    SrinivasNormWidth,
    UnionBoundWidth,
)
from companion.core.errors import ParameterError
from companion.gp import Matern
from companion.papers.batched.method.policy import BPE, RobustBPE
from companion.papers.compressed.method.optimiser import CompressedOptimiser
from companion.papers.meanfield.method.optimiser import ManyAgents
from companion.papers.meanfield.method.widths import PracticeWidth
from companion.papers.tsrsr.method.rules import PublishedWidth, draws_width
from companion.papers.wdrbo.method.optimiser import ContextBox
from companion.policies import GPUCB, StableOpt, restore, scheduled
from companion.policies.band import ConfidenceBand
from companion.problems import Box, Candidates, ball_neighbours

LINE = np.linspace(0.0, 1.0, 30)[:, None]
PRIOR = Matern(2.5, 0.15)(LINE)
NEAR = ball_neighbours(LINE, 0.05)
VALUES = np.sin(7.0 * LINE[:, 0])


class OldProtocol:
    """A width that expects the gain alone."""

    def width(self, gain=None):
        return 2.0


def twice(t, gain):
    return 2.0


CONSTANT = (2.0, 2, np.float64(2.0), ConstantWidth(2.0), FixedBeta(4.0), twice)


def self_normalised(t, gain):
    return 1.5 + math.sqrt(2.0 * (gain + math.log(10.0)))


REALISED = (SelfNormalizedWidth(1.5, 0.1), self_normalised)
POLICIES = {
    "gp-ucb": lambda width: GPUCB(PRIOR, 0.01, width),
    "stableopt": lambda width: StableOpt(PRIOR, 0.01, width, NEAR),
    "bpe": lambda width: BPE(PRIOR, 0.01, (3, 4, 5), width),
    "robust-bpe": lambda width: RobustBPE(PRIOR, 0.01, (3, 4, 5), width, NEAR),
}


def played(policy, interrupted=False):
    """Points asked in twelve evaluations, and the widths used."""
    asked = []
    while len(asked) < 12:
        if interrupted:
            policy = pickle.loads(pickle.dumps(policy))
        query = policy.ask(12 - len(asked)).query
        if interrupted:
            policy = pickle.loads(pickle.dumps(policy))
        asked += query.tolist()
        policy.tell(VALUES[query])
    return asked, policy.diagnostics()["width"]


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("forms", [CONSTANT, REALISED], ids=["constant", "realised gain"])
def test_every_form_of_a_width_gives_the_same_run(name, forms):
    expected, widths = played(POLICIES[name](forms[0]))
    assert len(set(widths)) == 1 if forms is CONSTANT else len(set(widths)) > 1
    for form in forms[1:]:
        found, others = played(POLICIES[name](form))
        assert found == expected
        assert others == pytest.approx(widths, rel=1e-14)


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("form", [*CONSTANT[3:], *REALISED, UnionBoundWidth(1.0, 30, 3, 0.1)])
def test_a_policy_of_the_loops_is_pickled_between_any_two_calls(name, form):
    assert played(POLICIES[name](form), interrupted=True) == played(POLICIES[name](form))


def test_a_function_is_given_the_evaluations_number_and_the_gain():
    seen = []

    def noted(t, gain):
        seen.append((t, gain))
        return 1.0

    played(POLICIES["gp-ucb"](noted))
    assert [t for t, _ in seen] == list(range(1, 13))
    gains = [gain for _, gain in seen]
    assert gains[0] == 0.0
    assert all(a < b for a, b in itertools.pairwise(gains))
    seen.clear()
    played(POLICIES["bpe"](noted))
    assert [t for t, _ in seen] == [1, 4, 8, 13]  # once when it is made, then after every batch


OTHERS = {
    "compressed": (Candidates(LINE, Matern(2.5, 0.15), 0.1), {"initial": 2}),
    "ts-rsr": (Box([0.0], [1.0]), {"initial": 2, "batch_size": 2, "uniform": 30, "rule": "bucb"}),
    "wdrbo": (ContextBox(0.0, 1.0, 0.0, 1.0), {"initial": 2, "rule": "gp-ucb"}),
    "mf-gp-ucb": (ManyAgents(6, [0.0, 1.0]), {"initial": 1, "search": "local"}),
}


def third_question(method, width):
    problem, settings = OTHERS[method]
    session = registry.for_problem(method, problem, seed=2, width=width, **settings)
    for number in range(3):
        asked = session.ask()
        play = {"wdrbo": lambda: problem.play(0.5), "mf-gp-ucb": lambda: problem.played([0, 1] * 3, [0] * 6)}
        session.tell(np.arange(len(asked)) * 0.1 + number, play[method]() if method in play else None)
    return session.ask()


@pytest.mark.parametrize("method", OTHERS)
def test_the_other_methods_take_every_width_that_they_can_use(method):
    expected = third_question(method, 2.0)
    for form in CONSTANT[1:]:
        assert np.array_equal(third_question(method, form), expected)
    assert not np.array_equal(third_question(method, 0.0 if method in ("wdrbo", "mf-gp-ucb") else 40.0), expected)
    if method == "compressed":
        assert third_question(method, REALISED[0]) == third_question(method, REALISED[1])
    else:
        with pytest.raises(ParameterError, match=r"^width:"):
            third_question(method, REALISED[0])


@pytest.mark.parametrize(
    "width",
    [
        *(kind(1.5, 0.1) for kind in (OneRootWidth, SelfNormalizedWidth, ChowdhuryGopalanWidth)),
        *(SrinivasNormWidth(1.5, 0.1, 12.0), SrinivasDrawsWidth(30, 0.1), HorizonDrawsWidth(30, 6, 0.1)),
    ],
    ids=lambda width: type(width).__name__,
)
def test_gp_ucb_starts_with_every_proved_width_and_is_saved_with_it(width, tmp_path):
    session = registry.for_problem("gp-ucb", OTHERS["compressed"][0], seed=0, width=width, horizon=6)
    for _ in range(5):
        session.tell(VALUES[session.ask()])
    asked = session.ask()
    used = session.diagnostics()["width"]
    assert all(found > 2.0 for found in used)
    session.save(tmp_path / "run.session")
    again = restore(tmp_path / "run.session")
    assert again.ask() == asked
    assert again.diagnostics()["width"] == used


def test_the_compressed_bandits_width_is_that_of_the_gain_of_its_points():
    player = CompressedOptimiser(width=REALISED[0], initial=3).player(OTHERS["compressed"][0], 0)
    player.tell(np.zeros(len(player.ask(9))), [])
    gain = float(player.policy.posterior.gain[0])
    assert gain > 1.0
    assert player.policy._width(4, gain) == pytest.approx(REALISED[1](4, gain), rel=1e-14)


def test_a_papers_own_width_is_taken_by_its_method():
    assert not np.array_equal(third_question("ts-rsr", PublishedWidth()), third_question("ts-rsr", 40.0))
    assert np.array_equal(third_question("mf-gp-ucb", PracticeWidth(2.0)), third_question("mf-gp-ucb", 2.0))


@pytest.mark.parametrize(
    ("width", "message"),
    [
        (-1.0, "^width:"),
        (math.inf, "width: got inf"),
        (True, "width: got nan"),
        ("wide", "^width:"),
        (draws_width, "^width:"),
        (OldProtocol(), "^width:"),
        (PracticeWidth(2.0), "^width:"),
        (lambda: 2.0, "^width:"),
    ],
)
def test_what_is_no_width_is_refused_and_not_called_with_another_meaning(width, message):
    with pytest.raises(ParameterError, match=message):
        scheduled(width)
    for make in POLICIES.values():
        with pytest.raises(ParameterError, match="width: "):
            make(width)


def test_a_width_of_nothing_is_a_width():
    """The band of width 0 is the mean."""
    covariance = np.asarray(Matern(2.5, 0.3)(np.linspace(0, 1, 5)[:, None]))
    lower, upper = ConfidenceBand(covariance, 0.1, lambda count, gain: 0.0).bounds()
    assert lower.tolist() == upper.tolist() == [0.0] * 5
