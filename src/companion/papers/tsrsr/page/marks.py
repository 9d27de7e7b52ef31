"""Which cells of the tables stand out: the best ones, and those whose comparison with TS-RSR is reversed."""

from __future__ import annotations

import pandas as pd

from companion.papers.tsrsr.experiments import ranking_claims
from companion.papers.tsrsr.experiments.printed import NAME_OF, Results
from companion.papers.tsrsr.page.stored_runs import FIGURES, beside, outcomes, own_pairs

#: Columns of :func:`companion.papers.tsrsr.page.stored_runs.beside` that a reading's comparisons over all runs judge.
JUDGED = {"text": "ours, text, all runs", "code": "ours, code"}


def marks(evidence: Results, number: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Of the rows of table ``number``: the lowest of the paper's methods in each column, and the reversed comparisons."""
    rows = beside(evidence, number)
    columns = [name for name in rows.columns if name.startswith(("printed", "ours"))]
    # A rank of one; the column of all runs is not ranked in the table.
    best = rows[columns].apply(lambda column: column.str.endswith("[1]"))
    turned = pd.DataFrame(data=False, index=rows.index, columns=list(JUDGED.values()))
    problems = [name for name in FIGURES[number] if name in evidence.problems]
    place = {key: list(part.index) for key, part in rows.groupby("problem", sort=False)}
    for problem, at in zip(problems, place.values(), strict=True):
        ranks = ranking_claims.ranks(evidence, problem, "text")
        first = [NAME_OF[name] for name, rank in ranks.items() if rank == 1]
        best.loc[at, JUDGED["text"]] = rows.loc[at, "method"].isin(first)
        for reading, column in JUDGED.items():
            own = own_pairs(outcomes(evidence, reading))
            reversed_ = own[(own.problem == problem) & (own["all"] == ranking_claims.REVERSED)]
            turned.loc[at, column] = rows.loc[at, "method"].isin([NAME_OF[name] for name in reversed_.second])
    return best, turned
