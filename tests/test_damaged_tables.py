"""Tables of the repository that are damaged: whoever reads them says in a line which file it is, and what is wrong with it."""

from __future__ import annotations

import pytest

from companion.checks import inventory
from companion.checks.statement import Statement
from companion.checks.suspected_error import SuspectedError
from companion.core.data_sources import data_sets
from companion.core.errors import CompanionError
from companion.current.data_digest import data_digest
from companion.judge import consequence, titles
from companion.judge.reported import load_claims, load_margins, load_tables
from companion.papers.across.checks.shared_errors import kinds

REPORTED = "data/reported"
TABLES = {
    f"{REPORTED}/toy/inventory.csv": lambda root: inventory.read(root / REPORTED / "toy/inventory.csv", Statement),
    f"{REPORTED}/toy/leads.csv": lambda root: inventory.read(root / REPORTED / "toy/leads.csv", SuspectedError),
    f"{REPORTED}/toy/errors.csv": lambda root: consequence.load("toy", root),
    f"{REPORTED}/toy/claims.csv": lambda root: load_claims("toy", root),
    f"{REPORTED}/toy/table1.csv": lambda root: load_tables("toy", root),
}
#: Files, and what reads them.
SETTINGS = {
    f"{REPORTED}/margins.toml": lambda root: load_margins("toy", root),
    f"{REPORTED}/titles.toml": lambda root: titles.load(root, "toy"),
    f"{REPORTED}/kinds.toml": kinds,
    f"{REPORTED}/toy/findings.toml": lambda root: inventory.sentences(
        root / REPORTED / "toy/findings.toml", ["E1"], every=True
    ),
    "data/sources.toml": data_sets,
}
CONTENTS = {
    "bytes": b"\xff\xfe\x00",
    "nothing": b"",
    "a quote": b'id,title,location,anchor,role,numbered\n"x',
    "a row too short": b"id,title,location,anchor,role,numbered\nx,y\n",
    "a row too long": b"id,title,location,anchor,role,numbered\nx,y,z,a,claim,no,b\n",
    "one long field": b"id,title,location,anchor,role,numbered\n" + b"x" * 200_000,
}


def damaged(folder, path, content):
    place = folder / path
    place.parent.mkdir(parents=True)
    place.write_bytes(content)
    return folder


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("path", TABLES)
def test_of_a_table(path, content, tmp_path):
    with pytest.raises(CompanionError) as refused:
        TABLES[path](damaged(tmp_path, path, CONTENTS[content]))
    assert path.rpartition("/")[2] in str(refused.value)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 1000


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"[toy", b"a=" + b"[" * 3000, b"toy=1\n"])
@pytest.mark.parametrize("path", SETTINGS)
def test_of_settings(path, content, tmp_path):
    with pytest.raises(CompanionError, match=path) as refused:
        SETTINGS[path](damaged(tmp_path, path, content))
    assert len(str(refused.value)) < 1000


@pytest.mark.parametrize("name", ["margins", "titles"])
def test_where_only_its_digest_is_wanted(name, tmp_path):
    with pytest.raises(CompanionError, match=f"{name}.toml"):
        data_digest("toy", damaged(tmp_path, f"{REPORTED}/{name}.toml", b"\xff\xfe"))


def test_a_missing_table(tmp_path):
    for path, read in (TABLES | SETTINGS).items():
        if not path.endswith(("errors.csv", "titles.toml")):  # papers may have none
            with pytest.raises(CompanionError):
                read(tmp_path)
