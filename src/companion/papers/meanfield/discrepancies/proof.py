"""Leads on Appendix A, the proof of Theorem 4.1."""

from companion.checks.lead import Lead
from companion.papers.meanfield.discrepancies import proof_findings as findings

LEADS = (
    Lead(
        id="E3",
        title="Mean of the largest slope",
        severity="medium",
        location="Appendix A.1, citing Lemma H.1 of Takeno et al.",
        printed=r"$\E L_{\max}\le b(\log(a|A||C|)+\sqrt\pi/2)$",
        consequence=r"The number of parts, the width and $\mathcal B$ change: $\sqrt b(\sqrt{\log(an)}+\sqrt\pi/2)$ "
        r"stands for "
        r"$\mathcal G$. The printed value also has the unit of a squared slope",
        test=findings.mean_largest_slope,
        statement="A1-lmax",
    ),
    Lead(
        id="E4",
        title="The discretisation leaves the simplex",
        severity="medium",
        location="Appendix A, first paragraph",
        printed="each coordinate of a law is cut into equal parts, and the nearest point is called a distribution",
        consequence="The comparison with the argmax and the bound by slopes do not apply to such points. A lattice "
        "of laws, rounded "
        "to by largest remainders, repairs both, with half the distance",
        test=findings.discretisation_leaves_the_simplex,
        statement="A-discretisation",
    ),
    Lead(
        id="E5",
        title="Sign of the change of law",
        severity="minor",
        location="Section 4, proof sketch, and Appendix A.1",
        printed=r"the second term has the bracket $[\xi^\star]_t-\xi^\star$",
        consequence="None: absolute values follow",
        test=findings.sign_of_the_last_bracket,
        statement="A1-split",
    ),
    Lead(
        id="E6",
        title="A missing absolute value",
        severity="medium",
        location="Appendix A.1, second inequality",
        printed=r"$\sum_xf_x\delta_x\le\max\|\delta\|_1\sum_xf_x$",
        consequence=r"Hölder's inequality repairs it, with $\|\delta\|_1\max_x|f_x|$; the sum over actions, a factor $|A|$, goes",
        test=findings.missing_absolute_value,
        statement="A1-holder",
    ),
    Lead(
        id="E7",
        title="At least one part, used the wrong way round",
        severity="medium",
        location='Appendix A.1, after "cannot be smaller than 1"',
        printed=r"$\max\{t^2\mathcal G,1/n\}$ is replaced by the larger $t^2\max\{\mathcal G,1/n\}$ in a denominator",
        consequence=r"The minimum $\min\{1/\mathcal G,n\}$ in the theorem is unproved; $1/\mathcal G$ follows",
        test=findings.at_least_one_part,
        statement="A1-tau",
    ),
    Lead(
        id="E8",
        title="A logarithm of n is lost",
        severity="medium",
        location="Appendix A.1",
        printed=r"$\log\tau_t=2\log t+\log\mathcal G$",
        consequence=r"The constant of $R^A$ is too small by a term with $\sqrt{\log n}$",
        test=findings.lost_log_n,
        statement="A1-logtau",
    ),
    Lead(
        id="E9",
        title="The last step of the bound on R^A",
        severity="major",
        location="Appendix A.1, last two displays",
        printed=r"$\sum_tt^{-2}\log t=\zeta'(2)$, and a sum of two terms is bounded by the larger, without "
        r"$\sqrt{\mathcal G}$",
        consequence=r"$\mathcal B$ in Theorem 4.1 is smaller than what the chain yields; the order in $T$ stays",
        test=findings.zeta_step,
        statement="A1-zeta",
    ),
    Lead(
        id="E11",
        title="Positive part and mean below the confidence bound",
        severity="medium",
        location="Appendix A.2",
        printed=r"$\E[Z^+]\le\frac s{\sqrt{2\pi}}e^{-m^2/(2s^2)}$ for every mean; $f-U_t$ has mean "
        r"$-\beta_t\sigma^2$; exponent "
        r"$\beta_t/2$",
        consequence=r"The bound on $R^C$ is true for $\beta_t\ge0$, by another route; with the root as multiplier "
        r"the theorem is better",
        test=findings.positive_part_and_mean,
        statement="A2-law",
    ),
    Lead(
        id="E23",
        title="Small slips of the appendix",
        severity="minor",
        location="Section 4 and Appendix A",
        printed=r"no condition on $an$, no value for $D$, an inequality that is an equality, a linear dependence on "
        r"$M$",
        consequence=r"$an\ge1$ is an assumption, and $D=2\kappa^2/\log(1+\kappa^2/R^2)$",
        test=findings.small_slips,
        statement="A3-RD",
    ),
    Lead(
        id="U1",
        title="Do the pieces of the discretisation fit together?",
        severity="minor",
        location="Theorem 4.1 and Appendix A",
        printed=r"$\tau_t$, $|\Xi_t|$, $\beta_t$ and the distance $1/(t^2\mathcal G)$ are given separately",
        consequence="They agree",
        test=findings.pieces_fit_together,
        statement="A2-RC",
    ),
    Lead(
        id="U2",
        title="Is the root of the logarithm below twice the logarithm?",
        severity="minor",
        location="Appendix A.1",
        printed=r"$\sqrt{2\log t}\le2\log t$",
        consequence="It is, for whole rounds",
        test=findings.roots_of_whole_rounds,
        statement="A1-sqrtlog",
    ),
    Lead(
        id="U3",
        title="Is the exponent right for the printed multiplier?",
        severity="minor",
        location="Appendix A.2",
        printed=r"$e^{-\beta_t/2}$ beside $U_t=\mu_{t-1}+\beta_t\sigma_{t-1}$",
        consequence="The inequality is true, though not for the reason given",
        test=findings.beta_in_place_of_its_root,
        statement="A2-law",
    ),
    Lead(
        id="U4",
        title="Is the third term treated correctly?",
        severity="minor",
        location="Appendix A.3",
        printed="the law played is independent of the payoff given the data; Cauchy-Schwarz; Lemma 5.4 of Srinivas "
        "et al.",
        consequence="It is, given an exact and deterministic argmax",
        test=findings.third_term_of_the_proof,
        statement="A3-independence",
    ),
    Lead(
        id="U5",
        title="Does the maximal inequality need independence?",
        severity="minor",
        location="Appendix A.1, Lemma 2.2 of Devroye and Lugosi",
        printed=r"$\E\max_{i\le N}X_i\le\sigma\sqrt{2\log N}$ for dependent values",
        consequence="It does not",
        test=findings.maximum_of_dependent_values,
        statement="A1-maxgauss",
    ),
    Lead(
        id="X1",
        title="Roots of negative logarithms",
        severity="minor",
        location="Appendix A.1, display before the short name for the slope",
        printed=r"$\sqrt{2\log t+\log\mathcal G}\le\sqrt{2\log t}+\sqrt{\log\mathcal G}$",
        consequence=r"The step needs $\mathcal G\ge1$, which smooth payoffs do not have; the corrected sum has no "
        r"such root",
        test=findings.root_of_a_negative_logarithm,
        statement="A1-sqrtlog",
    ),
)
