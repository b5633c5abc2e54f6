"""A strut of known length and rate: its force by hand, without jumps, and what it does to energy."""

import numpy as np
import pytest

import gori
from gori.record import Recording
from gori.sim.channels import add_force_channels
from gori.spec import Spec

STRUT = {
    "type": "strut", "parent": "ground", "child": "mass", "stiffness": 1e5, "length": 0.5, "compression": 1e3,
    "rebound": 2e3, "midstroke": [0.4, 0.6], "end_compression": 5e2, "end_rebound": 6e3, "blend": 0.02,
    "shortest": 0.3, "longest": 0.65, "stop": [[0.01, 1e3], [0.02, 3e3], [0.03, 1e4]],
}  # fmt: skip


def slide(**keys):
    """A mass on a vertical rail; q is the length of the strut."""
    return gori.compile(
        Spec(
            gravity=[0, 0, 0],
            bodies={"mass": {"mass": 10.0, "inertia": [1, 1, 1]}},
            joints={"rail": {"type": "prismatic", "parent": "ground", "child": "mass", "q": 0.5}},
            forces={"strut": STRUT | keys},
        )
    )


def tension(x, rate, **keys):
    """Tension [N] and power [W] at lengths and rates."""
    q, v = np.broadcast_arrays(np.atleast_1d(x), np.atleast_1d(rate))
    rec = Recording(slide(**keys), np.arange(len(q), dtype=float), q[:, None].copy(), v[:, None].copy(), info={})
    add_force_channels(rec)
    return rec["strut.effort"], rec["strut.power"]


@pytest.mark.parametrize(
    ("length", "rate", "force"),
    [
        (0.5, 0.0, 0.0),
        (0.55, 0.0, 5e3),
        (0.45, -0.1, -5e3 - 1e2),
        (0.45, 0.1, -5e3 + 2e2),
        (0.39, -0.1, -11e3 - 75.0),  # half way from one damping to the other
        (0.61, 0.1, 11e3 + 4e2),
        (0.35, -0.1, -15e3 - 50.0),
        (0.35, 0.1, -15e3 + 6e2),
        (0.3, 0.0, -20e3),
        (0.295, 0.0, -20.5e3 - 5e2),
        (0.285, 0.0, -21.5e3 - 2e3),
        (0.26, 0.0, -24e3 - 1.7e4),  # 10 mm beyond the table
        (0.66, 0.0, 16e3 + 1e3),
        (0.70, 0.0, 20e3 + 2.4e4),
    ],
)
def test_by_hand(length, rate, force):
    found, power = tension(length, rate)
    np.testing.assert_allclose(found, force, rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(power, -force * rate, rtol=1e-12, atol=1e-9)


def test_parts_that_are_not_given_do_nothing():
    bare = dict.fromkeys(("midstroke", "end_compression", "end_rebound", "shortest", "longest", "stop"))
    lengths = np.linspace(0.1, 2.0, 50)
    np.testing.assert_allclose(tension(lengths, 0.3, **bare)[0], 1e5 * (lengths - 0.5) + 600.0, rtol=1e-12)
    np.testing.assert_allclose(tension(lengths, -0.3, **bare, stiffness=0, length=None)[0], -300.0, rtol=1e-12)


@pytest.mark.parametrize("rate", [-1.0, 0.0, 1.0])
def test_no_jumps_in_length(rate):
    lengths = np.linspace(0.2, 0.8, 60001)
    force, _ = tension(lengths, rate)
    steepest = 1e5 + 7e5 + 4e3 / 0.02 * abs(rate)  # spring, last row of the stop, blend
    assert np.abs(np.diff(force)).max() <= 1.0001 * steepest * 1e-5
    assert rate < 0.0 or np.diff(force).min() > -1.0001 * 4e3 / 0.02 * 1e-5


@pytest.mark.parametrize("length", [0.25, 0.39, 0.5, 0.61, 0.7])
def test_no_jumps_in_rate(length):
    rates = np.linspace(-1.0, 1.0, 2001)
    force, power = tension(length, rates)
    assert np.diff(force).min() > 0.0 and np.diff(force).max() <= 1.0001 * 6e3 * 1e-3
    still = tension(length, 0.0)[0]
    assert (power + still * rates <= 1e-9).all()  # the damper never gives


def test_a_cycle_without_damping_gives_nothing_and_with_it_loses():
    turn = np.linspace(0.0, 2.0 * np.pi, 20001)
    lengths, rates = 0.48 + 0.22 * np.cos(turn), -0.22 * np.sin(turn)
    free = dict.fromkeys(("compression", "rebound", "end_compression", "end_rebound"), 0.0)
    assert abs(np.trapezoid(tension(lengths, rates, **free)[1], turn)) < 1e-6
    assert np.trapezoid(tension(lengths, rates)[1], turn) < -100.0


def test_it_runs_and_comes_to_rest():
    rec = gori.Simulation(slide(), gori.RK4(step=1e-4)).run(0.5, sample=0.05)
    assert abs(rec.q[-1, 0] - 0.5) < 1e-9  # it starts at rest
    state = gori.State(0.0, np.array([0.25]), np.array([-2.0]), np.zeros(0))
    rec = gori.Simulation(slide(), gori.RK4(step=1e-4), state=state).run(1.0, sample=0.05)
    assert abs(rec.q[-1, 0] - 0.5) < 1e-6 and abs(rec.v[-1, 0]) < 1e-6
