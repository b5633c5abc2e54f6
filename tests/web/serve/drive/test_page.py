"""The drive page in a real browser: pixels, keys that move the vehicle, no errors."""

import time

import pytest

from gori.web.browser import Browser
from gori.web.serve.app import Server
from gori.web.serve.drive.session import DriveSession
from gori.web.serve.drive.truck import DriveOptions
from tests.web.browsers import require_browser

READY = "window.gori && window.gori.page && window.gori.page.state().frame > 0"
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


def press(browser, code, down):
    number = {"ArrowUp": 38, "ArrowLeft": 37}[code]
    kind = "rawKeyDown" if down else "keyUp"
    browser._call("Input.dispatchKeyEvent", type=kind, code=code, key=code, windowsVirtualKeyCode=number)


@pytest.fixture
def browser():
    require_browser()
    with Browser(960, 600) as page:
        yield page


def test_keys_move_the_vehicle_and_leave_ruts(browser):
    with Server(DriveSession(DriveOptions(course="sand"))) as server:
        browser.open(server.address)
        browser.wait_for(READY, "the drive")
        press(browser, "ArrowUp", True)
        press(browser, "ArrowLeft", True)
        browser.wait_for("window.gori.page.state().values.speed > 2", "motion")
        press(browser, "ArrowLeft", False)
        press(browser, "ArrowUp", False)
        state = browser.run("window.gori.page.state()")
        assert state["bodies"]["truck.chassis"][0] > 0.5 and state["values"]["held"] > 0.0
        assert state["latency"]["count"] >= 1
        assert browser.run(PIXELS) > 8  # sky, sand, ruts, paint, glass, rubber
        assert server.session.ruts.depth.max() > 0.02
        assert browser.errors == []


def test_the_page_survives_a_server_that_is_gone(browser):
    with Server(DriveSession(DriveOptions())) as server:
        browser.open(server.address)
        browser.wait_for(READY, "the drive")
    time.sleep(1.0)
    assert "the server is gone" in browser.run("document.querySelector('.say').textContent")
