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

from companion.core.arrays import Floats
from companion.core.errors import DataError, ParameterError, nearest
from companion.core.files import repository_root

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


@dataclass(frozen=True)
class DataUsed:
    """Data used by an experiment, as a trial, a list and a stored run name it.

    Parameters
    ----------
    choice : value of the experiment's parameter ``data`` that asks for these very data, so never ``"auto"``
    title : what they are, in words
    real : whether they are the real ones; a stand-in is not
    sha256 : of the file's content; empty for what the package itself makes
    """

    choice: str
    title: str
    real: bool
    sha256: str = ""

    @property
    def label(self) -> str:
        """Choice and the head of the checksum: equal for equal data only."""
        return f"{self.choice} {self.sha256[:12]}".strip()


def data_used(asked: str, real: str, title: str, dataset: str, file: str, stand_in: DataUsed) -> DataUsed:
    """Real data from a file, or their stand-in.

    Parameters
    ----------
    asked : value of the parameter ``data``; ``"auto"`` takes the real data where ``$COMPANION_DATA`` has the file
    real : the value that asks for the real data; that of the stand-in is its ``choice``
    title, stand_in : see :class:`DataUsed`
    dataset, file : as in ``data/sources.toml``, which also has the checksum: a run on other content is refused

    Raises
    ------
    DataError
        see :func:`data_file`
    """
    if asked == stand_in.choice or (asked == "auto" and data_file(dataset, file) is None):
        return stand_in
    return DataUsed(real, title, True, str(_listed(dataset, file)))


def _listed(dataset: str, file: str) -> str | None:
    """Checksum in ``data/sources.toml``, or ``None``."""
    sources = tomllib.loads((repository_root() / "data" / "sources.toml").read_text(encoding="utf-8"))
    found: str | None = sources.get(dataset, {}).get("files", {}).get(file)
    return found


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
    expected = _listed(dataset, file)
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


def regression_data_used(asked: str) -> DataUsed:
    """Source that :func:`regression_data` takes."""
    other = DataUsed("diabetes", "scikit-learn's diabetes data, a stand-in for Boston housing", False)
    return data_used(asked, "boston", "Boston housing", "boston", "boston_house_prices.csv", other)


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
