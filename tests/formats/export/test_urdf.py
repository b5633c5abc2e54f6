"""A Spec as URDF: Pinocchio computes the same, and it is read back as it was."""

import numpy as np
import pytest

import gori
from gori.errors import FileError, FormatWarning, SpecWarning
from gori.formats.export.urdf import ROOT, geometry_of, rpy_of, write_urdf
from gori.spec.base import rotation
from tests.formats.export.machines import HEAVY, JOINTS, chain, machine, same_dynamics

pin = pytest.importorskip("pinocchio")
SAID = [kind for kind in JOINTS if kind != "spherical"]


@pytest.mark.parametrize("kind", SAID)
def test_it_is_read_back_as_it_was(tmp_path, kind):
    spec, path = machine(kind), tmp_path / "a.urdf"
    write_urdf(spec, path)
    if kind == "free":  # whose coordinates stay on the joint's frame
        ours, theirs = gori.compile(spec), gori.compile(gori.load(path))
        q, v = ours.random(1), np.arange(8.0)
        assert np.allclose(ours.bias(q, v), theirs.bias(q, v), atol=1e-10)
    else:
        same_dynamics(spec, gori.load(path))


@pytest.mark.parametrize("spec", [*(machine(kind) for kind in SAID if kind != "free"), chain()])
@pytest.mark.filterwarnings("ignore::gori.errors.FormatWarning")
def test_pinocchio_computes_the_same(tmp_path, spec):
    path = tmp_path / "a.urdf"
    write_urdf(spec, path, lossy=True)
    m = pin.buildModelFromUrdf(str(path))
    model, data, rng = gori.compile(spec), m.createData(), np.random.default_rng(0)
    q, v = model.random(rng), rng.normal(size=model.nv)
    there, rates, order = pin.neutral(m), np.zeros(m.nv), np.zeros(m.nv, int)
    for info in model.joints:
        names = [info.name] if info.nv == 1 else [f"{info.name}.{k}" for k in range(info.nv)]
        for k, name in enumerate(names):
            joint = m.joints[m.getJointId(name)]
            angle = q[info.q][k]
            there[joint.idx_q : joint.idx_q + joint.nq] = [np.cos(angle), np.sin(angle)] if joint.nq == 2 else [angle]
            order[joint.idx_v] = info.v.start + k
    rates[:] = v[order]
    M = pin.crba(m, data, there)
    M = np.triu(M) + np.triu(M, 1).T
    assert np.allclose(M, model.mass_matrix(q)[np.ix_(order, order)], rtol=0, atol=1e-12 * np.abs(M).max())
    b = pin.nonLinearEffects(m, data, there, rates)
    assert np.allclose(b, model.bias(q, v)[order], rtol=0, atol=1e-11 * np.abs(b).max())


def test_fields_and_shapes_there_and_back(tmp_path):
    body = {**HEAVY, "shapes": {"x": {"type": "box", "size": [1, 2, 3], "at": [1, 0, 0], "colour": "#ff0000"},
                                "y": {"type": "cylinder", "radius": 0.1, "length": 2, "axis": [0, 1, 0]}}}  # fmt: skip
    joint = {"type": "revolute", "parent": "ground", "child": "a", "limits": [-1, 2], "damping": 5, "friction": 6}
    joint |= {"effort_limit": 3, "velocity_limit": 4}
    follower = {"type": "prismatic", "parent": "a", "child": "b", "mimic": {"joint": "j", "ratio": 2, "offset": 0.5}}
    spec = gori.Spec(bodies={"a": body, "b": HEAVY}, joints={"j": joint, "k": follower})
    write_urdf(spec, tmp_path / "a.urdf")
    back = gori.load(tmp_path / "a.urdf")
    assert back.joints["base"].child == ROOT and back.joints["k"].mimic == spec.joints["k"].mimic
    for name in ("limits", "effort_limit", "velocity_limit", "damping", "friction"):
        assert getattr(back.joints["j"], name) == getattr(spec.joints["j"], name)
    box = next(shape for shape in back.bodies["a"].shapes.values() if shape.type == "box")
    assert box.size == (1, 2, 3) and box.at == (1, 0, 0)
    drum = next(shape for shape in back.bodies["a"].shapes.values() if shape.type == "cylinder")
    R, p = drum.pose()
    assert np.allclose(p, 0) and np.allclose(R @ drum.axis, (0, 1, 0))


def test_what_cannot_be_said_is_refused_by_name(tmp_path):
    for spec, words in (
        (machine("spherical"), "spherical joint: tested"),
        (machine("revolute", armature=1), "armature of a joint: tested"),
        (machine("revolute", stiffness=1), "stiffness of a joint: tested"),
        (machine("revolute").set("gravity", [0, 0, -3]), "gravity"),
    ):
        with pytest.raises(FileError, match="URDF cannot say all") as caught:
            write_urdf(spec)
        assert words in str(caught.value)
        with pytest.warns(FormatWarning):
            write_urdf(spec, tmp_path / "a.urdf", lossy=True)
        assert "c" in gori.load(tmp_path / "a.urdf").bodies


def test_the_ground_has_a_name_of_its_own(tmp_path):
    joint = {"type": "free", "parent": "ground", "child": "world", "v": 1}
    with pytest.warns(FormatWarning, match="URDF has no start values"):
        write_urdf(gori.Spec(bodies={"world": HEAVY}, joints={"j": joint}), tmp_path / "a.urdf")
    assert set(gori.load(tmp_path / "a.urdf").bodies) == {"world", "world_2"}


def test_an_inertia_without_mass_stays(tmp_path):
    spec = machine("fixed").set(
        {"bodies.b.mass": 0.0, "bodies.b.com": [0, 0, 0], "bodies.b.inertia": [1, 2, 2], "bodies.b.unphysical": True}
    )
    write_urdf(spec, tmp_path / "a.urdf")
    with pytest.warns(SpecWarning, match="inertia without mass"):
        same_dynamics(spec, gori.load(tmp_path / "a.urdf"))


def test_frames_are_links_without_mass(tmp_path):
    frames = {"tip": {"body": "c", "at": [1, 2, 3], "rpy_deg": [10, 0, 0]}, "mark": {"body": "ground"}}
    spec = gori.Spec(**machine("prismatic").model_dump(exclude_unset=True), frames=frames)
    write_urdf(spec, tmp_path / "a.urdf")
    ours, theirs = gori.compile(spec), gori.compile(gori.load(tmp_path / "a.urdf"))
    q = ours.random(0)
    for name in spec.frames:
        assert np.allclose(ours.forward_kinematics(q)[name], theirs.forward_kinematics(q)[name], atol=1e-12)


def test_a_capsule_is_a_cylinder_and_two_spheres():
    capsule = gori.spec.Body(
        shapes={"x": {"type": "capsule", "radius": 0.1, "length": 2, "axis": [0, 1, 0], "at": [1, 0, 0]}}
    )
    (bar, kind, size), *balls = geometry_of(capsule.shapes["x"], None)
    assert (kind, size) == ("cylinder", {"radius": 0.1, "length": 2.0}) and np.allclose(bar[1], (1, 1, 0))
    assert [tag for _, tag, _ in balls] == ["sphere"] * 2
    assert np.allclose([pose[1] for pose, _, _ in balls], [(1, 0, 0), (1, 2, 0)])
    cone = gori.spec.Body(shapes={"x": {"type": "cone", "radius": 0.1, "length": 2}})
    assert geometry_of(cone.shapes["x"], None) is None


def test_angles_of_a_rotation():
    rng = np.random.default_rng(0)
    for angles in (*rng.uniform(-180, 180, (50, 3)), (10, 90, 0), (0, -90, 30), (20, 90, 40)):
        R = rotation(tuple(angles), None)
        assert np.allclose(rotation(tuple(np.degrees(rpy_of(R))), None), R, atol=1e-9)
