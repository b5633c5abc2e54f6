"""A moving base as joints: the same poses, and nothing left on the ground."""

import numpy as np
import pytest

import gori
from gori.formats import write_yaml
from gori.model.loops.motions import motion_values
from gori.model.moving_base import with_moving_base
from gori.spec import GROUND, Spec
from tests.checks import close

TABLE = [[-0.5, 0.2], [1.0, -0.4], [3.0, 0.1]]
FULL = {"position": ["0.3*sin(2*t)", TABLE, "0.5 + 0.1*t**2"], "rpy": ["0.4*cos(t)", "0.3*t", TABLE]}
NAMES = ["base.x", "base.y", "base.z", "base.yaw", "base.pitch", "base.roll"]
BODY = {"mass": 1.0, "inertia": [0.1, 0.1, 0.1]}


def machine(base) -> Spec:
    """Two branches with a loop, a frame and forces on the ground."""
    return Spec(
        bodies={"a": BODY, "b": BODY, "c": BODY},
        joints={
            "A": {"type": "revolute", "parent": "ground", "child": "a", "at": (0, 1, 0), "rpy_deg": (10, 20, 30)},
            "B": {"type": "spherical", "parent": "a", "child": "b", "at": (0, 0, 1)},
            "C": {"type": "prismatic", "parent": "ground", "child": "c", "axis": (1, 0, 0)},
        },
        cuts={
            "loop": {"type": "spherical", "parent": "ground", "child": "b"},
            "turned": {"type": "distance", "parent": "c", "child": "ground", "length": 1},
            "inner": {"type": "distance", "parent": "b", "child": "c", "length": 1},
        },
        motions={"drive": {"joint": "A", "speed": 1}},
        forces={
            "one": {"type": "spring", "parent": "ground", "child": "a", "stiffness": 1},
            "strut": {"type": "strut", "parent": "ground", "child": "a", "stiffness": 1},
            "two": {"type": "bushing", "parent": "b", "child": "ground", "stiffness": (1, 1, 1, 1, 1, 1)},
            "three": {"type": "motor", "joint": "C", "kp": 1},
            "four": {"type": "wrench", "body": "b", "force": (1, 0, 0)},
        },
        frames={"mark": {"body": "ground", "at": (1, 2, 3)}, "tool": {"body": "b", "at": (0, 0, 1)}},
        base=base,
        gravity=(0, 0, -1),
        run={"duration": 2},
    )


def pose(base, t: float) -> np.ndarray:
    """Trans(x, y, z) Rz(yaw) Ry(pitch) Rx(roll), (4, 4), written out."""
    values = [*base.position, *base.rpy]
    x, y, z, roll, pitch, yaw = (motion_values(gori.spec.Motion(joint="_", value=u), 0.0, [t])[0, 0] for u in values)
    (cr, sr), (cp, sp), (cy, sy) = ((np.cos(angle), np.sin(angle)) for angle in (roll, pitch, yaw))
    Rz = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    Ry = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    Rx = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = Rz @ Ry @ Rx, (x, y, z)
    return T


BASES = {
    "all six": FULL,
    "some rest": {"position": [0, 0, "0.1*sin(t)"], "rpy": [0, "t", 0]},
    "numbers": {"position": [0.1, "t", -0.3], "rpy": [0.4, 5.0, -0.6]},
    "numbers alone": {"position": [1, 2, 3], "rpy": [0.4, 0.5, 0.6]},
    "at rest": {},
}


@pytest.mark.parametrize("base", BASES.values(), ids=BASES)
def test_poses(base):
    spec = machine(base)
    moved = with_moving_base(spec)
    plain, model = (gori.compile(s, open_loops=True) for s in (spec.set("base", None), moved))
    q_plain = plain.random(3)
    for t in (0.0, 0.4, 2.9):
        q = model.neutral()
        for name in plain.joint_names:
            q[model.joint(name).q] = q_plain[plain.joint(name).q]
        for name, motion in moved.motions.items():
            if name != "drive":
                q[model.joint(motion.joint).q] = motion_values(motion, 0.0, [t])[0, 0]
        here, there = model.forward_kinematics(q), plain.forward_kinematics(q_plain)
        T = pose(spec.base, t)
        close(here["base"], T, 1e-14)
        for frame in plain.frame_names:
            if frame != GROUND:
                close(here[frame], T @ there[frame], 1e-14)


def test_velocities():
    """The start state moves with the base: the twist of `base` is the rate of its pose."""
    spec = machine(FULL)
    model = gori.compile(with_moving_base(spec), open_loops=True)
    h = 1e-6
    rate = (pose(spec.base, h) - pose(spec.base, -h)) / (2.0 * h)
    spin = rate[:3, :3] @ pose(spec.base, 0.0)[:3, :3].T
    twist = model.jacobian(model.q0, "base") @ model.v0
    close(twist, [spin[2, 1], spin[0, 2], spin[1, 0], *rate[:3, 3]], 1e-8)
    close(model.forward_kinematics(model.q0)["base"], pose(spec.base, 0.0), 1e-14)


def test_nothing_stays_on_the_ground():
    spec = machine(FULL)
    moved = with_moving_base(spec)
    assert moved.base is None
    assert list(moved.joints) == [*NAMES, "A", "B", "C"] and list(moved.motions) == [*NAMES, "drive"]
    assert write_yaml(moved).count("ground") == 1 and moved.joints["base.x"].parent == GROUND
    assert moved.joints["A"].parent == moved.joints["C"].parent == "base"
    assert (moved.cuts["loop"].parent, moved.cuts["turned"].child) == ("base", "base")
    assert (moved.forces["one"].parent, moved.forces["two"].child) == ("base", "base")
    assert moved.forces["strut"].parent == "base"
    assert moved.frames["mark"].body == "base"
    # all else is as it was
    for group, name in (
        ("cuts", "inner"),
        ("joints", "B"),
        ("forces", "three"),
        ("forces", "four"),
        ("frames", "tool"),
    ):
        assert getattr(moved, group)[name] == getattr(spec, group)[name]
    assert moved.cuts["turned"].length == 1.0 and moved.frames["mark"].at == (1.0, 2.0, 3.0)
    assert (moved.gravity, moved.run, moved.motions["drive"]) == (spec.gravity, spec.run, spec.motions["drive"])
    assert all(moved.bodies[name].inertial()[0] == 0.0 for name in moved.bodies if name.startswith("base"))


def test_only_what_moves_has_a_joint():
    model = gori.compile(with_moving_base(machine(BASES["some rest"])), open_loops=True)
    assert model.joint_names == ("base.z", "base.pitch", "A", "B", "C")
    still = with_moving_base(machine(BASES["numbers"]))
    assert [name for name in still.motions if name != "drive"] == ["base.y"]
    assert gori.compile(with_moving_base(machine({})), open_loops=True).joint_names == ("A", "B", "C")


def test_a_spec_without_a_base_is_itself():
    spec = machine(None)
    assert with_moving_base(spec) is spec


def test_a_table_keeps_its_interpolation():
    rows = [[0, 0.0], [1, 0.0], [2, 0.5], [9, 0.5]]
    moved = with_moving_base(machine({"position": [0, 0, rows], "interpolation": "pchip"}))
    assert moved.motions["base.z"].interpolation == "pchip"
