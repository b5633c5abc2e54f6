import pytest

from gori.web import pages
from tests.web.machines import stub_pages


@pytest.fixture
def stub(tmp_path, monkeypatch):
    """Built pages of four lines in place of the real ones."""
    folder = stub_pages(tmp_path / "static")
    monkeypatch.setattr(pages, "STATIC", folder)
    return folder
