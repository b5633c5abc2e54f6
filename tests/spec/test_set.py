"""Spec: values set by name, and that nothing else changes it."""

import copy
import math
import pickle
import warnings

import numpy as np
import pytest

from gori.errors import SpecError
from gori.spec import Body, Spec
from tests.checks import arm
from tests.spec.test_spec import BALL, DENSE, chain


def test_set():
    spec = arm()
    assert spec.set("elbow.damping", 0.5).joints["elbow"].damping == (0.5,)
    assert spec.set("bodies.lower.mass", 3).bodies["lower"].mass == 3.0
    assert spec.set("lower.mass", 3).bodies["lower"].mass == 3.0
    assert spec.set("gravity", [0, 0, 0]).gravity == (0.0, 0.0, 0.0)
    assert spec.set("tool.at", np.ones(3)).frames["tool"].at == (1.0, 1.0, 1.0)
    assert spec.bodies["lower"].mass == 1.0 and spec.joints["elbow"].damping == (0.0,)
    assert spec.set("elbow.mimic", {"joint": "shoulder"}).set("elbow.mimic.ratio", 3).joints["elbow"].mimic.ratio == 3.0


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("elbw.damping", 1, "cannot set 'elbw.damping': unknown name; did you mean 'elbow'?"),
        ("joints.elbw.damping", 1, "there is no 'elbw'; did you mean 'elbow'?"),
        ("elbow.dampin", 1, "unknown key 'dampin'; did you mean 'damping'?"),
        ("elbow.damping", -1, "joints.elbow.damping.0: must not be negative"),
        ("elbow.parent", "uper", "parent 'uper' is not a body; did you mean 'upper'?"),
        ("lower.mass", math.nan, "must be finite"),
        ("elbow.damping.more", 1, "cannot set"),
        ("elbow", 1, "cannot set 'elbow' as a whole: name a field, such as 'elbow.damping'"),
        ("lower", 1, "name a field, such as 'lower.mass'"),
        ("tool", 1, "name a field, such as 'tool.at'"),
        ("elbow.limits_deg.0", 1, "parts of a list cannot be set; set the whole list, 'joints.elbow.limits_deg'"),
        ("joints.elbow.axis.1", 1, "parts of a list cannot be set; set the whole list, 'joints.elbow.axis'"),
        ("joints.elbw.1", 1, "there is no 'elbw'"),
        ("weight", 1, "unknown name"),
    ],
)
def test_set_refuses(name, value, words):
    with pytest.raises(SpecError) as caught:
        arm().set(name, value)
    assert words in str(caught.value)


def test_set_of_a_name_with_two_meanings():
    spec = Spec(bodies={"wheel": BALL}, joints={"wheel": {"type": "revolute", "parent": "ground", "child": "wheel"}})
    with pytest.raises(SpecError, match=r"it may mean bodies.wheel.mass or joints.wheel.mass; be specific"):
        spec.set("wheel.mass", 2)
    assert spec.set("bodies.wheel.mass", 2).bodies["wheel"].mass == 2.0


def test_spec_is_frozen():
    for change in (lambda s: setattr(s, "gravity", (0, 0, 0)), lambda s: setattr(s.bodies["lower"], "mass", 2.0)):
        with pytest.raises(ValueError, match="frozen"):
            change(arm())


def test_spec_holds_dicts_that_do_not_change():
    spec = Spec(**chain(bodies={"a": {"shapes": DENSE}, "b": BALL}))
    for things in (
        spec.bodies,
        spec.joints,
        spec.cuts,
        spec.forces,
        spec.frames,
        spec.bodies["a"].shapes,
        Body().shapes,
    ):
        for change in (
            lambda d: d.__setitem__("x", 3),
            lambda d: d.__delitem__("a"),
            lambda d: d.__ior__({}),
            lambda d: d.update(x=3),
            lambda d: d.setdefault("x", 3),
            lambda d: d.pop("a", None),
            lambda d: d.popitem(),
            lambda d: d.clear(),
        ):
            with pytest.raises(SpecError, match="a Spec is immutable"):
                change(things)
    assert type(spec.bodies | {}) is dict and type(spec.bodies.copy()) is dict


def test_spec_is_copied_and_dumped_like_plain_data():
    data = chain(bodies={"a": {"shapes": DENSE}, "b": BALL})
    spec = Spec(**data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = [pickle.loads(pickle.dumps(spec)), copy.copy(spec), copy.deepcopy(spec), spec.model_copy(deep=True)]
        again += [Spec(**spec.model_dump(exclude_unset=True)), Spec.model_validate_json(spec.model_dump_json())]
        again += [Spec(bodies=spec.bodies, joints=spec.joints)]
        assert type(spec.model_dump()["bodies"]) is dict
    for other in again:
        assert other == spec and other.bodies["a"] == spec.bodies["a"]
        with pytest.raises(SpecError, match="is immutable"):
            other.bodies["a"].shapes["x"] = 3
