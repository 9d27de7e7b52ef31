"""Leads on the statements and their proofs."""

from companion.checks.lead import Lead
from companion.papers.tsrsr.discrepancies import theory_formulas as formulas
from companion.papers.tsrsr.discrepancies import theory_runs as runs

_ERRORS = (
    Lead(
        id="E1",
        title="Gain and ratio are defined over sets, the proof needs repeats",
        severity="major",
        location="Theorem 1; Lemmas 4 to 6, (12), (15); Lemmas 10, 11",
        printed=r"$\rho_m$ and $\gamma_{Tm}$ are maxima over $\tilde A\subset\mathcal X$, $|\tilde A|\le m$, and "
        r"$A\subset\mathcal X$, $|A|=Tm$",
        consequence=r"The algorithm may query a point again, also within a batch, and $|A|=Tm$ is impossible for "
        r"$Tm>N$. With sets Theorem 1 is false for every constant. With repeats, and $\rho_m$ as a maximum over all "
        r"histories, so that it is a number and no random variable, it is true. Of the lemmas with these maxima only Lemma 10 "
        "holds either way",
        test=runs.sets_or_multisets,
        statement="theorem-1",
    ),
    Lead(
        id="E2",
        title="Lemma 2 is false where the largest ratio is negative",
        severity="medium",
        location="Section 5.1, Lemma 2, (6), step (ii) of its proof",
        printed=r"$\tilde R\le\sum(\mu_t-f)+\bar\Psi\sqrt{Tm\sum\sigma^2}$ always",
        consequence=r"A negative factor turns Cauchy-Schwarz around; right is $\max(\bar\Psi,0)$. The theorem is not "
        r"affected, as its bound on $\bar\Psi$ is positive",
        test=runs.negative_ratio,
        statement="lemma-2",
    ),
    Lead(
        id="E3",
        title="A union of events where the intersection is needed",
        severity="medium",
        location="Section 5.2, Lemma 4, (10)",
        printed=r"$\mathcal G^{(1)}(\delta)=\bigcup_{t,i}\mathcal G^{(1)}_{t,i}(\delta)$, in words too",
        consequence="On the union, (11) does not hold. The closing union bound over t and i is that of the "
        "intersection, with which the lemma is true",
        test=runs.union_event,
        statement="lemma-4",
    ),
    Lead(
        id="E4",
        title="The expected range of f is not below the printed bound",
        severity="medium",
        location="Appendix B.3, proof of Corollary 1",
        printed=r"differences $f(x)-f(x')$ are taken as $N(0,2)$, and $\E\max_{x,x'}(f(x)-f(x'))\le\sqrt{4\log N}$",
        consequence=r"The maximal inequality that is quoted needs variances of at most 1; theirs are up to 4. A "
        r"constant only: $\sqrt{8\log N}$ is true, and the first term of the corollary holds with a better constant",
        test=formulas.range_of_draws,
        statement="corollary-1",
    ),
    Lead(
        id="E5",
        title="The ratio grows like the root of m, and the theorem counts one point too many",
        severity="major",
        location="Section 4, Theorem 1 and the comparison after it; Appendix B.1",
        printed=r"batches match the sequential rate up to $\rho_m$, the largest decrease of a standard deviation by "
        r"up to $m$ points",
        consequence=r"Without an initial design the bound is linear in $m$. With $\rho_m$ it does not reduce to the "
        r"sequential rate at $m=1$, with $\rho_{m-1}$, which the proofs give, it does. At the noise of the "
        r"experiments it says nothing",
        test=formulas.ratio_in_closed_form,
        statement="theorem-1",
    ),
    Lead(
        id="E6",
        title="The second moment of sampled regret needs a square, not a cube",
        severity="minor",
        location="Appendix A.2, Lemma 9",
        printed=r"$\E\tilde R^2\le(Tm)^2\sum\E(\cdot)^2\le24\log N\,(Tm)^3$",
        consequence=r"True but wasteful: with $(Tm)^2$ the second term of Theorem 1 is $\sqrt{24\log N}$ in place of "
        r"$\sqrt{24\,Tm\log N}$",
        test=runs.power_of_lemma_9,
        statement="lemma-9",
    ),
    Lead(
        id="E7",
        title="The first display in the proof of Lemma 4 compares different standard deviations",
        severity="medium",
        location="Section 5.2, proof of Lemma 4",
        printed=r"$\min_x\frac{\tilde f^*-\mu_t(x)}{\sigma_t(x\mid\text{batch})}\le\frac{\tilde "
        r"f^*-\mu_t(x^{TS})}{\sigma_t(x^{TS})}$",
        consequence=r"The left denominator is the smaller one. The lines after it insert $\rho_m$ as they should, so "
        r"the lemma stands",
        test=runs.first_display_of_lemma_4,
        statement="lemma-4",
    ),
    Lead(
        id="E8",
        title="Lemma 3 is stated with one logarithm and proved with another",
        severity="minor",
        location="Section 5.2, Lemma 3, (7), against (8) and Lemma 4",
        printed=r"$\sqrt{2\log(D/\delta)}$ in the statement, $\sqrt{2\log(2D/\delta)}$ in its proof and wherever it "
        r"is used",
        consequence="One line of the proof bounds the tail at the shorter threshold by that at the longer one. "
        "Nothing depends on it: the statement is true, and Lemma 4 uses the longer one",
        test=formulas.tail_in_lemma_3,
        statement="lemma-3",
    ),
    Lead(
        id="E13",
        title="Conditioning can increase mutual information",
        severity="minor",
        location="Appendix B.1, proof of Lemma 10",
        printed="conditioning always reduces mutual information",
        consequence="Not in general. The step is right because it is about all of $f$, given which the observations "
        "are independent",
        test=formulas.conditioning_and_information,
        statement="lemma-10",
    ),
    Lead(
        id="E14",
        title="The theorem does not need Lemma 6",
        severity="minor",
        location="Section 5.4, Lemma 6; Section 5.5",
        printed=r"$\sum(\mu_t-f)$ at the chosen points is bounded on a good event, as large as the other term",
        consequence="The sum has mean zero, so that an expectation bound needs neither the lemma nor the second good "
        "event, and has no second term",
        test=runs.mean_zero_bias,
        statement="lemma-6",
    ),
    Lead(
        id="E15",
        title="What the order hides",
        severity="minor",
        location="Theorem 1; Section 5.5",
        printed=r"$\E R_{T,m}=O\big(\rho_m\sqrt{Tm\,\gamma_{Tm}}\sqrt{\log(N(Tm)^3)}\big)$ for $k\le1$",
        consequence=r"A factor $\sqrt{2/\log(1+\sigma_n^{-2})}$, which grows with the noise; and to absorb "
        r"$\sqrt{24\,Tm\log N}$, which follows it in the proof, $\max k(x,x)=1$ is used, while only $k\le1$ is assumed",
        test=runs.hidden_constants,
        statement="theorem-1",
    ),
)

_UNFOUNDED = (
    Lead(
        id="U1",
        title="Lemma 3 as printed lacks a factor 2 in the logarithm",
        severity="medium",
        location="Section 5.2, Lemma 3, (7)",
        printed=r"all of $D$ coordinates are within $\sqrt{2\log(D/\delta)}$ standard deviations with probability at "
        r"least $1-\delta$",
        consequence="A union over the two sides of every coordinate would ask for $2D$",
        test=formulas.printed_threshold,
        statement="lemma-3",
        outcome="The logarithm is right: the tail of a Gaussian needs no factor 2 there",
    ),
    Lead(
        id="U3",
        title="Lemma 8 looks tight at D = 2",
        severity="medium",
        location="Appendix A.2, Lemma 8",
        printed=r"$4(\log D+\frac12\log2)\le6\log D$ for $D\ge2$",
        consequence="The last step would fail, or the moment exceed the bound",
        test=formulas.last_step_of_lemma_8,
        statement="lemma-8",
        outcome="The last step holds, and the moment stays below the bound",
    ),
    Lead(
        id="U4",
        title="Sampled regret might be biased",
        severity="major",
        location="Section 5, Lemma 1",
        printed=r"$\E R_{T,m}=\E\tilde R_{T,m}$",
        consequence="The proof's first step would fail",
        test=runs.sampled_regret_bias,
        statement="lemma-1",
        outcome="No bias is seen",
    ),
    Lead(
        id="U6",
        title="Theorem 1 after an initial design, when the mean is no longer zero",
        severity="medium",
        location="Appendix B.3, Corollary 1",
        printed="the theorem is applied to the rounds after the initial design",
        consequence="The lemmas would have to be proved again for the conditioned prior",
        test=runs.after_a_design,
        statement="corollary-1",
        outcome="The lemmas hold as they stand, since data never increase a variance",
    ),
    Lead(
        id="U7",
        title="Points chosen adaptively in Lemma 5",
        severity="medium",
        location="Section 5.3, Lemma 5",
        printed="the bound on the sum of conditional variances is applied to points that depend on the observations",
        consequence="The bound would hold for fixed points only",
        test=formulas.adaptive_points,
        statement="lemma-5",
        outcome="The bound holds for points chosen adaptively as well",
    ),
    Lead(
        id="U8",
        title="How failure probabilities add up",
        severity="medium",
        location="Section 5.5, (16); Section 6",
        printed=r"$\delta/(Tm)$, $2\delta$, $\delta_0=\frac12(Tm)^{-2}$, $4N(Tm)^3$; 400 and 250 evaluations",
        consequence="A constant of the theorem would be off",
        test=formulas.accounting,
        statement="thm1-step",
        outcome="They add up as printed",
    ),
)

LEADS: tuple[Lead, ...] = (*_ERRORS, *_UNFOUNDED)
"""Suspected errors in the theory, and suspicions that turned out unfounded."""
