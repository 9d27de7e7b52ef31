"""One question has one answer: each is put to every page, table and command that answers it.

A question has places, and a place an answer. A place computes its answer by the code that makes the page, table or command, so
that a definition changed in one place only gives two answers; :func:`test_a_definition_changed_in_one_place_is_noticed` shows it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tolerances import LINES_RTOL

from companion.bounds import trivial
from companion.core.files import results_folder
from companion.core.templates import significant
from companion.pages.document import find_chapter
from companion.papers.across.experiments import width_arms, width_rules, widths
from companion.papers.across.page import all_bounds, proof_steps, which_bound
from companion.papers.across.page import which_bound_figures as figures
from companion.papers.across.page.answer import title_numbers
from companion.papers.across.page.informative_horizons import record
from companion.papers.across.problems import common
from companion.papers.across.problems.common import AT, BATCH, BATCHES, DIM, HORIZONS, KERNEL, NOISE
from companion.papers.across.theory import (
    bounds_at_settings,
    bounds_setting,
    informative_horizons,
    measured_regret,
    trivial_lines,
)
from companion.papers.across.theory.bounds import BOUNDS
from companion.papers.across.theory.bounds_table import BoundsTable, bounds_table
from companion.papers.across.theory.informative_horizons import PAIRS
from companion.papers.batched.experiments import one_run
from companion.papers.batched.page import bound as batched
from companion.papers.batched.page.bound import break_even as chapter_3
from companion.papers.batched.problems.wheat import wheat
from companion.papers.batched.theory.bounds import trivial_bound
from companion.papers.compressed.page.regret import first_informative as chapter_2
from companion.papers.meanfield.theory.runs import STANDARD
from companion.papers.meanfield.theory.unlearned import bound_curve, informative_from, unlearned
from companion.papers.tsrsr.page import bound as tsrsr
from companion.papers.wdrbo.theory.chain import trivial_line
from companion.papers.wdrbo.theory.runs import Game, covariance_of
from companion.stored.results import load_entries

ROOT = Path(__file__).parents[3]
PAGE = {name: (ROOT / "book" / f"{name}.md").read_text(encoding="utf-8") for name in ("bounds", "index")}
PAGE |= {"chapter 6": find_chapter(ROOT, "across").text}
#: Up to which the command looks for horizons here: all the way takes a minute.
FARTHEST = 1000
SHOWN_AT = f"T={AT}"
TITLE = {name: (title, k) for title, pair in PAIRS.items() for k, name in enumerate(pair)}
KNOWN_WIDTHS = (
    *("sharper/mixture", "batched/self-normalised", "classical/chowdhury-gopalan", "classical/srinivas-norm"),
    *("classical/srinivas-finite", "batched/prop-1/printed", "tsrsr/lemma-6/printed", "compressed/lemma-8.1/printed"),
)

Answers = dict[str, Any]


# -- places ------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=2)
def command(horizon: int = AT) -> BoundsTable:
    """``companion bounds`` for the setting that is shown."""
    place = {"kernel": KERNEL, "lengthscale": common.LENGTHSCALE, "dim": DIM, "points": common.POINTS[DIM]}
    return bounds_table(**place, noise=NOISE, horizon=horizon, norm=common.NORM, actions=2, farthest=FARTHEST)


def printed_json() -> dict[str, Any]:
    """What ``companion bounds --json`` prints, by id."""
    return {row["id"]: row for row in command().to_json()["rows"]}


def stored_row(name: str, batch: int = BATCH) -> Mapping[str, Any]:
    """Of the table that the pages read."""
    row = which_bound.row_of(name, KERNEL, DIM, NOISE, batch)
    assert row is not None
    return row


@lru_cache(maxsize=4)
def cells_of(made: Callable[[], Any]) -> list[dict[str, Any]]:
    """The rows of a table."""
    found = made()
    table = found[0] if isinstance(found, tuple) else found
    return list(table.frame.to_dict("records"))


def horizon_cell(name: str, column: str) -> str:
    """A cell of the table of horizons, on the page and in chapter 6."""
    title, k = TITLE[name]
    rows = cells_of(which_bound.horizon_table)
    first = next(i for i, row in enumerate(rows) if row["bound of"] == title)
    only = len(set(PAIRS[title])) == 1
    return str(rows[first + (0 if only else k)][column])


def regret_cell(name: str, column: str) -> str:
    """A cell of the table of all bounds, for single points."""
    form = BOUNDS[name]
    for row in cells_of(all_bounds.regret_table):
        if (row["regret of"], row["from"], row["constants"]) == (form.rule, form.place, form.constants):
            return str(row[column])
    raise KeyError(name)


def width_cell(name: str) -> str:
    """A cell of the table of all widths."""
    form = BOUNDS[name]
    for row in cells_of(all_bounds.width_table):
        if (row["width of"], row["from"]) == (form.rule, form.place):
            return str(row[f"at T = {AT}"])
    raise KeyError(name)


def schedule(name: str, horizon: int) -> float:
    """Of the table of widths in chapter 6."""
    found = widths.load().tables["widths"]
    found = found[(found.id == name) & (found.kernel == KERNEL) & (found.dim == DIM) & (found.noise == NOISE)]
    return float(found[f"T={horizon}"].iloc[0])


def played(name: str) -> float:
    """The width of a rule that runs, in round T where it has one for each round, or at the largest gain."""
    (rule,) = (each for each in width_rules.theorem_rules(AT) if each.id == name)
    case = informative_horizons.case_of(KERNEL, DIM, NOISE, AT)
    if rule.at_gain is not None:
        return float(rule.at_gain(case, case.gain(AT)))
    assert rule.in_round is not None
    return float(rule.in_round(case))


def script(pattern: str) -> str:
    """What the figure to drag says."""
    text = (ROOT / "book" / "_static" / "figures" / "bounds_horizon.js").read_text(encoding="utf-8")
    found = re.search(pattern, text)
    assert found, pattern
    return found[1]


def entry(paper: str, kind: str, name: str) -> dict[str, Any]:
    """An entry of the evidence, which the index reads."""
    found = load_entries(results_folder(paper), kind, "companion evidence").entries
    return next(each for each in found if each["id"] == name)


def numbers_of(*made: Any) -> Callable[[str], list[Any]]:
    return lambda name: [each[name] for each in made]


# -- questions ---------------------------------------------------------------------------------------------------------


def of_lines() -> Iterator[tuple[str, Answers]]:
    table, line = command(), trivial_lines.lines()
    figure = record()[0]["lines"]
    for model, name in (
        ("prior", "tsrsr/theorem-1/printed"),
        ("norm", "batched/prop-2/printed"),
        ("game", "meanfield/thm-4.1/repaired"),
    ):
        kernel = common.GAME if model == "game" else KERNEL
        yield (
            f"what an evaluation can cost: {model}",
            {
                "command": table.ranges[model],
                "command, row": table[name].trivial / AT,
                "stored line": line[kernel, DIM, model],
                "stored bounds": stored_row(name)["trivial"],
                "horizons": informative_horizons.line_of(name, KERNEL, DIM),
                "figure to drag": figure[f"{kernel} {DIM} {model}"],
                "chapter 6's staircase": proof_steps.one_setting(KERNEL, DIM, NOISE)[
                    {"prior": "ts-rsr", "norm": "bpe", "game": "mf-gp-ucb"}[model]
                ]["trivial"]
                / AT,
            },
        )
    yield (
        "the line of chapter 1's instance",
        {
            "chapter": tsrsr.line(),
            "command": one_evaluation("prior", covariance=tsrsr.instance()),
        },
    )
    study, modelled = one_run.bound_study(0, 1000, 0.1, 0.1), wheat()  # the chapter's own parameters
    sizes, covariance, norm = study.batches, modelled.covariance, modelled.known_norm
    yield (
        "the line of chapter 3's instance",
        {
            "chapter, batch by batch": float(sizes.trivial.sum() / sizes["size"].sum()),
            "chapter, staircase": study.chain.side["trivial"] / study.horizon,
            "chapter's listing": trivial_bound(1, norm, covariance),
            "command": one_evaluation("norm", covariance=covariance, norm=norm),
        },
    )
    yield (
        "the line of chapter 4's game",
        {
            "chapter": unlearned(STANDARD).range.estimate,
            "stored line": line[common.GAME, 1, "game"],
        },
    )
    game = Game(lam=1.0, noise=0.1, horizon=10, runs=2)
    yield (
        "the line of chapter 5's instance",
        {
            "chapter": trivial_line(game),
            "command": one_evaluation("norm", covariance=covariance_of(game), norm=game.norm),
        },
    )


def one_evaluation(model: str, **place: Any) -> float:
    return bounds_table(**place, noise=1.0, horizon=2, farthest=2).ranges[model]


def of_horizons() -> Iterator[tuple[str, Answers]]:
    values = figures.bounds_and_regret().numbers
    for name in TITLE:
        row = stored_row(name) if name != "wdrbo/thm-16/printed" else {"says_from": math.nan}
        first = float(row["says_from"])
        if math.isnan(first):
            continue
        found: Answers = {
            "stored": all_bounds.from_horizon(first),
            "computed": all_bounds.from_horizon(informative_horizons.horizon_of(name, KERNEL, DIM, NOISE)),
            "table of horizons": horizon_cell(name, "line, noise 0.3"),
            "table of bounds": regret_cell(name, "from T"),
        }
        if first <= FARTHEST:
            found["command"] = all_bounds.from_horizon(command()[name].says_from)
        yield f"from which T on: {name}", found
        title, k = TITLE[name]
        # In two digits, as pages have it: the command certifies the gain of every batch of BPE, pages that of the next T tried.
        yield (
            f"bound over trivial bound: {name}",
            {
                "command": significant(command()[name].over_trivial, 2),
                "stored": significant(float(row[SHOWN_AT]), 2),
                "figure": significant(float(values[f"{title}, {figures.FORMS[k]}"]), 2),
                "table of bounds": regret_cell(name, "over trivial"),
            },
        )
    study = batched.forms_over_time(0.1, 0.1)
    rows = study.first.set_index("a").loc[0.6]
    shown = chapter_3(study)
    cells = shown.frame.set_index("sizes").loc["a = 0.6"]
    printed = {"T1a": "the sum over batches", "T1c": "Theorem 1"}
    for form, column in printed.items():
        yield (
            f"from which T on, chapter 3: {form}",
            {
                "chapter": all_bounds.from_horizon(rows[form]),
                "chapter's table": str(cells[column]).partition(" up to")[0],
            },
        )
    yield (
        "the first horizon of BPE in any setting",
        {
            "first page": title_numbers()["batched_best"],
            "stored": all_bounds.from_horizon(
                min(found.says_from for found in which_bound.regret_rows().itertuples() if found.id == PAIRS["BPE"][1])
            ),
        },
    )
    curve = bound_curve(STANDARD)
    mf = which_bound.row_of("meanfield/thm-4.1/repaired", "se", 1, STANDARD.noise_sd)
    assert mf is not None
    yield (
        "from which T on, chapter 4's game",
        {
            "chapter": all_bounds.from_horizon(
                informative_from(curve.rounds, curve.corrected, unlearned(STANDARD).range)
            ),
            "stored": all_bounds.from_horizon(float(mf["says_from"])),
            "first page": all_bounds.from_horizon(
                entry("meanfield", "discrepancies", "U11")["values"]["below_range_from"]
            ),
        },
    )
    theorem = "compressed/theorem-3.2-i/printed"
    here = bounds_table(
        kernel="se", lengthscale=0.12, dim=1, points=101, noise=math.sqrt(0.1), horizon=100, farthest=20_000
    )
    yield (
        "from which T on, chapter 2's instance",
        {
            "chapter": chapter_2(noise_variance=0.1, alpha=0.5)["first"],
            "command": trivial.two_digits(here[theorem].says_from),
        },
    )


def of_blind_lines() -> Iterator[tuple[str, Answers]]:
    """What a blind choice costs, and from when on a bound is below that."""
    table = command()
    for model, name in (
        ("prior", "tsrsr/our-C/sharper"),
        ("norm", "batched/prop-2/printed"),
        ("game", "meanfield/thm-4.1/repaired"),
    ):
        kernel = common.GAME if model == "game" else KERNEL
        yield (
            f"what a blind choice costs: {model}",
            {
                "command": table.blind[model],
                "command, row": table[name].blind / AT,
                "stored line": trivial_lines.blind()[kernel, DIM, model],
                "stored bounds": stored_row(name)["blind"],
                "picture": informative_horizons.blind_over_line(name, KERNEL, DIM)
                * informative_horizons.line_of(name, KERNEL, DIM),
                "figure to drag": record()[0]["blind"][f"{kernel} {DIM} {model}"],
            },
        )
        row = stored_row(name)
        yield (
            f"from which T on a bound beats random choice: {name}",
            {
                "stored": all_bounds.from_horizon(row["beats_blind_from"]),
                "table of bounds": regret_cell(name, "below random choice from"),
                "computed": all_bounds.from_horizon(
                    trivial.horizon(
                        lambda t, name=name: BOUNDS[name].at(informative_horizons.case_of(KERNEL, DIM, NOISE), t) / t,  # type: ignore[misc]
                        row["blind"],
                        HORIZONS,
                    )
                ),
            },
        )
    yield (
        "what a blind law costs in chapter 4's game",
        {"chapter": unlearned(STANDARD).fixed.estimate, "stored line": trivial_lines.blind()[common.GAME, 1, "game"]},
    )


def of_settings() -> Iterator[tuple[str, Answers]]:
    case, live = informative_horizons.case_of(KERNEL, DIM, NOISE), command().case
    own, arm = measured_regret.Instance(KERNEL, DIM, NOISE).case, width_arms.case(width_arms.INSTANCES[0])
    yield (
        "evaluations in a batch",
        {
            "stored": BATCH,
            "command": bounds_setting.DEFAULTS["batch"],
            "command's case": live.batch,
            "horizons": case.batch,
            "runs": own.batch,
            "figure to drag": int(script(r'F\.steps\("m".*?\], (\d+),')),
            "picture": BATCHES[0],
        },
    )
    yield (
        "lambda over the noise variance",
        {
            "command": command().conditions.values["regulariser"] / NOISE**2,
            "horizons": case.regulariser / case.noise**2,
            "runs": own.regulariser / own.noise**2,
            "arms": arm.regulariser / arm.noise**2,
            "table": command()["wdrbo/ours-thm5/repaired"].symbols["lambda"] / NOISE**2,
        },
    )
    yield (
        "failure probability",
        {
            "command": command().conditions.values["delta"],
            "horizons": case.delta,
            "runs": own.delta,
            "arms": arm.delta,
            "page": float(re.findall(r"failure probability ([\d.]+)", PAGE["bounds"])[0]),
        },
    )
    for name in ("alpha", "ratio", "radius"):
        yield name, {"command": live.__dict__[name], "horizons": case.__dict__[name], "runs": own.__dict__[name]}
    yield (
        "norm",
        {"command": live.norm, "horizons": case.norm, "runs": own.norm, "table": all_bounds.page_numbers()["norm"]},
    )
    pages = numbers_of(all_bounds.page_numbers(), which_bound.numbers(), proof_steps.step_numbers((KERNEL, DIM, NOISE)))
    for name, kept in (("runs", common.RUNS), ("at", AT), ("batch", BATCHES[-1])):
        yield f"{name} behind what is measured", {f"page {k}": value for k, value in enumerate([kept, *pages(name)])}
    yield "runs of the stored set", {"stored": measured_regret.RUNS, "shown": common.RUNS}


def of_forms() -> Iterator[tuple[str, Answers]]:
    rows = printed_json()
    for name in TITLE:
        if not rows[name]["applies"]:
            continue
        yield (
            f"holds in what sense: {name}",
            {
                "table of horizons": horizon_cell(name, "holds"),
                "table of bounds": regret_cell(name, "holds"),
                "command": "mean"
                if math.isnan(rows[name]["probability"])
                else f"prob. {rows[name]['probability']:.3g}",
            },
        )
        yield (
            f"whose constants: {name}",
            {
                "table of horizons": horizon_cell(name, "form").partition(",")[0],
                "table of bounds": regret_cell(name, "constants"),
                "command": rows[name]["constants"],
                "figure to drag": record()[0]["constants"][list(PAIRS).index(TITLE[name][0])][TITLE[name][1]],
            },
        )


def of_widths() -> Iterator[tuple[str, Answers]]:
    table = bounds_at_settings.load().tables["sayings"]
    for name in KNOWN_WIDTHS:
        found = table[(table.id == name) & (table.kernel == KERNEL) & (table.dim == DIM) & (table.noise == NOISE)]
        at = {t: float(found[found.batch == BATCH][f"T={t}"].iloc[0]) for t in (100, AT)}
        yield (
            f"width at T = {AT}: {name}",
            {
                "command": float(f"{command()[name].value:.3g}"),
                "stored bounds": float(f"{at[AT]:.3g}"),
                "page": float(width_cell(name).replace(" ", "").replace("\u202f", "")),
                "chapter 6": float(f"{schedule(name, AT):.3g}"),
            },
        )
        yield (
            f"width at T = 100: {name}",
            {
                "stored bounds": float(f"{at[100]:.3g}"),
                "chapter 6": float(f"{schedule(name, 100):.3g}"),
            },
        )
    for rule in width_rules.theorem_rules(AT):
        yield (
            f"width that runs: {rule.id}",
            {
                "runs": float(f"{played(rule.id):.3g}"),
                "command": float(f"{command()[rule.id].value:.3g}"),
            },
        )


def of_counts() -> Iterator[tuple[str, Answers]]:
    numbers = which_bound.numbers()
    yield (
        "comparisons of a bound with measured regret",
        {
            "chapter 6": numbers["compared"],
            "index": entry("across", "ledger", "bounds-hold")["trials"]
            if "bounds-hold/trials" in PAGE["index"]
            else None,
        },
    )
    seen = which_bound.regret_rows().dropna(subset=["measured", SHOWN_AT])
    yield (
        "the least bound over measured regret",
        {
            "chapter 6": numbers["slack"],
            "page": all_bounds.page_numbers()["slack"],
            "rows": float((seen[SHOWN_AT] / seen.measured).min()),
        },
    )
    marks = figures.bounds_and_regret().numbers
    for title, (_, best) in PAIRS.items():
        if f"{title}, measured" in marks:
            yield (
                f"measured regret: {title}",
                {
                    "figure": float(f"{marks[f'{title}, measured']:.2g}"),
                    "table of bounds": float(regret_cell(best, "measured")),
                },
            )


QUESTIONS = (of_lines, of_blind_lines, of_horizons, of_settings, of_forms, of_widths, of_counts)


def disagreements(questions: Callable[[], Iterator[tuple[str, Answers]]]) -> list[str]:
    """Questions with two answers, with all of them."""
    found = []
    for question, answers in questions():
        first, *others = answers.values()
        for other in others:
            same = other == pytest.approx(first, rel=LINES_RTOL) if isinstance(first, float | int) else other == first
            if not same:
                found.append(f"{question}: {answers}")
                break
    return found


@pytest.mark.parametrize("questions", QUESTIONS, ids=lambda questions: questions.__name__)
def test_one_question_has_one_answer(questions: Callable[[], Iterator[tuple[str, Answers]]]) -> None:
    found = disagreements(questions)
    assert not found, "\n".join(found)


def test_more_than_twenty_questions_are_asked_and_each_in_two_places_at_least() -> None:
    asked = [(question, answers) for questions in QUESTIONS for question, answers in questions()]
    assert len(asked) == len({question for question, _ in asked}) > 60
    assert all(len(answers) > 1 for _, answers in asked)


# -- a definition changed in one place ---------------------------------------------------------------------------------


def another_range(patch: pytest.MonkeyPatch) -> None:
    """The command takes twice the norm, whatever the kernel."""
    patch.setattr(trivial, "norm_range", lambda covariance: 2.0)


def another_batch(patch: pytest.MonkeyPatch) -> None:
    """The command has batches of five where nothing is said."""
    patch.setattr(bounds_setting, "DEFAULTS", {**bounds_setting.DEFAULTS, "batch": 5})


def another_lambda(patch: pytest.MonkeyPatch) -> None:
    """The pages of horizons take lambda = 1."""
    patch.setattr(
        informative_horizons, "common", SimpleNamespace(**{**vars(common), "regulariser_of": lambda noise: 1.0})
    )


def another_line(patch: pytest.MonkeyPatch) -> None:
    """The stored line is that for any kernel."""
    made = trivial_lines.load()
    table = made.tables["lines"]
    changed = table.assign(line=table.line.where(table.model != "prior", trivial.any_prior_range(50)))
    patch.setattr(
        trivial_lines, "load", lambda root=None: SimpleNamespace(tables={"lines": changed}, record=made.record)
    )


def another_sense(patch: pytest.MonkeyPatch) -> None:
    """The table of horizons takes every bound for one on the mean."""
    patch.setattr(which_bound, "DELTA", 0.05)


def another_blind_line(patch: pytest.MonkeyPatch) -> None:
    """The command takes half of the trivial bound for functions of a norm as well."""
    patch.setattr(trivial, "blind_norm_range", lambda covariance: 0.5 * trivial.norm_range(covariance))


def another_grid(patch: pytest.MonkeyPatch) -> None:
    """The pages of horizons print the next of the horizons tried."""
    patch.setattr(informative_horizons, "horizon", next_tried)


def next_tried(value: Callable[[int], float], level: float, tried: Any) -> float:
    """What was printed before."""
    below = [value(t) < level for t in tried]
    return float(next((t for k, t in enumerate(tried) if all(below[k:])), math.inf))


def another_chapter(patch: pytest.MonkeyPatch) -> None:
    """Chapter 3 goes back to twice the norm."""
    patch.setattr(
        "companion.papers.batched.experiments.one_run.trivial_bound", lambda t, norm, covariance: 2.0 * norm * t
    )


CHANGES = {
    another_range: of_lines,
    another_batch: of_settings,
    another_lambda: of_settings,
    another_line: of_lines,
    another_blind_line: of_blind_lines,
    another_grid: of_horizons,
    another_sense: of_forms,
    another_chapter: of_lines,
}


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_definition_changed_in_one_place_is_noticed(
    change: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    forget()
    change(monkeypatch)
    try:
        assert disagreements(CHANGES[change])
    finally:
        monkeypatch.undo()
        forget()


def forget() -> None:
    """What is kept in memory was computed with the definitions of before."""
    for kept in (
        command,
        cells_of,
        trivial_lines.lines,
        trivial_lines.blind,
        informative_horizons.over_line,
        informative_horizons.games,
        one_run.bound_study,
    ):
        found = kept
        while not hasattr(found, "cache_clear"):
            found = found.__wrapped__  # type: ignore[attr-defined]
        found.cache_clear()
