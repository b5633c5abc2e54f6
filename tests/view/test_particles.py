"""Pictures and films of grains: files, refusals, and speed."""

import time

import matplotlib

matplotlib.use("Agg")
import numpy as np
import pytest
from matplotlib.animation import FFMpegWriter
from PIL import Image

from gori.errors import FileError, InputError, MissingPackageError
from gori.record import ParticleFrame
from gori.view.particles import animate, picture


def test_film(film, tmp_path):
    path = animate(film, tmp_path / "a.gif", size=2.0, every=2, progress=False)
    with Image.open(path) as gif:
        assert gif.n_frames == 2
    text = animate(film[:2], tmp_path / "a.html", size=2.0).read_text()
    assert "frames" in text
    if FFMpegWriter.isAvailable():
        assert animate(film, tmp_path / "a.mp4", size=2.0).stat().st_size > 1000
    else:
        with pytest.raises(MissingPackageError, match="ffmpeg"):
            animate(film, tmp_path / "a.mp4")


def test_bad_input(film, tmp_path):
    for words, options in (
        ("colour must be", {"colour": "taste"}),
        ("cut must be a point and a normal", {"cut": 3}),
        ("box must be two corners", {"box": ((0, 0, 0), (1, 0, 1))}),
    ):
        with pytest.raises(InputError, match=words):
            picture(film, **options)
    with pytest.raises(FileError, match="cannot be written"):
        picture(film, tmp_path / "a.picture")
    with pytest.raises(InputError, match=r"\.gif, \.mp4 or \.html"):
        animate(film, tmp_path / "a.avi")
    with pytest.raises(InputError, match="contains no frames"):
        animate(film[:0], tmp_path / "a.gif")
    with pytest.raises(InputError, match="nothing to draw"):
        picture(ParticleFrame.of(np.zeros((0, 4))))


def test_many_grains_are_quick(tmp_path):
    """53,000 grains in a few seconds of one processor."""
    rng = np.random.default_rng(0)
    place = np.column_stack([rng.uniform(0, 1, (53_000, 3)), np.full(53_000, 0.012)])
    picture(ParticleFrame.of(place[:10]), tmp_path / "a.png")  # compiled, imported
    began = time.process_time()
    picture(ParticleFrame.of(place), tmp_path / "a.png")
    assert time.process_time() - began < 3.0
