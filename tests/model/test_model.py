"""What a Model refuses, and in which words."""

import numpy as np
import pytest

import gori
from gori.errors import ConditionWarning, InputError, SingularError, UnsupportedError
from gori.spec import Spec
from tests.checks import arm, close

Q, V = np.array([0.3, -0.4]), np.array([1.0, 2.0])
MODEL = gori.compile(arm())

CALLS = {
    "forward_kinematics": lambda m, q, v: m.forward_kinematics(q),
    "jacobian": lambda m, q, v: m.jacobian(q, "tool"),
    "jacobian_rate": lambda m, q, v: m.jacobian_rate(q, v, "tool"),
    "center_of_mass": lambda m, q, v: m.center_of_mass(q),
    "integrate": lambda m, q, v: m.integrate(q, v),
    "difference": lambda m, q, v: m.difference(q, np.zeros(m.nq)),
}
DYNAMICS = {
    "aba": lambda m, q, v: m.forward_dynamics(q, v, V),
    "crba": lambda m, q, v: m.forward_dynamics(q, v, V, method="crba"),
    "direct": lambda m, q, v: m.forward_dynamics(q, v, V, method="direct"),
    "wrenches": lambda m, q, v: m.forward_dynamics(q, v, V, {"tool": np.ones(6)}),
    "inverse_dynamics": lambda m, q, v: m.inverse_dynamics(q, v, V),
    "bias": lambda m, q, v: m.bias(q, v),
    "gravity_force": lambda m, q, v: m.gravity_force(q),
    "mass_matrix": lambda m, q, v: m.mass_matrix(q),
    "condition": lambda m, q, v: m.condition(q),
    "derivatives": lambda m, q, v: m.derivatives(q, v, V),
    "inverse_derivatives": lambda m, q, v: m.inverse_derivatives(q, v, V),
    "transposed_derivatives": lambda m, q, v: m.transposed_derivatives(q, v, V, V),
    "energy": lambda m, q, v: m.energy(q, v),
    "momentum": lambda m, q, v: m.momentum(q, v),
}
ALL = CALLS | DYNAMICS
WITH_V = [name for name in ALL if name not in (
    "forward_kinematics", "jacobian", "center_of_mass", "difference", "gravity_force", "mass_matrix", "condition"
)]  # fmt: skip


# ---- arguments that are wrong


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("bad", [np.zeros(3), np.zeros((4, 1)), np.zeros((1, 1, 2)), np.zeros(0), 1.0])
def test_wrong_shape(name, bad):
    with pytest.raises(InputError, match=r"q0? must have shape \(2,\) or \(B, 2\), not \("):
        ALL[name](MODEL, bad, V)


@pytest.mark.parametrize("name", WITH_V)
def test_wrong_shape_of_velocities(name):
    with pytest.raises(InputError, match=r"d?v must have shape \(2,\) or \(B, 2\), not \(3,\)"):
        ALL[name](MODEL, Q, np.zeros(3))


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_not_finite(name, number):
    with pytest.raises(InputError, match=rf"q0?\[1\] is {number}: all numbers must be finite"):
        ALL[name](MODEL, np.array([0.0, number]), V)
    batch = np.zeros((11, 2))
    batch[9, 0] = number
    with pytest.raises(InputError, match=rf"q0?\[9, 0\] is {number}"):
        ALL[name](MODEL, batch, V)


@pytest.mark.parametrize("name", WITH_V)
def test_velocity_not_finite(name):
    with pytest.raises(InputError, match=r"v\[0\] is nan"):
        ALL[name](MODEL, Q, np.array([np.nan, 0.0]))


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("bad", ["home", ["a", "b"], None, [[1.0, 2.0], [3.0]], {"q": 1}])
def test_not_numbers(name, bad):
    with pytest.raises(InputError, match="q"):
        ALL[name](MODEL, bad, V)


def test_batches_of_different_sizes():
    with pytest.raises(InputError, match="batches of different sizes: q has 3, v has 4"):
        MODEL.inverse_dynamics(np.zeros((3, 2)), np.zeros((4, 2)), V)
    with pytest.raises(InputError, match="different sizes: q has 3, wrenches has 4"):
        MODEL.inverse_dynamics(np.zeros((3, 2)), V, V, {"tool": np.zeros((4, 6))})
    with pytest.raises(InputError, match="wrench on lower has 2, wrench on tool has 3"):
        MODEL.forward_dynamics(Q, V, V, {"lower": np.zeros((2, 6)), "tool": np.zeros((3, 6))})


@pytest.mark.parametrize("call", [MODEL.forward_dynamics, MODEL.inverse_dynamics])
def test_wrenches(call):
    with pytest.raises(InputError, match="'toll' is not a body or frame; did you mean 'tool'"):
        call(Q, V, V, {"toll": np.zeros(6)})
    with pytest.raises(InputError, match=r"wrench on tool must have shape \(6,\) or \(B, 6\), not \(3,\)"):
        call(Q, V, V, {"tool": np.zeros(3)})
    with pytest.raises(InputError, match=r"wrench on tool\[2\] is nan"):
        call(Q, V, V, {"tool": [0, 0, np.nan, 0, 0, 0]})
    with pytest.raises(InputError, match="must be a dict"):
        call(Q, V, V, [np.zeros(6)])
    with pytest.raises(InputError, match="must be a dict"):
        call(Q, V, V, np.zeros(6))
    close(call(Q, V, V, {}), call(Q, V, V), 1e-15)
    close(call(Q, V, V, {"ground": np.ones(6)}), call(Q, V, V), 1e-15)


def test_names_and_options():
    with pytest.raises(InputError, match="'upperr' is not a body or frame; did you mean 'upper'"):
        MODEL.jacobian(Q, "upperr")
    with pytest.raises(InputError, match="'tol' is not a body or frame; did you mean 'tool'"):
        MODEL.forward_kinematics(Q)["tol"]
    with pytest.raises(InputError, match="'elbo' is not a movable joint; did you mean 'elbow'"):
        MODEL.joint("elbo")
    for call in (lambda axes: MODEL.jacobian(Q, "tool", axes), lambda axes: MODEL.jacobian_rate(Q, V, "tool", axes)):
        with pytest.raises(InputError, match="axes must be 'world' or 'body', not 'local'"):
            call("local")
    with pytest.raises(InputError, match="method 'lu' is not one of 'aba', 'crba', 'direct'"):
        MODEL.forward_dynamics(Q, V, V, method="lu")
    for bad in (0, -1, 1.5, "many"):
        with pytest.raises(InputError, match=f"threads must be a positive integer, not {bad!r}"):
            gori.threads(bad)


# ---- machines that are refused


LOOPS = {
    "cut 'rope'": {"cuts": {"rope": {"type": "distance", "parent": "ground", "child": "lower", "length": 1.0}}},
    "mimic joint 'elbow'": {
        "joints": {**arm().joints, "elbow": arm(elbow__mimic={"joint": "shoulder"}).joints["elbow"]}
    },
}


OF_THE_TREE = [name for name in DYNAMICS if name not in ("aba", "crba", "direct", "wrenches", "energy", "momentum")]


@pytest.mark.parametrize("culprit", LOOPS)
def test_closed_loops_send_to_the_tree_for_what_is_not_theirs(culprit):
    spec = Spec(**{"bodies": arm().bodies, "joints": arm().joints, "frames": arm().frames} | LOOPS[culprit])
    closed, opened = gori.compile(spec), gori.compile(spec, open_loops=True)
    assert closed.loops == (culprit,) and opened.loops == ()
    for name in OF_THE_TREE:
        for q in (Q, np.tile(Q, (9, 1))):
            with pytest.raises(UnsupportedError, match=f"{culprit}.*model.tree"):
                DYNAMICS[name](closed, q, V)
    for call in DYNAMICS.values():
        plain = call(MODEL, Q, V)
        for model in (opened, closed.tree):
            for mine, other in zip(np.atleast_1d(call(model, Q, V)), np.atleast_1d(plain)):
                close(mine, other, 1e-15)
    for name, call in (CALLS | {name: DYNAMICS[name] for name in ("energy", "momentum")}).items():
        if name != "forward_kinematics":
            close(np.array(call(closed, Q, V)), np.array(call(MODEL, Q, V)), 1e-15)
    close(closed.forward_kinematics(Q)["tool"], MODEL.forward_kinematics(Q)["tool"], 1e-15)


FORWARD = {name: DYNAMICS[name] for name in ("aba", "crba", "direct", "wrenches", "derivatives")}


@pytest.mark.parametrize("name", FORWARD)
def test_massless_leaf_is_named(name):
    model = gori.compile(arm(bodies__lower={}))
    for q in (Q, np.tile(Q, (9, 1))):
        with pytest.raises(SingularError, match="joint 'elbow' moves nothing that has inertia about its axis"):
            FORWARD[name](model, q, V)
    # with a drive that turns along, it has an acceleration
    assert np.isfinite(FORWARD[name](gori.compile(arm(bodies__lower={}, elbow__armature=0.1)), Q, V)[0]).all()
    assert np.isfinite(model.inverse_dynamics(Q, V, V)).all() and np.isfinite(model.mass_matrix(Q)).all()


@pytest.mark.parametrize("name", FORWARD)
def test_one_singular_state_in_a_batch_is_named(name):
    """A point mass on a slider, on a turntable: where it stands on the axis, the turntable moves nothing."""
    model = gori.compile(
        Spec(
            bodies={"table": {}, "bead": {"mass": 1.0}},
            joints={
                "turn": {"type": "revolute", "parent": "ground", "child": "table"},
                "slide": {"type": "prismatic", "parent": "table", "child": "bead", "axis": [1, 0, 0]},
            },
            frames={"tool": {"body": "bead"}},
        )
    )
    q = np.tile([0.0, 1.0], (19, 1))
    assert np.isfinite(FORWARD[name](model, q, V)[0]).all()
    q[13, 1] = 0.0
    with pytest.raises(SingularError, match="joint 'turn' moves nothing that has inertia"):
        FORWARD[name](model, q, V)


@pytest.mark.parametrize("name", ["aba", "crba", "direct", "derivatives"])
def test_overflow_is_refused(name):
    for q, v in ((Q, 1e200 * V), (np.tile(Q, (9, 1)), 1e200 * V)):
        with pytest.raises(SingularError, match="velocities or forces are too large"), np.errstate(all="ignore"):
            DYNAMICS[name](MODEL, q, v)


def test_bad_condition_is_named():
    light = {"mass": 1e-12, "inertia": [1e-14, 1e-14, 1e-14]}
    model = gori.compile(arm(bodies__lower=light))
    with pytest.warns(ConditionWarning, match="condition number .*joint 'elbow' moves next to no inertia"):
        number = model.condition(Q)
    assert number > 1e12
    with pytest.warns(ConditionWarning, match="joint 'elbow'"):
        assert model.condition(np.tile(Q, (3, 1))).shape == (3,)
    with pytest.warns(ConditionWarning, match="joint 'elbow'"):
        assert gori.compile(arm(bodies__lower={})).condition(Q) == np.inf
    assert 1.0 <= MODEL.condition(Q) < 1e3  # and no warning, which the settings of pytest would turn into an error


@pytest.mark.parametrize("kind", ["free", "spherical"])
def test_zero_quaternion_is_named(kind):
    """The newcomer's np.zeros(model.nq)."""
    spec = Spec(bodies={"ball": {"mass": 1, "inertia": [1, 1, 1]}},
                joints={"fly": {"type": kind, "parent": "ground", "child": "ball"}})  # fmt: skip
    model = gori.compile(spec)
    v = np.zeros(model.nv)
    calls = [
        lambda q: model.forward_kinematics(q),
        lambda q: model.jacobian(q, "ball"),
        lambda q: model.mass_matrix(q),
        lambda q: model.energy(q, v),
        lambda q: model.integrate(q, v),
        lambda q: model.difference(model.neutral(), q),
        lambda q: model.forward_dynamics(q, v, v),
        lambda q: model.inverse_dynamics(q, v, v),
        lambda q: model.derivatives(q, v, v),
    ]
    for call in calls:
        for q in (np.zeros(model.nq), np.zeros((9, model.nq))):
            with pytest.raises(InputError, match=r"the quaternion of joint 'fly', is zero: start from model.neutral"):
                call(q)


def test_compile_takes_a_spec():
    with pytest.raises(InputError, match=r"gori\.load"):
        gori.compile("arm.yaml")


def test_names_that_are_not_strings():
    with pytest.raises(InputError, match="0 is not a body or frame"):
        MODEL.jacobian(Q, 0)
    poses = MODEL.forward_kinematics(Q)
    assert "tool" in poses and "nothing" not in poses and list(poses) == list(MODEL.frame_names)
