"""Accelerations of trees and of loops: all ways to them agree, and what loops hold is orthogonal to how they move.

Axes that move no inertia are refused however frames are turned, and light bodies are not.
"""

import numpy as np
import pytest
from scipy.linalg import null_space

import gori
from bench.chains import chain
from bench.mechanisms import four_bar
from gori.errors import GoriError, InputError, SingularError
from gori.model.dynamics import Dynamics
from gori.spec import GROUND, Spec
from tests.checks import close, machine, states, take
from tests.reference.random_spec import random_body


@pytest.mark.parametrize("seed", range(3))
def test_all_methods_agree_with_the_equation_of_motion(seed):
    model, tree = machine(seed)
    assert isinstance(model, Dynamics)
    x = take(states(tree, 1, seed), 0)
    for method in ("aba", "crba", "direct"):
        qdd = model.forward_dynamics(x["q"], x["v"], x["tau"], x["wrenches"], method=method)
        close(model.inverse_dynamics(x["q"], x["v"], qdd, x["wrenches"]), x["tau"], 1e-9)
    free = model.forward_dynamics(x["q"], x["v"], x["tau"])
    close(model.mass_matrix(x["q"]) @ free + model.bias(x["q"], x["v"]), x["tau"], 1e-9)
    close(model.bias(x["q"], np.zeros(model.nv)), model.gravity_force(x["q"]), 1e-12)


def test_accelerations_of_loops_keep_them_closed_and_do_no_work_there():
    model = gori.compile(gori.load("examples/four_bar.yaml"))
    state, tau = model.state(), np.arange(1.0, 1.0 + model.nv)
    qdd = model.forward_dynamics(state.q, state.v, tau)
    terms, tree = model.loop_system.terms(state.q, state.v), model.tree
    close(terms.J @ qdd, -terms.gamma, 1e-9)
    held = tau - tree.inverse_dynamics(state.q, state.v, qdd)  # J' lambda
    close(null_space(terms.J, rcond=1e-9).T @ held, 0.0 * null_space(terms.J, rcond=1e-9)[0], 1e-9)
    assert np.abs(held).max() > 0.1
    np.testing.assert_array_equal(model.forward_dynamics(state.q[None], state.v, tau)[0], qdd)


@pytest.mark.parametrize("batch", [False, True])
def test_states_off_the_loops_are_refused(batch):
    """Accelerations there belong to no motion of the machine."""
    model = gori.compile(four_bar())
    state, still = model.state(), np.zeros(model.nv)
    off, fast = state.q + 0.1, np.eye(model.nv)[0]
    for q, v, words in ((off, still, "q does not close the loops: .* Use gori.assemble"),
                        (state.q, fast, "v would open the loops: .* gori.consistent_velocity")):  # fmt: skip
        with pytest.raises(InputError, match=words):
            model.forward_dynamics(np.array([state.q, q]) if batch else q, v, still)
    assert np.isfinite(model.forward_dynamics(gori.assemble(model, off), still, still)).all()
    assert np.isfinite(model.tree.forward_dynamics(off, fast, still)).all()


@pytest.mark.parametrize("file", ["arm", "four_bar"])
def test_an_unknown_method_is_refused(file):
    state = (model := gori.compile(gori.load(f"examples/{file}.yaml"))).state()
    with pytest.raises(InputError, match="method 'lu' is not one of 'aba', 'crba', 'direct'"):
        model.forward_dynamics(state.q, state.v, np.zeros(model.nv), method="lu")


HUGE = {
    "energy": lambda m, q, v: m.energy(q, v),
    "momentum": lambda m, q, v: m.momentum(q, v),
    "forward dynamics": lambda m, q, v: m.forward_dynamics(q, v, 0.0 * v),
    "crba": lambda m, q, v: m.forward_dynamics(q, v, 0.0 * v, method="crba"),
    "inverse dynamics": lambda m, q, v: m.inverse_dynamics(q, v, 0.0 * v),
    "jacobian rate": lambda m, q, v: m.jacobian_rate(q, v, m.body_names[-1], axes="body"),
    "derivatives": lambda m, q, v: m.derivatives(q, v, 0.0 * v),
    "inverse derivatives": lambda m, q, v: m.inverse_derivatives(q, v, 0.0 * v),
    "transposed derivatives": lambda m, q, v: m.transposed_derivatives(q, v, 0.0 * v, v),
}


@pytest.mark.parametrize("name", HUGE)
def test_velocities_beyond_all_numbers_give_no_nan(name):
    model = gori.compile(gori.load("examples/arm.yaml"))
    for v in (np.full(model.nv, 1e200), np.full((3, model.nv), 1e200)):
        try:
            found = HUGE[name](model, model.q0, v)
        except (InputError, SingularError) as error:
            assert "finite" in str(error)
        else:
            assert all(np.isfinite(x).all() for x in (found if isinstance(found, tuple) else [found]))


def test_sizes_beyond_all_numbers_give_no_nan():
    body = {"mass": 1.0, "inertia": [1, 1, 1], "com": [1e97, 0, 0]}
    joints = {name: {"type": "revolute", "parent": parent, "child": name[0], "axis": [0, 1, 0], "at": [1e97, 0, 0]}
              for name, parent in (("a1", "ground"), ("b1", "a"), ("c1", "b"))}  # fmt: skip
    spec = gori.Spec(bodies=dict.fromkeys("abc", body), joints=joints)
    try:
        model = gori.compile(spec)
    except GoriError:
        return
    q = v = np.ones(3)
    for name, call in HUGE.items():
        try:
            found = call(model, q, v)
        except GoriError:
            continue
        assert all(np.isfinite(x).all() for x in (found if isinstance(found, tuple) else [found])), name
    try:
        rec = gori.Simulation(model).run(0.01, progress=False)
    except GoriError:
        return
    assert all(np.isfinite(rec[name]).all() for name in ("q", "v", "energy.total"))


# ---- axes that move no inertia, and light bodies that are legal

ROD = {"mass": 1.0, "inertia": [1, 1, 0]}
FAR_ROD = ROD | {"com": [0, 0, 3]}
BLOCK = {"mass": 1.0, "com": [0.3, 0.2, 0.1], "inertia": [1.0, 1.2, 1.3]}
SKEW = {"axis": [1, 2, 3]}
SINGULAR = {
    # name: bodies and joints from the ground to the tip, which of them moves no inertia
    "rod on a free joint": ([(ROD, "free", {})], 0),
    "rod on a ball joint": ([(BLOCK, "revolute", SKEW), (FAR_ROD, "spherical", {})], 1),
    "free body on a massless slider": ([(BLOCK, "spherical", {}), ({}, "prismatic", SKEW), (BLOCK, "free", {})], 1),
    "parallel sliders": ([({}, "prismatic", SKEW), (BLOCK, "prismatic", SKEW)], 0),
    "parallel hinges": ([(BLOCK, "free", {}), ({}, "revolute", SKEW), (BLOCK, "revolute", SKEW)], 1),
    "two ball joints": ([(BLOCK, "prismatic", {}), ({}, "spherical", {}), (BLOCK, "spherical", {"at": [1, 0, 0]})], 1),
    "screw of a massless nut": ([({}, "cylindrical", SKEW), (BLOCK, "helical", SKEW | {"pitch": 0.3})], 0),
}
WAYS = {
    "one state": lambda model, q, v, tau: model.forward_dynamics(q, v, tau),
    "batch": lambda model, q, v, tau: model.forward_dynamics(q[None], v[None], tau[None]),
    "direct": lambda model, q, v, tau: model.forward_dynamics(q, v, tau, method="direct"),
    "crba": lambda model, q, v, tau: model.forward_dynamics(q, v, tau, method="crba"),
    "derivatives": lambda model, q, v, tau: np.array(model.derivatives(q, v, tau)),
    "transposed derivatives": lambda model, q, v, tau: np.array(model.transposed_derivatives(q, v, tau, v)),
}


def row_of(links) -> Spec:
    """Bodies one after the other: (body, type of joint, its settings)."""
    bodies, joints = {}, {}
    for k, (body, kind, settings) in enumerate(links):
        parent = f"b{k - 1}" if k else GROUND
        bodies[f"b{k}"] = body
        joints[f"j{k}"] = {"type": kind, "parent": parent, "child": f"b{k}"} | settings
    return Spec(bodies=bodies, joints=joints)


@pytest.mark.parametrize("name", SINGULAR)
def test_an_axis_without_inertia_is_refused_in_any_pose(name):
    """Turned frames leave rounding of either sign where the pivot should be zero."""
    links, where = SINGULAR[name]
    model, rng = gori.compile(row_of(links)), np.random.default_rng(5)
    for _ in range(200):
        q, (v, tau) = model.random(rng), rng.normal(size=(2, model.nv))
        for way, call in WAYS.items():
            with pytest.raises(SingularError, match=f"joint 'j{where}[^']*' moves nothing that has inertia"):
                print(name, way, call(model, q, v, tau))


def test_one_singular_state_leaves_the_others_of_a_batch_alone():
    """A rod along the axis of a gimbal's outer ring, in one state of nineteen."""
    ring = ({}, "revolute", {"axis": [0, 0, 1]}), (ROD, "revolute", {"axis": [1, 0, 0]})
    model = gori.compile(row_of(ring))
    q = np.tile([0.3, 0.7], (19, 1))
    q[13] = 0.3, 0.0
    with pytest.raises(SingularError, match="joint 'j0'"):
        model.forward_dynamics(q, np.zeros(2), np.ones(2))
    q[13, 1] = 1e-6
    assert np.isfinite(model.forward_dynamics(q, np.zeros(2), np.ones(2))).all()


def scaled(body, mass, size):
    """A body of another mass [kg] and size."""
    share = mass / body["mass"]
    return {
        "mass": mass,
        "com": np.multiply(body["com"], size),
        "inertia": np.multiply(body["inertia"], share * size**2),
    }


def rod_of(mass, length, radius):
    """A solid rod along x, from its end."""
    across = mass * (3 * radius**2 + length**2) / 12
    return {"mass": mass, "com": [length / 2, 0, 0], "inertia": [mass * radius**2 / 2, across, across]}


THIN = rod_of(0.1, 10.0, 1e-3)
NARROW = {"mass": 1.0, "inertia": [1e3, 1e3, 1e-9]}
CARRIAGE = {"mass": 1e-8}, "prismatic", SKEW
LIGHT = {
    "1e-9 beside 1e3": [(NARROW, "free", {})],
    "1e-9 beside 1e3 on a ball": [(BLOCK, "revolute", SKEW), (NARROW, "spherical", {})],
    "1e-9 carries 1e3": [
        ({"mass": 1e-6, "inertia": [1e-9, 1e-9, 1e-9]}, "revolute", SKEW),
        ({"mass": 1.0, "inertia": [1e3, 1e3, 1e3]}, "revolute", SKEW),
    ],
    "carriages of 1e-8": [CARRIAGE, CARRIAGE, (BLOCK, "prismatic", SKEW)],
    "thin rods": [(THIN, "spherical", {}), (THIN, "spherical", {"at": [10, 0, 0]})],
    "massless rings": [({}, "revolute", {}), ({}, "revolute", {"axis": [0, 1, 0]}), (BLOCK, "revolute", {})],
    "1e-8 carries a free body": [({"mass": 1e-8, "inertia": [1e-8, 1e-8, 1e-8]}, "spherical", {}), (BLOCK, "free", {})],
}


@pytest.mark.parametrize("name", LIGHT)
def test_light_bodies_are_legal(name):
    model, rng = gori.compile(row_of(LIGHT[name])), np.random.default_rng(6)
    for _ in range(100):
        q, (v, tau) = model.random(rng), rng.normal(size=(2, model.nv))
        for call in WAYS.values():
            assert np.isfinite(call(model, q, v, tau)).all()


def test_light_bodies_anywhere_are_legal():
    """Random rows of joints, masses over eight orders, sizes over two: all are accepted, and all ways satisfy the
    equation of motion as well as rounding allows.
    """
    kinds, rng = ("revolute", "prismatic", "spherical", "universal", "planar", "free"), np.random.default_rng(7)
    for _ in range(60):
        count = rng.integers(1, 6)
        bodies = [
            scaled(random_body(rng), 10.0 ** rng.uniform(-8, 0), 10.0 ** rng.uniform(-2, 0)) for _ in range(count)
        ]
        model = gori.compile(row_of([(body, rng.choice(kinds), {"at": rng.normal(size=3)}) for body in bodies]))
        q, (v, tau) = model.random(rng), rng.normal(size=(2, model.nv))
        M, bias = model.mass_matrix(q), model.bias(q, v)
        for way in ("one state", "batch", "direct", "crba"):
            qdd = WAYS[way](model, q, v, tau).reshape(-1)
            size = np.abs(M) @ np.abs(qdd) + np.abs(bias) + np.abs(tau)
            assert (np.abs(M @ qdd + bias - tau) <= 1e-8 * size.max()).all(), way


def test_a_long_chain_is_legal():
    model = chain(1500)
    q, v = model.random(0), np.zeros(model.nv)
    assert np.isfinite(model.forward_dynamics(q, v, v)).all()


def beside_a_loop(body, kind, **joint) -> Spec:
    """A four-bar whose coupler has no mass, and a body beside it."""
    loop = gori.load("examples/four_bar.yaml")
    return Spec(
        **loop.model_dump(exclude_unset=True, exclude={"bodies", "joints"}),
        bodies=dict(loop.bodies) | {"coupler": {}, "carriage": {"mass": 1e-10}, "more": body},
        joints=dict(loop.joints)
        | {
            "rail": {"type": "prismatic", "parent": GROUND, "child": "carriage", "axis": [1, 2, 3]},
            "fly": {"type": kind, "parent": "carriage", "child": "more"} | joint,
        },
    )


def test_beside_a_loop_the_same_is_refused_and_a_massless_coupler_is_not():
    rng = np.random.default_rng(8)
    for _ in range(20):
        turned = rng.normal(size=4)
        model = gori.compile(beside_a_loop(ROD, "spherical", quat=turned / np.linalg.norm(turned)))
        with pytest.raises(SingularError, match="joint 'fly' moves no inertia, and no loop constrains it"):
            state = model.state()
            model.forward_dynamics(state.q, state.v, np.zeros(model.nv))
        with pytest.raises(SingularError, match="joint 'fly' moves no inertia, and no loop constrains it"):
            gori.Simulation(model, gori.RK4())


def test_beside_a_loop_a_light_body_keeps_its_own_inertia():
    """A carriage of 1e-10 kg under a block on a parallel slider: 1 N on it is 1e10 m/s2, and none is lent to it."""
    model = gori.compile(beside_a_loop(BLOCK, "prismatic", axis=[1, 2, 3]))
    tau = np.zeros(model.nv)
    tau[-2] = 1.0
    extra = model.loop_system.regularisation(model.q0).extra_inertia
    assert extra[-2] == 0.0 and extra.any()
    fall = np.dot([0.0, 0.0, -9.81], [1, 2, 3]) / 14**0.5
    state = model.state()
    found = model.forward_dynamics(state.q, state.v, tau)
    assert found[-2] == pytest.approx(1e10 + fall, rel=1e-4)
