"""The checker of golden values, which lies outside the package."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def checker() -> ModuleType:
    path = Path(__file__).resolve().parents[2] / "data" / "golden" / "check.py"
    spec = importlib.util.spec_from_file_location("golden_check", path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)  # where dataclasses look for it
    spec.loader.exec_module(module)
    return module
