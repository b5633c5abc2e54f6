import os
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

import gori
from gori.errors import InputError, MissingPackageError, RecordError
from gori.record import Recording
from gori.web import pages
from gori.web.browser import Browser, png_of
from gori.web.drawings import Drawings
from gori.web.export import options_of, page_text, to_html
from tests.web.browsers import require_browser
from tests.web.machines import four_bar, shaken, truck
from tests.web.twin import parts_of


def test_a_file_holds_all_of_a_short_recording(stub, tmp_path):
    rec = four_bar()
    path = gori.to_html(rec, tmp_path / "out" / "run.html", trails=["P"], arrows=["reaction"], camera="front")
    text = path.read_text()
    parts = parts_of(text)
    assert set(parts) == {"scene", "film", "series", "arrows"} and path.stat().st_size < 600_000
    ((film, arrays),) = parts["film"]
    np.testing.assert_allclose(arrays["poses"][:, 1, :3], rec["crank.position"], atol=1e-7)
    assert film["thinned"] is None and parts["arrows"][0][0]["kind"] == "reaction"
    listed = {channel["name"] for channel in parts["scene"][0][0]["channels"]}
    inside = {head["name"] for head, _ in parts["series"]} | {entry["name"] for entry in film["series"]}
    assert listed == inside and {"P.x", "crank.position", "A.reaction"} <= inside
    assert '"trails": ["P"]' in text and '"camera": "front"' in text
    assert [child.name for child in path.parent.iterdir()] == ["run.html"]


def test_a_model_is_a_film_of_one_picture(stub):
    ((scene, _),) = parts_of(page_text(four_bar().model))["scene"]
    ((film, arrays),) = parts_of(page_text(four_bar().model))["film"]
    assert scene["mode"] == "film" and arrays["poses"].shape == (1, 4, 7) and film["series"] == []


def test_meshes_are_drawn_more_coarsely_where_they_take_too_much_room(stub, tmp_path):
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.icosphere(6).export(tmp_path / "ball.stl")  # 81920 triangles
    skin = {"type": "mesh", "file": str(tmp_path / "ball.stl"), "visual": True}
    spec = gori.Spec(
        bodies={"ball": {"mass": 1.0, "inertia": (1, 1, 1), "shapes": {"skin": skin}}},
        joints={"free": {"type": "free", "parent": "ground", "child": "ball"}},
    )
    counts = []
    for limit in (20.0, 0.4, 0.1):
        text = page_text(gori.compile(spec), limit)
        assert len(text.encode()) <= limit * 1e6
        ((scene, arrays),) = parts_of(text)["scene"]
        counts.append(len(arrays[scene["bodies"][1]["shapes"][0]["triangles"]]))
        ((film, _),) = parts_of(text)["film"]
        words = (
            None
            if counts[-1] == 81920
            else f"meshes are drawn with at most {[20_000, 5000][limit < 0.3]} triangles each"
        )
        assert film["thinned"] == words
    assert counts[0] == 81920 and 20_000 > counts[1] > counts[2] > 100


def test_grains_are_thinned_to_the_limit_and_the_file_says_so(stub, tmp_path):
    rec = shaken(tmp_path / "f.h5", count=4000, frames=60)
    whole = parts_of(page_text(rec))
    assert len(whole["grains"]) == 60 and whole["film"][0][0]["thinned"] is None
    for limit in (1.0, 0.3):
        text = page_text(rec, limit)
        assert len(text.encode()) <= limit * 1e6
        assert len(text.encode()) > 0.6 * limit * 1e6  # and uses it
        parts = parts_of(text)
        film, arrays = parts["film"][0]
        assert "of 60 frames of particles" in film["thinned"] or "of 4000 particles" in film["thinned"]
        assert len(arrays["grain_times"]) == len(parts["grains"])
        for k, (head, _) in enumerate(parts["grains"]):
            assert head["frame"] == k and head["time"] == pytest.approx(arrays["grain_times"][k])


def test_long_recordings_are_thinned_to_the_limit(stub):
    rec = four_bar()
    many = Recording(rec.model, np.linspace(0.0, 30.0, 30_001), np.random.default_rng(1).normal(size=(30_001, 3)),
                     np.zeros((30_001, 3)))  # fmt: skip
    text = page_text(many, 0.15)
    film, arrays = parts_of(text)["film"][0]
    assert len(text.encode()) <= 0.15e6 and 2 < len(arrays["times"]) < 2000
    assert film["thinned"].endswith("of 30001 samples are shown")


def test_a_truck_with_its_ruts_and_a_ghost(stub):
    rec, state = truck()
    drawn = Drawings()
    drawn.text("here", "x", (0, 0, 0), body="truck.chassis")
    parts = parts_of(page_text(rec, state=state, compare=rec.part(slice(0, 11)), drawings=drawn))
    assert parts["ruts"][0][0]["exact"] and parts["drawings"][0][0]["drawings"][0]["name"] == "here"
    ghost, arrays = parts["ghost-film"][0]
    assert ghost["ghost"] and len(arrays["times"]) == 11
    with pytest.raises(InputError, match="with the same bodies"):
        page_text(rec, compare=four_bar())


def test_wrong_arguments_are_named(stub, tmp_path):
    rec = four_bar()
    for options, words in (
        ({"camera": "moon"}, "camera must be one of iso"),
        ({"arrows": ["wind"]}, "arrows are contact"),
        ({"trails": ["hook"]}, "trails: 'hook' is not a body"),
        ({"channels": ["A.w"]}, r"no channel 'A\.w'"),
        ({"limit_mb": 0}, "positive number of megabytes"),
        ({"limit_mb": 0.001}, "the page alone takes"),
        ({"compare": 3}, "compare must be a Recording"),
    ):
        with pytest.raises(InputError, match=words):
            to_html(rec, tmp_path / "x.html", **options)
    assert options_of()["channels"] is None and list(tmp_path.glob("*.html")) == []


def test_a_folder_that_cannot_be_written_to(stub, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordError, match=r"x\.html cannot be written"):
        to_html(four_bar(), tmp_path / "file" / "x.html")


def test_without_pages_it_says_how_to_build_them(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "STATIC", tmp_path)
    with pytest.raises(MissingPackageError, match="not built"):
        to_html(four_bar(), tmp_path / "x.html")


def test_the_file_opens_from_disk_without_a_network_and_draws(tmp_path):
    require_browser()
    path = to_html(four_bar(), tmp_path / "four bar.html", trails=["P"], arrows=["reaction"], compare=four_bar())
    assert path.stat().st_size < 1_500_000
    with Browser(900, 600) as tab:
        tab._call("Network.enable")
        tab._call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
        tab.open(path.as_uri())
        tab.wait_for("!!(window.gori && window.gori.page)", "the viewer")
        tab.run("window.gori.page.ready.then(() => true)")
        tab.run("window.gori.page.pause()")
        seen = []
        for time in (0.0, 0.15):
            tab.run(f"window.gori.page.seek({time}).then(() => true)")
            state = tab.run("window.gori.page.state()")
            assert state["time"] == pytest.approx(time, abs=2e-3)
            k = int(np.argmin(np.abs(four_bar().time - time)))
            np.testing.assert_allclose(state["bodies"]["coupler"], four_bar()["coupler.position"][k], atol=1e-3)
            seen.append(imread(BytesIO(png_of(tab.run("window.gori.page.picture()"))), format="png"))
        assert len(np.unique(seen[0].reshape(-1, seen[0].shape[2]), axis=0)) > 50
        assert 0.001 < (np.abs(seen[0] - seen[1]).max(axis=2) > 0.05).mean() < 0.5
        assert tab.errors == []
        if kept := os.environ.get("GORI_SCREENSHOTS"):
            (Path(kept) / "export.png").write_bytes(tab.screenshot())
