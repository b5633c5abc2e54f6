"""Starts and shapes that are wrong, through the public API: refused by name, or resolved with nothing thrown away."""

import numpy as np
import pytest

import gori
from gori.errors import GoriError, InputError, SimulationError, SpecError
from gori.integrate import RK4, Dopri5, GeneralizedAlpha, ImplicitEuler, Radau5, TimeStepping
from tests.sim.contact.machines import solid

BALL, BLOCK = solid("sphere", radius=0.1, density=1000.0), solid("box", size=[0.2, 0.2, 0.1], density=1000.0)
PENALTY = [RK4(step=1e-4), Dopri5(), Radau5(), ImplicitEuler(step=1e-3), GeneralizedAlpha(step=1e-3)]


def scene(floor=None, gravity=(0.0, 0.0, -9.81), **bodies):
    """Free bodies, (shape, position, velocity) each, over a plane or another shape of the ground."""
    return gori.Spec(
        gravity=list(gravity),
        materials={"a": {"rigid": True}},
        contacts={"a/a": {"friction": 0.5, "restitution": 0.0, "stiffness": 1e7}},
        bodies={"ground": {"shapes": {"floor": floor or solid("plane")}}}
        | {name: {"shapes": {"s": shape}} for name, (shape, _, _) in bodies.items()},
        joints={
            f"{name}_free": {"type": "free", "parent": "ground", "child": name, "q": [1, 0, 0, 0, *at]}
            | {"v": [0, 0, 0, *v]}
            for name, (_, at, v) in bodies.items()
        },
    )


STILL = (0.0, 0.0, 0.0)
DEEP = {
    "a box half in the floor": (scene(box=(BLOCK, (0, 0, 0), STILL)), "ground.floor and box.s"),
    "a ball under the floor": (scene(ball=(BALL, (0, 0, -0.5), STILL)), "ground.floor and ball.s"),
    "boxes at the same place": (scene(b=(BLOCK, (0, 0, 0.05), STILL), c=(BLOCK, (0, 0, 0.05), STILL)), "b.s and c.s"),
    "balls at the same place": (scene(b=(BALL, (0, 0, 0.1), STILL), c=(BALL, (0, 0, 0.1), STILL)), "b.s and c.s"),
    "a ball in a ball": (
        scene(b=(solid("sphere", radius=0.3, density=1000.0), (0, 0, 0.3), STILL), c=(BALL, (0.01, 0, 0.35), STILL)),
        "b.s and c.s",
    ),
}


@pytest.mark.parametrize("case", DEEP)
@pytest.mark.parametrize("step", [1e-2, 1e-3])
def test_time_stepping_parts_bodies_slowly(case, step):
    spec, _ = DEEP[case]
    simulation = gori.Simulation(gori.compile(spec), TimeStepping(step=step))
    record = simulation.run(1.0, sample=step, progress=False)
    for body in spec.bodies:
        if body != "ground":
            up = np.diff(record[f"{body}.z"]) / step
            assert up.max() < 1.0 and record[f"{body}.z"].max() < 0.8  # sizes are 0.1 to 0.6 m
            assert np.hypot(record[f"{body}.x"], record[f"{body}.y"]).max() < 1.0
    assert np.isfinite(simulation.q).all()


@pytest.mark.parametrize("case", DEEP)
@pytest.mark.parametrize("method", PENALTY, ids=lambda method: method.kind)
def test_penalty_refuses_a_deep_start(case, method):
    spec, names = DEEP[case]
    with pytest.raises(InputError, match=rf"{names} are inside each other by .* at the start"):
        gori.Simulation(gori.compile(spec), method)


def test_penalty_takes_a_shallow_start():
    record = gori.Simulation(gori.compile(scene(box=(BLOCK, (0, 0, 0.0495), STILL))), Dopri5()).run(0.3, sample=1e-2)
    assert np.abs(record["box.vz"]).max() < 0.1 and record["box.z"].max() < 0.051


@pytest.mark.parametrize("case", DEEP)
def test_impacts_refuse_a_deep_start(case):
    spec, names = DEEP[case]
    with pytest.raises(SimulationError, match=f"{names} are inside each other by"):
        gori.Simulation(gori.compile(spec), Dopri5(), impacts=gori.Impacts()).run(0.1)


@pytest.mark.parametrize(
    ("method", "impacts"),
    [(TimeStepping(step=1e-2), None), (Dopri5(), None), (Radau5(), None), (Dopri5(), gori.Impacts())],
    ids=["time_stepping", "dopri5", "radau5", "impacts"],
)
def test_a_bullet_does_not_pass_a_thin_plate(method, impacts):
    """500 m/s, 1 cm against 2 mm; fixed steps with the penalty law are not shortened, and are not among these."""
    plate = solid("box", size=[0.002, 1.0, 1.0])
    bullet = solid("sphere", radius=0.005, density=1000.0)
    spec = scene(plate, (0, 0, 0), bullet=(bullet, (-0.5, 0.0, 0.0), (500.0, 0.0, 0.0)))
    options = {} if impacts is None else {"impacts": impacts}
    record = gori.Simulation(gori.compile(spec), method, **options).run(0.02, sample=1e-2, progress=False)
    assert record["bullet.x"].max() < 0.005 and np.abs(record["bullet.vx"]).max() < 501.0


@pytest.mark.parametrize(
    "shape",
    [
        {"type": "sphere", "radius": 0.0},
        {"type": "sphere", "radius": float("nan")},
        {"type": "box", "size": [0.1, 0.0, 0.1]},
        {"type": "box", "size": [0.1, float("inf"), 0.1]},
        {"type": "capsule", "radius": 0.1, "length": 0.0},
        {"type": "ellipsoid", "radii": [0.1, 0.1, 0.0]},
        {"type": "cone", "radius": -0.1, "length": 0.1},
    ],
)
def test_shapes_without_a_size_are_refused(shape):
    with pytest.raises(SpecError, match=r"bodies\.part\.shapes\.s"):
        gori.compile(scene(part=(shape | {"material": "a", "collide": True, "density": 1.0}, (0, 0, 1), STILL)))


def test_meshes_that_are_no_bodies_are_refused(tmp_path):
    """With vertices that are not finite, without a volume, without a triangle: with names of body, shape and file."""
    header = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
    for name, text in {
        "nan.obj": header + "v nan 0 1\nf 1 2 3\nf 1 2 4\nf 2 3 4\nf 3 1 4\n",
        "flat.obj": header + "v 1 1 0\nf 1 2 3\nf 2 4 3\n",
        "line.obj": "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\nf 1 2 3\nf 2 3 4\n",
        "empty.obj": "",
    }.items():
        (tmp_path / name).write_text(text)
        mesh = solid("mesh", file=str(tmp_path / name))
        with pytest.raises(GoriError, match=rf"ground\.floor.*{name}"):
            gori.compile(scene(mesh, ball=(BALL, (0, 0, 1), STILL)))
