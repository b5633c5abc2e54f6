"""Parameters stay within their ranges."""

import pytest

from gori.errors import InputError
from gori.web.serve.play.planar import PLANAR


def test_values():
    example = PLANAR[0]
    assert example.values({"crank": 99.0})["crank"] == 0.35 and example.values()["crank"] == 0.2
    assert example.parameters[0].entry(0.5)["value"] == 0.5
    with pytest.raises(InputError, match="no parameter"):
        example.values({"x": 1.0})
