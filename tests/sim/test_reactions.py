"""Reactions of redundant machines: the same wherever loops are cut, the smallest, and told which are determined."""

from functools import cache

import numpy as np
import pytest

import gori
from gori.sim.reactions import least_squares
from gori.spec import Spec
from tests.checks import close
from tests.model.loops.singular import parallelogram
from tests.sim.loops.cut_anywhere import MACHINES, bar, cut_at, door, joints_alone, moving_as, planar_four_bar

SAME = 1e-9
"""difference of reactions that the choice of cuts may make, relative to the largest"""


@cache
def recorded(name):
    recording = MACHINES[name][0]()
    return recording, joints_alone(recording.model.spec), gori.Trace(recording)


def compare(one: gori.Trace, other: gori.Trace) -> None:
    """All reactions; moments by the length of the machine."""
    assert set(one.reactions) == set(other.reactions) and one.length == pytest.approx(other.length)
    scale = np.array([one.length] * 3 + [1.0] * 3)
    largest = max(np.abs(wrench / scale).max() for wrench in one.reactions.values())
    for name, wrench in one.reactions.items():
        np.testing.assert_allclose(
            other.reactions[name] / scale, wrench / scale, rtol=0, atol=SAME * largest, err_msg=name
        )
        assert np.array_equal(one.determined(name), other.determined(name)), name


CUTS = [(name, joint) for name, (_, joints) in MACHINES.items() for joint in joints.split()]


@pytest.mark.parametrize("name, joint", CUTS, ids=["-".join(case) for case in CUTS])
def test_moving_the_cut_changes_no_reaction(name, joint):
    recording, spec, trace = recorded(name)
    other = gori.compile(cut_at(spec, joint))
    assert joint in other.cut_names
    compare(trace, gori.Trace(moving_as(other, recording)))


def test_each_bar_is_in_balance():
    """Newton and Euler for the coupler, from the wrenches of its two joints alone, in all six directions."""
    recording = planar_four_bar()
    trace = gori.Trace(recording)
    acceleration, R = recording["coupler.acceleration"], recording["coupler.rotation"]
    part, gravity = recording.model.spec.bodies["coupler"], np.array(recording.model.spec.gravity)
    mass, com, inertia = part.inertial()
    r = R @ com
    w, alpha = recording["coupler.velocity"][:, :3], acceleration[:, :3]
    a = acceleration[:, 3:] + np.cross(alpha, r) + np.cross(w, np.cross(w, r))
    J = R @ inertia @ R.transpose(0, 2, 1)
    spin = np.einsum("nij,nj->ni", J, alpha) + np.cross(w, np.einsum("nij,nj->ni", J, w))
    B, C = trace.reaction("B"), trace.reaction("C")
    close(B[:, 3:] - C[:, 3:], mass * (a - gravity), 1e-9)
    arm = R @ np.array([0.5, 0.0, 0.0]) - r
    close(B[:, :3] + np.cross(-r, B[:, 3:]) - C[:, :3] - np.cross(arm, C[:, 3:]), spin, 1e-9)


def test_in_the_plane_forces_are_determined_and_across_it_they_are_not():
    trace = gori.Trace(planar_four_bar())
    for name in "ABCD":
        assert (trace.determined(name) == [False, False, True, True, True, False]).all(), name
    assert trace.unique == dict.fromkeys("ABDC", False) and trace.drive_determined("A").all()
    with pytest.raises(gori.errors.InputError, match="'E' is not a joint or cut"):
        trace.determined("E")
    with pytest.raises(gori.errors.InputError, match="'B' is not a motion"):
        trace.drive_determined("B")


def test_components_in_the_axes_of_a_body():
    """A tilted plane: in the axes of a body that lies in it the same components are determined."""
    spec = planar_four_bar().model.spec
    data = spec.model_dump(exclude_unset=True)
    for name in ("A", "D"):
        data["joints"][name] |= {"quat": [0.8, 0.0, 0.6, 0.0]}
    data["joints"]["D"]["at"] = [0.6 * (1 - 2 * 0.36), 0.0, -0.6 * 2 * 0.8 * 0.6]
    rec = gori.kinematics(gori.compile(Spec(**data)), [0.0, 0.1])
    trace = gori.Trace(rec)
    assert (trace.determined("C", frame="coupler") == [False, False, True, True, True, False]).all()
    assert not trace.determined("C")[:, [0, 2, 3, 5]].any() and not rec["C.determined"][:, 0].any()


def test_a_door_shares_its_weight_between_the_hinges():
    """What pulls it from the frame is determined; that both bear half of the weight is the smallest sum of squares."""
    rec = door()
    trace = gori.Trace(rec)
    assert (trace.determined("low") == [False, False, True, False, False, False]).all()
    assert trace.determined("bolt").all()
    low, high = trace.reaction("low"), -trace.reaction("high")  # `high` is written on the frame
    weight, pull = 21.0 * 9.81, 20.0 * 0.4 + 1.0 * 0.85
    close(low[:, 5] + high[:, 5], np.full(len(rec), weight), 1e-10)
    close(low[:, 5], high[:, 5], 1e-10)
    R, w = rec["door.rotation"], rec["low.v"]
    inward = np.einsum("nji,nj->ni", R, low[:, 3:] + high[:, 3:])[:, 0]
    close(inward, -pull * w**2, 1e-9)
    # what is shared are four numbers: the balance about the other axis is kept whatever the split
    tilting = np.einsum("nji,nj->ni", R, low[:, :3] + high[:, :3])[:, 1]
    across = np.einsum("nji,nj->ni", R, high[:, 3:] - low[:, 3:])[:, 0]
    close(tilting + 0.8 * across, (20.0 * 0.4 + 1.0 * 0.85) * 9.81 * np.ones(len(rec)) * -1.0, 1e-9)


def test_the_sum_is_the_smallest():
    """Whatever the hinges of a door clamp it with makes the sum larger, however little it is."""
    trace = gori.Trace(door())
    scale, sample = np.array([trace.length] * 3 + [1.0] * 3), 2

    def total(change=0.0, low=0.0, high=0.0):
        own = {"low": change * low, "high": change * high}
        return sum((((w[sample] + own.get(name, 0.0)) / scale) ** 2).sum() for name, w in trace.reactions.items())

    rng = np.random.default_rng(0)
    for _ in range(20):
        force, moment = rng.normal(size=3), np.array([*rng.normal(size=2), 0.0])  # about the hinges nothing is clamped
        low = np.concatenate([moment, force])
        high = np.concatenate([moment + np.cross([0.0, 0.0, -1.6], force), force])  # written on the frame
        assert min(total(1e-3, low, high), total(-1e-3, low, high)) > total()


# ---- compliances and drives


def mounted(left, right) -> gori.Trace:
    """A bar of 10 kg, its weight at a quarter of the way between a slider and a plane that carry it, at rest."""
    spec = Spec(
        bodies={"bar": {"mass": 10.0, "com": [0.25, 0, 0], "inertia": [1, 1, 1]}},
        joints={"left": {"type": "prismatic", "parent": "ground", "child": "bar", "axis": [0, 1, 0], **left}},
        cuts={"right": {"type": "planar", "parent": "ground", "at": [1, 0, 0], "child": "bar", "child_at": [1, 0, 0],
                        **right}},
    )  # fmt: skip
    return gori.Trace(gori.Recording(gori.compile(spec), [0.0], np.zeros((1, 1)), np.zeros((1, 1))))


@pytest.mark.parametrize("soft", [1.0, 3.0, 10.0])
def test_a_split_from_compliances(soft):
    """Both give way upwards alone, by c F: the bar stays level, so they bear the weight as their stiffnesses are."""
    trace = mounted({"compliance": [0, 0, 0, 0, 0, 1e-6]}, {"compliance": [0, 0, 0, 0, 0, soft * 1e-6]})
    left, right = trace.reaction("left")[0], trace.reaction("right")[0]
    close([left[5], right[5]], 98.1 * np.array([soft, 1.0]) / (1.0 + soft), 1e-12)
    assert not trace.determined("left")[0, 5]
    # the moments that balance them are shared as if there were no compliance: they are the smallest
    about_left = left[1] + right[1] - 1.0 * right[5] + 0.25 * 98.1
    close(about_left, 0.0, 1e-12)
    close(left[1], right[1], 1e-12)


def test_a_compliance_for_some_of_the_joints_leaves_the_rest_to_the_smallest_squares():
    """A joint that alone is soft bears nothing along the soft axis: what it stores is then smallest."""
    trace = mounted({}, {"compliance": [0, 0, 0, 0, 0, 1e-6]})
    close(trace.reaction("right")[0, 5], 0.0, 1e-12)
    close(trace.reaction("left")[0, 5], 98.1, 1e-12)


def two_motors(**weights):
    """A four-bar that both its crank and its rocker drive, as the motion of the crank alone would."""
    rec = planar_four_bar()
    times, angle = rec.time, rec["D.q"]
    data = rec.model.spec.model_dump(exclude_unset=True)
    fine = gori.kinematics(gori.compile(Spec(**{**data, "motions": {"A": {"joint": "A", "value": "1.05 + 7*t"}}})),
                           np.linspace(-0.1, 1.1, 2401))  # fmt: skip
    table = list(zip(fine.time, fine["D.q"]))
    data["motions"] = {
        "A": {"joint": "A", "value": "1.05 + 7*t", "weight": weights.get("A", 1.0)},
        "D": {"joint": "D", "value": table, "weight": weights.get("D", 1.0)},
    }
    model = gori.compile(Spec(**data))
    other = moving_as(model, rec)
    assert np.allclose(angle, other["D.q"]) and len(times) == len(other)
    return gori.Trace(other, accelerations=rec["a"]), gori.Trace(rec)


def test_redundant_drives_share_their_work_by_weights():
    trace, alone = two_motors()
    rec = trace.recording
    assert not trace.drive_determined("A").any() and not trace.drive_determined("D").any()
    power = alone.drives["A"] * 7.0
    for weights in ({}, {"A": 100.0}, {"D": 100.0}):
        shared, _ = two_motors(**weights)
        done = shared.drives["A"] * rec["A.v"] + shared.drives["D"] * rec["D.v"]
        close(done, power, 1e-6)
        if "D" in weights:
            close(shared.drives["A"], alone.drives["A"], 0.05)
            assert np.abs(shared.drives["D"]).max() < 0.05 * np.abs(trace.drives["D"]).max() + 1e-3


def test_two_cranks_of_a_parallelogram_drive_it_together():
    """More motions than degrees of freedom, which agree: statics give the sum of both torques, weights their shares."""
    link = {"mass": 0.0, "inertia": [0, 0, 0]}
    weights = {"equal": (1.0, 1.0), "first": (1.0, 5.0), "second": (5.0, 1.0)}
    shares = {}
    for name, (one, two) in weights.items():
        spec = Spec(
            gravity=[0, -10.0, 0],
            bodies={"left": link, "right": link, "bar": {"mass": 3.0, "com": [0.5, 0, 0], "inertia": [1, 1, 1]}},
            joints={"A": {"type": "revolute", "parent": "ground", "child": "left"},
                    "B": {"type": "revolute", "parent": "left", "at": [0.4, 0, 0], "child": "bar"},
                    "D": {"type": "revolute", "parent": "ground", "at": [1, 0, 0], "child": "right"}},
            cuts={"C": {"type": "revolute", "parent": "bar", "at": [1, 0, 0], "child": "right",
                        "child_at": [0.4, 0, 0]}},
            motions={name: {"joint": name, "value": 0.5, "weight": weight} for name, weight in zip("AD", (one, two))},
        )  # fmt: skip
        rec = gori.inverse_dynamics(gori.compile(spec), [0.0], q=[0.5, -0.5, 0.5])
        close(rec["A.drive"] + rec["D.drive"], [30.0 * 0.4 * np.cos(0.5)], 1e-10)
        shares[name] = rec["A.drive"][0] / (rec["A.drive"][0] + rec["D.drive"][0])
    assert shares["equal"] == pytest.approx(0.5, abs=1e-10)
    assert shares["first"] > 0.5 > shares["second"] and shares["first"] + shares["second"] == pytest.approx(1.0)


def test_least_squares_gives_the_shortest_and_what_is_left():
    rows, offset = np.array([[1.0, 1.0, 0.0], [2.0, 2.0, 0.0]]), np.array([-1.0, -2.0])
    x, free = least_squares(rows, offset)
    close(x, [0.5, 0.5, 0.0], 1e-14)
    assert free.shape == (3, 2) and np.abs(rows @ free).max() < 1e-14


def test_a_tree_has_nothing_to_share():
    spec = Spec(
        bodies={"arm": bar(1.0, 2.0)}, joints={"hinge": {"type": "revolute", "parent": "ground", "child": "arm"}}
    )
    model = gori.compile(spec)
    trace = gori.Trace(gori.Recording(model, [0.0, 1.0], np.zeros((2, 1)), np.zeros((2, 1))))
    assert trace.multipliers.shape == (2, 0) and trace.determined("hinge").all() and trace.unique == {"hinge": True}


# ---- samples at a singular pose


def through_flat(gravity, times):
    """Inverse dynamics of a parallelogram that is driven through its flat pose at t = 0.5 s."""
    spec = parallelogram(0.5).set("gravity", gravity)
    return gori.inverse_dynamics(gori.compile(spec), times, motions={"A": "0.5 + (pi - 0.5)*2*t"}, progress=False)


def test_drives_at_a_singular_sample_are_the_limit_along_the_branch():
    """On the parallel branch all bars swing as one: torque = g cos A (1/2 + 1/2 + 1)."""
    rec = through_flat([0, -9.81, 0], np.linspace(0, 1, 41))
    np.testing.assert_allclose(rec["A.drive"], 19.62 * np.cos(rec["A.q"]), rtol=0, atol=1e-6)
    assert gori.Trace(rec).drive_determined("A").all()
    assert not rec["D.determined"][20].any()  # they grow beyond all bounds
    assert rec["D.determined"][19, 3:5].all()


def test_reactions_that_have_a_limit_at_a_singular_sample_are_determined():
    rec = through_flat([3.0, 0, 0], np.array([0.0, 0.4999, 0.5, 0.5001, 1.0]))
    force = rec["D.reaction"][:, 3:5]
    np.testing.assert_allclose(force[2], 0.5 * (force[1] + force[3]), rtol=0, atol=1e-4)
    assert rec["D.determined"][2, 3:5].all()
