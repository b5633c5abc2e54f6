import io
import sys

import numpy as np
import pytest

from gori.errors import InputError, MissingPackageError
from gori.web import render
from gori.web.render import find_ffmpeg, size_of, to_picture
from tests.web.browsers import require_browser
from tests.web.machines import four_bar


def pixels(data: bytes) -> np.ndarray:
    from matplotlib.image import imread

    return imread(io.BytesIO(data), format="png")


def test_wrong_arguments_are_named_before_a_browser_starts(tmp_path, stub):
    rec = four_bar()
    for name, options, words in (
        ("a.gif", {}, "a picture is a .png"),
        ("a.png", {"size": (3, 3)}, "16 to 7680 pixels"),
        ("a.png", {"at": 5.0}, "no picture at t = 5 s: the recording covers 0 to 0.3 s"),
        ("a.png", {"fps": 0.0}, "fps must be a positive number"),
        ("a.png", {"camera": "moon"}, "camera must be one of"),
    ):
        with pytest.raises(InputError, match=words):
            to_picture(rec, tmp_path / name, **options)
    assert size_of("1280x720") == (1280, 720)
    with pytest.raises(InputError, match="written 1280x720, not '1280'"):
        size_of("1280")


def test_a_film_without_ffmpeg_has_a_cure(tmp_path, monkeypatch, stub):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(MissingPackageError, match=r"gori\[video\]"):
        find_ffmpeg()
    with pytest.raises(MissingPackageError, match="need the program ffmpeg"):
        to_picture(four_bar(), tmp_path / "a.mp4")
    assert render.FFMPEG


def test_a_linkage_is_drawn_and_moves(tmp_path):
    require_browser()
    first, last = (
        to_picture(four_bar(), tmp_path / f"{at}.png", at=at, size=(320, 240)).read_bytes() for at in (0.0, 0.2)
    )
    one, two = pixels(first), pixels(last)
    assert one.shape[:2] == (240, 320)
    assert len(np.unique(one.reshape(-1, one.shape[2]), axis=0)) > 50  # more than a background
    moved = (np.abs(one - two).max(axis=2) > 0.05).mean()
    assert 0.002 < moved < 0.5


def test_a_film_is_an_mp4(tmp_path):
    require_browser()
    try:
        find_ffmpeg()
    except MissingPackageError as error:
        pytest.skip(str(error))
    path = to_picture(four_bar(), tmp_path / "a.mp4", size=(161, 121), fps=20.0, progress=False)  # odd sizes are padded
    data = path.read_bytes()
    assert data[4:8] == b"ftyp" and len(data) > 2000 and sorted(tmp_path.iterdir()) == [path]
