"""The example of a vehicle on sand, tiny: its geometry, its driver, and that a policy learns from what was tried."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from gori import learn

torch = pytest.importorskip("torch")
FILE = Path(__file__).parents[2] / "examples" / "learn_path_on_sand.py"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("learn_path_on_sand", FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.SECONDS, module.COMING, module.SAMPLES = 0.3, 0.05, 1
    return module


@pytest.fixture(scope="module")
def made(example):
    soils = learn.OtherParameters(range(50))
    env, drive = example.environment("cpu", 3, soils)
    env.reset(seed=0)
    return env, drive, soils


def test_slopes_are_derivatives_of_the_path(made):
    curve, x = made[1].beside.curve, torch.linspace(0.0, 50.0, 7, dtype=torch.float64).repeat(3, 1)
    (_, slope, bend), ((low, before, _), (high, after, _)) = curve.at(x), (curve.at(x + d) for d in (-1e-5, 1e-5))
    assert torch.allclose(slope, (high - low) / 2e-5, atol=1e-8) and slope.abs().max() > 0.05
    assert torch.allclose(bend, (after - before) / 2e-5, atol=1e-8) and bend.abs().max() <= 0.08


def test_the_nearest_point_and_the_arc_of_pure_pursuit(example, made):
    _, drive, _ = made
    beside, x = drive.beside, torch.linspace(-5.0, 12.0, 20001, dtype=torch.float64).repeat(3, 1)
    y = beside.curve.at(x)[0]
    way = torch.sqrt((x - beside.x[:, None]) ** 2 + (y - beside.y[:, None]) ** 2)
    assert torch.allclose(beside.aside.abs(), way.min(1).values, atol=1e-3) and beside.aside.abs().max() > 0.01
    steering = drive.steering(beside)
    for k in range(3):
        ahead = np.flatnonzero((way[k] > 4.0).numpy() & (x[k] > beside.x[k]).numpy())[0]
        gx, gy = (x[k, ahead] - beside.x[k]).item(), (y[k, ahead] - beside.y[k]).item()
        yaw = beside.yaw[k].item()
        side = np.cos(yaw) * gy - np.sin(yaw) * gx
        angle = np.arctan(example.WHEELBASE * 2.0 * side / (gx * gx + gy * gy))
        assert steering[k].item() == pytest.approx(angle / example.LOCK, abs=2e-3)


def test_dimensions_are_those_of_the_vehicle(example, made):
    from gori.manoeuvre.dimensions import dimensions

    model = made[0].model
    size = dimensions(model, "truck", np.array(model.state().q))
    given = example.WHEELBASE, example.REAR, example.LOCK
    assert given == pytest.approx((size.wheelbase, size.rear, size.lock), abs=1e-3)


def test_it_drives_and_learns(example, made, capsys):
    env, drive, soils = made
    torch.manual_seed(0)
    policy = example.Policy(env.single_observation_space.shape[0])
    before = [one.detach().clone() for one in policy.parameters()]
    soils.among = range(100, 120)
    errors = example.errors(env, lambda seen: policy.mean(seen), 5)
    assert errors.shape == (3,) and (errors > 0.0).all() and (errors < 1.0).all()
    assert set(env.batch._set.tolist()) <= set(range(100, 120))
    drive.look_ahead[:], errors_of = 2.0, example.errors(env, lambda seen: 0.0 * policy.mean(seen), 5)
    assert not np.array_equal(errors, errors_of)
    assert np.abs(np.asarray(env.v[:, 3]) - example.SPEED).max() < 0.5
    assert example.learned(env, policy, 1e-4) == 3 * 16
    assert all(not torch.equal(one, other) for one, other in zip(before, policy.parameters()))
    assert "48 steps: " in capsys.readouterr().out
