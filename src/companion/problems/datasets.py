"""Real data for regression problems: files found through ``COMPANION_DATA``, and the stand-in bundled with scikit-learn."""

from __future__ import annotations

import csv
import hashlib
import io
import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from companion.errors import DataError, ParameterError, nearest
from companion.files import repository_root

Floats = NDArray[np.float64]

VARIABLE = "COMPANION_DATA"
REGRESSION = ("auto", "boston", "diabetes")


@dataclass(frozen=True, eq=False)
class RegressionData:
    """Inputs and targets.

    Parameters
    ----------
    name : short name for tables and records
    inputs : (n, p), raw
    targets : (n,), raw
    unit : of the targets
    remark : what a reader has to be told wherever the data are used
    """

    name: str
    inputs: Floats
    targets: Floats
    unit: str
    remark: str


def data_file(dataset: str, file: str) -> bytes | None:
    """Content of ``$COMPANION_DATA/<dataset>/<file>``, or ``None`` where the variable is unset or the file absent.

    Raises
    ------
    DataError
        if ``data/sources.toml`` does not list the file, or its SHA-256 is another one
    """
    folder = os.environ.get(VARIABLE)
    if not folder:
        return None
    path = Path(folder) / dataset / file
    if not path.is_file():
        return None
    sources = tomllib.loads((repository_root() / "data" / "sources.toml").read_text(encoding="utf-8"))
    expected = sources.get(dataset, {}).get("files", {}).get(file)
    if expected is None:
        raise DataError(f"data/sources.toml does not list {dataset}/{file}, so its content cannot be checked")
    content = path.read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found != expected:
        raise DataError(
            f"{dataset}/{file} has SHA-256 {found[:12]}..., data/sources.toml says {expected[:12]}...; "
            f"get the file again, or unset {VARIABLE} to run on the stand-in"
        )
    return content


def boston() -> RegressionData | None:
    """Boston housing: 13 inputs, the median value of owner-occupied homes in 1000 USD; ``None`` without the file."""
    content = data_file("boston", "boston_house_prices.csv")
    if content is None:
        return None
    lines = list(csv.reader(io.StringIO(content.decode("ascii"))))
    table = np.array([[float(entry) for entry in line] for line in lines[2:]])
    remark = (
        "Boston housing, whose column B encodes a racial assumption; used here only to repeat the paper's experiment"
    )
    return RegressionData("boston", table[:, :13], table[:, 13], "1000 USD", remark)


def diabetes() -> RegressionData:
    """Scikit-learn's diabetes data: 442 patients, 10 inputs, a measure of the disease's progression after a year."""
    from sklearn.datasets import load_diabetes

    bunch = load_diabetes(scaled=False)
    remark = "scikit-learn's diabetes data, a stand-in for Boston housing"
    inputs, targets = np.asarray(bunch.data, dtype=np.float64), np.asarray(bunch.target, dtype=np.float64)
    return RegressionData("diabetes", inputs, targets, "score points", remark)


def regression_data(name: str = "auto") -> RegressionData:
    """One of :data:`REGRESSION`; ``"auto"`` takes Boston housing where it is found and the diabetes data otherwise.

    Raises
    ------
    ParameterError
        for an unknown name
    DataError
        if ``"boston"`` is asked for by name and absent, or a file is not the one it should be
    """
    if name not in REGRESSION:
        raise ParameterError("data", f"got {name!r}", ", ".join(REGRESSION), nearest(str(name), REGRESSION))
    if name == "diabetes":
        return diabetes()
    found = boston()
    if found is None and name == "boston":
        raise DataError(
            f"boston/boston_house_prices.csv is not there: set {VARIABLE} to the folder that holds it "
            "(data/README.md), or ask for data='diabetes'"
        )
    return diabetes() if found is None else found
