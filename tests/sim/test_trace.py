"""What follows from a recorded motion: reactions, drives and accelerations, against the twins and by hand."""

import numpy as np
import pytest

import gori
from bench.mechanisms import four_bar
from gori.errors import InputError
from tests.checks import arm, close
from tests.reference import loops
from tests.reference.random_loops import random_closed, random_overconstrained, random_planar

MAKERS = {"closed": random_closed, "over-constrained": random_overconstrained, "planar": random_planar}


def trace_of(spec, q, v):
    model = gori.compile(spec)
    return gori.Trace(gori.Recording(model, [0.0], q[None], v[None]))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kind", MAKERS)
def test_reactions_of_random_machines(kind, seed):
    """All that is unique in the reactions of joints and cuts is that of the twin."""
    spec, q, v = MAKERS[kind](np.random.default_rng(seed))
    trace = trace_of(spec, q, v)
    wanted, part = loops.reactions(spec, q, v, np.zeros(len(v))), loops.unique_part(spec, q)
    for name, wrench in wanted.items():
        close(part[name] @ trace.reactions[name][0], part[name] @ wrench, 1e-7)
        assert trace.unique[name] == np.allclose(part[name], np.eye(6), atol=1e-6), name


def test_a_frame_turns_the_components():
    model = gori.compile(four_bar())
    rec = gori.Simulation(model).run(0.3, sample=0.1)
    trace = gori.Trace(rec)
    world, own = trace.reaction("foot0"), trace.reaction("foot0", frame=model.body_names[0])
    R = rec[f"{model.body_names[0]}.rotation"]
    close(own[:, 3:], np.einsum("nji,nj->ni", R, world[:, 3:]), 1e-12)
    close(rec["foot0.reaction"], world, 1e-12)
    with pytest.raises(InputError, match="did you mean 'foot0'"):
        trace.reaction("fot0")


def test_the_ground_bears_a_tree_that_starts_to_fall():
    """Newton for the whole: its force is the mass times the acceleration of the centre of mass, less gravity."""
    spec = arm()
    model = gori.compile(spec)
    rest = gori.Recording(model, [0.0], model.q0[None], np.zeros((1, model.nv)))
    trace = gori.Trace(rest)
    a, h = trace.accelerations[0], 1e-5
    ahead, behind = (model.center_of_mass(model.integrate(model.q0, 0.5 * s * h * h * a)) for s in (1.0, -1.0))
    force = trace.reactions[next(iter(spec.joints))][0, 3:]
    close(force, model.mass * ((ahead - behind) / (h * h) - np.array(spec.gravity)), 1e-3)
    assert set(trace.reactions) == set(spec.joints) and all(trace.unique.values())


def test_fixed_joints_bear_what_they_carry():
    spec = gori.Spec(
        bodies={name: {"mass": mass, "inertia": (0.1, 0.1, 0.1)} for name, mass in (("arm", 2.0), ("load", 3.0))},
        joints={
            "hinge": {"type": "revolute", "parent": "ground", "child": "arm", "axis": (0, 0, 1)},
            "bolt": {"type": "fixed", "parent": "arm", "at": (0.5, 0, 0), "child": "load"},
        },
    )
    trace = trace_of(spec, np.zeros(1), np.array([2.0]))
    # 3 kg at 0.5 m, turning with 2 rad/s: carried up, and pulled inward by m w^2 r
    close(trace.reaction("bolt")[0], np.array([0, 0, 0, -3.0 * 4.0 * 0.5, 0, 3.0 * 9.81]), 1e-12)


def test_grains_in_a_box_with_a_fixed_lid():
    """Both carry walls, and are one rigid group but for reactions: the guide bears the grains, the bolt does not."""
    steel = {"type": "box", "material": "steel"}
    walls = (
        {"bin": {**steel, "size": (0.04, 0.04, 0.04), "hollow": True}},
        {"plate": {**steel, "size": (0.04, 0.04, 2e-3)}},
    )
    bodies = {
        name: {"mass": mass, "inertia": (1e-3, 1e-3, 1e-3), "shapes": shapes}
        for name, mass, shapes in zip(("box", "lid"), (0.1, 0.3), walls)
    }
    spec = gori.Spec(
        materials={"steel": {"E": 2e11}, "sand": {"E": 5e6, "density": 2500}},
        contacts={pair: {"restitution": 0.5, "friction": 0.3} for pair in ("sand/sand", "sand/steel")},
        bodies=bodies,
        joints={
            "guide": {"type": "prismatic", "parent": "ground", "child": "box", "axis": [1, 0, 0]},
            "bolt": {"type": "fixed", "parent": "box", "child": "lid", "at": [0, 0, 0.05]},
        },
        particles={"bed": {"material": "sand", "radius": 5e-3, "fill": {"shape": "box.bin", "count": 20}}},
    )
    rec = gori.Simulation(gori.compile(spec), gori.RK4(step=1e-3)).run(0.1, sample=1e-2)
    a = np.column_stack([rec["guide.a"], np.zeros(len(rec)), np.full(len(rec), 9.81)])
    grains = rec["box.wrench_from.particles"][:, 3:]
    assert np.abs(grains).max() > 0.1
    close(rec["guide.reaction"][:, 3:], 0.4 * a - grains, 1e-12)
    close(rec["bolt.reaction"][:, 3:], 0.3 * a, 1e-12)


CRATE = {"type": "box", "size": (0.04, 0.04, 0.04), "at": (0, 0, 0.02), "hollow": True, "open": ["z+"],
         "material": "steel"}  # fmt: skip


def crates(counts, more=None, **joints):
    """1 kg crates named a, b, ... with so many grains each, more bodies, and the joints that are given."""
    fill = {"packing": "poured"}
    return gori.Spec(
        materials={"steel": {"E": 2e11}, "sand": {"E": 5e6, "density": 2500}},
        contacts={
            pair: {"restitution": 0.3, "friction": 0.5, "rolling_friction": 0.2} for pair in ("sand/sand", "sand/steel")
        },
        bodies={name: {"mass": 1.0, "inertia": (1e-3, 1e-3, 1e-3), "shapes": {"bin": CRATE}} for name in counts}
        | (more or {}),
        joints=joints,
        particles={
            name: {"material": "sand", "radius": 4e-3, "fill": fill | {"shape": f"{name}.bin", "count": n}}
            for name, n in counts.items()
        },
    )


def test_a_crate_that_is_fixed_to_the_ground_hangs_on_its_joint_with_its_grains():
    spec = crates({"a": 80}, bolt={"type": "fixed", "parent": "ground", "child": "a", "at": (0.3, -0.2, 0.1)})
    simulation = gori.Simulation(gori.compile(spec), gori.RK4(step=1e-3))
    rec = simulation.run(0.6, sample=1e-2)
    weight = 9.81 * float(simulation.particles.mass.sum())
    grains, reaction = rec["a.wrench_from.particles"], rec["bolt.reaction"]
    np.testing.assert_allclose(grains[-1, 3:], [0.0, 0.0, -weight], atol=0.01 * weight)
    close(reaction[:, 3:], [0.0, 0.0, 9.81] - grains[:, 3:], 1e-12)
    close(reaction[:, :3], -grains[:, :3], 1e-12)  # about the origin of the crate, where the joint is
    # the grains lie in the middle of the crate, so there is hardly a moment about it
    assert np.abs(grains[-1, :3]).max() < 0.004 * weight
    np.testing.assert_array_equal(rec["a.wrench_from.a"], grains)
    assert "ground.wrench_from.particles" not in rec  # which has no walls


def test_two_crates_on_a_cart_hang_on_their_own_joints():
    """They are one rigid group with the cart, but each bolt bears its own grains."""
    fixed = {"type": "fixed", "parent": "cart"}
    spec = crates(
        {"a": 80, "b": 30},
        {"cart": {"mass": 2.0, "inertia": (1, 1, 1)}},
        rail={"type": "prismatic", "parent": "ground", "child": "cart", "axis": (0, 0, 1), "stiffness": 1e4},
        left=fixed | {"child": "a", "at": (0.1, 0, 0)},
        right=fixed | {"child": "b", "at": (-0.1, 0, 0), "rpy_deg": (0, 0, 30)},
    )
    simulation = gori.Simulation(gori.compile(spec), gori.RK4(step=1e-3))
    rec = simulation.run(0.3, sample=1e-2)
    up = 9.81 + rec["rail.a"]
    for name, bolt in (("a", "left"), ("b", "right")):
        grains = rec[f"{name}.wrench_from.particles"]
        assert -grains[-1, 5] > 0.1 * 9.81 * float(simulation.particles.mass.sum())
        close(rec[f"{bolt}.reaction"][:, 5], up - grains[:, 5], 1e-11)
        close(rec[f"{bolt}.reaction"][:, :3], -grains[:, :3], 1e-11)
    both = rec["a.wrench_from.particles"] + rec["b.wrench_from.particles"]
    close(rec["rail.reaction"][:, 5], 4.0 * up - both[:, 5], 1e-11)


def test_walls_of_the_ground_have_a_channel():
    floor = {"type": "plane", "material": "steel", "at": (0, 0, -0.1)}
    lift = {"type": "prismatic", "parent": "ground", "child": "a", "axis": (0, 0, 1)}
    spec = crates({"a": 40}, {"ground": {"shapes": {"floor": floor}}}, lift=lift)
    beside = {"box": {"at": (0.5, 0, -0.08), "size": (0.06, 0.06, 0.03)}, "count": 40, "packing": "poured"}
    spec = spec.set("particles.a.fill", beside)
    simulation = gori.Simulation(gori.compile(spec), gori.RK4(step=1e-3))
    rec = simulation.run(0.5, sample=1e-2)
    weight = 9.81 * float(simulation.particles.mass.sum())
    wrench = rec["ground.wrench_from.particles"]
    np.testing.assert_allclose(wrench[-1, 3:], [0.0, 0.0, -weight], atol=0.05 * weight)
    assert wrench[-1, 1] == pytest.approx(0.5 * weight, rel=0.1)  # at x = 0.5 m: M_y = -x F_z
    assert not rec["a.wrench_from.particles"].any()
