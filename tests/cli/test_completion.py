"""What TAB offers: asked as argcomplete's shell function asks, by variables and a file for the answer."""

import os
import subprocess
import sys

import pytest

from companion import papers


@pytest.mark.parametrize(
    ("line", "among"),
    [
        ("companion tr", {"trial"}),
        ("companion verdicts ", set(papers.chapters())),
        ("companion trial tsrsr theory ", {"ts-rsr", "bucb", "ts", "random", "--seeds"}),
        ("companion data ", {"status", "fetch", "path"}),
        ("companion export batched --form ", {"crate", "mlrc", "codecheck", "optunahub"}),
        ("companion errata tsrsr --form ", {"markdown", "letter", "json"}),
        ("companion completion ", {"bash", "zsh", "fish"}),
        ("companion trial tsrsr theory random --set ba", {"batches=", "batch_size="}),
        ("companion run ch3 -p ho", {"horizon="}),
        ("companion ledger batched --id lemma-1", {"lemma-1", "lemma-10"}),
        ("companion verdicts tsrsr --id gp-", {"gp-lowest-mean"}),
    ],
)
def test_tab_offers_what_may_stand_there(line, among, tmp_path):
    asked = {"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE_IFS": "\n"}
    answer = tmp_path / "answer"
    environment = {**os.environ, **asked, "_ARGCOMPLETE_STDOUT_FILENAME": str(answer)}
    code = "import sys; from companion.cli import main; sys.exit(main())"
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, timeout=60)
    offered = {word.strip().split(":")[0] for word in answer.read_text(encoding="utf-8").splitlines()}
    assert among <= offered
    assert line != "companion tr" or offered == among


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_code_for_a_shell_is_printed(command, shell):
    code, out, err = command("completion", shell)
    assert (code, err) == (0, "")
    assert "companion" in out
    assert command("completion", shell, "--json")[1].count("_ARGCOMPLETE") > 0


def test_bash_takes_the_code(command):
    code = command("completion", "bash")[1]
    done = subprocess.run(["bash", "-c", f"{code}\ncomplete -p companion"], capture_output=True, text=True, check=True)
    assert done.stdout.rstrip().endswith("_python_argcomplete companion")


def test_another_shell_is_refused(command):
    code, out, err = command("completion", "zhs")
    assert (code, out) == (2, "")
    assert "SHELL:" in err
