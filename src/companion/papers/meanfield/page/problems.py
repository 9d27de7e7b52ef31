"""The seven problems: optimum or certified bound, what the penalties favour, and what independent draws of actions cost."""

from __future__ import annotations

import math
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np
import pandas as pd

from companion.core.arrays import Floats
from companion.core.randomness import stream
from companion.core.templates import significant
from companion.judge.intervals import mean_interval
from companion.pages import (
    Canvas,
    Numbers,
    Palette,
    Rows,
    Table,
    cells,
    charts,
    figure,
    frame,
    provenance_of,
    recorded,
    table,
)
from companion.papers.meanfield.experiments.figures_claims import SHOWN_REWARD
from companion.papers.meanfield.experiments.printed import MeanFieldResults
from companion.papers.meanfield.method.agents import largest_remainder
from companion.papers.meanfield.problems import bikes, ports, taxi
from companion.papers.meanfield.problems.catalogue import HORIZON, SETTINGS, WITH_READINGS, meanfield_problem
from companion.papers.meanfield.problems.mean_field import MeanFieldProblem
from companion.papers.meanfield.problems.penalty_readings import penalty_readings
from companion.papers.meanfield.problems.swarm import SIGMA

STAND_IN = "synthetic"
READINGS = {"ours": "weighted by the shares", "text": "as printed"}
#: Numbers of bicycles in the study of independent draws; the paper's among them.
CROWDS = (50, 300, 3000, 20_000)


def embedded(name: str, **more: object) -> MeanFieldProblem:
    """A problem with its embedded stand-in for data, the same on every machine."""
    return meanfield_problem(name, data=STAND_IN, **more)  # type: ignore[arg-type]


@recorded(random=False)
@frame
def problem_rows(evidence: MeanFieldResults) -> Rows:
    """One row a problem: size, data of the stored runs, and the rewards between which everything happens, there and here."""
    for name, chosen in SETTINGS.items():
        made = embedded(name)
        stored = evidence.reference(name)
        yield {
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


def problem_numbers(rows: pd.DataFrame) -> Numbers:
    """Precision of the optima."""
    return Numbers(rows, worst=float(rows["known to within"].max()))


def card_numbers(rows: pd.DataFrame, evidence: MeanFieldResults) -> Numbers:
    """Sizes and optima of every problem, and what its recipe needs; by the problem's name."""
    values: dict[str, Any] = {}
    for name, row in zip(SETTINGS, rows.to_dict("records"), strict=True):
        key = name.replace("-", "_")
        values |= {
            f"{key}_agents": row["M"],
            f"{key}_actions": row["|A|, stored"],
            f"{key}_own": row["|A|, stand-in"],
            f"{key}_printed": row["|A|, paper"],
            f"{key}_uniform": row["uniform law"],
            f"{key}_uniform_here": row["uniform law, stand-in"],
            f"{key}_optimum": row["optimum, at most"],
            f"{key}_here": row["best known, stand-in"],
        }
    days = {"saturdays": bikes.SATURDAYS, "trips": bikes.MEAN_TRIPS, "trips_sd": bikes.SD_TRIPS}
    pickups = {"fridays": taxi.FRIDAYS, "pickups": taxi.TRIPS, "grids": [f"{a} × {b}" for a, b in taxi.GRIDS.values()]}
    region = {"west": taxi.WEST, "east": taxi.EAST, "south": taxi.SOUTH, "north": taxi.NORTH}
    region |= {
        "middle_north": 40.754,
        "middle_west": 73.982,
        "shift_east": 0.10,
        "shift_north": 0.15,
    }  # synthetic demand
    vessels = {"calls": ports.FEWEST_CALLS, "base": ports.BASE, "regions": list(ports.REGIONS)}
    return Numbers(rows, evidence, sigma=SIGMA, evaluations=HORIZON, **values, **days, **pickups, **region, **vessels)


@dataclass(frozen=True, eq=False)
class Gallery:
    """The seven problems on the embedded data, by name."""

    problems: dict[str, MeanFieldProblem]


@recorded(random=False)
def gallery() -> Gallery:
    """The problems to be drawn."""
    return Gallery({name: embedded(name) for name in SETTINGS})


def problems(rows: pd.DataFrame) -> Table:
    """The seven problems with their optima; what belongs together shares a column."""
    pairs = {
        "uniform law, optimum": ("uniform law", "optimum, at most"),
        "the same, embedded": ("uniform law, stand-in", "best known, stand-in"),
    }
    sizes = [" / ".join(map(str, each)) for each in rows[["|A|, paper", "|A|, stored", "|A|, stand-in"]].to_numpy()]
    shown = rows[["problem", "M"]].assign(**{"|A|: printed / stored / embedded": sizes, "|C|": rows["|C|"]})
    shown["stored runs on"] = rows["stored runs on"]
    for title, ends in pairs.items():
        shown[title] = [", ".join(significant(value, 4) for value in each) for each in rows[list(ends)].to_numpy()]
    shown["known to within"] = rows["known to within"]
    return Table(
        shown,
        where=provenance_of(rows),
        formats={"known to within": lambda value: f"{value:.0e}" if value else "0"},
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
    """Effect of the congestion penalty in both readings: the best law, and all agents of a context in one action."""
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


def penalty_numbers(study: PenaltyStudy) -> Numbers:
    """Crowd preferred by each penalty, and the readings that allow the reward of Figure 3.

    For any teams the reward of pairs is at most 2 and the printed penalty at least sigma log 2, its value at a corner.
    """
    table, tried = study.rows.set_index(["problem", "penalty"]), reading_rows()
    swarm, arena = (table.loc[SETTINGS[name].title] for name in WITH_READINGS)
    printed, ours = READINGS["text"], READINGS["ours"]
    return Numbers(
        study,
        tried,
        crowd=float(swarm["largest share"][printed]),
        spread=float(swarm["actions, effectively"][ours]),
        used=int((study.laws["ours"] > 0).sum()),
        largest=float(study.laws["ours"].max()),
        shown=SHOWN_REWARD,
        most=2.0 - SIGMA * math.log(2.0),
        tried=len(tried),
        allowing=list(tried.reading[tried["allows the reward of Figure 3"] == "yes"]),
        weighted=float(arena.optimum[ours]),
    )


@recorded(random=False)
@frame
def reading_rows() -> Rows:
    """Every reading of Arena's penalty that was tried, and whether it allows the reward of Figure 3."""
    for reading in penalty_readings():
        yield {
            "reading": reading.name,
            "penalty": reading.formula,
            "largest reward": f"{reading.largest:.3g}, attained"
            if reading.attained
            else f"at most {reading.largest:.3g}",
            "allows the reward of Figure 3": "yes" if reading.largest >= SHOWN_REWARD else "no",
        }


@figure(size=(6.6, 3.0))
def penalties(canvas: Canvas, palette: Palette, study: PenaltyStudy) -> None:
    """The best laws of Swarm under both penalties."""
    axes = canvas.subplots()
    width = 0.42 * (study.angles[1] - study.angles[0])
    for k, (reading, law) in enumerate(study.laws.items()):
        place = study.angles + (2 * k - 1) * width / 2
        axes.bar(place, law, width, label=READINGS[reading], **_hatched(palette, k))
    axes.axvline(np.pi / 2, color=palette.muted, ls=":", lw=1)
    axes.set(xlabel="angle x", ylabel="share of the agents", xlim=(0, np.pi))
    axes.set_xticks([0, np.pi / 4, np.pi / 2, 3 * np.pi / 4, np.pi], ["0", "π/4", "π/2", "3π/4", "π"])
    axes.legend()


def _hatched(palette: Palette, k: int) -> charts.Style:
    """Style of the bars of the first and of the second of two laws."""
    return {"color": palette.series[k], "hatch": "//" if k else None, "edgecolor": palette.paper, "lw": 0}


penalty_table = table(attrgetter("rows"), digits=4)


# -- the draw of the actions -------------------------------------------------------------------------------------------


@recorded(first="seed")
@frame
def draw_study(seed: int, draws: int) -> Rows:
    """The optimal law of the bike-sharing stand-in, played by M bicycles: mean reward by way of playing, and lucky draws.

    Returns
    -------
    one row a number of agents: the loss (optimum minus reward) of independent draws on average with its interval, the floor
    (A - 1) / (8 M), the smallest loss of as many draws as a run has evaluations, and the loss of whole numbers
    """
    for agents in CROWDS:
        problem = embedded("bikes", agents=agents)
        law = problem.optimal[0]
        generator = stream(seed, "meanfield", "draws", agents)
        counts = generator.multinomial(agents, law / law.sum(), size=(draws, HORIZON))
        loss = -problem.count_reward(counts.reshape(-1, 1, problem.actions)).reshape(draws, HORIZON)
        average = mean_interval(loss.mean(axis=1))
        whole = largest_remainder(law, agents)[None, None]
        yield {
            "M": agents,
            **average.columns("independent draws"),
            "(|A|−1)/8M": (problem.actions - 1) / (8.0 * agents),
            "luckiest of a run": float(loss.min(axis=1).mean()),
            "whole numbers": float(-problem.count_reward(whole)[0]),
            "uniform law": float(-problem.reward(problem.uniform()[None])[0]),
        }


def draw_numbers(rows: pd.DataFrame, evidence: MeanFieldResults) -> Numbers:
    """Cost of playing a perfect law, on the stand-in and on the problem of the stored runs, and the part hidden by luck."""
    table = rows.set_index("M")
    row, chosen = table.loc[SETTINGS["bikes"].agents], evidence.reference("bikes")
    expansion = float("nan") if chosen is None else (int(chosen.actions) - 1) / (8.0 * int(chosen.agents))
    return Numbers(
        rows,
        evidence,
        few=int(table.index[0]),
        few_loss=float(table["independent draws"].iloc[0]),
        few_share=float(table["independent draws"].iloc[0] / table["uniform law"].iloc[0]),
        agents=SETTINGS["bikes"].agents,
        loss=float(row["independent draws"]),
        share=float(row["independent draws"] / row["uniform law"]),
        stored=float("nan") if chosen is None else expansion / evidence.uniform_gap("bikes"),
        horizon=HORIZON,
        lucky=float(row["luckiest of a run"]),
        whole=float(row["whole numbers"]),
        many=int(table.index[-1]),
        many_loss=float(table["independent draws"].iloc[-1]),
        **cells(rows, "M = {M:.0f}: {}", ["independent draws", "(|A|−1)/8M", "luckiest of a run", "whole numbers"]),
    )


@figure(size=(6.8, 3.5))
def draws(canvas: Canvas, palette: Palette, rows: pd.DataFrame) -> None:
    """Cost of playing the optimal law, by way of playing."""
    axes = canvas.subplots()
    shown = (
        ("independent draws", "o", "-", palette.series[0], 1.7),
        ("(|A|−1)/8M", "", "--", palette.accent, 1.3),
        ("luckiest of a run", "s", "-.", palette.series[1], 1.7),
        ("whole numbers", "^", ":", palette.series[2], 1.7),
    )
    for name, marker, dashes, color, width in shown:
        axes.plot(rows.M, rows[name], marker=marker, ls=dashes, color=color, lw=width, label=name)
    uniform: charts.Style = {"color": palette.muted, "ls": (0, (1, 3)), "label": "uniform law, infinite population"}
    axes.plot(rows.M, rows["uniform law"], **uniform)
    charts.name_axes(axes, "agents M", "optimum minus reward", log="xy")
    axes.set_xticks(list(rows.M), [f"{count:.0f}" for count in rows.M])
    axes.legend()
