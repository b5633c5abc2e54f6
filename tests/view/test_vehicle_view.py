"""Vehicles in pictures: wheels, the ground under them, and ruts."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pytest
from PIL import Image

import gori
from gori import vehicle
from gori.errors import InputError
from gori.model.vehicle.soil import rut_depths
from gori.view.ground import ground_lines
from gori.view.skeleton import in_world, outline

BUMP = {"grade": [0.05, 0.0], "features": {"bump": {"type": "trapezoid", "at": [4, 0]}}}


@pytest.fixture(scope="module")
def model():
    return gori.compile(vehicle.spec("hmmwv", terrain=BUMP))


@pytest.fixture(scope="module")
def rec(model):
    return gori.Simulation(model, gori.Adams(step=1e-3, order=2), state=gori.at_rest(model, 6.0)).run(0.4, sample=0.02)


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_wheels_are_drums(model):
    poses = model.forward_kinematics(model.q0)
    parts = outline(model.spec)
    points = np.concatenate(in_world(
        [line for line in parts.lines if line[0] == "truck.knuckle_rr" and len(line[1]) > 2],
        lambda body: (poses[body][:3, :3], poses[body][:3, 3]),
    ))  # fmt: skip
    pose = poses["truck.knuckle_rr"]
    local = (points - pose[:3, 3]) @ pose[:3, :3]
    np.testing.assert_allclose(np.hypot(local[:, 0], local[:, 2]), 0.4699, atol=1e-12)
    np.testing.assert_allclose(np.unique(np.round(local[:, 1], 9)), [-0.15875, 0.15875])


@pytest.mark.parametrize("view", ["3d", "xz", "yz"])
def test_lines_of_the_ground_lie_on_it(model, view):
    low, high = np.array([2.0, -2.0, 0.0]), np.array([6.0, 1.0, 1.0])
    points = ground_lines(model.spec.terrain, low, high, view)
    points = points[~np.isnan(points[:, 0])]
    np.testing.assert_allclose(points[:, 2], model.spec.terrain.height(points[:, 0], points[:, 1]), atol=1e-12)
    assert (points[:, :2] >= low[:2] - 1e-9).all() and (points[:, :2] <= high[:2] + 1e-9).all() and len(points) > 300
    if view != "yz":
        assert points[:, 2].max() > 0.05 * 4.3 + 0.079  # the bump
    assert len(ground_lines(model.spec.terrain, low, high, "xy")) == 0


@pytest.mark.parametrize("view", ["3d", "xz", "xy"])
def test_draw(model, view):
    ax = gori.view.draw(model, view=view)
    (ground,) = [line for line in ax.lines if line.get_color() == "tab:brown"]
    count = len(ground.get_data_3d()[0] if view == "3d" else ground.get_data()[0])
    assert (count > 100) == (view != "xy")


def test_the_picture_goes_along(rec, tmp_path):
    figure = gori.view.pictures(rec, [0.0, 0.4], tmp_path / "a.png", view="xz", follow="truck.chassis")
    for ax, k in zip(figure.axes, (0, -1)):
        low, high = ax.get_xlim()
        assert low < rec["truck.chassis.x"][k] < high and high - low < 6.0
    assert figure.axes[0].get_xlim()[1] < figure.axes[1].get_xlim()[1] - 1.5
    still = gori.view.pictures(rec, [0.0, 0.4], view="xz")
    assert still.axes[0].get_xlim() == still.axes[1].get_xlim()
    with pytest.raises(InputError, match="no channel 'lorry"):
        gori.view.pictures(rec, [0.0], follow="lorry")


def test_a_film(rec, tmp_path):
    path = gori.view.animate(rec, tmp_path / "a.gif", every=0.2, fps=5, follow="truck.chassis", size=2)
    with Image.open(path) as film:
        assert film.n_frames == 3


def test_ruts(tmp_path):
    soft = {"soil": gori.soil("lete_sand"), "at": [-4, -2], "size": [12, 4], "cell": 0.1}
    model = gori.compile(vehicle.spec("hmmwv", terrain={"soft": soft}))
    simulation = gori.Simulation(model, gori.Adams(step=1e-3, order=2), state=gori.at_rest(model, 4.0))
    simulation.step(500)
    state = simulation.state
    depths = rut_depths(model.spec.terrain.soft, state.vehicle)
    assert depths.shape == (40, 120)
    # two ruts, 0.91 m left and right; nothing between them
    across = depths.max(axis=1)
    assert across[[11, 28]].min() > 1e-3 and across[15:25].max() == 0.0
    along = np.flatnonzero(depths.max(axis=0) > 0.0) * 0.1 - 4.0
    assert along.min() < -1.65 and along.max() > 1.65 + 1.8
    ax = gori.view.ruts(model, state, tmp_path / "new" / "ruts.png")
    np.testing.assert_allclose(ax.images[0].get_array(), 1e3 * depths)
    assert tuple(ax.images[0].get_extent()) == (-4.0, 8.0, -2.0, 2.0)
    assert (tmp_path / "new" / "ruts.png").stat().st_size > 2000
    hard = gori.compile(vehicle.spec("hmmwv"))
    with pytest.raises(InputError, match="there is no soft soil"):
        gori.view.ruts(hard, gori.Simulation(hard, gori.Adams(step=1e-3)).state)


def test_engine_map_is_exported():
    assert gori.view.engine_map(vehicle_train()).axes


def vehicle_train():
    return gori.formats.read_drivetrain("hmmwv")
