from gori.web import pages
from tests.web.browsers import require_browser
from tests.web.machines import stub_pages


def test_a_picture_of_a_machine(run, tmp_path):
    require_browser()
    done = run("render", "four.yaml", "four.png", "--size", "160x120", "--camera", "iso")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "four.png").read_bytes()[:4] == b"\x89PNG" and "four.png: " in done.stdout


def test_a_missing_browser_and_a_wrong_size_are_messages(run, tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "STATIC", stub_pages(tmp_path / "static"))
    monkeypatch.setenv("GORI_BROWSER", "no-such-browser")
    done = run("render", "four.yaml", "four.png")
    assert done.exit_code == 2 and "no-such-browser: there is no such program; install Chromium" in done.stderr
    done = run("render", "four.yaml", "four.png", "--size", "wide")
    assert done.exit_code == 2 and "written 1280x720" in done.stderr
    assert not (tmp_path / "four.png").exists()
