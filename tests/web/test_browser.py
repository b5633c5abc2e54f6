import struct
import sys
from pathlib import Path

import pytest

from gori.errors import BrowserError, InputError, MissingPackageError
from gori.web import browser
from gori.web.browser import Browser, find_browser, png_of
from tests.web.browsers import require_browser


def test_the_variable_comes_first_and_a_missing_browser_has_a_cure(tmp_path, monkeypatch):
    monkeypatch.setenv("GORI_BROWSER", sys.executable)
    assert find_browser() == Path(sys.executable)
    monkeypatch.setenv("GORI_BROWSER", str(tmp_path / "none"))
    with pytest.raises(MissingPackageError, match="none: there is no such program; install Chromium"):
        find_browser()
    monkeypatch.delenv("GORI_BROWSER")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(browser, "PLACES", ())
    with pytest.raises(MissingPackageError, match="apt install chromium"):
        find_browser()


@pytest.mark.skipif(sys.platform == "win32", reason="a script of the shell")
def test_a_program_that_is_no_browser_is_named(tmp_path):
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\necho cannot open display >&2\nexit 3\n")
    program.chmod(0o755)
    with pytest.raises(BrowserError, match="did not start: cannot open display"), Browser(100, 100, program):
        pass
    program.chmod(0o644)
    with pytest.raises(BrowserError, match="does not start"), Browser(100, 100, program):
        pass


def test_pictures_are_png():
    assert png_of("data:image/png;base64,aGk=") == b"hi"
    with pytest.raises(InputError, match="no picture, but 'None'"):
        png_of(None)


def test_a_page_is_opened_asked_and_drawn(tmp_path):
    require_browser(pages=False)
    page = tmp_path / "page.html"
    page.write_text("<body style='background:#123456'><script>console.error('trouble', 7)</script>")
    with Browser(320, 200) as tab:
        tab.open(page.as_uri())
        assert tab.wait_for("document.readyState == 'complete'", "the page")
        assert tab.run("new Promise((done) => setTimeout(() => done(innerWidth * innerHeight), 20))") == 320 * 200
        with pytest.raises(BrowserError, match="the page failed: ReferenceError"):
            tab.run("nothing.at.all")
        picture = tab.screenshot()
        assert picture[:4] == b"\x89PNG" and struct.unpack(">II", picture[16:24]) == (320, 200)
        assert tab.errors == ["trouble 7"]
        for dark in (True, False):
            tab.prefer(dark)
            assert tab.run("matchMedia('(prefers-color-scheme: dark)').matches") is dark
        process = tab._process
    assert process.poll() is not None  # nothing is left running
