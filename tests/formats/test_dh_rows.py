import numpy as np
import pytest

from gori.errors import SpecError
from gori.formats.dh_expand import row_pose
from gori.formats.dh_rows import DHRow, Link


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_a_row_without_numbers_moves_nothing(convention):
    assert np.array_equal(row_pose(DHRow(), convention), np.eye(4))


@pytest.mark.parametrize("fields", [{"alpha": 1.0, "alpha_deg": 30.0}, {"radius": 1.0}, {"a": "long"}])
def test_rows_that_are_refused(fields):
    with pytest.raises(SpecError):
        DHRow(**fields)


def test_a_link_is_a_row_and_a_body():
    link = Link(a=0.4, mass=2.0)
    assert isinstance(link, DHRow) and (link.a, link.mass) == (0.4, 2.0)
