"""The engine of a GPU that goes back through steps, on the host: arrays, and trees as on the CPU."""

import numpy as np
import pytest

import gori
from gori.learn.rollout import torch_rollout
from gori.sim.batch.batch import Batch
from gori.sim.batch.derivatives import Rollout, step_jacobian
from gori.sim.batch.device_backward import DeviceBackward, DeviceBlock
from gori.sim.batch.devices import Host
from gori.sim.batch.program import on_host
from tests.checks import close
from tests.sim.batch.machines import EXAMPLES, H, arm, on_host_device, speeds
from tests.sim.batch.tiny import tiny_source


def test_blocks_have_the_machine_last_in_memory():
    source = tiny_source()
    on_host(source)
    device = Host(source)
    block, other = DeviceBlock(device, (2, 3), 5), DeviceBlock(device, (3,), 5)
    block.view()[...] = np.arange(30.0).reshape(5, 2, 3)
    assert block.view().strides == (8, 120, 40) and block.view(axis=1).shape == (2, 5, 3)
    assert np.array_equal(block.view(axis=2)[1, 2], block.view()[:, 1, 2])
    other.take((block.memory, 120, 120))  # the second of two
    assert np.array_equal(other.view(), block.view()[:, 1])


def moved(device: str, u: np.ndarray) -> Batch:
    model = gori.compile(gori.load(EXAMPLES / "robot_pd.yaml"))
    batch = gori.batch(model, u.shape[1], gori.SemiImplicit(step=H), device=device)
    batch.v[:] = speeds(model, u.shape[1])
    return batch


def test_trees_are_as_on_the_cpu(monkeypatch):
    on_host_device(monkeypatch)
    rng, n, steps = np.random.default_rng(0), 4, 3
    inputs = len(gori.batch(gori.compile(gori.load(EXAMPLES / "robot_pd.yaml")), 1).inputs)
    u = rng.normal(size=(steps, n, inputs))
    here, there = moved("cpu", u), moved("cuda", u)
    nv = here.model.nv
    for one in (here, there):
        one.v[2] = np.nan
    for ours, theirs in zip(step_jacobian(there), step_jacobian(here)):
        close(np.delete(ours, 2, 0), np.delete(theirs, 2, 0), 1e-12)
        assert np.isnan(ours[2]).all()
    runs = Rollout(here, u), Rollout(there, u)
    assert np.array_equal(runs[0].failed, runs[1].failed) and runs[1].q.shape == (steps, n, nv)
    close(np.delete(runs[1].v, 2, 1), np.delete(runs[0].v, 2, 1), 1e-12)
    for given in (rng.normal(size=(n, 2 * nv)), rng.normal(size=(steps, n, 2 * nv))):
        ours, theirs = runs[1].vjp(given), runs[0].vjp(given)
        close(np.delete(ours.of_start, 2, 0), np.delete(theirs.of_start, 2, 0), 1e-12)
        close(np.delete(ours.of_inputs, 2, 1), np.delete(theirs.of_inputs, 2, 1), 1e-12)
        assert np.isnan(ours.of_start[2]).all() and np.isnan(ours.of_inputs[:, 2]).all()


def test_cotangents_may_belong_to_each_step():
    batch = gori.batch(arm(), 2)
    engine = DeviceBackward(batch.another, 2, 3, [], Host)
    assert not engine.give(np.ones((2, 14))) and engine.give(np.full((3, 2, 14), 2.0))
    assert (engine.array("memory.trace.given") == 2.0).all()
    engine.load(np.zeros((3, 2)), DeviceBlock(engine.device, (3, 15), 2), None)
    engine.back(True, True, np.array([False, True]))
    found = engine.gradients()
    assert np.isfinite(found.of_state[0]).all() and np.isnan(found.of_state[1]).all()
    assert found.of_body.shape[0] == 2 and found.of_values.shape == (2, 1, 3, 0)
    close(found.of_state[0, 0, 0], 6.0, 1e-12)  # a turn about the vertical changes nothing else: 2 after each step


def test_pytorch_takes_them(monkeypatch):
    """The same gradients as on the CPU, with the host in place of a GPU."""
    torch = pytest.importorskip("torch")
    on_host_device(monkeypatch)
    inputs = len(gori.batch(gori.compile(gori.load(EXAMPLES / "robot_pd.yaml")), 1).inputs)
    u, found = np.random.default_rng(0).normal(size=(3, 4, inputs)), []
    for device in ("cpu", "cuda"):
        batch = moved(device, u)
        q, v, given = (torch.tensor(np.array(x), requires_grad=True) for x in (batch.q, batch.v, u))
        reached, speed = torch_rollout(batch, q, v, given)
        ((reached**2).sum() + speed.sum()).backward()
        found.append([reached.detach().numpy(), q.grad.numpy(), v.grad.numpy(), given.grad.numpy()])
    for ours, theirs in zip(*found):
        close(ours, theirs, 1e-10)
