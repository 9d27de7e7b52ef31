"""Appendix E: stored runs beside the printed tables, what two hundred functions say, and a live rerun of a few."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pandas as pd

from companion.pages import Numbers, Table, provenance_of, recorded
from companion.pages.reruns import Again, rerun_tasks
from companion.papers.batched.experiments import store
from companion.papers.batched.experiments.conclusions_claims import (
    CLAIMS,
    COMPARABLE,
    at_the_end,
    judge,
    means_of_ten,
    paired,
    table,
)
from companion.papers.batched.experiments.parameters import AppendixE
from companion.papers.batched.experiments.printed import BatchedResults
from companion.papers.batched.experiments.runs import CHECKPOINTS, MAIN, RULES, rule_blocks, rule_label
from companion.papers.batched.problems.catalogue import KERNEL_TITLES

TEN = tuple(range(10))
#: Sizes of Tables 2 and 3 that are nearly the original ones; the paper draws no conclusion from their rows.
SAME = "a=0.5"
#: Largest relative difference between two runs that count as equal; all digits are stored.
EQUAL = 1e-9


load_paper_results = BatchedResults.read


def printed_table(evidence: BatchedResults, kernel: str) -> pd.DataFrame:
    """A printed table: a row per rule, a column per checkpoint, and column 0 for the number of batches."""
    return evidence.reported[evidence.reported.kernel == kernel].pivot(index="rule", columns="t", values="value")


def beside(evidence: BatchedResults, kernel: str) -> pd.DataFrame:
    """The printed table and the mean over our first ten functions: two rows per rule, columns B and one per t."""
    printed = printed_table(evidence, kernel)
    ours = table(evidence.frame, kernel, TEN).set_index("rule")
    rows = []
    for rule in map(rule_label, RULES[kernel]):
        label = {"sizes": rule, "from": "printed", "B": int(printed.at[rule, 0])}
        rows.append(label | {f"t = {t}": float(printed.at[rule, t]) for t in CHECKPOINTS})
        label = {"sizes": rule, "from": "ours", "B": int(ours.at[rule, "batches"])}
        rows.append(label | {f"t = {t}": float(ours.at[rule, f"t={t}"]) for t in CHECKPOINTS})
    return pd.DataFrame(rows)


def level_numbers(evidence: BatchedResults) -> Numbers:
    """Our ten-function means over the printed ones (original sizes), and how much regret varies between functions."""
    ratios, shares = [], []
    for kernel in RULES:
        printed, ours = beside(evidence, kernel)["t = 1000"].iloc[:2]
        ratios.append(float(ours / printed))
        shares.append(evidence.spread_between_functions(kernel)[0] / base_mean(evidence, kernel))
    between, within = evidence.spread_between_functions("matern32")
    return Numbers(
        evidence, low=min(ratios), high=max(ratios), least=min(shares), most=max(shares), between=between, within=within
    )


def base_mean(evidence: BatchedResults, kernel: str) -> float:
    """Mean R_1000 of the original rule over all seeds."""
    frame = evidence.frame
    return float(frame[(frame.kernel == kernel) & (frame.rule == "orig")].R1000.mean())


def conclusion_numbers(evidence: BatchedResults) -> Numbers:
    """Verdicts on the appendix's conclusions over all functions, and those that the breaking of ties changes."""
    judged, random = evidence.judged, evidence.judged_with_random_ties
    own = np.array([claim.rule == SAME for claim in judged.claim])
    wrong, open_ = (judged[~own & (judged.outcome == outcome)] for outcome in ("contradicted", "undecided"))
    return Numbers(
        evidence,
        functions=int(evidence.frame.seed.nunique()),
        compared=int((~own).sum()),
        holds=_pairs(judged[~own & (judged.outcome == "holds")]),
        contradicted=_pairs(wrong),
        undecided=_pairs(open_),
        undecided_share=float(open_.share_negative.min()),
        undecided_share_random=float(random.share_negative[open_.index].min()),
        changed=_pairs(judged[judged.outcome != random.outcome]),
        hold_with_random_ties=_pairs(random[(judged.outcome != random.outcome) & (random.outcome == "holds")]),
        above=[f"{KERNEL_TITLES[c.kernel]} {c.rule}" for c in judged.claim[judged.low > 0]],
        worse_low=float(wrong.relative.min()),
        worse_high=float(wrong.relative.max()),
        single_low=float(wrong.share_negative.min()),
        single_high=float(wrong.share_negative.max()),
        ten=float(wrong.ten_agree.max()),
        second=min(_between(evidence, claim.kernel, claim.rule) for claim in wrong.claim),
        own=max(_agree_apart(evidence, claim.kernel, claim.rule) for claim in wrong.claim),
        margin=COMPARABLE,
    )


def _between(evidence: BatchedResults, kernel: str, rule: str) -> float:
    """Share of the mean paired difference at t = 1000 that arises between t = 200 and t = 400."""
    at = {t: paired(evidence.frame, kernel, rule, f"R{t}")[0].estimate for t in (200, 400, 1000)}
    return (at[400] - at[200]) / at[1000]


def _agree_apart(evidence: BatchedResults, kernel: str, rule: str) -> float:
    """Probability that ten functions for the rule have a smaller mean than ten others for the original sizes; normal means."""
    part = evidence.frame[evidence.frame.kernel == kernel].pivot(index="seed", columns="rule", values="R1000")
    more, spread = part[rule].mean() - part["orig"].mean(), np.hypot(part[rule].std(), part["orig"].std()) / 10**0.5
    return NormalDist(more, spread).cdf(0.0)


#: Instead of an outcome, where the paper draws no conclusion.
NO_CLAIM = "no claim"


def comparison_rows(evidence: BatchedResults) -> pd.DataFrame:
    """One row a comparison with the original sizes, all as shares of their mean regret: paired difference with its 95 %
    interval, the middle 95 % of the means over ten new functions (``few``), and the printed difference; and what
    :func:`at_the_end` says of the rule, with the share in which the maximiser survives the original sizes (``base``).
    """
    rows, end = [], at_the_end(evidence.frame).set_index(["kernel", "rule"])
    for _, row in evidence.judged.iterrows():
        kernel, rule = row.claim.kernel, row.claim.rule
        base, printed = base_mean(evidence, kernel), printed_table(evidence, kernel)[1000]
        few = np.quantile(means_of_ten(paired(evidence.frame, kernel, rule)[1]), (0.025, 0.975)) / base
        rows.append(
            {
                "comparison": f"{KERNEL_TITLES[kernel]}, {rule}",
                "says": NO_CLAIM if rule == SAME else row.claim.says,
                "outcome": NO_CLAIM if rule == SAME else row.outcome,
                "lead": row.relative,
                "low": row.low / base,
                "high": row.high / base,
                "few low": few[0],
                "few high": few[1],
                "printed": float(printed[rule] / printed["orig"]) - 1,
                "base": end.at[(kernel, "orig"), "kept"],
                **end.loc[(kernel, rule), ["kept", "kept low", "kept high"]],
                **end.loc[(kernel, rule), ["difference", "low", "high"]].add_prefix("end "),
            }
        )
    return pd.DataFrame(rows)


def _pairs(judged: pd.DataFrame) -> set[tuple[str, str]]:
    """Kernel and rule of each comparison."""
    return {(claim.kernel, claim.rule) for claim in judged.claim}


def noise_numbers(evidence: BatchedResults) -> Numbers:
    """The rows orig and a=0.5, which are nearly one rule: how far apart as printed and as measured, beside the rows a=0.4."""
    sizes = evidence.frame.drop_duplicates(["kernel", "rule"]).set_index(["kernel", "rule"]).sizes.str.split()
    pairs = zip(sizes["matern32", "orig"], sizes["matern32", SAME], strict=True)
    # By how much the printed R_1000 of a rule is below that of the original sizes.
    printed = {kernel: printed_table(evidence, kernel)[1000] for kernel in ("matern32", "matern52")}
    below2, below3 = (values["orig"] - values for values in printed.values())
    return Numbers(
        evidence,
        apart=max(abs(int(a) - int(b)) for a, b in pairs),
        printed_b=int(printed_table(evidence, "matern52").at[SAME, 0]),
        counted_b=len(sizes["matern52", SAME]),
        table2=float(below2[SAME]),
        ours2=-paired(evidence.frame, "matern32", SAME)[0].estimate,
        claimed2=float(below2["a=0.4"]),
        table3=float(below3[SAME]),
        claimed3=float(below3["a=0.4"]),
    )


def _hundreds(evaluations: float) -> float:
    """To the nearest hundred; NaN where the sums never meet."""
    return int(round(evaluations, -2)) if math.isfinite(evaluations) else evaluations


def end_numbers(evidence: BatchedResults) -> Numbers:
    """Survival of the maximiser, and the point at the end, by rule; and the instance of Appendix E."""
    rows = at_the_end(evidence.frame)
    rough = rows[rows.kernel != "se"]
    fewer, orig, more = rough[rough.fewer == 1], rows[rows.rule == "orig"], rows[rows.fewer < 0]
    base, instance = orig[orig.kernel != "se"], AppendixE()
    return Numbers(
        evidence,
        axis=instance.points_per_axis,
        draw_scale=instance.draw_lengthscale,
        model_scale=instance.model_lengthscale,
        noise_sd=instance.noise,
        rows=len(fewer),
        kept_low=float(fewer["kept"].min()),
        kept_high=float(fewer["kept"].max()),
        base_low=float(base["kept"].min()),
        base_high=float(base["kept"].max()),
        # The intervals, not the estimates, decide.
        safer=bool(fewer["kept low"].min() > base["kept high"].max()),
        better=int((fewer.high < 0).sum()),
        regret_high=float(fewer.regret.max()),
        base_regret=float(base.regret.min()),
        costlier=bool((fewer["sum"] > 0).all()),
        level_low=_hundreds(fewer.level.min()),
        level_high=_hundreds(fewer.level.max()),
        first=sorted({int(sizes.split()[0]) for sizes in _sizes(evidence, fewer)}),
        first_base=int(_sizes(evidence, base)[0].split()[0]),
        # Of every kernel with the original sizes.
        lost_low=1 - float(orig["kept"].max()),
        lost_high=1 - float(orig["kept"].min()),
        worse=int((more.low > 0).sum()),
        more=len(more),
        regret_most=float(rows.regret.max()),
        average=float(evidence.frame.groupby("kernel").mean_gap.mean().min()),
    )


def _sizes(evidence: BatchedResults, rows: pd.DataFrame) -> list[str]:
    first = evidence.frame.drop_duplicates(["kernel", "rule"]).set_index(["kernel", "rule"]).sizes
    return [str(first[kernel, rule]) for kernel, rule in zip(rows.kernel, rows.rule, strict=True)]


def _twelve(evidence: BatchedResults) -> pd.DataFrame:
    """R_1000 of three rules on the first twelve functions, Matérn 3/2: a row a function."""
    frame = evidence.frame[evidence.frame.kernel == "matern32"].pivot(index="seed", columns="rule", values="R1000")
    return frame.loc[range(12), ["orig", "a=0.4", SAME]]


def twelve(evidence: BatchedResults) -> Table:
    """The table of the exercise on ten functions: functions across, rules down."""
    rows = _twelve(evidence).T.rename(index={"orig": "original"}).rename(columns=lambda seed: str(seed + 1))
    frame = rows.rename_axis(None, axis=1).rename_axis("sizes").reset_index()
    return Table(frame, formats=dict.fromkeys(frame.columns[1:], "{:.0f}".format), where=provenance_of(evidence))


def ten_numbers(evidence: BatchedResults) -> Numbers:
    """Answers to that exercise: means of ten on shared functions and on others, and the interval of all functions."""
    rows, root = _twelve(evidence).round(), 10**0.5
    fewer, same = rows["a=0.4"] - rows["orig"], rows[SAME] - rows["orig"]
    shared, apart = (sd / root for sd in (fewer.std(), np.hypot(rows["a=0.4"].std(), rows["orig"].std())))
    return Numbers(
        evidence,
        wins=int((fewer < 0).sum()),
        mean=float(fewer.mean()),
        error=float(fewer.sem()),
        all_low=paired(evidence.frame, "matern32", "a=0.4")[0].low,
        shared_sd=float(shared),
        apart_sd=float(apart),
        shared=NormalDist(fewer.mean(), shared).cdf(0.0),
        apart=NormalDist(fewer.mean(), apart).cdf(0.0),
        same_sd=float(same.std() / root),
        same_apart=float(np.hypot(rows[SAME].std(), rows["orig"].std()) / root),
    )


@recorded(first=0, count="functions")
def rerun_live(evidence: BatchedResults, functions: int) -> pd.DataFrame:
    """Run the first ``functions`` seeds of every kernel and rule now; stored and live regret at t = 1000."""
    seeds = sorted(evidence.frame.seed.unique())[:functions]
    wanted = [(block, task) for block in rule_blocks(MAIN, [int(s) for s in seeds]) for task in block.tasks]
    results = [result for _, result in rerun_tasks([task for _, task in wanted], store.compute)]
    live = store.RUNS.frames(wanted, results)[MAIN].rename(columns={"R1000": "live"})
    keys = ["kernel", "rule", "seed"]
    stored = evidence.frame.rename(columns={"R1000": "stored"})[[*keys, "stored"]]
    both = live[[*keys, "live"]].merge(stored, on=keys, validate="one_to_one")
    return both[[*keys, "stored", "live"]]


def live_numbers(evidence: BatchedResults, live: pd.DataFrame) -> Numbers:
    """Distance of live runs from the stored ones, in millionths of the regret, and the conclusions that turn with them."""
    keys = ["kernel", "rule", "seed"]
    now = live.set_index(keys).live.reindex(pd.MultiIndex.from_frame(evidence.frame[keys]))
    again = evidence.frame.assign(R1000=np.where(now.isna(), evidence.frame.R1000, now))
    outcomes = [judge(again, claim)["outcome"] for claim in CLAIMS]
    return Numbers(
        evidence,
        live,
        apart=1e6 * float(((live.live - live.stored).abs() / live.stored).max()),
        turned=_pairs(evidence.judged[evidence.judged.outcome != outcomes]),
    )


_AGAIN = Again(EQUAL)
same, say_live = _AGAIN.same, _AGAIN.say
