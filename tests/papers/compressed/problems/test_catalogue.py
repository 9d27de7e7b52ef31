"""The three problems against values found by other means, the readers of images, and one training redone with torch."""

import gzip
import hashlib
import math
import struct

import numpy as np
import pytest
from oracles.optional import optional
from scipy.optimize import minimize_scalar
from tolerances import CENTRED_ATOL, MISJUDGED_IMAGES, TRAINING_RTOL

from companion.core.errors import DataError, ParameterError, ResultError
from companion.core.randomness import stream
from companion.papers.compressed.problems import catalogue, images, training, tuning_table
from companion.papers.compressed.problems.training import Configuration, configuration, train

torch = optional("torch")


@pytest.mark.parametrize(("low", "high"), [(-10.0, 10.0), (-5.0, 5.0)])
def test_the_example_has_the_optimum_of_a_continuous_search(low, high):
    chapter = catalogue.example(1000, low, high)

    def negative(x):
        return -(math.sqrt(2) * math.sin(x + math.pi / 4) + 0.1 * x)  # the same function, written otherwise

    best = max(-minimize_scalar(negative, bounds=(a, a + 1), method="bounded").fun for a in np.arange(low, high))
    spacing = (high - low) / 999
    assert best - 1.5 * spacing**2 < chapter.problem.optimum <= best + 1e-12
    assert (chapter.initial, chapter.scale, chapter.problem.size) == (2, 1.0, 1000)
    x = chapter.problem.points[[3, 700], 0]
    assert chapter.covariance[3, 700] == pytest.approx(math.exp(-((x[0] - x[1]) ** 2) / 2))


def test_rosenbrock_is_turned_and_standardised():
    chapter = catalogue.rosenbrock()
    raw = [-((1 - x) ** 2 + 10 * (y - x**2) ** 2) for x, y in chapter.problem.points.tolist()]
    assert np.mean(raw) == pytest.approx(-47.9, abs=5.0)  # on the square itself: -47.9, by integration
    assert np.mean(chapter.problem.values) == pytest.approx(0.0, abs=CENTRED_ATOL)
    assert np.std(chapter.problem.values) == pytest.approx(1.0)
    assert chapter.scale == pytest.approx(np.std(raw))
    gaps = (max(raw) - np.array(raw)) / np.std(raw)
    np.testing.assert_allclose(chapter.problem.regret, gaps, atol=1e-12)
    assert chapter.initial == 4
    assert np.abs(chapter.problem.points).max() == 2.0


def test_the_table_of_trainings_becomes_a_problem():
    table, chapter = tuning_table.load("digits"), catalogue.logistic("digits", 100)
    accuracy = table.accuracy[:100]
    seen = chapter.problem.values[:, None] + chapter.residuals
    np.testing.assert_allclose(seen * chapter.scale + accuracy.mean(axis=1).mean(), accuracy, atol=1e-12)
    assert chapter.meta["noise_variance_found"] == pytest.approx(
        np.mean(accuracy.var(axis=1, ddof=1)) / chapter.scale**2
    )
    assert chapter.meta["best_accuracy"] == max(np.mean(row) for row in accuracy)
    assert (chapter.initial, chapter.meta["data"]) == (16, "digits")
    assert chapter.seconds.shape == chapter.residuals.shape == (100, 3)
    assert 0.1 < accuracy.min() < accuracy.max() - 0.1 < 0.9  # tuning matters


@pytest.mark.parametrize("name", images.DATA)
def test_stored_tables_hold_the_planned_configurations(name):
    try:
        table = tuning_table.load(name)
    except ResultError as error:
        assert name == "mnist" and "is missing" in str(error)  # noqa: PT017, PT018 - a stand-in is always there
        return
    np.testing.assert_array_equal(table.points, tuning_table.sobol_points())
    assert table.accuracy.shape == (512, 3)
    assert (table.seconds > 0).all()


def test_a_stored_training_can_be_had_again():
    table = tuning_table.load("digits")
    for number, seed in ((0, 0), (100, 1), (511, 2)):
        generator = stream(seed, "compressed", "training", "digits", number)
        accuracy, _ = train(configuration(table.points[number]), images.digits(), generator)
        assert accuracy == pytest.approx(table.accuracy[number, seed], abs=MISJUDGED_IMAGES / 597)
    assert len({float(x) for x in table.accuracy[100]}) > 1  # the seeds differ


def test_corners_of_the_unit_cube():
    assert configuration(np.zeros(4)) == Configuration(1e-3, 16, 0.0, 1e-6)
    assert configuration(np.ones(4)) == Configuration(1.0, 512, 0.5, 0.1)
    middle = configuration([0.5, 0.5, 0.5, 0.5])
    assert (middle.batch_size, middle.dropout) == (64, 0.25)
    for bad in ([0.5] * 3, [0.5, 0.5, 0.5, 1.5]):
        with pytest.raises(ParameterError, match="point"):
            configuration(bad)


class Order:
    """A generator that keeps every input's byte and a given order."""

    def __init__(self, order, byte):
        self.order, self.byte = order, byte

    def permutation(self, count):
        return self.order[:count]

    def integers(self, low, high, size, dtype):
        return np.full(size, self.byte, dtype)


@pytest.mark.slow
@pytest.mark.parametrize("dropout", [0.0, 0.25])
def test_training_is_torchs_gradient_descent(dropout):
    data = images.digits()
    chosen = Configuration(0.3, 128, dropout, 0.01)
    order = np.random.default_rng(0).permutation(len(data.images))
    ours, seconds = train(chosen, data, Order(order, 255), epochs=2)  # a byte of 255 is always kept
    layer = torch.nn.Linear(64, 10, dtype=torch.float64)
    with torch.no_grad():
        layer.weight.zero_()
        layer.bias.zero_()
    optimiser = torch.optim.SGD(layer.parameters(), lr=0.3, weight_decay=0.01)
    inputs, labels = torch.tensor(data.images[order] / (1 - dropout)), torch.tensor(data.labels[order])
    for _ in range(2):
        for start in range(0, len(inputs), 128):
            optimiser.zero_grad()
            torch.nn.functional.cross_entropy(
                layer(inputs[start : start + 128]), labels[start : start + 128]
            ).backward()
            optimiser.step()
    with torch.no_grad():
        guesses = layer(torch.tensor(data.validation_images)).argmax(dim=1).numpy()
    assert ours == pytest.approx(np.mean(guesses == data.validation_labels), rel=TRAINING_RTOL)
    assert seconds > 0


def test_dropout_drops_the_stated_share():
    kept = training._kept(np.random.default_rng(0), (2000, 64), 64)
    assert kept.mean() == pytest.approx(0.75, abs=0.005)
    assert training._kept(np.random.default_rng(0), (2, 2), 0) is None


def test_the_splits_are_disjoint_and_whole():
    data = images.digits()
    assert (data.images.shape, data.validation_images.shape) == ((1200, 64), (597, 64))
    assert data.images.max() == 1.0
    with pytest.raises(ParameterError, match="data"):
        images.image_data("letters")


def idx(array):
    sizes = struct.pack(f">{array.ndim}I", *array.shape)
    return bytes([0, 0, 8, array.ndim]) + sizes + array.astype(np.uint8).tobytes()


def test_the_file_format_is_read_and_checked():
    array = np.arange(24).reshape(2, 3, 4)
    np.testing.assert_array_equal(images.idx_array(idx(array), 3), array)
    for broken in (idx(array)[:-1], idx(array) + b"x", b"", idx(array[0])):
        with pytest.raises(DataError, match="idx"):
            images.idx_array(broken, 3)


def test_real_files_are_recognised_by_their_content(tmp_path, monkeypatch):
    monkeypatch.delenv("COMPANION_DATA", raising=False)
    with pytest.raises(DataError, match="is not there"):
        images.mnist()
    (tmp_path / "mnist").mkdir()
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path))
    labels = tmp_path / "mnist" / "train-labels-idx1-ubyte.gz"
    labels.write_bytes(gzip.compress(idx(np.arange(5))))
    with pytest.raises(DataError, match="SHA-256"):
        images.unpacked(labels.name)
    labels.write_bytes(b"no gzip")
    with pytest.raises(DataError, match="decompressed"):
        images.unpacked(labels.name)
    # Another compression of the right content passes: the sources list the content's checksum for the images.
    content = idx(np.zeros((2, 2, 2)))
    listed = {
        "mnist": {"files": {}, "decompressed": {"train-images-idx3-ubyte.gz": hashlib.sha256(content).hexdigest()}}
    }
    monkeypatch.setattr(images.tomllib, "loads", lambda _: listed)
    (tmp_path / "mnist" / "train-images-idx3-ubyte.gz").write_bytes(gzip.compress(content, 1))
    assert images.unpacked("train-images-idx3-ubyte.gz") == content


def test_an_interrupted_table_resumes(tmp_path, monkeypatch):
    real, calls = tuning_table.compute, []

    def stops(task):
        if len(calls) == 5:
            raise KeyboardInterrupt
        calls.append(task)
        return real(task)

    monkeypatch.setattr(tuning_table, "compute", stops)
    with pytest.raises(KeyboardInterrupt):
        tuning_table.store("digits", tmp_path, jobs=1, log_size=2, seeds=2, folder=tmp_path)
    with pytest.raises(ResultError, match="tuning_table digits"):
        tuning_table.load("digits", tmp_path)
    monkeypatch.setattr(tuning_table, "compute", real)
    tuning_table.store("digits", tmp_path, jobs=1, log_size=2, seeds=2, folder=tmp_path)
    table = tuning_table.load("digits", tmp_path)
    assert table.accuracy.shape == (4, 2)
    again = real(tuning_table.tasks("digits", 2, 2)[3])  # configuration 1, seed 1
    assert table.accuracy[1, 1] == again["accuracy"]
    assert tuning_table.best_available(tmp_path) == "digits"


def test_the_table_is_made_by_one_command(monkeypatch):
    for arguments in ([], ["letters"], ["digits", "mnist"]):
        with pytest.raises(SystemExit, match="usage"):
            tuning_table.main(arguments)
    monkeypatch.delenv("COMPANION_DATA", raising=False)
    images.image_data.cache_clear()
    with pytest.raises(SystemExit, match="COMPANION_DATA"):
        tuning_table.main(["mnist"])


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: catalogue.example(low=2.0, high=2.0), "low"),
        (lambda: catalogue.rosenbrock(low=2.0, high=1.0), "low"),
        (lambda: catalogue.logistic("letters"), "data"),
        (lambda: catalogue.logistic("digits", 513), "configurations"),
    ],
)
def test_bad_arguments_are_refused(call, name):
    with pytest.raises(ParameterError, match=name):
        call()
