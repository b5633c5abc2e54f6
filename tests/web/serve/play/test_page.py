"""The playground in a real browser: sliders change the mechanism, the link holds the settings."""

import time

import pytest

from gori.web.browser import Browser
from gori.web.serve.app import Server
from gori.web.serve.play.session import PlaySession
from tests.web.browsers import require_browser

SLIDE = """(() => {
  const slider = document.querySelector('input[aria-label="%s"]');
  slider.value = %s;
  slider.dispatchEvent(new Event("input"));
})()"""
STATE = "window.gori.page.state()"
UNITS = "[...document.querySelectorAll('.chart .unit')].map((e) => e.textContent)"


def settled(browser):
    """How far the camera is when it has come to rest."""
    seen = [-1.0, -2.0, -3.0]
    while len(set(seen[-3:])) > 1 or len(seen) < 8:
        assert len(seen) < 240, "the camera does not come to rest"
        time.sleep(0.25)
        seen.append(browser.run(STATE)["distance"])
    return seen[-1]


@pytest.fixture
def browser():
    require_browser()
    with Browser(1100, 700) as page:
        yield page


def test_sliders_links_and_examples(browser):
    with Server(PlaySession()) as server:
        browser.open(server.address + "#four-bar,rocker=0.45")
        browser.wait_for("window.gori?.page?.state().values.rocker === 0.45", "the settings of the link")
        browser.wait_for("window.gori.page.state().changes > 0", "the film")
        before = browser.run("window.gori.page.state()")
        browser.run(SLIDE % ("crank", 0.1))
        browser.wait_for(f"window.gori.page.state().changes > {before['changes']}", "the new mechanism")
        assert browser.run("location.hash") == "#four-bar,crank=0.1,rocker=0.45"
        browser.run("window.gori.page.pause()")
        browser.run("window.gori.page.seek(0.3)")
        browser.wait_for("Math.hypot(...window.gori.page.state().bodies.coupler) < 0.1001", "a shorter crank")
        assert browser.run("document.querySelectorAll('.chart canvas').length") >= 2
        browser.run("[...document.querySelectorAll('nav button')].find((b) => b.textContent === 'Governor').click()")
        browser.wait_for("window.gori.page.state().example === 'governor'", "another example")
        assert browser.errors == []


def test_the_whole_machine_is_in_the_picture_also_when_it_changes_its_size(browser):
    with Server(PlaySession("stewart")) as server:
        browser.open(server.address)
        browser.wait_for(f"window.gori?.page?.state().changes > 0 && {STATE}.inside", "a picture of all of it")
        before = browser.run(STATE)
        browser.run(SLIDE % ("height", 0.9))
        browser.run(SLIDE % ("base", 0.8))
        browser.wait_for(
            f"{STATE}.values.base === 0.8 && {STATE}.distance > {1.15 * before['distance']}", "a new frame"
        )
        browser.wait_for(f"{STATE}.inside", "a picture of all of it")
        browser.run(SLIDE % ("base", 0.35))
        browser.run(SLIDE % ("height", 0.4))
        browser.run(SLIDE % ("top", 0.15))
        browser.wait_for(f"{STATE}.values.top === 0.15 && {STATE}.inside", "a smaller machine")
        changed = settled(browser)
        browser.run("document.querySelector('.fit').click()")
        fitted = settled(browser)
        assert fitted < 0.95 * before["distance"]
        assert changed < 1.01 * fitted / 0.75  # it may become a quarter smaller in the picture (`play/frame.ts`)
        for name in ("slider-crank", "quick-return", "governor"):
            browser.run(f"location.hash = '#{name}'")
            browser.wait_for(f"{STATE}.example === '{name}' && {STATE}.inside", name)
        units = browser.run(UNITS)
        assert units and not any("," in unit for unit in units)
        assert browser.errors == []
