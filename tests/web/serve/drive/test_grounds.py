"""Courses: level where the truck starts, and as they say."""

import numpy as np
import pytest

from gori.errors import InputError
from gori.spec import Spec
from gori.spec.vehicle.terrain import Terrain
from gori.web.serve.drive.grounds import GROUNDS, drive_course


@pytest.mark.parametrize("name", GROUNDS)
def test_level_at_the_start_and_inside_its_limits(name):
    course = drive_course(name)
    ground = Terrain(**course.ground())
    x, y = np.meshgrid(np.linspace(-3, 3, 20), np.linspace(-2, 2, 20))
    assert np.abs(ground.height(x, y)).max() < 0.01
    assert course.low[0] < -10 < 50 < course.high[0]
    soft = Terrain(**course.ground("dry_sand")).soft
    assert soft is not None and soft.at == course.low
    assert Terrain(**course.ground("hard")).soft is None


def test_what_they_hold():
    assert len(drive_course("lane-change").cones) > 20
    sand = Terrain(**drive_course("sand").ground())
    x, y = np.meshgrid(np.linspace(-30, 90, 100), np.linspace(-40, 40, 100))
    assert sand.soft is not None and 0.8 < np.ptp(sand.height(x, y)) < 3.0
    hill = Terrain(**drive_course("slope").ground())
    grades = [float(hill.height(26.0, side) - hill.height(25.0, side)) for side in (12.0, 0.0, -12.0)]
    assert grades == pytest.approx([0.2, 0.4, 0.6], abs=0.02)
    assert 0.01 < np.ptp(Terrain(**drive_course("rough").ground()).height(x, 0.0 * x)) < 1.0
    with pytest.raises(InputError, match="courses: flat"):
        drive_course("moon")
    assert Spec is not None
