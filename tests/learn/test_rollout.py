"""Rollouts that PyTorch differentiates: its own check of gradients by differences, and of a loss of many machines."""

import sys

import numpy as np
import pytest

import gori
from gori.errors import InputError, MissingPackageError
from gori.learn.rollout import _function, torch_rollout
from tests.integrate.closed_machines import rockers
from tests.sim.batch.machines import H


def acrobat() -> gori.Model:
    """A free body with a hinge and a ball joint that is held by a spring; a torque and a motor."""
    body = {"mass": 1.0, "com": [0.1, 0, -0.3], "inertia": [0.1, 0.2, 0.15]}
    return gori.compile(
        gori.Spec(
            bodies=dict.fromkeys(("trunk", "arm", "head"), body),
            joints={
                "fly": {"type": "free", "parent": "ground", "child": "trunk", "v": [1.0, -2.0, 0.5, 0.1, 0.2, 0.3]},
                "elbow": {"type": "revolute", "parent": "trunk", "child": "arm", "axis": [0, 1, 0], "damping": 0.1},
                "neck": {"type": "spherical", "parent": "trunk", "child": "head", "at": [0, 0, 0.3], "stiffness": 4.0},
            },
            forces={
                "twist": {"type": "torque", "joint": "elbow", "value": 0.5},
                "hold": {"type": "motor", "joint": "elbow", "kp": 5.0, "kd": 0.5, "target": 0.3},
            },
        )
    )  # fmt: skip


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


def test_gradients_are_those_of_differences(torch):
    model, rng = acrobat(), np.random.default_rng(0)
    batch = gori.batch(model, 2, gori.SemiImplicit(step=0.02))
    q = torch.tensor(model.random(rng, 2) * 1.2, requires_grad=True)  # quaternions that are not of length 1, too
    v = torch.tensor(rng.normal(size=(2, model.nv)), requires_grad=True)
    inputs = torch.tensor(rng.normal(size=(4, 2, 2)), requires_grad=True)
    assert torch.autograd.gradcheck(lambda *x: torch_rollout(batch, *x), (q, v, inputs), atol=1e-6, rtol=1e-5)


def test_a_loss_falls_along_its_gradient(torch):
    batch = gori.batch(acrobat(), 40, gori.SemiImplicit(step=H))
    q, v = torch.tensor(np.array(batch.q)), torch.tensor(np.array(batch.v))
    inputs, losses = torch.zeros((50, 40, 2), dtype=torch.float64, requires_grad=True), []
    for _ in range(10):
        reached, _ = torch_rollout(batch, q, v, inputs)
        loss = ((reached[:, 7] - 0.05) ** 2).sum()
        loss.backward()
        losses.append(loss.item())
        with torch.no_grad():
            inputs -= 0.3 * losses[-1] * inputs.grad / (inputs.grad**2).sum()
            inputs.grad.zero_()
    assert losses[-1] < 0.2 * losses[0] and (np.diff(losses) < 0.0).all()


def test_gradients_by_parameters(torch):
    model, rng = acrobat(), np.random.default_rng(0)
    batch = gori.batch(model, 2, gori.SemiImplicit(step=0.02))
    q, v = torch.tensor(model.random(rng, 2)), torch.tensor(rng.normal(size=(2, model.nv)))
    inputs = torch.tensor(rng.normal(size=(3, 2, 2)))
    mass = torch.tensor([1.1, 0.8], dtype=torch.float64, requires_grad=True)
    com = torch.tensor([[0.1, 0.0, -0.3], [0.2, 0.1, -0.2]], dtype=torch.float64, requires_grad=True)

    def arrive(mass, com):
        return torch_rollout(batch, q, v, inputs, {"bodies.arm.mass": mass, "bodies.head.com": com})

    assert torch.autograd.gradcheck(arrive, (mass, com), eps=1e-4, atol=1e-6, rtol=1e-5)


def test_gradients_in_loops(torch):
    """By a torque on a four-bar and by the mass of its coupler."""
    spec = rockers().set("forces", {"twist": {"type": "torque", "joint": "A", "value": 0.0}})
    batch = gori.batch(spec, 2, gori.SemiImplicit(step=0.01))
    q, v = torch.tensor(np.array(batch.q)), torch.tensor(np.array(batch.v))
    inputs = torch.tensor(np.random.default_rng(0).normal(size=(4, 2, 1)), requires_grad=True)
    mass = torch.tensor([1.0, 1.5], dtype=torch.float64, requires_grad=True)

    def arrive(inputs, mass):
        return torch_rollout(batch, q, v, inputs, {"bodies.coupler.mass": mass})

    assert torch.autograd.gradcheck(arrive, (inputs, mass), eps=1e-4, atol=1e-6, rtol=1e-5)


def test_single_numbers_and_wrong_shapes(torch):
    batch = gori.batch(acrobat(), 3)
    q, v, inputs = torch.tensor(np.array(batch.q)).float(), torch.zeros((3, 10)), torch.zeros((2, 3, 2))
    inputs.requires_grad_()
    reached, speed = torch_rollout(batch, q, v, inputs)
    assert reached.dtype == speed.dtype == torch.float32
    speed.sum().backward()
    assert inputs.grad.dtype == torch.float32 and inputs.grad.abs().sum() > 0.0
    with pytest.raises(InputError, match=r"v must have shape \(3, 10\)"):
        torch_rollout(batch, q, v[:2], inputs)


def test_without_torch(monkeypatch):
    _function.cache_clear()
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingPackageError, match="pip install torch"):
        torch_rollout(gori.batch(acrobat(), 1), None, None, None)
    _function.cache_clear()
