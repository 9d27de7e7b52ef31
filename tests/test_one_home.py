"""A formula of the field has one home: who needs it calls it.

Each formula has a fingerprint, a pattern of what one statement of source looks like when the syntax tree is written out again, so
that line breaks, comments and docstrings play no part. A second place is allowed where a check must share no line with what it
checks, and the function around it says so by the words *independent check*.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import pytest

import companion

PACKAGE = Path(companion.__file__).parent
SAYS_SO = re.compile(r"independent\s+check", re.IGNORECASE)


class Formula(NamedTuple):
    """A fingerprint, its home, and files that hold it for another reason than an independent check, with the reason."""

    pattern: str
    home: str
    others: Mapping[str, str] = MappingProxyType({})


_CDF = r"\*\s*(?:float\()?[\w.]*(?:cdf|ndtr)\("
_PDF = r"(?:pdf|density|exp)\("
FORMULAS = {
    "Srinivas et al., Theorem 1: log of N t^2 pi^2 / 6 delta": Formula(
        r"log\(.*pi \*\* 2.* / \(?[36]\.?0? \* ", "bounds/confidence.py"
    ),
    "Srinivas et al., Theorem 3": Formula(r"\b300(?:\.0)? \* \w+.* \*\* 3", "bounds/confidence.py"),
    "union bound over D normal numbers": Formula(
        r"sqrt\(2(?:\.0)? \* (?:math|np)\.log\((?:[^()]|\([^()]*\))* / \(?(?:1(?:\.0)? - )?[\w.]*(?:delta|confidence|level)",
        "bounds/confidence.py",
    ),
    "union bound, Proposition 1": Formula(r"sqrt\(2(?:\.0)? \* \((?:math|np)\.log\(\w+\) - ", "bounds/confidence.py"),
    "self-normalised width": Formula(
        r"sqrt\(.*(?:gain|log_det|gamma|information).*(?:- (?:2(?:\.0)? \* )?(?:math|np)\.log\([^()]*delta\)"
        r"|\+ (?:2(?:\.0)? \* )?(?:math|np)\.log\(1(?:\.0)? / )",
        "bounds/confidence.py",
    ),
    "one root for norm and gain": Formula(r"sqrt\([\w.]*norm \*\* 2 \+ 2(?:\.0)? \* \(", "bounds/confidence.py"),
    "Matern 3/2 and 5/2": Formula(
        r"\(1(?:\.0)? \+ (\w+)(?: \+ \1(?: \* \1| \*\* 2) / 3(?:\.0)?)?\) \* (?:np\.exp\(-|decay)",
        "gp/kernels.py",
        {
            "papers/compressed/checks/setting_assumptions.py": "its second derivatives",
            "papers/wdrbo/checks/lipschitz.py": "as others parametrise it",
        },
    ),
    "information gain by a determinant": Formula(
        r"slogdet\(",
        "information/gain.py",
        {"papers/tsrsr/method/rules.py": "volumes with their signs, which rounding may turn"},
    ),
    "sum of posterior variances over the gain": Formula(
        r"[28](?:\.0)? (?:\* \w+ )?/ \(?math\.log1p\(",
        "information/gain.py",
        {"papers/batched/theory/bounds.py": "the same without overflow for very little noise"},
    ),
    "decomposition of a design": Formula(r"eigh\(.*phi\.T @ \(\w+(?:\.\w+)?\[:, None\]", "information/design.py"),
    "expected improvement": Formula(
        rf"{_CDF}.* \+ .*{_PDF}|{_PDF}.* \+ .*{_CDF}",
        "policies/acquisition.py",
        {
            "simulate/tensors.py": "the same in PyTorch",
            "papers/wdrbo/problems/laws.py": "the integral of a distribution function",
        },
    ),
    "share of delta that the j-th look may use": Formula(r"6(?:\.0)? / \(math\.pi \*\* 2 \*", "policies/stopping.py"),
    "trivial bound of a prior": Formula(r"\.max\(axis=1\) - \w+\.min\(axis=1\)\)\.mean\(\)", "bounds/trivial.py"),
    "trivial bound of a norm": Formula(
        r"\w+\[:, None\] \+ \w+\[None, :\] - 2(?:\.0)? \* covariance", "bounds/ranges.py"
    ),
    "blind line of a draw": Formula(r"else 0\.5 \* line\b", "bounds/trivial.py"),
    "blind line of a norm": Formula(r"- 2(?:\.0)? \* means \+ means\.mean\(\)", "bounds/ranges.py"),
    "Holm's correction": Formula(r"arange\(len\(\w+\), 0, -1\)", "judge/multiple_testing.py"),
    "Benjamini's and Hochberg's correction": Formula(r"false_discovery_control\(", "judge/multiple_testing.py"),
    "Welch's test, and two one-sided ones": Formula(r"equal_var=False", "judge/equivalence.py"),
    "Welch's degrees of freedom": Formula(r"\*\* 2 / \(\w+\.n - 1\)", "judge/equivalence.py"),
    "paired t-test": Formula(r"ttest_(?:1samp|rel)\(", "judge/method_comparison.py"),
    "power of a t-test": Formula(r"\bnct\.(?:sf|cdf)\(", "judge/method_comparison.py"),
    "bootstrap of a mean": Formula(r"multinomial\(count, ", "judge/method_comparison.py"),
    "exact interval of a share": Formula(r"proportion_ci\(", "judge/intervals.py"),
    "exact upper limit of a share": Formula(r"betainccinv\(|beta\.(?:ppf|isf)\(", "policies/stopping.py"),
    "radius of DRBO-MMD": Formula(r"2(?:\.0)? \+ (?:normal_width|math\.sqrt)\(", "papers/wdrbo/method/methods.py"),
}


@cache
def statements(text: str) -> tuple[tuple[int, str, str], ...]:
    """Line, text and surroundings of every simple statement: the source of the function, or of the module's statement."""
    found, lines = [], text.splitlines()

    def source(node: ast.stmt) -> str:
        return "\n".join(lines[node.lineno - 1 : node.end_lineno])

    def walk(node: ast.AST, around: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                walk(child, source(child))
            elif isinstance(child, ast.stmt) and not hasattr(child, "body"):
                if not (isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)):
                    found.append((child.lineno, ast.unparse(child), around or source(child)))
            elif isinstance(child, ast.stmt):
                for field in ("test", "iter"):
                    if isinstance(part := getattr(child, field, None), ast.expr):
                        found.append((part.lineno, ast.unparse(part), around))
                walk(child, around)
            elif isinstance(child, ast.excepthandler | ast.match_case):
                walk(child, around)

    walk(ast.parse(text), "")
    return tuple(found)


def places(formula: Formula, sources: dict[str, str]) -> Iterator[tuple[str, int, bool]]:
    """File, line, and whether the function around says that it checks independently, of what looks like the formula."""
    pattern = re.compile(formula.pattern)
    for name, text in sources.items():
        for line, statement, around in statements(text):
            if pattern.search(statement):
                yield name, line, bool(SAYS_SO.search(around))


def strangers(formula: Formula, sources: dict[str, str]) -> list[str]:
    """Places away from home that do not say why."""
    known = {formula.home, *formula.others}
    return [f"{name}:{line}" for name, line, said in places(formula, sources) if name not in known and not said]


@pytest.fixture(scope="module")
def sources() -> Iterator[dict[str, str]]:
    yield {path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    statements.cache_clear()


@pytest.mark.parametrize("name", FORMULAS)
def test_a_formula_has_one_home(name, sources):
    formula = FORMULAS[name]
    assert not strangers(formula, sources)
    at_home = {line for found, line, _ in places(formula, sources) if found == formula.home}
    assert at_home
    for other in formula.others:
        assert any(found == other for found, _, _ in places(formula, sources)), f"{other} holds it no more"


SECOND = {
    "Matern 3/2 and 5/2": "value = (1.0 + r + r * r / 3.0) * np.exp(-r)",
    "Srinivas et al., Theorem 1: log of N t^2 pi^2 / 6 delta": "w = math.sqrt(2 * np.log(n * t**2 * math.pi**2 / (6 * d)))",
    "Srinivas et al., Theorem 3": "w = math.sqrt(2 * norm**2 + 300 * gain * math.log(t / delta) ** 3)",
    "union bound over D normal numbers": "w = math.sqrt(2 * math.log(2 * n * horizon / asked.delta))",
    "union bound, Proposition 1": "w = norm + math.sqrt(2.0 * (math.log(events) - math.log(delta)))",
    "self-normalised width": "w = norm + np.sqrt(2 * (gain - np.log(self.delta)))",
    "one root for norm and gain": "w = np.sqrt(norm**2 + 2 * (gain - c))",
    "information gain by a determinant": "g = 0.5 * np.linalg.slogdet(np.eye(n) + k / noise)[1]",
    "sum of posterior variances over the gain": "c = 2 / math.log1p(1 / noise)",
    "decomposition of a design": "a, b = linalg.eigh(core.phi.T @ (w[:, None] * core.phi))",
    "expected improvement": "e = (mean - best) * stats.norm.cdf(z) + sd * stats.norm.pdf(z)",
    "share of delta that the j-th look may use": "a = alpha * 6 / (math.pi**2 * look**2)",
    "trivial bound of a prior": "r = (f.max(axis=1) - f.min(axis=1)).mean()",
    "trivial bound of a norm": "d = v[:, None] + v[None, :] - 2 * covariance",
    "blind line of a draw": "b = known if model == 'norm' else 0.5 * line",
    "blind line of a norm": "b = np.diagonal(k) - 2 * means + means.mean()",
    "Holm's correction": "p = np.minimum(1, values[order] * np.arange(len(values), 0, -1))",
    "Benjamini's and Hochberg's correction": "p = stats.false_discovery_control(p)",
    "Welch's test, and two one-sided ones": "t = stats.ttest_ind(a, b, equal_var=False)",
    "Welch's degrees of freedom": "d = v**2 / (v_1**2 / (one.n - 1) + v_2**2 / (two.n - 1))",
    "paired t-test": "t = stats.ttest_rel(a, b)",
    "power of a t-test": "p = stats.nct.sf(limit, degrees, shift)",
    "bootstrap of a mean": "w = generator.multinomial(count, np.full(count, 1 / count), 1000)",
    "exact interval of a share": "i = stats.binomtest(k, n).proportion_ci(0.95)",
    "exact upper limit of a share": "u = stats.beta.ppf(1 - level, k + 1, n - k)",
    "radius of DRBO-MMD": "r = (2 + math.sqrt(2 * math.log(1 / alpha))) / math.sqrt(n)",
}


@pytest.mark.parametrize("name", FORMULAS)
def test_a_second_home_is_noticed_unless_it_is_an_independent_check(name):
    planted = f'"""A module."""\n\ndef width():\n    """SAYS"""\n    for t in range(3):\n        {SECOND[name]}\n    return w\n'
    assert strangers(FORMULAS[name], {"papers/new/page/second.py": planted}) == ["papers/new/page/second.py:6"]
    excused = planted.replace("SAYS", "Independent check: of the package's.")
    assert not strangers(FORMULAS[name], {"papers/new/checks/second.py": excused})
    commented = f'"""{SECOND[name]}"""\n# {SECOND[name]}\n'
    assert not strangers(FORMULAS[name], {"papers/new/page/second.py": commented})
