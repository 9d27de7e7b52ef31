"""What a batch costs: regret at a fixed number of evaluations against the batch size; resampling; and the initial design."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from companion.arrays import Floats
from companion.information import gain_bracket, gain_bracket_curve, greedy_gain
from companion.papers.tsrsr.studies.bound import LENGTHSCALE, POINTS, instance, mean_range
from companion.papers.tsrsr.theory import bounds
from companion.papers.tsrsr.theory.runs import TheoryRuns, play
from companion.randomness import stream
from companion.report import cells, key_numbers, recorded, say, where_of
from companion.report.text import Sentence
from companion.reproduce.intervals import Interval, mean_interval, paired_interval

#: Batch sizes beyond this one are thinned.
LARGE = 20
#: Batch size of the study of the initial design: large enough for rho to matter.
DESIGN_BATCH = 10
NOISES = (1.0, 0.1)


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
def batch_study(seed: int, evaluations: int, runs: int, brief: bool = False) -> BatchStudy:
    """TS-RSR without resampling, the same number of evaluations cut into T batches of m.

    Parameters
    ----------
    seed : of functions, noise and draws
    evaluations, runs : Tm, and functions a batch size
    brief : only batches of up to :data:`LARGE`; the numbers there are the same
    """
    covariance, rows = instance(), []
    for noise in NOISES:
        single: Floats | None = None
        gain = gain_bracket(covariance, evaluations, noise**2).upper
        for batch in batch_sizes(evaluations):
            if brief and batch > LARGE:
                continue
            result = _play(covariance, seed, evaluations // batch, batch, noise, runs, "batch")
            average = mean_interval(result.regret)
            single = result.regret if single is None else single
            excess = paired_interval(result.regret, single)
            arguments = (POINTS, evaluations // batch, batch, noise**2, gain)
            rows.append(
                {
                    "noise": noise,
                    "m": batch,
                    "regret": average.estimate,
                    "low": average.low,
                    "high": average.high,
                    "excess low": excess.low / single.mean(),
                    "excess high": excess.high / single.mean(),
                    "first": float((result.values.max(axis=1)[:, None] - result.at_chosen[:, 0]).sum(axis=1).mean()),
                    "theorem 1": bounds.theorem1(*arguments),
                    "sharper form": bounds.theorem1_sharp(*arguments),
                    "trivial": evaluations * mean_range().estimate,
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


def free_up_to(study: BatchStudy, noise: float) -> int:
    """Largest batch size up to which no rise of the regret shows: every paired interval of the excess holds zero."""
    part = study.rows[study.rows.noise == noise].sort_values("m")
    allowed = part["excess low"] <= 0.0
    return int(part.m[allowed.cummin()].max())


def free_in_words(study: BatchStudy, noise: float) -> str:
    """``for batches of up to 6 (more than 16 % is ruled out)``: the largest such batch, and what its intervals allow."""
    size = free_up_to(study, noise)
    if size == 1:
        return "for no batch size"
    part = study.rows[(study.rows.noise == noise) & (study.rows.m <= size)]
    return f"for batches of up to {size} (more than {part['excess high'].max():.0%} is ruled out)"


def factor(study: BatchStudy, noise: float, batch: int) -> float:
    """Mean regret of batches of ``batch`` over that of single points; of the nearest size that ran."""
    part = study.rows[study.rows.noise == noise].set_index("m")
    return float(part.regret.loc[_nearest(part, batch)] / part.regret.loc[1])


def show_batches(study: BatchStudy) -> None:
    """Key numbers: regret for every batch size."""
    numbers = cells(study.rows, "noise {noise:g}, m = {m}: {}", ["regret"])
    numbers |= {f"noise {noise:g}: free up to m": free_up_to(study, noise) for noise in NOISES}
    key_numbers(numbers, where_of(study))


def say_batches(study: BatchStudy) -> Sentence:
    """Up to which batch size nothing is lost, what the bound says of it, and how regret grows beyond."""
    lines = []
    for noise in NOISES:
        part = study.rows[study.rows.noise == noise].set_index("m")
        twenty = part.loc[_nearest(part, LARGE)]
        lines.append(
            f"With noise {noise:g} no rise of the mean regret above that of single points shows "
            f"{free_in_words(study, noise)}. "
            "Batches of "
            f"{twenty.name} cost a factor {twenty.regret / part.regret.loc[1]:.2f}, where Theorem 1 grows by a factor "
            f"{twenty['theorem 1'] / part['theorem 1'].loc[1]:.1f} and the sharper form by {_growth(part, twenty):.1f}; one "
            f"blind batch of all {study.evaluations} costs a factor {part.regret.iloc[-1] / part.regret.iloc[0]:.1f}"
        )
    return say(
        "{text}. The paper's reading, that a batch costs no more than the factor $\\rho_m$, {verdict}. {small} "
        "Large ones cost ever more, because the first batch is chosen blindly: at $m={twenty}$ its evaluations alone make "
        "{blind} of the regret. {last}{beyond}",
        text=". ".join(lines),
        verdict="holds for every $m$ and is far from tight"
        if study.within_ratio
        else "**does not hold for every $m$**",
        small="Small batches cost little."
        if all(free_up_to(study, noise) > 1 for noise in NOISES)
        else "Even the smallest batches have a price.",
        twenty=_nearest(study.rows.set_index("m"), LARGE),
        blind=" and ".join(f"{_blind_share(study, noise, LARGE):.0%} (noise {noise:g})" for noise in NOISES),
        last=_last_growth(study),
        beyond=_beyond_printed(study),
        where=where_of(study),
    )


def _nearest(part: pd.DataFrame, batch: int) -> int:
    """The batch size that ran which is nearest to the one asked for; ``part`` is indexed by m."""
    return min((int(m) for m in part.index), key=lambda m: abs(m - batch))


def _blind_share(study: BatchStudy, noise: float, batch: int) -> float:
    """Regret of the first batch as a share of the whole run's; of the nearest m that ran."""
    part = study.rows[study.rows.noise == noise].set_index("m")
    near = _nearest(part, batch)
    return float(part["first"].loc[near] / part.regret.loc[near])


def _last_growth(study: BatchStudy) -> str:
    """How regret grows between the two largest batch sizes, beside growth in proportion to m."""
    parts = [study.rows[study.rows.noise == noise] for noise in NOISES]
    before, last = (int(parts[0].m.iloc[k]) for k in (-2, -1))
    growth = " and ".join(f"{part.regret.iloc[-1] / part.regret.iloc[-2]:.1f}" for part in parts)
    return (
        f"From $m={before}$ to $m={last}$ the regret grows by factors of {growth}, where growth in proportion to $m$ would give "
        f"{last / before:.1f}."
    )


def _beyond_printed(study: BatchStudy) -> str:
    """What to make of a measured growth in m that exceeds that of the printed bound."""
    for noise in NOISES:
        part = study.rows[study.rows.noise == noise]
        faster = part.regret / part.regret.iloc[0] > part["theorem 1"] / part["theorem 1"].iloc[0]
        if bool(faster.iloc[-1]):
            return (
                f" With noise {noise:g} the regret of the largest batches grows faster in $m$ than Theorem 1 does, which is no "
                "contradiction: as printed the theorem charges $\\rho_1$ to sequential play already."
            )
    return ""


def _within_ratio(rows: pd.DataFrame) -> bool:
    """Whether the regret of every batch size is at most rho_m times that of sequential play."""
    for noise in NOISES:
        part = rows[rows.noise == noise]
        allowed = np.array([bounds.variance_ratio(int(m), noise**2) for m in part.m])
        if bool((part.regret / part.regret.iloc[0] > allowed).any()):
            return False
    return True


def _growth(part: pd.DataFrame, row: pd.Series) -> float:
    return float(row["sharper form"] / part["sharper form"].loc[1])


@dataclass(frozen=True, eq=False)
class DesignStudy:
    """``ratios``: rho_m after T_0 maximum-variance points, exact and bounded; ``regret``: what the phase costs and saves."""

    ratios: pd.DataFrame
    regret: pd.DataFrame
    evaluations: int
    needed: int


@recorded(first="seed")
def design_study(seed: int, evaluations: int, runs: int, brief: bool = False) -> DesignStudy:
    """The maximum-variance phase of Appendix B: the factor rho_m after it, and regret with and without, at equal budgets.

    Parameters
    ----------
    seed : of functions, noise and draws
    evaluations, runs : in all, and functions a phase
    brief : only without a phase and with the longest; the numbers there are the same
    """
    covariance, noise, batch = instance(), 1.0, DESIGN_BATCH
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
    phases = range(0, evaluations // 2 + 1, batch)
    for initial in (phases[0], phases[-1]) if brief else phases:
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
                "total": average.estimate,
                "low": average.low,
                "high": average.high,
                "against none": paired_interval(total, first),
                "resampled": float(resampled.mean()),
                "resampled against none": paired_interval(resampled, first),
                "negative": float((plain.sampled_maximum[:, 0] < 0).mean()),
            }
        )
    return DesignStudy(ratios, pd.DataFrame(rows), evaluations, enough[0] if enough else 0)


def show_design(study: DesignStudy) -> None:
    """Key numbers: rho_m at some lengths of the phase, and total regret for each."""
    numbers: dict[str, object] = {"Corollary 1 asks for T_0": study.needed}
    for row in study.ratios[study.ratios.initial.isin((0, 10, 30, 60))].to_dict("records"):
        numbers[f"T_0 = {row['initial']}: rho exact"] = row["exact"]
        if row["initial"]:
            numbers[f"T_0 = {row['initial']}: Lemma 11"] = row["lemma 11"]
            numbers[f"T_0 = {row['initial']}: sharper"] = row["sharper"]
    for row in study.regret.to_dict("records"):
        numbers[f"T_0 = {row['initial']}: total regret"] = row["total"]
        numbers[f"T_0 = {row['initial']}: with resampling"] = row["resampled"]
    key_numbers(numbers, where_of(study))


def say_design(study: DesignStudy) -> Sentence:
    """What the phase buys in the bound and what it costs in regret."""
    table = study.regret.set_index("initial")
    plain, short, long = table.iloc[0], table.iloc[1], table.iloc[-1]
    at = study.ratios.set_index("initial")
    return say(
        "**What it buys.** Corollary 1 needs {needed} maximum-variance points before Lemma 11 promises $\\rho_{{10}}\\le e$. The "
        "exact value is then {exact:.2f}; without the phase it is {prior:.2f}, and {m} points bring it to {brief:.2f}.\n\n"
        "**What it costs.** On the same functions, the {longest} points of the longest phase shown raise the regret of {all} "
        "evaluations from {plain:.1f} to {long:.1f}. A phase as short as one batch changes it by {short} (95 % interval), and so "
        "little for a reason: before any data the mean is zero everywhere, and the ratio picks the largest standard deviations, "
        "which *is* this phase. The exceptions are sampled maxima below zero, {negative:.0%} of the first draws, for which the "
        "rule prefers small standard deviations; resampling removes them and changes the regret by {resampled}. So the "
        "long phase is a device of the proof, and the short one is what TS-RSR does by itself. The paper's experiments use "
        "neither.",
        needed=study.needed,
        exact=float(at.exact.loc[study.needed]),
        prior=float(at.exact.loc[0]),
        m=DESIGN_BATCH,
        brief=float(at.exact.loc[DESIGN_BATCH]),
        longest=int(table.index[-1]),
        all=study.evaluations,
        plain=float(plain.total),
        long=float(long.total),
        short=_range(short["against none"]),
        negative=float(plain.negative),
        resampled=_range(plain["resampled against none"]),
        where=where_of(study),
    )


def _range(interval: Interval) -> str:
    """``-1.2 to +0.8``."""
    return f"{interval.low:+.1f} to {interval.high:+.1f}"


@dataclass(frozen=True, eq=False)
class ResamplingStudy:
    """One row a noise level and batch size: regret with and without resampling, paired difference, share accepted."""

    rows: pd.DataFrame


@recorded(first="seed")
def resampling_study(seed: int, evaluations: int, runs: int) -> ResamplingStudy:
    """TS-RSR as the theory has it and as Appendix C runs it, on the same functions."""
    covariance, rows = instance(), []
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
                    "difference": gap.estimate,
                    "low": gap.low,
                    "high": gap.high,
                    "accepted": again.accepted,
                    "sampled minus true regret": float((again.sampled_regret - again.regret).mean()),
                }
            )
    return ResamplingStudy(pd.DataFrame(rows))


def show_resampling(study: ResamplingStudy) -> None:
    """Key numbers: both regrets and the share of accepted draws."""
    columns = ["without", "with", "accepted"]
    key_numbers(cells(study.rows, "noise {noise:g}, m = {m}: {}", columns), where_of(study))


def say_resampling(study: ResamplingStudy) -> Sentence:
    """Whether resampling changes the regret, and what it does to Lemma 1."""
    rows = study.rows
    return say(
        "Resampling accepts {low:.0%} to {high:.0%} of the draws, always at least half, so it costs at most one extra draw on "
        "average. On the same functions, the regret is lower with it in {better} and higher in {worse} of {cases} settings "
        "(95 % intervals of the paired difference). "
        "Lemma 1 no longer holds with it: the sampled regret exceeds the true one by up to {excess:.1f} on average. Since "
        "redrawing can only raise the sampled maxima in distribution, the bounds survive, with $2N$ for $N$ in the logarithm.",
        low=float(rows.accepted.min()),
        high=float(rows.accepted.max()),
        cases=len(rows),
        better=int((rows.high < 0).sum()),
        worse=int((rows.low > 0).sum()),
        excess=float(rows["sampled minus true regret"].max()),
        where=where_of(study),
    )


def instance_in_words() -> str:
    """The instance of the theory studies, for captions."""
    return f"squared exponential, length-scale {LENGTHSCALE:g}, on {POINTS} equally spaced points of the unit interval"
