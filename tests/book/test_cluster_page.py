"""``book/cluster.md``: its scripts are shell, its commands are commands, its plan is a plan, its Python runs."""

import doctest
import os
import re
import shlex
import subprocess

import pytest
import yaml

from companion import registry
from companion.cli import parse
from companion.simulate.plan import read_plan
from companion.simulate.sweep import Shard

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", flags=re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def blocks(root):
    found: dict[str, list[str]] = {}
    for language, text in BLOCK.findall((root / "book" / "cluster.md").read_text(encoding="utf-8")):
        found.setdefault(language, []).append(text)
    return found


def scripts(blocks):
    (matrix,) = blocks["yaml"]
    steps = [step for job in yaml.safe_load(matrix)["jobs"].values() for step in job["steps"]]
    return [*blocks["bash"], *(step["run"].replace("${{ matrix.part }}", "2") for step in steps if "run" in step)]


def test_every_script_is_shell(blocks):
    assert len(scripts(blocks)) >= 10
    for script in scripts(blocks):
        checked = subprocess.run(["bash", "-n"], input=script, text=True, capture_output=True, check=False)
        assert (checked.returncode, checked.stderr) == (0, ""), script


def test_every_command_is_one(blocks):
    found = re.findall(r"\bcompanion ((?:sweep|trial|run)\b[^\n&|]*)", "\n".join(scripts(blocks)))
    assert len(found) >= 12
    for text in found:
        # What a shell would put there, and what it would leave to itself.
        plain = re.sub(r"\$\{SLURM_CPUS_PER_TASK:-1\}|\$\w+|\{\}", "1", text.partition(" #")[0])
        words = shlex.split(plain.replace('"', ""))
        words = words[: words.index(":::")] if ":::" in words else words
        shard = parse(words).values.get("shard")
        if shard:
            Shard.parse(shard)


@pytest.mark.parametrize(("kind", "index", "folder"), [("SBATCH", "SLURM_ARRAY_TASK_ID", "SLURM_SUBMIT_DIR"),
                                                       ("PBS", "PBS_ARRAY_INDEX", "PBS_O_WORKDIR")])  # fmt: skip
def test_a_job_script_does_each_part_once(blocks, tmp_path, kind, index, folder):
    """The scripts run here as the scheduler would run them, with a command that notes what it is asked for."""
    (script,) = [text for text in blocks["bash"] if f"#{kind} " in text]
    first, last = re.search(rf"#{kind} (?:--array=|-J )(\d+)-(\d+)", script).groups()
    place = tmp_path / "submitted from here"
    (place / ".venv" / "bin").mkdir(parents=True)
    (place / ".venv" / "bin" / "activate").write_text(f'PATH="{tmp_path}:$PATH"\n')
    stub = tmp_path / "companion"
    stub.write_text(f'#!/usr/bin/env bash\necho "$PWD|$*" >> "{tmp_path}/log"\n')
    stub.chmod(0o755)
    (tmp_path / "job.sh").write_text(script)
    for number in range(int(first), int(last) + 1):
        environment = {**os.environ, index: str(number), folder: str(place)}
        subprocess.run(["bash", str(tmp_path / "job.sh")], env=environment, cwd="/", check=True)
    lines = (tmp_path / "log").read_text().splitlines()
    assert {line.partition("|")[0] for line in lines} == {str(place)}
    assert [parse(line.partition("|")[2].split()).values["shard"] for line in lines] == [
        f"{i}/{len(lines)}" for i in range(1, 21)
    ]


def test_the_loop_of_the_shell_does_every_part_and_then_merges(blocks, tmp_path):
    (script,) = [text for text in blocks["bash"] if text.startswith("for part")]
    stub = 'companion() { echo "$*" >> log; }\n'
    subprocess.run(["bash", "-c", stub + script], cwd=tmp_path, check=True)
    *parts, last = (tmp_path / "log").read_text().splitlines()
    assert sorted(parts) == [f"sweep plan.toml --shard {part}/4 --jobs 1" for part in range(1, 5)]
    assert last == "sweep plan.toml merge"


def test_the_parts_of_the_matrix_are_all_of_them(blocks):
    part = yaml.safe_load(blocks["yaml"][0])["jobs"]["part"]
    (command,) = [step["run"] for step in part["steps"] if "sweep" in step.get("run", "")]
    numbers = part["strategy"]["matrix"]["part"]
    assert numbers == list(range(1, len(numbers) + 1))
    assert command.endswith(f'/{len(numbers)}"')


def test_the_plan_is_one(blocks, tmp_path):
    (text,) = blocks["toml"]
    (tmp_path / "plan.toml").write_text(text)
    plan = read_plan(tmp_path / "plan.toml", lambda paper, name: registry.experiment(registry.slug_of(paper), name))
    assert len(plan.tasks) == 2 * 2 * 100 + 2 * 20


def test_the_python_runs(blocks):
    (text,) = blocks["python"]
    said: list[str] = []
    example = doctest.DocTestParser().get_doctest(text, {}, "cluster", "cluster.md", 0)
    doctest.DocTestRunner().run(example, out=said.append)
    assert said == []
