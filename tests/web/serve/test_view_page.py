"""The page of `gori view` in a real browser, with a real mouse: what a person does, and what the server gets of it."""

import base64
import io
import re
import time

import numpy as np
import pytest
from PIL import Image

import gori
from gori.web.browser import OPTIONS, find_browser
from gori.web.serve import LiveSession, RecordedSession, Server
from tests.web.browsers import require_browser
from tests.web.machines import EXAMPLES, four_bar, shaken, truck

sync = pytest.importorskip("playwright.sync_api")


@pytest.fixture(scope="module")
def chromium():
    require_browser()
    with sync.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=str(find_browser()), args=["--no-sandbox", *OPTIONS])
        yield browser
        browser.close()


@pytest.fixture
def opened(chromium):
    """A function that opens an address at a size; errors of the page fail the test."""
    pages, errors = [], []

    def open_page(address, size=(1280, 720)):
        page = chromium.new_page(viewport={"width": size[0], "height": size[1]})
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(address)
        page.wait_for_function("() => window.gori && window.gori.page", timeout=60_000)
        page.evaluate("() => window.gori.page.ready.then(() => true)")
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        page.close()
    assert errors == []


def live(name="four_bar.yaml"):
    model = gori.compile(gori.load(EXAMPLES / name))
    return LiveSession(gori.Simulation(model, gori.RK4(step=1e-3)), paused=True)


def wait(true, seconds=20.0):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.02)


def find_body(page, name):
    """A place [pixels] of the picture where a click picks this body."""
    box = page.locator("canvas.picture").bounding_box()
    for row in np.linspace(0.3, 0.7, 17):
        for column in np.linspace(0.2, 0.8, 25):
            x, y = box["x"] + column * box["width"], box["y"] + row * box["height"]
            page.mouse.click(x, y)
            if page.evaluate("() => document.querySelector('.card:not([hidden]) h3')?.textContent") == name:
                return x, y
    raise AssertionError(f"{name} is nowhere")


@pytest.mark.parametrize("way", ["key", "button"])
def test_a_body_is_pulled_by_the_mouse(opened, way):
    """The pendulum hangs to the right; it is pulled up with Ctrl, or after a press on Pull, and falls when let go."""
    session = live("pendulum.yaml")
    with Server(session) as server:
        page = opened(server.address)
        x, y = find_body(page, "bob")
        if way == "button":
            page.get_by_role("button", name="The mouse pulls bodies").click()
        else:
            page.keyboard.down("Control")
        page.locator(".timeline .record").click()
        page.mouse.move(x, y)
        page.mouse.down()
        for k in range(1, 11):
            page.mouse.move(x, y - 12 * k)
        wait(lambda: session._pull.held is not None)
        page.keyboard.up("Control")
        session.act(None, _do("resume"))
        held = session._pulled.time
        wait(lambda: session._pulled.time > held + 0.8)
        name, point, target = session._pull.held
        assert name == "bob"
        # it was let go of from the level, and gravity alone would have it below by now
        assert _tip(session._pulled, point)[2] > -0.1 and np.linalg.norm(_tip(session._pulled, point) - target) < 0.5
        page.mouse.up()
        wait(lambda: session._pull.held is None)
        free = session.simulation.time
        wait(lambda: session.simulation.time > free + 0.3)
        page.locator(".timeline .record").click()
        wait(lambda: session.recording() is not None)
        rec = gori.open_run(session.recording())
        pulls = rec.info["pulls"]
        assert [row[1] for row in pulls[:-1]] == ["bob"] * (len(pulls) - 1) and pulls[-1][1] is None
        np.testing.assert_allclose(pulls[-2][3], target)


def picture(page):
    """Colours (rows, columns, 3) of the scene, in pixels of the page."""
    data = page.evaluate("() => window.gori.page.picture()").partition(",")[2]
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB"), int)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Recordings of the pendulum, of the Moon and the Earth, and of the truck."""
    folder, spec = tmp_path_factory.mktemp("runs"), gori.load(EXAMPLES / "pendulum.yaml")
    for name, gravity, end in (("earth", -9.81, 1.0), ("moon", -1.62, 0.6)):
        (folder / name).mkdir()
        model = gori.compile(spec.set("gravity", (0.0, 0.0, gravity)))
        gori.Simulation(model, gori.RK4(step=1e-3)).run(end, progress=False).save(folder / name / "run.h5")
    truck()[0].save(folder / "truck.h5")
    return folder


@pytest.mark.parametrize("size", [(1280, 720), (390, 844)])
def test_the_first_picture_is_whole_beside_charts(opened, runs, size):
    """The rod of the pendulum lies level at first, at the right end of all that it does."""
    with Server(RecordedSession(runs / "earth")) as server:
        page = opened(server.address, size)
        page.evaluate("() => window.gori.page.pause()")
        if size[0] < 760:
            page.get_by_role("button", name="Charts").click()
        page.locator(".chart canvas").first.wait_for()
        page.evaluate("() => window.gori.page.seek(0).then(() => true)")
        colours, bottom = picture(page), page.locator("canvas.picture").bounding_box()["height"]
        if size[0] < 760:
            bottom -= page.locator(".charts").bounding_box()["height"]
        rows, columns = np.nonzero(colours[..., 2] - colours[..., 0] > 40)  # the rod is blue
        assert columns.min() > 10 and columns.max() < colours.shape[1] - 10
        assert rows.min() > 10 and rows.max() < bottom - 10
        assert np.ptp(columns) > 0.25 * colours.shape[1]


def test_fitting_keeps_following(opened, runs):
    with Server(RecordedSession(runs / "truck.h5")) as server:
        page = opened(server.address)
        page.evaluate("() => window.gori.page.camera('follow')")
        page.keyboard.press("f")
        page.wait_for_timeout(500)
        assert page.evaluate("() => window.gori.page.state().follows") == "truck.chassis"


def test_two_runs_have_a_key_and_what_is_left_out_stays_written(opened, runs, tmp_path):
    session = RecordedSession(runs / "earth", ghost=runs / "moon")
    session._film.most_frames = 50
    with Server(session) as server:
        page = opened(server.address)
        page.evaluate("() => { window.gori.page.pause(); return window.gori.page.seek(0.8).then(() => true); }")
        page.wait_for_timeout(300)
        assert page.locator(".runs > span").all_inner_texts() == ["earth", "moon\nends at 0.6 s"]
        assert page.locator(".remarks").inner_text() == "50 of 1001 samples are shown."
        assert page.locator(".message").count() == 0
        values = page.locator(".chart output").first.inner_text()
        assert re.fullmatch(r"\S+ \(\S+\)", values) and values.split()[0] != values.split()[1].strip("()")
        both = picture(page)
        page.get_by_role("tab", name="Display").click()
        page.locator(".toggle", has_text="Ghost").click()
        page.wait_for_timeout(300)
        assert np.mean(np.abs(picture(page) - both).max(axis=2) > 12) > 1e-3  # the ghost was drawn, and is no longer


def test_torques_and_forces_are_charted_apart(opened, runs):
    with Server(RecordedSession(runs / "earth")) as server:
        page = opened(server.address)
        page.get_by_role("tab", name="Channels").click()
        page.locator(".search").fill("reaction")
        rows = page.locator(".channel")
        assert rows.all_inner_texts() == ["pivot.reactionmoment\nN m", "pivot.reactionforce\nN"]
        rows.nth(1).click()
        page.locator(".chart", has_text="pivot.reaction force z").wait_for()
        assert page.locator(".chart", has_text="pivot.reaction force").locator(".unit").inner_text() == "[N]"
        assert page.locator(".chart", has_text="moment").count() == 0


def test_views_layers_colours_and_what_is_saved(opened, tmp_path):
    with Server(RecordedSession(four_bar(), "four-bar")) as server:
        page = opened(server.address)
        page.evaluate("() => { window.gori.page.pause(); return window.gori.page.seek(0.2).then(() => true); }")
        page.get_by_role("tab", name="Display").click()
        before = picture(page)

        def changed(least=1e-3):
            nonlocal before
            page.wait_for_timeout(500)
            last, before = before, picture(page)
            return np.mean(np.abs(before - last).max(axis=2) > 12) > least

        for view in ("Left", "Oblique"):
            page.get_by_role("button", name=view, exact=True).click()
            assert changed(), view
        for layer in ("Joint axes", "Cut joints", "Centres of mass", "Frames", "Reactions"):
            page.locator(".toggle", has_text=layer).click()
            assert changed(2e-4), layer
        page.get_by_label("Colour by").select_option(label="joint reaction force")
        page.locator(".legend:not([hidden])").wait_for()
        assert page.locator(".legend .title").inner_text() == "joint reaction force [N]" and changed()
        with page.expect_download() as saved:
            page.get_by_role("button", name="Picture (P)").click()
        colours = np.asarray(Image.open(saved.value.path()).convert("RGB"), int)
        assert saved.value.suggested_filename == "four-bar.png" and colours.shape == before.shape
        corner = colours[-60:, -200:].reshape(-1, 3)  # the legend, from the dark to the bright end of its scale
        for end in ((68, 1, 84), (253, 231, 37)):
            assert np.abs(corner - end).max(axis=1).min() < 12
        film = page.get_by_role("button", name="Film to a file")
        film.click()
        page.evaluate("() => window.gori.page.play()")
        page.wait_for_timeout(1200)
        with page.expect_download() as saved:
            film.click()
        assert saved.value.suggested_filename == "four-bar.webm"
        data = saved.value.path().read_bytes()
        assert data[:4] == b"\x1a\x45\xdf\xa3" and len(data) > 5_000  # the magic number of WebM


def test_as_many_grains_as_asked_for(opened, tmp_path):
    with Server(RecordedSession(shaken(tmp_path / "f.h5", count=12_000, frames=3))) as server:
        page = opened(server.address)
        page.evaluate("() => window.gori.page.pause()")
        page.get_by_role("tab", name="Display").click()
        for choice, drawn in ((1, 10_000), (3, 12_000)):  # at most ten thousand, at most a million
            page.get_by_label("Grains drawn").select_option(index=choice)
            page.wait_for_function(f"() => window.gori.page.state().grains.drawn === {drawn}", timeout=20_000)


def _do(what):
    from gori.web.serve.messages import parse_message

    return parse_message(f'{{"do": "{what}"}}')


def _tip(run, point):
    pose = run.model.forward_kinematics(run.q)["bob"]
    return pose[:3, :3] @ point + pose[:3, 3]
