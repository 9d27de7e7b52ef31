"""The noise has one name in Python; the old one answers with a line."""

import warnings

import pytest

import companion as cp
from companion.core.errors import ParameterError
from companion.papers.across.theory.bounds_table import bounds_table

SETTING = {"kernel": "se", "lengthscale": 0.2, "dim": 1, "points": 5, "horizon": 10, "norm": 1.0}


def test_the_old_name_of_the_noise_gives_the_same_and_says_so():
    with pytest.warns(
        FutureWarning, match=r"bounds_table\(noise=...\) is called bounds_table\(noise_sd=...\) now"
    ) as told:
        old = cp.bounds_table(**SETTING, noise=0.3)
    assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        new = cp.bounds_table(**SETTING, noise_sd=0.3)
        bounds_table(**SETTING, noise=0.3)  # the name of chapters
    assert str(old) == str(new)
    assert new.to_json()["meta"]["noise"] == 0.3


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "noise_sd: is missing"),
        ({"noise_sd": 0.0}, "noise_sd: got 0.0"),
        ({"noise_sd": 1e-9}, "noise_sd: got 1e-09, too little"),
        ({"noise_sd": 0.1, "noise": 0.1}, "noise: is given beside noise_sd"),
        ({"noise_variance": 0.1}, "Give noise_sd, the standard"),
    ],
)
def test_every_refusal_calls_it_so(given, told):
    with pytest.raises(ParameterError, match=told):
        cp.bounds_table(**SETTING, **given)


def test_kernels_have_their_other_names_here_too():
    here = SETTING | {"noise_sd": 0.3}
    assert str(cp.bounds_table(**here | {"kernel": "RBF"})) == str(cp.bounds_table(**here))
    assert cp.bounds_table(**here | {"kernel": "matern-5/2"}).to_json()["meta"]["kernel"] == "matern52"
