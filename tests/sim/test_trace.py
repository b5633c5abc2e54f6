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
