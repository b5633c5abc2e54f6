"""Every force element against its textbook twin on random trees, and what forces between bodies must conserve."""

import numpy as np
import pytest

import gori
from gori.integrate import SemiImplicit
from gori.model.state import State
from gori.sim import Simulation
from gori.spec import GROUND, Spec
from gori.spec.force import SLIDING
from gori.spec.joint import NV
from tests.checks import close
from tests.reference import dynamics as dyn
from tests.reference.forces import forces, state_count, stored, working_power
from tests.reference.random_spec import random_direction, random_placement, random_quaternion, random_spec, random_state
from tests.reference.tree import Tree

H = 2.0**-10
"""step of semi-implicit Euler: v' = v + h a; a power of two, so that (v' - v) / h loses no digits"""


def rates(model, t, q, v, z):
    """Accelerations and rates of z by the compiled right-hand side."""
    simulation = Simulation(model, SemiImplicit(step=H), state=State(t, q, v, z))
    after = simulation.step()
    return (after.v - v) / H, (after.z - z) / H


def power(model, t, q, v, z):
    """Power of all that has no potential, by the same."""
    simulation = Simulation(model, SemiImplicit(step=H), state=State(t, q, v, z))
    simulation.step()
    return simulation.stepper.work / H


def random_value(rng, plain, bodies=()):
    """A number, an expression of time and state, or a table."""
    if bodies and rng.random() < 0.2:
        one, other = (bodies[rng.integers(len(bodies))] for _ in range(2))
        return f"0.3*{one}.{rng.choice(['x', 'y', 'z'])} - 0.1*{other}.{rng.choice(['vx', 'vy', 'vz', 'wx', 'wz'])}*t"
    kind = rng.integers(3 if plain else 2)
    if kind == 0:
        return rng.normal()
    if kind == 1:
        return [[0.0, rng.normal()], [0.4, rng.normal()], [1.0, rng.normal()]]
    name = plain[rng.integers(len(plain))]
    return f"{rng.normal():.6f}*sin(3*t) - 0.7*{name}.q + 0.2*{name}.v**2"


def passive_fields(rng, kind):
    """Springs, dampers, friction and stops of a joint, as its type takes them."""
    nv, fields = NV[kind], {}
    each = (lambda: rng.uniform(0.5, 5.0)) if kind == "spherical" else (lambda: rng.uniform(0.5, 5.0, nv))
    if kind == "free":
        return {"damping": rng.uniform(0.0, 1.0, 6)}
    if rng.random() < 0.6:
        fields["stiffness"] = each()
        if kind == "spherical":
            fields["rest"] = random_quaternion(rng)
        elif rng.random() < 0.7:
            fields["rest"] = rng.normal(size=nv)
    if rng.random() < 0.6:
        fields["damping"] = each()
    if rng.random() < 0.5:
        fields["friction"] = rng.uniform(0.1, 2.0, nv) * (rng.random(nv) < 0.7)
        if rng.random() < 0.5:
            fields["stick_stiffness"] = rng.uniform(10.0, 100.0)
    if nv == 1 and rng.random() < 0.6:
        fields |= {"limits": [-0.2, 0.3], "limit_stiffness": rng.uniform(1.0, 50.0)}
        if rng.random() < 0.7:
            fields["limit_damping"] = rng.uniform(0.1, 20.0)
    return fields


def two_ends(rng, spec):
    """Bodies or frames to put a spring between."""
    owner = {GROUND: GROUND} | {name: name for name in spec.bodies}
    owner |= {name: frame.body for name, frame in spec.frames.items()}
    while True:
        parent, child = (str(name) for name in rng.choice(list(owner), 2, replace=False))
        if owner[parent] != owner[child]:
            return parent, child


def random_strut(rng, spec):
    """With or without a zone of midstroke, stops of any number of rows, and a free length."""
    parent, child = two_ends(rng, spec)
    fields = {
        "type": "strut", "parent": parent, "child": child, "at": rng.normal(size=3), "child_at": rng.normal(size=3),
        "stiffness": rng.uniform(1, 9), "compression": rng.uniform(0, 2), "rebound": rng.uniform(0, 2),
    }  # fmt: skip
    if rng.random() < 0.7:
        fields |= {"midstroke": [1.0, 2.0], "end_compression": rng.uniform(0, 2), "blend": rng.uniform(0.1, 0.5)}
    if "midstroke" in fields and rng.random() < 0.7:
        fields["end_rebound"] = rng.uniform(0, 2)
    if rng.random() < 0.7:
        n = rng.integers(1, 8)
        fields["stop"] = np.cumsum(rng.uniform(0.05, 0.3, (n, 2)) * [1.0, 20.0], axis=0)
        fields |= [{"shortest": 1.5}, {"longest": 1.5}, {"shortest": 1.4, "longest": 1.6}][rng.integers(3)]
    if rng.random() < 0.5:
        fields["length"] = rng.uniform(0.1, 2.0)
    return fields


def random_forces(rng, spec):
    """Several of all kinds of forces."""
    joints = {name: joint for name, joint in spec.joints.items() if NV[joint.type]}
    plain = [name for name, joint in joints.items() if NV[joint.type] == 1]
    frames = [name for name, frame in spec.frames.items() if frame.body != GROUND]
    result = {}
    for name, joint in joints.items():
        for dof in range(NV[joint.type]):
            slides, where = dof in SLIDING.get(joint.type, ()), {"joint": name, "dof": dof}
            if rng.random() < 0.5:
                kind = "force" if slides else "torque"
                result[f"push_{name}_{dof}"] = {"type": kind, "value": random_value(rng, plain), **where}
            if joint.type in ("spherical", "free"):
                continue
            if rng.random() < 0.4 and not slides:
                k, d, rest, preload = rng.normal(size=4) ** 2
                result[f"spiral_{name}_{dof}"] = {
                    "type": "torsion", "stiffness": k, "damping": d, "preload": -preload, **where,
                    ("rest_deg" if rng.random() < 0.5 else "rest"): 30 * rest,
                }  # fmt: skip
            if rng.random() < 0.5:
                motor = {"type": "motor", "kp": rng.uniform(1, 9), "kd": rng.uniform(0, 2), **where}
                if rng.random() < 0.7:
                    motor["target"] = random_value(rng, plain)
                if rng.random() < 0.5:
                    motor |= {"limit": rng.uniform(0.5, 3.0), "target_velocity": random_value(rng, plain)}
                result[f"motor_{name}_{dof}"] = motor
    where = [*spec.bodies, *frames]
    for k in range(3):
        parent, child = two_ends(rng, spec)
        result[f"spring_{k}"] = {
            "type": "spring", "parent": parent, "child": child, "at": rng.normal(size=3),
            "child_at": rng.normal(size=3), "stiffness": rng.uniform(1, 9), "damping": rng.uniform(0, 2),
            **({"length": rng.uniform(0.1, 2.0)} if k else {}),
        }  # fmt: skip
        parent, child = two_ends(rng, spec)
        result[f"bushing_{k}"] = {
            "type": "bushing", "parent": parent, "child": child,
            **random_placement(rng), **random_placement(rng, "child_"),
            "stiffness": rng.uniform(0, 9, 6), "damping": rng.uniform(0, 2, 6),
        }  # fmt: skip
        result[f"strut_{k}"] = random_strut(rng, spec)
        result[f"wrench_{k}"] = {
            "type": "wrench", "body": where[rng.integers(len(where))], "axes": ("world", "body")[k % 2],
            "force": [random_value(rng, plain, where) for _ in range(3)],
            "moment": [random_value(rng, plain, where) for _ in range(3)], "at": rng.normal(size=3),
        }  # fmt: skip
    return result


def random_machine(seed, n=6):
    """A random tree with forces of all kinds on it."""
    rng = np.random.default_rng(seed)
    bare = random_spec(rng, n)
    joints = {}
    for name, joint in bare.joints.items():
        fields = joint.model_dump(exclude_unset=True)
        joints[name] = fields | (passive_fields(rng, joint.type) if NV[joint.type] else {})
    spec = Spec(gravity=bare.gravity, bodies=bare.bodies, joints=joints, frames=bare.frames)
    return rng, Spec(**spec.model_dump(exclude_unset=True), forces=random_forces(rng, spec))


@pytest.mark.parametrize("seed", range(40))
def test_accelerations_with_all_forces(seed):
    rng, spec = random_machine(seed)
    model, tree = gori.compile(spec), Tree(spec)
    for _ in range(5):
        q, v, _ = random_state(rng, tree)
        t, z = rng.uniform(-0.2, 1.2), 1e-3 * rng.normal(size=state_count(tree))
        tau, wrenches, zdot = forces(tree, t, q, v, z, model.q0)
        qdd, zrate = rates(model, t, q, v, z)
        close(qdd, dyn.aba(tree, q, v, tau, wrenches), 1e-9)
        close(zrate, zdot, 1e-11)


@pytest.mark.parametrize("seed", range(40))
def test_power_and_energy_of_all_forces(seed):
    """Power of what has no potential: that of all forces, and what the springs take up by their own energy."""
    rng, spec = random_machine(seed)
    model, tree = gori.compile(spec), Tree(spec)
    for _ in range(3):
        q, v, _ = random_state(rng, tree)
        t, z = rng.uniform(-0.2, 1.2), 1e-3 * rng.normal(size=state_count(tree))
        close(power(model, t, q, v, z), working_power(tree, t, q, v, z, model.q0), 1e-6)
        close(model.elastic_energy(q), sum(stored(tree, q, model.q0).values()), 1e-11)


def test_the_random_machines_have_forces_of_every_kind():
    specs = [random_machine(seed)[1] for seed in range(40)]
    frames = [(spec, force) for spec in specs for force in spec.forces.values() if "parent" in type(force).model_fields]
    for kind in ("spring", "strut", "bushing"):
        assert any(force.type == kind and force.child in spec.frames for spec, force in frames), kind
    kinds = {force.type for spec in specs for force in spec.forces.values()}
    assert kinds == {"torque", "force", "wrench", "spring", "strut", "torsion", "bushing", "motor"}
    joints = [joint for spec in specs for joint in spec.joints.values()]
    for field in ("stiffness", "damping", "friction"):
        assert any(any(getattr(joint, field)) for joint in joints), field
    assert any(joint.limit_stiffness is not None for joint in joints)
    assert any(joint.type == "spherical" and any(joint.stiffness) for joint in joints)


@pytest.mark.parametrize("angle", [0.0, 1e-13, 1e-7, 1.0, 3.0, np.pi - 1e-4])
def test_bushing_and_ball_spring_at_any_angle(angle):
    """A turn about one axis of a body with inertia 1: the acceleration is minus stiffness times angle."""
    rng = np.random.default_rng(1)
    axis = random_direction(rng)
    quat = [np.cos(angle / 2), *(np.sin(angle / 2) * axis)]
    body = {"mass": 1.0, "inertia": [1.0, 1.0, 1.0]}
    bushing = {"type": "bushing", "parent": GROUND, "child": "b", "stiffness": [5.0] * 6}
    free = Spec(gravity=[0, 0, 0], bodies={"b": body}, forces={"f": bushing},
                joints={"j": {"type": "free", "parent": GROUND, "child": "b"}})  # fmt: skip
    qdd, _ = rates(gori.compile(free), 0.0, np.array([*quat, 0.0, 0.0, 0.0]), np.zeros(6), np.zeros(0))
    np.testing.assert_allclose(qdd, [*(-5.0 * angle * axis), 0, 0, 0], rtol=0, atol=1e-10)
    ball = Spec(gravity=[0, 0, 0], bodies={"b": body},
                joints={"j": {"type": "spherical", "parent": GROUND, "child": "b", "stiffness": 5.0}})  # fmt: skip
    qdd, _ = rates(gori.compile(ball), 0.0, np.array(quat), np.zeros(3), np.zeros(0))
    np.testing.assert_allclose(qdd, -5.0 * angle * axis, rtol=0, atol=1e-12)


# ---- between free bodies, nothing from outside: linear and angular momentum stay


def flying(kind, seed=0, n=4):
    """Free bodies without gravity, bound by springs or bushings with damping."""
    rng = np.random.default_rng(seed)
    bare = random_spec(rng, n, types=("free",), branching=0.0, n_frames=0)
    joints = {
        name: {"type": "free", "parent": GROUND, "child": joint.child,
               "q": [*random_quaternion(rng), *rng.normal(size=3)], "v": rng.normal(size=6)}
        for name, joint in bare.joints.items()
    }  # fmt: skip
    pairs = [(f"b{i}", f"b{j}") for i in range(n) for j in range(i)]
    both = (
        {"stiffness": 20.0, "damping": 0.5}
        if kind == "spring"
        else {"stiffness": [3, 4, 5, 20, 30, 40], "damping": [0.1] * 6}
    )
    placed = (lambda: {"at": rng.normal(size=3), "child_at": rng.normal(size=3)}) if kind == "spring" else (
        lambda: random_placement(rng) | random_placement(rng, "child_")
    )  # fmt: skip
    bonds = {f"f{k}": {"type": kind, "parent": a, "child": b, **placed(), **both} for k, (a, b) in enumerate(pairs)}
    return Spec(gravity=[0, 0, 0], bodies=bare.bodies, joints=joints, forces=bonds)


@pytest.mark.parametrize("kind", ["spring", "bushing"])
def test_forces_between_free_bodies_conserve_momentum(kind):
    model = gori.compile(flying(kind))
    rec = Simulation(model, gori.integrate.Dopri5(rtol=1e-10, atol=1e-12)).run(2.0, sample=0.1)
    assert np.abs(rec.v[-1] - rec.v[0]).max() > 0.1  # they do push
    h, scale = rec["momentum"], np.abs(rec["momentum"][0]).max()
    print(f"\n{kind}: momentum drifts by {np.abs(h - h[0]).max() / scale:.1e}")
    np.testing.assert_allclose(h, np.broadcast_to(h[0], h.shape), rtol=0, atol=1e-8 * scale)


@pytest.mark.parametrize("kind", ["spring", "bushing"])
def test_one_evaluation_leaves_momentum_alone(kind):
    """The rate of momentum from the accelerations is zero to rounding: action is reaction, moments included."""
    spec = flying(kind, seed=3)
    model, tree, rng = gori.compile(spec), Tree(spec), np.random.default_rng(5)
    q, v, _ = random_state(rng, tree)
    qdd, _ = rates(model, 0.0, q, v, np.zeros(0))

    def momentum(s):
        return dyn.momentum(tree, dyn.integrate(tree, q, s * v), v + s * qdd)

    assert np.abs(qdd).max() > 1.0
    np.testing.assert_allclose(dyn.derivative(momentum), 0.0, rtol=0, atol=1e-9 * np.abs(qdd).max())


@pytest.mark.parametrize("kind", ["spring", "bushing"])
def test_energy_of_free_bodies_is_that_of_motion_and_springs(kind):
    """Bushings with three different stiffnesses too, at large rotations: before, their moments had no potential."""
    rec = Simulation(gori.compile(flying(kind)), gori.integrate.Dopri5(rtol=1e-10, atol=1e-12)).run(2.0, sample=0.1)
    total = rec["energy.total"]
    np.testing.assert_allclose(total, rec["energy.kinetic"] + rec["energy.elastic"], rtol=1e-15)
    assert np.ptp(rec["energy.elastic"]) > 0.1 * total[0] and rec["energy.work"][-1] < -0.01 * total[0]
    np.testing.assert_allclose(rec["energy.balance"], 0.0, rtol=0, atol=1e-8 * total[0])


def test_springs_without_damping_conserve_energy():
    spec = flying("spring").model_dump(exclude_unset=True)
    for force in spec["forces"].values():
        force["damping"] = 0.0
        force["length"] = 0.5
    spec = Spec(**spec)
    rec = Simulation(gori.compile(spec), gori.integrate.Dopri5(rtol=1e-10, atol=1e-12)).run(2.0, sample=0.1)

    def stretched(k):
        total = 0.0
        for force in spec.forces.values():
            ends = [
                rec[f"{b}.pose"][k] @ [*at, 1.0] for b, at in ((force.parent, force.at), (force.child, force.child_at))
            ]
            total += 0.5 * force.stiffness * (np.linalg.norm(ends[1] - ends[0]) - force.length) ** 2
        return total

    energy = rec["energy.kinetic"] + [stretched(k) for k in range(len(rec))]
    np.testing.assert_allclose(rec["energy.total"], energy, rtol=1e-13)
    assert np.ptp(rec["energy.kinetic"]) > 0.1 * energy[0]
    np.testing.assert_allclose(energy, energy[0], rtol=1e-8)
