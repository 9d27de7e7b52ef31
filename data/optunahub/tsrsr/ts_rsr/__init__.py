"""TS-RSR, a batch method with Gaussian processes, as a sampler."""

from __future__ import annotations

from optuna.distributions import BaseDistribution

from ._session import SessionSampler


__all__ = ["TSRSRSampler"]


class TSRSRSampler(SessionSampler):
    """TS-RSR: a batch of points, each with the least ratio of regret to uncertainty under a draw of the maximum.

    The points are those of ``companion.for_problem("ts-rsr", ...)``: on a box where every parameter is a float without a step,
    else on the list of all combinations.

    Args:
        search_space:
            Distributions of all parameters.
        batch_size:
            Points asked at once after the initial design.
        initial:
            Points of the initial design, drawn before any value is known.
        seed:
            Of everything random: the same seed and values give the same points.
        noise_sd:
            Standard deviation of the noise, in units of the standardised values, or of ``prior_sd`` on a list.
        points:
            Values of a float without a step where other parameters are listed.
        prior_mean, prior_sd:
            Mean and standard deviation of the objective that the model supposes on a list.
    """

    def __init__(
        self,
        search_space: dict[str, BaseDistribution],
        *,
        batch_size: int = 5,
        initial: int = 15,
        seed: int = 0,
        noise_sd: float = 0.01,
        points: int = 21,
        prior_mean: float = 0.0,
        prior_sd: float = 1.0,
    ) -> None:
        """Start TS-RSR."""
        super().__init__(
            "ts-rsr",
            search_space,
            seed=seed,
            points=points,
            listed=False,
            prior_mean=prior_mean,
            prior_sd=prior_sd,
            noise_sd=noise_sd,
            batch_size=batch_size,
            initial=initial,
        )
