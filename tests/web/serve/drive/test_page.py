"""The drive page in a real browser: keys, fingers and a gamepad that move the vehicle, cameras, a replay, no errors;
and what happens when either side is killed.
"""

import time

import numpy as np
import pytest

from gori.spec.base import rotation
from gori.web.browser import Browser
from gori.web.serve.app import Server
from gori.web.serve.drive.session import DriveSession
from gori.web.serve.drive.truck import DriveOptions
from tests.web.browsers import require_browser

READY = "window.gori && window.gori.page && window.gori.page.state().frame > 0"
VALUES = "window.gori.page.state().values"
PIXELS = """(async () => {
  const picture = new Image();
  picture.src = window.gori.page.picture();
  await picture.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [64, 36];
  const paint = canvas.getContext("2d");
  paint.drawImage(picture, 0, 0, 64, 36);
  const data = paint.getImageData(0, 0, 64, 36).data;
  const seen = new Set();
  for (let k = 0; k < data.length; k += 4) seen.add(`${data[k] >> 4},${data[k + 1] >> 4},${data[k + 2] >> 4}`);
  return seen.size;
})()"""
MIDDLE = """(() => {
  const box = document.querySelector("%s").getBoundingClientRect();
  return [box.x + %s * box.width, box.y + box.height / 2];
})()"""
WATCH = """(() => {
  window.seen = 0;
  const look = () => {
    const { state, values } = window.gori.page.state();
    if (state.replay) window.seen = Math.max(window.seen, values.throttle);
    requestAnimationFrame(look);
  };
  look();
})()"""
PAD = """navigator.getGamepads = () => [null, {
  connected: true, axes: [%s, 0], buttons: Array.from({length: 16}, (_, k) => ({value: k === 7 ? %s : 0})),
}]"""


def press(browser, code, down):
    number = {"ArrowUp": 38, "ArrowLeft": 37}[code]
    kind = "rawKeyDown" if down else "keyUp"
    browser._call("Input.dispatchKeyEvent", type=kind, code=code, key=code, windowsVirtualKeyCode=number)


def click(browser, title):
    browser.run(f"document.querySelector('button[title^=\"{title}\"]').click()")


def until(true, seconds=60.0):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.02)


@pytest.fixture(scope="module")
def browser():
    require_browser()
    with Browser(960, 600) as page:
        yield page


@pytest.fixture(scope="module")
def server():
    with Server(DriveSession(DriveOptions(course="sand"))) as running:
        yield running


@pytest.fixture
def drive(browser, server):
    """The page, with the vehicle at the start."""
    browser.open(server.address)
    browser.wait_for(READY, "the drive")
    run, number = server.session.latest["run"], browser.run("window.gori.page.state().frame")
    click(browser, "start again")
    until(lambda: server.session.latest["run"] > run)
    browser.wait_for(f"window.gori.page.state().frame > {number}", "the start")
    before = len(browser.errors)
    yield browser
    assert browser.errors[before:] == []


def test_keys_move_the_vehicle_and_leave_ruts(drive, server):
    press(drive, "ArrowUp", True)
    press(drive, "ArrowLeft", True)
    drive.wait_for(f"{VALUES}.speed > 2", "motion")
    press(drive, "ArrowLeft", False)
    press(drive, "ArrowUp", False)
    state = drive.run("window.gori.page.state()")
    assert state["bodies"]["truck.chassis"][0] > 0.5 and state["values"]["held"] > 0.0
    assert state["latency"]["count"] >= 1
    assert drive.run(PIXELS) > 8  # sky, sand, ruts, paint, glass, rubber
    assert server.session.ruts.depth.max() > 0.02


def test_the_cockpit_leans_with_the_vehicle_and_nothing_hides_the_road(drive, server):
    drive.run("window.gori.page.camera('cockpit')")
    press(drive, "ArrowUp", True)
    drive.wait_for(f"{VALUES}.speed > 2", "motion")
    press(drive, "ArrowUp", False)
    drive.run("window.gori.page.pause()")
    drive.wait_for("window.gori.page.state().playing === false", "a pause")
    time.sleep(0.3)
    eye = drive.run("window.gori.page.state().eye")
    row = server.session.latest["row"][1:][server.session.size.joint_q]
    R, at = rotation(None, tuple(row[:4])), row[4:7]
    cab = R.T @ (np.array(eye["position"]) - at)
    assert -0.5 < cab[0] < 1.2 and 0.2 < cab[1] < 0.8 and 1.0 < cab[2] < 2.2
    assert (R.T @ eye["ahead"])[0] > 0.98 and (R.T @ eye["up"])[2] > 0.98
    assert abs((R.T @ eye["up"])[1]) < 1e-4  # it leans exactly as the vehicle does
    assert drive.run("window.gori.page.sees()") is None or drive.run("window.gori.page.sees()") > 5.0
    drive.run("window.gori.page.camera('chase')")
    drive.run("window.gori.page.play()")
    drive.wait_for("window.gori.page.state().playing", "the drive")
    far = np.linalg.norm(np.array(drive.run("window.gori.page.state().eye.position")) - at)
    assert far > 8.0


def test_a_gamepad_steers_and_lets_go(drive):
    drive.run(PAD % (-0.54, 0.8))
    drive.wait_for(f"{VALUES}.steer > 0.49 && {VALUES}.throttle > 0.79", "the stick")
    assert drive.run(f"{VALUES}.steer") == pytest.approx(0.5, abs=0.01)
    drive.run(PAD % (0.0, 0.0))
    drive.wait_for(f"{VALUES}.steer === 0 && {VALUES}.throttle === 0", "a stick in the middle")
    drive.run("navigator.getGamepads = () => [null, null]")  # unplugged
    press(drive, "ArrowLeft", True)
    drive.wait_for(f"{VALUES}.steer > 0.1", "a key")
    press(drive, "ArrowLeft", False)


def test_fingers_steer_and_go_at_once(browser, server):
    browser._call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=5)
    browser._call("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
    try:
        browser.open(server.address)
        browser.wait_for(READY, "the drive")
        assert browser.run("matchMedia('(pointer: coarse)').matches")
        (ax, ay), (bx, by) = (
            browser.run(MIDDLE % where) for where in ((".pedal.throttle", 0.5), (".touch .steer", 0.25))
        )
        go, turn = {"x": ax, "y": ay, "id": 1}, {"x": bx, "y": by, "id": 2}
        browser._call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[go])
        browser._call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[go, turn])
        browser.wait_for(f"{VALUES}.throttle === 1 && {VALUES}.steer > 0.485", "both fingers")
        assert browser.run(f"{VALUES}.steer") == pytest.approx(0.5, abs=0.02)
        browser._call("Input.dispatchTouchEvent", type="touchMove", touchPoints=[go, {**turn, "x": bx + 45.0}])
        browser.wait_for(f"{VALUES}.throttle === 1 && {VALUES}.steer < 0.2", "the finger that moved")
        browser._call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        browser.wait_for(f"{VALUES}.throttle === 0 && {VALUES}.steer === 0", "no finger")
        inside = "[...document.querySelectorAll('.tools button, .pedal, .dash')].every((e) => { const b = e"
        inside += ".getBoundingClientRect(); return b.left >= 0 && b.right <= innerWidth && b.bottom <= innerHeight; })"
        assert browser.run(inside)
    finally:
        browser._call("Emulation.setTouchEmulationEnabled", enabled=False)
        width, height = browser.size
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        browser._call("Emulation.setDeviceMetricsOverride", **metrics)


def test_a_drive_is_recorded_and_shown_again(drive):
    click(drive, "record")
    drive.wait_for("window.gori.page.state().state.recording", "the recording")
    press(drive, "ArrowUp", True)
    drive.wait_for(f"{VALUES}.speed > 3", "motion")
    press(drive, "ArrowUp", False)
    click(drive, "record")
    drive.wait_for("!document.querySelector('button[title^=\"show the recording\"]').disabled", "a file")
    drive.run(WATCH)
    click(drive, "show the recording")
    drive.wait_for("window.seen > 0.9", "the recorded pedal")  # no key is held now
    drive.wait_for("!window.gori.page.state().state.replay", "the end of it")


def test_a_page_that_is_killed_lets_go_of_the_pedals(browser, server):
    browser.open("about:blank")
    with Browser(400, 300) as other:
        other.open(server.address)
        other.wait_for(READY, "the drive")
        other.wait_for("window.gori.page.state().state.steers", "the wheel")
        press(other, "ArrowUp", True)
        until(lambda: server.session.latest["values"]["throttle"] > 0.5)
        other._process.kill()
        until(lambda: server.session.latest["values"]["throttle"] == 0.0)
        assert server.session.failed is None


def test_the_page_survives_a_server_that_is_gone_and_says_what_stands_against_a_drive(browser):
    with Server(DriveSession(DriveOptions())) as running:
        browser.open(running.address)
        browser.wait_for(READY, "the drive")
        words = "snow does not carry the truck"
        running.session.process._hear("failed", words)
        browser.wait_for(f"document.querySelector('.say').textContent.includes('{words}')", "the sentence")
    browser.wait_for("document.querySelector('.say').textContent.includes('the server is gone')", "the sentence")
    assert browser.run("document.querySelector('.real').textContent") == "no word from the server"
