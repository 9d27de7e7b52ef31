"""The seven problems: optimum or certified bound, what the penalties favour, and what independent draws of actions cost."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from companion.arrays import Floats
from companion.papers.meanfield.claims.figures import SHOWN_REWARD
from companion.papers.meanfield.method.agents import largest_remainder
from companion.papers.meanfield.problems.catalogue import HORIZON, SETTINGS, WITH_READINGS, meanfield_problem
from companion.papers.meanfield.problems.mean_field import MeanFieldProblem
from companion.papers.meanfield.problems.penalty_readings import penalty_readings
from companion.papers.meanfield.problems.swarm import SIGMA
from companion.papers.meanfield.studies.paper import Evidence
from companion.randomness import stream
from companion.report import cells, key_numbers, recorded, say, where_of
from companion.report.text import Sentence
from companion.reproduce.intervals import mean_interval

STAND_IN = "synthetic"
READINGS = {"ours": "weighted by the shares", "text": "as printed"}
#: Numbers of bicycles in the study of independent draws; the paper's among them.
CROWDS = (50, 300, 3000, 20_000)


def embedded(name: str, **more: object) -> MeanFieldProblem:
    """A problem with its embedded stand-in for data, the same on every machine."""
    return meanfield_problem(name, data=STAND_IN, **more)  # type: ignore[arg-type]


@recorded(random=False)
def problem_rows(evidence: Evidence) -> pd.DataFrame:
    """One row a problem: size, data of the stored runs, and the rewards between which everything happens, there and here."""
    rows = []
    for name, chosen in SETTINGS.items():
        made = embedded(name)
        stored = evidence.reference(name)
        rows.append(
            {
                "problem": chosen.title,
                "M": chosen.agents,
                "|A|, paper": chosen.actions,
                "|A|, stored": "–" if stored is None else str(int(stored.actions)),
                "|C|": made.contexts,
                "stored runs on": "–" if stored is None else evidence.data_in_words(name),
                "uniform law": float("nan") if stored is None else float(stored.uniform),
                "optimum, at most": float("nan") if stored is None else float(stored.upper_bound),
                "|A|, stand-in": made.actions,
                "uniform law, stand-in": float(made.reward(made.uniform()[None])[0]),
                "best known, stand-in": made.optimum,
                "known to within": made.upper_bound - made.optimum,
                "certified by": made.certified,
            }
        )
    return pd.DataFrame(rows)


def show_problems(rows: pd.DataFrame) -> None:
    """Key numbers: the optimum of every stand-in and how well it is known."""
    columns = {"best known, stand-in": "best known", "uniform law, stand-in": "uniform law"}
    key_numbers(cells(rows, "{problem}: {}", columns), where_of(rows))


def say_problems(rows: pd.DataFrame) -> Sentence:
    """How well the optima are known."""
    return say(
        "Every optimum is certified, at worst to within {worst:.0e}, so that regret can be shown and not only reward. "
        "The stored runs, which all figures with the paper's methods show, used: {used}.",
        used="; ".join(f"{row['problem']}, {row['stored runs on']}" for row in rows.to_dict("records")),
        worst=float(rows["known to within"].max()),
        where=where_of(rows),
    )


# -- penalties ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class PenaltyStudy:
    """Best laws of Swarm under both penalties (``laws``, by reading), and one row a problem and reading (``rows``)."""

    rows: pd.DataFrame
    laws: dict[str, Floats]
    angles: Floats


@recorded(random=False)
def penalty_study() -> PenaltyStudy:
    """What the congestion penalty does in both readings: the best law, and all agents of a context in one action."""
    rows, laws = [], {}
    for name in WITH_READINGS:
        for reading, words in READINGS.items():
            problem = meanfield_problem(name, reading=reading)
            one = _one_action(problem)
            share = problem.context_weights @ problem.optimal
            used = share[share > 0]
            rows.append(
                {
                    "problem": SETTINGS[name].title,
                    "penalty": words,
                    "optimum": problem.optimum,
                    "one action each": one,
                    "uniform law": float(problem.reward(problem.uniform()[None])[0]),
                    "largest share": float(share.max()),
                    "actions, effectively": float(np.exp(-(used * np.log(used)).sum())),
                }
            )
            if name == "swarm":
                laws[reading] = problem.optimal[0]
    angles = np.linspace(0.0, 2.0 * np.pi, len(laws["ours"]))
    return PenaltyStudy(pd.DataFrame(rows), laws, angles)


def _one_action(problem: MeanFieldProblem) -> float:
    """The best reward with all agents of a context in one action."""
    unit = np.eye(problem.actions)
    choices = np.indices((problem.actions,) * problem.contexts).reshape(problem.contexts, -1).T
    return float(problem.reward(unit[choices]).max())


def show_penalties(study: PenaltyStudy) -> None:
    """Key numbers: optimum and best single action, by problem and penalty."""
    key_numbers(cells(study.rows, "{problem}, {penalty}: {}", ["optimum", "one action each"]), where_of(study))


def say_penalties(study: PenaltyStudy) -> Sentence:
    """Which crowd each penalty prefers, and which reading the solution of Figure 3 allows.

    For any teams the reward of pairs is at most 2 and the printed penalty at least sigma log 2, its value at a corner.
    """
    table, tried = study.rows.set_index(["problem", "penalty"]), reading_rows()
    swarm, arena = (table.loc[SETTINGS[name].title] for name in WITH_READINGS)
    printed, ours = READINGS["text"], READINGS["ours"]
    crowds = bool(np.isclose(swarm.optimum[printed], swarm["one action each"][printed]))
    return say(
        "As printed the penalty is {crowds}: on Swarm the best law puts {share:.0%} of the agents into one action. "
        "Weighted by the shares it spreads them over {spread:.1f} actions, as the text describes. What was run can only "
        "be inferred: the paper's Figure 3 shows a solution of Arena with a reward of about {shown:g}, where with the printed "
        "penalty nothing above {most:.2f} can be had, whatever the teams. Of the {tried} readings in the table below only "
        "the weighted penalty, with ordered pairs, allows that reward (its optimum is {weighted:.2f}). It also has the dispersed "
        "optimum that the text describes for Swarm (E12 below).",
        crowds="smallest when all agents crowd into one place" if crowds else "not smallest in a corner",
        share=float(swarm["largest share"][printed]),
        spread=float(swarm["actions, effectively"][ours]),
        shown=SHOWN_REWARD,
        most=2.0 - SIGMA * math.log(2.0),
        tried=len(tried),
        weighted=float(arena.optimum[ours]),
        where=where_of(study) + where_of(tried),
    )


@recorded(random=False)
def reading_rows() -> pd.DataFrame:
    """Every reading of Arena's penalty that was tried, and whether it allows the reward of Figure 3."""
    return pd.DataFrame(
        [
            {
                "reading": reading.name,
                "penalty": reading.formula,
                "largest reward": f"{reading.largest:.3g}, attained"
                if reading.attained
                else f"at most {reading.largest:.3g}",
                "allows the reward of Figure 3": "yes" if reading.largest >= SHOWN_REWARD else "no",
            }
            for reading in penalty_readings()
        ]
    )


# -- the draw of the actions -------------------------------------------------------------------------------------------


@recorded(first="seed")
def draw_study(seed: int, draws: int) -> pd.DataFrame:
    """The optimal law of the bike-sharing stand-in, played by M bicycles: mean reward by way of playing, and lucky draws.

    Returns
    -------
    one row a number of agents: the loss (optimum minus reward) of independent draws on average with its interval, the floor
    (A - 1) / (8 M), the smallest loss of as many draws as a run has evaluations, and the loss of whole numbers
    """
    rows = []
    for agents in CROWDS:
        problem = embedded("bikes", agents=agents)
        law = problem.optimal[0]
        generator = stream(seed, "meanfield", "draws", agents)
        counts = generator.multinomial(agents, law / law.sum(), size=(draws, HORIZON))
        loss = -problem.count_reward(counts.reshape(-1, 1, problem.actions)).reshape(draws, HORIZON)
        average = mean_interval(loss.mean(axis=1))
        whole = largest_remainder(law, agents)[None, None]
        rows.append(
            {
                "M": agents,
                "independent draws": average.estimate,
                "low": average.low,
                "high": average.high,
                "(|A|−1)/8M": (problem.actions - 1) / (8.0 * agents),
                "luckiest of a run": float(loss.min(axis=1).mean()),
                "whole numbers": float(-problem.count_reward(whole)[0]),
                "uniform law": float(-problem.reward(problem.uniform()[None])[0]),
            }
        )
    return pd.DataFrame(rows)


def show_draws(rows: pd.DataFrame) -> None:
    """Key numbers: the table."""
    columns = ["independent draws", "(|A|−1)/8M", "luckiest of a run", "whole numbers"]
    key_numbers(cells(rows, "M = {M:.0f}: {}", columns), where_of(rows))


def say_draws(rows: pd.DataFrame, evidence: Evidence) -> Sentence:
    """What playing a perfect law costs, on the stand-in and where the runs are stored, and how much of it luck hides."""
    table = rows.set_index("M")
    row = table.loc[SETTINGS["bikes"].agents]
    return say(
        "Here the law is *perfect*, and still {agents} bicycles that draw their stations independently lose "
        "{loss:.4f} on average, {share:.0%} of what the uniform law loses on this stand-in; the expansion $(|A|-1)/(8M)$ "
        "gives {floor:.4f}.{stored} A curve of the best reward so far reports the luckiest of {horizon} draws instead, "
        "{lucky:.4f}. Dealing out whole numbers loses {whole:.4f}. With {many} agents the draws cost {few:.0e} and "
        "nothing of this matters.",
        agents=SETTINGS["bikes"].agents,
        loss=float(row["independent draws"]),
        share=float(row["independent draws"] / row["uniform law"]),
        floor=float(row["(|A|−1)/8M"]),
        stored=_floor_of_the_runs(evidence),
        horizon=HORIZON,
        lucky=float(row["luckiest of a run"]),
        whole=float(row["whole numbers"]),
        many=int(table.index[-1]),
        few=float(table["independent draws"].iloc[-1]),
        where=where_of(rows) + evidence.where,
    )


def _floor_of_the_runs(evidence: Evidence) -> str:
    """The expansion for the problem of the stored runs, in shares of the uniform law's loss there."""
    row = evidence.reference("bikes")
    if row is None:
        return ""
    floor, unit = (int(row.actions) - 1) / (8.0 * int(row.agents)), evidence.uniform_gap("bikes")
    return (
        f" On the problem of the stored runs the uniform law loses {unit:.4f}, so that the expansion alone, {floor:.4f}, is "
        f"{floor / unit:.0%} of it."
    )
