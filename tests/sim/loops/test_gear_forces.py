"""Forces of gears, racks and belts on their bearings, against statics by hand; the motion is that of the equation."""

import numpy as np
import pytest

import gori
from gori.spec import Spec
from tests.checks import close

WHEEL = {"mass": 1.0, "inertia": [1e-3, 1e-3, 2e-3]}
TAN = np.tan(np.radians(20.0))
TIMES = np.linspace(0.0, 0.7, 8)


def hinge(child, at=(0, 0, 0), parent="ground", **more):
    return {"type": "revolute", "parent": parent, "child": child, "at": at} | more


def driven(joints, gears, forces, motions=None, bodies=(), **options) -> gori.Recording:
    """Wheels of uniform motion, so that inertia takes nothing; no gravity."""
    names = dict.fromkeys([*(joint["child"] for joint in joints.values()), *bodies])
    spec = Spec(gravity=[0, 0, 0], bodies=dict.fromkeys(names, WHEEL), joints=joints, gears=gears, forces=forces,
                **options)  # fmt: skip
    return gori.inverse_dynamics(gori.compile(spec), TIMES, motions or {"A": "4*t"})


def torque(joint, value):
    return {"load": {"type": "torque", "joint": joint, "value": value}}


@pytest.mark.parametrize("load", [30.0, -30.0])
@pytest.mark.parametrize("at", [0.0, 0.04])
def test_a_spur_pair(load, at):
    """Pinion 50 mm at the origin, gear 100 mm beside it on x, a torque on the gear: F = T / r, and F tan 20 apart."""
    mesh = {"type": "gear", "bodies": ["a", "b"], "radii": [0.05, 0.1], "position": at}
    rec = driven({"A": hinge("a"), "B": hinge("b", (0.15, 0, 0))}, {"mesh": mesh}, torque("B", load))
    F = load / 0.1
    pinion = np.array([abs(F) * TAN, F, 0.0])  # of the bearing: against what the teeth do
    moment = np.cross([0.0, 0.0, at], -pinion)  # the teeth are off the plane of the bearings
    close(rec["A.reaction"], np.tile([*(-moment[:2]), 0.5 * load, *pinion], (8, 1)), 1e-12)
    close(rec["B.reaction"], np.tile([*moment[:2], load, *(-pinion)], (8, 1)), 1e-12)
    close(rec["A.drive"], np.full(8, 0.5 * load), 1e-12)
    close(rec["mesh.tangential"], np.full(8, -F), 1e-12)
    close(rec["mesh.torque"], np.tile([-0.5 * load, -load], (8, 1)), 1e-12)
    close(rec["mesh.force"], np.tile(-pinion, (8, 1)), 1e-12)
    close(rec["mesh.pull"], np.tile([0.0, F] if load > 0 else [-F, 0.0], (8, 1)), 1e-12)
    close(rec["B.q"], -2.0 * rec.time, 1e-12)
    assert gori.Trace(rec).unique == {"A": True, "B": True} and rec.units("mesh.torque") == ("N m", "N m")


def test_a_pair_on_a_carrier_that_turns():
    """The housing flies round: teeth and bearings turn with it, and the mesh itself does nothing to it."""
    joints = {"swing": hinge("h"), "A": hinge("a", (1, 0, 0), "h"), "B": hinge("b", (1.15, 0, 0), "h")}
    mesh = {"type": "gear", "bodies": ["a", "b"], "radii": [0.05, 0.1]}
    rec = driven(joints, {"mesh": mesh}, torque("B", 30.0), {"A": "4*t", "swing": "0.5"})
    c, s = np.cos(0.5), np.sin(0.5)
    R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    close(rec["A.reaction"][:, 3:], np.tile(R @ [300.0 * TAN, 300.0, 0.0], (8, 1)), 1e-12)
    close(rec["mesh.force"], np.tile(R @ [-300.0 * TAN, -300.0, 0.0], (8, 1)), 1e-12)
    # the ground holds what the torques leave: those on both wheels act against the housing
    close(rec["swing.reaction"], np.tile([0, 0, 15.0 + 30.0 - 45.0, 0, 0, 0], (8, 1)), 1e-10)
    close(rec["swing.drive"], np.zeros(8), 1e-10)


def test_helical_teeth_push_along_the_axis():
    """Right-hand teeth on the pinion, 15 degrees: F tan(beta) axially, F tan(alpha)/cos(beta) apart."""
    mesh = {"type": "gear", "bodies": ["a", "b"], "radii": [0.05, 0.1], "helix_angle_deg": 15}
    rec = driven({"A": hinge("a"), "B": hinge("b", (0.15, 0, 0))}, {"mesh": mesh}, torque("B", 30.0))
    beta = np.radians(15.0)
    teeth = np.array([-300.0 * TAN / np.cos(beta), -300.0, 300.0 * np.tan(beta)])  # on the pinion
    close(rec["mesh.force"], np.tile(teeth, (8, 1)), 1e-12)
    close(rec["A.reaction"][:, 3:], np.tile(-teeth, (8, 1)), 1e-12)
    # normal to the flank: no part along the tooth, which rises with a turn about +z
    assert abs(teeth @ [0.0, np.sin(beta), np.cos(beta)]) < 1e-12
    close(rec["A.reaction"][:, 1], np.full(8, 0.05 * teeth[2]), 1e-12)  # which would tip the pinion


@pytest.mark.parametrize("load", [-80.0, 80.0])
def test_a_rack(load):
    """Pinion 50 mm at the origin, the rack below it along x: the load on the rack, and load tan 20 up and down."""
    rail = {"type": "prismatic", "parent": "ground", "child": "r", "at": [0, -0.05, 0], "axis": [1, 0, 0]}
    rec = driven(
        {"A": hinge("a"), "rail": rail}, {"rack": {"type": "rack", "bodies": ["a", "r"], "radius": 0.05}},
        {"load": {"type": "force", "joint": "rail", "value": load}},
    )  # fmt: skip
    close(rec["rail.q"], 0.05 * rec["A.q"], 1e-12)
    apart = abs(load) * TAN
    close(rec["A.reaction"], np.tile([0, 0, -0.05 * load, -load, -apart, 0], (8, 1)), 1e-12)
    close(rec["rail.reaction"][:, 3:], np.tile([load, apart, 0], (8, 1)), 1e-12)
    # the teeth press at x = 0, the origin of the rack has moved on: the guide holds it level
    close(rec["rail.reaction"][:, 2], -apart * rec["rail.q"], 1e-12)
    close(rec["rack.torque"], np.tile([0.05 * load, -load], (8, 1)), 1e-12)
    assert rec.units("rack.torque") == ("N m", "N")


def planetary(planets: int) -> gori.Recording:
    """Sun 20 mm, planets 30 mm, ring 80 mm that stands still; a torque on the sun, the arm is driven."""
    joints, gears, names = {"A": hinge("arm"), "sun": hinge("s")}, {}, []
    for k in range(planets):
        angle = 2.0 * np.pi * k / planets
        joints[f"pin{k}"] = hinge(f"p{k}", (0.05 * np.cos(angle), 0.05 * np.sin(angle), 0), "arm")
        gears[f"inner{k}"] = {"type": "gear", "bodies": ["s", f"p{k}"], "carrier": "arm", "radii": [0.02, 0.03]}
        gears[f"outer{k}"] = {
            "type": "gear", "bodies": [f"p{k}", "ground"], "radii": [0.03, 0.08], "internal": True
        }  # fmt: skip
        names.append(f"p{k}")
    light = {"mass": 1e-9, "inertia": [1e-12, 1e-12, 1e-12]}  # planets that fly round would load their pins
    spec = Spec(gravity=[0, 0, 0], bodies={"arm": WHEEL, "s": WHEEL, **dict.fromkeys(names, light)}, joints=joints,
                gears=gears, forces=torque("sun", 6.0))  # fmt: skip
    return gori.inverse_dynamics(gori.compile(spec), TIMES, {"A": "2*t"})


def test_a_planetary_set_with_one_planet():
    rec = planetary(1)
    F = 6.0 / 0.02
    close(rec["sun.q"], 5.0 * rec["A.q"], 1e-12)  # 1 + 80 / 20
    close(rec["pin0.q"], -80.0 / 30.0 * rec["A.q"], 1e-12)
    close(rec["A.drive"], np.full(8, -6.0 * 5.0), 1e-9)
    out = np.stack([np.cos(rec["A.q"]), np.sin(rec["A.q"]), 0 * rec["A.q"]], axis=1)
    along = np.cross([0.0, 0.0, 1.0], out)
    # both teeth push the planet on, and apart they cancel; the sun has one side alone
    close(rec["pin0.reaction"][:, 3:], -2.0 * F * along, 1e-9)
    close(rec["sun.reaction"][:, 3:], F * along + F * TAN * out, 1e-9)
    close(rec["A.reaction"][:, 3:], -2.0 * F * along, 1e-9)
    close(rec["inner0.tangential"], np.full(8, -F), 1e-9)
    close(np.abs(rec["outer0.tangential"]), np.full(8, F), 1e-9)


def test_three_planets_share_the_load():
    """How they do is not determined; the smallest squares share it alike, and the sun floats."""
    rec = planetary(3)
    trace = gori.Trace(rec)
    F = 6.0 / 0.02 / 3.0
    for k in range(3):
        close(rec[f"inner{k}.tangential"], np.full(8, -F), 1e-9)
        close(np.linalg.norm(rec[f"pin{k}.reaction"][:, 3:], axis=1), np.full(8, 2.0 * F), 1e-9)
    assert trace.determined("pin0")[0].tolist() == [
        True,
        True,
        True,
        True,
        False,
        True,
    ]  # along the pitch line it is not
    assert not trace.determined("sun")[0, 3:5].any()  # the more one planet bears, the more it pushes the sun away
    assert trace.drive_determined("A").all()
    close(rec["sun.reaction"][:, 3:], np.zeros((8, 3)), 1e-7)


@pytest.mark.parametrize("tension, load", [(400.0, 10.0), (400.0, -10.0), (50.0, 30.0)])
@pytest.mark.parametrize("crossed", [False, True])
def test_a_belt(tension, load, crossed):
    """Pulleys of 50 and 100 mm, 0.5 m apart: both spans pull on both shafts."""
    belt = {"type": "belt", "bodies": ["a", "b"], "radii": [0.05, 0.1], "tension": tension, "crossed": crossed}
    rec = driven({"A": hinge("a"), "B": hinge("b", (0.5, 0, 0))}, {"belt": belt}, torque("B", load))
    sign = -1.0 if crossed else 1.0
    close(rec["B.q"], sign * 0.5 * rec["A.q"], 1e-12)
    F = sign * load / 0.1  # pull that turns the first pulley forward
    pulls = [max(tension + F / 2, F, 0.0), max(tension - F / 2, -F, 0.0)]
    close(rec["belt.pull"], np.tile(pulls, (8, 1)), 1e-12)
    # the first span leaves the first pulley below: it turns it about +z
    slope = np.arcsin((0.05 + 0.1 if crossed else 0.05 - 0.1) / 0.5)
    spans = [np.array([np.cos(slope), side * np.sin(slope), 0.0]) for side in (1.0, -1.0)]
    force = pulls[0] * spans[0] + pulls[1] * spans[1]
    close(rec["belt.force"], np.tile(force, (8, 1)), 1e-12)
    close(rec["A.reaction"], np.tile([0, 0, -0.05 * F, *(-force)], (8, 1)), 1e-12)
    close(rec["B.reaction"], np.tile([0, 0, load, *force], (8, 1)), 1e-12)


def test_the_motion_is_that_of_mimic():
    """A gear moves a machine as a mimic joint of the same ratio does, with any solver; only the bearings differ."""
    joints = {"A": hinge("a", v=3.0), "B": hinge("b", (0.15, 0, 0), v=-1.5)}
    bodies = {"a": WHEEL | {"com": [0.01, 0, 0]}, "b": WHEEL | {"com": [0, 0.02, 0]}}
    mimic = joints | {"B": joints["B"] | {"mimic": {"joint": "A", "ratio": -0.5}}}
    gravity, forces = [0, -9.81, 0], {"load": {"type": "torque", "joint": "B", "value": "sin(5*t)"}}
    gear = {"mesh": {"type": "gear", "bodies": ["a", "b"], "radii": [0.05, 0.1]}}
    one = gori.compile(Spec(gravity=gravity, bodies=bodies, joints=mimic, forces=forces))
    two = gori.compile(Spec(gravity=gravity, bodies=bodies, joints=joints, forces=forces, gears=gear))
    for options in (
        {},
        {"loops": "partition"},
        {"loops": "frozen_explicit"},
        {"method": gori.GeneralizedAlpha(step=1e-3)},
    ):
        runs = [gori.Simulation(model, **{"method": gori.RK4(step=1e-3)} | options).run(1.0) for model in (one, two)]
        close(runs[1].q, runs[0].q, 1e-10)
    mesh = runs[1]["mesh.torque"]
    close(mesh[:, 0], runs[0]["A.reaction"][:, 2], 1e-8)
    assert np.abs(runs[1]["A.reaction"][:, 2]).max() < 1e-8  # nothing drives the pinion but the teeth


def test_a_wheel_in_two_bearings():
    """Wherever the loop of its shaft is cut, and the teeth in between: each bearing bears its share."""
    mesh = {"type": "gear", "bodies": ["a", "b"], "radii": [0.05, 0.1], "carrier": "ground", "position": 0.25}
    found = []
    for cut in ("near", "far"):
        ends = {"near": hinge("a"), "far": hinge("a", (0, 0, 1), child_at=[0, 0, 1])}
        joints = {name: joint for name, joint in ends.items() if name != cut} | {"B": hinge("b", (0.15, 0, 0))}
        spec = Spec(gravity=[0, 0, 0], bodies={"a": WHEEL, "b": WHEEL}, joints=joints, cuts={cut: ends[cut]},
                    gears={"mesh": mesh}, forces=torque("B", 30.0))  # fmt: skip
        rec = gori.inverse_dynamics(gori.compile(spec), TIMES, {"near": "4*t"})
        found.append([rec["near.reaction"], rec["far.reaction"]])
    close(found[1], found[0], 1e-9)
    near, far = found[0]
    close(near[:, 3:5] + far[:, 3:5], np.tile([300.0 * TAN, 300.0], (8, 1)), 1e-9)
    # f_1 + f_2 = f, m_1 = m_2 = (f/4 - f_2)/2: the smallest f_1^2 + f_2^2 + (m_1^2 + m_2^2)/L^2
    square = gori.Trace(rec).length ** 2
    assert square == pytest.approx(1.0 + 0.15**2)
    share = (2.0 + 0.25 / square) / (4.0 + 1.0 / square)
    close(far[:, 3:5], share * np.tile([300.0 * TAN, 300.0], (8, 1)), 1e-9)
    close(far[:, :2], near[:, :2], 1e-9)


def test_a_moving_base_carries_the_ring():
    spec = planetary(1).model.spec
    data = spec.model_dump(exclude_unset=True) | {"base": {"position": [0, 0, "0.1*t"]}}
    model = gori.compile(Spec(**data))
    assert model.gears["outer0"].bodies == ("p0", "base") and model.mobility().freedom == 0
