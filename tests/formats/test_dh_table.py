import pytest

from gori.errors import SpecError
from gori.formats.dh_table import DHTable, is_number, lettered


def test_links_are_numbered_in_order():
    table = DHTable(convention="standard", links=[{"a": 0.1}, {"a": 0.2}])
    assert [row.a for row in table.links.values()] == [0.1, 0.2]
    assert all(is_number(name) for name in table.links)
    assert not is_number("tool") and lettered("C", "3").startswith("C")


@pytest.mark.parametrize("fields", [{"convention": "own", "links": [{}]}, {"convention": "standard", "link": []}])
def test_tables_that_are_refused(fields):
    with pytest.raises(SpecError):
        DHTable(**fields)
