"""Leads on setting, method, theorem and Table 1."""

from companion.checks.lead import Lead
from companion.papers.meanfield.discrepancies import setting_findings as findings

LEADS: tuple[Lead, ...] = (
    Lead(
        id="E1",
        title="The posterior's regulariser",
        severity="minor",
        location="Section 4, first display",
        printed=r"$(\mathbf K+R^{-1}I)^{-1}$, for noise of variance $R^2$",
        consequence="A misprint: nothing else in the paper uses it. Coded as printed, precise observations would "
        "be ignored",
        test=findings.regulariser,
        statement="eq-posterior",
    ),
    Lead(
        id="E2",
        title="The radial basis function lacks its squares",
        severity="medium",
        location="Section 4, definition of k_RBF",
        printed=r"$\exp(-\norm{z-z'}_2/(2\ell))$",
        consequence="As printed it is the Matérn kernel of smoothness 1/2, for which Assumption 3.1 fails and "
        "Theorem 4.1 says "
        "nothing. The rates of Table 1 are those of the squared form",
        test=findings.radial_function,
        statement="eq-rbf",
    ),
    Lead(
        id="E10",
        title="Table 1 is one power of log T short",
        severity="minor",
        location="Section 4, text before Table 1; Table 1",
        printed=r"$\gamma_T=O((\log T)^d)$ for the radial basis function",
        consequence="The cited source has $d+1$. All four rows are short by one power, which leaves their order as "
        "it is",
        test=findings.power_of_logarithm,
        statement="remark-mig-rbf",
    ),
    Lead(
        id="E13",
        title="What Table 1 hides",
        severity="major",
        location="Table 1; abstract",
        printed=r"every row has the same $\beta_T$, and rates in $\iota=\log T$",
        consequence=r"$\beta_T$ is another number in each row, and grows like $\abs{A}\abs{C}\log T$ for "
        r"MF-GP-UCB. Independence of $M$ "
        "stands; at the experiments' horizon the rates of MF-GP-UCB are above the trivial bound",
        test=findings.hidden_widths,
        statement="rate-mf",
    ),
    Lead(
        id="E14",
        title="The rule for an improvement fails in an experiment",
        severity="minor",
        location="Section 4, text before Table 1; Section 3",
        printed=r"an improvement as long as $d_A+\abs{A}\abs{C}\le Md_A$; $\abs{A}\ll M$",
        consequence="By the paper's own rule the arena gains nothing in theory; in practice it does",
        test=findings.crossover,
        statement="remark-crossover",
    ),
    Lead(
        id="E15",
        title="A competing bound that tends to zero",
        severity="minor",
        location="Section 2",
        printed=r"$O(\beta_T\sqrt{T\log T^M}/M!)$ for permutation-invariant kernels, 'which still depends on M'",
        consequence="As quoted it would be better than the paper's own for large M; its constants must depend on M",
        test=findings.other_paper,
        statement="remark-brown",
    ),
    Lead(
        id="E22",
        title="The kernel of the experiments is not normalised",
        severity="medium",
        location="Appendix A.1 and A.2; Eq. (1)",
        printed=r"$k\le1$ 'by assumption'",
        consequence=r"The assumption is not stated, and Eq. (1) violates it. Factors $\kappa$ repair it",
        test=findings.prior_variance,
        statement="assumption-hidden",
    ),
    Lead(
        id="X2",
        title="The explicit bound is false where the widths are negative",
        severity="medium",
        location="Theorem 4.1; Appendix A, last display",
        printed=r"the bound for any $a,b>0$ of Assumption 3.1, with $\beta_t=2\log(n\abs{\Xi_t}t^2/\sqrt{2\pi})$",
        consequence=r"If $b$ is tiny, $\tau_t<1$ and $\beta_t<0$ for many rounds. The theorem needs $\tau_t\ge2$, "
        r"or any larger $b$, "
        "which satisfies the assumption too",
        test=findings.negative_widths,
        statement="thm-4.1-explicit-printed",
    ),
    Lead(
        id="U10",
        title="Independence of the number of agents",
        severity="major",
        location="Abstract; Theorem 4.1",
        printed="the bound does not depend on M",
        consequence="It stands: neither the bound nor the regret grows with the number of agents",
        test=findings.independence,
        statement="remark-independence",
    ),
    Lead(
        id="U11",
        title="The corrected theorem says nothing at short horizons",
        severity="minor",
        location="Theorem 4.1",
        printed=r"$\E R_T=O(\beta_T\sqrt{T\gamma_T}+\mathcal B)$",
        consequence="An order promises nothing at a given $T$, so this contradicts nothing in the paper. Even repaired and on a "
        "small game, the bound becomes informative only in long runs",
        test=findings.corrected_on_runs,
        statement="thm-4.1-corrected",
    ),
)
