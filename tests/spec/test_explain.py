import warnings

import pytest

from gori.errors import SpecError, SpecWarning
from gori.spec import Spec
from gori.spec.explain import warn


@pytest.mark.parametrize(
    ("bodies", "place", "words"),
    [
        ({"a": {"mas": 1}}, "bodies.a.mas", "unknown key 'mas'; did you mean 'mass'?"),
        ({"a": {"mass": -1}}, "bodies.a.mass", "must not be negative, is -1"),
        ({"a": {"com": [1, 2]}}, "bodies.a.com", "needs 3 numbers, has 2"),
        ({"a": {"shapes": {"s": {"type": "blob"}}}}, "bodies.a.shapes.s", "type 'blob' is not one of"),
        ({"a": {"shapes": {"s": {"type": "sphere", "radius": 0}}}}, "bodies.a.shapes.s.radius", "must be positive"),
    ],
)
def test_problems_have_a_place_and_words(bodies, place, words):
    with pytest.raises(SpecError) as raised:
        Spec(bodies=bodies)
    ((found, text),) = raised.value.problems
    assert found == place and words in text and f"{place}: {text}" == str(raised.value)


def test_warnings_point_to_the_line_outside_gori():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn("doubt")
    assert caught[0].category is SpecWarning and caught[0].filename == __file__
