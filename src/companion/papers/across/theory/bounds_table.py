"""Every width and regret bound of the papers, and the usual widths beside them, at one setting, in one convention."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from companion.bounds import trivial
from companion.bounds.bound import Bound, BoundSetting, Gain, GameUsed
from companion.core.arrays import Floats
from companion.core.errors import AssumptionError, ParameterError
from companion.gp.matrix import KernelMatrix
from companion.information.between_horizons import UpperEnds
from companion.information.box import UnitBox, gain_curve_of_box
from companion.information.gain_bounds import GainBracket, gain_bracket_curve
from companion.information.large_sets import gain_curve_of_many
from companion.papers.across.problems.common import HORIZONS
from companion.papers.across.theory import bounds_output
from companion.papers.across.theory.bounds import BOUNDS
from companion.papers.across.theory.bounds_rows import BoundsRows, Row
from companion.papers.across.theory.bounds_setting import Conditions
from companion.papers.batched.theory import stated as batched
from companion.papers.meanfield.theory.bounds import roundings

_LAW_PARTS = {2: 200, 3: 6, 4: 4}
_LARGEST_GAME = 4_000


class BoundsTable(BoundsRows):
    """Result of :func:`bounds_table`; printing it shows it."""

    def __repr__(self) -> str:
        counts = f"{len(self.of('width'))} widths and {len(self.of('regret'))} regret bounds"
        return f"<BoundsTable of {counts} at T = {self.conditions.values['horizon']}: print(table) shows them, table[id] is one>"

    def __str__(self) -> str:
        return bounds_output.text_of(self)

    text = bounds_output.text_of
    to_json = bounds_output.json_of
    records = bounds_output.records_of
    to_csv = bounds_output.csv_of
    to_frame = bounds_output.frame_of


def bounds_table(**arguments: Any) -> BoundsTable:
    r"""Every width and regret bound of the papers, and the usual widths, printed and repaired, with what each assumes.

    One convention for all: noise by its standard deviation; a width multiplies the posterior standard deviation; gains
    :math:`\gamma_T=\max\frac12\log\det(I+K/\sigma^2)` in nats, by the upper end of their certificate; the regret of T
    evaluations. Beside it stand the paper's own symbols and values.

    Parameters
    ----------
    kernel, lengthscale : ``se``, ``matern12``, ``matern32`` or ``matern52``, with variance 1; one number or one a coordinate
    dim, points : candidates are the grid of [0, 1]^dim with so many points an axis; or
    candidates : (N, d) array or CSV file, with kernel and lengthscale; up to a million, above 8,000 with the trivial bounds in
        closed form (:func:`~companion.bounds.trivial.lines_of_many`); or
    covariance : (N, N) prior covariance, array or file, without a kernel; or
    domain : ``box`` for all points of [0, 1]^dim, with kernel and lengthscale: what uses the number of candidates does not apply,
        the rest takes :func:`~companion.information.box.gain_curve_of_box`; by default ``grid``
    noise_sd : standard deviation of the noise
    horizon : T, number of evaluations
    delta : probability of failure, by default 0.1
    norm : bound on the norm of f, which chapters 3 and 5 need
    batch : evaluations in a batch of TS-RSR, by default 1
    batches : for BPE with a fixed number of batches
    initial : maximum-variance evaluations before TS-RSR, by default none
    alpha : exponent of chapter 2's budget, by default 0.5
    ratio : a of chapter 3's batch sizes (6), by default 0.6
    regulariser : lambda of chapter 5, by default the noise variance
    radius, lipschitz : of chapter 5's ball, by default 0, and of the upper confidence bound in the context
    realised_gain : of the points in fact chosen, nats, for the widths that may take it
    actions, contexts, parts, agents : of chapter 4's game, see :class:`~companion.papers.meanfield.theory.runs.Game`
    farthest : evaluations up to which it is looked for where a bound begins to say something, by default T; a
        million takes some seconds longer, above 8,000 candidates as long again; the values at T do not depend on it

    Raises
    ------
    ParameterError
        for an argument that is missing, out of range, or in another convention
        (:mod:`companion.papers.across.theory.conventions`): the message names it and says what to give

    Examples
    --------
    >>> table = bounds_table(kernel="se", lengthscale=0.2, dim=1, points=20, noise_sd=0.3, horizon=200, norm=1.0, farthest=1000)
    >>> row = table["batched/prop-2/printed"]
    >>> row.applies, row.value > row.trivial
    (True, True)
    >>> table["tsrsr/corollary-1/printed"].reason
    'maximum-variance points come first, at least m times their gain: there are none: initial'
    """
    return table_at(Conditions.of(arguments))


Curve = Callable[[Floats | KernelMatrix, Sequence[int], float, int], tuple[GainBracket, ...]]


def near_and_far(
    covariance: Floats | KernelMatrix, asked: Sequence[int], noise_variance: float, last: int
) -> tuple[GainBracket, ...]:
    """Brackets at the horizons asked for; those up to ``last`` do not depend on which there are beyond."""
    far = [t for t in asked if t > last]
    near = in_one(covariance, [t for t in asked if t <= last], noise_variance, last)
    return (*near, *in_one(covariance, far, noise_variance, last)) if far else near


def in_one(
    covariance: Floats | KernelMatrix, asked: Sequence[int], noise_variance: float, last: int
) -> tuple[GainBracket, ...]:
    """Brackets at the horizons asked for, by designs for all of them."""
    if isinstance(covariance, KernelMatrix):
        return gain_curve_of_many(covariance.kernel, covariance.points, asked, noise_variance)
    return gain_bracket_curve(covariance, asked, noise_variance)


def table_at(conditions: Conditions, curve: Curve = near_and_far) -> BoundsTable:
    """:func:`bounds_table` at checked arguments, with gains from ``curve``."""
    values, where = conditions.values, conditions.covariance
    asked, last = _asked(conditions)

    def brackets_at(noise_variance: float) -> tuple[GainBracket, ...]:
        if isinstance(where, UnitBox):
            return gain_curve_of_box(where, asked, noise_variance, values["horizon"])
        return curve(where, asked, noise_variance, last)

    brackets = {"noise": brackets_at(values["noise"] ** 2)}
    same = math.isclose(values["regulariser"], values["noise"] ** 2, rel_tol=1e-12)
    brackets["regulariser"] = brackets["noise"] if same else brackets_at(values["regulariser"])
    game = None
    if values["actions"] is not None:
        game, brackets["game"] = _game(conditions, asked, last, curve)
    at = asked.index(values["horizon"])
    gains = {name: found[at] for name, found in brackets.items()}
    _check_realised(values, gains["noise"])
    ranges, blind = _ranges(conditions, game)
    case = _case(conditions, {name: UpperEnds.of(found) for name, found in brackets.items()}, game)
    rows = tuple(row_of(form, case, ranges, blind, values["farthest"]) for form in BOUNDS.values())
    return BoundsTable(conditions, rows, gains, ranges, blind, case)


def _asked(conditions: Conditions) -> tuple[list[int], int]:
    """Numbers of points whose gains are certified, those tried, and exactly those that the bounds take at T; their last at T."""
    values = conditions.values
    total, batch, farthest = values["horizon"], values["batch"], values["farthest"]
    exact = {total, -(-total // batch) * batch}
    if values["initial"]:
        exact |= {values["initial"], -(-(total - values["initial"]) // batch) * batch}
    if total >= 2:
        case = _case(conditions, {"noise": _unknown, "regulariser": _unknown}, None)
        for sizes in (batched.power, batched.original, batched.constant):
            try:
                exact |= set(sizes(case))
            except (AssumptionError, ParameterError):
                continue  # the bound with these sizes does not apply
    last, tried = max(exact), {t for t in HORIZONS if t <= farthest}
    exact |= {t for t in tried if t <= total}
    far = {t for t in tried | {-(-farthest // batch) * batch, farthest} if t > last}
    return sorted(exact | far), last


def _unknown(points: float) -> float:
    return math.nan


def _game(
    conditions: Conditions, asked: Sequence[int], last: int, curve: Curve
) -> tuple[GameUsed, tuple[GainBracket, ...]]:
    """The mean-field game with its constants and gains."""
    from companion.papers.meanfield.theory.runs import Game
    from companion.papers.meanfield.theory.unlearned import unlearned

    values = conditions.values
    actions, contexts = values["actions"], values["contexts"]
    parts = values["parts"] or _LAW_PARTS.get((actions - 1) * contexts + 1, 2)
    laws = math.comb(actions + parts - 1, parts) ** contexts
    if laws * actions * contexts > _LARGEST_GAME:
        problem = f"{actions} actions, {contexts} contexts and {parts} parts make {laws:,} laws"
        raise ParameterError("parts", problem, f"at most {_LARGEST_GAME:,} laws, actions and contexts together")
    game = Game(actions, contexts, parts, noise_sd=values["noise"])
    pieces, brackets = game.pieces(), curve(game.covariance, asked, values["noise"] ** 2, last)
    cost, level = roundings(pieces, values["farthest"]), unlearned(game).range.estimate
    where, gain = f"{game.where}, {parts} parts", UpperEnds.of(brackets)
    return GameUsed(pieces, gain, level, lambda t: float(cost[t - 1]), values["agents"], where), brackets


def _check_realised(values: Mapping[str, Any], bracket: GainBracket) -> None:
    given = values["realised_gain"]
    if given is not None and given > bracket.upper:
        problem = f"got {given:g}, more than {bracket.upper:.4g}, which {bracket.horizon} evaluations can gain at most"
        remedy = "A log det is twice the gain, and bits are 1.44 times nats"
        raise ParameterError("realised_gain", problem, "1/2 log det(I + K / noise_sd^2), in nats", remedy)


def _ranges(conditions: Conditions, game: GameUsed | None) -> tuple[dict[str, float], dict[str, float]]:
    """The trivial and the blind line."""
    matrix, norm = conditions.covariance, conditions.values["norm"]
    if isinstance(matrix, UnitBox):
        lines = trivial.lines_of_box(matrix.kernel, matrix.dim, norm)
        of_norm = trivial.blind_norm_range_of_box(matrix.kernel, matrix.dim)
    elif isinstance(matrix, KernelMatrix):
        # All pairs of candidates would be needed.
        lines, of_norm = trivial.lines_of_many(matrix, norm), math.nan
    else:
        lines, of_norm = trivial.lines(matrix, norm), trivial.blind_norm_range(matrix)
    lines["game"] = math.nan if game is None else game.range
    return lines, trivial.blind_lines(lines, math.nan if norm is None else norm * of_norm)


def _case(conditions: Conditions, gains: Mapping[str, Gain], game: GameUsed | None) -> BoundSetting:
    values, variances = conditions.values, conditions.covariance.diagonal()
    shared = ("horizon", "noise", "delta", "norm", "batch", "batches", "initial", "alpha", "ratio")

    robust = ("regulariser", "radius", "lipschitz")
    return BoundSetting(
        candidates=conditions.size,
        gain=gains["noise"],
        regularised=gains["regulariser"],
        variance=float(variances.max()),
        trace=None if conditions.size is None else float(variances.sum()),
        kernel=conditions.kernel,
        game=game,
        realised=values["realised_gain"],
        **{name: values[name] for name in (*shared, *robust)},
    )


def row_of(
    form: Bound, case: BoundSetting, ranges: Mapping[str, float], blind: Mapping[str, float], farthest: int
) -> Row:
    """A bound at a setting, with both lines an evaluation by the model; it is looked for up to ``farthest``."""
    checked = form.checked(case)
    reason = "; ".join(f"{c.text}: {c.detail}" if c.detail else c.text for c in checked if c.state == "fails")
    value, symbols = math.nan, {}
    level = blindly = first = beats = math.nan
    if not reason:
        try:
            value, symbols = form.value(case), dict(form.symbols(case))
        except (AssumptionError, ParameterError) as failure:
            reason = str(failure)
    if form.quantity == "regret":
        level, blindly = (case.horizon * lines[form.model] for lines in (ranges, blind))
        if not reason:
            first, beats = (says_something_from(form, case, each[form.model], farthest) for each in (ranges, blind))
    return Row(form, checked, reason, value, level, blindly, first, beats, symbols, form.probability(case.delta))


def says_something_from(form: Bound, case: BoundSetting, an_evaluation: float, farthest: int) -> float:
    """The horizon from which on a bound is below a line; infinite if it is not at ``farthest``, NaN where there is no line."""
    if math.isnan(an_evaluation):
        return math.nan
    tried = sorted({case.horizon, farthest, *(t for t in HORIZONS if t <= farthest)})
    return trivial.horizon(lambda t: form.at(case, t) / t, an_evaluation, tried)
