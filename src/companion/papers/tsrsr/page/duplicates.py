"""Frequency of repeated points in a batch: all rules on common posteriors, and TS beside TS-RSR along their own runs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import pandas as pd

from companion.judge.intervals import Interval, mean_interval, paired_interval
from companion.pages import Canvas, Numbers, Palette, cells, charts, figure, recorded
from companion.pages.figures import DASHES, MARKERS
from companion.papers.tsrsr.experiments.definitions import experiment
from companion.papers.tsrsr.experiments.printed import NAME_OF
from companion.papers.tsrsr.method import diversity
from companion.simulate import by_seed

#: Along their own runs: a two-dimensional instance with batches of ten, at two noise levels.
RULES = ("ts-rsr", "ts")
NOISES = (1.0, 0.01)
SETTING = {"points_per_axis": 15, "dim": 2, "lengthscale": 0.25, "batch_size": 10, "batches": 12}


@dataclass(frozen=True, eq=False)
class DuplicateStudy:
    """``common``: rule, seed, distinct, distance on common posteriors; ``along``: noise, rule, seed, batch, distinct;
    ``regret``: noise, rule, seed, cumulative regret."""

    common: pd.DataFrame
    along: pd.DataFrame
    regret: pd.DataFrame


@recorded(first="seed", count=("posteriors", "runs"))
def duplicate_study(seed: int, posteriors: int, runs: int) -> DuplicateStudy:
    """Compare batches on the same posteriors, then TS and TS-RSR without resampling each on its own data.

    Parameters
    ----------
    seed, posteriors : common posteriors, one a seed
    runs : of each rule and noise level; seeds from the first on
    """
    common, along, regret = [], [], []
    for at, found in by_seed(_compare, seed, posteriors):
        common += [{"rule": rule, "seed": at, **values} for rule, values in found.items()]
    for noise in NOISES:
        for rule in RULES:
            task = partial(_one_run, rule=rule, noise=noise)
            for at, (shares, total) in by_seed(task, seed, runs):
                key = {"noise": noise, "rule": rule, "seed": at}
                along += [key | {"batch": number, "distinct": share} for number, share in enumerate(shares, 1)]
                regret.append(key | {"regret": total})
    return DuplicateStudy(pd.DataFrame(common), pd.DataFrame(along), pd.DataFrame(regret))


def _compare(seed: int) -> dict[str, dict[str, float]]:
    return diversity.compare(seed, diversity.PARAMETERS)


def _one_run(seed: int, rule: str, noise: float) -> tuple[list[float], float]:
    theory = experiment("theory")
    run = theory.run(rule, seed, {**SETTING, "noise": noise})
    return run.diagnostics["distinct"], float(run.cumulative_regret[-1])


def common_rows(study: DuplicateStudy) -> pd.DataFrame:
    """Mean share of distinct points and mean distance with half-widths, one row a rule, most diverse first."""
    rows = []
    for rule, part in study.common.groupby("rule", sort=False):
        share, distance = mean_interval(part.distinct), mean_interval(part.distance)
        rows.append(
            {
                "rule": NAME_OF[str(rule)],
                "distinct": share.estimate,
                "distinct ±": share.high - share.estimate,
                "distance": distance.estimate,
                "distance ±": distance.high - distance.estimate,
            }
        )
    return pd.DataFrame(rows).sort_values("distinct", ascending=False, ignore_index=True)


def along_means(study: DuplicateStudy) -> pd.DataFrame:
    """Mean share of distinct points by noise, rule and batch."""
    return study.along.groupby(["noise", "rule", "batch"], sort=False).distinct.mean().reset_index()


def duplicate_numbers(study: DuplicateStudy) -> Numbers:
    """Shares of distinct points of TS-RSR and TS: on the same posteriors, and along runs at both noise levels."""
    wide = study.common.pivot(index="seed", columns="rule", values="distinct")
    gap = paired_interval(wide["ts-rsr"], wide["ts"])
    regret = study.regret.groupby(["noise", "rule"], sort=False).regret.mean()
    along, along_low = (_along_gap(study, noise) for noise in NOISES)
    noisy = _shares(study, NOISES[0]).mean()
    of_runs = along_means(study).groupby(["noise", "rule"], sort=False)
    return Numbers(
        study,
        shares=[f"{name} {share:.2f}" for name, share in common_rows(study).set_index("rule").distinct.items()],
        noise=NOISES[0],
        noise_low=NOISES[-1],
        ours=float(wide["ts-rsr"].mean()),
        theirs=float(wide["ts"].mean()),
        low=gap.low,
        along_ours=float(noisy["ts-rsr"]),
        along_theirs=float(noisy["ts"]),
        along_high=along.high,
        same=0.0 in along_low,
        regret_ours=float(regret[NOISES[0], "ts-rsr"]),
        regret_theirs=float(regret[NOISES[0], "ts"]),
        **cells(common_rows(study), "{rule}, one posterior: {}", ["distinct", "distance"]),
        along={f"{NAME_OF[rule]}, noise {noise:g}": part.distinct.tolist() for (noise, rule), part in of_runs},
    )


def _shares(study: DuplicateStudy, noise: float) -> pd.DataFrame:
    """Mean share of distinct points over a run: one row a seed, one column a rule."""
    rows = study.along[study.along.noise == noise]
    return rows.pivot_table(index="seed", columns="rule", values="distinct", aggfunc="mean")


def _along_gap(study: DuplicateStudy, noise: float) -> Interval:
    shares = _shares(study, noise)
    return paired_interval(shares["ts-rsr"], shares["ts"])


@figure(size=(8.8, 3.5))
def duplicates(canvas: Canvas, palette: Palette, study: DuplicateStudy) -> None:
    """Distinct points of a batch on common posteriors, and along runs of TS and TS-RSR."""
    common = common_rows(study)
    left, right = charts.row_of(canvas, 2, width_ratios=(1, 1.25), sharey=False)
    rows = common.iloc[::-1].reset_index(drop=True)
    colors = [palette.accent if name == NAME_OF["ts-rsr"] else palette.series[0] for name in rows.rule]
    left.barh(rows.index, rows.distinct, 0.62, color=colors, xerr=rows["distinct ±"], ecolor=palette.ink, capsize=2)
    left.set_yticks(rows.index, list(rows.rule))
    left.set(xlabel="share of distinct points", title="One posterior, all rules", xlim=(0, 1.05))
    left.grid(visible=False, axis="y")
    for k, ((noise, rule), part) in enumerate(along_means(study).groupby(["noise", "rule"], sort=False)):
        style: charts.Style = {"color": palette.series[k % 2], "ls": DASHES[k // 2], "marker": MARKERS[k]}
        right.plot(part.batch, part.distinct, label=f"{NAME_OF[rule]}, noise {noise:g}", **style)
    right.set(xlabel="batch", ylabel="share of distinct points", ylim=(0, 1.05), title="Along each rule's own runs")
    right.legend(ncols=2)
