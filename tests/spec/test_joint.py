import pytest

from gori.errors import SpecError
from gori.spec import Joint
from gori.spec.joint import NV, QUATERNION, closest_body


def joint(kind, **fields):
    fields |= {"pitch": 0.1} if kind == "helical" else {}
    return Joint(type=kind, parent="ground", child="a", **fields)


@pytest.mark.parametrize("kind", NV)
def test_one_number_counts_for_all_axes(kind):
    if NV[kind]:
        assert len(joint(kind, damping=0.5).damping) in (1, NV[kind])
        with pytest.raises(SpecError):
            joint(kind, damping=[0.5] * (NV[kind] + 1))


def test_quaternion_joints():
    assert set(QUATERNION) == {"spherical", "free"}


def test_a_joint_needs_two_bodies():
    with pytest.raises(SpecError):
        Joint(type="revolute", parent="a", child="a")
    assert "did you mean 'upper'" in closest_body("uper", ["upper", "lower"])
