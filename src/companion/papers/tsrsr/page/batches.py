"""Cost of a batch: regret at a fixed number of evaluations against the batch size; resampling; and the initial design."""

from __future__ import annotations

import math
from dataclasses import dataclass
from operator import attrgetter

import numpy as np
import pandas as pd

from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.information import gain_bracket, gain_bracket_curve, greedy_gain
from companion.judge.intervals import mean_interval, paired_interval
from companion.pages import Canvas, Numbers, Palette, cells, charts, figure, recorded, table
from companion.pages.tables import ENDS
from companion.papers.tsrsr.page.bound import HIGH_NOISE, PLACE, instance, line, small_instance
from companion.papers.tsrsr.theory import bounds
from companion.papers.tsrsr.theory.runs import TheoryRuns, play
from companion.problems.running_example import NOISE, POINTS

#: Batch sizes beyond this one are thinned.
LARGE = 20
#: Of the exercise on the figure.
TEN = 10
#: Batch size of the study of the initial design: large enough for rho to matter.
DESIGN_BATCH = 10
#: The lesson's, and one beside it.
NOISES = (NOISE, HIGH_NOISE)
#: A batch size is cheap where the regret is shown to rise by less than this share of that of single points.
CHEAP = 0.3


@dataclass(frozen=True, eq=False)
class BatchStudy:
    """One row a noise level and batch size: regret with its interval, that of the first batch, and the three bounds.

    ``excess low``, ``excess high``: paired 95 % interval of the regret above that of single points on the same functions,
    as a share of the latter's mean. ``within_ratio``: the regret of every batch size is at most rho_m times that of
    single points.
    """

    rows: pd.DataFrame
    evaluations: int
    runs: int
    within_ratio: bool


def batch_sizes(evaluations: int) -> list[int]:
    """Divisors of the number of evaluations up to 20 and every second of the larger ones, the blind batch included."""
    divisors = [m for m in range(1, evaluations + 1) if evaluations % m == 0]
    large = [m for m in divisors if m > LARGE]
    return [m for m in divisors if m <= LARGE] + large[::-2][::-1]


@recorded(first="seed", fixed=(0,))
def batch_study(seed: int, evaluations: int, runs: int) -> BatchStudy:
    """TS-RSR without resampling, the same number of evaluations cut into T batches of m.

    Parameters
    ----------
    seed : of functions, noise and draws
    evaluations, runs : Tm, and functions a batch size
    """
    covariance, rows = instance(), []
    for noise in NOISES:
        single: Floats | None = None
        gain = gain_bracket(covariance, evaluations, noise**2).upper
        for batch in batch_sizes(evaluations):
            result = _play(covariance, seed, evaluations // batch, batch, noise, runs, "batch")
            average = mean_interval(result.regret)
            single = result.regret if single is None else single
            excess = paired_interval(result.regret, single)
            arguments = (POINTS, evaluations // batch, batch, noise**2, gain)
            rows.append(
                {
                    "noise": noise,
                    "m": batch,
                    **average.columns("regret"),
                    "excess low": excess.low / single.mean(),
                    "excess high": excess.high / single.mean(),
                    "first": float((result.values.max(axis=1)[:, None] - result.at_chosen[:, 0]).sum(axis=1).mean()),
                    "theorem 1": bounds.theorem1(*arguments),
                    "sharper form": bounds.theorem1_sharp(*arguments),
                    "trivial": evaluations * line(),
                }
            )
    found = pd.DataFrame(rows)
    return BatchStudy(found, evaluations, runs, _within_ratio(found))


def _play(
    covariance: Floats, seed: int, rounds: int, batch: int, noise: float, runs: int, use: str, **more: object
) -> TheoryRuns:
    # The functions are drawn first, so runs that differ in anything else share them.
    generator = stream(seed, "tsrsr", use, f"noise {noise:g}")
    return play(covariance, rounds, batch, noise**2, runs, generator, **more)  # type: ignore[arg-type]


def cheap_up_to(study: BatchStudy, noise: float) -> int:
    """Largest batch size up to which every paired interval of the excess lies below :data:`CHEAP`.

    That an interval holds zero would show nothing: with few functions every interval does.
    """
    part = study.rows[study.rows.noise == noise].sort_values("m")
    allowed = part["excess high"] < CHEAP
    return int(part.m[allowed.cummin()].max())


def factor(study: BatchStudy, noise: float, batch: int) -> float:
    """Mean regret of batches of ``batch`` over that of single points; of the nearest size that ran."""
    part = study.rows[study.rows.noise == noise].set_index("m")
    return float(part.regret.loc[_nearest(part, batch)] / part.regret.loc[1])


def batch_numbers(study: BatchStudy) -> Numbers:
    """Cost of small and large batches; lists have one number a noise level of :data:`NOISES`."""
    parts = [study.rows[study.rows.noise == noise].set_index("m") for noise in NOISES]
    cheap = [cheap_up_to(study, noise) for noise in NOISES]
    most = max(float(part["excess high"].loc[:size].max()) for part, size in zip(parts, cheap, strict=True))
    twenty = [_nearest(part, LARGE) for part in parts]
    grown = {
        name: [part[name] / part[name].iloc[0] for part in parts] for name in ("regret", "theorem 1", "sharper form")
    }
    last = [int(m) for m in parts[0].index[-2:]]
    return Numbers(
        study,
        runs=study.runs,
        evaluations=study.evaluations,
        **PLACE,
        cheap=cheap[0],
        cheap_high=cheap[-1],
        most=math.ceil(100.0 * most) / 100.0,
        size=twenty[0],
        ten=factor(study, NOISES[0], TEN),
        ten_high=factor(study, NOISES[-1], TEN),
        factor=factor(study, NOISES[0], LARGE),
        factor_high=factor(study, NOISES[-1], LARGE),
        bounds_faster=all(
            bool(bounded.loc[m] > regret.loc[m])
            for name in ("theorem 1", "sharper form")
            for bounded, regret, m in zip(grown[name], grown["regret"], twenty, strict=True)
        ),
        blind=[_blind_share(study, noise, LARGE) for noise in NOISES],
        before=last[0],
        last=last[-1],
        growth=[float(part.regret.iloc[-1] / part.regret.iloc[-2]) for part in parts],
        blind_factor=[float(regret.iloc[-1]) for regret in grown["regret"]],
        by_batch=float(grown["regret"][0].iloc[-1]),
        within_ratio=study.within_ratio,
        noise=NOISES[0],
        noise_high=NOISES[-1],
        printed_factor=float(grown["theorem 1"][0].iloc[-1]),
        **cells(study.rows, "noise {noise:g}, m = {m}: {}", ["regret"]),
    )


def _nearest(part: pd.DataFrame, batch: int) -> int:
    """The batch size run that is nearest to the one requested; ``part`` is indexed by m."""
    return min((int(m) for m in part.index), key=lambda m: abs(m - batch))


def _blind_share(study: BatchStudy, noise: float, batch: int) -> float:
    """Regret of the first batch as a share of the whole run's; of the nearest m that ran."""
    part = study.rows[study.rows.noise == noise].set_index("m")
    near = _nearest(part, batch)
    return float(part["first"].loc[near] / part.regret.loc[near])


def _within_ratio(rows: pd.DataFrame) -> bool:
    """Whether the regret of every batch size is at most rho_m times that of sequential play."""
    for noise in NOISES:
        part = rows[rows.noise == noise]
        allowed = np.array([bounds.variance_ratio(int(m), noise**2) for m in part.m])
        if bool((part.regret / part.regret.iloc[0] > allowed).any()):
            return False
    return True


@dataclass(frozen=True, eq=False)
class DesignStudy:
    """``ratios``: rho_m after T_0 maximum-variance points, exact and bounded; ``regret``: cost and saving of the phase."""

    ratios: pd.DataFrame
    regret: pd.DataFrame
    evaluations: int
    needed: int


@recorded(first="seed")
def design_study(seed: int, evaluations: int, runs: int) -> DesignStudy:
    """The maximum-variance phase of Appendix B: the factor rho_m after it, and regret with and without, at equal budgets.

    Parameters
    ----------
    seed : of functions, noise and draws
    evaluations, runs : in all, and functions a phase
    """
    covariance, noise, batch = small_instance(), 1.0, DESIGN_BATCH
    longest = max(2 * evaluations, 8 * batch)
    greedy = greedy_gain(covariance, longest, noise**2)
    counts = list(range(1, longest + 1))
    brackets = gain_bracket_curve(covariance, counts, noise**2)
    each = list(zip(counts, (bracket.upper for bracket in brackets), strict=True))
    ratios = pd.DataFrame(
        {
            "initial": [0, *counts],
            "exact": [bounds.variance_ratio(batch, noise**2, float(v)) for v in greedy.max_variance],
            "lemma 11": [math.inf, *(bounds.initial_ratio_bound(batch, c, gain) for c, gain in each)],
            "sharper": [math.inf, *(bounds.initial_ratio_sharp(batch, c, gain) for c, gain in each)],
        }
    )
    enough = [c for c, gain in each if c >= batch * gain]
    rows: list[dict[str, object]] = []
    first: Floats | None = None
    for initial in range(0, evaluations // 2 + 1, batch):
        rounds = (evaluations - initial) // batch
        design = greedy.indices[:initial]
        plain, again = (
            _play(covariance, seed, rounds, batch, noise, runs, "design", design=design, resample=flag)
            for flag in (False, True)
        )
        total, resampled = (r.initial_regret + r.regret for r in (plain, again))
        first = total if first is None else first
        average = mean_interval(total)
        rows.append(
            {
                "initial": initial,
                "design": float(plain.initial_regret.mean()),
                "batches": float(plain.regret.mean()),
                **average.columns("total"),
                "against none": paired_interval(total, first),
                "resampled": float(resampled.mean()),
                "resampled against none": paired_interval(resampled, first),
                "negative": float((plain.sampled_maximum[:, 0] < 0).mean()),
            }
        )
    return DesignStudy(ratios, pd.DataFrame(rows), evaluations, enough[0] if enough else 0)


def design_numbers(study: DesignStudy) -> Numbers:
    """Gain of the phase in the bound and its cost in regret."""
    table, exact = study.regret.set_index("initial"), study.ratios.set_index("initial").exact
    plain, short, long = table.iloc[0], table.iloc[1], table.iloc[-1]
    shift, resampled = short["against none"], plain["resampled against none"]
    return Numbers(
        study,
        evaluations=study.evaluations,
        needed=study.needed,
        exact=float(exact.loc[study.needed]),
        prior=float(exact.loc[0]),
        batch=DESIGN_BATCH,
        enough=int(exact.index[exact <= math.e][0]),
        longest=int(table.index[-1]),
        plain=float(plain.total),
        long=float(long.total),
        low=shift.low,
        high=shift.high,
        negative=float(plain.negative),
        resampled_low=resampled.low,
        resampled_high=resampled.high,
        **cells(
            study.ratios[study.ratios.initial.isin((10, 30, 60))],
            "T_0 = {initial}: {}",
            ["exact", "lemma 11", "sharper"],
        ),
        **cells(study.regret, "T_0 = {initial}: {}", {"total": "regret", "resampled": "regret with resampling"}),
    )


@dataclass(frozen=True, eq=False)
class ResamplingStudy:
    """One row a noise level and batch size: regret with and without resampling, paired difference, share accepted."""

    rows: pd.DataFrame


@recorded(first="seed")
def resampling_study(seed: int, evaluations: int, runs: int) -> ResamplingStudy:
    """TS-RSR as the theory has it and as Appendix C runs it, on the same functions."""
    covariance, rows = small_instance(), []
    for noise in NOISES:
        for batch in (1, 5, 20):
            if evaluations % batch:
                continue
            rounds = evaluations // batch
            plain = _play(covariance, seed, rounds, batch, noise, runs, "resampling")
            again = _play(covariance, seed, rounds, batch, noise, runs, "resampling", resample=True)
            gap = paired_interval(again.regret, plain.regret)
            rows.append(
                {
                    "noise": noise,
                    "m": batch,
                    "without": float(plain.regret.mean()),
                    "with": float(again.regret.mean()),
                    **gap.columns("difference"),
                    "accepted": again.accepted,
                    "sampled minus true regret": float((again.sampled_regret - again.regret).mean()),
                }
            )
    return ResamplingStudy(pd.DataFrame(rows))


def resampling_numbers(study: ResamplingStudy) -> Numbers:
    """Acceptance rate of a draw, places where the regret differs, and the error of Lemma 1."""
    rows = study.rows
    better, worse = rows[rows.high < 0], rows[rows.low > 0]
    excess = rows["sampled minus true regret"]
    return Numbers(
        study,
        low=float(rows.accepted.min()),
        better=len(better),
        worse=len(worse),
        settings=len(rows),
        least=float(excess.min()),
    )


@figure(size=(9.6, 3.7))
def batch_cost(canvas: Canvas, palette: Palette, study: BatchStudy) -> None:
    """Regret at a fixed number of evaluations against the batch size, with the bounds."""
    left, *others = charts.row_of(canvas, 1 + len(NOISES), sharey=False)
    for k, (noise, right) in enumerate(zip(NOISES, others, strict=True)):
        part, style = study.rows[study.rows.noise == noise], charts.marked(palette, k, ls="-")
        left.errorbar(part.m, part.regret, charts.bars(part, "regret"), capsize=2, label=f"noise {noise:g}", **style)
        left.axvline(cheap_up_to(study, noise), color=palette.series[k], lw=0.9, ls=":")
        if k:
            right.sharey(others[0])
        right.plot(part.m, part.regret / part.regret.iloc[0], label="measured", **style)
        for name, dashes, color in (("theorem 1", "--", palette.accent), ("sharper form", "-.", palette.series[2])):
            label = name.replace("theorem", "Theorem")
            right.plot(part.m, part[name] / part[name].iloc[0], color=color, ls=dashes, label=label)
        charts.name_axes(right, "batch size m", title=f"noise {noise:g}, over single points", log="xy")
    charts.name_axes(left, "batch size m", "cumulative regret", f"{study.evaluations} evaluations in all", log="xy")
    for axes in (left, *others):
        charts.name_ticks(axes.xaxis, (1, 2, 5, 10, 20, 50, 100))
    for axes in (left, others[0]):
        axes.legend()


@figure(size=(8.6, 3.5))
def design(canvas: Canvas, palette: Palette, study: DesignStudy) -> None:
    """rho after the maximum-variance phase, and regret with phases of different length."""
    table = study.regret
    left, right = charts.row_of(canvas, 2, sharey=False)
    ratios, phase = study.ratios, r"maximum-variance points $T_0$"
    left.plot(ratios.initial, ratios.exact, color=palette.series[0], ls="-", label="exact")
    left.plot(ratios.initial, ratios.sharper, color=palette.series[2], ls="-.", label="sharper form")
    left.plot(ratios.initial, ratios["lemma 11"], color=palette.accent, ls="--", label="Lemma 11")
    left.axhline(np.e, color=palette.muted, ls=":", lw=1)
    left.text(ratios.initial.max(), np.e * 1.04, "e", color=palette.muted, ha="right")
    left.axvline(study.needed, color=palette.muted, ls=":", lw=1)
    charts.name_axes(left, phase, r"$\rho_m$", f"The factor, m = {DESIGN_BATCH}")
    left.set_ylim(1, 8)
    left.legend()
    place = np.arange(len(table))
    hatched: charts.Style = {"color": palette.series[1], "hatch": "//", "edgecolor": palette.paper, "lw": 0}
    right.bar(place, table.design, 0.62, label="of the phase", **hatched)
    after = {"bottom": table.design, "color": palette.series[0], "label": "of the batches after it"}
    right.bar(place, table.batches, 0.62, **after)
    right.errorbar(place, table.total, charts.bars(table, "total"), fmt="none", ecolor=palette.ink, capsize=3)
    right.set_xticks(place, [str(int(initial)) for initial in table.initial])
    charts.name_axes(right, phase, "cumulative regret", f"{study.evaluations} evaluations in all")
    right.grid(visible=False, axis="x")
    right.legend()


resampling = table(attrgetter("rows"), ENDS, digits=3, formats={"noise": "{:g}".format})
