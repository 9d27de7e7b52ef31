"""Who is ahead, by best reward and by the regret that the theorem bounds, and of which MF-GP-UCB that is true."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from companion.papers.meanfield.claims.methods import over_agents
from companion.papers.meanfield.claims.printed import NAME_OF, OURS, PLAIN, TITLE_OF
from companion.papers.meanfield.claims.ranking import (
    AHEAD,
    BEHIND,
    BEST,
    OPEN,
    REGRET,
    SEARCH,
    Standing,
    against,
    block_of,
    groups,
    level,
    share_of_uniform,
    standing,
)
from companion.papers.meanfield.parameters import BETA
from companion.papers.meanfield.plan.experiments import experiment
from companion.papers.meanfield.plan.runs import CONTROLS
from companion.papers.meanfield.problems.catalogue import SETTINGS
from companion.papers.meanfield.studies import growth
from companion.papers.meanfield.studies.paper import METHODS, Evidence
from companion.report import say, where_of
from companion.report.text import Sentence
from companion.reproduce.claimed import log_slope
from companion.reproduce.intervals import Interval, mean_interval, paired_interval

QUOTA, AGENT = "play=quota", "observation=agent"
THEORY = ("width=printed", "width=corrected")
#: Random laws with which every run begins, and the constants of Assumption 3.1 in the theorem's width, by default.
DEFAULTS: Mapping[str, Any] = experiment("taxi-a").parameters.resolve({})
INITIAL, SIZE_A, SIZE_B = int(DEFAULTS["initial"]), float(DEFAULTS["a"]), float(DEFAULTS["b"])
#: Methods beside MF-GP-UCB in the summary of growth.
COMPARED = (growth.NAIVE, "turbo", "sa")


def listed(problems: Iterable[str]) -> str:
    """Titles of problems."""
    return ", ".join(TITLE_OF[name] for name in problems)


def spaced(count: float) -> str:
    """A whole number with spaces between thousands."""
    return f"{count:,.0f}".replace(",", " ")


def size_of(interval: Interval, digits: int = 2) -> str:
    """How far below zero, with its interval."""
    return f"{-interval.estimate:.{digits}g} ({-interval.high:.{digits}g} to {-interval.low:.{digits}g})"


# -- the summary -------------------------------------------------------------------------------------------------------


def again(evidence: Evidence) -> str:
    """On how many problems MF-GP-UCB is ahead, by both measures; against fairer opponents; and with another search."""
    best, regret = (groups(evidence, measure) for measure in (BEST, REGRET))
    total = sum(len(names) for names in best.values())
    fairer, searched = (
        [groups(evidence, measure, **more) for measure in (BEST, REGRET)]
        for more in ({"others": CONTROLS, "theirs": "controls"}, {"variant": SEARCH})
    )
    fair = any(fairer[0].values())
    text = f"by best reward MF-GP-UCB is ahead of each of the paper's other methods on {len(best[AHEAD])} of {total} problems"
    text += f", of opponents with fairer settings on {len(fairer[0][AHEAD])}" if fair else ""
    notes = [f"not told apart on {listed(best[OPEN])}{_fewer(evidence)}"] if best[OPEN] else []
    notes += [f"behind on {listed(best[BEHIND])}"] if best[BEHIND] else []
    text += f" (paired by seed; {'; '.join(notes)})" if notes else " (paired by seed)"
    text += f". By cumulative regret, which the theorem bounds, it is ahead on {len(regret[AHEAD])}{_behind(regret)}"
    text += f", and of the fairer opponents ahead on {len(fairer[1][AHEAD])}." if fair else "."
    if any(searched[0].values()):
        text += (
            " Much depends on how the acquisition is maximised: with Adam at the paper's rate, our reading of its search, it "
            f"is ahead on {len(searched[0][AHEAD])} by best reward{_behind(searched[0])}, and on "
            f"{len(searched[1][AHEAD])} by regret{_behind(searched[1])}."
        )
    return text


def _behind(found: Mapping[str, Sequence[str]]) -> str:
    """``, behind on 2 (LouVelo, Maritime)``, or nothing."""
    return f", behind on {len(found[BEHIND])} ({listed(found[BEHIND])})" if found[BEHIND] else ""


def _fewer(evidence: Evidence) -> str:
    """That LouVelo with the other number of stations comes out otherwise, where it does."""
    found = fewer_stations(evidence)
    if found is None or found[2].high >= 0:
        return ""
    count, other, _ = found
    return f", and with the {count} stations of Figure 2's caption behind {NAME_OF[other]}"


def two_methods(evidence: Evidence) -> str:
    """What becomes of MF-GP-UCB with the theorem's width, and with Algorithm 1's observation."""
    losing, agent = (below_random(evidence, variants) for variants in (THEORY, (AGENT,)))
    if losing is None or agent is None:
        return "the runs with the theorem's width or Algorithm 1's observation are not stored."
    lost, rest = losing
    still = [name for name in rest if all(_is_ahead(evidence, name, variant) for variant in THEORY)]
    width = f"earns less than random search on {listed(lost)}" if lost else "earns no less than random search"
    width += f", though on {listed(still)} it stays ahead" if lost and still else ""
    told = f"earns less on {' and '.join(TITLE_OF[name] for name in agent[0])}" if agent[0] else "does not"
    chosen = f"a constant width of {BETA.default:g} standard deviations, chosen on {TITLE_OF['taxi-a']}"
    return (
        f"with the theorem's own width ($a={SIZE_A:g}$, $b={SIZE_B:g}$), printed or corrected, MF-GP-UCB {width}; told one "
        f"agent's payoff, as in Algorithm 1, it {told}. What is ahead in the finding before this one is told the reward of "
        f"the whole system and has {chosen}."
    )


def below_random(evidence: Evidence, variants: Sequence[str]) -> tuple[list[str], list[str]] | None:
    """Problems on which the best reward with each of the settings is below random search's, and the others that ran."""
    ran = [
        name for name in evidence.problems if all(block_of(evidence, name, variant) is not None for variant in variants)
    ]
    if not ran:
        return None
    lost = [name for name in ran if all(against(evidence, name, BEST, "random", v).high < 0 for v in variants)]
    return lost, [name for name in ran if name not in lost]


def _is_ahead(evidence: Evidence, problem: str, variant: str) -> bool:
    found = standing(evidence, problem, BEST, variant)
    return found is not None and found.verdict == AHEAD


def grown(evidence: Evidence) -> str:
    """Regret of MF-GP-UCB and of others at the fewest agents, at the paper's number and at the most; and its run time."""
    ours = growth.exponent(evidence, "swarm", "agents", OURS, "agents")
    if ours is None:
        return "no runs at different numbers of agents are stored."
    rows = growth.growth_rows(evidence)
    table = rows[rows.problem == "swarm"].pivot_table(index="M", columns="method", values="share")
    sizes = sorted({int(table.index.min()), SETTINGS["swarm"].agents, int(table.index.max())} & set(table.index))
    trend = "falls" if ours.high < 0 else "does not grow" if ours.low <= 0 else "**grows**"
    shares = ", ".join(f"{table.loc[size, OURS]:.2f} with {spaced(size)}" for size in sizes)
    text = (
        f"in shares of the uniform law's regret, that of MF-GP-UCB on Swarm {trend}: {shares} agents (exponent "
        f"{ours.estimate:+.2f}, {ours.low:+.2f} to {ours.high:+.2f})."
    )
    others = [
        f"{NAME_OF[name]} has " + ", ".join(f"{table.loc[size, name]:.2f}" for size in sizes)
        for name in COMPARED
        if name in table and table.loc[sizes, name].notna().all()
    ]
    if others:
        said = "; ".join(others)
        equal = _not_behind(evidence, sizes[0])
        text += f" {said[0].upper()}{said[1:]}{equal}."
    return text + _time(evidence)


def _not_behind(evidence: Evidence, size: int) -> str:
    """Which of the others MF-GP-UCB is not told apart from, or behind, at the fewest agents."""
    ours = growth.runs(evidence, "swarm", "agents", OURS)
    ours = ours[ours.agents == size].set_index("seed").share
    found = []
    for name in COMPARED:
        rows = growth.runs(evidence, "swarm", "rivals", name)
        theirs = rows[rows.agents == size].set_index("seed").share
        seeds = theirs.index.intersection(ours.index)
        if len(seeds) > 1 and paired_interval(ours.loc[seeds].to_numpy(), theirs.loc[seeds].to_numpy()).high >= 0:
            found.append(NAME_OF[name])
    return f": with {spaced(size)} agents MF-GP-UCB is not ahead of {' and '.join(found)}" if found else ""


def _time(evidence: Evidence) -> str:
    """Exponents of the run times in M, ours; TuRBO's in print is not testable."""
    ours, theirs = (over_agents(evidence, "swarm", m, block) for m, block in ((OURS, "agents"), ("turbo", "rivals")))
    if not ours[0].size or not theirs[0].size:
        return ""
    mine, other = log_slope(evidence, *ours), log_slope(evidence, *theirs)
    return (
        f" Its time grows by the power {mine.estimate:.2f}, that of our TuRBO by {other.estimate:.2f}; what the paper ran "
        "under that name, at days a run, is not known."
    )


# -- below the figures -------------------------------------------------------------------------------------------------


def say_regret(evidence: Evidence, problems: tuple[str, ...]) -> Sentence:
    """Who is ahead by cumulative regret, and how that depends on the search and on the play."""
    shown = [name for name in problems if name in evidence.problems]
    found = {name: standing(evidence, name, REGRET) for name in shown}
    said = {verdict: [name for name, one in found.items() if one and one.verdict == verdict] for verdict in _WORDS}
    lines = [
        f"{words} on {', '.join(_with_rivals(found, name) for name in said[v])}"
        for v, words in _WORDS.items()
        if said[v]
    ]
    shares = {name: mean_interval(share_of_uniform(evidence, name, OURS)) for name in shown}
    more = [
        f"{TITLE_OF[n]} ({s.estimate:.2f}, {s.low:.2f} to {s.high:.2f})" for n, s in shares.items() if s.estimate > 1
    ]
    return say(
        "By cumulative regret, which the theorem bounds, MF-GP-UCB is {lines}. Its regret in shares of the uniform law's: "
        "{plain}{others}.{more}",
        lines="; ".join(lines) or "not compared",
        plain=_shares(evidence, shown, PLAIN),
        others="".join(
            f"; {words}: {text}"
            for variant, words in (
                (SEARCH, "with Adam at the paper's rate"),
                (QUOTA, "with laws played as whole numbers"),
            )
            if (text := _shares(evidence, shown, variant))
        ),
        more=f" Above one is more than by playing the uniform law in every round: {', '.join(more)}." if more else "",
        where=where_of(evidence),
    )


_WORDS = {AHEAD: "ahead of every other method", BEHIND: "behind", OPEN: "not told apart from the best other"}


def _with_rivals(found: Mapping[str, Standing | None], name: str) -> str:
    one = found[name]
    assert one is not None
    rivals = {AHEAD: (), BEHIND: one.beaten_by, OPEN: (one.other,)}[one.verdict]
    return TITLE_OF[name] + (f" ({', '.join(NAME_OF[rival] for rival in rivals)})" if rivals else "")


def _shares(evidence: Evidence, problems: Sequence[str], variant: str) -> str:
    texts = []
    for name in problems:
        block = block_of(evidence, name, variant)
        if block is not None:
            share = share_of_uniform(evidence, name, OURS, block, variant).mean()
            texts.append(f"{TITLE_OF[name]} {share:.2f}")
    return ", ".join(texts)


# -- what depends on a setting -----------------------------------------------------------------------------------------


def say_width(evidence: Evidence) -> Sentence:
    """The theorem's widths and constant ones: best reward against random search and TuRBO, and regret."""
    name = "taxi-a"
    ran = [variant for variant in THEORY if block_of(evidence, name, variant) is not None]
    if not ran or not evidence.has(name, *METHODS):
        return say("No runs with the theorem's width are stored.", where=evidence.where)
    last = max(int(evidence.of(name, OURS, block="variants", variant=variant).last_rise.max()) for variant in ran)
    row = evidence.of(name, OURS).iloc[0]
    least = math.sqrt(2.0 * int(row.actions) * int(row.contexts) * math.log(2.0))
    below = [v for v in ran if against(evidence, name, BEST, "random", v).high < 0]
    verdict = "does not stay below that of random search"
    if below == ran:
        verdict = f"stays below that of random search, by {size_of(against(evidence, name, BEST, 'random', below[0]))}"
        if last <= INITIAL:
            verdict += f": nothing that is played after the {INITIAL} random laws at the start earns more than they do"
    return say(
        "**The width.** With the theorem's own width, printed or corrected, the best reward on {title} {verdict}. The "
        "regret is {regrets} times the uniform law's. {swarm}The constants are $a={a:g}$ and $b={b:g}$, our choice, "
        "but $\\tau_t\\ge2$ alone "
        "makes the corrected width $\\sqrt{{2\\cdot{size}\\log2}}={least:.1f}$ at least. Best rewards with constant widths: "
        "{constant}; TuRBO has {turbo:.4f} and random search {random:.4f}. The default was chosen here, on a problem that "
        "it is then tested on.",
        title=TITLE_OF[name],
        verdict=verdict,
        regrets=_regrets(evidence, name, ran),
        swarm=_on_swarm(evidence),
        a=SIZE_A,
        b=SIZE_B,
        size=int(row.actions) * int(row.contexts),
        least=least,
        constant=", ".join(f"{value:.4f} at {width:g}" for width, value in _constant(evidence, name)),
        turbo=float(evidence.values(name, "turbo").mean()),
        random=float(evidence.values(name, "random").mean()),
        where=where_of(evidence),
    )


def _regrets(evidence: Evidence, name: str, variants: Sequence[str]) -> str:
    values = [float(share_of_uniform(evidence, name, OURS, "variants", v).mean()) for v in variants]
    return " and ".join(f"{value:.2g}" for value in values)


def _on_swarm(evidence: Evidence) -> str:
    ran = [variant for variant in THEORY if block_of(evidence, "swarm", variant) is not None]
    if not ran or "swarm" not in evidence.problems:
        return ""
    ahead = all(_is_ahead(evidence, "swarm", variant) for variant in ran)
    plain = float(share_of_uniform(evidence, "swarm", OURS).mean())
    return (
        f"On Swarm its best reward is {'still' if ahead else 'not'} ahead of the others', with "
        f"{_regrets(evidence, 'swarm', ran)} of the uniform law's regret instead of {plain:.2f}. "
    )


def _constant(evidence: Evidence, name: str) -> list[tuple[float, float]]:
    """Constant widths with stored runs, and mean best rewards."""
    widths = {
        float(str(variant).removeprefix("beta=")): str(variant)
        for variant in evidence.tables["final"].variant.unique()
        if str(variant).startswith("beta=") and block_of(evidence, name, str(variant)) is not None
    }
    found = {
        width: float(level(evidence, name, OURS, BEST, "variants", variant).mean()) for width, variant in widths.items()
    }
    found[float(BETA.default)] = float(evidence.values(name, OURS).mean())
    return sorted(found.items())


def say_observation(evidence: Evidence) -> Sentence:
    """The payoff of one agent, as in Algorithm 1, instead of the system's reward."""
    ran = [name for name in evidence.problems if block_of(evidence, name, AGENT) is not None]
    if not ran:
        return say("No runs with the payoff of one agent are stored.", where=evidence.where)
    lost = [
        f"{TITLE_OF[name]}, by {size_of(interval)}"
        for name in ran
        if (interval := against(evidence, name, BEST, "random", AGENT)).high < 0
    ]
    ahead = [name for name in ran if _is_ahead(evidence, name, AGENT)]
    shares = [
        f"{TITLE_OF[name]} {share_of_uniform(evidence, name, OURS, 'variants', AGENT).mean():.2f} instead of "
        f"{share_of_uniform(evidence, name, OURS).mean():.2f}"
        for name in ran
    ]
    return say(
        "**The observation.** Told the payoff of one agent, as Algorithm 1 has it, MF-GP-UCB is ahead of every other method "
        "by best reward on {ahead} of {all} problems{which}{lost}. Its regret in shares of the uniform law's: {shares}.",
        ahead=len(ahead),
        all=len(ran),
        which=f" ({listed(ahead)})" if ahead else "",
        lost=f", and below random search on {' and on '.join(lost)}" if lost else "",
        shares=", ".join(shares),
        where=where_of(evidence),
    )


def say_controls(evidence: Evidence) -> Sentence:
    """MF-GP-UCB against the companion's own opponents, by both measures."""
    found = {
        measure: groups(evidence, measure, others=CONTROLS, theirs="controls", problems=evidence.problems)
        for measure in (BEST, REGRET)
    }
    if not any(found[BEST].values()):
        return say("No controls are stored.", where=evidence.where)
    texts = [
        f"by {measure}, it is "
        + "; ".join(f"{verdict} on {len(names)} ({listed(names)})" for verdict, names in by.items() if names)
        for measure, by in found.items()
    ]
    return say(
        "Against all four of them MF-GP-UCB stands as follows: {texts}.",
        texts=". Then, ".join(texts),
        where=where_of(evidence),
    )


def fewer_stations(evidence: Evidence) -> tuple[int, str, Interval] | None:
    """LouVelo with as many stations as the caption of Figure 2 says: their number, the best rival, and the difference."""
    key = ("variants", "actions=36")
    if not evidence.has("bikes", *METHODS, block=key[0], variant=key[1]):
        return None
    rivals = [name for name in METHODS if name != OURS]
    other = max(rivals, key=lambda name: evidence.values("bikes", name, "best", *key).mean())
    count = int(evidence.of("bikes", OURS, block=key[0], variant=key[1]).actions.iloc[0])
    return count, other, evidence.against("bikes", OURS, other, "best", *key)


def say_stations(evidence: Evidence) -> Sentence:
    """LouVelo with the number of stations in the caption of Figure 2 instead of that in the text."""
    found = fewer_stations(evidence)
    if found is None:
        return say("No runs with another number of stations are stored.", where=evidence.where)
    count, other, interval = found
    return say(
        "**The stations.** On {title} with {count} stations, as the caption of Figure 2 has it, MF-GP-UCB's best reward minus "
        "that of {other} is {difference:+.4f} ({low:+.4f} to {high:+.4f}).",
        title=TITLE_OF["bikes"],
        count=count,
        other=NAME_OF[other],
        difference=interval.estimate,
        low=interval.low,
        high=interval.high,
        where=where_of(evidence),
    )
