"""The history of contacts, carried over from old neighbour lists to new ones."""

from gori.kernels.jit import part
from gori.kernels.particles import columns as c
from gori.kernels.particles.arrays import ACROSS, CLASSES
from gori.kernels.particles.team import chunks_of, rows_of


@part
def touches(g, s):
    """Whether the pair of slot s touches."""
    return (g.touching[s >> 3] >> (s & 7)) & 1


@part
def keep(g, i, j, s, sign):
    """The history of slot s, as one of particle i, into `kept`."""
    a, columns = g.kept_end[i], g.kept_history.shape[1]
    g.kept[a] = j
    for q in range(columns):
        g.kept_history[a, q] = sign * g.history[(s >> 3) * columns + q, s & 7]
    g.kept_end[i] = a + 1


@part
def keep_contacts(g, chunk):
    """The touching contacts of a chunk, seen from both particles, into `kept`. Returns a result code."""
    first, last = rows_of(g, chunk)
    space = g.kept.shape[0] // chunks_of(g)
    for i in range(first, last):
        g.kept_end[i] = 0
    for k in range(CLASSES):
        for s in range(g.class_begin[chunk, k], g.class_end[chunk, k]):
            if touches(g, s):
                g.kept_end[g.owner[s]] += 1
                if k < ACROSS:
                    g.kept_end[g.other[s]] += 1
    at = chunk * space
    for i in range(first, last):
        size = g.kept_end[i]
        g.kept_begin[i] = g.kept_end[i] = at
        at += size
    if at > (chunk + 1) * space:
        return c.TOUCH_FULL
    for k in range(CLASSES):
        for s in range(g.class_begin[chunk, k], g.class_end[chunk, k]):
            if touches(g, s):
                i, j = g.owner[s], g.other[s]
                keep(g, i, j, s, 1.0)
                if k < ACROSS:
                    keep(g, j, i, s, -1.0)
    return c.OK


@part
def keep_walls(g, chunk):
    """The touching contacts of a chunk with walls into `kept_wall`; their wrenches go to the bodies later."""
    first, last = rows_of(g, chunk)
    at = g.wall_begin[first]
    for i in range(first, last):
        g.kept_wall_begin[i] = at
        for s in range(g.wall_begin[i], g.wall_end[i]):
            if g.wall_touching[s] != 0:
                g.kept_wall[at] = g.wall[s]
                for q in range(g.wall_history.shape[1]):
                    g.kept_wall_history[at, q] = g.wall_history[s, q]
                at += 1
        g.kept_wall_end[i] = at


@part
def recall(g, s, i, j):
    """The history of what touched before."""
    o, partner, columns = g.order[i], g.order[j], g.kept_history.shape[1]
    for t in range(g.kept_begin[o], g.kept_end[o]):
        if g.kept[t] == partner:
            g.touching[s >> 3] |= 1 << (s & 7)
            for q in range(columns):
                g.history[(s >> 3) * columns + q, s & 7] = g.kept_history[t, q]
