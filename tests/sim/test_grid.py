"""Steps and samples of a fixed step, and what is told where times do not fit."""

import warnings

import pytest

import gori
from gori.errors import InputError, SampleWarning
from gori.sim.grid import grid_of
from tests.sim.machines import falling
from tests.sim.test_simulation import simulate


@pytest.mark.parametrize(
    ("duration", "sample", "step", "expected"),
    [
        (1.0, 0.01, 1e-3, (1000, 10)),
        (1.0, None, 1e-3, (1000, 1)),
        (5.0, None, 1e-3, (5000, 5)),
        (0.5, 1 / 60, 1 / 600, (300, 10)),
        (1.0, 2.0, 1e-3, (1000, 1000)),
        (1.0, 1.0, 1.0 / 333.0, (333, 333)),
        (1e-3, None, 1e-3, (1, 1)),
    ],
)
def test_what_fits_is_not_told(duration, sample, step, expected):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert grid_of(duration, sample, step) == expected


@pytest.mark.parametrize(
    ("duration", "sample", "words", "expected"),
    [
        (1.0, 1 / 60, "a sample every 0.01666666667 s is not a whole number of steps of 0.001 s: they are 0.017 s "
         "apart. A step of 0.0009803921569 s fits", (1000, 17)),
        (1.0, 2e-4, "they are 0.001 s apart. A step of 0.0002 s fits", (1000, 1)),
        (1.0, 0.0012, "they are 0.001 s apart. A step of 0.0006 s fits", (1000, 1)),
        (1.0005, 0.01, "a duration of 1.0005 s is not a whole number of steps of 0.001 s: the run takes 1 s",
         (1000, 10)),
        (2.4e-3, None, "a duration of 0.0024 s is not a whole number of steps of 0.001 s: the run takes 0.002 s. A "
         "step of 0.0008 s fits", (2, 1)),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_told(duration, sample, words, expected):
    with pytest.warns(SampleWarning) as caught:
        assert grid_of(duration, sample, 1e-3) == expected
    (warning,) = caught
    assert words in str(warning.message)


def test_runs_tell_it_where_they_are_called():
    with pytest.warns(SampleWarning, match="they are 0.017 s apart") as caught:
        rec = simulate(falling(), gori.RK4(step=1e-3)).run(0.2, sample=1 / 60, progress=False)
    assert caught[0].filename == __file__ and rec.time[1] == pytest.approx(0.017)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rec = simulate(falling(), gori.Dopri5()).run(0.2, sample=1 / 60, progress=False)  # met by its dense output
    assert rec.time[3] == 3 * (1 / 60)


def test_less_than_a_step():
    with pytest.raises(InputError, match=r"a duration of 0\.0001 s is less than one step of 0\.001 s"):
        grid_of(1e-4, None, 1e-3)
