"""Outlines of bodies: what is drawn is where the bodies are."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pytest

import gori
from bench.mechanisms import four_bar, stewart
from gori.view.skeleton import in_world, outline


@pytest.fixture(scope="module")
def linkage():
    model = gori.compile(four_bar())
    times = np.linspace(0.0, 1.0, 21)
    return gori.kinematics(model, times, {"foot0": "-0.8*t"})


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_lines_end_at_joints_and_cuts(linkage):
    """Both sides of a cut lie on the ends of the lines of its two bodies."""
    model, parts = linkage.model, outline(linkage.model.spec)
    poses = model.forward_kinematics(linkage.q[7])

    def pose(body):
        return poses[body][:3, :3], poses[body][:3, 3]

    ends = np.array([line[-1] for line in in_world(parts.lines, pose)])
    sides = np.concatenate(in_world(parts.cuts, pose))
    assert len(sides) == 2 and np.allclose(sides[0], sides[1], atol=1e-12)
    for point in sides:
        assert np.linalg.norm(ends - point, axis=1).min() < 1e-12
    assert len(parts.joints) == len(model.spec.joints)


def test_shapes_become_lines():
    shapes = {
        "box": {"type": "box", "size": (1, 2, 3), "at": (1, 0, 0), "mass": 1.0},
        "bar": {"type": "capsule", "length": 2.0, "radius": 0.1, "axis": (0, 0, 1)},
        "disc": {"type": "cylinder", "length": 0.5, "radius": 2.0, "axis": (0, 1, 0)},
        "ball": {"type": "sphere", "radius": 0.3},
        "egg": {"type": "ellipsoid", "radii": (0.2, 0.4, 0.6)},
    }
    sizes = {
        "box": ((0.5, -1, -1.5), (1.5, 1, 1.5)),
        "bar": ((0, 0, 0), (0, 0, 2)),
        "disc": ((-2, 0, -2), (2, 0.5, 2)),
        "ball": ((-0.3,) * 3, (0.3,) * 3),
        "egg": ((-0.2, -0.4, -0.6), (0.2, 0.4, 0.6)),
    }
    for name, (low, high) in sizes.items():
        joint = gori.spec.Joint(type="revolute", parent="ground", child="body", child_at=(9, 9, 9))
        spec = gori.Spec(bodies={"body": gori.spec.Body(shapes={name: shapes[name]})}, joints={"A": joint})
        points = np.concatenate([line for _, line in outline(spec).lines])
        assert np.allclose(points.min(axis=0), low) and np.allclose(points.max(axis=0), high), name


@pytest.mark.parametrize(("view", "columns"), [("xy", (0, 1)), ("xz", (0, 2)), ("yz", (1, 2))])
def test_draw_in_a_plane(linkage, view, columns):
    ax = gori.view.draw(linkage.model, linkage.q[5], view=view)
    place = linkage["B0.position"][5]
    ends = np.concatenate([np.array(line.get_data()).T for line in ax.lines])
    assert np.nanmin(np.linalg.norm(ends - place[list(columns)], axis=1)) < 1e-12


def test_draw_holds_all_in_space():
    model = gori.compile(stewart())
    ax = gori.view.draw(model, gori.assemble(model))
    place = model.forward_kinematics(model.q0)["platform"][:3, 3]
    for k, limits in enumerate((ax.get_xlim(), ax.get_ylim(), ax.get_zlim())):
        assert limits[0] < place[k] < limits[1] and limits[1] - limits[0] < 2.0


def test_visual_shapes_stand_for_a_body():
    shapes = {"hull": {"type": "sphere", "radius": 5.0}, "skin": {"type": "sphere", "radius": 2.0, "visual": True}}
    lines = outline(gori.Spec(bodies={"ground": {"shapes": shapes}})).lines
    assert max(np.abs(line).max() for _, line in lines) == 2.0
