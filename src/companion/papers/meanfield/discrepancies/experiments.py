"""Leads on the experiments."""

from companion.checks.lead import Lead
from companion.papers.meanfield.discrepancies import experiments_findings as findings

_ERRORS = (
    Lead(
        id="E12",
        title="The congestion penalty points the wrong way",
        severity="major",
        location="Sections 5.2.1 and 5.2.2; Figure 3",
        printed=r"$-\sum_x\sigma\log(P_x+1)$, said to punish crowds",
        consequence="As printed unanimity is optimal in the swarm, and the arena cannot have the reward of Figure "
        "3. Most likely the experiments charged each agent for its own action, and counted pairs in both orders: none of the "
        "other readings that were tried fits",
        test=findings.congestion,
        statement="exp-penalty",
    ),
    Lead(
        id="E16",
        title="Benchmarks that are weak by their settings",
        severity="medium",
        location="Section 5.1",
        printed="random laws, and the settings of a framework for simulated annealing and the genetic algorithm",
        consequence="'Random' is nearly uniform, selection hardly selects, and annealing is a random walk of a few "
        "agents. Fairer "
        "versions are run beside them",
        test=findings.weak_benchmarks,
    ),
    Lead(
        id="E17",
        title="Two numbers of stations",
        severity="minor",
        location="Section 5.3.1; Figure 2(c)",
        printed="41 in the text, 36 in the caption",
        consequence="It is not known which was run",
        test=findings.stations,
    ),
    Lead(
        id="E18",
        title="Block sizes in square metres",
        severity="minor",
        location="Section 5.3.2",
        printed="blocks of about 500, 400 and 300 square metres",
        consequence="They must be sides in metres; even so the three grids are not exactly one region",
        test=findings.block_sizes,
    ),
    Lead(
        id="E19",
        title="Eq. (1) cannot represent the arena",
        severity="major",
        location="Section 4, Eq. (1); Section 5.2.2",
        printed="the experiments use a kernel that is additive over contexts",
        consequence="The arena's reward is an interaction of two teams, which no draw of that prior has. Nor has it a "
        "term in an agent's action and the law together, as every congestion payoff has. The theorem covers none of "
        "the seven experiments as run, with fitted hyperparameters and the reward of the system observed; of the "
        "arena, and strictly of the ports, it would not speak even so. In practice the method works there all the same",
        test=findings.outside_the_class,
        statement="eq-1",
    ),
    Lead(
        id="E20",
        title="What is observed",
        severity="medium",
        location="Section 3 and Algorithm 1 against Section 5",
        printed="the representative agent's own payoff in theory; a reward of the system in the experiments",
        consequence="Two different methods. Both are offered",
        test=findings.what_is_observed,
        statement="alg-1",
    ),
    Lead(
        id="E21",
        title="The best of many lucky draws",
        severity="medium",
        location="Section 5.1; Figures 2(c) and 5",
        printed="curves show the best reward so far of a population that draws its actions",
        consequence="Such a curve falls below the floor of independent play by luck. Regret of the law is free of it",
        test=findings.luck_of_draws,
        statement="exp-jsd-floor",
    ),
    Lead(
        id="E24",
        title="How capacities are normalised",
        severity="minor",
        location="Section 5.3.3",
        printed="'normalised capacity', and a frequency that is normalised in one place only",
        consequence="The level of Figure 2(d) cannot be compared",
        test=findings.maritime_scale,
        statement="exp-maritime-bound",
    ),
)

_UNFOUNDED = (
    Lead(
        id="U6",
        title="The swarm's reward might not be largest at pi/2",
        severity="medium",
        location="Section 5.2.1",
        printed="the maximum of the reward term is at pi/2",
        consequence="It is largest there, as the text says",
        test=findings.swarm_peak,
        statement="exp-swarm-opt",
    ),
    Lead(
        id="U7",
        title="Run times in the text might not be those of Table 2",
        severity="minor",
        location="Section 5; Table 2",
        printed="100 days, 93 % of them for TuRBO, about 2 % for each other method",
        consequence="They are those of the table",
        test=findings.run_time_text,
        statement="exp-runtime-share",
    ),
    Lead(
        id="U8",
        title="Numbers of blocks that do not fit one region",
        severity="minor",
        location="Section 5.3.2; Figure 5",
        printed="160, 235 and 394 blocks with demand",
        consequence="They fit one region",
        test=findings.block_numbers,
    ),
    Lead(
        id="U9",
        title="TuRBO might need days at 20,000 agents",
        severity="medium",
        location="Section 5; Table 2",
        printed="about 70 hours a run",
        consequence="It does not with sparse updates, so the comparison can be repeated",
        test=findings.cost_of_turbo,
    ),
)

LEADS: tuple[Lead, ...] = (*_ERRORS, *_UNFOUNDED)
