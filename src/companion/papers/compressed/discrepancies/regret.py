"""Leads on the regret bounds and their proofs."""

from companion.checks.lead import Lead
from companion.papers.compressed.discrepancies import improvement_tests as improvement
from companion.papers.compressed.discrepancies import regret_tests as regret

_ERRORS = (
    Lead(
        id="S8",
        title="Two columns of Table 1 are interchanged",
        severity="medium",
        location="Section 3, Table 1, rows CGP-UCB1 and CGP-UCB2",
        printed=r"$T^{1-1/(4p)}$ at $\alpha=1/p$ and $T^{1-1/(2p)}$ at $\alpha=1/(2p)$",
        consequence=r"The second term is of order $T^{1-\alpha/2}$. As printed the larger dictionary has the larger "
        r"regret, against "
        r"the caption; the promise at $\alpha=1/(2p)$ does not follow",
        test=regret.table_columns,
        statement="table-1",
    ),
    Lead(
        id="S9",
        title="A sum of two terms is replaced by their maximum",
        severity="medium",
        location="Appendix 8.3, (8.61) to (8.63); Corollary 3.3",
        printed=r"$aT^x+bT^y\le\max\{a,b\}T^{\max\{x,y\}}$, and $M_T\le T^{\alpha p}$ with constant 1",
        consequence="A factor of up to 2, and the number of candidates in the dictionary's size. The corollary's "
        "constant is not proved "
        "for few candidates and much noise",
        test=regret.maximum_for_sum,
        statement="corollary-3.3",
    ),
    Lead(
        id="S10",
        title="The number of candidates in the exploration parameter of a compact set",
        severity="medium",
        location="Section 3, Theorem 3.2(ii)",
        printed=r"$\beta_t=2\log(Xt^2\pi^2/(3\delta))+\dots$ with $\mathcal X$ continuous",
        consequence="The parameter is infinite and the rule undefined. With 2 in place of X it is what Lemma 8.8 needs",
        test=regret.infinite_candidates,
        statement="theorem-3.2-ii",
    ),
    Lead(
        id="S11",
        title="The logarithm in Theorem 3.4 has lost its root",
        severity="major",
        location="Section 3, Theorem 3.4, (3.6); Appendix 9.2, (9.28) against (9.27)",
        printed=r"division by $\log(1+\sigma^{-2})$",
        consequence=r"(9.27) divides by $\sqrt{\log(1+\sigma^{-2})}$. The printed bound is smaller for "
        r"$\log(1+\sigma^{-2})>1$, and false for little noise: on very many arms with the printed $R$, on a thousand if $R$ "
        "stops at the T rounds",
        test=improvement.power_of_the_logarithm,
        statement="theorem-3.4",
    ),
    Lead(
        id="S12",
        title="The square of a sum",
        severity="medium",
        location="Appendix 9.2, (9.21)",
        printed=r"$r_t\le L_t+U_t$, hence $r_t^2\le L_t^2+U_t^2$",
        consequence="A factor 2 is missing, and so a constant in the theorem",
        test=improvement.square_of_a_sum,
        statement="eq-9.21",
    ),
    Lead(
        id="S13",
        title="Lemma 9.5 is applied to the maximiser",
        severity="major",
        location="Appendix 9.2, (9.26)",
        printed=r"$\sum_t\sigma_{t-1}^2(x^*)$ is bounded like $\sum_t\sigma_{t-1}^2(x_t)$",
        consequence="The maximiser need never be sampled. The proof of Theorem 3.4 breaks here; what remains true "
        "keeps the standard "
        "deviations at the maximiser",
        test=improvement.lemma_at_the_maximiser,
        statement="eq-9.26",
    ),
    Lead(
        id="S14",
        title="The grid's size in Lemmas 8.7 and 8.8",
        severity="medium",
        location="Appendix 8.2, Lemmas 8.7 and 8.8",
        printed=r"$4d\log(dtbr\sqrt{\log(2da/\delta)})$; in Lemma 8.8 $\tau_t$ has $\log(2da/\delta)$ and $\beta_t$ "
        r"has $\log(4da/\delta)$",
        consequence=r"The union over the grid needs $2d\log\lceil\tau_t\rceil$, which is more wherever "
        r"$dbr\sqrt{\log(2da/\delta)}<1$",
        test=regret.grid_constants,
        statement="lemma-8.7",
    ),
    Lead(
        id="S15",
        title="A missing probability, an empty case and interchanged cases",
        severity="minor",
        location="Appendix 9.1, Lemmas 9.3 and 9.6",
        printed=r"Lemma 9.3 without a probability, and with $I_t=\alpha=0$ at $\sigma_{t-1}(x)=0$; Lemma 9.6 with "
        r"$\tau(z)\le1+z$ used for "
        r"a negative argument, and $R$ for $1+R$",
        consequence="The statements are true, the first on the event of Lemma 8.1",
        test=improvement.cases_of_the_lemmas,
        statement="lemma-9.3",
    ),
    Lead(
        id="S22",
        title="The prefactor of (8.58) is inverted",
        severity="medium",
        location="Appendix 8.3, (8.58)",
        printed=r"$\frac1{2((1-1/e)^{-1})}$",
        consequence=r"The inequality is false; the next line has $\frac1{2(1-1/e)}$. Even $\frac12$ is enough",
        test=regret.inverted_prefactor,
        statement="eq-8.58",
    ),
    Lead(
        id="S24",
        title="The constant R is random, and large",
        severity="medium",
        location="Section 3, Theorem 3.4; Lemma 9.6",
        printed=r"$R=\sup_{t\ge0}\sup_x|\mu_{t-1}(x)-y^{\max}|/\sigma_{t-1}(x)$, treated as a constant",
        consequence="It depends on the data, is not defined before the first observation, and makes the bound larger "
        "than the trivial "
        "one for a smooth function at all horizons tried",
        test=improvement.size_of_r,
        statement="theorem-3.4",
    ),
    Lead(
        id="S25",
        title="Misprints along the proofs",
        severity="minor",
        location="Introduction; Appendices 8 and 9",
        printed="signs, indices, squares and directions",
        consequence="Nothing depends on them",
        test=improvement.misprints,
        statement="lemma-8.2",
    ),
    Lead(
        id="S26",
        title="The second term of Theorem 3.2(i), and conditions it does not need",
        severity="minor",
        location="Section 3, Theorem 3.2(i); Appendix 8.1, (8.31), (8.32)",
        printed=r"$T\sqrt{\log(1+T^{-\alpha})}\sqrt{C_1\beta_T}$ for $\alpha\in(0,1/p)$",
        consequence=r"$\sqrt2$ is given away, any $\epsilon\ge0$ will do, and $\kappa(x,x)\le1$, which is needed, "
        r"stands in the proof "
        "only",
        test=regret.lost_root_two,
        statement="theorem-3.2-i",
    ),
)

_UNFOUNDED = (
    Lead(
        id="U1",
        title="Confidence bounds might break because data are ignored",
        severity="major",
        location="Appendix 8.1, Lemma 8.1",
        printed="the confidence bounds hold for the compressed posterior as for the dense one",
        consequence="The whole analysis would fail",
        test=regret.ignored_data,
        statement="lemma-8.1",
        outcome="The confidence bounds hold: what is not observed biases nothing",
    ),
    Lead(
        id="U2",
        title="The constant of Lemma 8.4",
        severity="medium",
        location="Appendix 8.1, Lemma 8.4",
        printed=r"$C_1=8/\log(1+\sigma^{-2})$",
        consequence="All of Theorem 3.2 would be off by a factor",
        test=regret.constant_of_lemma_8_4,
        statement="lemma-8.4",
        outcome="The constant is right",
    ),
    Lead(
        id="U3",
        title="Lemma 9.5 might be wrong, or loose",
        severity="medium",
        location="Appendix 9.1, Lemma 9.5",
        printed=r"$\sum_t\sigma_{t-1}^2(x_t)\le\frac2{\log(1+\sigma^{-2})}[\gamma_{M_T}+\epsilon|\mathcal M_T^C|]$",
        consequence="The retained rounds' part of Theorem 3.4 would fail too",
        test=improvement.sum_of_variances,
        statement="lemma-9.5",
        outcome="The lemma is right, and an equality on some instances",
    ),
    Lead(
        id="U4",
        title="The last step of part (i) might go the wrong way",
        severity="medium",
        location="Appendix 8.1, (8.31) to (8.32)",
        printed=r"$T\sqrt{C_1\beta_T\epsilon}$ becomes $T\sqrt{\log(1+T^{-\alpha})}\sqrt{C_1\beta_T}$",
        consequence="The theorem would not follow",
        test=regret.last_step_of_part_one,
        statement="theorem-3.2-i",
        outcome="It goes the right way, with a factor to spare",
    ),
    Lead(
        id="U5",
        title="R might grow and make Theorem 3.4 linear",
        severity="major",
        location="Section 3, Theorem 3.4",
        printed="R stands in the bound as if it did not depend on T",
        consequence=r"With growth like $T^{\alpha/2}$ the second term would be linear in T",
        test=improvement.growth_of_r,
        statement="theorem-3.4",
        outcome="Over the horizons tried it grows too slowly for that",
    ),
    Lead(
        id="U6",
        title="Theorem 3.4 might be contradicted by runs",
        severity="major",
        location="Section 3, Theorem 3.4, (3.6)",
        printed="the bound, with its invalid proof",
        consequence="Not only its proof is wrong then",
        test=improvement.theorem_in_numbers,
        statement="theorem-3.4",
    ),
    Lead(
        id="U7",
        title="Corollary 3.3 might be contradicted by runs",
        severity="medium",
        location="Section 3, Corollary 3.3, (3.5)",
        printed=r"$\mathrm{Reg}_T\le\sqrt{C_1\beta_T}\max\{\sqrt{Z_1},1\}T^{3/4}$",
        consequence="Its constant would be wrong, not only unproved",
        test=regret.corollary_in_numbers,
        statement="corollary-3.3",
        outcome="No run contradicts it; the constant stays unproved",
    ),
    Lead(
        id="U10",
        title="The tail bound of the normal distribution",
        severity="minor",
        location="Appendix 8.1, (8.3)",
        printed=r"$P(N>c)\le\frac12e^{-c^2/2}$ for $c>0$",
        consequence="Every confidence bound rests on it",
        test=regret.tail_bound,
        statement="lemma-8.1",
        outcome="The bound is right",
    ),
)

LEADS: tuple[Lead, ...] = (*_ERRORS, *_UNFOUNDED)
"""Suspected errors in the regret bounds, and suspicions most of which turned out unfounded."""
