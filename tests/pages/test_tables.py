"""Tables for LaTeX: every sign that LaTeX reads otherwise, rules, columns, marks."""

import pandas as pd
import pytest

from companion.pages.tables import Table, smallest


def test_a_table_is_a_tabular_with_the_rules_of_booktabs():
    frame = pd.DataFrame({"rule_1": ["GP-UCB", "BPE & co"], "regret": [-1.5, 2e-7], "n": [3, 12000]})
    table = Table(frame, "Regret.", best=smallest(frame[["regret"]]), turned=frame[["n"]] > 5)
    assert table.latex().splitlines() == [
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"rule\_1 & regret & n \\",
        r"\midrule",
        r"GP-UCB & \textbf{$-1.500$} & 3 \\",
        r"BPE \& co & 2.000$\cdot10^{-7}$ & 12 000~$\updownarrow$ \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("50 % of $3", r"50 \% of \$3"),
        ("#1_{a}^2~", r"\#1\_\{a\}\textasciicircum{}2\textasciitilde{}"),
        ("C:\\dir", r"C:\textbackslash{}dir"),
        ("7.2\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}1.1", r"7.2~$\pm$~1.1"),
        ("\N{MINUS SIGN}∞ × 2 – 3 < 4 | 5", r"$-$$\infty$ $\times$ 2 -- 3 $<$ 4 $|$ 5"),
        ("1.5e+08", r"1.5$\cdot10^{8}$"),
        ("the 2e sort, é", "the 2e sort, é"),
    ],
)
def test_what_latex_reads_otherwise_is_escaped(text, written):
    row = Table(pd.DataFrame({"": [text]}), "c").latex().splitlines()[4]
    assert row == written + r" \\"
