"""The stage of a film of grains: colours, cuts, and limits that hold all of it."""

import matplotlib

matplotlib.use("Agg")
import numpy as np
import pytest
from PIL import Image

from gori.errors import InputError
from gori.record import ParticleFrame
from gori.view.particle_stage import ParticleStage
from gori.view.particles import picture
from tests.view.grains import column_and_row


def test_cut_and_colours(film, tmp_path):
    """Of grains left of the cut nothing is painted; the scale of colours has the speed's limits."""
    stage = ParticleStage(film[3], None, "speed", (-90, 90), ((3, 0, 0), (-1, 0, 0)), (0.0, 5.0), None, 4.0)
    stage.show(film[3])
    opacity = np.asarray(stage._image.get_array())[..., 3]
    j, _ = column_and_row(stage.camera, (3.0 - 0.06, 0, 0))
    assert opacity[:, :j].max() == 0 and opacity[:, j:].any()
    assert stage.limits == (0.0, 5.0) and "0.300 s" in stage._time.get_text()
    for colour in ("id", "radius", "material"):
        figure = picture(film, tmp_path / f"{colour}.png", colour=colour)
        assert Image.open(tmp_path / f"{colour}.png").size[0] > 600
        assert len(figure.axes[0].lines[1].get_xdata()) > 0  # the walls of the file


def test_limits_hold_the_whole_film(film):
    stage = ParticleStage(film, None, "speed", (-90, 90), None, None, None, 4.0)
    assert stage.camera.low[0] < -1.0 and stage.camera.high[0] > 4.0 and stage.limits == (0.0, 3.0)


@pytest.mark.parametrize("kind", ["material", "group"])
def test_materials_and_groups_have_a_colour_each(kind):
    """Of two, painted in turn, both colours are seen; all grains of one are alike."""
    place = np.array([[0.0, 0.0, 0.0, 0.4], [2.0, 0.0, 0.0, 0.4], [4.0, 0.0, 0.0, 0.4]])
    motion = np.zeros((3, 8))
    motion[:, 7] = [0, 1, 0]
    frame = ParticleFrame.of(place, motion, materials=("sand", "steel"), group=[0, 1, 0])
    stage = ParticleStage(frame, None, kind, (-90, 90), None, None, None, 4.0)
    stage.show(frame)
    image = np.asarray(stage._image.get_array(), float)
    colours = []
    for x in (0.0, 2.0, 4.0):
        j, i = column_and_row(stage.camera, (x, 0, 0))
        colours.append(image[i, j, :3])
    np.testing.assert_allclose(colours[0], colours[2], atol=0.05)
    assert np.abs(colours[0] - colours[1]).max() > 0.2


def test_refused(film):
    with pytest.raises(InputError, match="cut must be a point and a normal"):
        ParticleStage(film, cut=((0, 0, 0), (0, 0)))
    with pytest.raises(InputError, match="colour must be"):
        ParticleStage(film, colour="taste")
