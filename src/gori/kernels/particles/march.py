"""Many sub-steps of all grains on the CPU: forces, motion, and new lists when they are due.

A sub-step is a leapfrog: v += dt a(x, v), x += dt v. Forces of a chunk, then its motion into the other buffer; one
meeting of the workers a sub-step.
"""

import math

from numba import types

from gori.kernels.jit import block, kernel, part
from gori.kernels.particles import grains as gr
from gori.kernels.particles import tables as c
from gori.kernels.particles.contacts import pair_forces, wall_forces
from gori.kernels.particles.lists import chunks_of, gather_push, make_lists, worst
from gori.kernels.particles.team import meet, share

FASTEST = 0.25
"""radii that a grain may move in a sub-step; more is an error"""


@part
def drift_of_home(g, pose):
    """How far the body has moved whose translation the grains share, since the lists were made."""
    b = g.run_i[gr.HOME]
    if b < 0:
        return 0.0, 0.0, 0.0
    q = gr.POS
    return (
        pose[b, q] - g.pose_before[b, q],
        pose[b, q + 1] - g.pose_before[b, q + 1],
        pose[b, q + 2] - g.pose_before[b, q + 2],
    )


@part
def walls_moved(g, pose, sx, sy, sz):
    """Whether a wall may have come nearer than the lists allow for."""
    limit = 0.5 * g.run_f[gr.SKIN]
    for b in range(g.run_i[gr.BODIES]):
        if g.extent[b] < 0.0:  # no wall: grains that ride on a vehicle leave the bare ground behind
            continue
        q, turn = gr.POS, 0.0
        dx = pose[b, q] - g.pose_before[b, q] - sx
        dy = pose[b, q + 1] - g.pose_before[b, q + 1] - sy
        dz = pose[b, q + 2] - g.pose_before[b, q + 2] - sz
        for k in range(9):
            e = pose[b, k] - g.pose_before[b, k]
            turn += e * e
        # |R - R0| is at least as large, over sqrt 2, as the chord of the angle
        if math.sqrt(dx * dx + dy * dy + dz * dz) + math.sqrt(0.5 * turn) * g.extent[b] > limit:
            return True
    return False


@part
def move(g, x, v, y, u, first, last, sx, sy, sz):
    """Motion of grains into the other buffer. Returns whether lists are due, and a grain that runs away or -1."""
    dt, load, f = g.run_f[gr.STEP], g.load, g.run_f
    limit = 0.25 * f[gr.SKIN] * f[gr.SKIN]
    due, bad = False, -1
    for i in range(first, last):
        m, r = v[i, c.MASS], x[i, c.R]
        per_mass = dt / m
        per_inertia = per_mass / (0.4 * r * r)
        vx = v[i, c.VX] + per_mass * load[i, 0] + dt * f[gr.GX]
        vy = v[i, c.VY] + per_mass * load[i, 1] + dt * f[gr.GY]
        vz = v[i, c.VZ] + per_mass * load[i, 2] + dt * f[gr.GZ]
        u[i, c.VX], u[i, c.VY], u[i, c.VZ], u[i, c.MASS] = vx, vy, vz, m
        u[i, c.WX] = v[i, c.WX] + per_inertia * load[i, 4]
        u[i, c.WY] = v[i, c.WY] + per_inertia * load[i, 5]
        u[i, c.WZ] = v[i, c.WZ] + per_inertia * load[i, 6]
        u[i, c.MATERIAL] = v[i, c.MATERIAL]
        px, py, pz = x[i, c.X] + dt * vx, x[i, c.Y] + dt * vy, x[i, c.Z] + dt * vz
        y[i, c.X], y[i, c.Y], y[i, c.Z], y[i, c.R] = px, py, pz, r
        dx, dy, dz = px - g.before[i, 0] - sx, py - g.before[i, 1] - sy, pz - g.before[i, 2] - sz
        if dx * dx + dy * dy + dz * dz > limit:
            due = True
        if not dt * dt * (vx * vx + vy * vy + vz * vz) < FASTEST * FASTEST * r * r:
            bad = i
    return due, bad


@block
def step_chunk(g, pose, now, first, last, sx, sy, sz, hits, mine):
    """One sub-step of one chunk."""
    x, v = g.place[now], g.motion[now]
    for i in range(first, last):
        for q in range(8):
            g.load[i, q] = 0.0
    deep = pair_forces(g, x, v, first, last, hits)
    wall_deep = wall_forces(g, x, v, pose, first, last)
    due, bad = move(g, x, v, g.place[1 - now], g.motion[1 - now], first, last, sx, sy, sz)
    if due:
        mine[1] = 1
    if deep or wall_deep:
        mine[0] = gr.TOO_DEEP
    if bad >= 0:
        mine[0], mine[2] = gr.RUNAWAY, g.ident[g.run_i[gr.NAMES], bad]


MARCH = types.int64(gr.grains_type, types.int64, types.int64, types.int64, types.int64)


@kernel(MARCH)
def march(g, worker, workers, first_step, steps):
    """Sub-steps first_step to steps - 1 of the table of poses, or if there are none new lists at that pose; called by
    all workers at once. Returns a result code.
    """
    meeting, n = 1, g.run_i[gr.COUNT]
    a, z = share(chunks_of(n), worker, workers)
    code, hits = gr.OK, g.hits[worker]
    fresh, now = g.run_i[gr.FRESH], g.run_i[gr.NOW]
    if first_step == steps:
        code, meeting = make_lists(g, g.pose[first_step], worker, workers, meeting)
    for step in range(first_step, steps):
        pose = g.pose[step]
        if fresh != 1:
            code, meeting = make_lists(g, pose, worker, workers, meeting)
            if code != gr.OK:
                break
            now = g.run_i[gr.NOW]
        parity = step & 1
        mine = g.flags[parity, worker]
        mine[0], mine[1] = gr.OK, 0
        sx, sy, sz = drift_of_home(g, g.pose[step + 1])
        for chunk in range(a, z):
            first, last = chunk * gr.CHUNK, min(n, (chunk + 1) * gr.CHUNK)
            step_chunk(g, pose, now, first, last, sx, sy, sz, hits, mine)
        now, fresh = 1 - now, 1
        if walls_moved(g, g.pose[step + 1], sx, sy, sz):
            fresh = 0
        meeting = meet(g.counters, meeting, workers)
        for w in range(workers):
            if g.flags[parity, w, 1] != 0:
                fresh = 0
        code = worst(g, parity, workers)
        if worker == 0:
            g.run_i[gr.DONE] = step + 1
            g.run_i[gr.FRESH] = fresh
            g.run_i[gr.NOW] = now
        if code != gr.OK:
            break
        if fresh == 0:
            meeting = meet(g.counters, meeting, workers)
    meeting = meet(g.counters, meeting, workers)
    if worker == 0:
        gather_push(g)
    return code
