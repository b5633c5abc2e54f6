"""Cuts in a run: turns that are counted by every method, kept in a State and recorded; events and motions on cuts."""

import numpy as np
import pytest

import gori
from gori.errors import InputError, SpecError
from gori.integrate import METHODS
from gori.spec import Spec
from tests.checks import close
from tests.sim.loops.cut_anywhere import cut_at, joints_alone

ROD = {"mass": 1.0, "com": [0.15, 0, 0], "inertia": [1e-3, 8e-3, 8e-3]}


def drag_link(**changes) -> Spec:
    """A four-bar whose shortest bar is the frame: all others turn all the way round, and so does each joint."""
    spec = Spec(
        gravity=[0, 0, 0],
        bodies={"crank": ROD, "coupler": ROD, "follower": ROD},
        joints={
            "A": {"type": "revolute", "parent": "ground", "child": "crank", "q": 1.0, "v": 9.0},
            "B": {"type": "revolute", "parent": "crank", "at": [0.3, 0, 0], "child": "coupler", "guess": 2.3},
            "C": {"type": "revolute", "parent": "coupler", "at": [0.3, 0, 0], "child": "follower",
                  "child_at": [0.32, 0, 0]},
            "D": {"type": "revolute", "parent": "follower", "child": "ground", "child_at": [0.1, 0, 0], "guess": -2.4},
        },
        **changes,
    )  # fmt: skip
    return spec


def started(name: str, **changes) -> tuple[gori.Model, gori.State]:
    """The machine with this joint as its cut, in the same start."""
    first = gori.compile(cut_at(drag_link(**changes), "C"))
    rec = gori.Recording(first, [0.0], *(x[None] for x in (first.state().q, first.state().v)))
    if name == "C":
        return first, first.state()
    model = gori.compile(cut_at(joints_alone(drag_link(**changes)), name))
    q, v = ([float(rec[f"{info.name}.{kind}"][0]) for info in model.joints] for kind in "qv")
    return model, model.state(q, v)


def method_of(kind):
    return METHODS[kind]() if METHODS[kind].adaptive else METHODS[kind](step=1e-3)


@pytest.mark.parametrize("kind", METHODS)
def test_turns_are_counted_by_every_method(kind):
    """Samples are several turns apart: only what was counted in between tells how many."""
    model, state = started("A")
    rec = gori.Simulation(model, method_of(kind), state=state).run(4.0, sample=1.0)
    whole, start = started("C")
    tree = gori.Simulation(whole, gori.Dopri5(rtol=1e-10, atol=1e-12), state=start).run(4.0, sample=1.0)
    loose = 0.3 if kind in ("implicit_euler", "semi_implicit", "time_stepping") else 0.02
    assert np.diff(tree["A.q"]).min() > 6.0
    np.testing.assert_allclose(rec["A.q"], tree["A.q"], atol=loose * tree["A.q"].max())
    np.testing.assert_allclose(
        np.round((rec["A.q"] - rec["A.q"][0]) / 6.3), np.round((tree["A.q"] - 1.0) / 6.3), atol=1
    )
    assert rec["A.turns"].tolist() == np.round((rec["A.q"] - np.arctan2(np.sin(rec["A.q"]), np.cos(rec["A.q"])))
                                               / (2 * np.pi)).tolist()  # fmt: skip


@pytest.mark.parametrize("name", "ABD")
@pytest.mark.parametrize("loops", ["multipliers", "partition", "frozen_explicit"])
def test_the_same_values_as_in_the_tree(name, loops):
    """Of a run, to what the runs themselves agree; of its states to the last digits: angles of a plane add up."""
    model, state = started(name)
    rec = gori.Simulation(model, gori.RK4(step=5e-4), state=state, loops=loops).run(2.0, sample=0.37)
    assert name in model.cut_names
    # crank, coupler and follower: the angles of B and C less those of A and D make whole turns
    around = rec["A.q"] + rec["B.q"] + rec["C.q"] + rec["D.q"]
    close(around, np.full(len(rec), around[0]), 1e-10)
    close(rec["A.v"] + rec["B.v"] + rec["C.v"] + rec["D.v"], np.zeros(len(rec)), 1e-10)
    close(rec["A.a"] + rec["B.a"] + rec["C.a"] + rec["D.a"], np.zeros(len(rec)), 1e-8)
    assert np.abs(around[0]) < 1e-10 and rec["A.q"][-1] > 12.0


def test_a_state_keeps_the_turns(tmp_path):
    """Through a file, with another method, and with other coordinates; without them, turns are counted from none."""
    model, state = started("A")
    simulation = gori.Simulation(model, gori.RK4(step=1e-3), state=state)
    simulation.run(2.0)
    turned, angle = simulation.state, simulation.run(1e-3)["A.q"][0]
    assert angle > 12.0 and turned.parts["cuts"]["turns"][0] == round(angle / (2 * np.pi))
    turned.save(tmp_path / "state")
    again = gori.Simulation(model, gori.RK4(step=1e-3), state=gori.State.load(tmp_path / "state"))
    assert again.run(0.1)["A.q"][0] == angle
    for other in (gori.Dopri5(), gori.GeneralizedAlpha(step=1e-3)):
        with pytest.warns(gori.errors.RestartWarning):
            assert gori.Simulation(model, other, state=turned).run(1e-2)["A.q"][0] == angle
    moved = gori.Simulation(model, state=turned.replace(q=turned.q, v=turned.v))
    assert moved.run(1e-2)["A.q"][0] == angle
    bare = gori.Simulation(model, state=gori.State(2.0, turned.q, turned.v))
    assert abs(bare.run(1e-2)["A.q"][0]) <= np.pi


@pytest.mark.parametrize("kind", ["rk4", "generalized_alpha"])
def test_a_run_in_pieces_counts_alike(kind):
    """Whatever the steps between two counts, the State is the same, and so is the angle."""
    digests = []
    for pieces in ((1000,), (1, 2, 3, 994), (333, 667), (50,) * 20):
        model, state = started("A")
        simulation = gori.Simulation(model, method_of(kind), state=state)
        for count in pieces:
            simulation.advance(count)
        digests.append(simulation.state.digest())
        cuts = simulation.state.parts["cuts"]
        assert cuts["turns"][0] >= 1.0 and cuts["track"]["time"] == simulation.time
    assert len({*digests}) == 1


@pytest.mark.parametrize("name, part, value", [
    ("turns", "must be whole numbers", np.array([0.5])), ("turns", "of shape", np.zeros(3)),
    ("track", "it may be of another run", np.zeros(1)),
])  # fmt: skip
def test_turns_of_another_machine_are_refused(name, part, value):
    model, state = started("A")
    simulation = gori.Simulation(model, gori.RK4(step=1e-3), state=state)
    simulation.advance(2)
    wrong = simulation.state.replace(cuts=dict(simulation.state.parts["cuts"]) | {name: value})
    with pytest.raises(InputError, match=part):
        simulation.state = wrong


def test_a_run_is_taken_up_with_its_turns(tmp_path):
    model, state = started("A")
    path = tmp_path / "run.h5"
    whole = gori.Simulation(model, gori.RK4(step=1e-3), state=state).run(2.0, sample=0.5, path=path)
    loaded = gori.open_run(path)
    assert np.array_equal(loaded["A.q"], whole["A.q"]) and np.array_equal(loaded["A.a"], whole["A.a"])
    assert np.array_equal(gori.Recording.load(path)["A.q"], whole["A.q"])


# ---- events


@pytest.mark.parametrize("method", [gori.RK4(step=1e-3), gori.Dopri5(rtol=1e-9, atol=1e-11)], ids=lambda m: m.kind)
@pytest.mark.parametrize("value", ["A.q - 20", "A.v - 9.5", "sin(A.q) - 0.2*A.v*cos(D.q) + t"])
def test_events_on_a_cut_are_those_on_the_joint(method, value):
    logs = []
    for name in "CA":
        model, state = started(name)
        simulation = gori.Simulation(model, method, state=state, events={"e": value})
        rec = simulation.run(3.0)
        logs.append([time for _, time in rec.info["events"]])
        if value == "A.q - 20":
            (here,) = np.flatnonzero(rec.time == logs[-1][0])
            assert rec["A.q"][here] == pytest.approx(20.0, abs=1e-9)
    assert len(logs[0]) == len(logs[1]) > 0
    np.testing.assert_allclose(logs[1], logs[0], atol=2e-6)


def test_an_event_that_changes_the_state_goes_on_counting():
    """At the second full turn the machine is stopped and sent back."""
    model, state = started("A")

    def back(here):
        return here.replace(v=-here.v)

    rec = gori.Simulation(
        model, gori.RK4(step=1e-3), state=state, events={"far": gori.Event("A.q - 14", "rising", back)}
    ).run(4.0, sample=0.1)
    assert rec["A.q"].max() == pytest.approx(14.0, abs=1e-8) and rec["A.q"][-1] < 0.0


def test_unknown_names_and_joints_of_several_coordinates():
    model, _ = started("A")
    with pytest.raises(InputError, match="'E' is not a movable joint"):
        gori.Simulation(model, events={"e": "E.q"})


# ---- motions


def test_motions_of_a_cut_are_those_of_the_joint():
    """Positions, velocities, accelerations, drives and reactions, over several turns."""
    times = np.linspace(0.0, 3.0, 61)
    one = gori.inverse_dynamics(gori.compile(cut_at(drag_link(), "C")), times, {"A": "1 + 9*t"})
    model, _ = started("A")
    same = [float(one[f"{info.name}.q"][0]) for info in model.joints]  # the loop closes in two ways
    two = gori.inverse_dynamics(model, times, {"A": "1 + 9*t"}, q=same)
    assert one["A.q"][-1] == pytest.approx(28.0)
    for name in "ABCD":
        for channel in ("q", "v", "a", "reaction"):
            tolerance = 1e-8 if channel in ("a", "reaction") else 1e-10
            close(two[f"{name}.{channel}"], one[f"{name}.{channel}"], tolerance)
    close(two["A.drive"], one["A.drive"], 1e-8)
    rec = gori.Simulation(two.model, gori.RK4(step=1e-3), state=two.model.state(same)).run(2.0, sample=0.5)
    close(rec["A.q"], 1.0 + 9.0 * rec.time, 1e-9)
    close(rec["B.q"], np.interp(rec.time, times, one["B.q"]), 1e-2)
    assert np.ptp(rec["energy.work"]) > 0.1
    close(rec["energy.balance"], np.zeros(len(rec)), 1e-6)


def test_a_speed_starts_where_the_cut_is():
    spec = cut_at(joints_alone(drag_link()), "A")
    data = spec.model_dump(exclude_unset=True)
    data["joints"]["D"]["guess"] = -2.4
    data["motions"] = {"motor": {"joint": "A", "speed": 2.0, "start": 1.0}}
    rec = gori.Simulation(gori.compile(Spec(**data)), gori.RK4(step=1e-3)).run(1.0, sample=0.25)
    close(rec["A.q"], 1.0 + 2.0 * rec.time, 1e-9)


def mover(kind: str, **fields) -> Spec:
    """A body that a cut of this type carries to what a motion says; the tree lets it fly."""
    return Spec(
        gravity=[0, 0, 0],
        bodies={"body": {"mass": 1.0, "inertia": [1, 1, 1]}},
        joints={"fly": {"type": "free", "parent": "ground", "child": "body"}},
        cuts={"cut": {"type": kind, "parent": "ground", "child": "body", "axis": [0, 0, 1], **fields}},
    )


@pytest.mark.parametrize("kind, axis, value", [
    ("prismatic", 0, "0.3*t"), ("revolute", 0, "5*t"), ("cylindrical", 0, "5*t"), ("cylindrical", 1, "0.2*t**2"),
    ("planar", 0, "0.2*t"), ("planar", 1, "0.3*t"), ("planar", 2, "4*t"), ("universal", 0, "4*t"),
    ("universal", 1, "4*t"), ("helical", 0, "9*t"),
])  # fmt: skip
def test_every_coordinate_of_a_cut_can_be_moved(kind, axis, value):
    spec = mover(kind, **({"pitch": 0.1} if kind == "helical" else {}))
    data = spec.model_dump(exclude_unset=True) | {"motions": {"cut": {"joint": "cut", "axis": axis, "value": value}}}
    rec = gori.Simulation(gori.compile(Spec(**data)), gori.RK4(step=1e-3)).run(2.0, sample=0.25)
    own = rec["cut.q"].reshape(len(rec), -1)
    wanted = np.array([eval(value, {"t": t}) for t in rec.time])
    close(own[:, axis], wanted, 1e-9)
    close(rec["cut.v"].reshape(len(rec), -1)[:, axis], np.gradient(wanted, rec.time, edge_order=2), 1e-9)
    close(rec["energy.balance"], np.zeros(len(rec)), 1e-9)  # what the motion puts in is counted
    if kind == "helical":
        close(rec["body.z"], 0.1 * wanted / (2 * np.pi), 1e-9)


def test_what_a_motion_of_a_cut_cannot_be():
    rod = {"type": "distance", "parent": "ground", "child": "body", "length": 1.0}
    for cut, words in ((rod, "has no coordinates to move"), ({"type": "spherical", "parent": "ground", "child": "body"},
                                                              "contains a quaternion")):  # fmt: skip
        data = mover("revolute").model_dump(exclude_unset=True) | {"cuts": {"cut": cut}}
        with pytest.raises(SpecError, match=words):
            Spec(**data, motions={"cut": {"joint": "cut", "value": "t"}})


# ---- screws


def test_a_screw_that_is_cut_moves_as_in_the_tree():
    """A nut that is held from turning climbs a spindle that a torque turns, many turns up and down."""
    parts = {
        "spindle": {"mass": 1.0, "inertia": [1e-3, 1e-3, 2e-3]},
        "nut": {"mass": 2.0, "inertia": [1e-3, 1e-3, 1e-3]},
    }
    joints = {
        "bearing": {"type": "revolute", "parent": "ground", "child": "spindle"},
        "thread": {"type": "helical", "parent": "spindle", "child": "nut", "pitch": 0.02},
        "guide": {"type": "prismatic", "parent": "ground", "child": "nut"},
    }
    torque = {"drive": {"type": "torque", "joint": "bearing", "value": "0.3*cos(1.5*t)"}}
    runs = {}
    for cut in ("thread", "guide"):
        spec = Spec(
            bodies=parts, joints={name: joint for name, joint in joints.items() if name != cut},
            cuts={cut: joints[cut]}, forces=torque,
        )  # fmt: skip
        runs[cut] = gori.Simulation(gori.compile(spec), gori.RK4(step=1e-3)).run(3.0, sample=0.1)
    one, two = runs["guide"], runs["thread"]
    assert np.abs(one["thread.q"]).max() > 50.0
    for channel in ("thread.q", "thread.v", "guide.q", "bearing.q", "thread.reaction", "guide.reaction", "thread.a"):
        close(two[channel], one[channel], 1e-7)
    close(two["guide.q"], two["thread.q"] * 0.02 / (2 * np.pi), 1e-10)
