"""The vehicle that is driven."""

import pytest

from gori.errors import InputError
from gori.web.serve.drive.truck import BED, STONE_MODULUS, DriveOptions, driven


def test_payload_and_stones():
    plain, loaded = driven(DriveOptions()), driven(DriveOptions(payload=500.0))
    mass = [vehicle.model.spec.bodies["truck.chassis"].inertial()[0] for vehicle in (plain, loaded)]
    assert mass[1] - mass[0] == pytest.approx(500.0) and plain.note is None
    stones = driven(DriveOptions(stones=500))
    assert stones.model.spec.particles["stones"].radius >= 0.025
    assert "500 stones" in stones.note and "lowered" in stones.note and STONE_MODULUS < 1e8
    assert stones.model.spec.bodies["truck.chassis"].shapes["bed"].size == tuple(BED["size"])


@pytest.mark.parametrize("options", [{"payload": -1.0}, {"payload": 1e6}, {"stones": -1}, {"stones": 10**6}])
def test_refused(options):
    with pytest.raises(InputError):
        driven(DriveOptions(**options))


def test_a_vehicle_of_ones_own_has_its_own_load():
    with pytest.raises(InputError, match="payload"):
        driven(DriveOptions(vehicle="examples/truck.yaml", payload=10.0))
