"""Two convex polygons over each other: the overlap, corner by corner, with what each corner is made of.

A polygon is clipped by the edges of another, one after the other (Sutherland & Hodgman 1974), seen along the normal of
the contact: x, y are along its tangents, z along the normal. A corner of the overlap is a vertex of the one, a vertex
of the other, or a crossing of two edges. Its feature says which, in terms of vertices of both shapes, so that a contact
keeps its feature while bodies move, whichever of both polygons was clipped.
"""

from gori.kernels.contact.narrow.work import CLIP_POINTS
from gori.kernels.jit import block, part

VERTEX_A, VERTEX_B, CROSSING = 1 << 58, 2 << 58, 3 << 58
"""what a corner of the overlap is: a feature is one of these and ids of vertices, 14 bits each"""
INSIDE = 1e-6
"""share of an edge by which a point may lie outside of it and still count as inside: bodies that are flush stay so"""


@part
def edge_id(i, j):
    """Of the edge between two vertices, whichever way it runs."""
    return (min(i, j) << 14) + max(i, j)


@part
def crossing(edge_a, edge_b):
    return CROSSING + (edge_a << 28) + edge_b


@part
def set_clip(point, x, y, z, edge, own, feature):
    point.x, point.y, point.z = x, y, z
    point.edge, point.own, point.feature = edge, own, feature


@part
def begin_clip(polygon, count, vertex_bit, clip):
    """The polygon before it is clipped."""
    for k in range(count):
        p, q = polygon[k], polygon[k + 1 if k + 1 < count else 0]
        set_clip(clip[k], p.x, p.y, p.z, edge_id(p.id, q.id), 1, vertex_bit + p.id)


@part
def feature_of_cut(edge, own, other, others, k, is_a):
    """Of the point where an edge of the clipped polygon, or one that earlier cuts left, meets the k-th of the other."""
    after = k + 1 if k + 1 < others else 0
    if own:
        cut = edge_id(other[k].id, other[after].id)
        return crossing(cut, edge) if is_a else crossing(edge, cut)
    # two edges of the other polygon: the vertex between them
    id = other[k].id if (edge + 1 if edge + 1 < others else 0) == k else other[edge].id
    return (VERTEX_A if is_a else VERTEX_B) + id


@block
def clip_by(other, others, is_a, clip, count, spare):
    """Clip the `count` points of `clip` by a polygon of `others` points; returns how many are left, in `clip`.

    is_a   whether the other polygon is that of A, counter-clockwise; that of B is clockwise, since it looks down
    """
    sign = 1.0 if is_a else -1.0
    for k in range(others):
        p, q = other[k], other[k + 1 if k + 1 < others else 0]
        ex, ey = sign * (q.x - p.x), sign * (q.y - p.y)
        slack = INSIDE * (ex * ex + ey * ey)
        inside_all = True
        for i in range(count):
            clip[i].gap = ex * (clip[i].y - p.y) - ey * (clip[i].x - p.x)
            inside_all = inside_all and clip[i].gap >= -slack
        if inside_all:
            continue
        left = 0
        for i in range(count):
            here, following = clip[i], clip[i + 1 if i + 1 < count else 0]
            inside, then_inside = here.gap >= -slack, following.gap >= -slack
            if inside and left < CLIP_POINTS:
                spare[left] = here
                left += 1
            if inside != then_inside and left < CLIP_POINTS:
                t = here.gap / (here.gap - following.gap)
                t = min(max(t, 0.0), 1.0)
                x, y = here.x + t * (following.x - here.x), here.y + t * (following.y - here.y)
                z = here.z + t * (following.z - here.z)
                feature = feature_of_cut(here.edge, here.own, other, others, k, is_a)
                if inside:  # on the way out: the next edge runs along the other polygon
                    set_clip(spare[left], x, y, z, k, 0, feature)
                else:
                    set_clip(spare[left], x, y, z, here.edge, here.own, feature)
                left += 1
        count = left
        for i in range(count):
            clip[i] = spare[i]
        if count == 0:
            return 0
    return count
