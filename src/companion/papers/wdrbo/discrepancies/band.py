"""Leads on the band, the Lipschitz bounds and the concentration of contexts."""

from companion.checks.lead import Lead
from companion.papers.wdrbo.discrepancies import band_lipschitz as lipschitz
from companion.papers.wdrbo.discrepancies import band_sample as sample

_ERRORS = (
    Lead(
        id="E1",
        title="The norm bound stands inside a bracket that it should be outside of",
        severity="medium",
        location="Lemma 3 and Lemma 14, (28), second inequality",
        printed=r"$\bar B_t\le\lambda^{-1/2}(R\sqrt{2\log\frac1\delta}+R\sqrt{2\gamma_t}+B)$",
        consequence=r"False for $\lambda>1$; for $\lambda\le1$ true but wasteful. Corollary 6 uses it: its order "
        "does not change",
        test=lipschitz.bracket_of_the_norm,
        statement="lemma-3",
    ),
    Lead(
        id="E6",
        title="The acquisition is in the class only for small regularisers, and the class is too steep for them",
        severity="medium",
        location="Lemmas 7 and 20, and the paragraph before Lemma 18",
        printed=r"$\mathrm{UCB}_t\in\mathcal U(\bar B_t,\bar B_t,\lambda)$, and $2\bar B_tL$ for the common "
        "Lipschitz constant",
        consequence=r"Membership needs $\lambda\le1$, the constant $\lambda\ge1$: as printed, Lemma 7 is proved for "
        r"$\lambda=1$ alone. "
        r"With $\beta_t$ for the second argument both hold",
        test=lipschitz.membership,
        statement="class-U",
    ),
    Lead(
        id="E7",
        title="The class of acquisition functions has no finite size as defined, and its bound does not know b",
        severity="major",
        location="Section 4.2 and Appendix 8.1: definition of the class, Lemma 19, Lemma 23",
        printed=r"$\beta\le b$ in the definition; $\log\frac1\rho$ in the second term of Lemma 23, with a global "
        r"$\kappa$",
        consequence=r"Every covering number is infinite as defined; with $\beta\ge0$ Lemma 19 loses $-h$. Read "
        r"$\abs{\beta}\le b$, "
        r"$\log\frac b\rho$ and a constant that depends on the kernel: Corollary 10's order survives",
        test=sample.class_without_floor,
        statement="lemma-23",
    ),
    Lead(
        id="E8",
        title="The centre includes the context of its own round",
        severity="medium",
        location="Section 4.2, definition of the centre; Lemma 7",
        printed=r"$\hat{\mathcal P}_t=\frac1t\sum_{i=1}^t\mathcal I_{\{c=c_i\}}$ in the choice of $x_t$",
        consequence=r"$c_t$ is revealed after $x_t$. Where it were known, $x_t$ would depend on it, and the "
        "conditional means of Theorem 5 "
        r"would be wrong",
        test=sample.centre_with_the_future,
        statement="lemma-7",
    ),
    Lead(
        id="E10",
        title="Three slips in the proof of Lemma 18",
        severity="medium",
        location="Appendix 8.1, proof of Lemma 18: the event after (65), (64), and the covering error",
        printed=r"$\mathcal R_{\mathcal P^*}(\varepsilon,\tilde h)$ in the event, a right side of (64) without "
        "factor, and "
        r"$(1+L_x)\rho$ in (62)",
        consequence=r"With $-\tilde h$, a factor 2, and $2(1+L_x)\rho$ the proof is complete; then "
        r"$\rho_t=2(1+2L\bar B_t)/t$ in Lemma 7. "
        r"The radius could be half as large",
        test=sample.slips_of_lemma_18,
        statement="lemma-18",
    ),
    Lead(
        id="E11",
        title="The Lipschitz constant 1 is that of a special parametrisation",
        severity="minor",
        location="Section 7.1",
        printed=r"Assumption 1 holds with $L=1$ for the SE and the Matérn-3/2 kernel",
        consequence=r"$1/\ell$ and $\sqrt3/\ell$ in the usual form, far larger at the short length-scales of the "
        "experiments",
        test=lipschitz.unit_constants,
        statement="rem-7.1",
    ),
    Lead(
        id="E12",
        title="Noise that is random given a past which contains it",
        severity="minor",
        location="Section 3.2, Lemma 1",
        printed=r"$\eta_t$ is $\mathcal F_t$-measurable and $R$-sub-Gaussian conditionally on $\mathcal F_t$",
        consequence="Taken at its word there is no noise. Two pasts are needed: with the context for the noise, "
        "without it for the context",
        test=lipschitz.noise_of_the_past,
        statement="lemma-1",
    ),
    Lead(
        id="E13",
        title="Numbers paired with an operator",
        severity="minor",
        location="Appendix 7, the line under (24), and (23)",
        printed=r"$\norm{k(\cdot,z)}^2_{\bar V_t^{-1}}=k_t(z)^\top(\Phi_t^\top\Phi_t+\lambda I)^{-1}k_t(z)$",
        consequence="Notation only: (24) itself is right",
        test=lipschitz.operator_or_gram,
        statement="eq-24",
    ),
    Lead(
        id="E14",
        title="The curvature is not negative on the whole interval",
        severity="minor",
        location="Appendix 7.1, proof of Lemma 11, case 2",
        printed=r"$r^{(2)}(s)\le0$ for all $s\in[0,\epsilon]$, for any $\epsilon>0$",
        consequence=r"The positive part of $-r^{(2)}$, and an $\epsilon$ in the smooth neighbourhood, repair it; the "
        "lemma is true",
        test=lipschitz.sign_of_the_curvature,
        statement="lemma-11",
    ),
    Lead(
        id="E20",
        title="The principled radius is larger than the set of contexts",
        severity="medium",
        location="Section 4.2, after Corollary 10",
        printed=r"the analysis gives a principled way to choose the radii $\varepsilon_t$",
        consequence="At every horizon of the experiments the radius of the theory allows all laws; what is run is "
        "another radius, chosen by hand",
        test=sample.radius_in_practice,
        statement="lemma-7",
    ),
)

_ERRORS_TOGETHER = (
    Lead(
        id="E23",
        title="The proof of the order in the data-driven setting fits no regulariser",
        severity="medium",
        location="Corollaries 10 and 24, by Theorem 9 with (59), Lemma 7 and Lemma 23",
        printed=r"The order holds for every $\lambda>0$, with $\mathcal U(\bar B_t,\bar B_t,\lambda)$ and Lemma 23 for "
        r"$0<s<1$, used at $s=\lambda$",
        consequence=r"(59) takes $\lambda\ge1$, membership in the class $\lambda\le1$, Lemma 23 $\lambda<1$: no $\lambda$ is "
        r"left. The order survives: with the first term of ours-thm5, $\beta_t$ for the second argument and a bound on the "
        r"covering number for every $s$, it follows for every $\lambda$",
        test=lipschitz.no_regulariser_left,
        statement="cor-10",
    ),
)

_UNFOUNDED = (
    Lead(
        id="U5",
        title="Is the width's Lipschitz constant too small?",
        severity="medium",
        location="Lemma 3 (ii), (46)",
        printed=r"$\lambda^{-1/2}L$",
        consequence="It is right",
        test=lipschitz.slope_of_the_width,
        statement="lemma-3",
    ),
    Lead(
        id="U6",
        title="Is the width (7) too small?",
        severity="major",
        location="Section 3.2, Lemma 1",
        printed=r"$\beta_t=R\sqrt{\log\det(I+\lambda^{-1}K_{t-1})+2\log\frac1\delta}+\sqrt\lambda B$",
        consequence="It is right, and nearly as small as it can be",
        test=lipschitz.tight_band,
        statement="lemma-1",
    ),
    Lead(
        id="U7",
        title="Is the covering number of the decisions too small?",
        severity="minor",
        location="Appendix 8.1, proof of Lemma 18",
        printed=r"$\abs{\mathcal X_\rho}\le(1+2D_{\mathcal X}/\rho)^{d_x}$",
        consequence="It is right",
        test=lipschitz.nets_of_decisions,
        statement="lemma-18",
    ),
)

LEADS: tuple[Lead, ...] = (*_ERRORS, *_ERRORS_TOGETHER, *_UNFOUNDED)
