"""Triangles -> the smooth surface that they stand for: which edges are real, how triangles bulge between the others.

A mesh cannot tell whether a bend is an edge or a piece of something round. Here a bend is round if it is less than a
crease, and goes on: straight across the next triangles there is another bend to the same side before a crease or a
border. So the bends of a drum are round, and a single fold in a sheet is an edge, however small it is.

A round bend is shared by both of its sides, which both turn towards each other by half of it; but a side that is much
wider than the other, to its own next bend, is flat, and the other one turns for both: so a floor stays flat beside the
fillet that leads up to the wall. Where a vertex touches what is flat, the normal there is that of the flat; elsewhere
it is the mean over all triangles around. The surface goes through all vertices p_i, square to these normals n_i. Above
the point of a triangle with the barycentric coordinates b_i it rises, along n = sum of b_i n_i, by

    h = (sum over edges of b_i b_j (n_i - n_j).(p_i - p_j)) / (1 + |n|)

which for points of a sphere or a cylinder and their true normals is that sphere or cylinder.

The strips of a cone, all with straight lines towards one tip, become narrower along these. Between two lines of a strip
the normal depends on the angle at the tip alone if each n_i counts with the distance w_i of its corner from the tip:

    n = sum of w_i b_i n_i
    h = (sum of b_i b_j 2 w_i w_j / (w_i + w_j) (n_i - n_j).(p_i - p_j)) / (sum of w_i b_i + |n|)

A tip that is a corner itself has no normal, and w = 0.
"""

from typing import NamedTuple

import numpy as np

from gori.model.particles.edges import MeshSurface, connected, surface_of

WIDER = 4.0
"""a side of a bend that is so much wider than the other one is flat"""
SAME, LESS = 0.25, 0.1
"""of a bend: with another one of this share it goes on; of the bends of a triangle: those that are less do not count"""
BLUNT, MOST = 1.5, 1.0
"""a corner whose normal leans by more than so many bends of its triangles, or by more than MOST [rad], is a tip"""
STRAIGHT = 0.1
"""along a line of a cone the normal turns by less than this share of the bend across it"""
BLURRED = 1e-3
"""distance of lines from each other and from their tip, in their length, that is none"""
COARSE = 2e-3
"""deflection of edges, in their length, that need not be divided: that of a bend of 1 deg"""
CROSSINGS = 64
"""triangles that are looked at on the way to the next bend"""


class Smooth(NamedTuple):
    """Triangles (n, 3) of a smooth surface.

    sharp    (n, 3)      whether an edge is a real one: a border, a crease or a fold
    normal   (n, 3, 3)   unit normal of the surface at each corner, on the side of the triangle's own
    weight   (n, 3)      with which these count in between: 1, less towards the tip of a cone
    middle   (n, 3, 3)   deflection of the middle of each edge [m]
    """

    sharp: np.ndarray
    normal: np.ndarray
    weight: np.ndarray
    middle: np.ndarray


def smooth(vertices: np.ndarray, faces: np.ndarray, crease: float) -> Smooth:
    """The smooth surface of triangles, given by the indices of their vertices (m, 3) [m].

    crease   bends from this angle on are edges [rad]
    """
    s = surface_of(vertices, faces)
    turn = _orientation(s, faces)
    bend = _bends(s, turn)
    sharp = (s.partner < 0) | (np.abs(bend) >= crease) | ((turn == 0.0)[:, None] & ~s.flat)
    curved, wide = _curved(s, bend, sharp)
    sharp |= ~(s.flat | curved[:, None] | curved[s.partner // 3])
    while True:
        fan = _fans(s, faces, sharp)
        normal = _normals(s, turn, wide, fan)
        tip = _tips(s, bend, sharp, normal, fan)
        weight = _weights(s, bend, sharp, normal, tip)
        # tips of no cone: the edges that leave them are real
        wrong = np.zeros(fan.max() + 1, bool)
        wrong[fan[tip & (weight > BLURRED)]] = True
        real = sharp | ((wrong[fan] | np.roll(wrong[fan], -1, axis=1)) & ~s.flat)
        real |= (s.partner >= 0) & real.ravel()[s.partner]
        if np.array_equal(real, sharp):
            break
        sharp = real
    tip &= ~wrong[fan]
    weight[tip] = 0.0
    beside = np.roll(normal, -1, axis=1) + np.roll(normal, 1, axis=1)
    normal[tip] = (beside / np.linalg.norm(beside, axis=2, keepdims=True))[tip]
    return Smooth(sharp, normal, weight, _middles(s, normal, weight, sharp))


def _orientation(s: MeshSurface, faces: np.ndarray) -> np.ndarray:
    """(n,) sign that turns normals to one side of the surface; 0 where it has only one, as a Moebius strip."""
    n = len(faces)
    facet, edge = np.nonzero(s.partner >= 0)
    other, its = np.divmod(s.partner[facet, edge], 3)
    against = (faces[facet, edge] == faces[other, its]) * n  # both run along their edge the same way
    a, b = np.concatenate([facet, facet + n]), np.concatenate([other + against, other + n - against])
    _, side = connected(a, b, 2 * n)
    return np.sign(side[n:] - side[:n]).astype(float)


def _bends(s: MeshSurface, turn: np.ndarray) -> np.ndarray:
    """(n, 3) angle between a triangle and the next one [rad], positive where the surface is convex; 0 at borders."""
    normal = turn[:, None] * s.normal
    beyond = normal[s.partner // 3]
    angle = np.arctan2(
        np.linalg.norm(np.cross(normal[:, None], beyond), axis=2), np.einsum("ni,nki->nk", normal, beyond)
    )
    return np.where(s.partner < 0, 0.0, angle * np.sign(np.einsum("nki,nki->nk", s.out, beyond)))


def _curved(s: MeshSurface, bend: np.ndarray, sharp: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n,) whether a triangle is curved: whether it turns with a bend, or another triangle of its plane does; (n, 3)
    where it does not, as it is much wider than what is beyond.
    """
    bends = ~(s.flat | sharp)
    goes_on, far = _ways(s, bend, sharp, bends)
    its, beyond = goes_on.ravel()[s.partner], far.ravel()[s.partner]
    wide = bends & (far > WIDER * beyond) & (its | ~goes_on)
    size = np.abs(bend) * bends
    most = _of_planes(s, size)
    turns = bends & (goes_on | its) & ~wide
    curved = _of_planes(s, size * turns) > LESS * most
    # next to what is curved, and no wider: where a surface turns from one side to the other
    turns |= bends & (curved[:, None] | curved[s.partner // 3]) & ~wide
    return _of_planes(s, size * turns) > LESS * most, wide


def _of_planes(s: MeshSurface, size: np.ndarray) -> np.ndarray:
    """(n,) the largest of numbers of edges (n, 3) in the plane of each triangle."""
    most = np.zeros(s.plane.max() + 1)
    np.maximum.at(most, s.plane, size.max(axis=1))
    return most[s.plane]


def _ways(s: MeshSurface, bend: np.ndarray, sharp: np.ndarray, start: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """From the middle of each edge of `start` straight inwards: whether a bend to the same side comes before a real
    edge or a bend to the other side (n, 3), and the distance to what comes first [m].
    """
    goes_on, far = np.zeros(start.shape, bool), np.full(start.shape, np.inf)
    left = np.flatnonzero(start)
    facet, edge = np.divmod(left, 3)
    point = s.corners[facet, edge] + 0.5 * s.edges[facet, edge]
    along, way, turned = -s.out[facet, edge], np.zeros(len(left)), np.zeros(len(left))
    for _ in range(CROSSINGS):
        if not len(left):
            break
        rows = np.arange(len(left))
        ahead = np.einsum("ni,nki->nk", along, s.out[facet])
        ahead[rows, edge] = 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            there = np.einsum("nki,nki->nk", s.corners[facet] - point[:, None], s.out[facet]) / ahead
        there = np.where(ahead > 1e-9, np.maximum(there, 0.0), np.inf)
        edge = there.argmin(axis=1)
        ahead, there = ahead[rows, edge], there[rows, edge]
        point, way = point + there[:, None] * along, way + there
        turned = turned + bend[facet, edge] * ahead / bend.ravel()[left]
        real = sharp[facet, edge] | ~np.isfinite(there)
        goes_on.flat[left] = ~real & (turned >= SAME)
        far.flat[left] = way
        partner = s.partner[facet, edge]
        along = along - ahead[:, None] * (s.out[facet, edge] + s.out.reshape(-1, 3)[partner])
        go = ~real & (np.abs(turned) < SAME)
        far.flat[left[go]] = np.inf
        left, point, along, way, turned = left[go], point[go], along[go], way[go], turned[go]
        facet, edge = np.divmod(partner[go], 3)
    return goes_on, far


def _fans(s: MeshSurface, faces: np.ndarray, sharp: np.ndarray) -> np.ndarray:
    """(n, 3) number of the fan of each corner: corners at one vertex with no real edge between them."""
    facet, edge = np.nonzero(~sharp)
    other, its = np.divmod(s.partner[facet, edge], 3)
    same = faces[facet, edge] == faces[other, its]
    first, second = 3 * facet + edge, 3 * facet + (edge + 1) % 3
    ends = 3 * other + its, 3 * other + (its + 1) % 3
    a, b = np.concatenate([first, second]), np.concatenate([np.where(same, *ends), np.where(same, *ends[::-1])])
    return connected(a, b, faces.size)[1].reshape(faces.shape)


def _normals(s: MeshSurface, turn: np.ndarray, wide: np.ndarray, fan: np.ndarray) -> np.ndarray:
    """(n, 3, 3) unit normal at each corner, on the side of its triangle: the mean over its fan, without planes that
    meet a much wider one there. Triangles count by sin(angle) / (product of both sides), which is exact on a sphere
    (Max 1999); where some lie in one plane by the angle, so that it does not matter how that is divided.
    """
    turn = turn[:, None]
    before = np.roll(s.edges, 1, axis=1)
    area = np.linalg.norm(np.cross(before, s.edges), axis=2)
    angle = np.arctan2(area, -np.einsum("nki,nki->nk", before, s.edges))
    sides = np.einsum("nki,nki->nk", s.edges, s.edges)
    fans = fan.max() + 1
    several = np.zeros(fans, bool)
    several[fan[np.bincount(s.plane)[s.plane] > 1]] = True
    count = np.where(several[fan], angle, area / (sides * np.roll(sides, 1, axis=1)))
    weighed = count[..., None] * (turn * s.common)[:, None]

    place = s.plane[:, None] * fans + fan
    facet, edge = np.divmod(s.partner[wide], 3)
    narrow = np.isin(place, np.concatenate([place[facet, edge], place[facet, (edge + 1) % 3]]))
    every, most = np.zeros((2, fans, 3))
    np.add.at(every, fan, weighed)
    np.add.at(most, fan[~narrow], weighed[~narrow])
    found = np.where(most.any(axis=1, keepdims=True), most, every)
    found /= np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-300)
    return np.where(turn[..., None] == 0.0, s.common[:, None], turn[..., None] * found[fan])


def _tips(s: MeshSurface, bend: np.ndarray, sharp: np.ndarray, normal: np.ndarray, fan: np.ndarray) -> np.ndarray:
    """(n, 3) whether a corner is a tip: normals of its triangles lean more than their bends explain."""
    most = np.zeros(fan.max() + 1)
    np.maximum.at(most, fan, _of_planes(s, np.abs(bend) * ~sharp)[:, None])
    lean = np.arccos(np.clip(np.einsum("ni,nki->nk", s.common, normal), -1.0, 1.0))
    found = np.zeros(len(most), bool)
    found[fan[lean > np.minimum(BLUNT * most[fan] + 1e-6, MOST)]] = True
    return found[fan]


def _weights(s: MeshSurface, bend: np.ndarray, sharp: np.ndarray, normal: np.ndarray, tip: np.ndarray) -> np.ndarray:
    """(n, 3) distance of each corner from the tip to which the two lines of its strip lead, the largest of a triangle
    being 1; 1 in all triangles that are no part of such a strip, which is a plane between two straight lines of bends.
    """
    weight, count = np.ones(bend.shape), s.plane.max() + 1
    bends = ~(sharp | s.flat)
    facet, edge = np.nonzero(bends)
    if not len(facet):
        return weight
    after = np.roll(normal, -1, axis=1)
    differ = np.linalg.norm(after - normal, axis=2)
    differ[tip | np.roll(tip, -1, axis=1)] = 0.0
    length = np.linalg.norm(s.edges, axis=2)
    plane = s.plane[facet]
    start, along = s.corners[facet, edge], s.edges[facet, edge] / length[facet, edge, None]

    def longest(among: np.ndarray) -> np.ndarray:
        """(count,) the longest of some bends of each plane, -1 where there is none."""
        found = np.full(count, -1)
        order = np.flatnonzero(among)[np.argsort(length[facet, edge][among], kind="stable")]
        found[plane[order]] = order
        return found

    def off(line: np.ndarray) -> np.ndarray:
        """How far both ends of each bend lie from the line of its plane [m]; far, where it has none."""
        it = line[plane]
        ends = np.stack([start, start + s.edges[facet, edge]], axis=1) - start[it][:, None]
        away = np.linalg.norm(np.cross(ends, along[it][:, None]), axis=2).max(axis=1)
        return np.where(it < 0, np.inf, away / length[facet, edge][it])

    one = longest(np.ones(len(facet), bool))
    second = off(one) > BLURRED
    two = longest(second)
    ruled = (one >= 0) & (two >= 0)
    ruled[plane[(second & (off(two) > BLURRED)) | (differ[facet, edge] > STRAIGHT * np.abs(bend[facet, edge]))]] = False
    k = np.flatnonzero(ruled)
    a, b = one[k], two[k]
    face = s.common[facet[a]]
    sine = np.einsum("ni,ni->n", np.cross(along[a], along[b]), face)
    lean = np.abs(sine) > 1e-9
    k, a, b, face, sine = k[lean], a[lean], b[lean], face[lean], sine[lean]
    way = np.einsum("ni,ni->n", np.cross(start[b] - start[a], along[b]), face) / sine
    apex = np.full((count, 3), np.nan)
    apex[k] = start[a] + way[:, None] * along[a]
    away = np.linalg.norm(s.corners - apex[s.plane][:, None], axis=2)
    away /= np.maximum(away.max(axis=1, keepdims=True), 1e-300)
    return np.where(np.isnan(away), weight, away)


def _middles(s: MeshSurface, normal: np.ndarray, weight: np.ndarray, sharp: np.ndarray) -> np.ndarray:
    """(n, 3, 3) deflection of the middle of each edge; at a real edge it lies in the surfaces of both sides [m]."""
    weighed = weight[..., None] * normal
    mean = weighed + np.roll(weighed, -1, axis=1)
    length = np.linalg.norm(mean, axis=2)
    mean /= length[..., None]
    up = 4.0 * rise(s, normal, weight) / (length + weight + np.roll(weight, -1, axis=1))
    its, beyond = up.ravel()[s.partner], mean.reshape(-1, 3)[s.partner]
    cosine = np.einsum("nki,nki->nk", mean, beyond)
    both = sharp & (s.partner >= 0) & (np.abs(cosine) < 0.98)
    square = np.where(both, 1.0 - cosine**2, 1.0)
    first, second = (up - cosine * its) / square, (its - cosine * up) / square
    return np.where(both[..., None], first[..., None] * mean + second[..., None] * beyond, up[..., None] * mean)


def rise(s: MeshSurface, normal: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """(n, 3) the number r of each edge [m]: the surface rises by 8 (sum of r_ij b_i b_j) / (|n| + sum of w_i b_i)."""
    after, its = np.roll(normal, -1, axis=1), np.roll(weight, -1, axis=1)
    return 0.25 * weight * its / (weight + its) * np.einsum("nki,nki->nk", after - normal, s.edges)


def divided(vertices: np.ndarray, faces: np.ndarray, crease: float) -> np.ndarray:
    """Corners (m, 3, 3) of plane triangles so small that they are the smooth surface to a hundredth of one [m]."""
    found, corners = smooth(vertices, faces, crease), vertices[faces]
    away = np.linalg.norm(found.middle, axis=2) / np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)
    parts = int(np.ceil(np.sqrt(away.max() / COARSE)))  # what is left over falls with the square
    if parts <= 1:
        return corners
    curved = away.max(axis=1) > 0.0
    b = np.array([(parts - i - j, i, j) for i in range(parts + 1) for j in range(parts + 1 - i)]) / parts
    at = {(i, j): k for k, (i, j) in enumerate(np.round(b[:, 1:] * parts).astype(int).tolist())}
    small = [(at[i, j], at[i + 1, j], at[i, j + 1]) for i, j in at if i + j < parts]
    small += [(at[i + 1, j], at[i + 1, j + 1], at[i, j + 1]) for i, j in at if i + j < parts - 1]
    points = b @ corners[curved] + 4.0 * (b * np.roll(b, -1, axis=1)) @ found.middle[curved]
    return np.concatenate([corners[~curved], points[:, np.array(small)].reshape(-1, 3, 3)])
