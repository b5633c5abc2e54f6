"""Bodies on soft soil: Bekker's plate by hand, the twin for boxes in any pose, loading, unloading and shear."""

import numpy as np
import pytest

import gori
from gori import Simulation
from gori.integrate import SemiImplicit
from gori.kernels.contact.penalty import penalty_at
from gori.kernels.contact.soil import plate
from gori.kernels.contact.tables import SHAPE
from gori.kernels.machine import ADVANCE, MEASURE, START
from tests.kernels.contact.turns import random_rotation
from tests.plain import plain, rows
from tests.reference import soil_plates as twin

KC, KPHI, N, REBOUND, COHESION, PHI, K = 2e4, 1.5e6, 0.8, 0.1, 1.5e3, 30.0, 0.01
SOIL = {"type": "bekker", "kc": KC, "kphi": KPHI, "n": N, "cohesion": COHESION, "friction_deg": PHI,
        "shear_length": K, "rebound": REBOUND}  # fmt: skip
SIZE = (0.4, 0.2, 0.1)
LAW = {"friction": 0.9, "restitution": 0.0, "stiffness": 1e6}


def sled(
    cell=0.02, size=SIZE, soil=None, shape=None, mass=50.0, features=None, gravity=(0, 0, -9.81), forces=None, **law
):
    """A free box over a grid of soil of 2 x 2 m about the origin."""
    box = shape or {"type": "box", "size": list(size)}
    soft = {"soil": soil or SOIL, "at": [-1, -1], "size": [2, 2], "cell": cell}
    return gori.Spec(
        gravity=list(gravity),
        forces=forces or {},
        terrain={"soft": soft, "material": "earth", "features": features or {}},
        materials={"iron": {}, "earth": {}},
        contacts={"iron/earth": LAW | law},
        bodies={
            "sled": {"mass": mass, "inertia": [1, 2, 2], "shapes": {"box": box | {"material": "iron", "collide": True}}}
        },
        joints={"free": {"type": "free", "parent": "ground", "child": "sled", "q": [1, 0, 0, 0, 0, 0, 5.0]}},
    )


def quaternion(R):
    from scipy.spatial.transform import Rotation

    return Rotation.from_matrix(R).as_quat()[[3, 0, 1, 2]]


class Press:
    """The box at given poses, one after the other."""

    def __init__(self, **options):
        self.simulation = Simulation(gori.compile(sled(**options)), SemiImplicit(step=1e-3))
        stepper = self.simulation.stepper
        self.machine, self.data, self.y, self.t = stepper.machine, stepper.data, stepper.y, 0.0

    def __call__(self, p, R=None, v=(0, 0, 0, 0, 0, 0), what=ADVANCE, dt=1e-3):
        """Moment about the origin of the body, and force."""
        R = np.eye(3) if R is None else R
        self.y[:4], self.y[4:7], self.y[7:13] = quaternion(R), p, v
        self.t += dt if what == ADVANCE else 0.0
        assert penalty_at(self.machine, self.data, self.t, self.y, what) == 0
        return self.data.contact_memory.wrench[0].copy()


@pytest.mark.parametrize("cell", [0.02, 0.01])
def test_a_flat_plate_sinks_as_bekker_says(cell):
    press = Press(cell=cell)
    for z in (0.005, 0.02, 0.05):
        force = press([0.0, 0.0, 0.05 - z])[5]
        assert force == pytest.approx(0.4 * 0.2 * (KC / 0.2 + KPHI) * z**N, rel=1e-9)


def test_a_plate_off_the_lines_of_the_grid_agrees_better_on_finer_cells():
    errors = []
    for cell in (0.05, 0.004):
        found = [Press(cell=cell)([x, 0.013, 0.03], turn(0.4))[5] for x in (0.0, 0.011, 0.037)]
        errors.append(np.abs(np.array(found) / (0.08 * (KC / 0.2 + KPHI) * 0.02**N) - 1.0).max())
    assert errors[1] < 0.01 and errors[0] > 2.0 * errors[1]


def turn(yaw):
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])


def test_a_box_in_any_pose_is_the_twins():
    rng, half = np.random.default_rng(1), 0.5 * np.array(SIZE)
    for _ in range(8):
        R, p = random_rotation(rng), np.array([*rng.uniform(-0.5, 0.5, 2), 0.0])
        p[2] = np.abs(R[2]) @ half - 0.03
        found = Press()(p, R)
        force, moment = twin.pressed(half, R, p, (-1, -1), 0.02, (100, 100), (KC, KPHI, N))
        assert force[2] > 10.0
        np.testing.assert_allclose(found[3:], force, rtol=1e-9, atol=1e-6)
        np.testing.assert_allclose(found[:3], moment, rtol=1e-9, atol=1e-6)


def test_soil_comes_back_by_its_rebound_and_remembers():
    press, area = Press(), 0.08
    top = twin.plate_pressure(KC, KPHI, N, 0.2, 0.04)
    press([0, 0, 0.01])
    for z in (0.039, 0.0375, 0.037, 0.0361, 0.0359, 0.02, 0.039, 0.04):
        force = press([0, 0, 0.05 - z])[5]
        assert force == pytest.approx(area * twin.coming_back(top, 0.04, REBOUND, z), rel=1e-6, abs=1e-6)
    assert press([0, 0, 0.0])[5] == pytest.approx(area * twin.plate_pressure(KC, KPHI, N, 0.2, 0.05), rel=1e-9)


def test_trial_evaluations_leave_no_ruts():
    press = Press()
    press([0, 0, 0.0], what=MEASURE)
    assert press.data.cells["z_max"].max() == 0.0
    press([0, 0, 0.0])
    assert press.data.cells["z_max"].max() == pytest.approx(0.05)


@pytest.mark.parametrize("mu", [0.9, 0.3, 0.0])
def test_shear_follows_janosi_and_is_bound_by_friction(mu):
    """Pulled along at a constant depth: tau = tau_max (1 - exp(-j / K)), at most mu P."""
    press, z, j = Press(friction=mu), 0.02, 0.0
    P = twin.plate_pressure(KC, KPHI, N, 0.2, z)
    strength = min(COHESION + P * np.tan(np.radians(PHI)), mu * P)
    press([0, 0, 0.05 - z])
    for _ in range(60):
        j += 1e-3
        found = press([1e-9, 0, 0.05 - z], v=(0, 0, 0, 1.0, 0, 0))  # all of its cells stay the same
        assert found[3] == pytest.approx(-0.08 * strength * (1.0 - np.exp(-j / K)), rel=1e-6, abs=1e-6)
    assert j > 5 * K


def test_a_cell_that_a_step_brings_bears_nothing():
    """A box that stands half over a step of 0.3 m that comes at once is held by its wall alone."""
    kerb = {"a": {"type": "step", "height": 0.3, "at": [0.0, 0.0]}}
    force = Press(features=kerb)([-0.15, 0.0, 0.05 - 0.001])
    soil = 18 * 10 * 0.02**2 * (KC / 0.2 + KPHI) * 0.001**N
    assert force[3] < -1000.0  # the wall, which rises over 1 mm
    assert force[5] == pytest.approx(soil - 0.001 / 0.3 * force[3], rel=1e-6)


def test_outside_of_the_grid_the_ground_is_hard():
    force = Press()([1.5, 0.0, 0.049])
    assert force[5] == pytest.approx(4.0 * 1e6 * 0.001**1.5, rel=0.01)


@pytest.mark.parametrize(
    "shape",
    [
        {"type": "sphere", "radius": 0.1},
        {"type": "cylinder", "radius": 0.1, "length": 0.2, "axis": [0, 0, 1], "at": [0, 0, -0.1]},
        {"type": "ellipsoid", "radii": [0.2, 0.1, 0.1]},
        {"type": "capsule", "radius": 0.1, "length": 0.2, "at": [-0.1, 0, 0]},
    ],
    ids=lambda shape: shape["type"],
)
def test_round_shapes_press_with_their_lower_side(shape):
    """Work of pressing in = integral of the pressure over the volume: by the depths on a fine grid."""
    z, d = 0.1 - 0.03, 0.002
    found = Press(cell=0.01, shape=shape)([0, 0, z])[5]
    x, y = np.meshgrid(np.arange(-0.4, 0.4, d), np.arange(-0.4, 0.4, d))
    if shape["type"] == "cylinder":
        low = np.where(x**2 + y**2 < 0.01, z - 0.1, 1.0)
    else:
        scale = {"sphere": 1.0, "ellipsoid": 2.0, "capsule": 1.0}[shape["type"]]
        along = np.maximum(np.abs(x) - 0.1, 0.0) if shape["type"] == "capsule" else x / scale
        square = 0.01 - along**2 - y**2
        low = np.where(square > 0.0, z - np.sqrt(np.maximum(square, 0.0)), 1.0)
    P = twin.plate_pressure(KC, KPHI, N, 0.2, -low)
    assert found == pytest.approx(np.sum(P) * d * d, rel=0.02)


def test_width_of_a_plate():
    row = rows(SHAPE.zeros(1))[0]
    row.half[:] = (0.5, 0.1, 0.3)
    assert plain(plate)(row) == pytest.approx((0.6, 0.6))


def test_a_start_in_the_soil_is_known():
    press = Press()
    press([0, 0, 0.02], what=START)
    assert press.data.contact_memory.head["soil_time"][0] == press.t and press.data.cells["z_max"].max() > 0.0
