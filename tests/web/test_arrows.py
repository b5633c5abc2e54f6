import numpy as np
import pytest

from gori.errors import InputError
from gori.spec.vehicle.terrain import Terrain
from gori.web.arrows import LONGEST, arrows_of, normals, point_on
from tests.web.machines import four_bar, truck


def test_reactions_are_the_channels_at_the_pins():
    rec = four_bar()
    rows = np.arange(0, len(rec), 10)
    head, arrays = arrows_of(rec, "reaction", rows, 2.0)
    assert head["names"] == ["A", "B", "D", "C"]
    force = (arrays["heads"] - arrays["tails"])[:, 1] / head["scale"]
    scale = np.abs(rec["B.reaction"]).max()
    np.testing.assert_allclose(force, rec["B.reaction"][rows, 3:], atol=1e-3 * scale)
    joint = next(joint for joint in rec.model.connections if joint.name == "B")
    np.testing.assert_allclose(arrays["tails"][:, 1], point_on(rec, "coupler", joint.on_child[1], rows), atol=1e-6)
    length = np.linalg.norm(arrays["heads"] - arrays["tails"], axis=2)
    assert np.quantile(length, 0.98) == pytest.approx(LONGEST * 2.0, rel=0.05)


def test_the_ground_carries_the_truck():
    rec, _ = truck()
    rows = np.array([0])
    head, arrays = arrows_of(rec, "contact", rows, 5.0)
    assert len(head["names"]) == 4
    force = (arrays["heads"] - arrays["tails"])[0] / head["scale"]
    assert force[:, 2].sum() == pytest.approx(9.81 * rec.model.mass, rel=0.02)  # it starts at rest on the soil
    assert arrays["tails"][0, :, 2] == pytest.approx(np.zeros(4), abs=0.1)
    struts, _ = arrows_of(rec, "force", rows, 5.0)
    assert "truck.spring_fl" in struts["names"]


def test_normals_of_a_slope():
    up = normals(Terrain(grade=(1.0, 0.0)), np.zeros((2, 3)))
    np.testing.assert_allclose(up, np.tile([-np.sqrt(0.5), 0.0, np.sqrt(0.5)], (2, 1)), atol=1e-9)


def test_none_is_a_packet_too_and_wrong_kinds_are_named():
    rec = four_bar()
    head, arrays = arrows_of(rec, "contact", np.arange(3), 1.0)
    assert head["names"] == [] and arrays["heads"].shape == (3, 0, 3)
    with pytest.raises(InputError, match="one of contact, reaction, force, not 'wind'"):
        arrows_of(rec, "wind", np.arange(3), 1.0)
