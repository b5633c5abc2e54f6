"""Derivatives of steps of a batch on a GPU, on the host: loops, and parameters, as on the CPU."""

import numpy as np
import pytest

import gori
from gori.errors import InputError, UnsupportedError
from gori.sim.batch.derivatives import Rollout, step_jacobian
from gori.sim.batch.device_steps import DeviceSteps
from tests.checks import close
from tests.sim.batch.machines import H, four_bar, on_host_device, pendulum, speeds


@pytest.fixture
def batch(monkeypatch):
    on_host_device(monkeypatch)

    def make(device: str, n: int = 3):
        made = gori.batch(four_bar(), n, gori.SemiImplicit(step=H), device=device)
        made.v[:] = speeds(four_bar(), n)
        made.step(5)
        return made

    return make


def test_loops_and_parameters_are_as_on_the_cpu(batch):
    here, there, paths = batch("cpu"), batch("cuda"), ["bodies.coupler.mass", "bodies.crank.com"]
    ours, theirs = step_jacobian(there, paths), step_jacobian(here, paths)
    close(ours.by_state, theirs.by_state, 1e-11)
    for path in paths:
        assert np.abs(theirs.by_parameters[path]).max() > 1e-6
        close(ours.by_parameters[path], theirs.by_parameters[path], 1e-12)
    u, given = np.zeros((4, 3, 0)), np.random.default_rng(0).normal(size=(3, 6))
    runs = [Rollout(one, u, paths) for one in (there, here)]
    other = Rollout(there, u)  # with memory of its own: the first one is as it was
    ours, theirs = (run.vjp(given) for run in runs)
    close(ours.of_start, theirs.of_start, 1e-10)
    for path in paths:
        close(ours.of_parameters[path], theirs.of_parameters[path], 1e-10)
    kept = np.array(ours.of_start)
    assert np.abs(np.array(other.vjp(given).of_start) - kept).max() > 0.0 and np.array_equal(ours.of_start, kept)
    assert there.time == pytest.approx(here.time + 4.0 * H)  # of the other rollout


def test_arguments(batch):
    there = batch("cuda")
    with pytest.raises(InputError, match=r"inputs must have shape \(steps, 3, 0\), for no input, not \(2, 3, 1\)"):
        Rollout(there, np.zeros((2, 3, 1)))
    with pytest.raises(InputError, match=r"finite"):
        DeviceSteps(there, []).checked(np.full((2, 3, 1), np.nan))
    run = Rollout(there, np.zeros((2, 3, 0)))
    with pytest.raises(InputError, match=r"cotangent must have shape"):
        run.vjp(np.zeros((2, 6)))
    assert run.time == pytest.approx(np.array([[5.0 * H] * 3, [6.0 * H] * 3]))
    with pytest.raises(UnsupportedError, match=r"friction.*'shoulder'"):
        step_jacobian(gori.batch(pendulum(), 2, gori.SemiImplicit(step=H), device="cuda"))
