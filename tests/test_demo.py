"""The report of the demo: verdicts, and what stands in the place of the viewer without a browser or without pages."""

import matplotlib.pyplot as plt
import pytest

from demo.report import Report
from gori.web import pages
from tests.web.browsers import require_browser
from tests.web.machines import four_bar, stub_pages


@pytest.fixture
def report(tmp_path):
    with plt.rc_context():
        made = Report(tmp_path)
        made.chapter("Closed <loops>")
        yield made


def moving(case, report):
    """A four-bar.

    It turns & swings.
    """
    case.check("error", 1e-9, 1e-6, " m")
    case.check_above("way", 2.0, 1.0, " m")
    report.film(case, "four_bar", four_bar(), plt.subplots()[0], at=0.1)


def test_without_a_browser_a_plot_stands_for_the_film(report, tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "STATIC", stub_pages(tmp_path / "static"))
    monkeypatch.setenv("GORI_BROWSER", str(tmp_path / "none"))
    report.run(moving)
    text = report.write("a machine", 0.0).read_text()
    assert "all 2 checks of 1 cases passed" in text and "turns &amp; swings" in text and "Closed &lt;loops&gt;" in text
    assert 'href="four_bar.html"' in text and 'src="four_bar_still.png"' in text
    assert (tmp_path / "four_bar.html").is_file() and (tmp_path / "four_bar_still.png").is_file()


def test_without_pages_the_film_is_left_out_and_said(report, tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "STATIC", tmp_path / "nothing")
    monkeypatch.setenv("GORI_BROWSER", str(tmp_path / "none"))
    report.run(moving)
    text = report.write("a machine", 0.0).read_text()
    assert "left out: the pages of the viewer are not built" in text and "four_bar.html" not in text


def test_a_failed_check_is_the_verdict(report, monkeypatch, tmp_path):
    def wrong(case, report):
        """A figure that is off."""
        case.check_above("way", 0.5, 1.0)

    monkeypatch.setenv("GORI_BROWSER", str(tmp_path / "none"))
    report.run(wrong)
    text = report.write("a machine", 0.0).read_text()
    assert not report.cases[0].passed and 'verdict bad">failed: A figure that is off' in text


def test_pictures_in_light_and_dark_and_the_viewer_within_the_page(report, tmp_path):
    require_browser()
    from gori.web.browser import Browser

    report.run(moving)
    path = report.write("a machine", 0.0)
    light, dark = (plt.imread(tmp_path / f"four_bar_{scheme}.png")[..., :3].mean() for scheme in ("light", "dark"))
    assert light > 0.5 > dark
    with Browser(1000, 700) as tab:
        tab.open(path.as_uri())
        tab.wait_for("document.readyState == 'complete'", "the report")
        tab.run("document.querySelector('.show').click()")
        assert tab.wait_for("document.querySelector('iframe')?.getBoundingClientRect().width", "the viewer") > 700
        assert tab.errors == []
