"""Batched pure exploration as a sampler."""

from __future__ import annotations

from optuna.distributions import BaseDistribution

from ._session import SessionSampler


__all__ = ["BPESampler"]


class BPESampler(SessionSampler):
    """Batched pure exploration (BPE): a few large batches, each where the model knows least, then candidates are dropped.

    The points are those of ``companion.for_problem("bpe", ...)`` on the list of all combinations.

    Args:
        search_space:
            Distributions of all parameters.
        horizon:
            Trials in all, at least 2; the sizes of the batches follow from it.
        width:
            Multiplier of the posterior standard deviation in the confidence bounds.
        seed:
            BPE draws nothing at random; only what an enqueued trial leaves open is.
        noise_sd:
            Standard deviation of the noise, in units of ``prior_sd``.
        points:
            Values of a float without a step.
        prior_mean, prior_sd:
            Mean and standard deviation of the objective that the model supposes.
    """

    def __init__(
        self,
        search_space: dict[str, BaseDistribution],
        horizon: int,
        *,
        width: float = 2**0.5,
        seed: int = 0,
        noise_sd: float = 0.1,
        points: int = 21,
        prior_mean: float = 0.0,
        prior_sd: float = 1.0,
    ) -> None:
        """Start BPE."""
        super().__init__(
            "bpe",
            search_space,
            seed=seed,
            points=points,
            listed=True,
            prior_mean=prior_mean,
            prior_sd=prior_sd,
            noise_sd=noise_sd,
            horizon=horizon,
            width=width,
        )
