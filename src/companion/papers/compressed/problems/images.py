"""Labelled images for the tuning experiment of Section 4.3: MNIST where it is found, scikit-learn's digits otherwise."""

from __future__ import annotations

import gzip
import hashlib
import os
import struct
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.core.errors import DataError, ParameterError, nearest
from companion.core.files import repository_root
from companion.problems.datasets import VARIABLE

DATA = ("digits", "mnist")
CLASSES = 10
#: The first images of MNIST's training file are trained on, the last 10,000 validate; its test file is not used.
MNIST_TRAINING = 50_000
DIGITS_TRAINING = 1200


@dataclass(frozen=True, eq=False)
class ImageData:
    """Images in rows, pixels from 0 to 1, with their labels from 0 to 9, split into training and validation.

    Parameters
    ----------
    name : short name for tables and records
    images, labels : (n, p) and (n,), to train on
    validation_images, validation_labels : to measure accuracy on
    remark : note for readers wherever the data are used
    """

    name: str
    images: NDArray[np.floating[Any]]
    labels: NDArray[np.integer[Any]]
    validation_images: NDArray[np.floating[Any]]
    validation_labels: NDArray[np.integer[Any]]
    remark: str


def digits() -> ImageData:
    """Scikit-learn's 1,797 digits of 8 x 8 pixels: the first 1,200 to train, the other 597 to validate."""
    from sklearn.datasets import load_digits

    bunch = load_digits()
    images, labels = np.asarray(bunch.data, dtype=np.float64) / 16.0, np.asarray(bunch.target, dtype=np.intp)
    remark = "scikit-learn's digits, 8 x 8 pixels, a stand-in for MNIST"
    n = DIGITS_TRAINING
    return ImageData("digits", images[:n], labels[:n], images[n:], labels[n:], remark)


def mnist() -> ImageData:
    """MNIST's training file, 28 x 28 pixels: 50,000 images to train, 10,000 to validate. In single precision: 160 MB.

    Raises
    ------
    DataError
        if the files are not found through ``COMPANION_DATA``, or are not the ones of ``data/sources.toml``
    """
    pixels = idx_array(unpacked("train-images-idx3-ubyte.gz"), 3)
    labels = idx_array(unpacked("train-labels-idx1-ubyte.gz"), 1).astype(np.intp)
    images = pixels.reshape(len(pixels), -1).astype(np.float32) / np.float32(255.0)
    n = MNIST_TRAINING
    return ImageData("mnist", images[:n], labels[:n], images[n:], labels[n:], "MNIST, training file only")


def unpacked(file: str) -> bytes:
    """Decompressed content of ``$COMPANION_DATA/mnist/<file>``, checked against ``data/sources.toml``.

    Compression is not unique, so where the sources give the SHA-256 of the decompressed content, that one decides.

    Raises
    ------
    DataError
        if the file is missing, no gzip file, or another one
    """
    folder = os.environ.get(VARIABLE)
    path = Path(folder or ".") / "mnist" / file
    if not folder or not path.is_file():
        raise DataError(
            f"mnist/{file} is not there: set {VARIABLE} to the folder that holds it (data/README.md), "
            "or ask for data='digits'"
        )
    listed = tomllib.loads((repository_root() / "data" / "sources.toml").read_text(encoding="utf-8"))["mnist"]
    packed = path.read_bytes()
    try:
        content = gzip.decompress(packed)
    except (OSError, EOFError) as error:
        raise DataError(f"mnist/{file} cannot be decompressed: {error}") from None
    inside = file in listed["decompressed"]
    expected = listed["decompressed" if inside else "files"][file]
    found = hashlib.sha256(content if inside else packed).hexdigest()
    if found != expected:
        raise DataError(f"mnist/{file} has SHA-256 {found[:12]}..., data/sources.toml says {expected[:12]}...")
    return content


def idx_array(content: bytes, axes: int) -> NDArray[np.uint8]:
    """Array of bytes from MNIST's file format: two zeros, type 8, number of axes, big-endian sizes, data.

    Raises
    ------
    DataError
        if the header or the length is another
    """
    head = 4 + 4 * axes
    sizes = struct.unpack(f">{axes}I", content[4:head]) if len(content) >= head else ()
    if content[:4] != bytes([0, 0, 8, axes]) or len(content) != head + int(np.prod(sizes)):
        raise DataError(f"not an idx file of bytes with {axes} axes, or a truncated one")
    return np.frombuffer(content, dtype=np.uint8, offset=head).reshape(sizes)


@lru_cache(maxsize=1)
def image_data(name: str) -> ImageData:
    """One of :data:`DATA`; :class:`ParameterError` for another name."""
    if name not in DATA:
        raise ParameterError("data", f"got {name!r}", ", ".join(DATA), nearest(str(name), DATA))
    return mnist() if name == "mnist" else digits()
