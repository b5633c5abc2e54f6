"""Degrees of freedom, redundant equations and independent coordinates of known mechanisms."""

import numpy as np
import pytest

import gori
from bench.mechanisms import andrews, bricard, four_bar, n_four_bar, stewart
from gori.errors import InputError, UnsupportedError
from gori.model.loops.mobility import coordinate_names, degrees
from gori.spec import GROUND, Spec
from tests.integrate.closed_machines import rockers, slider_crank
from tests.reference import loops
from tests.reference.random_loops import random_closed, random_overconstrained, random_planar

BODY = {"mass": 1.0, "inertia": [0.1, 0.1, 0.1]}
COUNTS = {
    # bodies, coordinates, equations, rank, degrees of freedom
    "four-bar": (four_bar, 3, 3, 5, 2, 1),
    "five four-bars": (lambda: n_four_bar(5), 11, 11, 25, 10, 1),
    "andrews": (andrews, 7, 7, 15, 6, 1),
    "bricard": (bricard, 5, 5, 5, 4, 1),
    "stewart": (stewart, 13, 21, 15, 15, 6),
    "spatial slider-crank": (slider_crank, 3, 5, 4, 4, 1),
    "driven rockers": (lambda: rockers(driven=True), 3, 3, 6, 3, 0),
}


@pytest.mark.parametrize("name", COUNTS)
def test_known_mechanisms(name):
    make, *counts = COUNTS[name]
    model = gori.compile(make())
    found = model.mobility()
    assert [found.bodies, found.coordinates, found.equations, found.rank, found.freedom] == counts
    assert len(found.redundant) == found.equations - found.rank
    assert len(found.independent) == found.freedom
    assert {*found.independent} | {*found.dependent} == {*coordinate_names(model)} and len(
        found.dependent
    ) == found.rank
    assert found.condition < 1e4


def test_names_of_coordinates():
    model = gori.compile(slider_crank())
    assert coordinate_names(model) == ["axle", "ball[0]", "ball[1]", "ball[2]", "rail"]
    assert (degrees(0), degrees(1), degrees(2)) == (
        "0 degrees of freedom", "1 degree of freedom", "2 degrees of freedom"
    )  # fmt: skip


def test_a_four_bar_in_words():
    found = gori.compile(four_bar()).mobility()
    assert found.redundant == ("top1.z", "top1.rx", "top1.ry")
    assert str(found).splitlines()[:3] == [
        "3 bodies, 3 coordinates, 5 equations of rank 2",
        f"1 degree of freedom; independent: {found.independent[0]}",
        "redundant: top1.z, top1.rx, top1.ry",
    ]


def test_a_tree_has_all_its_coordinates_free():
    found = gori.compile(four_bar(), open_loops=True).mobility()
    assert (found.equations, found.rank, found.freedom, found.dependent) == (0, 0, 3, ())
    assert found.independent == ("foot0", "elbow1", "foot1")


def test_loop_of_three_hinges_and_a_slide():
    """Haug (1989, section 10.1.1): three revolute joints and a translational one, a plane loop in space.

    In absolute coordinates 28 less 30 equations, of rank 27: one degree of freedom where the count says -2. Cut at the
    slide: 3 coordinates and 5 equations of rank 2; cut at a hinge, the same.
    """
    # crank 0.4 m, rod 1.2 m, slider along x
    crank, rod = 0.4, 1.2
    angle = 0.7
    lean = -np.arcsin(crank * np.sin(angle) / rod)
    reach = crank * np.cos(angle) + rod * np.cos(lean)
    hinge = {"type": "revolute", "axis": [0, 0, 1]}
    A = {**hinge, "parent": GROUND, "child": "crank", "q": angle}
    B = {**hinge, "parent": "crank", "child": "rod", "at": [crank, 0, 0], "q": lean - angle}
    C = {**hinge, "parent": "rod", "child": "slider", "at": [rod, 0, 0]}
    rail = {"type": "prismatic", "parent": GROUND, "child": "slider", "axis": [1, 0, 0]}
    bodies = {"crank": BODY, "rod": BODY, "slider": BODY}
    at_the_slide = Spec(bodies=bodies, joints={"A": A, "B": B, "C": C | {"q": -lean}}, cuts={"rail": rail})
    at_the_hinge = Spec(bodies=bodies, joints={"A": A, "B": B, "rail": rail | {"q": reach}}, cuts={"C": C})
    for spec in (at_the_slide, at_the_hinge):
        found = gori.compile(spec).mobility()
        assert (found.coordinates, found.equations, found.rank, found.freedom) == (3, 5, 2, 1)
    assert gori.compile(at_the_hinge).mobility().redundant == ("C.z", "C.rx", "C.ry")
    # every body flies, and all four joints are cuts: 18 coordinates and 20 equations of rank 17
    fly = {f"fly.{body}": {"type": "free", "parent": GROUND, "child": body} for body in bodies}
    joints = {"A": A, "B": B, "C": C, "rail": rail}
    cuts = {name: {key: value for key, value in joint.items() if key != "q"} for name, joint in joints.items()}
    model = gori.compile(Spec(bodies=bodies, joints=fly, cuts=cuts))
    poses = gori.compile(at_the_hinge).forward_kinematics(gori.compile(at_the_hinge).q0)
    q = np.concatenate(
        [
            [np.cos(turn / 2), 0, 0, np.sin(turn / 2), *poses[body][:3, 3]]
            for body, turn in (("crank", angle), ("rod", lean), ("slider", 0.0))
        ]
    )
    found = model.mobility(q)
    assert (found.coordinates, found.equations, found.rank, found.freedom) == (18, 20, 17, 1)
    assert len(found.redundant) == 3


def test_a_structure_does_not_move():
    """A triangle of bars: two coordinates, held by two equations; with a brace there is one more than needed."""
    bar = {"mass": 1.0, "com": [0.5, 0, 0], "inertia": [0.01, 0.1, 0.1]}
    triangle = Spec(
        bodies={"a": bar, "b": bar},
        joints={
            "A": {"type": "revolute", "parent": GROUND, "child": "a", "q": np.pi / 3},
            "B": {"type": "revolute", "parent": GROUND, "child": "b", "at": [1, 0, 0], "q": 2 * np.pi / 3},
        },
        cuts={"C": {"type": "revolute", "parent": "a", "child": "b", "at": [1, 0, 0], "child_at": [1, 0, 0]}},
    )
    model = gori.compile(triangle)
    found = model.mobility()
    assert (found.rank, found.freedom, found.independent, found.redundant) == (2, 0, (), ("C.z", "C.rx", "C.ry"))
    assert "0 degrees of freedom; independent: none" in str(found)
    brace = {"type": "distance", "parent": "a", "child": "b", "at": [0.5, 0, 0], "child_at": [0.5, 0, 0], "length": 0.5}
    cuts = {"C": triangle.cuts["C"], "brace": brace}
    stiff = gori.compile(Spec(bodies=triangle.bodies, joints=triangle.joints, cuts=cuts))
    found = stiff.mobility()
    assert (found.equations, found.rank, found.freedom) == (6, 2, 0)
    assert len(found.redundant) == 4
    # and it stands still under its weight
    for machine in (model, stiff):
        for solver in ("multipliers", "partition", "frozen_explicit"):
            rec = gori.Simulation(machine, gori.RK4(step=1e-3), loops=solver).run(0.1, progress=False)
            np.testing.assert_allclose(rec.q[-1], machine.q0, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("make", [random_closed, random_overconstrained, random_planar])
def test_random_machines(make, seed):
    spec, q, _ = make(np.random.default_rng(seed), 6)
    model, J = gori.compile(spec), loops.jacobian(spec, q)
    found = model.mobility(q)
    assert (found.equations, found.rank, found.freedom) == (len(J), loops.rank(J), model.nv - loops.rank(J))
    # without the redundant equations nothing is lost
    kept = [name not in found.redundant for name in loops.names(spec)]
    assert loops.rank(J[kept]) == found.rank == sum(kept)
    # the dependent coordinates follow from the independent ones
    dependent = [name in found.dependent for name in coordinate_names(model)]
    assert loops.rank(J[:, dependent]) == found.rank
    assert np.linalg.cond(J[np.ix_(kept, dependent)]) < 1e4


# ---- the user's choice


def test_independent_coordinates_of_the_users_choice():
    model = gori.compile(slider_crank())
    for choice in ("axle", "rail", "ball[0]", "ball[2]"):
        found = model.mobility(independent=[choice])
        assert found.independent == (choice,) and choice not in found.dependent
    model = gori.compile(stewart())
    legs = [f"slide{k}" for k in range(6)]
    assert {*model.mobility(independent=legs).independent} == {*legs}
    assert model.mobility(independent=["ball0", "slide0", "universal0"]).freedom == 6


@pytest.mark.parametrize(
    "choice, words",
    [
        (
            ["axle", "rail"],
            "axle, rail: these are 2 independent coordinates, but in this pose the machine has 1 degree",
        ),
        (["ball"], "ball: these are 3 independent"),
        (["crank"], "'crank' is not a movable joint"),
        ([], "no joints: these are 0 independent"),
    ],
)
def test_wrong_choices(choice, words):
    with pytest.raises(InputError, match=words):
        gori.compile(slider_crank()).mobility(independent=choice)


def test_a_choice_from_which_the_others_do_not_follow():
    """Two four-bars beside each other have two degrees of freedom, one each."""
    one = four_bar().model_dump(exclude_unset=True)
    both = {"gravity": one["gravity"]}
    for group in ("bodies", "joints", "cuts"):
        both[group] = {}
        for side in "ab":
            for name, part in one[group].items():
                part = dict(part)
                for end in ("parent", "child"):
                    if part.get(end, GROUND) != GROUND:
                        part[end] += side
                both[group][name + side] = part
    model = gori.compile(Spec(**both))
    assert model.mobility().freedom == 2
    assert model.mobility(independent=["foot0a", "foot1b"]).freedom == 2
    with pytest.raises(InputError, match=r"foot0a, foot1a cannot be independent in this pose.*Use \w+, \w+"):
        model.mobility(independent=["foot0a", "foot1a"])


def test_driven_joints_are_chosen_first():
    spec = rockers(speed=0.0)
    for name in ("A", "B", "D"):
        assert gori.compile(spec.set(f"joints.{name}.v", 1.0)).mobility().independent == (name,)
        torque = {"push": {"type": "torque", "joint": name, "value": 1.0}}
        pushed = gori.compile(Spec(**spec.model_dump(exclude_unset=True), forces=torque))
        assert pushed.mobility().independent == (name,)


def test_near_a_singular_pose():
    """All bars in one line: the mechanism could leave the parallelogram; it has a degree of freedom more."""
    model = gori.compile(four_bar())
    for away in (1e-3, 1e-6):
        found = model.mobility(gori.assemble(model, [np.pi / 2 - away, away - np.pi / 2, np.pi / 2 - away]))
        assert found.freedom == 1 and 0.1 / away < found.condition < 100 / away
    assert "near a singular pose" in str(found)
    found = model.mobility([-np.pi / 2, np.pi / 2, -np.pi / 2])
    assert (found.rank, found.instantaneous, found.freedom) == (1, 2, 1)


def test_a_loop_that_says_nothing():
    """A ball on the axis of a hinge: three equations without rank."""
    spec = Spec(
        bodies={"door": {"mass": 2.0, "com": [0.5, 0, 0], "inertia": [0.1, 0.2, 0.2]}},
        joints={"hinge": {"type": "revolute", "parent": "ground", "child": "door", "axis": [0, 1, 0], "q": 0.3}},
    )
    cut = {"type": "spherical", "parent": "ground", "child": "door", "at": [0, 0.7, 0], "child_at": [0, 0.7, 0]}
    held = gori.compile(spec.set("cuts", {"ball": cut}))
    found = held.mobility()
    assert (found.equations, found.rank, found.freedom) == (3, 0, 1) and len(found.redundant) == 3
    free = gori.Simulation(gori.compile(spec), gori.RK4(step=1e-2))
    turning = gori.Simulation(held, gori.RK4(step=1e-2), loops="partition")
    for simulation in (free, turning):
        simulation.advance(50)
    np.testing.assert_allclose(turning.q, free.q, atol=1e-9)
    for by in ("multipliers", "frozen_explicit"):
        simulation = gori.Simulation(held, gori.RK4(step=1e-2), loops=by)
        simulation.advance(50)
        np.testing.assert_allclose(simulation.q, free.q, atol=1e-9)
    with pytest.raises(UnsupportedError, match=r"ball\.x, ball\.y, ball\.z.*loops: partition"):
        gori.Simulation(held, gori.GeneralizedAlpha(step=1e-2))


def test_a_loop_that_says_nothing_at_its_only_pose():
    """A rod that is just long enough to reach the tip of an arm: it holds the arm, though J = 0 there."""
    spec = Spec(
        bodies={"arm": {"mass": 2.0, "com": [0.5, 0, 0], "inertia": [0.1, 0.2, 0.2]}},
        joints={"hinge": {"type": "revolute", "parent": "ground", "child": "arm", "axis": [0, 1, 0]}},
        cuts={"rod": {"type": "distance", "parent": "ground", "at": [2, 0, 0], "child": "arm", "child_at": [1, 0, 0],
                      "length": 1.0}},
    )  # fmt: skip
    model = gori.compile(spec)
    for method in (gori.RK4(step=1e-2), gori.GeneralizedAlpha(step=1e-2)):
        with pytest.raises(UnsupportedError, match=r"rod\.length.*Leave out"):
            gori.Simulation(model, method)
