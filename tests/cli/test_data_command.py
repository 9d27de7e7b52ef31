"""``companion data``: what is there, fetching with the checksum, and where a set lies."""

from __future__ import annotations

import functools
import gzip
import hashlib
import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.core import data_sources

CONTENT = {"a.csv": b"1,2\n", "b.csv": b"3,4\n", "c.csv": b"c\n", "d.csv.gz": gzip.compress(b"packed\n")}


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A repository that lists two sets, their files on a server of this machine, and an empty data folder (the value)."""
    web = tmp_path / "web"
    web.mkdir()
    quiet = type("Quiet", (http.server.SimpleHTTPRequestHandler,), {"log_message": lambda *words: None})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(quiet, directory=str(web)))
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    for name, content in CONTENT.items():
        (web / name).write_bytes(content)
    other = gzip.compress(b"packed\n", compresslevel=1, mtime=1)
    assert other != CONTENT["d.csv.gz"]
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "sources.toml").write_text(
        f'''
[toys]
title = "Toys"
publisher = "Nobody"
licence = ""
address = "https://example.org/"
note = "not for play"
[toys.files]
"a.csv" = "{digest(CONTENT["a.csv"])}"
"b.csv" = "{digest(CONTENT["b.csv"])}"
"a.txt" = "{digest(b"the same as a")}"
"d.csv.gz" = "{digest(CONTENT["d.csv.gz"])}"
[toys.urls]
"a.csv" = "{address}/a.csv"
"b.csv" = "{address}/b.csv"
"d.csv.gz" = "{address}/d.csv.gz"
[toys.instead]
"a.txt" = "a.csv"
"a.csv" = "a.txt"
[toys.decompressed]
"d.csv.gz" = "{digest(b"packed" + bytes([10]))}"

[made]
title = "Made by hand"
publisher = "Nobody"
licence = "CC0"
address = "https://example.org/made"
by_hand = "cut out and glue"
[made.files]
"c.csv" = "{digest(CONTENT["c.csv"])}"
''',
        encoding="utf-8",
    )
    monkeypatch.setattr(data_sources, "repository_root", lambda: tmp_path)
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path / "shelf"))
    yield tmp_path / "shelf"
    server.shutdown()
    server.server_close()


def states(command, name: str) -> dict[str, str]:
    _, out, _ = command("data", "status", name, "--json")
    (entry,) = json.loads(out)
    return {"": entry["state"], **{file["file"]: file["state"] for file in entry["files"]}}


def test_status_tells_absent_right_damaged_and_replaced_apart(shelf: Path, command) -> None:
    absent = dict.fromkeys(("", "a.csv", "b.csv", "a.txt", "d.csv.gz"), "absent")
    assert states(command, "toys") == absent
    (shelf / "toys").mkdir(parents=True)
    (shelf / "toys" / "a.csv").write_bytes(CONTENT["a.csv"])
    assert states(command, "toys") == {**absent, "": "partial", "a.csv": "ok", "a.txt": "replaced"}
    (shelf / "toys" / "b.csv").write_bytes(b"3,5\n")
    assert states(command, "toys")[""] == "damaged"
    code, out, _ = command("data", "status")
    assert code == 1
    assert [line.split()[:2] for line in out.splitlines()[:3]] == [
        ["set", "state"],
        ["toys", "damaged"],
        ["made", "absent"],
    ]
    assert str(shelf) in out.splitlines()[-1]


def test_a_file_compressed_otherwise_is_right_if_its_content_is(shelf: Path, command) -> None:
    (shelf / "toys").mkdir(parents=True)
    file = shelf / "toys" / "d.csv.gz"
    file.write_bytes(gzip.compress(b"packed\n", compresslevel=1, mtime=1))
    assert states(command, "toys")["d.csv.gz"] == "ok"
    for wrong in (gzip.compress(b"other\n"), b"no gzip at all", CONTENT["d.csv.gz"][:-9]):
        file.write_bytes(wrong)
        assert states(command, "toys")["d.csv.gz"] == "damaged"


def test_status_of_one_set_shows_what_one_has_to_know(shelf: Path, command) -> None:
    code, out, err = command("data", "status", "toys")
    assert (code, err) == (0, "")
    for fact in ("Toys", "Nobody", "none stated", "https://example.org/", "not for play", "a.csv"):
        assert fact in out
    _, out, _ = command("data", "status", "made")
    assert "cut out and glue" in out
    _, out, _ = command("data", "status", "--json")
    entries = json.loads(out)
    assert [entry["name"] for entry in entries] == ["toys", "made"]
    assert entries[0]["files"][0] == {
        "file": "a.csv",
        "state": "absent",
        "sha256": digest(CONTENT["a.csv"]),
        "url": data_sources.data_set("toys").urls["a.csv"],
    }
    assert entries[0]["licence"] is None


def test_fetch_writes_what_is_missing_once_and_checked(shelf: Path, command) -> None:
    (shelf / "toys").mkdir(parents=True)
    (shelf / "toys" / "b.csv").write_bytes(b"damaged")
    code, out, err = command("data", "fetch", "toys")
    assert (code, err) == (0, "")
    assert "none stated" in out
    assert sorted(path.name for path in (shelf / "toys").iterdir()) == ["a.csv", "b.csv", "d.csv.gz"]
    for name in ("a.csv", "b.csv", "d.csv.gz"):
        assert (shelf / "toys" / name).read_bytes() == CONTENT[name]
    for path in (shelf.parent / "web").iterdir():
        path.unlink()  # a second fetch needs nothing
    code, out, _ = command("data", "fetch", "toys", "--json")
    assert code == 0
    assert json.loads(out) == {
        "name": "toys",
        "folder": str(shelf / "toys"),
        "state": "ok",
        "fetched": [],
        "lacking": [],
        "used": True,
    }


def test_another_content_is_not_written(shelf: Path, command) -> None:
    (shelf.parent / "web" / "a.csv").write_bytes(b"1,3\n")
    code, _, err = command("data", "fetch", "toys")
    assert code == 1
    assert "SHA-256" in err
    assert "nothing was written" in err
    assert not (shelf / "toys").exists()


def test_a_failed_download_names_the_address_and_leaves_no_part(shelf: Path, command) -> None:
    (shelf.parent / "web" / "b.csv").unlink()
    code, _, err = command("data", "fetch", "toys")
    assert code == 1
    assert "b.csv" in err
    assert [path.name for path in (shelf / "toys").iterdir()] == ["a.csv"]


def test_what_has_no_address_is_explained(shelf: Path, command) -> None:
    code, _, err = command("data", "fetch", "made")
    assert code == 1
    assert "c.csv" in err
    assert str(shelf / "made") in err
    assert not shelf.exists()


def test_a_folder_that_cannot_be_written_is_an_explained_error(shelf: Path, command, monkeypatch) -> None:
    shelf.write_text("a file where the folder should be")
    monkeypatch.setattr(data_sources, "_download", lambda address: pytest.fail(f"{address} was asked"))
    code, _, err = command("data", "fetch", "toys")
    assert code == 1
    assert "cannot be written" in err
    assert "COMPANION_DATA" in err


def test_without_the_variable_the_cache_is_filled_and_said_to_be_unused(
    shelf: Path,
    command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("COMPANION_DATA")
    monkeypatch.setenv("XDG_CACHE_HOME", str(shelf.parent / "cache"))
    place = shelf.parent / "cache" / "companion" / "data"
    code, out, _ = command("data", "fetch", "toys")
    assert code == 0
    assert (place / "toys" / "a.csv").read_bytes() == CONTENT["a.csv"]
    assert f"set COMPANION_DATA={place}" in out
    _, out, _ = command("data", "status")
    assert "not used until COMPANION_DATA is set" in out


def test_path_prints_the_folder_and_nothing_else(shelf: Path, command) -> None:
    code, out, err = command("data", "path", "toys")
    assert (code, out) == (1, "")
    assert "toys" in err
    command("data", "fetch", "toys")
    assert command("data", "path", "toys") == (0, f"{shelf / 'toys'}\n", "")
    _, out, _ = command("data", "path", "toys", "--json")
    assert json.loads(out) == {"name": "toys", "folder": str(shelf / "toys"), "state": "ok", "used": True}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fech", "toys"], "ACTION: got 'fech'; expected one of status, fetch, path. Did you mean 'fetch'?"),
        (["fetch"], "NAME: not given; expected one of toys, made"),
        (["path"], "NAME: not given"),
        (["fetch", "toy"], "NAME: got 'toy'; expected one of toys, made. Did you mean 'toys'?"),
        (["status", "toy"], "NAME: got 'toy'"),
        ([], "ACTION: not given"),
    ],
)
def test_bad_input_is_refused_by_name(arguments: list[str], message: str, shelf: Path, command) -> None:
    code, out, err = command("data", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert not shelf.exists()


def test_a_download_that_is_too_long_is_stopped(shelf: Path, command, monkeypatch) -> None:
    monkeypatch.setattr(data_sources, "MOST_BYTES", 3)
    code, _, err = command("data", "fetch", "toys")
    assert (code, err.count("\n")) == (1, 1)
    assert not shelf.exists()


def test_a_redirection_to_a_file_or_to_ftp_is_not_followed() -> None:
    for address in ("file:///etc/passwd", "ftp://127.0.0.1/a"):
        with pytest.raises(data_sources.DataError, match="unknown url type"):
            data_sources._download(address)
        with pytest.raises(data_sources.urllib.error.URLError, match="neither http nor https"):
            data_sources._Redirect().redirect_request(None, None, 302, "Found", {}, address)


def test_doctor_notices_a_damaged_file(shelf: Path, command, monkeypatch) -> None:
    monkeypatch.setattr(data_sources, "data_sets", lambda known=data_sources.data_sets: known(shelf.parent))
    (shelf / "toys").mkdir(parents=True)
    for content, state in ((CONTENT["a.csv"], "ok"), (b"9,9\n", "missing")):
        (shelf / "toys" / "a.csv").write_bytes(content)
        found = {one["name"]: one for one in json.loads(command("doctor", "--json")[1])}
        assert found["COMPANION_DATA"]["state"] == state
    assert "toys not as published" in found["COMPANION_DATA"]["detail"]
