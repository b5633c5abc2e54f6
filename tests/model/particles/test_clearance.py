"""Space for particles between shapes that are in the way."""

import numpy as np
import pytest

import gori
from gori.model.particles.clearance import Obstacle, clear_of, distance_to_triangles
from gori.model.particles.start import start
from gori.spec.shape import Box as BoxShape
from gori.spec.shape import Capsule, Cone, Cylinder, Gear, Plane, Sphere

RNG = np.random.default_rng(5)
GEAR = Gear(type="gear", teeth=12, module=0.02, width=0.05, bore=0.06)


def of(shape, points, keep):
    return clear_of([Obstacle(shape, np.eye(3), np.zeros(3))], points, keep)


def test_distance_to_triangles_is_the_least_over_its_points():
    corners, points = RNG.uniform(-1, 1, (40, 3, 3)), RNG.uniform(-2, 2, (40, 3))
    s = np.linspace(0, 1, 81)
    a, b = (x.ravel() for x in np.meshgrid(s, s))
    a, b = a[a + b <= 1], b[a + b <= 1]
    on = corners[:, None, 0] + a[:, None] * (corners[:, None, 1] - corners[:, None, 0])
    on = on + b[:, None] * (corners[:, None, 2] - corners[:, None, 0])
    sampled = np.linalg.norm(on - points[:, None], axis=2).min(axis=1)
    found = distance_to_triangles(corners, points)
    assert (found <= sampled + 1e-12).all() and (sampled - found < 0.03).all()


def test_a_gear_keeps_points_out_of_its_teeth_and_lets_them_between():
    points = RNG.uniform([-0.16, -0.16, -0.02], [0.16, 0.16, 0.07], (4000, 3))
    free = of(GEAR, points, 0.003)
    # by hand: the outline as a polygon, of which the plane holds an annulus with teeth
    vertices, faces = GEAR.mesh()
    rho, height = np.hypot(points[:, 0], points[:, 1]), points[:, 2]
    root = 0.5 * 0.02 * 12 - 1.25 * 0.02
    solid = (rho > 0.03) & (rho < root) & (height > 0.0) & (height < 0.05)
    far = (rho > 0.5 * 0.02 * 12 + 0.02 + 0.003) | (height < -0.003) | (height > 0.053) | (rho < 0.03 * 0.95 - 0.003)
    assert solid.any() and not free[solid].any() and free[far].all()
    between = (rho > root + 0.004) & (rho < 0.13) & (height > 0.0) & (height < 0.05)
    assert 0.2 < free[between].mean() < 0.6
    middle = np.array([[0.115 * np.cos(a), 0.115 * np.sin(a), 0.02] for a in np.arange(24) * np.pi / 12])
    assert (of(GEAR, middle, 0.003) == np.tile([False, True], 12)).all()
    distances = np.array([distance_to_triangles(vertices[faces], np.tile(p, (len(faces), 1))).min() for p in points])
    assert (distances[free] >= 0.003).all()


SHAPES = {
    "sphere": (Sphere(type="sphere", radius=0.5), lambda p: np.linalg.norm(p, axis=1) - 0.5),
    "plane": (Plane(type="plane", normal=(0, 2, 0)), lambda p: p[:, 1]),
    "box": (BoxShape(type="box", size=(1, 1, 1)), None),
    "cylinder": (Cylinder(type="cylinder", radius=0.4, length=1, axis=(0, 1, 0)), None),
    "cone": (Cone(type="cone", radius=0.6, top_radius=0.2, length=0.8, axis=(1, 0, 1)), None),
    "capsule": (Capsule(type="capsule", radius=0.3, length=0.6), None),
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_solid_is_in_the_way_with_its_inside_a_shell_with_its_surface(name):
    shape, exact = SHAPES[name]
    points = RNG.uniform(-1.5, 1.5, (2000, 3))
    free, less = of(shape, points, 0.1), of(shape, points, 0.2)
    assert (free | ~less).all() and 0 < less.sum() < free.sum() < len(points)
    if exact is not None:
        assert (free == (exact(points) >= 0.1)).all()
    if name != "plane":
        hollow = shape.model_copy(update={"hollow": True})
        inside = of(hollow, points, 0.1) & ~free
        volume = shape.unit()[0]
        assert 0 < inside.sum() < len(points) * volume / 27.0


def test_poured_grains_stand_around_a_gear_and_not_in_it():
    wall = {"hollow": True, "material": "steel"}
    law = {"restitution": 0.5, "friction": 0.3}

    def machine(count):
        return gori.Spec(
            materials={"steel": {"E": 2e11}, "sand": {"E": 1e7, "density": 2500}},
            contacts={"sand/sand": law, "sand/steel": law},
            bodies={
                "ground": {"shapes": {"case": {"type": "box", "size": [0.4, 0.4, 0.1], **wall}}},
                "gear": {"shapes": {"teeth": GEAR.model_copy(update={"material": "steel", "density": 7800.0})}},
            },
            joints={"shaft": {"type": "revolute", "parent": "ground", "child": "gear"}},
            particles={
                "bed": {
                    "material": "sand",
                    "radius": 0.004,
                    "fill": {"shape": "ground.case", "count": count, "packing": "poured"},
                }
            },
        )

    place = start(
        gori.compile(machine(2000)).particles, lambda body: (np.eye(3), np.array([0.01, 0, -0.049]) * (body == "gear"))
    ).sphere
    moved = place[:, :3] - [0.01, 0, -0.049]
    assert of(GEAR, moved, 0.004).all()
    rho = np.hypot(moved[:, 0], moved[:, 1])
    assert ((rho > 0.1) & (rho < 0.14) & (moved[:, 2] > 0)).any()  # some between the teeth
    with pytest.raises(gori.errors.InputError, match="initially overlap other walls"):
        start(gori.compile(machine(20000)).particles)  # no loose cloud: at random, which does not see the gear


def test_an_open_face_is_not_in_the_way():
    wide = {"type": "cylinder", "radius": 0.5, "length": 1, "axis": (0, 0, 1), "hollow": True}
    mouth = np.array([[0.1, 0.0, 1.0]])
    assert not of(Cylinder(**wide), mouth, 0.1)[0] and of(Cylinder(**wide, open=("top",)), mouth, 0.1)[0]
    box = {"type": "box", "size": (1, 1, 2), "hollow": True}
    assert not of(BoxShape(**box), mouth, 0.1)[0] and of(BoxShape(**box, open=("z+",)), mouth, 0.1)[0]
    assert not of(BoxShape(**box, open=("z+",)), np.array([[0.45, 0, 0.95]]), 0.1)[0]
