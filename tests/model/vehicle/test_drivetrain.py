"""Drive trains of a Spec as tables; how they start, and their energy."""

import numpy as np
import pytest

from gori.errors import InputError
from gori.formats.drivetrain import read_drivetrain
from gori.kernels.vehicle import drivetrain as k
from gori.model.vehicle.drivetrain import RPM, starting_gear, train_energy, train_state, train_tables

HMMWV = read_drivetrain()


def test_spin_inertias_are_checked():
    for bad in ([7.3] * 3, [7.3, 7.3, 7.3, 0.0], [7.3, 7.3, 7.3, np.nan]):
        with pytest.raises(ValueError, match="4 positive numbers"):
            train_tables(HMMWV, bad)


def test_maps_stand_one_after_the_other():
    tables = train_tables(HMMWV, [7.3] * 4, 100.0)
    row, curve, engine = tables.train[0], tables.curve, HMMWV.engine
    n, m = row["speeds"], row["throttles"]
    np.testing.assert_allclose(curve[row["map"] : row["map"] + n], RPM * np.array(engine.speed_rpm))
    torque = curve[row["map"] + n + m :][: n * m].reshape(m, n)
    np.testing.assert_array_equal(torque, np.array(engine.torque))
    start, count = row["converter"], row["ratios"]
    ratios, inverse, torques = curve[start : start + 3 * count].reshape(3, -1)
    np.testing.assert_allclose(inverse[:-1] * np.array(HMMWV.converter.capacity) ** 2, 1.0)
    assert (ratios[-1], inverse[-1], torques[-1]) == (1.0, 0.0, 1.0)  # nothing passes at equal speeds
    assert (tables.axle["brake"] == 100.0).all()


def test_inertias_are_seen_from_the_wheels():
    axle = train_tables(HMMWV, [7.0, 7.1, 7.2, 7.3]).axle
    shaft = HMMWV.half_shaft_inertia * HMMWV.hub_ratio**2
    np.testing.assert_allclose(axle["inertia"], np.array([[7.0, 7.1], [7.2, 7.3]]) + shaft)
    np.testing.assert_allclose(axle["inverse"] * axle["inertia"].sum(axis=1), 1.0)


def test_energy_is_that_of_all_that_turns():
    tables, s = train_tables(HMMWV, [7.3] * 4), train_state(HMMWV, 20.0, 3)[0]
    rolling = 0.5 * (HMMWV.engine.inertia + HMMWV.converter.inertia) * (20.0 * HMMWV.overall_ratio(3)) ** 2
    wheels = 0.5 * tables.axle["inertia"].sum() * 20.0**2
    shafts = 0.5 * HMMWV.transfer.inertia * (20.0 * HMMWV.final_ratio * HMMWV.hub_ratio) ** 2
    assert s["engine"] == s["turbine"]
    assert train_energy(tables, s, np.full(4, 20.0)) == pytest.approx(rolling + wheels + shafts)


def test_a_train_starts_idling_or_rolling():
    rest = train_state(HMMWV)[0]
    assert rest["engine"] == pytest.approx(HMMWV.engine.idle_rpm * RPM) and rest["turbine"] == 0.0
    low = train_state(HMMWV, [5.0, 7.0, 6.0, 6.0], 1, k.LOW)[0]
    assert low["turbine"] == pytest.approx(6.0 * HMMWV.overall_ratio(1, True))
    fast = train_state(HMMWV, 500.0, 1)[0]
    assert fast["engine"] == pytest.approx(HMMWV.engine.cutoff_rpm * RPM) and fast["turbine"] > fast["engine"]
    assert train_state(HMMWV, 6.0, 1, k.TRANSFER_NEUTRAL)[0]["turbine"] == 0.0
    with pytest.raises(InputError, match=r"gear 9 is not one of -1, 0, 1 \.\. 4"):
        train_state(HMMWV, gear=9)
    with pytest.raises(InputError, match="transfer position 7"):
        train_state(HMMWV, transfer=7)


def test_starting_gears():
    assert [starting_gear(HMMWV, [w] * 4) for w in (0.1, -3.0, 1e3)] == [0, -1, len(HMMWV.gearbox.ratios)]
    limit, gears = HMMWV.gearbox.up[0][1] * RPM, []
    for w in np.linspace(1.0, 60.0, 40):
        gears.append(starting_gear(HMMWV, [w] * 4))
        assert gears[-1] == 4 or HMMWV.overall_ratio(gears[-1]) * w < limit
    assert gears == sorted(gears) and set(gears) == {1, 2, 3, 4}
