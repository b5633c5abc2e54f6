"""Spur gears with involute teeth, as closed meshes.

A flank is the involute of the base circle, r_b = r cos(alpha) with r = module * teeth / 2: at the radius R the half
tooth is seen from the axis under the angle

    psi(R) = s / (2 r) + inv(alpha) - inv(alpha_R),   cos(alpha_R) = r_b / R,   inv(x) = tan(x) - x

with the thickness s = pi module / 2 - backlash / 2 along the pitch circle (ISO 21771, section 4). Two gears of one
module and pressure angle turn at the distance of their pitch circles, and are free by `backlash` along these.

Below the base circle a flank goes on as a straight radial line down to the root circle, without a fillet, and the tip
is straight. A gear of few teeth (fewer than 2 addendum / sin(alpha)^2, 17 for the usual ones) is not undercut here, so
the teeth of a large mate may reach into its feet.
"""

import math

import numpy as np

from gori.errors import SpecError


def involute_gear(
    teeth: int,
    module: float,
    width: float,
    pressure_angle_deg: float = 20.0,
    backlash: float = 0.0,
    addendum: float = 1.0,
    dedendum: float = 1.25,
    bore: float = 0.0,
    flank_points: int = 8,
    root_points: int = 2,
) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3) [m] and triangles (m, 3), anticlockwise from outside, of a gear about z, from z = 0 to width.

    module, width        [m]; the first tooth points along x
    backlash             of a pair of equal gears, along the pitch circle [m]: each tooth is thinner by half of it
    addendum, dedendum   height of tip above and depth of root below the pitch circle, in modules
    bore                 diameter of the hole [m], 0 for none
    flank_points         on each flank, both ends among them: they lie on the involute, evenly by its roll angle
    root_points          on the root circle between two teeth, their feet left out
    """
    if flank_points < 2:
        raise SpecError(f"flank_points must be at least 2, not {flank_points}")
    flank, root = tooth_flank(teeth, module, pressure_angle_deg, backlash, addendum, dedendum, flank_points)
    if not 0.0 <= bore < 2.0 * root:
        raise SpecError(f"bore must lie within the root circle, of {2.0 * root:.4g} m: {bore:.4g} m does not")

    # one pitch, from the middle of a tooth on: up its right flank, down its left one, along the root
    n, pitch = len(flank), 2.0 * math.pi / teeth
    foot = flank[0, 1]
    between = np.linspace(foot, pitch - foot, root_points + 2)[1:-1]
    right, left = flank * [1.0, -1.0], flank[::-1]
    polar = np.concatenate([right, left, np.stack([np.full(root_points, root), between], axis=1)])
    per = len(polar)
    angle = (polar[:, 1] + pitch * np.arange(teeth)[:, None]).ravel()
    outline = np.tile(polar[:, 0], teeth)[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    count = len(outline)

    # one side as triangles: each tooth a strip between its flanks, and a ring from the root circle inwards
    k = np.arange(n - 1)
    ladder = np.stack([k, 2 * n - 1 - k, 2 * n - 2 - k, k + 1], axis=1)[:, [0, 3, 2, 1]]
    strips = (_halves(ladder)[None] + per * np.arange(teeth)[:, None, None]).reshape(-1, 3)
    ring = (np.array([0, *range(2 * n - 1, per)]) + per * np.arange(teeth)[:, None]).ravel()
    after = np.roll(ring, -1)
    if bore > 0.0:
        inner = outline[ring] * (0.5 * bore / root)
        k = count + np.arange(len(ring))
        hub = _halves(np.stack([k, ring, after, np.roll(k, -1)], axis=1))
    else:
        inner = np.zeros((1, 2))
        hub = np.stack([np.full_like(ring, count), ring, after], axis=1)
    side = np.concatenate([strips, hub])

    flat = np.concatenate([outline, inner])
    low = np.arange(count)
    walls = [np.stack([low, np.roll(low, -1), np.roll(low, -1) + len(flat), low + len(flat)], axis=1)]
    if bore > 0.0:
        low = count + np.arange(len(ring))
        walls.append(np.stack([np.roll(low, -1), low, low + len(flat), np.roll(low, -1) + len(flat)], axis=1))
    faces = np.concatenate([side[:, ::-1], side + len(flat), *(_halves(wall) for wall in walls)])
    vertices = np.concatenate([np.column_stack([flat, np.full(len(flat), z)]) for z in (0.0, width)])
    return vertices, faces


def tooth_flank(
    teeth: int, module: float, pressure_angle_deg: float, backlash: float, addendum: float, dedendum: float, points: int
) -> tuple[np.ndarray, float]:
    """Radius [m] and angle [rad] from the tooth's middle (n, 2) along a flank, from root to tip; radius of the root."""
    alpha, pitch = math.radians(pressure_angle_deg), 0.5 * module * teeth
    base, tip, root = pitch * math.cos(alpha), pitch + addendum * module, pitch - dedendum * module
    half = (0.5 * math.pi * module - 0.5 * backlash) / (2.0 * pitch)
    if root <= 0.0:
        raise SpecError(f"a gear of {teeth} teeth has no root circle: use more teeth, or a smaller dedendum")
    if base >= tip:
        raise SpecError("addendum is too small for this pressure angle: the tip lies below the base circle")
    start = max(base, root)
    # tan(alpha_R) is the roll angle of the involute, in which its points lie evenly
    roll = np.linspace(math.sqrt((start / base) ** 2 - 1.0), math.sqrt((tip / base) ** 2 - 1.0), points)
    psi = half + math.tan(alpha) - alpha - (roll - np.arctan(roll))
    if psi[-1] <= 0.0:
        raise SpecError("teeth become pointed below the tip circle: use a smaller addendum, or less backlash")
    if psi[0] >= math.pi / teeth:
        raise SpecError("there is no space between the teeth at the root: use a smaller dedendum, or more teeth")
    flank = np.stack([base * np.sqrt(1.0 + roll**2), psi], axis=1)
    if root < start * (1.0 - 1e-6):
        flank = np.concatenate([[[root, psi[0]]], flank])
    return flank, float(flank[0, 0])


def _halves(quads: np.ndarray) -> np.ndarray:
    """Two triangles for each quadrangle (n, 4)."""
    return np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


def mesh_inertia(vertices: np.ndarray, faces: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Volume [m3], its centre (3,) and its inertia about that (3, 3) for density 1, of a closed mesh.

    Sums over tetrahedra from the origin to each triangle a b c, of volume v = a.(b x c) / 6: the integral of x x' over
    one is v / 20 (aa' + bb' + cc' + ss') with s = a + b + c.
    """
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    s = a + b + c
    v = np.einsum("ni,ni->n", a, np.cross(b, c)) / 6.0
    volume = float(v.sum())
    center = v @ s / (4.0 * volume)
    second = sum(np.einsum("n,ni,nj->ij", v, x, x) for x in (a, b, c, s)) / 20.0 - volume * np.outer(center, center)
    return volume, center, np.trace(second) * np.eye(3) - second
