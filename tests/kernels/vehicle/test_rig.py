"""The single-wheel rig: the carriage finds the load, a standing wheel is a plate, and passes use the same track."""

import numpy as np
import pytest

from gori.kernels.codes import OFF_GRID, OK
from gori.kernels.vehicle.rig import RIG, RIG_RESULT, SLOW, RigWork, rise, run_rig
from gori.kernels.vehicle.state import CONTACT, FOOTPRINT, PATCH, WHEEL_STATE
from gori.kernels.vehicle.tables import AREA, FEATURE, TERRAIN, TYRE, Ground
from gori.model.vehicle.soil import fresh_cells, soil_row
from tests.kernels.vehicle.soils import LOAM, SAND
from tests.plain import plain, rows

R, B, CELL = 0.4, 0.25, 0.02


def run(soil=LOAM, load=4000.0, slip=0.2, passes=1, length=6.0, yaw=0.0, **changes):
    """Result code, results, and the cells of the track."""
    p = soil_row(soil, (0.0, -0.5), (length, 1.0), CELL)
    tyre, rig, out = TYRE.zeros(1), RIG.zeros(1), RIG_RESULT.zeros(passes)
    tyre["radius"], tyre["width"] = R, B
    rig["load"], rig["speed"], rig["yaw"], rig["start"], rig["step"] = load, 1.0, yaw, 0.8, CELL / 4.0
    rig["angular_velocity"] = np.cos(yaw) / (1.0 - slip) / R
    rig["settle"], rig["measure"] = 300, 200
    for name, value in changes.items():
        rig[name] = value
    ground = Ground(TERRAIN.zeros(1), FEATURE.zeros(0), AREA.zeros(0), np.zeros(0), p, fresh_cells(p))
    work = RigWork(*(part.zeros(1) for part in (WHEEL_STATE, CONTACT, FOOTPRINT, PATCH)))
    return run_rig(ground, tyre, rig, work, out), out, ground.cells


@pytest.mark.parametrize("soil", [SAND, LOAM], ids=["exponential", "bekker"])
def test_the_soil_bears_the_load_in_the_mean(soil):
    code, out, cells = run(soil)
    assert code == OK and out["load"][0] == pytest.approx(4000.0, rel=0.02)
    assert 0.0 < out["sinkage"][0] < 0.5 * R and 0.0 < out["area"][0] < R * B
    assert abs(out["side"][0]) < 0.01 * 4000.0 and abs(out["aligning"][0]) < 0.01 * 4000.0 * R
    assert cells["z_max"].max() > 0.0


def test_power_goes_into_the_soil():
    """Torque times spin is never less than pull times speed."""
    for slip in (0.05, 0.3):
        _, out, _ = run(slip=slip)
        assert out["torque"][0] / (1.0 - slip) / R > out["pull"][0] * 1.0


def test_more_slip_gives_more_pull_and_torque():
    few, many = (run(slip=slip)[1][0] for slip in (0.05, 0.3))
    assert many["pull"] > few["pull"] and many["torque"] > few["torque"] and many["sinkage"] > few["sinkage"]


def test_the_second_pass_rolls_in_the_rut():
    """Soil that is pressed down takes less work from a wheel without slip, and the rut gets no shallower."""
    _, out, _ = run(SAND.model_copy(update={"slip_sinkage": None}), slip=0.0, passes=2)
    work = out["torque"] / R - out["pull"]  # a metre of way, without slip [N]
    assert work[0] > work[1] > 0.0 and out["sinkage"][1] >= out["sinkage"][0]
    assert out["load"] == pytest.approx([4000.0] * 2, rel=0.02)


def test_yaw_gives_side_force_on_its_side():
    right, left = (run(yaw=yaw)[1][0] for yaw in (0.15, -0.15))
    assert right["side"] == pytest.approx(-left["side"], rel=0.02) and abs(right["side"]) > 100.0
    assert right["pull"] == pytest.approx(left["pull"], rel=0.02)


def test_a_track_that_is_too_short():
    assert run(length=2.0)[0] == OFF_GRID


def rises(force, dashpot=0.0, k_up=1e6, k_down=1e5):
    patch = PATCH.zeros(1)
    patch["force"][0, 2], patch["k_up"], patch["k_down"] = force, k_up, k_down
    return plain(rise)(1000.0, R, dashpot, rows(patch)[0])


def test_one_step_of_the_carriage():
    assert rises(1100.0) == pytest.approx(100.0 / 1e6) and rises(900.0) == pytest.approx(-100.0 / 1e5)
    assert rises(900.0, dashpot=SLOW * 1e6) == pytest.approx(-100.0 / 4e6)
    assert rises(900.0, k_down=0.0) == -0.02 * R  # at most a fiftieth of the radius
    assert rises(0.0, k_down=1.0) == -0.02 * R and rises(1e6) == 0.02 * R
