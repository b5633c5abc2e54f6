"""Values of elements, and the spellings of a pose."""

import numpy as np
import pytest
from lxml import etree

from gori.formats.sdf.elements import (
    child,
    flag,
    inverse,
    name_of,
    needed,
    number,
    numbers,
    pose,
    text,
    transform,
    truth,
)
from gori.formats.xml import ElementError
from gori.spec.base import rotation


def element(inside: str, tag: str = "link"):
    return etree.fromstring(f"<{tag} name='a'>{inside}</{tag}>")


def test_values():
    a = element("<mass> 2.5 </mass><xyz>1 2 3</xyz><static>TRUE</static><off>0</off><limit>inf</limit>")
    assert number(a, "mass", 1.0) == 2.5 and number(a, "none", 1.0) == 1.0
    assert numbers(a, "xyz", 3).tolist() == [1.0, 2.0, 3.0] and numbers(a, "none", 3) is None
    assert flag(a, "static") and not flag(a, "off", True) and flag(a, "none", True)
    assert number(a, "limit", 0.0, infinite=True) == np.inf
    assert text(a, "mass") == needed(a, "mass") == "2.5" and text(a, "none") == "" and name_of(a) == "a"
    assert truth(a, "merge", "1")


@pytest.mark.parametrize(
    ("inside", "ask", "words"),
    [
        ("<m>x</m>", lambda a: number(a, "m", 0.0), "m is 'x', which is not a number"),
        ("<m>1 2</m>", lambda a: number(a, "m", 0.0), "needs 1 number, and '1 2' has 2"),
        ("<m>inf</m>", lambda a: number(a, "m", 0.0), "must be finite"),
        ("<m>-1</m>", lambda a: number(a, "m", 0.0, low=0.0), "m must be at least 0, is -1"),
        ("<m>1</m><m>2</m>", lambda a: child(a, "m"), "<link> 'a' has more than one <m>"),
        ("<m>maybe</m>", lambda a: flag(a, "m"), "m must be true or false, not 'maybe'"),
        ("<m/>", lambda a: needed(a, "m"), "<link> 'a' does not give <m>"),
        ("<m/>", lambda a: name_of(a[0]), "a <m> has no name"),
        ("<pose>1 2 3</pose>", pose, "pose needs 6 numbers"),
        ("<pose rotation_format='quat_xyzw'>0 0 0 0 0 0 0</pose>", pose, "the quaternion is zero"),
    ],
)
def test_values_that_make_no_sense(inside, ask, words):
    with pytest.raises(ElementError) as caught:
        ask(element(inside))
    assert words in caught.value.reason


def test_poses():
    R = rotation((10.0, 20.0, 30.0), None)
    radians = " ".join(map(repr, np.radians([10.0, 20.0, 30.0]).tolist()))
    spellings = (f"<pose>1 2 3 {radians}</pose>", "<pose degrees='true'>1 2 3 10 20 30</pose>",
                 "<pose rotation_format='quat_xyzw'>1 2 3 0.03813457647485015 0.18930785741199999 0.2392983377447303 "
                 "0.9515485246437886</pose>")  # fmt: skip
    for spelling in spellings:
        X, relative_to = pose(element(spelling))
        assert np.allclose(X, transform(R, (1, 2, 3)), atol=1e-12) and relative_to == ""
        assert np.allclose(X @ inverse(X), np.eye(4))
    X, relative_to = pose(element("<pose relative_to='b'/>"))
    assert np.array_equal(X, np.eye(4)) and relative_to == "b"
    assert np.array_equal(pose(element(""))[0], np.eye(4))
