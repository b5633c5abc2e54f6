"""Fewer points of a contact patch: a convex polygon with hardly a corner less.

The corner whose triangle with its two neighbours is smallest goes first (Visvalingam & Whyatt 1993), until four are
left, or until each is more than a share SPARED of the patch. The deepest point stays: it bounds the depth of the pair.
A corner that was a contact point in the step before counts for STAYS corners: where loads change which point is the
deepest, the others do not come and go.
"""

from gori.kernels.jit import block, part

ENOUGH = 4
SPARED = 0.05
"""share of the area that a corner may have and still go, on the way to four points"""
CLEARLY = 1e-3
"""by which a corner must be smaller than an earlier one to go before it: noise does not change who goes"""
STAYS = 10.0
"""weight of a corner that was a contact point before"""
DEEPER_BY = 1e-6
"""share of the width by which a point must be deeper than an earlier one"""


@part
def corner_area(point, i, j, k):
    """Twice the area of a triangle, without its sign."""
    ux, uy = point[j].x - point[i].x, point[j].y - point[i].y
    vx, vy = point[k].x - point[i].x, point[k].y - point[i].y
    return abs(ux * vy - uy * vx)


@part
def was_kept(kept, feature):
    """Whether a feature is among kept[1:], of which there are kept[0]."""
    for k in range(1, 1 + kept[0]):
        if kept[k] == feature:
            return True
    return False


@block
def fewer(point, count, most, kept):
    """Leave at most `most` of the corners point[:count] of a convex polygon, in their order; returns how many.

    kept   features of the contact points of the step before, behind their number
    """
    if count <= ENOUGH:
        return count
    area, width, deepest = 0.0, 0.0, 0
    for k in range(1, count):
        if k + 1 < count:
            area += corner_area(point, 0, k, k + 1)
        width = max(width, abs(point[k].x - point[0].x), abs(point[k].y - point[0].y))
    for k in range(1, count):
        if point[k].gap < point[deepest].gap - DEEPER_BY * width:
            deepest = k

    while count > ENOUGH:
        least, at = -1.0, -1
        for k in range(count):
            if k != deepest:
                here = corner_area(point, k - 1 if k > 0 else count - 1, k, k + 1 if k + 1 < count else 0)
                here *= STAYS if was_kept(kept, point[k].feature) else 1.0
                if at < 0 or here < least * (1.0 - CLEARLY):
                    least, at = here, k
        if count <= most and least > SPARED * area:
            break
        for k in range(at, count - 1):
            point[k] = point[k + 1]
        deepest -= 1 if at < deepest else 0
        count -= 1
    return count
