"""The picture of an engine's map: what is drawn is what the drive train takes."""

import numpy as np
from numpy.testing import assert_allclose
from PIL import Image

from gori.formats.drivetrain import read_drivetrain
from gori.view.engine_map import engine_map, governed_torque
from tests.reference import drivetrain as twin

TRAIN = read_drivetrain()


def test_governed_torque_is_the_twins():
    speeds, throttles = np.linspace(560.0, 4100.0, 30), (0.0, 0.3, 1.0)
    expected = [[twin.engine(TRAIN, n * np.pi / 30.0, u) for n in speeds] for u in throttles]
    assert_allclose(governed_torque(TRAIN.engine, speeds, throttles), expected, atol=1e-9)


def test_surface_and_curves(tmp_path):
    path = tmp_path / "pictures" / "map.png"
    figure = engine_map(TRAIN, path)
    surface, curve, power = figure.axes
    assert surface.name == "3d" and len(surface.collections) == 1
    low, high = surface.get_zlim()
    assert low < -100.0 and high > 450.0
    full = curve.get_lines()[3]
    assert_allclose(full.get_ydata().max(), 481.0, atol=0.5)
    assert_allclose(power.get_lines()[0].get_ydata().max(), 141.5, atol=1.0)
    with Image.open(path) as picture:
        assert np.asarray(picture.convert("L")).std() > 10.0
