"""What several tests share: comparison, machines, and batches of states as plain dictionaries of arrays."""

import numpy as np

import gori
from gori.spec import GROUND, Spec
from tests.reference.random_spec import ALL_TYPES, random_spec, random_state
from tests.reference.tree import Tree

SIZES = (1, 5, 8, 19)
"""batch sizes: one lane, a part of the eight, all eight, and two full blocks with a rest"""


def close(actual, expected, tolerance):
    """Equal to the tolerance, relative to the largest number expected, or to 1 where all are smaller."""
    expected = np.asarray(expected)
    scale = max(1.0, np.abs(expected).max(initial=0.0))
    np.testing.assert_allclose(actual, expected, rtol=0.0, atol=tolerance * scale)


def states(tree: Tree, count: int, seed: int = 0) -> dict:
    """q, v, a, tau as (count, ..) and wrenches as {name: (count, 6)} on a body, two frames and the ground."""
    rng = np.random.default_rng(seed)
    q, v, a = (np.array(rows) for rows in zip(*(random_state(rng, tree) for _ in range(count))))
    names = [tree.body_names[-1], "f0", "f1", GROUND]
    wrenches = {name: rng.normal(size=(count, 6)) for name in names}
    return {"q": q, "v": v, "a": a, "tau": rng.normal(size=(count, tree.nv)), "wrenches": wrenches}


def take(batch: dict, index) -> dict:
    """One state, or a slice of the batch."""
    rows = {name: value[index] for name, value in batch.items() if name != "wrenches"}
    return rows | {"wrenches": {name: value[index] for name, value in batch["wrenches"].items()}}


def machine(seed: int, n: int = 7, types=ALL_TYPES, floating: bool = False, **options):
    """A random Model and its reference tree; floating: what hangs from the ground flies instead."""
    spec = random_spec(np.random.default_rng(seed), n, types, **options)
    if floating:
        joints = {
            name: {"type": "free", "parent": GROUND, "child": joint.child} if joint.parent == GROUND else joint
            for name, joint in spec.joints.items()
        }
        spec = Spec(gravity=spec.gravity, bodies=spec.bodies, joints=joints, frames=spec.frames)
    return gori.compile(spec), Tree(spec)


def arm(**changes) -> Spec:
    """Two links on revolute joints and a tool frame; `changes` are set as in Spec.set, dots written as two bars."""
    link = {"mass": 1.0, "com": [0.0, 0.0, 0.5], "inertia": [0.1, 0.1, 0.02]}
    spec = Spec(
        bodies={"upper": link, "lower": link},
        joints={
            "shoulder": {"type": "revolute", "parent": "ground", "child": "upper", "axis": [0, 1, 0]},
            "elbow": {"type": "revolute", "parent": "upper", "child": "lower", "at": [0, 0, 1], "axis": [1, 0, 0]},
        },
        frames={"tool": {"body": "lower", "at": [0.0, 0.1, 1.0]}},
    )
    for name, value in changes.items():
        spec = spec.set(name.replace("__", "."), value)
    return spec
