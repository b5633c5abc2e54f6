"""For tests that need a browser: one without is skipped with a sentence, or fails where one must be there."""

import os

import pytest

from gori.errors import MissingPackageError
from gori.web.browser import find_browser
from gori.web.pages import built

NEEDED = "GORI_NEED_BROWSER"
"""set to 1 where a missing browser, or pages that are not built, are a failure"""


def missing(pages: bool = True) -> str | None:
    """What a test of pages does not find here."""
    try:
        find_browser()
        if pages:
            built("view")
    except MissingPackageError as error:
        return f"not tried without pages in a browser: {error}"
    return None


def require_browser(pages: bool = True) -> None:
    """Skip the test, or fail it, where there is no browser, or there are no pages if it needs them."""
    if words := missing(pages):
        (pytest.fail if os.environ.get(NEEDED) == "1" else pytest.skip)(words)
