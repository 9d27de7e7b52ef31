"""``import companion as cp``: quick, complete, known to type checkers, and every name has an example that runs."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import companion as cp

NAMES = [name for name in cp.__all__ if name != "__version__"]


@pytest.mark.parametrize("name", NAMES)
def test_every_name_has_an_example(name):
    assert ">>> " in (getattr(cp, name).__doc__ or ""), f"help(companion.{name}) shows no example"


def test_importing_loads_nothing_else():
    code = "import sys, companion; print(*sorted({m.partition('.')[0] for m in sys.modules}), dir(companion).count('Runs'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "1" in loaded
    assert not loaded & {"numpy", "scipy", "pandas", "matplotlib", "torch", "joblib"}


@pytest.mark.slow
def test_one_run_needs_neither_pandas_nor_matplotlib_nor_statistics():
    """Nor does the gain of a matrix: an installation with NumPy and SciPy alone is to do both."""
    code = """
import sys
for name in ("pandas", "matplotlib", "PIL", "sklearn", "torch", "gpytorch"):
    sys.modules[name] = None
import companion as cp
cp.certified_gain(cp.kernel("se", 0.2)(cp.grid(10, 1)), 5, noise_sd=0.1)
experiment = cp.experiment("batched", "appendix-e")
experiment.run("bpe", seed=0, horizon=10, points_per_axis=5)
assert experiment.run("bpe", seeds=range(2), horizon=10, points_per_axis=5).regret.shape == (2, 10)
cp.read_candidates([[1.0], [2.0]])
assert "scipy.stats" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_is_offered_is_what_a_user_calls_and_nothing_else():
    """Rooms and their machinery are attributes, and no more."""
    assert dir(cp) == sorted(cp.__all__)
    assert not {"Any", "importlib", "gp", "registry"} & {*dir(cp)}
    assert cp.gp.Matern is cp.Matern


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'gain_brackett'"):
        cp.gain_brackett  # noqa: B018


def test_type_checkers_see_the_same_names():
    stub = ast.parse(Path(cp.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    seen = {
        alias.name: item.module
        for item in stub.body
        if isinstance(item, ast.ImportFrom)
        for alias in item.names
        if alias.asname == alias.name
    }
    homes = {name: f"companion.{home}" for name, home in cp._HOMES.items()}
    modules = {name: f"companion.{place}".rpartition(".")[0] for name, place in cp._MODULES.items()}
    assert seen == homes | modules


def test_modules_are_there_too():
    assert all(getattr(cp, name).__name__ == f"companion.{place}" for name, place in cp._MODULES.items())


def test_no_name_hides_a_module():
    assert not set(NAMES) & set(cp._MODULES)


def test_every_name_stands_on_the_page_of_the_api(root):
    page = (root / "book" / "api" / "library.md").read_text(encoding="utf-8")
    assert [name for name in NAMES if f"`cp.{name}`" not in page and f"`cp.{name} <" not in page] == []
