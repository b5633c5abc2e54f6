"""For all tests."""

import signal

# a shell that runs tests in the background has Ctrl-C ignored, and some tests press it
signal.signal(signal.SIGINT, signal.default_int_handler)

_UNTRIED: set[str] = set()


def pytest_runtest_logreport(report):
    """Notes what was not tried for want of a browser or JupyterLab; under xdist in the process that prints."""
    if report.skipped and isinstance(report.longrepr, tuple) and "not tried without" in report.longrepr[2]:
        _UNTRIED.add(report.longrepr[2].removeprefix("Skipped: "))


def pytest_unconfigure(config):
    """The last line says what was not tried, and how to get it."""
    if _UNTRIED and not hasattr(config, "workerinput"):
        print(" / ".join(sorted(_UNTRIED)))
