"""Cuts of a Spec: which fields go with which type."""

import pytest

from gori.errors import SpecError
from gori.spec import Spec
from gori.spec.loops.cut import Cut
from tests.spec.test_spec import chain

BETWEEN = {"parent": "a", "child": "b"}


@pytest.mark.parametrize(
    ("cut", "words"),
    [
        ({"type": "revolute", "axis2": [1, 0, 0]}, "cuts.c.axis2: axis2 is for universal cuts; this one is revolute"),
        ({"type": "universal", "axis2": [1, 0, 1]}, "cuts.c.axis2: axis2 must be perpendicular to axis"),
        ({"type": "fixed", "axis": [1, 0, 0]}, "cuts.c.axis: a fixed cut has no axis"),
        ({"type": "spherical", "axis": [1, 0, 0]}, "cuts.c.axis: a spherical cut has no axis"),
        ({"type": "distance", "length": 1, "axis": [1, 0, 0]}, "cuts.c.axis: a distance cut has no axis"),
        ({"type": "distance"}, "cuts.c: length is required for distance cuts"),
        (
            {"type": "revolute", "length": 1},
            "cuts.c.length: length is required for distance cuts and not allowed for others; this one is revolute",
        ),
        ({"type": "distance", "length": -1}, "cuts.c.length: must not be negative, is -1"),
        ({"type": "helical"}, "cuts.c: pitch is required for helical cuts"),
        ({"type": "revolute", "pitch": 1}, "cuts.c.pitch: pitch is required for helical cuts and not allowed"),
        ({"type": "free"}, "cuts.c.type:"),
        ({"type": "revolute", "dampin": 1}, "cuts.c.dampin: unknown key 'dampin'"),
        *(
            (
                {"type": "revolute", name: 1},
                f"cuts.c.{name}: a cut takes no {name}: list it under `joints`, and gori.com",
            )
            for name in ("damping", "stiffness", "friction", "q_deg", "armature")
        ),
    ],
)
def test_refused(cut, words):
    with pytest.raises(SpecError) as caught:
        Spec(**chain(cuts={"c": BETWEEN | cut}))
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "kind", ["fixed", "revolute", "prismatic", "cylindrical", "universal", "planar", "spherical", "distance"]
)
def test_every_type(kind):
    fields = {"length": 0.0} if kind == "distance" else {"axis2": (1, 0, 0)} if kind == "universal" else {}
    cut = Cut(type=kind, **BETWEEN, **fields)
    assert Spec(**chain(cuts={"c": cut})).cuts["c"] == cut
    assert Spec(**chain(cuts={"c": cut.model_dump(exclude_unset=True)})).cuts["c"] == cut
