"""Pictures and films of a recording."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pytest
from PIL import Image

import gori
from bench.mechanisms import four_bar
from gori.errors import InputError


@pytest.fixture(scope="module")
def linkage():
    model = gori.compile(four_bar())
    times = np.linspace(0.0, 1.0, 21)
    return gori.kinematics(model, times, {"foot0": "-0.8*t"})


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_a_film_has_its_pictures(linkage, tmp_path):
    path = gori.view.animate(linkage, tmp_path / "new" / "a.gif", every=0.1, fps=10, trails=["B0"], size=2)
    with Image.open(path) as film:
        assert film.n_frames == 11 and film.info["duration"] == 100
        film.seek(0)
        first = np.array(film.convert("RGB"))
        film.seek(10)
        assert (first != np.array(film.convert("RGB"))).any()


def test_a_page(linkage, tmp_path):
    path = gori.view.animate(linkage, tmp_path / "a.html", every=0.5, size=2)
    text = path.read_text()
    assert text.count("data:image/png;base64") == 3 and "<script" in text


def test_pictures_side_by_side(linkage, tmp_path):
    figure = gori.view.pictures(linkage, [0.0, 0.5, 1.0], tmp_path / "a.png", trails=["B0"])
    assert (tmp_path / "a.png").stat().st_size > 1000
    titles = [ax.get_title() for ax in figure.axes]
    assert titles == ["t = 0 s", "t = 0.5 s", "t = 1 s"]
    for ax, sample in zip(figure.axes, (0, 10, 20)):
        (bar,) = [line for line in ax.lines if line.get_gid() == "vertical0"]
        tip = linkage["B0.position"][sample, :2]
        assert np.nanmin(np.linalg.norm(np.array(bar.get_data()).T - tip, axis=1)) < 1e-12
        assert len(ax.lines[-1].get_xdata()) == sample + 1  # the trail


def test_the_plane_is_found(linkage):
    assert gori.view.pictures(linkage, [0.0]).axes[0].name != "3d"
    assert gori.view.pictures(linkage, [0.0], view="3d").axes[0].name == "3d"


def test_what_cannot_be_shown(linkage, tmp_path):
    with pytest.raises(InputError, match=r"\.gif or \.html"):
        gori.view.animate(linkage, tmp_path / "a.avi")
    with pytest.raises(InputError, match="more than 2000 images"):
        gori.view.animate(linkage, tmp_path / "a.gif", every=1e-4)
    with pytest.raises(InputError, match="every must be a positive number"):
        gori.view.animate(linkage, tmp_path / "a.gif", every=0.0)
    with pytest.raises(InputError, match="no image at t = 2 s"):
        gori.view.pictures(linkage, [2.0])
    with pytest.raises(InputError, match="view must be"):
        gori.view.pictures(linkage, [0.0], view="zx")
    with pytest.raises(InputError, match="no channel 'hand"):
        gori.view.animate(linkage, tmp_path / "a.gif", trails=["hand"])
