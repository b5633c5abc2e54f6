"""Lists of all particles on a GPU, made by all of its threads together as on the CPU (`lists.py`), and sums over
them.
"""

import math

import numba
from numba import cuda

from gori.kernels.particles import cells, geometry
from gori.kernels.particles import columns as c
from gori.kernels.particles import skin as skins
from gori.kernels.particles import walls as shells
from gori.kernels.particles.cuda_device import barrier, here, on_device
from gori.kernels.particles.cuda_flags import (
    CODE,
    COUNT,
    COUNT_BITS,
    CULPRIT,
    FAR_SLOTS,
    FRESH,
    LEVELS,
    LISTS,
    NEEDED_SLOTS,
    NOW,
    REBUILDS,
    ROW_BITS,
    SINCE,
    WALL_PARTICLES,
    WALL_SLOTS,
)
from gori.kernels.particles.cuda_forces import apart, level_of
from gori.kernels.particles.cuda_rows import is_near, keep_history, move_rows, put_wall, sort_buckets, sort_cells
from gori.kernels.particles.cuda_wide import read2, read4

f4 = numba.float32
bin_range, within = on_device(shells.bin_range), on_device(shells.within)
cell_of, cell_rank = on_device(cells.cell_of), on_device(cells.cell_rank)
cells_along, cells_per_metre = on_device(cells.cells_along), on_device(cells.cells_per_metre)
level_of_size, taken_out = on_device(cells.level_of_size), on_device(cells.taken_out)
best_skin = on_device(skins.best_skin)
inside_domain, in_frame = on_device(cells.inside_domain), on_device(geometry.in_frame)
FOUND, NEIGHBOURS = 16, 48
"""walls and particles that a thread remembers"""
ASKED = 4096
"""particles of which neighbours and walls are counted for the skin to come, about"""
FAR_LEVEL = 4
"""level of gaps from half of the skin on"""


@cuda.jit(device=True)
def fail(flags, code, culprit):
    """Set a result code; the first one is kept."""
    if here.atomic.cas(flags, CODE, c.OK, code) == c.OK:
        flags[CULPRIT] = culprit


@cuda.jit(device=True)
def add_wrenches(shared, Mx, My, Mz, Fx, Fy, Fz):
    """Sums over the threads of a block, a power of two, at numbers 0, size, 2 size, ... of the shared array."""
    own, size = here.threadIdx.x, here.blockDim.x
    shared[own], shared[size + own], shared[2 * size + own] = Mx, My, Mz
    shared[3 * size + own], shared[4 * size + own], shared[5 * size + own] = Fx, Fy, Fz
    half = size >> 1
    here.syncthreads()
    while half > 0:
        if own < half:
            for k in range(own, 6 * size, size):
                shared[k] += shared[k + half]
        half >>= 1
        here.syncthreads()


@cuda.jit(device=True)
def gather_blocks(g, blocks, shared):
    """Sums of the blocks, added to those of the holders: each by one block."""
    own, size = here.threadIdx.x, here.blockDim.x
    for b in range(here.blockIdx.x, g.wrench.shape[0], here.gridDim.x):
        if b == 0 and g.extent[0] < 0.0:
            continue
        Mx, My, Mz, Fx, Fy, Fz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(own, blocks, size):
            s = g.sums[b, k]
            Mx, My, Mz, Fx, Fy, Fz = Mx + s[0], My + s[1], Mz + s[2], Fx + s[3], Fy + s[4], Fz + s[5]
        add_wrenches(shared, Mx, My, Mz, Fx, Fy, Fz)
        if own < 6:
            g.wrench[b, own] += shared[own * size]
        here.syncthreads()


@cuda.jit(device=True)
def gather_threads(g, lists, thread, threads, shared):
    """Wrenches on the walls since the last time, by holders: sums of each block, in a fixed order."""
    own, size, block, n = here.threadIdx.x, here.blockDim.x, here.blockIdx.x, g.flags[COUNT]
    copies = g.primitive_wrench.shape[0]
    for b in range(g.wrench.shape[0]):
        if b == 0 and g.extent[0] < 0.0:  # the ground, and it has no walls
            continue
        Mx, My, Mz, Fx, Fy, Fz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for i in range(thread, n, threads):
            count = g.wall_at[lists, 1, i]
            if count > 0:
                first = g.wall_at[lists, 0, i]
                for s in range(first, first + count):
                    w, wrench = g.wall[lists, s], g.wall_wrench[s]
                    k = w if w >= 0 else ~w
                    square = wrench[3] * wrench[3] + wrench[4] * wrench[4] + wrench[5] * wrench[5]
                    if g.holder[k] == b and square > 0.0:
                        Mx, My, Mz = Mx + wrench[0], My + wrench[1], Mz + wrench[2]
                        Fx, Fy, Fz = Fx + wrench[3], Fy + wrench[4], Fz + wrench[5]
                        for q in range(6):
                            here.atomic.add(g.primitive_wrench, (i % copies, k, q), wrench[q])
                            wrench[q] = 0.0
        add_wrenches(shared, Mx, My, Mz, Fx, Fy, Fz)
        if own < 6:
            g.sums[b, block, own] = shared[own * size]
        here.syncthreads()


@cuda.jit(device=True)
def count_cells(g, now, lists, pose, drains, thread, threads):
    """Cell of each particle and how many share it; particles outside the domain are lost. With `drains`, those in
    outlets are taken out.
    """
    home, finest = g.settings[0].home, g.settings[0].levels - 1
    n = g.settings[0].count
    for i in range(thread, g.flags[COUNT], threads):
        px, py = read2(g.sphere, 4 * (now * n + i))
        pz, _ = read2(g.sphere, 4 * (now * n + i) + 2)
        if drains and taken_out(g, pose, px, py, pz):
            g.cell[i] = g.rank[i] = -1
            continue
        k = cell_of(g, finest, px, py, pz)
        g.cell[i] = k
        g.rank[i] = here.atomic.add(g.cell_start, k + 1, 1)
        if home >= 0:
            px, py, pz = in_frame(pose, home, px, py, pz)
        if not inside_domain(g, px, py, pz):
            fail(g.flags, c.LOST, g.id[lists, i])


@cuda.jit(device=True)
def sum_before(shared, number):
    """Sum of the numbers of all threads of the block before this one."""
    own, size, at, reach = here.threadIdx.x, here.blockDim.x, 0, 1
    here.syncthreads()
    shared[own] = float(number)
    here.syncthreads()
    while reach < size:  # each adds what the one `reach` before it has, from one half into the other
        shared[size - at + own] = shared[at + own] + (shared[at + own - reach] if own >= reach else 0.0)
        at, reach = size - at, 2 * reach
        here.syncthreads()
    return int(shared[at + own]) - number


@cuda.jit(device=True)
def fill_buckets(g, now, thread, threads, shared):
    """Rows by the cells of their own level of sizes; `wall_rows`, which is not in use now, has their ranks in these."""
    n, count = g.settings[0].count, g.flags[COUNT]
    for k in range(thread, g.bucket_start.shape[0], threads):
        g.bucket_start[k] = 0
    barrier(g.flags)
    for i in range(thread, count, threads):
        px, py = read2(g.sphere, 4 * (now * n + i))
        pz, r = read2(g.sphere, 4 * (now * n + i) + 2)
        level = level_of_size(g, r)
        k = g.bucket_first[level] + cell_of(g, level, px, py, pz)
        g.cell[i] = k
        g.wall_rows[i] = here.atomic.add(g.bucket_start, k + 1, 1)
    barrier(g.flags)
    add_up(g, g.bucket_start, shared)
    for i in range(thread, count, threads):
        g.bucket[g.bucket_start[g.cell[i]] + g.wall_rows[i]] = i
    barrier(g.flags)
    sort_buckets(g, thread, threads)
    barrier(g.flags)


@cuda.jit(device=True)
def add_up(g, start, shared):
    """start: from counts to first rows. Each block adds up a stretch of cells, then what lies before it."""
    own, block, size = here.threadIdx.x, here.blockIdx.x, here.blockDim.x
    cells = start.shape[0] - 1
    stretch = (cells + here.gridDim.x - 1) // here.gridDim.x
    piece = (stretch + size - 1) // size
    first = block * stretch + own * piece
    last = min(min(first + piece, (block + 1) * stretch), cells)
    total = 0
    for k in range(first, last):
        total += start[k + 1]
    before = sum_before(shared, total)
    if own == size - 1:
        g.totals[block] = before + total
    barrier(g.flags)
    total = 0
    for k in range(own, block, size):
        total += g.totals[k]
    last_one = sum_before(shared, total) + total  # of the last thread: all blocks before
    if own == size - 1:
        shared[0] = float(last_one)
    here.syncthreads()
    total = before + int(shared[0])
    for k in range(first, last):
        total += start[k + 1]
        start[k + 1] = total
    barrier(g.flags)


@cuda.jit(device=True)
def rows_in(g, level, ix, iy, iz):
    """Particles in a cell of a level: the first, and the one after the last; of several levels, where in `bucket`."""
    k = cell_rank(g.grid_i[level], ix, iy, iz)
    if g.settings[0].levels == 1:
        return g.cell_start[k], g.cell_start[k + 1]
    k += g.bucket_first[level]
    return g.bucket_start[k], g.bucket_start[k + 1]


@cuda.jit(device=True)
def candidate(g, begin, always, binned, t):
    """Number t of the walls that may be near."""
    return g.always[begin + t] if t < always else g.bin_wall[binned + t - always]


@cuda.jit(device=True)
def find_neighbours(g, now, lists, thread, threads):
    """Neighbours of each particle: those that touch first, then by the levels of their gaps.

    What has been found once is remembered and then put in order; if it is too much for that, it is looked for again and
    stands as it comes, and all of it counts.
    """
    n, most, skin, unit = g.settings[0].count, g.settings[0].neighbours, f4(g.skin[0]), f4(g.settings[0].unit)
    found, asked = here.local.array(NEIGHBOURS, numba.int32), max(1, g.flags[COUNT] // ASKED)
    for i in range(thread, g.flags[COUNT], threads):
        slot, row = lists * most * n + i, now * n
        px, py = read2(g.sphere, 4 * (row + i))
        pz, radius = read2(g.sphere, 4 * (row + i) + 2)
        xi, yi, zi, ri = read4(g.fixed_point, 4 * (row + i))
        si = unit * f4(ri)
        count, ends = 0, 0  # of those found: all; those that touch, and those of each level, in 8 bits each
        for turn in range(2):
            if turn == 1:
                if count <= NEIGHBOURS:
                    break
                count = 0
            for size in range(g.settings[0].levels):
                per, far, grid = cells_per_metre(g, size), radius + g.level_radius[size] + g.skin[0], g.grid_i[size]
                x0, nx = cells_along(px, far, per, grid[c.GRID_X])
                y0, ny = cells_along(py, far, per, grid[c.GRID_Y])
                z0, nz = cells_along(pz, far, per, grid[c.GRID_Z])
                ix, iy, iz = x0, y0, z0
                first, last = rows_in(g, size, ix, iy, iz)
                for _ in range(nx * ny * nz):
                    ix += 1  # to the next cell, of which rows are asked for one ahead
                    if ix == x0 + nx:
                        ix, iy = x0, iy + 1
                        if iy == y0 + ny:
                            iy, iz = y0, min(iz + 1, z0 + nz - 1)
                    following = rows_in(g, size, ix, iy, iz)
                    for t in range(first, last):
                        j = t if g.settings[0].levels == 1 else g.bucket[t]
                        xj, yj, zj, rj = read4(g.fixed_point, 4 * (row + j))
                        dx, dy, dz = unit * f4(apart(xi, xj)), unit * f4(apart(yi, yj)), unit * f4(apart(zi, zj))
                        reach = si + unit * f4(rj)
                        square, far_off = dx * dx + dy * dy + dz * dz, reach + skin
                        if square < far_off * far_off and j != i and is_near(g, row + j, px, py, pz):
                            level = 0
                            if square >= reach * reach:
                                gap = (math.sqrt(square) - reach) / skin
                                level = 1 + min(LEVELS - 1, level_of(gap * gap))
                            if turn == 1:
                                if count < most:
                                    g.other[slot + count * n] = (max(0, level - 1) << ROW_BITS) | j
                            elif count < NEIGHBOURS:
                                found[count] = (level << ROW_BITS) | j
                                ends += 1 << 8 * level
                            count += 1
                    first, last = following
        if count > most:
            here.atomic.max(g.flags, NEEDED_SLOTS, count)
            fail(g.flags, c.LIST_FULL, 0)
            continue
        if count <= NEIGHBOURS:
            begins, before = 0, 0
            for level in range(LEVELS + 1):
                begins |= before << 8 * level
                before += (ends >> 8 * level) & 255
            if i % asked == 0:
                far = ((ends >> 8 * (FAR_LEVEL + 1)) & 255) + ((ends >> 8 * (FAR_LEVEL + 2)) & 255)
                here.atomic.add(g.flags, FAR_SLOTS, far)
            for t in range(count):
                level = int(found[t]) >> ROW_BITS
                at = (begins >> 8 * level) & 255
                begins += 1 << 8 * level
                g.other[slot + at * n] = found[t] - ((1 << ROW_BITS) if level > 0 else 0)
        g.count[lists * n + i] = count if count <= NEIGHBOURS else count | (((1 << LEVELS) - 1) << COUNT_BITS)
        keep_history(g, lists, i, count)


@cuda.jit(device=True)
def find_walls(g, now, pose, lists, thread, threads):
    """Walls near each particle. Slots are taken as they come; a particle's own lie side by side."""
    n, found = g.settings[0].count, here.local.array(FOUND, numba.int32)
    for i in range(thread, g.flags[COUNT], threads):
        px, py = read2(g.sphere, 4 * (now * n + i))
        pz, r = read2(g.sphere, 4 * (now * n + i) + 2)
        reach = r + g.skin[0]
        count, first, binned, bits = 0, 0, 0, 0
        for turn in range(2):  # count, then write; what has been found in the first turn need not be looked for again
            if turn == 1:
                if count == 0:
                    break
                first = here.atomic.add(g.flags, WALL_SLOTS, count)
                if first + count > g.wall.shape[1]:
                    fail(g.flags, c.WALL_FULL, 0)
                    count = 0
                    break
                if count <= FOUND:
                    for t in range(count):
                        bits |= put_wall(g, lists, found[t], i, first + t, t)
                    break
                count = 0
            for b in range(g.settings[0].bodies):
                begin, always, end = g.bin_i[b, c.FIRST_ALWAYS], g.bin_i[b, c.ALWAYS], 0
                lx, ly, lz = in_frame(pose, b, px, py, pz)
                if g.bin_i[b, c.NX] > 0:
                    binned, end = bin_range(g.bin_i, g.bin_f, g.bin_start, b, lx, ly, lz)
                    end -= binned
                following = candidate(g, begin, always, binned, 0) if always + end > 0 else 0
                for t in range(1, always + end + 1):
                    k = following
                    following = candidate(g, begin, always, binned, min(t, always + end - 1))  # one ahead
                    if within(g.wall_i, g.wall_f, g.rim_i, g.rim_f, k, lx, ly, lz, reach):
                        if turn == 1:
                            bits |= put_wall(g, lists, k, i, first + count, count)
                        elif count < FOUND:
                            found[count] = k
                        count += 1
        g.wall_at[lists, 0, i], g.wall_at[lists, 1, i] = first, count
        g.wall_bits[i], g.wall_bits[n + i] = 0, bits
        if i % max(1, g.flags[COUNT] // ASKED) == 0:
            for s in range(first, first + count):
                k = g.wall[lists, s] if g.wall[lists, s] >= 0 else ~g.wall[lists, s]
                lx, ly, lz = in_frame(pose, g.wall_i[k, c.BODY], px, py, pz)
                if not within(g.wall_i, g.wall_f, g.rim_i, g.rim_f, k, lx, ly, lz, r + 0.5 * g.skin[0]):
                    here.atomic.add(g.flags, FAR_SLOTS, 2 * skins.WALL)
        if count > 0:
            g.wall_rows[here.atomic.add(g.flags, WALL_PARTICLES, 1)] = i


@cuda.jit(device=True)
def make_lists(g, pose, now, lists, fresh, drains, thread, threads, shared):
    """Rebuild all lists, by all threads together; particles go to buffer 1 - now, lists to 1 - lists. With `drains`,
    those in outlets are taken out.

    When a list is full, particles are sorted and the old lists stand: with more space, a call with fresh = -1 goes on.
    """
    if fresh >= 0:
        gather_threads(g, lists, thread, threads, shared)
        if thread == 0:
            g.skin[0] = best_skin(g, g.flags[SINCE])
            g.skin[1] = 1.0 / g.skin[0]
        barrier(g.flags)
        gather_blocks(g, here.gridDim.x, shared)
        for k in range(thread, g.cell_start.shape[0], threads):
            g.cell_start[k] = 0
        barrier(g.flags)
        count_cells(g, now, lists, pose, drains, thread, threads)
        barrier(g.flags)
        if g.flags[CODE] != c.OK:
            return
        add_up(g, g.cell_start, shared)
        for i in range(thread, g.flags[COUNT], threads):
            if g.cell[i] >= 0:
                g.order[g.cell_start[g.cell[i]] + g.rank[i]] = i
        barrier(g.flags)
        sort_cells(g, g.id[lists], thread, threads)
        barrier(g.flags)
        move_rows(g, now, lists, thread, threads)
        for k in range(thread, g.settings[0].bodies * c.N_POSE, threads):
            g.listed_pose[k // c.N_POSE, k % c.N_POSE] = pose[k // c.N_POSE, k % c.N_POSE]
        if thread == 0:
            g.flags[WALL_SLOTS] = g.flags[WALL_PARTICLES] = 0
            g.flags[NOW], g.flags[FRESH] = 1 - now, -1
            g.flags[COUNT] = g.cell_start[g.cell_start.shape[0] - 1]
            g.flags[FAR_SLOTS] = 0
        barrier(g.flags)
        now = 1 - now
        if g.settings[0].levels > 1:
            fill_buckets(g, now, thread, threads, shared)
    find_neighbours(g, now, 1 - lists, thread, threads)
    find_walls(g, now, pose, 1 - lists, threads - 1 - thread, threads)  # from the last block: the first are busy
    barrier(g.flags)
    if thread == 0 and g.flags[CODE] == c.OK:
        g.flags[LISTS], g.flags[FRESH], g.flags[SINCE] = 1 - lists, 1, 0
        g.flags[REBUILDS] += 1
        asked = max(1, g.flags[COUNT] // ASKED)
        g.skin[2] = 0.5 * g.flags[FAR_SLOTS] / max(1, (g.flags[COUNT] + asked - 1) // asked)
    barrier(g.flags)
