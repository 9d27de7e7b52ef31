"""Errata of every paper: each confirmed error of substance or constants has one, in its form, with a program that shows it."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from companion import registry
from companion.exports import errata

#: Formulas that authors can paste: these macros are the book's own.
OURS = ("\\R", "\\E", "\\P", "\\X", "\\GP", "\\argmax", "\\argmin", "\\norm", "\\abs")
HAVING = registry.declaring("leads")


def form_faults(erratum: errata.Erratum) -> list[str]:
    """What is not in the form of an erratum."""
    found = []
    for name in ("place", "printed", "wrong", "repair"):
        text = getattr(erratum, name)
        if text.replace("\\$", "").count("$") % 2:
            found.append(f"{name} has a dollar sign without its partner")
        found += [f"{name} has the book's macro {macro}" for macro in OURS if _uses(text, macro)]
    tree = ast.parse(erratum.program)
    for node in ast.walk(tree):
        names = [name.name for name in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [f"scipy.{name.name}" if node.module == "scipy" else str(node.module) for name in node.names]
        line = erratum.source[: erratum.source.index(erratum.program)].count("\n") + getattr(node, "lineno", 0)
        allowed = ", ".join(sorted(errata.IMPORTS))
        found += [f"line {line}: it imports {name}; expected {allowed}" for name in names if name not in errata.IMPORTS]
    if not tree.body or not isinstance(tree.body[-1], ast.Assert):
        found.append("the program does not end with an assertion")
    return [f"{erratum.id}: {fault}" for fault in found]


def _uses(text: str, macro: str) -> bool:
    return any(not rest[:1].isalpha() for rest in text.split(macro)[1:])


@pytest.mark.parametrize("paper", HAVING)
def test_every_erratum_is_in_its_form_and_of_a_confirmed_error(paper):
    found, _, faults = errata.collect(paper)
    faults += [fault for erratum in found.values() for fault in form_faults(erratum)]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("paper", HAVING)
def test_every_confirmed_error_of_substance_or_constants_has_an_erratum(paper):
    found, wanted, _ = errata.collect(paper)
    assert [entry["id"] for entry in wanted if entry["needed"] and entry["id"] not in found] == []


@pytest.mark.slow
@pytest.mark.parametrize("paper", HAVING)
def test_programs_show_what_they_are_there_to_show(paper):
    told, faults = errata.document(paper)
    assert faults == []
    assert all(entry["prints"] and not entry["fault"] for entry in told["errata"])


def test_a_program_runs_where_there_is_no_companion(tmp_path):
    (path, *_) = sorted((errata.reported_folder("tsrsr") / errata.ERRATA).glob("*.py"))
    alone = "import sys; sys.modules['companion'] = None; exec(sys.stdin.read())"
    done = subprocess.run(
        [sys.executable, "-I", "-c", alone], input=path.read_text(encoding="utf-8"), cwd=tmp_path, text=True,
        capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("printed: ")


# -- planted faults of form --------------------------------------------------------------------------------------------

GOOD = '''r"""Section 1.

Printed: $a\\le b$.

Wrong: It is not.

Repair: $a\\le2b$. The theorem is not affected.
"""

import math

print(f"printed: {math.pi} <= 3")
print(f"repaired: {math.pi} <= 6")
assert math.pi > 3
'''


def test_the_form_as_agreed_has_no_fault():
    assert form_faults(errata.parse("E1", GOOD)) == []


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("$a\\le b$", "$a\\le b", "printed has a dollar sign"),
        ("$a\\le2b$", "$\\E a\\le2b$", "repair has the book's macro \\E"),
        ("assert math.pi > 3", "print('done')", "does not end with an assertion"),
        ("import math", "import math\nimport companion", "line 11: it imports companion;"),
        ("import math", "import math\nfrom scipy import optimize", "it imports scipy.optimize"),
    ],
)
def test_what_is_not_in_the_form_is_noticed(old, new, words):
    (fault,) = form_faults(errata.parse("E1", GOOD.replace(old, new)))
    assert words in fault
