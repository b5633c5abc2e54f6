"""The playground in a real browser: sliders change the mechanism, the link holds the settings."""

import pytest

from gori.web.browser import Browser
from gori.web.serve.app import Server
from gori.web.serve.play.session import PlaySession
from tests.web.browsers import require_browser

SLIDE = """(() => {
  const slider = document.querySelector('input[aria-label="crank"]');
  slider.value = 0.1;
  slider.dispatchEvent(new Event("input"));
})()"""


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
        browser.run(SLIDE)
        browser.wait_for(f"window.gori.page.state().changes > {before['changes']}", "the new mechanism")
        assert browser.run("location.hash") == "#four-bar,crank=0.1,rocker=0.45"
        browser.run("window.gori.page.pause()")
        browser.run("window.gori.page.seek(0.3)")
        browser.wait_for("Math.hypot(...window.gori.page.state().bodies.coupler) < 0.1001", "a shorter crank")
        assert browser.run("document.querySelectorAll('.chart canvas').length") >= 2
        browser.run("[...document.querySelectorAll('nav button')].find((b) => b.textContent === 'Governor').click()")
        browser.wait_for("window.gori.page.state().example === 'governor'", "another example")
        assert browser.errors == []
