"""Tensors' ties and expected improvement against NumPy's, devices, memory, and choices that are played again."""

import numpy as np
import pytest
from tolerances import FORMULA_RTOL

pytest.importorskip("torch")
import torch

from companion.core.errors import CompanionError, ParameterError
from companion.gp import ties
from companion.policies import acquisition
from companion.simulate import tensors
from companion.simulate.vectorised import Played, Replay


def test_the_largest_value_is_the_one_of_the_loop():
    rng = np.random.default_rng(0)
    values = rng.integers(0, 4, (50, 12)) * (1 + 1e-12 * rng.standard_normal((50, 12)))
    index, doubtful = tensors.lowest_argmaxes(torch.as_tensor(values))
    assert index.tolist() == ties.lowest_argmaxes(values).tolist()
    assert not doubtful.any()
    assert tensors.lowest_argmaxes(torch.full((1, 3), -torch.inf))[0].tolist() == [0]
    edge = torch.as_tensor(np.array([[1.0 - 1e-9, 1.0]]))
    assert tensors.lowest_argmaxes(edge)[1].tolist() == [True]
    exact, close = tensors.argmaxes(torch.as_tensor(np.array([[1.0, 3.0, 3.0 + 1e-12, 0.0], [1.0, 3.0, 2.9, 0.0]])))
    assert (exact.tolist(), close.tolist()) == ([2, 1], [True, False])


def test_expected_improvement_is_the_one_of_the_loop():
    rng = np.random.default_rng(1)
    mean, sd = rng.standard_normal((4, 200)), 10.0 ** rng.uniform(-6, 1, (4, 200))
    incumbent = rng.standard_normal(4) + 2.0
    found = tensors.log_expected_improvement(*map(torch.as_tensor, (mean, sd, incumbent[:, None])))
    wanted = acquisition.log_expected_improvement(mean, sd, incumbent[:, None])
    np.testing.assert_allclose(found, wanted, rtol=FORMULA_RTOL)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("cuda", "got 'cuda', and torch finds only cpu here"),
        ("cuda:1", "got 'cuda:1', and torch finds only cpu here"),
        ("mps", "mps has no double precision.*one of cpu$"),
        ("gpu", "got 'gpu'; expected one of cpu, cuda"),
        ("cpu:0", "got 'cpu:0'"),
    ],
)
def test_a_device_that_is_not_here_is_refused(monkeypatch, name, message):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ParameterError, match=f"^--device: {message}"):
        tensors.device_named(name)
    assert tensors.device_named("cpu") == "cpu"


def test_devices_that_are_here_are_taken(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert [tensors.device_named(name) for name in ("cuda", "cuda:1")] == ["cuda", "cuda:1"]
    with pytest.raises(ParameterError):
        tensors.device_named("cuda:2")


@pytest.mark.parametrize(("limit", "free"), [("max", 2_000_000 * 1024), ("1000000", 400_000)])
def test_memory_is_what_the_machine_and_the_container_leave(monkeypatch, tmp_path, limit, free):
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable:    2000000 kB\n")
    (tmp_path / "memory.max").write_text(limit)
    (tmp_path / "memory.current").write_text("600000\n")
    monkeypatch.setattr(tensors, "_MEMORY", tmp_path / "meminfo")
    monkeypatch.setattr(tensors, "_GROUP", tmp_path)
    assert tensors.free_bytes("cpu") == free


def test_too_much_memory_is_refused_with_the_seeds_that_fit(monkeypatch):
    monkeypatch.setattr(tensors, "free_bytes", lambda device: 2**30)
    tensors.check_memory(2**30, "cpu", 40)
    with pytest.raises(ParameterError):
        tensors.check_memory(4 * 2**30, "cpu", 40)


def test_choices_made_on_other_values_are_not_passed_off_as_a_run():
    played = Played([2, 1], np.array([4, 5, 6]), np.array([0.1, 0.2, 0.3]), [2, 3], 5, {"gain": 1.0})
    replay = Replay(played)
    assert replay.ask(3).query.tolist() == [4, 5]
    replay.tell(np.array([0.1, 0.2]))
    assert replay.model_order == 2
    assert replay.ask(1).query.tolist() == [6]
    with pytest.raises(CompanionError):
        replay.tell(np.array([0.30001]))
    assert (replay.recommend(), replay.diagnostics()) == (5, {"gain": 1.0})
