import pytest

from gori.errors import SpecError
from gori.spec.strut import Strut

STRUT = {"type": "strut", "parent": "ground", "child": "a", "stiffness": 1.0}


def test_defaults_have_no_stops():
    strut = Strut(**STRUT)
    assert strut.shortest is None and strut.longest is None and not strut.stop


@pytest.mark.parametrize(
    ("stop", "words"),
    [
        ([[0.1, 5.0], [0.2, 4.0]], "the force of a stop must not decrease: 4.0 N follows 5.0 N"),
        ([[0.2, 5.0], [0.1, 6.0]], "stop"),
        ([], "a stop takes 1 to"),
    ],
)
def test_stops_that_are_refused(stop, words):
    with pytest.raises(SpecError, match=words):
        Strut(**STRUT, shortest=0.5, stop=stop)
