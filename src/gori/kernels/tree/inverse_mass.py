"""M^-1 times columns, from what the articulated-body algorithm has left: O(n) a column, no matrix is factored.

A triangular solve takes O(n^2) a column. All axes S and U are moved to one reference point for a whole tree, the
origin of its root body, in world axes, so that forces add up along the tree with nothing in between:

    inward    u = x - S' p,  p += U u / D;  p goes to the parent
    outward   x = (u - U' a) / D,  a += S x
"""

from gori.kernels.jit import part
from gori.kernels.tree.columns import ARM, CHILDREN, D_INV, END, NDOF, PARENT, V0, S, U
from gori.kernels.tree.kinematics import cross

# body_d (nrow, ..)
FROM_ROOT = 0  # 3: from the reference point to the body's origin
CARRIED = 3  # 18: force, then acceleration, of the three columns in work; what stands there is overwritten

# dof_d (nv, ..)
AXIS = 0  # 6: S at the reference point
PULL = 6  # 6: U at the reference point


@part
def six(table, row, k):
    """Six numbers of a row from column k on."""
    return (
        table[row, k], table[row, k + 1], table[row, k + 2], table[row, k + 3], table[row, k + 4], table[row, k + 5]
    )  # fmt: skip


@part
def put6(table, row, k, x):
    """Write six numbers into a row from column k on."""
    table[row, k], table[row, k + 1], table[row, k + 2] = x[0], x[1], x[2]
    table[row, k + 3], table[row, k + 4], table[row, k + 5] = x[3], x[4], x[5]


@part
def plus(x, y):
    """The sum of six numbers and six."""
    return x[0] + y[0], x[1] + y[1], x[2] + y[2], x[3] + y[3], x[4] + y[4], x[5] + y[5]


@part
def add6(f, table, row, k, x):
    """f plus x times six numbers of a row."""
    return (
        f[0] + table[row, k] * x, f[1] + table[row, k + 1] * x, f[2] + table[row, k + 2] * x,
        f[3] + table[row, k + 3] * x, f[4] + table[row, k + 4] * x, f[5] + table[row, k + 5] * x,
    )  # fmt: skip


@part
def dot6(f, table, row, k):
    """f times six numbers of a row."""
    return (
        table[row, k] * f[0] + table[row, k + 1] * f[1] + table[row, k + 2] * f[2]
        + table[row, k + 3] * f[3] + table[row, k + 4] * f[4] + table[row, k + 5] * f[5]
    )  # fmt: skip


@part
def axes_at_root(body_i, body_w, dof_w, body_d, dof_d):
    """S and U at the reference point; after `place` (then U is meaningless) or `aba`."""
    for i in range(1, body_i.shape[0]):
        p = body_i[i, PARENT]
        for k in range(3):
            body_d[i, FROM_ROOT + k] = 0.0 if p == 0 else body_d[p, FROM_ROOT + k] + body_w[i, ARM + k]
        dx, dy, dz = body_d[i, FROM_ROOT], body_d[i, FROM_ROOT + 1], body_d[i, FROM_ROOT + 2]
        for k in range(body_i[i, V0], body_i[i, V0] + body_i[i, NDOF]):
            # the body's point at the reference: t + d x s;  the moment about it: n + d x f
            sx, sy, sz, tx, ty, tz = six(dof_w, k, S)
            ux, uy, uz = cross(dx, dy, dz, sx, sy, sz)
            put6(dof_d, k, AXIS, (sx, sy, sz, tx + ux, ty + uy, tz + uz))
            nx, ny, nz, fx, fy, fz = six(dof_w, k, U)
            ux, uy, uz = cross(dx, dy, dz, fx, fy, fz)
            put6(dof_d, k, PULL, (nx + ux, ny + uy, nz + uz, fx, fy, fz))


@part
def inverse_mass_times(body_i, dof_w, X, Y, Z, body_d, dof_d):
    """X[c], Y[c], Z[c] = M^-1 times themselves, for matrices (nv, nv) given by columns; after `axes_at_root`.

    Column c may be non-zero only where degree of freedom c carries or is carried, as in all derivatives.
    Three matrices go together because the axes are then read once for three.
    """
    root = 1
    while root < body_i.shape[0]:
        end = body_i[root, END]
        for i in range(root, end):
            for c in range(body_i[i, V0], body_i[i, V0] + body_i[i, NDOF]):
                forces_inward(root, i, X[c], Y[c], Z[c], body_i, dof_w, body_d, dof_d)
                motions_outward(root, end, X[c], Y[c], Z[c], body_i, dof_w, body_d, dof_d)
        root = end


@part
def forces_inward(root, body, x, y, z, body_i, dof_w, body_d, dof_d):
    """u = x - S' p, p += U u / D: from the subtree of the body, then along its ancestors.

    Where a row has one child, the next row, p stays in registers; it is added up in memory only where branches meet.
    """
    zero = 0.0 * dof_d[0, AXIS]
    none = (zero, zero, zero, zero, zero, zero)
    i = body_i[body, END] - 1
    for j in range(body, i):
        if body_i[j, CHILDREN] > 1:
            for k in range(CARRIED, CARRIED + 18):
                body_d[j, k] = 0.0
    f, g, h = none, none, none
    while True:
        if i >= body and body_i[i, CHILDREN] != 1:
            f, g, h = none, none, none
            if body_i[i, CHILDREN] > 1:
                f, g, h = six(body_d, i, CARRIED), six(body_d, i, CARRIED + 6), six(body_d, i, CARRIED + 12)
        for k in range(body_i[i, V0] + body_i[i, NDOF] - 1, body_i[i, V0] - 1, -1):
            u = x[k] - dot6(f, dof_d, k, AXIS)
            v = y[k] - dot6(g, dof_d, k, AXIS)
            w = z[k] - dot6(h, dof_d, k, AXIS)
            x[k], y[k], z[k] = u, v, w
            f = add6(f, dof_d, k, PULL, u * dof_w[k, D_INV])
            g = add6(g, dof_d, k, PULL, v * dof_w[k, D_INV])
            h = add6(h, dof_d, k, PULL, w * dof_w[k, D_INV])
        if i == root:
            break
        p = body_i[i, PARENT]
        if i > body:
            if body_i[p, CHILDREN] > 1:
                for k in range(6):
                    body_d[p, CARRIED + k] += f[k]
                    body_d[p, CARRIED + 6 + k] += g[k]
                    body_d[p, CARRIED + 12 + k] += h[k]
            i -= 1
        else:
            i = p


@part
def motions_outward(root, end, x, y, z, body_i, dof_w, body_d, dof_d):
    """x = (u - U' a) / D, a += S x: through the whole tree; a is kept in memory only where branches part."""
    zero = 0.0 * dof_d[0, AXIS]
    none = (zero, zero, zero, zero, zero, zero)
    f, g, h = none, none, none
    for i in range(root, end):
        p = body_i[i, PARENT]
        if i > root and p != i - 1:
            f, g, h = six(body_d, p, CARRIED), six(body_d, p, CARRIED + 6), six(body_d, p, CARRIED + 12)
        for k in range(body_i[i, V0], body_i[i, V0] + body_i[i, NDOF]):
            u = dof_w[k, D_INV] * (x[k] - dot6(f, dof_d, k, PULL))
            v = dof_w[k, D_INV] * (y[k] - dot6(g, dof_d, k, PULL))
            w = dof_w[k, D_INV] * (z[k] - dot6(h, dof_d, k, PULL))
            x[k], y[k], z[k] = u, v, w
            f = add6(f, dof_d, k, AXIS, u)
            g = add6(g, dof_d, k, AXIS, v)
            h = add6(h, dof_d, k, AXIS, w)
        if body_i[i, CHILDREN] > 1:
            for k in range(6):
                body_d[i, CARRIED + k] = f[k]
                body_d[i, CARRIED + 6 + k] = g[k]
                body_d[i, CARRIED + 12 + k] = h[k]
