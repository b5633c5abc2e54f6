"""Samples of all machines of a batch: as the Recordings of Simulations."""

from typing import Any

import numpy as np
import pytest

import gori
from gori.errors import InputError
from gori.sim.batch.cpu import CpuMachines
from gori.sim.batch.recording import BatchRecording, samples_of
from tests.sim.batch.machines import H, arm, four_bar, on_host, pendulum, speeds

__all__ = ["on_host"]


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("make", [arm, four_bar])
def test_as_recordings_of_simulations(make, device, on_host):
    model, method = make(), gori.SemiImplicit(step=H)
    batch, v = gori.batch(model, 3, method, device=device), speeds(model, 3)
    batch.v[:] = v
    rec = batch.run(0.055, sample=0.01)
    assert isinstance(rec, BatchRecording) and rec.end == "complete" and len(rec) == 7
    for k in (0, 2):
        run = gori.Simulation(model, method, state=model.state().replace(v=v[k]))
        alone, own = run.run(0.055, sample=0.01), rec.machine(k)
        assert isinstance(own, gori.Recording) and own.info["end"] == "complete"
        for one, other in ((own.time, alone.time), (own.q, alone.q), (own.v, alone.v)):
            assert np.abs(one - other).max() < (1e-15 if device == "cpu" else 1e-11)
        for name in ("energy.kinetic", "energy.work", "energy.total"):
            np.testing.assert_allclose(rec[name][:, k], alone[name], rtol=0, atol=1e-9)
    assert np.array_equal(rec.q[-1], batch.q) and rec.q.shape == (7, 3, model.nq) and rec.time.shape == (7, 3)


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_inputs_are_sampled_and_failures_stand_still(device, on_host):
    batch = gori.batch(pendulum(), 3, gori.SemiImplicit(step=H), device=device)
    batch.inputs["twist"] = [1.0, 2.0, 3.0]
    batch.v[1] = np.nan
    rec = batch.run(0.02, sample=0.01, channels=["twist"])
    assert np.array_equal(rec["twist"], np.tile([1.0, 2.0, 3.0], (3, 1)))
    assert rec.time[:, 0] == pytest.approx([0.0, 0.01, 0.02]) and not rec.time[:, 1].any()
    assert np.array_equal(rec.machine(2)["twist"], [3.0] * 3)
    assert batch.run(0.01) is None


def test_channels_of_all_machines_where_one_is_no_number():
    batch = gori.batch(pendulum(), 3, gori.SemiImplicit(step=H))
    batch.q[1] = np.nan
    batch.q[2] = 0.3
    rec = batch.run(0.02, sample=0.01)
    for name, shape in (("lower.z", ()), ("lower.position", (3,)), ("energy.kinetic", ()), ("energy.balance", ())):
        values = rec[name]
        assert values.shape == (3, 3, *shape) and np.isnan(values[:, 1]).all()
        for k in (0, 2):
            assert np.array_equal(values[:, k], rec.machine(k)[name]) and np.isfinite(values[:, k]).all()
    with pytest.raises(InputError, match=r"no channel 'lower\.height'"):
        rec["lower.height"]
    batch.q[:] = np.nan
    assert np.isnan(batch.run(0.01, sample=0.01)["lower.z"]).all()


def test_what_a_batch_does_not_record_is_told():
    rec = gori.batch(pendulum(), 3).run(0.01, sample=0.01)
    for name in ("twist.effort", "twist.power", "lower.acceleration"):
        with pytest.raises(
            InputError, match=rf"no channel '{name}': samples of a batch .*batch\.spec\(2\).*force_values"
        ):
            rec.machine(2)[name]


def test_machines_that_differ_have_their_own_models():
    """The energy of each is that of its own mass."""
    given = {"bodies.lower.mass": np.array([1.0, 5.0])}
    batch = gori.batch(pendulum(), 2, gori.SemiImplicit(step=H), parameters=given)
    batch.v[:] = 1.0
    rec = batch.run(0.01, sample=0.005)
    model = gori.compile(batch.spec(1))
    assert rec.machine(1).model.fingerprint == model.fingerprint
    assert rec["energy.kinetic"][-1, 1] == pytest.approx(model.energy(batch.q[1], batch.v[1])[0], rel=1e-12)


def test_ctrl_c_keeps_what_there_is(monkeypatch):
    batch = gori.batch(arm(), 2, gori.SemiImplicit(step=H))
    step, taken = CpuMachines.step, []

    def stopped(self, steps):
        if len(taken) == 3:
            raise KeyboardInterrupt
        taken.append(steps)
        step(self, steps)

    monkeypatch.setattr(CpuMachines, "step", stopped)
    rec = batch.run(0.1, sample=0.01)
    assert rec is not None and rec.end == "interrupted" and len(rec) == 4
    assert rec.time[-1] == pytest.approx([0.03, 0.03])
    with pytest.raises(KeyboardInterrupt):
        batch.run(0.1)


def test_what_is_refused(monkeypatch):
    batch = gori.batch(pendulum(), 2)
    cases: Any = (
        (["twsit"], "'twsit' is no input or output of the batch.*twist"),
        ("twist", "channels must be a list of names"),
        ([3], "3 is no input or output"),
    )
    for channels, words in cases:
        with pytest.raises(InputError, match=words):
            batch.run(0.01, sample=0.01, channels=channels)
    with pytest.raises(InputError, match="sample must be a positive number"):
        batch.run(0.01, sample=0.0)
    rec = batch.run(0.01, sample=0.01)
    others: Any = (2, -1, 1.5, True)
    for machine in others:
        with pytest.raises(InputError, match="machine must be a number"):
            rec.machine(machine)
    monkeypatch.setattr("gori.model.memory.free_memory", lambda: 100)
    with pytest.raises(
        InputError,
        match=r"2 samples of 2 machines \(112 bytes each\) would take 2\.24e-07 GB .* 1e-07 GB are free: take",
    ):
        batch.run(0.01, sample=0.01)
    monkeypatch.setattr("gori.model.memory.free_memory", lambda: 2 * 112)
    assert len(batch.run(0.01, sample=0.01)) == 2


def test_samples_that_no_memory_holds(monkeypatch):
    """Told before any of it is taken: of their times too."""
    batch, zeros = gori.batch(pendulum(), 2, gori.SemiImplicit(step=1e-9)), np.zeros

    def small(shape, *others, **options):
        assert np.prod(np.atleast_1d(shape), dtype=float) < 1e6
        return zeros(shape, *others, **options)

    monkeypatch.setattr(np, "zeros", small)
    with pytest.raises(InputError, match=r"1000000001 samples of 2 machines .*larger `sample`"):
        batch.run(1.0, sample=1e-9)


def test_room_on_a_device(on_host, monkeypatch):
    batch = gori.batch(pendulum(), 2, device="cuda")
    machines: Any = batch._machines
    samples = samples_of(machines, [], (batch.inputs,), 3)
    samples.take(0)
    assert np.array_equal(samples.recording(1, lambda _: batch.model, "complete").q[0], batch.q)
    monkeypatch.setattr(type(machines._device), "free", lambda self: 10)
    with pytest.raises(InputError, match="3 samples of 2 machines would take"):
        samples_of(machines, [], (batch.inputs,), 3)
