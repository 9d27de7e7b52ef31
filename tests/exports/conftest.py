"""The crates of the papers, packed once for all files of tests."""

import functools
import pickle

import pytest
from shared import made_once

from companion.exports.pack import pack


@pytest.fixture(scope="session")
def crates(root, tmp_path_factory):
    """Crates by paper; others read them too."""

    @functools.cache
    def of(paper):
        def make(folder):
            (folder / "crate.pickle").write_bytes(pickle.dumps(pack(paper, root)))

        return pickle.loads((made_once(tmp_path_factory, f"crate-{paper}", make) / "crate.pickle").read_bytes())

    return of
