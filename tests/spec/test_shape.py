"""Inertia of shapes, and of bodies made of them."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from gori.errors import SpecError
from gori.spec import Body, Box, Capsule, Cone, Cylinder, Mesh, Sphere
from gori.spec.body import combine
from tests.checks import close

trimesh = pytest.importorskip("trimesh")


def of_mesh(mesh, density):
    return density * mesh.volume, mesh.center_mass, density * mesh.moment_inertia


@pytest.mark.parametrize("seed", range(4))
def test_box_against_its_triangles(seed):
    rng = np.random.default_rng(seed)
    size, at, rpy = rng.uniform(0.1, 2.0, 3), rng.normal(size=3), rng.uniform(-180, 180, 3)
    shape = Box(type="box", size=size, at=at, rpy_deg=rpy, density=700.0)
    mesh = trimesh.creation.box(size)
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = Rotation.from_euler("xyz", rpy, degrees=True).as_matrix(), at
    mesh.apply_transform(T)
    for mine, other in zip(shape.inertial(), of_mesh(mesh, 700.0)):
        close(mine, other, 1e-12)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 0, 1), (0, 0, -2), (-1, 2, -3)])
@pytest.mark.parametrize("top", [0.0, 0.1, 0.3, 0.7])
def test_cone_against_integrals(axis, top):
    """Slices along the axis, each a disk."""
    radius, length, density = 0.3, 1.1, 500.0
    shape = Cone(type="cone", radius=radius, top_radius=top, length=length, axis=axis, at=(1, 2, 3), density=density)
    x, w = np.polynomial.legendre.leggauss(8)
    z, dz = length / 2 * (1 + x), length / 2 * w
    r2 = (radius + (top - radius) * z / length) ** 2
    dm = density * np.pi * r2 * dz
    mass, along = dm.sum(), dm @ r2 / 2
    center = dm @ z / mass
    across = dm @ (r2 / 4 + (z - center) ** 2)
    u = np.array(axis) / np.linalg.norm(axis)
    found = shape.inertial()
    close(found[0], mass, 1e-13)
    close(found[1], np.array([1, 2, 3]) + u * center, 1e-13)
    close(found[2], across * np.eye(3) + (along - across) * np.outer(u, u), 1e-13)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 0, 1), (0, 0, -2), (-1, 2, -3)])
@pytest.mark.parametrize("kind", [Cylinder, Capsule])
def test_bars_against_integrals(kind, axis):
    """Slices along the axis, each a disk: m = pi r2 dz, J along m r2 / 2, across m r2 / 4 + m z2."""
    radius, length, density = 0.3, 1.1, 500.0
    shape = kind(type=kind.__name__.lower(), radius=radius, length=length, axis=axis, at=(1, 2, 3), density=density)
    reach = radius if kind is Capsule else 0.0
    # Gauss points on the cap, the bar, the cap: the integrands are polynomials in z on each
    x, w = np.polynomial.legendre.leggauss(12)
    mass, along, across = 0.0, 0.0, 0.0
    for low, high in ((-length / 2 - reach, -length / 2), (-length / 2, length / 2), (length / 2, length / 2 + reach)):
        z, dz = (low + high) / 2 + (high - low) / 2 * x, (high - low) / 2 * w
        r2 = radius**2 - np.maximum(np.abs(z) - length / 2, 0.0) ** 2
        dm = density * np.pi * r2 * dz
        mass, along, across = mass + dm.sum(), along + dm @ r2 / 2, across + dm @ (r2 / 4 + z**2)
    u = np.array(axis) / np.linalg.norm(axis)
    found = shape.inertial()
    close(found[0], mass, 1e-13)
    close(found[1], np.array([1, 2, 3]) + u * length / 2, 1e-13)
    close(found[2], across * np.eye(3) + (along - across) * np.outer(u, u), 1e-13)


@pytest.mark.parametrize("radius", [1e200, 1e-200])
@pytest.mark.parametrize("shape", [
    lambda r: Sphere(type="sphere", radius=r, density=1.0),
    lambda r: Cone(type="cone", radius=r, length=r, density=1.0),
    lambda r: Capsule(type="capsule", radius=r, length=1.0, density=1.0),
])  # fmt: skip
def test_sizes_beyond_all_numbers(shape, radius):
    """Powers of floats raise, products give infinity or zero."""
    with pytest.raises(SpecError, match="is beyond the range of numbers"):
        shape(radius).inertial()


def test_sphere_and_mass_in_place_of_density():
    mass, com, J = Sphere(type="sphere", radius=0.5, at=(1, 0, 0), mass=3.0).inertial()
    assert mass == pytest.approx(3.0, rel=1e-15)
    close(com, [1, 0, 0], 1e-15)
    close(J, 0.4 * 3.0 * 0.25 * np.eye(3), 1e-15)
    heavy = Sphere(type="sphere", radius=0.5, density=3.0 / (4 / 3 * math.pi * 0.125)).inertial()
    assert heavy[0] == pytest.approx(3.0, rel=1e-15)


def test_mesh(tmp_path):
    mesh = trimesh.creation.icosphere(subdivisions=2, radius=0.4)
    mesh.apply_translation([0.1, 0.2, 0.3])
    mesh.export(tmp_path / "ball.stl")
    shape = Mesh(type="mesh", file=str(tmp_path / "ball.stl"), scale=(1, 2, 1), density=10.0)
    mesh.apply_scale([1, 2, 1])
    for mine, other in zip(shape.inertial(), of_mesh(mesh, 10.0)):
        close(mine, other, 1e-6)  # STL holds single precision
    mirrored = Mesh(type="mesh", file=str(tmp_path / "ball.stl"), scale=(1, -2, 1), density=10.0).inertial()
    mirror = np.diag([1.0, -1.0, 1.0])
    m, c, J = shape.inertial()
    for mine, other in zip(mirrored, (m, mirror @ c, mirror @ J @ mirror)):
        close(mine, other, 1e-12)
    mesh.update_faces(np.arange(len(mesh.faces)) > 3)
    mesh.export(tmp_path / "open.stl")
    with pytest.raises(SpecError, match="is not a closed surface"):
        Mesh(type="mesh", file=str(tmp_path / "open.stl"), density=10.0).inertial()
    with pytest.raises(SpecError, match="cannot be read"):
        Mesh(type="mesh", file=str(tmp_path / "none.stl"), density=10.0).inertial()


def test_combine_is_that_of_all_points():
    rng = np.random.default_rng(0)

    def of_points(masses, points):
        com = masses @ points / masses.sum()
        d = points - com
        return masses.sum(), com, sum(m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, d))

    masses, points = rng.uniform(1, 2, 12), rng.normal(size=(12, 3))
    parts = [of_points(masses[k : k + 4], points[k : k + 4]) for k in (0, 4, 8)]
    for mine, other in zip(combine(parts), of_points(masses, points)):
        close(mine, other, 1e-14)
    for mine, other in zip(combine([]), (0.0, np.zeros(3), np.zeros((3, 3)))):
        close(mine, other, 0.0)


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ({"type": "box", "size": [1, 1, 1], "open": ["z+"]}, "wall.open: only a hollow shape can be open"),
        ({"type": "box", "size": [1, 1, 1], "hollow": True, "open": ["top"]}, "wall.open: 'top' is not one of x-, x+"),
        ({"type": "sphere", "radius": 1, "hollow": True, "open": "top"}, "wall.open: 'top' is not there: it has no"),
        ({"type": "box", "size": [1, 1, 1], "hollow": True, "open": 3}, "wall.open: must be a list of names, not 3"),
        ({"type": "box", "size": [1, 1, 1], "hollow": True, "density": 1}, "wall: a hollow shape is a shell without"),
        ({"type": "cone", "radius": 1, "length": 1, "top_radius": -1}, "wall.top_radius: must not be negative"),
        ({"type": "plane", "normal": [0, 0, 0]}, "wall.normal: must be a direction"),
        ({"type": "plane", "density": 1}, "unknown key 'density'"),
    ],
)
def test_walls_refused(shape, words):
    with pytest.raises(SpecError) as caught:
        Body(shapes={"wall": shape})
    assert words in str(caught.value)


def test_a_plane_and_a_shell_weigh_nothing():
    shell = {"type": "cylinder", "radius": 1, "length": 1, "hollow": True, "open": "top", "material": "steel"}
    body = Body(mass=2, inertia=[1, 1, 1], shapes={"floor": {"type": "plane"}, "drum": shell})
    assert body.inertial()[0] == 2.0 and body.shapes["drum"].open == ("top",)


def test_body_of_shapes():
    """Two boxes side by side are one box."""
    half = {"type": "box", "size": [1, 1, 1], "density": 2.0}
    body = Body(shapes={"left": half | {"at": [-0.5, 0, 0]}, "right": half | {"at": [0.5, 0, 0]}})
    for mine, other in zip(body.inertial(), Box(type="box", size=(2, 1, 1), density=2.0).inertial()):
        close(mine, other, 1e-15)
    six = Body(mass=1, inertia=[1, 2, 2.5, 0.1, 0.2, 0.3]).inertial()[2]
    close(six, [[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 2.5]], 0.0)


@pytest.mark.parametrize(
    "more",
    [{"density": 1.0}, {"mass": 1.0}, {"material": "steel"}, {"material": "steel", "collide": True},
     {"material": "steel", "until": 1.0}],
)  # fmt: skip
def test_a_visual_shape_is_only_drawn(more):
    with pytest.raises(SpecError, match="a visual shape is only drawn: it takes no"):
        Sphere(type="sphere", radius=1.0, visual=True, **more)
    assert not Sphere(type="sphere", radius=1.0, visual=True, colour="#FF8000").heavy


@pytest.mark.parametrize("colour", ["red", "#ff80", "#ff80zz", "ff8000", 0xFF8000, "#ff8000\n"])
def test_colours_are_six_or_eight_digits(colour):
    with pytest.raises(SpecError, match="must be '#rrggbb' or '#rrggbbaa'"):
        Sphere(type="sphere", radius=1.0, colour=colour)


def test_visual_shapes_stand_for_a_body():
    hull, skin = {"type": "sphere", "radius": 1.0, "mass": 2.0}, {"type": "sphere", "radius": 1.1, "visual": True}
    body = Body(shapes={"hull": hull, "skin": skin})
    assert list(body.drawn) == ["skin"] and body.inertial()[0] == 2.0
    assert list(Body(shapes={"hull": hull}).drawn) == ["hull"]
