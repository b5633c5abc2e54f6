"""Channels that follow from forces, by hand: efforts, accelerations, reactions, drives, and what subsystems put out."""

import numpy as np
import pytest

import gori
from gori import vehicle
from gori.errors import InputError
from gori.model.vehicle.tables import TRAIN_CHANNELS, WHEEL_CHANNELS
from gori.sim.channels import add_channels, add_force_channels, add_output_channels
from tests.sim.machines import falling, hinge, with_forces

T = np.linspace(0.0, 1.0, 11)


def recorded(spec, q, v, add=None, **more):
    """A motion that is put together by hand, with its channels."""
    rec = gori.Recording(gori.compile(spec), T, q[:, None], v[:, None], **more)
    add_channels(rec, gori.Trace(rec)) if add is None else add(rec)
    return rec


def test_efforts_and_powers_by_name():
    """Spring and damper of the joint under its name, forces under theirs."""
    spec = with_forces(
        hinge(stiffness=3.0, damping=0.5),
        push={"type": "torque", "joint": "axle", "value": "2*t"},
        brake={"type": "torque", "joint": "axle", "value": "-axle.v"},
    )
    q, v = np.sin(T), np.cos(T)
    rec = recorded(spec, q, v)
    np.testing.assert_allclose(rec["axle.effort"], -3.0 * q - 0.5 * v, atol=1e-14)
    np.testing.assert_allclose(rec["push.effort"], 2.0 * T, atol=1e-14)
    np.testing.assert_allclose(rec["brake.power"], -v * v, atol=1e-14)
    np.testing.assert_allclose(rec["axle.power"], rec["axle.effort"] * v, atol=1e-14)
    assert rec.units("push.power") == ("W",)
    assert rec.units("axle.effort") == rec.units("push.effort") == ("N m",)
    # the inertia is 1
    np.testing.assert_allclose(rec["axle.a"], sum(rec[f"{n}.effort"] for n in ("axle", "push", "brake")), atol=1e-13)
    np.testing.assert_allclose(rec["a"][:, 0], rec["axle.a"])
    assert rec.units("axle.a") == ("rad/s2",)


def test_forces_and_energies_of_springs_between_frames():
    """A spring and a bushing between frames of ground and mass: the same as between points of the bodies."""
    frames = {"top": {"body": "ground", "at": [0, 0, 3]}, "eye": {"body": "mass", "at": [0.5, 0, 1]}}
    spec = with_forces(
        falling().set("frames", frames),
        spring={"type": "spring", "parent": "top", "child": "eye", "stiffness": 7.0, "damping": 0.3, "length": 0.5},
        mount={"type": "bushing", "parent": "eye", "child_at": [0.5, 0, 0], "child": "top", "stiffness": [4.0] * 6},
        wind={"type": "wrench", "body": "eye", "force": [0, 0, 2], "moment": [1, 0, 0]},
    )
    points = {
        "spring": {"parent": "ground", "at": [0, 0, 3], "child": "mass", "child_at": [0.5, 0, 1]},
        "mount": {"parent": "mass", "at": [0.5, 0, 1], "child": "ground", "child_at": [0.5, 0, 3]},
    }
    q, v = np.sin(T), np.cos(T)
    rec = recorded(spec, q, v)
    away = np.column_stack([0 * q + 0.5, 0 * q, q + 1.0 - 3.0])
    length = np.linalg.norm(away, axis=1)
    tension = 7.0 * (length - 0.5) + 0.3 * away[:, 2] / length * v
    np.testing.assert_allclose(rec["spring.effort"], tension, atol=1e-13)
    np.testing.assert_allclose(rec["spring.force"], -away * (tension / length)[:, None], atol=1e-13)
    np.testing.assert_allclose(rec["spring.power"], rec["spring.force"][:, 2] * v, atol=1e-13)
    np.testing.assert_allclose(rec["spring.energy"], 3.5 * (length - 0.5) ** 2, atol=1e-13)
    np.testing.assert_allclose(rec["mount.force"][:, 2], -4.0 * (2.0 - q), atol=1e-13)  # on the child, the ground
    np.testing.assert_allclose(rec["mount.power"], 4.0 * (2.0 - q) * v, atol=1e-13)
    np.testing.assert_allclose(rec["mount.energy"], 2.0 * (2.0 - q) ** 2, atol=1e-13)
    np.testing.assert_allclose(rec["energy.elastic"], rec["spring.energy"] + rec["mount.energy"], atol=1e-13)
    np.testing.assert_allclose(rec["wind.power"], 2.0 * v, atol=1e-13)
    np.testing.assert_allclose(rec["wind.moment"], np.tile([1.0, 0, 0], (11, 1)), atol=1e-15)
    assert rec.units("spring.effort") == ("N",)
    assert rec.units("spring.force")[0] == "N" and rec.units("mount.moment")[0] == "N m"
    assert "mount.effort" not in rec and "spring.moment" not in rec
    whole = spec
    for name, ends in points.items():
        for end, value in ends.items():
            whole = whole.set(f"forces.{name}.{end}", value)
    same = recorded(whole, q, v)
    for name in ("spring.force", "mount.force", "mount.moment", "energy.elastic", "a"):
        np.testing.assert_allclose(same[name], rec[name], atol=1e-12)


def test_nothing_acts_nothing_is_added():
    rec = recorded(falling(), np.ones(11), np.zeros(11), add_force_channels)
    with pytest.raises(InputError, match=r"rail\.effort"):
        rec["rail.effort"]


def test_accelerations_and_reactions_of_a_pendulum():
    """Bob of 2 kg at 1.5 m: a = g sin q / l; the pivot carries weight and centripetal force."""
    m, length, g = 2.0, 1.5, 9.81
    spec = gori.Spec(
        bodies={"bob": {"mass": m, "com": [0, 0, -length]}},
        joints={"pivot": {"type": "revolute", "parent": "ground", "child": "bob", "axis": [0, 1, 0]}},
        frames={"tip": {"body": "bob", "at": [0, 0, -length]}},
    )
    q, w = np.linspace(-1.0, 1.0, 11), np.linspace(0.0, 3.0, 11)
    rec = recorded(spec, q, w)
    a = -g * np.sin(q) / length
    np.testing.assert_allclose(rec["pivot.a"], a, atol=1e-12)
    along, across = np.stack([-np.sin(q), 0 * q, -np.cos(q)]), np.stack([-np.cos(q), 0 * q, np.sin(q)])
    tip = (length * (a * across - w**2 * along)).T
    np.testing.assert_allclose(rec["tip.acceleration"][:, 3:], tip, atol=1e-12)
    np.testing.assert_allclose(rec["tip.acceleration"][:, 1], a, atol=1e-12)
    np.testing.assert_allclose(rec["pivot.reaction"][:, 3:], m * (tip + np.array([0.0, 0.0, g])), atol=1e-11)


def test_the_drive_of_a_motion():
    spec = gori.Spec(**hinge().model_dump(exclude_unset=True), motions={"turn": {"joint": "axle", "value": "sin(2*t)"}})
    rec = gori.Simulation(gori.compile(spec), gori.RK4(step=1e-3)).run(1.0, sample=0.1)
    np.testing.assert_allclose(rec["turn.drive"], -4.0 * np.sin(2.0 * rec.time), atol=1e-8)
    assert rec.units("turn.drive") == ("N m",)


def test_efforts_and_drives_of_lengths_are_forces():
    """A slide that is driven and braked; a cylindrical joint, whose drive of axis 1 is a force."""
    bodies = {name: {"mass": 1.0, "inertia": [1, 1, 1]} for name in ("sled", "bolt")}
    joints = {
        "rail": {"type": "prismatic", "parent": "ground", "child": "sled", "damping": 1.0},
        "thread": {"type": "cylindrical", "parent": "ground", "child": "bolt", "damping": [1.0, 2.0]},
    }
    motions = {"slide": {"joint": "rail", "value": "t"}, "screw": {"joint": "thread", "axis": 1, "value": "t"},
               "turn": {"joint": "thread", "axis": 0, "value": "t"}}  # fmt: skip
    model = gori.compile(gori.Spec(bodies=bodies, joints=joints, motions=motions))
    rec = gori.Simulation(model, gori.RK4(step=1e-2)).run(0.1, progress=False)
    assert [rec.units(f"{name}.drive") for name in motions] == [("N",), ("N",), ("N m",)]
    assert rec.units("rail.effort") == ("N",) and rec.units("thread.effort") == ("N m, N",)


def test_outputs_of_subsystems_are_columns_of_what_was_recorded():
    outputs = np.arange(44.0).reshape(11, 4)
    info = {"outputs": {"tank.level": [0, 1, "m"], "mass.wrench_from.tank": [1, 3, "N"]}}
    rec = recorded(falling(), np.ones(11), np.zeros(11), add_output_channels, extra={"outputs": outputs}, info=info)
    assert np.array_equal(rec["tank.level"], outputs[:, 0]) and rec.units("tank.level") == ("m",)
    assert np.array_equal(rec["mass.wrench_from.tank"], outputs[:, 1:])


ADAMS = gori.Adams(step=1e-3, order=2)


@pytest.fixture(scope="module")
def model():
    return gori.compile(vehicle.spec("hmmwv"))


@pytest.fixture(scope="module")
def rest(model):
    return gori.at_rest(model)


def test_channels_of_a_recording_are_those_of_the_simulation(model, rest):
    simulation = gori.Simulation(model, ADAMS, state=rest)
    rec = simulation.run(0.05, sample=0.01)
    names = [f"truck.wheel_{c}.{n}" for c in vehicle.CORNERS for n in WHEEL_CHANNELS]
    for name in [*names, *(f"truck.drivetrain.{n}" for n in TRAIN_CHANNELS)]:
        assert rec[name].shape == (6,) and rec[name][-1] == simulation.channel(name), name
    assert rec.units("truck.wheel_fl.load") == ("N",)
    weight = 9.81 * model.mass
    assert sum(rec[f"truck.wheel_{c}.load"] for c in vehicle.CORNERS)[-1] == pytest.approx(weight, rel=1e-4)
    with pytest.raises(InputError, match=r"did you mean 'truck.wheel_fl.load'"):
        simulation.channel("truck.wheel_fl.lod")
