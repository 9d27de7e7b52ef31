"""The wheel with its base dependencies alone: commands do their work, or say in one line what to install."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from shared import installed

SMALL = ("--set", "horizon=12", "--set", "points_per_axis=8")
PLAN = """
seeds = "0-1"

[[runs]]
experiment = "ch3/appendix-e"
settings = {horizon = 12, points_per_axis = 8}
"""
GAIN = "gain --kernel se --lengthscale 0.2 --dim 1 --points 10 --noise 0.1 --horizon 5"
BOUNDS = "bounds --kernel se --lengthscale 0.2 --dim 1 --points 10 --noise 0.1 --horizon 10 --norm 1"

#: What works, and a word of what it prints.
WORKS = {
    "list": "hard-class",
    "list 3 robust": "stableopt",
    GAIN: "upper",
    " ".join(["trial 3 appendix-e bpe --seed 0", *SMALL]): "recommended point",
    "trial compressed example-function gp-ucb,cgp-ucb --seeds 0-1 --set horizon=5 --out two.csv": "two.record.json",
    "trial compressed logistic cgp-ucb --seed 0 --set horizon=5": "recommended point",
    "sweep plan.toml --jobs 1": "2 computed now",
    "sweep plan.toml status": "batched/appendix-e",
    "sweep plan.toml merge": "sweep.record.json",
    "data status": "portfolio",
    "ledger ch3_batched --id eq-47 --teeth --jobs 1": "bites",
    "assignment list": "ch3_sizes",
    "errata 1 --id X8": "repaired: nu = 2.5",
    "doctor": 'pip install "gp-bandit-companion[chapters]"',
    "verdicts 3": "As stored, since pandas is not installed",
    "verdicts 3 --id orig": "batched Table 1, orig",
    "verdicts 3 --csv": "reproduced_mean",
    "golden mine.py": "2 pass",
    "list TS-RSR --names": "gp-2d",
}
if importlib.util.find_spec("companion.cli.bounds_command"):
    WORKS[BOUNDS] = "trivial"
#: What is wrong with the request, which is said before a library is missed.
REFUSED = {
    "run 9": "paper: got '9'",
    "new-paper toy": "repository",
    "verdicts nosuch": "paper: got 'nosuch'",
    "verdicts 3 --id nosuch": "id: got 'nosuch'",
    "verify nosuch": "paper: got 'nosuch'",
    "verify 3": "repository",
    "settle": "repository",
    "evidence 3": "repository",
    "audit nofile.csv plan.toml plan.toml": "REPORTED: nofile.csv is not there",
    "audit plan.toml nofile.csv plan.toml": "REPRODUCED: nofile.csv is not there",
    "discrepancies nosuch": "paper: got 'nosuch'",
    "export nosuch --out x": "paper: got 'nosuch'",
}
#: What needs more, and the extra that it names.
NEEDS = {
    "discrepancies 3 --jobs 1": "tables",
    "ledger 4 --jobs 1": "tables",
    "export 3 --out crate": "tables",
    "sweep 3 status": "tables",
    "run 3": "chapters",
    "trial 3 appendix-e bpe --seeds 0-1 --out runs.parquet": "parquet",
    "trial tsrsr boston-4d random --seed 0": "data",
    "trial tsrsr boston-4d random --seeds 0-1": "data",
}

# One process for all commands: starting one takes longer than most of them.
PROGRAM = """
import contextlib, io, json, shlex, sys
sys.path[:0] = sys.argv[1:3]
from companion.cli import main
found = {}
for words in json.loads(sys.argv[3]):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(shlex.split(words))
    found[words] = [code, out.getvalue(), err.getvalue()]
print(json.dumps(found))
"""


def with_all_they_need(names: list[str]) -> dict[str, importlib.metadata.Distribution]:
    """Distributions by name, with those that they need themselves."""
    found, waiting = {}, list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = importlib.metadata.distribution(name)
            needed = [Requirement(text) for text in found[name].requires or []]
            waiting += [one.name for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})]
    return found


@pytest.fixture(scope="module")
def places(root: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Folder of the unpacked wheel, and folder with links to what the wheel says it always needs."""
    place = tmp_path_factory.mktemp("base")
    site = installed(tmp_path_factory, root)
    (metadata,) = site.glob("*.dist-info/METADATA")
    needed = [Requirement(text) for text in importlib.metadata.Distribution.at(metadata.parent).requires or []]
    always = [one.name for one in needed if one.marker is None]
    assert {"numpy", "scipy"} <= set(always)
    base = place / "dependencies"
    base.mkdir()
    for one in with_all_they_need(always).values():
        for name in {file.parts[0] for file in one.files or [] if file.parts[0] not in ("..", "__pycache__")}:
            (base / name).symlink_to(Path(one.locate_file(name)))
    return site, base


@pytest.fixture(scope="module")
def said(places: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str, str]]:
    """Exit code, output and errors of every command, outside the repository and without any other library."""
    folder = tmp_path_factory.mktemp("work")
    (folder / "plan.toml").write_text(PLAN, encoding="utf-8")
    (folder / "mine.py").write_text("def ucb(mean, sd, width):\n    return mean + width * sd\n", encoding="utf-8")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "COMPANION_"))}
    words = [sys.executable, "-I", "-S", "-c", PROGRAM, *map(str, places), json.dumps([*WORKS, *NEEDS, *REFUSED])]
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, tuple[int, str, str]] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.slow
@pytest.mark.parametrize("words", WORKS)
def test_what_works_with_numpy_and_scipy_alone(words: str, said: dict[str, tuple[int, str, str]]) -> None:
    code, out, err = said[words]
    assert (code, err) == (0, "")
    assert WORKS[words] in out


@pytest.mark.slow
def test_the_wheel_carries_what_the_page_of_a_run_needs(places: tuple[Path, Path]) -> None:
    for name in ("_config.yml", "book/_static/mathjax/tex-svg-full.js", "pages/page.css"):
        assert (places[0] / "companion" / name).stat().st_size > 500


@pytest.mark.slow
@pytest.mark.parametrize("words", REFUSED)
def test_what_is_wrong_with_a_request_is_said_before_a_library_is_missed(
    words: str, said: dict[str, tuple[int, str, str]]
) -> None:
    code, out, err = said[words]
    assert (code in (1, 2), out, err.count("\n")) == (True, "", 1)
    assert REFUSED[words] in err
    assert "not installed" not in err


@pytest.mark.slow
@pytest.mark.parametrize("words", NEEDS)
def test_what_needs_more_says_in_one_line_what_to_install(words: str, said: dict[str, tuple[int, str, str]]) -> None:
    code, out, err = said[words]
    assert code != 0
    assert out == ""
    assert err.count("\n") == 1
    assert f'pip install "gp-bandit-companion[{NEEDS[words]}]"' in err
