"""What TAB offers."""

import subprocess

import pytest
from cyclopts.completion._engine import compute_full_completions

from companion import registry
from companion.cli import application


@pytest.mark.parametrize(
    ("line", "among"),
    [
        ("tr", {"trial"}),
        ("verdicts ", set(registry.chapters())),
        ("trial tsrsr theory ", {"ts-rsr", "bucb", "ts", "random"}),
        ("trial tsrsr theory random --se", {"--seed", "--seeds", "--set"}),
        ("assignment ", {"make", "grade", "report"}),
        ("assignment grade in --d", {"--dry-run"}),
        ("data ", {"status", "fetch", "path"}),
        ("export batched --form ", {"crate", "mlrc", "codecheck", "optunahub"}),
        ("errata tsrsr --form ", {"markdown", "letter", "json"}),
        ("completion ", {"bash", "zsh", "fish"}),
        ("gain --kernel m", {"matern12", "matern32", "matern52"}),
        ("trial tsrsr theory random --set ba", {"batches=", "batch_size="}),
        ("run ch3 -p ho", {"horizon="}),
        ("ledger batched --id lemma-1", {"lemma-1", "lemma-10"}),
        ("verdicts tsrsr --id gp-", {"gp-lowest-mean"}),
    ],
)
def test_tab_offers_what_may_stand_there(line, among):
    offered = {found.value for found in compute_full_completions(application(), line.split(" ")).candidates}
    assert among <= offered
    assert line != "tr" or offered == among


def test_the_command_answers_the_shell(command):
    code, out, err = command("__complete", "verdicts", "")
    assert (code, err) == (0, "")
    assert set(registry.chapters()) <= set(out.split())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_code_for_a_shell_is_printed(command, shell):
    code, out, err = command("completion", shell)
    assert (code, err) == (0, "")
    assert "companion" in out
    assert command("completion", shell, "--json")[1].count("__complete") > 0


def test_bash_takes_the_code(command):
    code = command("completion", "bash")[1]
    done = subprocess.run(["bash", "-c", f"{code}\ncomplete -p companion"], capture_output=True, text=True, check=True)
    assert done.stdout.rstrip().endswith("_companion companion")


def test_another_shell_is_refused(command):
    code, out, err = command("completion", "zhs")
    assert (code, out) == (2, "")
    assert "SHELL:" in err
