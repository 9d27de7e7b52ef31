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
