import gori
from gori import web


def test_names_are_imported_when_used():
    assert web.to_html is gori.to_html and set(web.__all__) == set(web._HOMES)
    for name in web.__all__:
        assert getattr(web, name).__doc__
    try:
        web.nothing  # noqa: B018
    except AttributeError as error:
        assert "no attribute 'nothing'" in str(error)
    else:
        raise AssertionError
