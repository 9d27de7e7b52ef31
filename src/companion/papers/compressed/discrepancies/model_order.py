"""Leads on information, the admission rule, the model order and constant budgets."""

from companion.checks.lead import Lead
from companion.papers.compressed.discrepancies import order_formulas as formulas
from companion.papers.compressed.discrepancies import order_runs as runs

_ERRORS = (
    Lead(
        id="S1",
        title="A 2 in place of the identity",
        severity="minor",
        location="Section 2, (2.3)",
        printed=r"$I=\frac12\log\abs{2+\sigma^{-2}K_t}$",
        consequence="A slip of the pen, or of a macro: everything that follows uses the identity",
        test=formulas.two_or_identity,
        statement="eq-2.3",
    ),
    Lead(
        id="S2",
        title="The greedy guarantee names the wrong comparator",
        severity="minor",
        location="Section 2, display before (2.5)",
        printed=r"$T$ rounds of (2.4) bring at least $(1-1/e)$ of the information of $K$ points, for some $K\le T$",
        consequence="As printed the display says nothing. The guarantee is against the best set of as many points",
        test=formulas.compared_with_what,
        statement="eq-2.4",
    ),
    Lead(
        id="S3",
        title="The printed constants cannot compress",
        severity="major",
        location="Section 4, parameters; Figures 1 to 3, Tables 2 to 4",
        printed=r"$\epsilon=10^{-4}$, $\sigma^2=0.001$, with a model order that soon settles in all figures",
        consequence="The figures were made with another rule or other constants; the paper does not say which. For every horizon "
        "that is plausible here the printed rule is the dense algorithm. The chapter runs several readings and labels them",
        test=runs.printed_constants,
        statement="own-2",
    ),
    Lead(
        id="S4",
        title="What is compared with epsilon",
        severity="medium",
        location="Abstract; Section 2 before (2.11); after (7.6); proof of Lemma 8.3",
        printed=r"in words: the conditional entropy exceeds $\epsilon$; in (2.11): it exceeds $\log\sqrt{2\pi "
        r"e\sigma^2}+\epsilon$",
        consequence="The formula is the one that the theorems use: the information of an observation exceeds epsilon. The words "
        "describe another algorithm, without a bound on its regret",
        test=formulas.what_is_thresholded,
        statement="eq-2.12",
    ),
    Lead(
        id="S5",
        title="Three radii for one packing",
        severity="medium",
        location="Appendix 7, between (7.10) and (7.12)",
        printed=r"a distance above $e^\epsilon$, $\delta=e^\epsilon$ and $\nu=e^\epsilon$, between $\sqrt{\sigma^2u}$ in "
        r"(7.10) and $\sigma^2u$ in (7.12), $u=e^{2\epsilon}-1$",
        consequence=r"Only $\nu=\sigma^2u$, the squared distance, gives what follows. (3.1) then leaves out $\sigma^{-2p}$",
        test=formulas.radius_of_the_packing,
        statement="eq-7.11",
    ),
    Lead(
        id="S6",
        title="The rate of the model order is false in general",
        severity="major",
        location="Section 3, Theorem 3.1, (3.1)",
        printed=r"$M_T\le O((e^{2\epsilon}-1)^{-p})$ for all $T$, by a packing bound",
        consequence=r"The packing bound needs the distance to the span, the algorithm tests a regularised one. The order "
        r"is finite; its exponent is $1+p/(2\nu)$ for Matérn kernels, above p in one dimension. For squared exponential "
        r"kernels the rate is "
        "right up to logarithms in one dimension, and loose beyond",
        test=runs.rate_of_the_order,
        statement="theorem-3.1",
    ),
    Lead(
        id="S7",
        title="Half a penalty",
        severity="medium",
        location="Appendix 7, Lemma 7.1, (7.1), (7.3)",
        printed=r"$\frac\lambda2\norm{v}^2$, with a closed form that has $\lambda I$",
        consequence="With the full penalty the lemma is true. The quantity is no distance to the span, however, as its "
        "name has it",
        test=formulas.penalty_of_the_lemma,
        statement="lemma-7.1",
    ),
    Lead(
        id="S16",
        title="Expected improvement and MPI freeze at the first rejection",
        severity="major",
        location="Algorithm 1; Section 4.1",
        printed="the model order settles to a constant given by the covering number of the action space",
        consequence="Under these acquisitions nothing changes after a rejection, so that the same point is chosen and "
        "rejected for ever. A plateau is automatic and covering numbers have no part in it. Every later round has the "
        "same regret: "
        "it is linear from then on, unless the point is the best one",
        test=runs.frozen_acquisitions,
        statement="own-6",
    ),
    Lead(
        id="S18",
        title="Average regret is not of order epsilon",
        severity="major",
        location="Abstract",
        printed=r"with a constant budget, $\mathrm{Reg}_T/T\to O(\epsilon)$",
        consequence=r"The proof gives $\sqrt{\epsilon\log T}$, which grows. The limit under UCB is the regret of the "
        r"candidate of largest "
        "remaining variance, whatever the budget",
        test=runs.average_regret_in_the_limit,
        statement="claim-eps-regret",
    ),
)

_UNFOUNDED = (
    Lead(
        id="U8",
        title="Whether the rate fails for the squared exponential kernel as well",
        severity="minor",
        location="Section 3, Theorem 3.1",
        printed=r"$M_T\le O((e^{2\epsilon}-1)^{-p})$",
        consequence="None: it does not",
        test=runs.rate_for_smooth_kernels,
        statement="theorem-3.1",
        outcome="It does not: up to a logarithm the rate is right there",
    ),
    Lead(
        id="U9",
        title="Whether a budget of 0 can reject a point",
        severity="minor",
        location="Section 2, after (2.12)",
        printed=r"for $\epsilon=0$ the condition holds trivially, and the algorithm is the uncompressed one",
        consequence="None: it cannot",
        test=formulas.nothing_rejected_at_zero,
        statement="eq-2.12",
        outcome="It cannot",
    ),
    Lead(
        id="U11",
        title="Whether (2.11) and (2.12) are the same test",
        severity="minor",
        location="Section 2, (2.11) and (2.12)",
        printed=r"the entropy exceeds $\log\sqrt{2\pi e\sigma^2}+\epsilon$ exactly if $\sigma_D^2>\sigma^2(e^{2\epsilon}-1)$",
        consequence="None: they are",
        test=formulas.entropy_and_threshold,
        statement="eq-2.12",
        outcome="They are",
    ),
)

LEADS: tuple[Lead, ...] = (*_ERRORS, *_UNFOUNDED)
