"""Settings of the experiments, and their origin; every number is read from the code's defaults."""

from __future__ import annotations

import pandas as pd

from companion.pages import recorded, table
from companion.papers.wdrbo.experiments.parameters import CODE, OURS, DataDriven, General, Shift
from companion.papers.wdrbo.experiments.printed import PAPER_SEEDS, TITLE_OF
from companion.papers.wdrbo.experiments.runs import PAPER
from companion.papers.wdrbo.method.maximiser import GridAndAscent
from companion.papers.wdrbo.method.methods import Settings, discrepancy_radius
from companion.papers.wdrbo.method.model import LENGTHSCALE_FLOOR, NOISE_FLOOR, prior_mode
from companion.papers.wdrbo.problems.laws import ClippedNormal
from companion.papers.wdrbo.problems.shifted import TOLD

TEXT, TEXT_AND_CODE = "the text", "the text; the constant: the authors' code"
OPEN = "not said"
Row = tuple[str, str, str, str]


def _regression() -> list[Row]:
    mode = prior_mode(1)
    floors = f"at least {LENGTHSCALE_FLOOR:g} and {NOISE_FLOOR:g}"
    return [
        ("regression on pairs (x, c)", OPEN, "squared exponential, one length-scale a coordinate, variance 1", CODE),
        (
            "hyperparameters",
            OPEN,
            "refitted every round under log-normal priors, whose modes with one coordinate are: length-scale "
            f"{mode.lengthscale[0]:.3f}, noise variance {mode.noise_variance:.4f}; {floors}; values standardised",
            CODE,
        ),
        ("regression of GP-UCB", "ignores the context", "the same on x alone", TEXT),
    ]


def _loop() -> list[Row]:
    p, search, plan = DataDriven(), GridAndAscent(), PAPER
    return [
        ("rounds", "100", f"{p.horizon}", TEXT),
        (
            "seeds",
            "15",
            f"{PAPER_SEEDS} or more, {plan.code_runs} or more in the code's reading; every comparison says how many",
            f"{TEXT}; beyond: {OURS}",
        ),
        ("initial decisions", OPEN, f"{p.initial}, outside the regret", f"{CODE}; outside: {OURS}"),
        ("noise", "sub-Gaussian, no level", f"{p.noise:g}", CODE),
        ("width β_t of all methods", "1.5", f"{p.width:g}", TEXT),
        (
            "search for the next decision",
            OPEN,
            f"{search.line} points and golden sections (one decision), {search.raw} points and ascent from {search.starts}",
            OURS,
        ),
    ]


def _centred() -> list[Row]:
    p, s = DataDriven(), Settings()
    general = General()
    nodes = " / ".join(str(n) for n in s.lipschitz_nodes[:2])
    return [
        ("WDRBO: radius", "O(1/√t)", f"{p.radius:g}/√n", TEXT_AND_CODE),
        ("WDRBO: radius in Figure 1", "0.1", f"{general.radius:g}", TEXT),
        (
            "WDRBO: Lipschitz constant",
            "over all contexts",
            f"largest slope at {nodes} nodes an axis, with one and with two contexts",
            OURS,
        ),
        (
            "WDRBO and ERBO: centre in Figure 1",
            "N(0.5, 0.1)",
            f"{general.told_nodes} quantiles",
            f"{TEXT}; nodes: {OURS}",
        ),
    ]


def _rivals() -> list[Row]:
    p = DataDriven()
    radius = discrepancy_radius(1, p.confidence)
    bandwidth = "(4/(d_c + 2))^(1/(d_c + 4)) n^(-1/(d_c + 4)) standard deviations (Silverman's rule)"
    return [
        ("SBO-KDE, DRBO-KDE: bandwidth", "as in Huang et al.", bandwidth, CODE),
        ("SBO-KDE, DRBO-KDE: draws", OPEN, f"{p.samples} and {p.robust_samples}", CODE),
        ("DRBO-KDE: radius in total variation", OPEN, "n^(-2/(4 + d_c))", CODE),
        (
            "DRBO-MMD, minmax: radius",
            OPEN,
            f"{radius:.2f}/√n, the code's formula with δ = {1.0 - p.confidence:.2g}",
            CODE,
        ),
        (
            "DRBO-MMD, minmax: contexts",
            "a grid; finer for minmax",
            f"{p.discrepancy_nodes} and {p.minmax_nodes}",
            CODE,
        ),
        ("StableOpt: set of contexts", "mean ± deviation in each coordinate", "the same, within the box", TEXT),
    ]


def _normal(law: ClippedNormal) -> str:
    return f"N({law.mean:g}, sd {law.sd:g})"


def _shifts() -> list[Row]:
    p = Shift()
    told = "; ".join(f"{TITLE_OF.get(name, 'Figure 1')}: {_normal(law)}" for name, law in TOLD.items())
    shifts = ", ".join(f"{value:g}" for value in PAPER.shifts)
    return [
        ("known shift: laws told", "—", f"{told}; clipped to the unit interval", OURS),
        ("known shift: mean moved by", "—", f"{shifts}; radius {p.radius:g}; {PAPER.runs} seeds", OURS),
    ]


@recorded(random=False)
def setting_rows() -> pd.DataFrame:
    """Setting, the paper's value, the value run here in the text's reading, and its source."""
    rows = [*_loop(), *_regression(), *_centred(), *_rivals(), *_shifts()]
    return pd.DataFrame(rows, columns=["setting", "paper", "here", "source"])


settings = table(setting_rows)
