import numpy as np
import pytest

from gori.errors import InputError
from gori.record.values import checked_extra, checked_info


def test_extra_channels_are_copies_with_a_row_for_each_sample():
    given = np.arange(3.0)
    channels = checked_extra({"a": given}, 3)
    given[0] = 9.0
    assert channels["a"][0] == 0.0 and checked_extra(None, 3) == {}


@pytest.mark.parametrize("extra", [{"": [1, 2]}, {"a/b": [1, 2]}, {"a": ["x", "y"]}, {"a": [1, 2, 3]}, {"a": 1.0}])
def test_extra_channels_that_are_refused(extra):
    with pytest.raises(InputError):
        checked_extra(extra, 2)


def test_info_is_what_json_holds():
    assert checked_info({"a": (1, 2)}) == {"a": [1, 2]} and checked_info(None) == {}
    with pytest.raises(InputError, match="JSON"):
        checked_info({"a": object()})
